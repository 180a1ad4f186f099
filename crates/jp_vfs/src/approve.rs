//! Asking a person about what no rule covers.

use std::{fmt, pin::Pin};

use camino::Utf8PathBuf;
use jp_tool::access::{Capability, NetRule};

/// A future that says nothing about who made it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Somebody who can say yes to what no rule covers.
pub trait Approver: fmt::Debug + Send + Sync {
    /// Whether there is anybody. If not, what no rule covers is denied at once.
    fn can_ask(&self) -> bool;

    /// Whether they can be shown all of this. What nobody can see is denied, and nobody is asked about it.
    fn can_show(&self, _: &Wanted) -> bool {
        true
    }

    /// Asks, and waits as long as it takes. Dropping the future takes the question back.
    fn ask<'a>(&'a self, question: &'a Ask) -> BoxFuture<'a, Approval>;
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The tool that wants it.
    pub tool: String,
    /// Where the tool is configured: `conversation.tools.x`.
    pub key: String,
    /// What it wants.
    pub what: Wanted,
}

/// What a tool wants that no rule covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// To do something with a file or directory.
    Fs {
        /// What.
        capability: Capability,
        /// Where, canonical and relative to the root.
        path: Utf8PathBuf,
    },
    /// To use a path that a rule grants, but that may hold secrets.
    Sensitive {
        /// Where, canonical and relative to the root.
        path: Utf8PathBuf,
        /// The pattern that covers it.
        pattern: String,
    },
    /// To talk to a host.
    Net {
        /// Where to, without what could be secret in it.
        url: String,
        /// The rule that would allow it.
        rule: NetRule,
    },
    /// To start a program.
    Command {
        /// Which one.
        program: String,
        /// With what.
        args: Vec<String>,
    },
}

/// What a person said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// No; the same question is not put again in this run.
    No,
    /// Yes, for this one request.
    Once,
    /// Yes, until jp ends.
    Run,
    /// Yes, and the approver has written the rule into the configuration.
    Keep,
}

/// Nobody is there.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Approver for Nobody {
    fn can_ask(&self) -> bool {
        false
    }

    fn ask<'a>(&'a self, _: &'a Ask) -> BoxFuture<'a, Approval> {
        Box::pin(async { Approval::No })
    }
}
