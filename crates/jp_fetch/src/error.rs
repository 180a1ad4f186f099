//! Why there is no answer, sorted by what the host tells the tool.
//!
//! All of this is read by tools and models. So no text holds a query of a URL, a password, or the
//! value of a variable: what comes from outside is scrubbed before it gets into one.

use std::{fmt, net::IpAddr, time::Duration};

use jp_secret::{ScrubError, Scrubber, SubstituteError, TemplateError};
use jp_tool::access::NetAccessError;

/// How many rules are listed in a text.
const LISTED: usize = 20;

/// Why a request was not made or not answered.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// It is no request. Nothing was sent.
    #[error(transparent)]
    Invalid(#[from] InvalidRequest),
    /// The rules, or a person, do not allow it. After a redirect, something was sent before.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// A header needs a variable that it cannot have. Nothing was sent.
    #[error(transparent)]
    Variable(#[from] VariableError),
    /// It took too long.
    #[error("{host}: no complete answer within {} s", within.as_secs_f32())]
    Timeout {
        /// Who was asked.
        host: String,
        /// The time that it had.
        within: Duration,
    },
    /// The body is over the limit.
    #[error("{host}: the answer has more than {limit} bytes")]
    TooLarge {
        /// Who was asked.
        host: String,
        /// The limit.
        limit: usize,
    },
    /// There is no connection, or what came is no answer.
    #[error("{host}: {reason}")]
    Failed {
        /// Who was asked.
        host: String,
        /// What went wrong.
        reason: String,
    },
}

/// What is wrong with a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRequest {
    /// The URL is none, or carries a user name.
    #[error(transparent)]
    Url(#[from] NetAccessError),
    /// The URL is one, but not for HTTP.
    #[error("only http and https URLs can be requested, not {scheme}")]
    Scheme {
        /// Its scheme.
        scheme: String,
    },
    /// The URL is too long, or holds what cannot be sent.
    #[error("the URL cannot be requested: {reason}")]
    Unsendable {
        /// Why.
        reason: String,
    },
    /// The name of a header is none.
    #[error("not the name of a header: {name:?}")]
    HeaderName {
        /// The name, cut at a length.
        name: String,
    },
    /// The header is not for tools.
    #[error("the header {name} cannot be given: {reason}")]
    HeaderRefused {
        /// Its name.
        name: String,
        /// Who cares for it instead.
        reason: &'static str,
    },
    /// The value cannot be sent.
    #[error("the value of the header {name} holds a control character")]
    HeaderValue {
        /// Its name.
        name: String,
    },
    /// The value has something that looks like a variable and is none.
    #[error("the header {name}: {source}")]
    HeaderTemplate {
        /// Its name.
        name: String,
        /// What is wrong.
        source: TemplateError,
    },
    /// There are too many, or they are too long.
    #[error("the headers are too large: at most {most} {unit}")]
    HeadersTooLarge {
        /// The limit.
        most: usize,
        /// What is counted.
        unit: &'static str,
    },
}

/// Why a variable cannot be put into a header. The value is never part of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VariableError {
    /// It is not set, or not for this tool.
    #[error("the header {header}: {source}")]
    Substitute {
        /// The header that needs it.
        header: String,
        /// Which of the two.
        source: SubstituteError,
    },
    /// Its value is nothing that a header can hold.
    #[error("the header {header}: a variable in it holds a control character, or is too long")]
    Unusable {
        /// The header that needs it.
        header: String,
    },
    /// Answers cannot be searched for it.
    #[error(transparent)]
    Unguarded(#[from] ScrubError),
}

/// A refusal by the rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("access denied: net: {url}: {reason}; {}", listed(grants))]
pub struct Denied {
    /// What was asked for, without the query.
    pub url: String,
    /// Why it is refused.
    pub reason: DeniedReason,
    /// What the rules allow.
    pub grants: Vec<String>,
}

/// Why the rules refuse something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeniedReason {
    /// No rule speaks about it.
    NoRule,
    /// A rule denies it.
    Rule,
    /// A rule for the host speaks about paths, and this path can be read in several ways.
    SeveralReadings,
    /// The host leads to an address that has no rule, or that a rule denies.
    Address(IpAddr),
    /// A redirect leads a request that carries secrets from `https` to `http`.
    Downgrade,
}

impl fmt::Display for DeniedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRule => f.write_str("no rule covers it"),
            Self::Rule => f.write_str("a rule denies it"),
            Self::SeveralReadings => f.write_str(
                "a rule for this host depends on the path, and this path has several readings",
            ),
            Self::Address(address) => {
                write!(f, "it leads to {address}, which needs a rule of its own")
            }
            Self::Downgrade => {
                f.write_str("a request with secrets is not redirected from https to http")
            }
        }
    }
}

impl FetchError {
    pub(crate) fn failed(host: String, reason: impl Into<String>) -> Self {
        Self::Failed { host, reason: reason.into() }
    }

    /// Without the values of variables. Where a redirect leads is chosen by somebody who knows them.
    pub(crate) fn scrubbed(self, scrubber: &Scrubber) -> Self {
        match self {
            Self::Denied(denied) => {
                Self::Denied(Denied { url: scrubber.text(denied.url), ..denied })
            }
            Self::Timeout { host, within } => Self::Timeout { host: scrubber.text(host), within },
            Self::TooLarge { host, limit } => Self::TooLarge { host: scrubber.text(host), limit },
            Self::Failed { host, reason } => {
                Self::Failed { host: scrubber.text(host), reason: scrubber.text(reason) }
            }
            // These come before anything was filled in.
            error @ (Self::Invalid(_) | Self::Variable(_)) => error,
        }
    }
}

fn listed(grants: &[String]) -> String {
    match grants {
        [] => "the rules allow nothing".to_owned(),
        few if few.len() <= LISTED => format!("the rules allow {}", few.join(", ")),
        many => {
            let (shown, more) = (many[..LISTED].join(", "), many.len() - LISTED);
            format!("the rules allow {shown} and {more} more")
        }
    }
}
