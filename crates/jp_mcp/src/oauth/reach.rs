//! Whom an authorization server may be.
//!
//! The addresses that are asked during a login come from the server, and from whomever it names. Without a
//! limit it could send us to services inside the network of the user that are open to everybody there. So
//! only the open internet is asked, and beside it the network that the server itself is in. What is not
//! encrypted is not asked at all, unless it is on this machine and the server is so, too.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use jp_tool::access::is_public;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;
use tokio::{net::lookup_host, time::timeout};
use url::{Host, Url};

/// So long a name may take to be looked up.
const LOOKUP: Duration = Duration::from_secs(10);

/// Whom we may speak to because of a server.
#[derive(Debug, Clone)]
pub(super) struct Reach {
    /// The host of the server itself.
    host: String,
    /// Whether the server is on this machine, by its name.
    is_here: bool,
    /// Whether it is inside a network that is not public.
    is_inside: bool,
}

/// Why an address is not asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum OutOfReach {
    #[error("{0} is not encrypted; a login needs `https`")]
    NotEncrypted(String),
    #[error("{0} is inside a network, and the server is not")]
    Inside(String),
}

impl Reach {
    /// What this server can lead us to.
    pub(super) async fn of(server: &Url) -> Self {
        let host = server.host_str().unwrap_or_default().to_owned();
        let is_here = is_loopback(server);
        // A server on this machine leads to this machine, and to no network that it is in.
        let is_private = |address: IpAddr| !is_public(address) && !address.is_loopback();
        let is_inside = match server.host() {
            Some(Host::Ipv4(address)) => is_private(address.into()),
            Some(Host::Ipv6(address)) => is_private(address.to_canonical()),
            Some(Host::Domain(name)) => addresses(name).await.is_ok_and(|all| {
                !all.is_empty() && all.iter().all(|it| is_private(it.ip().to_canonical()))
            }),
            None => false,
        };
        Self { host, is_here, is_inside }
    }

    /// Whether an address may be asked, as far as it says itself where it leads.
    pub(super) fn check(&self, url: &Url) -> Result<(), OutOfReach> {
        let place = || url.origin().ascii_serialization();
        let has_secret = !url.username().is_empty() || url.password().is_some();
        let is_encrypted = url.scheme() == "https" && !has_secret;
        let is_here = url.scheme() == "http" && is_loopback(url) && self.is_here && !has_secret;
        if !is_encrypted && !is_here {
            return Err(OutOfReach::NotEncrypted(place()));
        }
        let address = match url.host() {
            Some(Host::Ipv4(address)) => IpAddr::from(address),
            Some(Host::Ipv6(address)) => IpAddr::from(address),
            _ => return Ok(()),
        };
        let host = url.host_str().unwrap_or_default();
        if self.allows(host, address) { Ok(()) } else { Err(OutOfReach::Inside(place())) }
    }

    fn allows(&self, host: &str, address: IpAddr) -> bool {
        // Addresses of clouds that hand out credentials are among these.
        let is_link_local = match address.to_canonical() {
            IpAddr::V4(address) => address.is_link_local(),
            IpAddr::V6(address) => address.is_unicast_link_local(),
        };
        let is_loopback = address.to_canonical().is_loopback();
        let is_near = if is_loopback { self.is_here } else { self.is_inside && !is_link_local };
        host.eq_ignore_ascii_case(&self.host) || is_near || is_public(address)
    }
}

/// Looks names up, and leaves out where they must not lead: what is judged is what is dialed.
impl Resolve for Reach {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = Arc::new(self.clone());
        Box::pin(async move {
            let mut found = addresses(name.as_str()).await?;
            found.retain(|address| reach.allows(name.as_str(), address.ip()));
            if found.is_empty() {
                return Err(OutOfReach::Inside(name.as_str().to_owned()).into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Whether an address names this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

async fn addresses(name: &str) -> std::io::Result<Vec<SocketAddr>> {
    let found = timeout(LOOKUP, lookup_host((name, 0))).await;
    Ok(found.map_err(|_| std::io::ErrorKind::TimedOut)??.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    #[tokio::test]
    async fn who_may_be_asked() {
        for (server, asked, allowed) in [
            ("https://93.184.216.34/mcp", "https://auth.example.org/token", true),
            ("https://93.184.216.34/mcp", "http://auth.example.org/token", false),
            ("https://93.184.216.34/mcp", "https://me:pw@auth.example.org/token", false),
            ("https://93.184.216.34/mcp", "file:///etc/passwd", false),
            ("https://93.184.216.34/mcp", "https://127.0.0.1/token", false),
            ("https://93.184.216.34/mcp", "https://[::ffff:127.0.0.1]/token", false),
            ("https://93.184.216.34/mcp", "https://10.0.0.1/token", false),
            ("https://93.184.216.34/mcp", "https://169.254.169.254/token", false),
            ("https://93.184.216.34/mcp", "http://localhost/token", false),
            ("https://10.0.0.9/mcp", "https://10.0.0.1/token", true),
            ("https://10.0.0.9/mcp", "https://127.0.0.1/token", false),
            ("https://10.0.0.9/mcp", "https://169.254.169.254/token", false),
            ("http://127.0.0.1:1/mcp", "http://localhost:2/token", true),
            ("http://localhost:1/mcp", "http://[::1]:2/token", true),
            ("http://127.0.0.1:1/mcp", "http://10.0.0.1/token", false),
            ("http://127.0.0.1:1/mcp", "https://10.0.0.1/token", false),
            ("http://localhost:1/mcp", "https://10.0.0.1/token", false),
            ("http://127.0.0.1:1/mcp", "http://localhost.evil.org/token", false),
        ] {
            let reach = Reach::of(&url(server)).await;
            assert_eq!(reach.check(&url(asked)).is_ok(), allowed, "{server} {asked}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_inside_is_not_dialed() {
        let reach = Reach::of(&url("https://93.184.216.34/mcp")).await;
        assert!(reach.resolve("localhost".parse().unwrap()).await.is_err());
        let here = Reach::of(&url("http://127.0.0.1:1/mcp")).await;
        assert!(here.resolve("localhost".parse().unwrap()).await.is_ok());
    }
}
