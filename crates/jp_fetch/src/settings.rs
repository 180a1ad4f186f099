//! How requests are made, whoever asks for them.

use std::{path::PathBuf, sync::Arc, time::Duration};

use jp_route::{Resolve, SystemResolver, Upstream};

/// What does not depend on the tool.
#[derive(Debug, Clone)]
pub struct FetchSettings {
    /// The proxies that this machine has to use. What goes through one is judged by its URL only:
    /// the address that a name leads to is found over there.
    pub upstream: Upstream,
    /// How addresses are found.
    pub resolver: Arc<dyn Resolve>,
    /// A file of certificates in PEM that are trusted besides those of the system, like the value of
    /// `SSL_CERT_FILE`.
    pub ca_file: Option<PathBuf>,
    /// `User-Agent`, for tools that give none. Some servers refuse requests without one.
    pub user_agent: String,
    /// Bounds on size, number and time.
    pub limits: FetchLimits,
}

impl Default for FetchSettings {
    fn default() -> Self {
        Self {
            upstream: Upstream::default(),
            resolver: Arc::new(SystemResolver),
            ca_file: None,
            user_agent: concat!("jp/", env!("CARGO_PKG_VERSION")).to_owned(),
            limits: FetchLimits::default(),
        }
    }
}

/// Bounds on one request with all its redirects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchLimits {
    /// Time to find the address of a host, to connect, and to agree on TLS.
    pub connect: Duration,
    /// Time for everything. While a person is asked it does not run.
    pub total: Duration,
    /// Bytes of the body of an answer.
    pub body: usize,
    /// Redirects that are followed.
    pub redirects: usize,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            total: Duration::from_secs(30),
            body: 10_000_000,
            redirects: 10,
        }
    }
}
