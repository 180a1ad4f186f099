//! What every connection of a proxy shares.

use std::sync::Arc;

use jp_route::{Resolve, Upstream};
use tokio::net::TcpStream;

use crate::{ProxyLimits, Rules, dial::Dialer, record::Record, watched::Watched};

/// The parts of a running proxy.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) rules: Arc<Rules>,
    pub(crate) limits: ProxyLimits,
    pub(crate) upstream: Upstream,
    pub(crate) dialer: Dialer,
    pub(crate) record: Arc<Record>,
}

impl Shared {
    pub(crate) fn new(
        rules: Arc<Rules>,
        limits: ProxyLimits,
        upstream: Upstream,
        resolver: Arc<dyn Resolve>,
    ) -> Self {
        let dialer = Dialer::new(rules.clone(), resolver, limits.connect);
        Self { rules, limits, upstream, dialer, record: Arc::default() }
    }

    /// A connection to the network, counted and under watch.
    pub(crate) fn far(&self, stream: TcpStream) -> Watched<TcpStream> {
        Watched::far(stream, self.record.clone())
    }
}
