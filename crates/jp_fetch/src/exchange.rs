//! One request from its first hop to its answer.
//!
//! Each hop goes the same way: judge the URL, fill the headers if that was not done, find a client
//! that can only dial what was judged, send, and either follow or read. Dropping the future at any
//! point closes the connection.

use std::{error::Error, net::IpAddr, time::Instant};

use hyper::{
    StatusCode,
    header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderValue, LOCATION},
};
use jp_secret::Lookup;
use jp_tool::access::{AccessPolicy, NetRule};
use reqwest::Client;
use tokio::time;

use crate::{
    Denied, DeniedReason, FetchError, Fetcher, Request,
    client::NoClient,
    judge::{self, Refusal},
    redirect,
    request::{Hop, Method},
};

/// What became of a request.
#[derive(Debug)]
pub enum Fetched {
    /// The server answered, with whatever status.
    Answer(Response),
    /// A person has to be asked first.
    Uncovered(Box<Uncovered>),
}

/// An answer, without the values of variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers, in their order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body, of whatever kind.
    pub body: Vec<u8>,
    /// Where it came from, after all redirects.
    pub url: String,
}

/// A request that no rule covers, at its first hop or at a later one.
#[derive(Debug)]
pub struct Uncovered {
    /// What is asked for, without the query and without the values of variables.
    pub url: String,
    /// Where the request was redirected from, if it was.
    pub from: Option<String>,
    /// The address to which the host leads, if the URL is allowed and the address is the question.
    pub address: Option<IpAddr>,
    /// The rule that would allow it if it stood after the others.
    pub rule: NetRule,
    /// What is left to do. Given to [`Fetcher::fetch`] with wider rules, it goes on from here; what
    /// was sent before is not sent again.
    pub rest: Request,
    denied: Denied,
}

impl Uncovered {
    /// The refusal, if nobody can be asked or the answer was no.
    pub fn into_denied(self) -> FetchError {
        FetchError::Denied(self.denied)
    }
}

/// How a request ended that did not fail.
enum End {
    Answer(Response),
    Uncovered(Denied, NetRule),
}

/// How a hop ended that did not fail.
enum Turn {
    Ended(End),
    Redirected(Hop),
}

impl Fetcher {
    /// Makes a request under the rules for the network in a policy. `variables` says which variables
    /// the tool may use and what their values are.
    pub async fn fetch(
        &self,
        mut request: Request,
        policy: &AccessPolicy,
        variables: &(dyn Fn(&str) -> Lookup + Sync),
    ) -> Result<Fetched, FetchError> {
        let began = Instant::now();
        let within = self.limits.total.saturating_sub(request.spent);
        let going = self.follow(&mut request, policy, variables);
        let ended = time::timeout(within, going).await;
        request.spent += began.elapsed();
        let ended = ended.unwrap_or_else(|_| {
            let host = request.target().host();
            Err(FetchError::Timeout { host, within: self.limits.total })
        });
        match ended {
            Ok(End::Answer(response)) => Ok(Fetched::Answer(scrubbed(response, &request))),
            Ok(End::Uncovered(denied, rule)) => {
                Ok(Fetched::Uncovered(Box::new(uncovered(denied, rule, request))))
            }
            Err(error) => Err(match &request.scrubber {
                Some(scrubber) => error.scrubbed(scrubber),
                None => error,
            }),
        }
    }

    /// Goes from hop to hop.
    async fn follow(
        &self,
        request: &mut Request,
        policy: &AccessPolicy,
        variables: &(dyn Fn(&str) -> Lookup + Sync),
    ) -> Result<End, FetchError> {
        while request.redirects <= self.limits.redirects {
            match self.hop(request, policy, variables).await? {
                Turn::Ended(end) => return Ok(end),
                Turn::Redirected(next) if request.is_downgrade(&next) => {
                    return Err(judge::downgrade(policy, &next.target).into());
                }
                Turn::Redirected(next) => request.turn(next),
            }
        }
        let reason = format!("there were more than {} redirects", self.limits.redirects);
        Err(FetchError::failed(request.target().host(), reason))
    }

