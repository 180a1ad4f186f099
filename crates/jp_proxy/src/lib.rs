//! The way to the network for a confined process: an HTTP proxy that asks the access policy about
//! everything that passes.
//!
//! A confined process has a network of its own in which there is nothing but this proxy. The
//! listener is made inside that network and handed over; connections to the world are made from
//! here, outside. So a program that ignores the proxy reaches nothing, and one that uses it reaches
//! what the `access.net` rules allow: plain requests are judged URL by URL, tunnels by host and
//! port, and both again by the address that is really dialed.
//!
//! The proxy does not look into TLS, does not cache, does not follow redirects, and knows no
//! protocol but HTTP/1.1 on the side of the tool; what goes through a tunnel is up to its ends. It
//! reads no environment and prints nothing.
//!
//! It runs on one thread of its own, so that the caller needs no runtime. See [`Proxy`].

mod answer;
mod denied;
mod dial;
mod farewell;
mod forward;
mod judge;
mod limits;
mod record;
mod rules;
mod server;
mod shared;
mod tunnel;
mod watched;

use std::{
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
    thread::{self, JoinHandle},
};

pub use jp_route::{InvalidUpstream, Resolve, Resolving, SystemResolver, Upstream};
use tokio::{runtime, select, sync::oneshot};

use self::shared::Shared;
pub use self::{
    denied::{Denied, Reason},
    limits::ProxyLimits,
    record::{Refused, Report},
    rules::Rules,
};

/// How many lookups of names can run at one time; each needs a thread.
const LOOKUPS: usize = 16;

/// A proxy that is about to be started.
#[derive(Debug)]
pub struct Proxy {
    rules: Arc<Rules>,
    limits: ProxyLimits,
    upstream: Upstream,
    resolver: Arc<dyn Resolve>,
}

/// A running proxy. It ends when this is dropped.
#[derive(Debug)]
pub struct ProxyHandle {
    shared: Arc<Shared>,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Proxy {
    /// A proxy with the usual limits that connects directly.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules: Arc::new(rules),
            limits: ProxyLimits::default(),
            upstream: Upstream::default(),
            resolver: Arc::new(SystemResolver),
        }
    }

    /// With other limits.
    #[must_use]
    pub fn limits(self, limits: ProxyLimits) -> Self {
        Self { limits, ..self }
    }

    /// With the proxies that this machine has to use.
    #[must_use]
    pub fn upstream(self, upstream: Upstream) -> Self {
        Self { upstream, ..self }
    }

    /// With another way to find addresses.
    #[must_use]
    pub fn resolver(self, resolver: Arc<dyn Resolve>) -> Self {
        Self { resolver, ..self }
    }

    /// Serves a TCP listener until the handle is dropped. A descriptor that was handed over from
    /// another network will do.
    pub fn start(self, listener: impl Into<TcpListener>) -> io::Result<ProxyHandle> {
        let listener = listener.into();
        let address = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let runtime = runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(LOOKUPS)
            .build()?;
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener)?
        };
        let shared = Arc::new(Shared::new(self.rules, self.limits, self.upstream, self.resolver));
        let (stop, stopped) = oneshot::channel();
        let serving = server::serve(listener, shared.clone());
        let thread = thread::Builder::new().name("jp-proxy".to_owned()).spawn(move || {
            runtime.block_on(async {
                select! {
                    _ = serving => {}
                    // A handle that is gone says the same.
                    _ = stopped => {}
                }
            });
            // Ends every connection. A lookup that the system does not answer is left behind.
            runtime.shutdown_background();
        })?;
        Ok(ProxyHandle { shared, address, stop: Some(stop), thread: Some(thread) })
    }
}

impl ProxyHandle {
    /// Where the tool finds the proxy, in the network of the listener.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What went through so far.
    pub fn report(&self) -> Report {
        self.shared.record.report()
    }

    /// Ends the proxy with all its connections, and says what went through.
    pub fn stop(mut self) -> Report {
        self.end();
        self.report()
    }

    fn end(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic has ended the proxy as well.
            let _ = thread.join();
        }
    }
}

impl Drop for ProxyHandle {
    fn drop(&mut self) {
        self.end();
    }
}
