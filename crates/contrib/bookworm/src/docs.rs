//! Documentation as rustdoc writes it: made here, or read from a site.
//!
//! Both have the same pages at the same paths, so everything above this module asks for a page and
//! does not know where it came from. Documentation that was made here is kept by crate, version and
//! features; that of a package whose files may change is made again each time, which costs nothing
//! when nothing has changed.

mod html;
mod items;
mod make;
mod markdown;
mod page;
mod path;
mod room;
mod site;
mod source;

use camino::Utf8PathBuf;
use jp_mcp_server::Stop;
use jp_tool::ToolError;
use semver::Version;

use self::path::DocPath;
pub(crate) use self::{
    items::{Item, Kind},
    page::{Member, Page, summary},
    site::{Site, SiteError},
};
use crate::{
    files,
    names::{CrateName, ItemPath},
    public::PublicName,
    resolve::{Asking, Book, Request},
    toolbox::Bookworm,
};

/// The documentation of one version of a crate.
#[derive(Debug)]
pub(crate) struct Docs {
    pub(crate) name: CrateName,
    pub(crate) version: Version,
    /// The name of the library, with which all paths begin.
    pub(crate) library: String,
    pages: Pages,
}

#[derive(Debug)]
enum Pages {
    Here(Utf8PathBuf),
    OnSite(Site, PublicName),
}

impl Bookworm {
    /// The documentation of a crate, made or fetched where it is not there yet.
    pub(crate) async fn docs(&self, request: &Request, asking: Asking<'_>) -> Result<Docs, Stop> {
        let book = self.book(request, asking).await?;
        let (name, version) = (book.name()?, book.version().clone());
        let package = match book {
            Book::Here(package) => package,
            Book::OnSite(name, version) => return self.docs_of_stranger(name, version).await,
        };
        let Some(library) = package.library() else {
            let text = format!("{name} {version} has no library, so it has no documentation.");
            return Err(ToolError::new(text).into());
        };
        if self.uses_site(asking)?
            && let Ok(public) = self.library.stock().await?.public(&name, Some(&version))
        {
            let docs = self.docs_of_site(public, version.clone(), library.clone())?;
            // A site that does not answer is no reason not to make the documentation.
            if docs.expect_items().await.is_ok() {
                return Ok(docs);
            }
        }
        let root = self.made(&package, &library, request, asking).await?;
        Ok(Docs { name, version, library, pages: Pages::Here(root) })
    }

    /// The documentation of a crate that is not here. Its library is mostly called like the crate; where
    /// it is not, the site knows.
    async fn docs_of_stranger(&self, name: PublicName, version: Version) -> Result<Docs, Stop> {
        let mut docs = self.docs_of_site(name.clone(), version, name.name().library())?;
        let end = docs.expect_items().await;
        if let (Err(_), Pages::OnSite(site, _)) = (&end, &docs.pages)
            && let Ok(Some(library)) = site.library(&name, &docs.version).await
            && library != docs.library
        {
            docs.library = library;
            docs.expect_items().await?;
            return Ok(docs);
        }
        end.map(|()| docs)
    }

    fn docs_of_site(
        &self,
        public: PublicName,
        version: Version,
        library: String,
    ) -> Result<Docs, Stop> {
        let site = self.site.clone().ok_or_else(|| ToolError::new("There is no site."))?;
        let name = public.name().clone();
        Ok(Docs { name, version, library, pages: Pages::OnSite(site, public) })
    }
}

impl Docs {
    /// All items that have a page of their own.
    pub(crate) async fn items(&self) -> Result<Vec<Item>, Stop> {
        let path = self.path("all.html")?;
        let html = self.html(&path).await?.ok_or_else(|| self.missing())?;
        Ok(aside(move || items::all(&html, &path)).await??)
    }

    /// The members of types and traits, as far as that takes no network: methods, variants, fields.
    pub(crate) async fn members(&self, items: &[Item]) -> Result<Vec<Item>, Stop> {
        let Pages::Here(root) = &self.pages else { return Ok(Vec::new()) };
        let (root, items) = (root.clone(), items.to_vec());
        aside(move || items::members(&items, |path| files::read(&root, path).ok().flatten())).await
    }

    /// The page of an item.
    pub(crate) async fn page(&self, item: &Item) -> Result<Option<Page>, Stop> {
        let Some(html) = self.html(&item.page).await? else { return Ok(None) };
        let path = item.page.clone();
        Ok(aside(move || Page::parse(&html, &path)).await??)
    }

    /// The page of a module, or of the crate.
    pub(crate) async fn module(&self, path: &ItemPath) -> Result<Option<(Item, Page)>, Stop> {
        let directories: String = path.segments().iter().map(|name| format!("{name}/")).collect();
        let item = Item {
            kind: Kind::Module,
            path: path.clone(),
            page: self.path(&format!("{directories}index.html"))?,
        };
        Ok(self.page(&item).await?.map(|page| (item, page)))
    }

    /// The lines of a source file that a page refers to.
    pub(crate) async fn source(&self, page: &Page, link: &str) -> Result<Option<String>, Stop> {
        let Some((path, lines)) = source::parse_link(&page.path, link) else { return Ok(None) };
        let Some(html) = self.html(&path).await? else { return Ok(None) };
        Ok(aside(move || source::lines(&html, lines)).await??)
    }

    async fn html(&self, path: &DocPath) -> Result<Option<String>, Stop> {
        match &self.pages {
            Pages::Here(root) => {
                let html = files::read(root, path.as_path());
                html.map_err(|error| ToolError::from_error(&error).into())
            }
            Pages::OnSite(site, name) => Ok(site.page(name, &self.version, path).await?),
        }
    }

    async fn expect_items(&self) -> Result<(), Stop> {
        let path = self.path("all.html")?;
        self.html(&path).await?.map(drop).ok_or_else(|| self.missing())
    }

    fn path(&self, below: &str) -> Result<DocPath, Stop> {
        let path = DocPath::new(&format!("{}/{below}", self.library));
        path.ok_or_else(|| ToolError::new(format!("`{below}` is not the path of a page.")).into())
    }

    fn missing(&self) -> Stop {
        let text = format!("There is no documentation of {} {}.", self.name, self.version);
        ToolError::new(text).into()
    }
}

/// Work that takes a while and cannot be interrupted, where it holds nothing else up.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Stop> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| ToolError::new("Reading the documentation broke down.").into())
}
