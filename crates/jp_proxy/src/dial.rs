//! Connecting to what was granted, at an address that is granted too.
//!
//! The danger is a name whose owner points it at `127.0.0.1` or at the metadata service of a cloud.
//! So a name is looked up once, every address is judged, and the connection is made to one of the
//! addresses that passed, never to the name: between two lookups the answer could change.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use tokio::{net::TcpStream, task::JoinSet, time};

use crate::{Denied, ProxyLimits, Resolve, Rules, rules::Granted};

/// How many addresses of one name are tried.
const TRIED: usize = 8;

/// How long an address may take before the next one is tried at its side. A network with a broken
/// IPv6 route would otherwise use up all the time.
const HEAD_START: Duration = Duration::from_millis(250);

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
    pub(crate) rules: Arc<Rules>,
    pub(crate) resolver: Arc<dyn Resolve>,
    pub(crate) limits: ProxyLimits,
}

impl Dialer {
    /// Connects to what was granted; what is left of the grant at the address that answered.
    pub(crate) async fn granted(
        &self,
        granted: &Granted,
    ) -> Result<(TcpStream, Granted), DialError> {
        let host = granted.target().host();
        self.in_time(&host, async {
            let found = self.lookup(&host).await?;
            let addresses = self.allowed(granted, &host, found)?;
            let (stream, address) = connect(&host, &addresses, granted.port()).await?;
            let granted = self.rules.at(granted, address).map_err(DialError::Denied)?;
            Ok((stream, granted))
        })
        .await
    }

    /// Connects to a host that the user chose and no rule speaks about: the next proxy.
    pub(crate) async fn unjudged(&self, host: &str, port: u16) -> Result<TcpStream, DialError> {
        self.in_time(host, async {
            let addresses = self.lookup(host).await?;
            Ok(connect(host, &addresses, port).await?.0)
        })
        .await
    }

    async fn in_time<T>(
        &self,
        host: &str,
        dialing: impl Future<Output = Result<T, DialError>>,
    ) -> Result<T, DialError> {
        let within = self.limits.connect;
        time::timeout(within, dialing)
            .await
            .unwrap_or_else(|_| Err(DialError::TimedOut { host: host.to_owned(), within }))
    }

    async fn lookup(&self, host: &str) -> Result<Vec<IpAddr>, DialError> {
        if let Some(address) = literal(host) {
            return Ok(vec![address]);
        }
        let unknown = |cause| DialError::Unknown { host: host.to_owned(), cause };
        let mut found = self.resolver.resolve(host).await.map_err(unknown)?;
        if found.is_empty() {
            return Err(unknown(io::Error::new(io::ErrorKind::NotFound, "it has none")));
        }
        found.truncate(TRIED);
        Ok(found)
    }

    /// The addresses that may be dialed. If there is none, the refusal of the first.
    fn allowed(
        &self,
        granted: &Granted,
        host: &str,
        found: Vec<IpAddr>,
    ) -> Result<Vec<IpAddr>, DialError> {
        let mut refusal = None;
        let allowed: Vec<_> = found
            .into_iter()
            .filter(|address| match self.rules.at(granted, *address) {
                Ok(_) => true,
                Err(denied) => {
                    refusal.get_or_insert(denied);
                    false
                }
            })
            .collect();
        match refusal {
            Some(denied) if allowed.is_empty() => Err(DialError::Denied(denied)),
            _ if allowed.is_empty() => Err(DialError::Unknown {
                host: host.to_owned(),
                cause: io::ErrorKind::NotFound.into(),
            }),
            _ => Ok(allowed),
        }
    }
}

/// The address that a host is, with or without brackets.
pub(crate) fn literal(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inside) => inside.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => host.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    }
}

/// Tries addresses in their order, each with a head start; the first to answer wins.
async fn connect(
    host: &str,
    addresses: &[IpAddr],
    port: u16,
) -> Result<(TcpStream, IpAddr), DialError> {
    let mut waiting = addresses.iter().copied();
    let mut attempts = JoinSet::new();
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    loop {
        match waiting.next() {
            Some(address) => {
                attempts.spawn(async move {
                    let stream = TcpStream::connect(SocketAddr::new(address, port)).await?;
                    // A proxy that waits for more to send makes every question slow.
                    stream.set_nodelay(true)?;
                    Ok((stream, address))
                });
            }
            None if attempts.is_empty() => {
                return Err(DialError::Unreachable { host: host.to_owned(), cause: last });
            }
            None => {}
        }
        let turn = if waiting.len() > 0 { HEAD_START } else { Duration::MAX };
        match time::timeout(turn, attempts.join_next()).await {
            Ok(Some(Ok(Ok(connected)))) => return Ok(connected),
            Ok(Some(Ok(Err(error)))) => last = error,
            Ok(Some(Err(error))) => last = io::Error::other(error),
            Ok(None) | Err(_) => {}
        }
    }
}
