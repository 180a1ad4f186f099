//! The command line, and the few things of the environment that stand in for what it leaves out.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Parser;
use jp_mcp_server::JpFlag;
use thiserror::Error;
use url::Url;

/// An MCP server on stdio for the documentation of Rust crates.
#[derive(Debug, Parser)]
#[command(name = "bookworm", version, term_width = 0)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) jp: JpFlag,

    /// The workspace whose Cargo.lock says which versions count [default: the current directory]
    #[arg(long, value_name = "DIR")]
    workspace: Option<Utf8PathBuf>,

    /// Where documentation is kept [default: bookworm in the cache directory of the user]
    #[arg(long, value_name = "DIR")]
    cache: Option<Utf8PathBuf>,

    /// A documentation site to read from, with pages at URL/NAME/VERSION/
    #[arg(long, value_name = "URL", value_parser = site)]
    pub(crate) site: Option<Url>,

    /// Never use the network, not even when asked to
    #[arg(long)]
    pub(crate) offline: bool,
}

/// The command line does not say enough.
#[derive(Debug, Error)]
pub(crate) enum ArgsError {
    #[error("cannot find out the current directory; pass --workspace")]
    CurrentDirectory(#[source] io::Error),
    #[error("the directory {0:?} is not UTF-8; pass --workspace and --cache")]
    NotUtf8(std::path::PathBuf),
    #[error("there is no workspace at {0}")]
    NoWorkspace(Utf8PathBuf, #[source] io::Error),
    #[error("neither XDG_CACHE_HOME nor HOME says where caches are; pass --cache")]
    NoCache,
}

impl Args {
    /// The workspace, as an absolute path without links: like cargo, the nearest directory upwards
    /// that has a manifest and a lock file.
    pub(crate) fn workspace(&self) -> Result<Utf8PathBuf, ArgsError> {
        let given = match &self.workspace {
            Some(given) => given.clone(),
            None => utf8(std::env::current_dir().map_err(ArgsError::CurrentDirectory)?)?,
        };
        let start = given.canonicalize_utf8();
        let start = start.map_err(|error| ArgsError::NoWorkspace(given, error))?;
        let has = |dir: &&Utf8Path| {
            ["Cargo.toml", "Cargo.lock"].iter().all(|file| dir.join(file).is_file())
        };
        Ok(start.ancestors().find(has).unwrap_or(&start).to_owned())
    }

    /// The directory for documentation; it need not exist yet.
    pub(crate) fn cache(&self) -> Result<Utf8PathBuf, ArgsError> {
        if let Some(given) = &self.cache {
            return utf8(std::path::absolute(given).map_err(ArgsError::CurrentDirectory)?);
        }
        let caches = variable("XDG_CACHE_HOME").or_else(|| Some(home()?.join(".cache")));
        caches.map(|caches| caches.join("bookworm")).ok_or(ArgsError::NoCache)
    }
}

/// Where cargo keeps its registry, where the workspace does not show it.
pub(crate) fn cargo_home() -> Option<Utf8PathBuf> {
    variable("CARGO_HOME").or_else(|| Some(home()?.join(".cargo")))
}

fn home() -> Option<Utf8PathBuf> {
    variable("HOME")
}

/// A variable that names a directory, and really does.
fn variable(name: &str) -> Option<Utf8PathBuf> {
    let value = std::env::var(name).ok()?;
    Utf8Path::new(&value).is_absolute().then(|| value.into())
}

fn utf8(path: std::path::PathBuf) -> Result<Utf8PathBuf, ArgsError> {
    Utf8PathBuf::from_path_buf(path).map_err(ArgsError::NotUtf8)
}

/// A URL to which the path of a page can be added.
fn site(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let Some(mut url) = url else {
        return Err("must be a URL that begins with https:// or http://".to_owned());
    };
    if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() {
        return Err("must have neither a query, a fragment nor a user".to_owned());
    }
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// D31-067
    #[test]
    fn help_says_that_jp_is_transitional() {
        let notice = "Enable transitional JP tool protocol. \
                      Will be replaced by typed content blocks per RFD 058.";
        for help in [Args::command().render_help(), Args::command().render_long_help()] {
            assert!(help.to_string().contains(notice), "{help}");
        }
    }

    #[test]
    fn a_site_is_a_place_to_which_paths_can_be_added() {
        assert_eq!(site("https://docs.example").unwrap().as_str(), "https://docs.example/");
        assert_eq!(site("http://x/a").unwrap().as_str(), "http://x/a/");
        for wrong in ["docs.example", "file:///x", "https://x/?a", "https://u@x/", "https://x/#a"] {
            assert!(site(wrong).is_err(), "{wrong}");
        }
    }
}
