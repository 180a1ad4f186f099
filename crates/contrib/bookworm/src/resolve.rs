//! Which version of a crate is meant, and whether it is here.
//!
//! The lock file of the workspace decides. Where it has several versions that fit, somebody has to
//! choose; where it has none, the newest on this machine counts. What is not on this machine is read
//! from the documentation site, if there is one, and otherwise fetched, but only when somebody says
//! so, and never what the workspace has of its own by that name (`public.rs`). Questions are asked
//! before anything is done.

use jp_mcp_server::{Call, Prompt, Stop};
use jp_tool::ToolError;
use semver::Version;

use crate::{
    cargo::{Package, Scratch},
    library::Stock,
    names::{CrateName, NameError, Wanted},
    public::PublicName,
    toolbox::Bookworm,
};

/// A crate that a tool was asked about.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) name: CrateName,
    pub(crate) wanted: Wanted,
    /// Whether to fetch what is missing; `None`: ask.
    pub(crate) fetch: Option<bool>,
}

/// A version of a crate that can be read.
#[derive(Debug, Clone)]
pub(crate) enum Book {
    /// Its sources are here.
    Here(Box<Package>),
    /// Its documentation is on the site.
    OnSite(PublicName, Version),
}

/// Whom to ask.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Asking<'a> {
    /// Whoever made the call.
    Call(&'a Call),
    /// Nobody: a document is read, and reading asks no questions.
    Nobody,
}

impl Request {
    pub(crate) fn new(
        name: &str,
        version: Option<&str>,
        fetch: Option<bool>,
    ) -> Result<Self, NameError> {
        Ok(Self { name: CrateName::parse(name)?, wanted: Wanted::parse(version)?, fetch })
    }

    pub(crate) fn exact(name: CrateName, version: Version) -> Self {
        Self { name, wanted: Wanted::Exact(version), fetch: Some(false) }
    }
}

impl Book {
    pub(crate) fn name(&self) -> Result<CrateName, NameError> {
        match self {
            Self::Here(package) => CrateName::parse(&package.name),
            Self::OnSite(name, _) => Ok(name.name().clone()),
        }
    }

    pub(crate) fn version(&self) -> &Version {
        match self {
            Self::Here(package) => &package.version,
            Self::OnSite(_, version) => version,
        }
    }
}

impl Bookworm {
    /// The version that is meant, wherever it can be read.
    pub(crate) async fn book(&self, request: &Request, asking: Asking<'_>) -> Result<Book, Stop> {
        let stock = self.library.stock().await?;
        let (name, wanted) = (&request.name, &request.wanted);
        let mut version = locked(&stock, request, asking).await?;
        version = version.or_else(|| stock.newest_unpacked(name, wanted));
        if let Some(version) = &version
            && let Some(package) = self.library.package(&stock, name, version).await?
        {
            return Ok(Book::Here(Box::new(package)));
        }
        version = version.or_else(|| match wanted {
            Wanted::Exact(version) => Some(version.clone()),
            Wanted::Any | Wanted::Matching(_) => stock.newest_indexed(name, wanted),
        });
        // From here on somebody else would be asked.
        let public = stock.public(name, version.as_ref())?;
        if let (Some(version), true) = (&version, self.uses_site(asking)?) {
            return Ok(Book::OnSite(public, version.clone()));
        }
        let wanted = version.map_or(wanted.clone(), Wanted::Exact);
        let package = self.fetched(&public, request.fetch, &wanted, asking).await?;
        Ok(Book::Here(Box::new(package)))
    }

    /// The package itself, for what only its files say.
    pub(crate) async fn package(
        &self,
        request: &Request,
        asking: Asking<'_>,
    ) -> Result<Package, Stop> {
        match self.book(request, asking).await? {
            Book::Here(package) => Ok(*package),
            Book::OnSite(name, version) => {
                self.fetched(&name, request.fetch, &Wanted::Exact(version), asking).await
            }
        }
    }

    /// Asks, unless the argument says no, and fetches a crate with everything it needs.
    pub(crate) async fn fetched(
        &self,
        public: &PublicName,
        fetch: Option<bool>,
        wanted: &Wanted,
        asking: Asking<'_>,
    ) -> Result<Package, Stop> {
        let name = public.name();
        let what = match wanted {
            Wanted::Exact(version) => format!("{name} {version}"),
            Wanted::Matching(wanted) => format!("{name} {wanted}"),
            Wanted::Any => name.to_string(),
        };
        if self.offline {
            let text = format!("{what} is not on this machine, and bookworm runs with --offline.");
            return Err(ToolError::new(text).into());
        }
        let agreed = match (fetch, asking) {
            (Some(false), _) | (_, Asking::Nobody) => false,
            // A model that says yes has asked nobody. That counts only where nobody can be asked: whoever
            // lets it call the tool there has seen the argument.
            (Some(true), Asking::Call(call)) if call.cannot_ask() => true,
            (_, Asking::Call(call)) => {
                let prompt = Prompt {
                    id: "fetch".into(),
                    text: format!("{what} is not on this machine. Fetch it?"),
                    details: None,
                    argument: "fetch",
                };
                call.confirm(prompt, None).await?
            }
        };
        if !agreed {
            let text = format!(
                "{what} is not on this machine, and was not fetched. \
                 The tool `crate_versions` says which versions are here."
            );
            return Err(ToolError::new(text).into());
        }
        if let Asking::Call(call) = asking {
            call.progress(format!("fetching {what}")).await;
        }
        let scratch = Scratch::new(&self.library.cache, name, wanted)?;
        Ok(scratch.fetch(public, &self.library.cargo).await?)
    }

    /// Whether pages may come from the site: there is one, and the host's option `site` is not off.
    pub(crate) fn uses_site(&self, asking: Asking<'_>) -> Result<bool, Stop> {
        let allowed = match asking {
            Asking::Call(call) => call.option::<bool>("site")?.unwrap_or(true),
            Asking::Nobody => true,
        };
        Ok(allowed && self.site.is_some())
    }
}

/// The version that the workspace uses, if any fits; somebody chooses if several do.
async fn locked(
    stock: &Stock,
    request: &Request,
    asking: Asking<'_>,
) -> Result<Option<Version>, Stop> {
    let mut fitting = stock.used(&request.name);
    fitting.retain(|version| request.wanted.matches(version));
    let (Asking::Call(call), true) = (asking, fitting.len() > 1) else {
        return Ok(fitting.into_iter().next());
    };
    let options: Vec<String> = fitting.iter().map(Version::to_string).collect();
    let prompt = Prompt {
        id: "version".into(),
        text: format!("The workspace uses several versions of {}. Which one?", request.name),
        details: None,
        argument: "version",
    };
    let newest = options.first().cloned();
    let chosen = call.choose(prompt, options, newest).await?;
    Ok(fitting.into_iter().find(|version| version.to_string() == chosen))
}

impl From<NameError> for ToolError {
    fn from(error: NameError) -> Self {
        Self::from_error(&error)
    }
}
