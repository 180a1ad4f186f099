//! A documentation site, and what of it was read before.
//!
//! Only the site that the command line names is asked, only for pages, and a redirect to another host
//! is not followed. Pages of a version do not change, so they are kept without end.

use std::{io, time::Duration};

use camino::Utf8PathBuf;
use jp_tool::ToolError;
use reqwest::{Client, StatusCode, redirect::Policy};
use semver::Version;
use sha2::{Digest, Sha256};
use thiserror::Error;
use url::Url;

use super::path::DocPath;
use crate::{
    files::{self, MAX_FILE},
    names::is_identifier,
    public::PublicName,
};

const PATIENCE: Duration = Duration::from_secs(30);
const MAX_REDIRECTS: usize = 5;

/// A site with its cache.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    url: Url,
    client: Client,
    cache: Utf8PathBuf,
}

/// A page that could not be read.
#[derive(Debug, Error)]
pub(crate) enum SiteError {
    #[error("cannot make requests")]
    Client(#[source] reqwest::Error),
    #[error("cannot read {0}")]
    Request(Url, #[source] reqwest::Error),
    #[error("{0} answered {1}")]
    Status(Url, StatusCode),
    #[error("{0} is larger than {1} MiB")]
    TooLarge(Url, u64),
    #[error("cannot read or write the cache of {0}")]
    Cache(Url, #[source] io::Error),
    #[error("`{0}` cannot be asked for")]
    Path(String),
}

impl Site {
    /// A site at a URL that ends in `/`, with its pages kept below `cache`.
    pub(crate) fn new(url: Url, cache: &camino::Utf8Path) -> Result<Self, SiteError> {
        // Whoever was first has installed the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .timeout(PATIENCE)
            .user_agent(concat!("bookworm/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::custom(|attempt| {
                let first = attempt.previous().first();
                let stays = first.is_some_and(|first| first.origin() == attempt.url().origin());
                if stays && attempt.previous().len() <= MAX_REDIRECTS {
                    attempt.follow()
                } else {
                    attempt.stop()
                }
            }))
            .build()
            .map_err(SiteError::Client)?;
        let digest = Sha256::digest(url.as_str().as_bytes());
        let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { url, client, cache: cache.join("site").join(name) })
    }

    /// A page; `None` if the site has none.
    pub(crate) async fn page(
        &self,
        name: &PublicName,
        version: &Version,
        path: &DocPath,
    ) -> Result<Option<String>, SiteError> {
        let below = Utf8PathBuf::from(format!("{name}/{version}/{path}"));
        let url = self.url.join(below.as_str()).map_err(|_| SiteError::Path(below.to_string()))?;
        let trouble = |error| SiteError::Cache(url.clone(), error);
        if self.cache.is_dir()
            && let Some(kept) = files::read(&self.cache, &below).map_err(trouble)?
        {
            return Ok(Some(kept));
        }
        let Some(html) = self.request(&url).await? else { return Ok(None) };
        files::replace(&self.cache.join(&below), &html).map_err(trouble)?;
        Ok(Some(html))
    }

    async fn request(&self, url: &Url) -> Result<Option<String>, SiteError> {
        let failed = |error| SiteError::Request(url.clone(), error);
        let mut response = self.client.get(url.clone()).send().await.map_err(failed)?;
        match response.status() {
            StatusCode::NOT_FOUND => return Ok(None),
            StatusCode::OK => {}
            status => return Err(SiteError::Status(url.clone(), status)),
        }
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(failed)? {
            bytes.extend_from_slice(&piece);
            if bytes.len() as u64 > MAX_FILE {
                return Err(SiteError::TooLarge(url.clone(), MAX_FILE >> 20));
            }
        }
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The name under which the site documents a crate: where the address of the version leads. `None`
    /// if that is not below it.
    pub(crate) async fn library(
        &self,
        name: &PublicName,
        version: &Version,
    ) -> Result<Option<String>, SiteError> {
        let below = format!("{name}/{version}/");
        let url = self.url.join(&below).map_err(|_| SiteError::Path(below))?;
        let failed = |error| SiteError::Request(url.clone(), error);
        let response = self.client.get(url.clone()).send().await.map_err(failed)?;
        let led_to = response.url().path().strip_prefix(url.path());
        let library = led_to.and_then(|rest| rest.split('/').next());
        Ok(library.filter(|library| is_identifier(library)).map(ToOwned::to_owned))
    }
}

impl From<SiteError> for ToolError {
    fn from(error: SiteError) -> Self {
        let passing = match &error {
            SiteError::Request(..) => true,
            SiteError::Status(_, status) => status.is_server_error(),
            _ => false,
        };
        let error = Self::from_error(&error);
        if passing { error.transient() } else { error }
    }
}
