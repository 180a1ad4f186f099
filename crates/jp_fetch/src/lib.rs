//! HTTP requests that the host makes for a tool, under the tool's rules.
//!
//! A sealed tool has no network. It names a URL and headers, the host asks for it, and the tool gets
//! the answer. Between the two stands everything that a tool must not be able to choose:
//!
//! - **Where it goes.** Each URL is judged before anything is sent, and again at every redirect, which
//!   only the host follows. The name is then looked up once, every address is judged, and one of those
//!   is dialed: a name whose owner points it at this machine or into its network leads nowhere.
//! - **What it carries.** `${VAR}` in the value of a header is filled in here, and dropped when a
//!   redirect leaves the origin. The values are taken out of whatever comes back.
//! - **How much there is.** Bodies, heads and redirects have a largest size, and everything has a time.
//!
//! What no rule covers is no error: [`Fetched::Uncovered`] hands the request back with the rule that
//! would allow it, a person can be asked, and [`Fetcher::fetch`] goes on from there. Because the
//! request is moved and not copied, nothing is ever sent twice.
//!
//! jp itself fetches files with [`Fetcher::download`]: no tool chooses them, and every hop is `https`.
//!
//! Compressed bodies are not asked for, HTTP/2 and cookies are not spoken. Nothing here reads the
//! environment, except that on Unix the list of trusted certificates is found through
//! `SSL_CERT_FILE` and `SSL_CERT_DIR` by the library that reads it. Making a [`Fetcher`] costs
//! nothing; certificates are read when the first `https` URL is asked for.

mod client;
mod download;
mod error;
mod exchange;
mod header;
mod judge;
mod redirect;
mod request;
mod settings;
mod tls;

pub use self::{
    download::{DownloadError, DownloadLimits, Keep},
    error::{Denied, DeniedReason, FetchError, InvalidRequest, VariableError},
    exchange::{Fetched, Response, Uncovered},
    request::Request,
    settings::{FetchLimits, FetchSettings},
};

use self::client::Clients;

/// Makes requests. One serves all tools, also at the same time.
#[derive(Debug)]
pub struct Fetcher {
    limits: FetchLimits,
    clients: Clients,
}

impl Fetcher {
    /// Prepares to make requests. Nothing is opened or read yet.
    pub fn new(settings: FetchSettings) -> Self {
        Self { limits: settings.limits.clone(), clients: Clients::new(settings) }
    }
}
