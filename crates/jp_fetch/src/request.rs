//! A request, checked as far as it can be without rules and variables.
//!
//! It is also what is left of a request on its way: after a redirect that no rule covers it stands at
//! the next hop, with its headers filled and its time running on.

use std::time::Duration;

use hyper::{
    Uri,
    body::Bytes,
    header::{HeaderName, HeaderValue},
};
use jp_secret::{Lookup, Scrubber};
use jp_tool::access::NetTarget;

use crate::{
    InvalidRequest, VariableError,
    header::{Filled, Given},
};

/// The longest URL.
const URL: usize = 32 * 1024;

/// Something to ask a server.
#[derive(Debug)]
pub struct Request {
    pub(crate) hop: Hop,
    given: Given,
    /// The headers with their variables, from the moment when the first hop was allowed.
    filled: Option<Filled>,
    /// Where the redirect came from that led here, without the query.
    pub(crate) from: Option<String>,
    pub(crate) redirects: usize,
    /// The time it took until here.
    pub(crate) spent: Duration,
    /// Knows the values that were filled in. None: there were none, or not yet.
    pub(crate) scrubber: Option<Scrubber>,
}

/// What is asked of one server.
#[derive(Debug, Clone)]
pub(crate) struct Hop {
    pub(crate) target: NetTarget,
    pub(crate) method: Method,
}

/// The methods that a tool can use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Post(Bytes),
}

impl Request {
    /// A request for what is at a URL. `${VAR}` in the value of a header stands for a variable.
    pub fn get<'a>(
        url: &str,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, InvalidRequest> {
        Self::new(url, Method::Get, headers)
    }

    /// A request that sends a body, as it is. `${VAR}` in the value of a header stands for a
    /// variable, in the body it stands for itself.
    pub fn post<'a>(
        url: &str,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
        body: impl Into<Vec<u8>>,
    ) -> Result<Self, InvalidRequest> {
        Self::new(url, Method::Post(body.into().into()), headers)
    }

    fn new<'a>(
        url: &str,
        method: Method,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, InvalidRequest> {
        Ok(Self {
            hop: Hop { target: target(url)?, method },
            given: Given::parse(headers)?,
            filled: None,
            from: None,
            redirects: 0,
            spent: Duration::ZERO,
            scrubber: None,
        })
    }

    /// What is asked for, in the form in which it is judged. After a redirect, what is asked for next.
    pub fn target(&self) -> &NetTarget {
        &self.hop.target
    }

    /// The variables that its headers need, each once.
    pub fn variables(&self) -> Vec<&str> {
        match &self.filled {
            None => self.given.variables(),
            Some(_) => Vec::new(),
        }
    }

    /// Puts the variables into the headers, once.
    pub(crate) fn fill(&mut self, lookup: impl FnMut(&str) -> Lookup) -> Result<(), VariableError> {
        if self.filled.is_none() {
            let (filled, secrets) = self.given.fill(lookup)?;
            if !secrets.is_empty() {
                self.scrubber = Some(Scrubber::new(&secrets)?);
            }
            self.filled = Some(filled);
        }
        Ok(())
    }

    /// The headers to send.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
        self.filled.iter().flat_map(Filled::iter)
    }

    /// Whether a hop must not be taken with the headers at hand: they would leave TLS.
    pub(crate) fn is_downgrade(&self, next: &Hop) -> bool {
        let is_private = self.filled.as_ref().is_some_and(Filled::are_private);
        is_private && self.target().scheme() == "https" && next.target.scheme() == "http"
    }

    /// Goes on to another hop with the headers that may go there.
    pub(crate) fn turn(&mut self, next: Hop) {
        if let Some(headers) = &mut self.filled {
            if !self.hop.target.same_origin(&next.target) {
                headers.drop_private();
            }
            if next.method == Method::Get {
                headers.drop_body();
            }
        }
        self.from = Some(self.hop.target.to_string());
        self.redirects += 1;
        self.hop = next;
    }

    /// A text without the values that were filled in.
    pub(crate) fn clean(&self, text: String) -> String {
        match &self.scrubber {
            Some(scrubber) => scrubber.text(text),
            None => text,
        }
    }
}

/// A URL that can be judged and sent.
pub(crate) fn target(url: &str) -> Result<NetTarget, InvalidRequest> {
    let unsendable = |reason: String| InvalidRequest::Unsendable { reason };
    if url.len() > URL {
        return Err(unsendable(format!("it has more than {URL} bytes")));
    }
    let target = NetTarget::parse(url)?;
    if !matches!(target.scheme(), "http" | "https") {
        return Err(InvalidRequest::Scheme { scheme: target.scheme().to_owned() });
    }
    target.url().as_str().parse::<Uri>().map_err(|error| unsendable(error.to_string()))?;
    Ok(target)
}
