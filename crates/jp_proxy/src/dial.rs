//! Connecting to what was granted, at an address that is granted too.
//!
//! The danger is a name whose owner points it at `127.0.0.1` or at the metadata service of a cloud.
//! So a name is looked up once, every address is judged, and the connection is made to one of the
//! addresses that passed, never to the name: between two lookups the answer could change.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use jp_route::{Resolve, lookup};
use tokio::{net::TcpStream, sync::Semaphore, task::JoinSet, time};

use crate::{Denied, Rules, rules::Granted};

/// How long an address may take before the next one is tried at its side. A network with a broken
/// IPv6 route would otherwise use up all the time.
const HEAD_START: Duration = Duration::from_millis(250);

/// How many addresses are tried at one time, for all connections together. Each needs a descriptor,
/// and those belong to the whole process: without a bound a name with many dead addresses, asked for
/// often enough, would leave none for anybody else.
const ATTEMPTS: usize = 64;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DialError {
    #[error("{0}")]
    Denied(Denied),
    #[error("cannot find the address of {host}: {cause}")]
    Unknown { host: String, cause: io::Error },
    #[error("cannot connect to {host}: {cause}")]
    Unreachable { host: String, cause: io::Error },
    #[error("no connection to {host} within {} s", within.as_secs_f32())]
    TimedOut { host: String, within: Duration },
}

/// Makes connections.
#[derive(Debug)]
pub(crate) struct Dialer {
    rules: Arc<Rules>,
    resolver: Arc<dyn Resolve>,
    within: Duration,
    attempts: Arc<Semaphore>,
}

impl Dialer {
    pub(crate) fn new(rules: Arc<Rules>, resolver: Arc<dyn Resolve>, within: Duration) -> Self {
        Self { rules, resolver, within, attempts: Arc::new(Semaphore::new(ATTEMPTS)) }
    }

    /// Connects to what was granted; what is left of the grant at the address that answered.
    pub(crate) async fn granted(
        &self,
        granted: &Granted,
    ) -> Result<(TcpStream, Granted), DialError> {
        let host = granted.target().host();
        self.in_time(&host, async {
            let found = self.lookup(&host).await?;
            let allowed = self.allowed(granted, &found).map_err(DialError::Denied)?;
            self.connect(&host, allowed, granted.port()).await
        })
        .await
    }

    /// Connects to a host that the user chose and no rule speaks about: the next proxy.
    pub(crate) async fn unjudged(&self, host: &str, port: u16) -> Result<TcpStream, DialError> {
        self.in_time(host, async {
            let found = self.lookup(host).await?;
            let addresses = found.into_iter().map(|address| (address, ())).collect();
            Ok(self.connect(host, addresses, port).await?.0)
        })
        .await
    }

    async fn in_time<T>(
        &self,
        host: &str,
        dialing: impl Future<Output = Result<T, DialError>>,
    ) -> Result<T, DialError> {
        let within = self.within;
        time::timeout(within, dialing)
            .await
            .unwrap_or_else(|_| Err(DialError::TimedOut { host: host.to_owned(), within }))
    }

    async fn lookup(&self, host: &str) -> Result<Vec<IpAddr>, DialError> {
        let unknown = |cause| DialError::Unknown { host: host.to_owned(), cause };
        lookup(&*self.resolver, host).await.map_err(unknown)
    }

    /// The addresses that may be dialed, each with what is left of the grant there. If there is none,
    /// the refusal of the first.
    fn allowed(
        &self,
        granted: &Granted,
        found: &[IpAddr],
    ) -> Result<Vec<(IpAddr, Granted)>, Denied> {
        let mut allowed = Vec::new();
        let mut refusal = None;
        for address in found {
            match self.rules.at(granted, *address) {
                Ok(left) => allowed.push((*address, left)),
                Err(denied) => {
                    refusal.get_or_insert(denied);
                }
            }
        }
        match refusal {
            Some(denied) if allowed.is_empty() => Err(denied),
            _ => Ok(allowed),
        }
    }

    /// Tries addresses in their order, each with a head start; the first to answer wins, with what
    /// belongs to it.
    async fn connect<T: Send + 'static>(
        &self,
        host: &str,
        addresses: Vec<(IpAddr, T)>,
        port: u16,
    ) -> Result<(TcpStream, T), DialError> {
        let mut waiting = addresses.into_iter();
        let mut running = JoinSet::new();
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        loop {
            match waiting.next() {
                Some((address, with)) => {
                    let place = SocketAddr::new(address, port);
                    let attempt = attempt(self.attempts.clone(), place);
                    running.spawn(async move { Ok((attempt.await?, with)) });
                }
                None if running.is_empty() => {
                    return Err(DialError::Unreachable { host: host.to_owned(), cause: last });
                }
                None => {}
            }
            let turn = if waiting.len() > 0 { HEAD_START } else { Duration::MAX };
            match time::timeout(turn, running.join_next()).await {
                Ok(Some(Ok(Ok(connected)))) => return Ok(connected),
                Ok(Some(Ok(Err(error)))) => last = error,
                Ok(Some(Err(error))) => last = io::Error::other(error),
                Ok(None) | Err(_) => {}
            }
        }
    }
}

async fn attempt(attempts: Arc<Semaphore>, place: SocketAddr) -> io::Result<TcpStream> {
    let _turn = attempts.acquire_owned().await.map_err(io::Error::other)?;
    let stream = TcpStream::connect(place).await?;
    // A proxy that waits for more to send makes every question slow.
    stream.set_nodelay(true)?;
    Ok(stream)
}
