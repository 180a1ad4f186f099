//! Clients that can only dial what was judged.
//!
//! The danger is the time between the check and the connection. A client that is given a name looks
//! it up again, and gets another answer from somebody who wants it to; a connection that was opened
//! under the rules of one tool is used again under those of another. So a client here is made for one
//! place: it knows the addresses that were judged and finds no others, and it is used again, with the
//! connections that it keeps open for a moment, only if the same addresses were just judged again.

use std::{
    net::{IpAddr, SocketAddr},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use jp_route::{Via, lookup};
use jp_tool::access::{AccessPolicy, NetTarget};
use reqwest::{
    Client, Proxy,
    dns::{Name, Resolve, Resolving},
    redirect, retry,
};
use tokio::time;

use crate::{
    FetchError, FetchSettings,
    judge::{self, Refusal},
    tls::{self, Tls},
};

/// How many clients are kept.
const KEPT: usize = 16;

/// How long a connection is kept after an answer. Servers close theirs after five seconds or more, and
/// a request that is sent at that moment would be lost.
const IDLE: Duration = Duration::from_secs(3);

/// How many headers an answer can have. Their size is bounded by hyper.
const HEADERS: usize = 256;

/// Makes clients and keeps them.
#[derive(Debug)]
pub(crate) struct Clients {
    settings: FetchSettings,
    tls: Tls,
    kept: Mutex<Vec<(Place, Client)>>,
}

/// What a client can dial.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    host: String,
    /// In order, so that another order of the same is the same.
    addresses: Vec<IpAddr>,
    via: Option<Via>,
    is_tls: bool,
}

/// Why there is no client.
#[derive(Debug)]
pub(crate) enum NoClient {
    Refused(Refusal),
    Failed(FetchError),
}

impl Clients {
    pub(crate) fn new(settings: FetchSettings) -> Self {
        Self { tls: Tls::new(settings.ca_file.clone()), settings, kept: Mutex::default() }
    }

    /// A client for a target that the rules allow by its name, if they allow where it leads as well.
    pub(crate) async fn to(
        &self,
        target: &NetTarget,
        policy: &AccessPolicy,
    ) -> Result<Client, NoClient> {
        let mut place = self.place(target).await.map_err(NoClient::Failed)?;
        // The user chose a proxy, and no rule speaks about it.
        if place.via.is_none() {
            let allowed = judge::by_address(policy, target, &place.addresses);
            place.addresses = allowed.map_err(NoClient::Refused)?;
        }
        self.at(place, target).await.map_err(NoClient::Failed)
    }

    /// A client for a target that jp itself wants to reach, wherever its name leads.
    pub(crate) async fn anywhere(&self, target: &NetTarget) -> Result<Client, FetchError> {
        let place = self.place(target).await?;
        self.at(place, target).await
    }

    async fn at(&self, place: Place, target: &NetTarget) -> Result<Client, FetchError> {
        if let Some(client) = self.kept(&place) {
            return Ok(client);
        }
        let failed = |reason| FetchError::failed(target.host(), reason);
        let client = self.make(&place).await.map_err(failed)?;
        self.keep(place, &client);
        Ok(client)
    }

    async fn place(&self, target: &NetTarget) -> Result<Place, FetchError> {
        let via = self.settings.upstream.via(target);
        let host = via.map_or_else(|| target.host(), |via| via.host.clone());
        let addresses = self.lookup(&host).await?;
        Ok(Place::new(host, addresses, via.cloned(), target.scheme() == "https"))
    }

    async fn lookup(&self, host: &str) -> Result<Vec<IpAddr>, FetchError> {
        let within = self.settings.limits.connect;
        match time::timeout(within, lookup(&*self.settings.resolver, host)).await {
            Ok(Ok(found)) => Ok(found),
            Ok(Err(error)) => {
                let reason = format!("cannot find its address: {error}");
                Err(FetchError::failed(host.to_owned(), reason))
            }
            Err(_) => Err(FetchError::Timeout { host: host.to_owned(), within }),
        }
    }

    async fn make(&self, place: &Place) -> Result<Client, String> {
        let tls = if place.is_tls { self.tls.trusting().await? } else { tls::distrusting()? };
        // Much of this is off already, unless another crate of the program turns it on.
        let mut builder = Client::builder()
            .tls_backend_preconfigured(tls)
            .dns_resolver(Pinned::at(place))
            .no_proxy()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .http1_only()
            .http1_max_headers(HEADERS)
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .connect_timeout(self.settings.limits.connect)
            .pool_idle_timeout(IDLE)
            .user_agent(&self.settings.user_agent);
        if let Some(via) = &place.via {
            let unusable = |error: reqwest::Error| error.without_url().to_string();
            let mut proxy =
                Proxy::all(format!("http://{}:{}", via.host, via.port)).map_err(unusable)?;
            if let Some(authorization) = &via.authorization {
                proxy = proxy.custom_http_auth(authorization.clone());
            }
            builder = builder.proxy(proxy);
        }
        builder.build().map_err(|error| error.without_url().to_string())
    }

    fn kept(&self, place: &Place) -> Option<Client> {
        // Nothing is done under the lock that could be left half done by a panic.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let index = kept.iter().position(|(known, _)| known == place)?;
        let found = kept.remove(index);
        let client = found.1.clone();
        kept.push(found);
        Some(client)
    }

    fn keep(&self, place: Place, client: &Client) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((place, client.clone()));
    }
}

impl Place {
    fn new(host: String, mut addresses: Vec<IpAddr>, via: Option<Via>, is_tls: bool) -> Self {
        addresses.sort_unstable();
        addresses.dedup();
        Self { host, addresses, via, is_tls }
    }
}

/// Finds one host at the addresses that were judged, and no other.
struct Pinned {
    host: String,
    addresses: Vec<SocketAddr>,
}

impl Pinned {
    fn at(place: &Place) -> Self {
        // The port is that of the URL; 0 means that it is not said here.
        let addresses = place.addresses.iter().map(|address| SocketAddr::new(*address, 0));
        Self { host: place.host.clone(), addresses: addresses.collect() }
    }
}

impl Resolve for Pinned {
    fn resolve(&self, name: Name) -> Resolving {
        let found = if name.as_str() == self.host {
            Ok(Box::new(self.addresses.clone().into_iter()) as reqwest::dns::Addrs)
        } else {
            Err("only the host that was judged can be dialed".into())
        };
        Box::pin(std::future::ready(found))
    }
}
