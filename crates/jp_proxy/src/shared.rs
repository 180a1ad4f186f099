//! What every connection of a proxy shares.

use std::{fmt, sync::Arc};

use tokio::net::TcpStream;

use crate::{
    Denied, ProxyLimits, Resolve, Rules, Upstream, answer::Refusal, dial::Dialer, record::Record,
    watched::Watched,
};

/// The parts of a running proxy.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) rules: Arc<Rules>,
    pub(crate) limits: ProxyLimits,
    pub(crate) upstream: Upstream,
    pub(crate) dialer: Dialer,
    pub(crate) record: Arc<Record>,
    observer: Observer,
}

/// Who is told about a refusal when it comes.
pub(crate) struct Observer(pub(crate) Box<dyn Fn(&Denied) + Send + Sync>);

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

impl Shared {
    pub(crate) fn new(
        rules: Arc<Rules>,
        limits: ProxyLimits,
        upstream: Upstream,
        resolver: Arc<dyn Resolve>,
        observer: Observer,
    ) -> Self {
        let dialer = Dialer::new(rules.clone(), resolver, limits.connect);
        Self { rules, limits, upstream, dialer, record: Arc::default(), observer }
    }

    /// Notes why a request is not passed on, if the rules are the reason.
    pub(crate) fn note(&self, refusal: &Refusal) {
        if let Refusal::Denied(denied) = refusal
            && self.record.denied(denied)
        {
            (self.observer.0)(denied);
        }
    }

    /// A connection to the network, counted and under watch.
    pub(crate) fn far(&self, stream: TcpStream) -> Watched<TcpStream> {
        Watched::far(stream, self.record.clone())
    }
}
