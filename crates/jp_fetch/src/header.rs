//! The headers of a request: what a tool may give, and what of it goes on to another server.
//!
//! The danger is a header that ends the request early, begins a second one, or speaks to a proxy on
//! the way. What frames a message is therefore written by the client alone.

use hyper::header::{AUTHORIZATION, COOKIE, HeaderName, HeaderValue};
use jp_secret::{Lookup, Secret, Template};

use crate::{InvalidRequest, VariableError};

/// How many headers there can be.
const MOST: usize = 64;

/// How many bytes names and values can have together, before and after variables are filled in.
const SIZE: usize = 64 * 1024;

/// How much of a wrong name is repeated.
const SHOWN: usize = 60;

/// What tools cannot give, and why. A name that ends in `-` stands for all that begin like it.
const REFUSED: &[(&str, &str)] = &[
    ("accept-encoding", "the host asks for bodies as they are"),
    ("connection", "the host manages connections"),
    ("content-length", "the host counts the body"),
    ("expect", "the host manages connections"),
    ("host", "it is taken from the URL"),
    ("http2-settings", "the host manages connections"),
    ("keep-alive", "the host manages connections"),
    ("proxy-", "it is for proxies, which are the host's"),
    ("te", "the host manages connections"),
    ("trailer", "the host counts the body"),
    ("transfer-encoding", "the host counts the body"),
    ("upgrade", "the host manages connections"),
];

/// What describes a body, and goes when the body goes.
const OF_BODY: [&str; 4] =
    ["content-type", "content-encoding", "content-language", "content-location"];

/// Headers as a tool gives them.
#[derive(Debug)]
pub(crate) struct Given(Vec<(HeaderName, Template)>);

/// Headers as they are sent.
#[derive(Debug)]
pub(crate) struct Filled(Vec<Line>);

#[derive(Debug)]
struct Line {
    name: HeaderName,
    value: HeaderValue,
    /// Whether it stays with the server that the tool named.
    is_private: bool,
}

impl Given {
    pub(crate) fn parse<'a>(
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, InvalidRequest> {
        let mut given = Vec::new();
        let mut size = 0;
        for (name, value) in headers {
            size += name.len() + value.len();
            if given.len() == MOST {
                return Err(InvalidRequest::HeadersTooLarge { most: MOST, unit: "headers" });
            }
            if size > SIZE {
                return Err(InvalidRequest::HeadersTooLarge { most: SIZE, unit: "bytes" });
            }
            given.push(one(name, value)?);
        }
        Ok(Self(given))
    }

    pub(crate) fn variables(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.0.iter().flat_map(|(_, value)| value.names()).collect();
        let mut seen = std::collections::BTreeSet::new();
        names.retain(|name| seen.insert(*name));
        names
    }

    /// The headers with their variables, and the values of those.
    pub(crate) fn fill(
        &self,
        mut lookup: impl FnMut(&str) -> Lookup,
    ) -> Result<(Filled, Vec<Secret>), VariableError> {
        let mut lines = Vec::new();
        let mut secrets = Vec::new();
        let mut size = 0;
        for (name, template) in &self.0 {
            let header = || name.to_string();
            let filled = template
                .fill(&mut lookup)
                .map_err(|source| VariableError::Substitute { header: header(), source })?;
            size += name.as_str().len() + filled.reveal().len();
            let value = HeaderValue::from_bytes(filled.reveal()).ok().filter(|_| size <= SIZE);
            let mut value = value.ok_or_else(|| VariableError::Unusable { header: header() })?;
            let is_private = !filled.secrets().is_empty() || [AUTHORIZATION, COOKIE].contains(name);
            value.set_sensitive(is_private);
            secrets.extend_from_slice(filled.secrets());
            lines.push(Line { name: name.clone(), value, is_private });
        }
        Ok((Filled(lines), secrets))
    }
}

impl Filled {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
        self.0.iter().map(|line| (&line.name, &line.value))
    }

    pub(crate) fn are_private(&self) -> bool {
        self.0.iter().any(|line| line.is_private)
    }

    /// Leaves out what is only for the server that the tool named.
    pub(crate) fn drop_private(&mut self) {
        self.0.retain(|line| !line.is_private);
    }

    /// Leaves out what describes a body.
    pub(crate) fn drop_body(&mut self) {
        self.0.retain(|line| !OF_BODY.contains(&line.name.as_str()));
    }
}

fn one(name: &str, value: &str) -> Result<(HeaderName, Template), InvalidRequest> {
    let shown = || name.chars().take(SHOWN).collect::<String>();
    let parsed = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| InvalidRequest::HeaderName { name: shown() })?;
    let is_refused = |refused: &str| {
        let is_family = refused.ends_with('-') && parsed.as_str().starts_with(refused);
        is_family || parsed.as_str() == refused
    };
    if let Some((_, reason)) = REFUSED.iter().find(|(refused, _)| is_refused(refused)) {
        return Err(InvalidRequest::HeaderRefused { name: shown(), reason });
    }
    // The characters of a variable are fine in a header, so this speaks about all the others.
    if HeaderValue::from_bytes(value.as_bytes()).is_err() {
        return Err(InvalidRequest::HeaderValue { name: shown() });
    }
    let template = Template::parse(value)
        .map_err(|source| InvalidRequest::HeaderTemplate { name: shown(), source })?;
    Ok((parsed, template))
}

#[cfg(test)]
mod tests;
