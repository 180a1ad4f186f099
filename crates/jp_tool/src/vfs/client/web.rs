//! The web, programs, and the host itself.

use std::borrow::Cow;

use super::files::decode;
use super::{VfsError, VfsHost};
use crate::vfs::{
    Header, HostCapabilities, HostCapabilitiesResult, HttpGet, HttpPost, HttpResult, ProcessRun,
    ProcessRunResult,
};

/// What a server answered, with whatever status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpReply {
    /// The status code.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

impl HttpReply {
    /// The body as text. What is not text in it becomes `�`.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }
}

impl VfsHost {
    /// Fetches a URL. In the value of a header the host replaces `${VAR}`, if the policy lets the
    /// tool use that variable.
    pub fn http_get(
        &self,
        url: impl Into<String>,
        headers: &[(&str, &str)],
    ) -> Result<HttpReply, VfsError> {
        reply(self.call(&HttpGet { url: url.into(), headers: list(headers) })?)
    }

    /// Sends a body to a URL.
    pub fn http_post(
        &self,
        url: impl Into<String>,
        headers: &[(&str, &str)],
        body: impl Into<String>,
    ) -> Result<HttpReply, VfsError> {
        let body = body.into();
        reply(self.call(&HttpPost { url: url.into(), headers: list(headers), body })?)
    }

    /// Runs a program in the root of the project and waits for its end. It has no variables; for
    /// some there is [`ProcessRun`] with `envs`.
    pub fn run(
        &self,
        program: impl Into<String>,
        args: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<ProcessRunResult, VfsError> {
        let args = args.into_iter().map(Into::into).collect();
        self.call(&ProcessRun { program: program.into(), args, envs: Vec::new() })
    }

    /// Which methods the host has, and what its limits are.
    pub fn capabilities(&self) -> Result<HostCapabilitiesResult, VfsError> {
        self.call(&HostCapabilities {})
    }
}

fn list(headers: &[(&str, &str)]) -> Vec<Header> {
    let header = |(name, value): &(&str, &str)| Header {
        name: (*name).to_owned(),
        value: (*value).to_owned(),
    };
    headers.iter().map(header).collect()
}

fn reply(result: HttpResult) -> Result<HttpReply, VfsError> {
    let HttpResult { status, body, encoding } = result;
    Ok(HttpReply { status, body: decode(body, encoding)? })
}
