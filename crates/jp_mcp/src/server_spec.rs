//! What has to be known about a server before it is used.

use std::{fmt, sync::Arc, time::Duration};

use camino::Utf8PathBuf;
use url::Url;

use crate::{authorize::Authorizer, launch::Launch};

/// One configured server.
#[derive(Debug, Clone)]
pub struct ServerSpec {
    /// What it is called in the configuration, for messages.
    pub name: String,
    /// How it is reached.
    pub connect: Connect,
    /// Whether one process serves the whole run. Otherwise every call, and the listing of the tools, has a
    /// process of its own that knows nothing of the others.
    pub stateful: bool,
    /// How long it may take from its start until it can be asked something. A server that does not answer
    /// to the newer handshake is started a second time, with as much time again.
    pub startup: Duration,
    /// How long it may take to answer. Progress begins the time anew, up to ten times; while a person is
    /// asked the time stands still.
    pub patience: Duration,
    /// The directories that it is told to work in. Never more than it is granted; if there are none,
    /// the server is not told that it could ask.
    pub roots: Vec<Utf8PathBuf>,
    /// The era in which it was found to speak last time: where to begin.
    pub era: Option<Era>,
}

/// How a server is reached.
#[derive(Debug, Clone)]
pub enum Connect {
    /// A program that is spoken to over its input and output.
    Program(Arc<dyn Launch>),
    /// A server that is there already.
    Http(Http),
}

/// A server on the network.
#[derive(Clone)]
pub struct Http {
    /// Where it is.
    pub url: Url,
    /// What is sent with every request. Values are secrets: they are not printed.
    pub headers: Vec<(String, String)>,
    /// Who has what it wants to see before it lets us in.
    pub authorizer: Option<Arc<dyn Authorizer>>,
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        // The address may hold a password or a key as well.
        let place = self.url.origin().ascii_serialization();
        let mut shown = f.debug_struct("Http");
        shown.field("at", &place).field("headers", &names).field("authorizer", &self.authorizer);
        shown.finish()
    }
}

/// The two ways of speaking MCP that differ from the first word on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Era {
    /// From 2026-07-28: no handshake that is remembered, every request stands for itself.
    Modern,
    /// Up to 2025-11-25: the connection begins with `initialize`.
    Legacy,
}

impl Era {
    /// The word for it, in messages and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Modern => "modern",
            Self::Legacy => "legacy",
        }
    }

    /// The era with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Modern, Self::Legacy].into_iter().find(|era| era.name() == name)
    }
}
