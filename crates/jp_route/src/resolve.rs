//! From names to addresses.
//!
//! Only names that the rules allow are ever looked up: a question to a name server leaves the
//! machine too, and could carry data in the name.

use std::{
    fmt, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    pin::Pin,
};

/// How many addresses of one name are used.
const MOST: usize = 8;

/// Addresses, sometime.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Finds the addresses of a name. What it finds is still judged before it is dialed.
pub trait Resolve: fmt::Debug + Send + Sync {
    /// The addresses of a domain, best first. The time it takes is limited by the caller.
    fn resolve<'a>(&'a self, domain: &'a str) -> Resolving<'a>;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, domain: &'a str) -> Resolving<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((domain, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// The addresses of a host as it stands in a URL, at most eight. One that has none is an error.
pub async fn lookup(resolver: &dyn Resolve, host: &str) -> io::Result<Vec<IpAddr>> {
    if let Some(address) = literal(host) {
        return Ok(vec![address]);
    }
    let mut found = resolver.resolve(host).await?;
    if found.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "it has none"));
    }
    found.truncate(MOST);
    Ok(found)
}

/// The address that a host is, with or without brackets.
pub fn literal(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inside) => inside.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => host.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    }
}
