//! Files that the user wants, fetched over TLS from the first hop to the last.
//!
//! What comes here may be executed later. No tool chooses it and no rules speak about it, so there is one
//! rule: every hop is `https`. Whoever answers has proven to be the host that was named, and nobody in
//! between can lead the request elsewhere or change what comes.
//!
//! The body goes to the caller piece by piece and is never held as a whole. It has a largest size, the time
//! between two pieces has a limit, and so has everything together: a server that goes on for ever, or that
//! says nothing any more, ends the download and not the patience of a person.

use std::{io, time::Duration};

use hyper::{
    StatusCode,
    header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderValue, LOCATION},
};
use jp_tool::access::NetTarget;
use tokio::time;

use crate::{
    FetchError, Fetcher,
    exchange::story,
    redirect,
    request::{self, Hop, Method},
};

/// Bounds on one download. How long connecting may take, and how many redirects are followed, is a
/// setting of the [`Fetcher`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadLimits {
    /// Bytes of the file.
    pub bytes: u64,
    /// Time until the answer begins, and between two pieces of it.
    pub idle: Duration,
    /// Time for everything.
    pub total: Duration,
}

/// Why there is no file.
#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    /// The URL is not `https`, or a server leads to one that is not.
    #[error("{}{url} is not an https URL, and nobody could say who answers there", redirected(from.as_deref()))]
    Plain {
        /// The URL, without its query.
        url: String,
        /// The hop that leads there.
        from: Option<String>,
    },
    /// The server has no such file, or does not give it away.
    #[error("{host}: it answers with status {status}")]
    Status {
        /// Who was asked.
        host: String,
        /// What it said.
        status: u16,
    },
    /// Nothing came for too long.
    #[error("{host}: nothing came for {} s", within.as_secs_f32())]
    Silent {
        /// Who was asked.
        host: String,
        /// The time that it had.
        within: Duration,
    },
    /// There is no connection, no answer, or too much of it.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The caller could not keep a piece.
    #[error("cannot keep what was downloaded: {0}")]
    Keep(#[source] io::Error),
}

/// Takes one piece after the other. The second value is the size of the whole, if the server says it.
pub type Keep<'a> = dyn FnMut(&[u8], Option<u64>) -> io::Result<()> + Send + 'a;

impl Fetcher {
    /// Gets a file. `keep` is given every piece of it in order, and nothing of an answer that is an error.
    pub async fn download(
        &self,
        url: &str,
        limits: &DownloadLimits,
        keep: &mut Keep<'_>,
    ) -> Result<(), DownloadError> {
        let target = request::target(url).map_err(FetchError::from)?;
        let host = target.host();
        let going = self.hops(target, limits, keep);
        time::timeout(limits.total, going)
            .await
            .unwrap_or_else(|_| Err(FetchError::Timeout { host, within: limits.total }.into()))
    }

    async fn hops(
        &self,
        target: NetTarget,
        limits: &DownloadLimits,
        keep: &mut Keep<'_>,
    ) -> Result<(), DownloadError> {
        let mut hop = Hop { target, method: Method::Get };
        let mut from = None;
        for _ in 0..=self.limits.redirects {
            if hop.target.scheme() != "https" {
                return Err(DownloadError::Plain { url: hop.target.to_string(), from });
            }
            let answer = self.ask(&hop, limits).await?;
            match redirect::next(&hop, answer.status(), answer.headers().get(LOCATION)) {
                None => return receive(answer, &hop, limits, keep).await,
                Some(Ok(next)) => {
                    from = Some(hop.target.to_string());
                    hop = next;
                }
                Some(Err(reason)) => return Err(failed(&hop, reason)),
            }
        }
        let reason = format!("there were more than {} redirects", self.limits.redirects);
        Err(failed(&hop, reason))
    }

    async fn ask(
        &self,
        hop: &Hop,
        limits: &DownloadLimits,
    ) -> Result<reqwest::Response, DownloadError> {
        let client = self.clients.anywhere(&hop.target).await?;
        let sending = client
            .get(hop.target.url().clone())
            // A checksum is about the file, not about some packing of it.
            .header(ACCEPT_ENCODING, HeaderValue::from_static("identity"))
            .send();
        within(hop, limits.idle + self.limits.connect, sending).await
    }
}

async fn receive(
    mut answer: reqwest::Response,
    hop: &Hop,
    limits: &DownloadLimits,
    keep: &mut Keep<'_>,
) -> Result<(), DownloadError> {
    let host = || hop.target.host();
    if answer.status() != StatusCode::OK {
        return Err(DownloadError::Status { host: host(), status: answer.status().as_u16() });
    }
    if answer.headers().get(CONTENT_ENCODING).is_some_and(|it| it != "identity") {
        return Err(failed(hop, "it answers with a compressed body, which nobody asked for"));
    }
    let limit = usize::try_from(limits.bytes).unwrap_or(usize::MAX);
    let too_large = || DownloadError::from(FetchError::TooLarge { host: host(), limit });
    let total = answer.content_length();
    if total.is_some_and(|total| total > limits.bytes) {
        return Err(too_large());
    }
    let mut left = limits.bytes;
    while let Some(piece) = within(hop, limits.idle, answer.chunk()).await? {
        left = left.checked_sub(piece.len() as u64).ok_or_else(too_large)?;
        keep(&piece, total).map_err(DownloadError::Keep)?;
    }
    Ok(())
}

async fn within<T>(
    hop: &Hop,
    limit: Duration,
    work: impl Future<Output = reqwest::Result<T>>,
) -> Result<T, DownloadError> {
    match time::timeout(limit, work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(failed(hop, story(&error.without_url()))),
        Err(_) => Err(DownloadError::Silent { host: hop.target.host(), within: limit }),
    }
}

fn failed(hop: &Hop, reason: impl Into<String>) -> DownloadError {
    FetchError::failed(hop.target.host(), reason).into()
}

fn redirected(from: Option<&str>) -> String {
    from.map(|from| format!("{from} leads elsewhere: ")).unwrap_or_default()
}