    async fn hop(
        &self,
        request: &mut Request,
        policy: &AccessPolicy,
        variables: &(dyn Fn(&str) -> Lookup + Sync),
    ) -> Result<Turn, FetchError> {
        let refused = |refusal| match refusal {
            Refusal::Denied(denied) => Err(FetchError::Denied(denied)),
            Refusal::Uncovered(denied, rule) => Ok(Turn::Ended(End::Uncovered(denied, *rule))),
        };
        if let Err(refusal) = judge::by_name(policy, request.target()) {
            return refused(refusal);
        }
        // All of them before the first byte is sent.
        request.fill(variables)?;
        let client = match self.clients.to(request.target(), policy).await {
            Ok(client) => client,
            Err(NoClient::Refused(refusal)) => return refused(refusal),
            Err(NoClient::Failed(error)) => return Err(error),
        };
        let answer = self.send(&client, request).await?;
        let location = answer.headers().get(LOCATION);
        match redirect::next(&request.hop, answer.status(), location) {
            None => Ok(Turn::Ended(End::Answer(self.read(answer, request).await?))),
            Some(Ok(next)) => Ok(Turn::Redirected(next)),
            Some(Err(reason)) => Err(FetchError::failed(request.target().host(), reason)),
        }
    }

    async fn send(
        &self,
        client: &Client,
        request: &Request,
    ) -> Result<reqwest::Response, FetchError> {
        let url = request.target().url().clone();
        let mut sending = match &request.hop.method {
            Method::Get => client.get(url),
            Method::Post(body) => client.post(url).body(body.clone()),
        };
        // A value cannot be found in what is compressed.
        sending = sending.header(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let mut headers = hyper::HeaderMap::new();
        for (name, value) in request.headers() {
            headers.append(name, value.clone());
        }
        let answer = sending.headers(headers).send().await.map_err(|e| self.failed(request, e))?;
        let reason = match answer.status() {
            // Nobody asked for that.
            StatusCode::SWITCHING_PROTOCOLS => "it switched to another protocol",
            // A tool has no password for the proxy of this machine and should not look for one.
            StatusCode::PROXY_AUTHENTICATION_REQUIRED => "a proxy on the way wants a password",
            _ => return Ok(answer),
        };
        Err(FetchError::failed(request.target().host(), reason))
    }

    async fn read(
        &self,
        mut answer: reqwest::Response,
        request: &Request,
    ) -> Result<Response, FetchError> {
        let host = || request.target().host();
        let limit = self.limits.body;
        let too_large = || FetchError::TooLarge { host: host(), limit };
        let coding = answer.headers().get(CONTENT_ENCODING).filter(|it| *it != "identity");
        if coding.is_some() && request.scrubber.is_some() {
            let reason = "it answered with a compressed body, in which secrets cannot be found";
            return Err(FetchError::failed(host(), reason));
        }
        if answer.content_length().is_some_and(|length| length > limit as u64) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|e| self.failed(request, e))? {
            if chunk.len() > limit - body.len() {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        let named = |(name, value): (&hyper::header::HeaderName, &HeaderValue)| {
            (name.to_string(), value.as_bytes().to_vec())
        };
        Ok(Response {
            status: answer.status().as_u16(),
            headers: answer.headers().iter().map(named).collect(),
            body,
            url: request.target().url().to_string(),
        })
    }

    fn failed(&self, request: &Request, error: reqwest::Error) -> FetchError {
        let host = request.target().host();
        if error.is_timeout() {
            return FetchError::Timeout { host, within: self.limits.connect };
        }
        FetchError::failed(host, story(&error.without_url()))
    }
}

fn scrubbed(response: Response, request: &Request) -> Response {
    let Some(scrubber) = &request.scrubber else { return response };
    let line = |(name, value)| (scrubber.text(name), scrubber.bytes(value));
    Response {
        status: response.status,
        headers: response.headers.into_iter().map(line).collect(),
        body: scrubber.bytes(response.body),
        url: scrubber.text(response.url),
    }
}

fn uncovered(mut denied: Denied, rule: NetRule, request: Request) -> Uncovered {
    denied.url = request.clean(denied.url);
    let address = match denied.reason {
        DeniedReason::Address(address) => Some(address),
        _ => None,
    };
    let from = request.from.clone().map(|from| request.clean(from));
    Uncovered { url: denied.url.clone(), from, address, rule, rest: request, denied }
}

/// An error with its causes, each said once.
pub(crate) fn story(error: &reqwest::Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !told.contains(&text) {
            told = format!("{told}: {text}");
        }
        cause = error.source();
    }
    told
}
