//! What a program was denied, and what would allow it.
//!
//! The danger is advice that leads nowhere. An address that a program dialed to look up a name is not
//! the host it wanted, so nothing is suggested for it; and what is sensitive is never suggested, only
//! marked, so that whoever shows this can say how a person allows it.

use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use jp_sandbox::{
    confinement::Network,
    event::{Blocked, Wanted},
    plan::{Suggestion, blocked_by, suggest},
};
use jp_tool::access::NetRule;

use crate::{Grant, Prepared};

/// Where names of hosts are looked up: plainly, and over TLS.
const RESOLVERS: [u16; 2] = [53, 853];

/// What the view would let run is kept back by a program's not being allowed to start others.
const NO_PROGRAMS: &str = "it may start no other program";

/// One thing that was denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// What was wanted.
    pub denied: Denied,
    /// Why it was not given.
    pub reason: String,
    /// What would give it, if that may be suggested.
    pub allow: Option<Allow>,
    /// Whether it is granted, or lies in the workspace, and is hidden only because it is sensitive.
    pub sensitive: bool,
}

/// What was wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denied {
    /// To read, change or run a file.
    Path {
        /// Which, absolute.
        path: Utf8PathBuf,
        /// What for.
        wanted: Wanted,
    },
    /// To talk to this URL or address.
    Connect(String),
    /// To find the address of some host; nobody knows of which.
    Lookup,
}

/// What would allow something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allow {
    /// A place, a preset or a rule for files.
    Files(Suggestion),
    /// A rule for the network.
    Net(NetRule),
}

/// In one line, with what would allow it in the words of the configuration.
impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.denied, self.reason)?;
        match &self.allow {
            Some(allow) => write!(f, "; to allow it: {allow}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Allow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files(suggestion) => suggestion.fmt(f),
            Self::Net(rule) => {
                write!(f, "access.net: {{ host = {:?}", rule.host)?;
                if let Some(port) = rule.port {
                    write!(f, ", port = {port}")?;
                }
                f.write_str(", allow = true }")
            }
        }
    }
}

/// `read /home/me/.gitconfig`, in one line whatever the path holds.
impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path { path, .. } => write!(f, "{} {}", self.verb(), shown(path)),
            Self::Connect(target) => write!(f, "connect to {target}"),
            Self::Lookup => f.write_str("look up the name of a host"),
        }
    }
}

impl Denied {
    /// What was to be done, in a word.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Path { wanted: Wanted::Read, .. } => "read",
            Self::Path { wanted: Wanted::Write, .. } => "write",
            Self::Path { wanted: Wanted::Execute, .. } => "execute",
            Self::Connect(_) => "connect",
            Self::Lookup => "look up",
        }
    }
}

impl Prepared {
    /// Why a path will be denied and what would change that; nothing if it will not be.
    pub fn advice_for(&self, path: &Utf8Path, wanted: Wanted) -> Option<Advice> {
        blocked_by(&self.plan.view, path, wanted).map(|_| of_path(self, path, wanted))
    }
}

/// Everything that was denied, in the order in which it was asked for.
pub(crate) fn collect(
    prepared: &Prepared,
    blocked: &[Blocked],
    proxy: Option<&jp_proxy::Report>,
) -> Vec<Advice> {
    let of_proxy = proxy.into_iter().flat_map(|report| &report.denied).map(|refused| Advice {
        denied: Denied::Connect(refused.denied.target.clone()),
        reason: refused.denied.reason.to_string(),
        allow: refused.denied.rule.as_deref().cloned().map(Allow::Net),
        sensitive: false,
    });
    let of_kernel = blocked.iter().map(|one| match one {
        Blocked::Path { path, wanted } => of_path(prepared, path, *wanted),
        Blocked::Address(address) => of_address(prepared.plan.network, address),
    });
    let mut all: Vec<Advice> = Vec::new();
    for advice in of_kernel.chain(of_proxy) {
        if !all.contains(&advice) {
            all.push(advice);
        }
    }
    all
}

fn of_path(prepared: &Prepared, path: &Utf8Path, wanted: Wanted) -> Advice {
    let denied = Denied::Path { path: path.to_owned(), wanted };
    if prepared.is_kept(path) {
        // Nobody is shown how to give away a key that no one has thought of giving.
        let sensitive = match prepared.grant_of(path) {
            Some(Grant::Profile) => path.starts_with(&prepared.root),
            grant => grant.is_some(),
        };
        return Advice { denied, reason: "sensitive".to_owned(), allow: None, sensitive };
    }
    let denial = blocked_by(&prepared.plan.view, path, wanted);
    // What the view shows is kept back by something that no list of paths changes.
    let suggestion =
        denial.and_then(|_| suggest(&prepared.request(), &prepared.presets, path, wanted));
    Advice {
        denied,
        reason: denial.map_or_else(|| NO_PROGRAMS.to_owned(), |denial| denial.to_string()),
        allow: suggestion.map(Allow::Files),
        sensitive: false,
    }
}

fn of_address(network: Network, address: &str) -> Advice {
    let parsed: Option<std::net::SocketAddr> = address.parse().ok();
    let is_lookup = parsed.is_some_and(|address| RESOLVERS.contains(&address.port()));
    let denied = if is_lookup { Denied::Lookup } else { Denied::Connect(address.to_owned()) };
    // Who does not ask the proxy is not helped by a rule.
    let (reason, by_rule) = match network {
        Network::Proxy => ("the only way out is the proxy in HTTP_PROXY and HTTPS_PROXY", false),
        Network::None | Network::Sealed | Network::Shared => ("there is no network", !is_lookup),
    };
    let rule = parsed.filter(|_| by_rule).map(|address| NetRule {
        port: Some(address.port()),
        ..NetRule::new(address.ip().to_string(), true)
    });
    Advice { denied, reason: reason.to_owned(), allow: rule.map(Allow::Net), sensitive: false }
}

/// A path as a person can read it: one with line breaks could say anything.
fn shown(path: &Utf8Path) -> String {
    let escape = |letter: char| {
        let plain = std::iter::once(letter).filter(|letter| !letter.is_control());
        let escaped = letter.escape_default().filter(move |_| letter.is_control());
        plain.chain(escaped)
    };
    path.as_str().chars().flat_map(escape).collect()
}
