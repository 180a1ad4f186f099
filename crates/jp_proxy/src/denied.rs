//! What was refused, and why, in words for the person who can change the rules.
//!
//! The text ends up in what the confined program prints, in logs and in what a model reads. So it
//! repeats no query, no user name and no password, it is cut at a length, and what it repeats went
//! through a parser first, which leaves no control characters.

use std::{fmt, net::IpAddr};

use jp_tool::access::{NetAccessError, NetRule, NetTarget};

/// How much of a URL is repeated.
const SHOWN: usize = 200;

/// One refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    /// What was asked for: a URL without its query, or `scheme://host:port` for a tunnel.
    pub target: String,
    /// Why that is refused.
    pub reason: Reason,
    /// The rule that would allow it if it stood after the others. `None` if no single rule would.
    pub rule: Option<Box<NetRule>>,
    /// What refusals are counted by: many paths of one host are one matter.
    pub(crate) origin: String,
}

/// Why something is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// No rule speaks about it.
    NoRule,
    /// A rule denies it; the rule as it shows itself.
    Rule(String),
    /// The rules for the host differ by path, and a tunnel hides the paths.
    HiddenPaths,
    /// A rule for the host speaks about paths, and this path can be read in several ways.
    SeveralReadings,
    /// The name leads to an address that has no rule.
    Address(IpAddr),
    /// Only `https` is allowed there, and what was sent is not TLS.
    NotTls,
    /// Only `http` is allowed there, and what was sent is TLS.
    Tls,
    /// The URL carries a user name or a password.
    UserName,
    /// It is no usable URL; what is wrong with it.
    Unusable(String),
}

impl Denied {
    pub(crate) fn new(target: &NetTarget, reason: Reason, rule: Option<NetRule>) -> Self {
        let origin = target.url().origin().ascii_serialization();
        Self { target: shorten(&target.to_string()), reason, rule: rule.map(Box::new), origin }
    }

    /// The refusal of a text that is no URL, or none that can be asked for.
    pub(crate) fn unusable(error: NetAccessError) -> Self {
        let (target, reason) = match error {
            NetAccessError::Invalid { url, reason } => (url, Reason::Unusable(reason)),
            NetAccessError::Userinfo { scheme, host, .. } => {
                (format!("{scheme}://{host}"), Reason::UserName)
            }
            other => (other.host().unwrap_or_default().to_owned(), Reason::NoRule),
        };
        let target = shorten(&target);
        Self { origin: target.clone(), target, reason, rule: None }
    }

    /// The refusal with the lines to add to the configuration; `table` is the list of rules, like
    /// `conversation.tools.fetch.access.net`.
    pub fn explain(&self, table: &str) -> String {
        match &self.rule {
            None => format!("{self}\n"),
            Some(rule) => {
                format!("{self}\n\nTo allow it, add a rule:\n\n{}", as_toml(rule, table))
            }
        }
    }
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "access denied: {}: {}", self.target, self.reason)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRule => f.write_str("no rule allows it"),
            Self::Rule(rule) => write!(f, "the rule for {rule} denies it"),
            Self::HiddenPaths => f.write_str(
                "rules for this host depend on the path, which an encrypted connection hides",
            ),
            Self::SeveralReadings => f.write_str(
                "a rule for this host depends on the path, and this path has several readings",
            ),
            Self::Address(address) => {
                write!(f, "it leads to {address}, and no rule allows that address")
            }
            Self::NotTls => f.write_str("only https is allowed there, and this is not TLS"),
            Self::Tls => f.write_str("only http is allowed there, and this is TLS"),
            Self::UserName => f.write_str("URLs with a user name or password are refused"),
            Self::Unusable(reason) => write!(f, "not a usable URL: {reason}"),
        }
    }
}

fn as_toml(rule: &NetRule, table: &str) -> String {
    // Hosts are in ASCII form here, where the escapes of both languages are the same. The proxy
    // advises no scheme and no path.
    let port = rule.port.map(|port| format!("port = {port}\n")).unwrap_or_default();
    format!("[[{table}]]\nhost = {:?}\n{port}allow = {}\n", rule.host, rule.allow)
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
