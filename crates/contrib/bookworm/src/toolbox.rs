//! The server: its tools and its documents.

use jp_mcp_server::{
    About, Call, Document, Reply, Resource, ResourceTemplate, Stop, Tool, ToolAnnotations, Toolbox,
    define,
};
use jp_tool::ToolError;
use thiserror::Error;

use crate::{
    args::{Args, ArgsError, cargo_home},
    cargo::Cargo,
    docs::Site,
    library::Library,
    names::CrateName,
    tools::{self, find, info, item, search, versions},
    uri::{CrateUri, Part, TEMPLATES},
};

/// More crates than this are not listed as resources.
const MAX_RESOURCES: usize = 1_000;

const INSTRUCTIONS: &str = "Documentation of Rust crates, in the versions that the Cargo.lock of the \
    workspace has. Look for an item with search_items, read it with crate_item, and its code with \
    item_source. Nothing is downloaded unless you pass fetch or the user agrees.";

/// Everything that the tools need.
#[derive(Debug)]
pub(crate) struct Bookworm {
    pub(crate) library: Library,
    pub(crate) site: Option<Site>,
    pub(crate) offline: bool,
}

/// The server cannot work as it was started.
#[derive(Debug, Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Args(#[from] ArgsError),
    #[error("the site cannot be used")]
    Site(#[from] crate::docs::SiteError),
}

impl Bookworm {
    pub(crate) fn new(args: Args) -> Result<Self, StartError> {
        let (workspace, cache) = (args.workspace()?, args.cache()?);
        let url = args.site.filter(|_| !args.offline);
        let site = url.map(|url| Site::new(url, &cache)).transpose()?;
        let cargo = Cargo::new("cargo".into(), workspace).offline(args.offline);
        let library = Library::new(cargo, cache, cargo_home());
        Ok(Self { library, site, offline: args.offline })
    }
}

impl Toolbox for Bookworm {
    fn about(&self) -> About {
        About {
            name: "bookworm",
            title: "Documentation of Rust crates",
            version: env!("CARGO_PKG_VERSION"),
            instructions: INSTRUCTIONS,
        }
    }

    fn tools(&self) -> Vec<Tool> {
        // None of them only reads: documenting a crate runs its build scripts, and each of the others
        // downloads when it is told to. They destroy nothing, and doing it twice is doing it once.
        let hints = |title: &str| {
            let hints = ToolAnnotations::with_title(title).read_only(false);
            hints.destructive(false).idempotent(true).open_world(true)
        };
        vec![
            define::<find::Arguments>("find_crates", find::ABOUT, hints("Find crates")),
            define::<versions::Arguments>(
                "crate_versions",
                versions::ABOUT,
                hints("Versions of a crate"),
            ),
            define::<info::Arguments>(
                "crate_info",
                info::ABOUT,
                hints("Readme and features of a crate"),
            ),
            define::<search::Arguments>(
                "search_items",
                search::ABOUT,
                hints("Search the items of a crate"),
            ),
            define::<item::Arguments>("crate_item", item::ABOUT, hints("One item of a crate")),
            define::<item::Arguments>(
                "item_source",
                item::ABOUT_SOURCE,
                hints("The source of an item"),
            ),
        ]
    }

    async fn call(&self, call: Call) -> Result<Reply, Stop> {
        match call.tool.as_str() {
            "find_crates" => find::run(self, &call).await,
            "crate_versions" => versions::run(self, &call).await,
            "crate_info" => info::run(self, &call).await,
            "search_items" => search::run(self, &call).await,
            "crate_item" => item::run(self, &call).await,
            "item_source" => item::run_source(self, &call).await,
            other => Err(ToolError::new(format!("There is no tool `{other}`.")).into()),
        }
    }

    /// The crates of the workspace and its dependencies.
    async fn resources(&self) -> Result<Vec<Resource>, ToolError> {
        let stock = self.library.stock().await?;
        let resource = |name: &str, version: &semver::Version| {
            let name = CrateName::parse(name).ok()?;
            let title = format!("{name} {version}");
            let uri = CrateUri::Of(name, version.clone(), Part::Info).to_string();
            Some(Resource::new(uri, title).with_mime_type("text/markdown"))
        };
        let locked = stock.lock.packages().iter();
        let all = locked.filter_map(|locked| resource(&locked.name, &locked.version));
        Ok(all.take(MAX_RESOURCES).collect())
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        let template = |(uri, name, title, mime): (&str, &str, &str, &str)| {
            ResourceTemplate::new(uri, name).with_title(title).with_mime_type(mime)
        };
        TEMPLATES.into_iter().map(template).collect()
    }

    async fn read(&self, uri: &str) -> Result<Option<Document>, ToolError> {
        let Some(uri) = CrateUri::parse(uri) else { return Ok(None) };
        tools::read(self, &uri).await
    }
}
