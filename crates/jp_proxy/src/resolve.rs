//! From names to addresses.
//!
//! Only names that the rules allow are ever looked up: a question to a name server leaves the
//! machine too, and could carry data in the name.

use std::{fmt, io, net::IpAddr, pin::Pin};

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
