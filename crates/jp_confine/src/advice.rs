//! What a program was denied, in words, with what would allow it.

use std::fmt;

use jp_sandbox::{
    event::{Blocked, Wanted},
    plan::{blocked_by, suggest},
};

use crate::Prepared;

/// One thing that was denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// What was wanted: `read /home/me/.gitconfig`.
    pub denied: String,
    /// Why it was not given.
    pub reason: String,
    /// The line of configuration that would give it, if one may be suggested.
    pub allow: Option<String>,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.denied, self.reason)?;
        if let Some(allow) = &self.allow {
            write!(f, "; to allow it: {allow}")?;
        }
        Ok(())
    }
}

/// Everything that was denied, in the order in which it was asked for.
pub(crate) fn collect(
    prepared: &Prepared,
    blocked: &[Blocked],
    proxy: Option<&jp_proxy::Report>,
) -> Vec<Advice> {
    let of_proxy = proxy.into_iter().flat_map(|report| &report.denied).map(|refused| {
        let denied = &refused.denied;
        Advice {
            denied: format!("connect to {}", denied.target),
            reason: denied.reason.to_string(),
            allow: denied.rule.as_ref().map(|rule| net_rule(prepared, &rule.host, rule.port)),
        }
    });
    blocked.iter().map(|one| advice(prepared, one)).chain(of_proxy).collect()
}

/// A path as a person can read it: one with line breaks could say anything.
fn shown(path: &camino::Utf8Path) -> String {
    let escape = |letter: char| {
        let plain = std::iter::once(letter).filter(|letter| !letter.is_control());
        let escaped = letter.escape_default().filter(move |_| letter.is_control());
        plain.chain(escaped)
    };
    path.as_str().chars().flat_map(escape).collect()
}

fn advice(prepared: &Prepared, blocked: &Blocked) -> Advice {
    match blocked {
        Blocked::Path { path, wanted } => {
            let word = match wanted {
                Wanted::Read => "read",
                Wanted::Write => "write",
                Wanted::Execute => "execute",
            };
            let reason = blocked_by(&prepared.plan.view, path, *wanted);
            // What the view shows is kept back by something that no list of paths changes.
            let suggestion =
                reason.and_then(|_| suggest(&prepared.request(), &prepared.presets, path, *wanted));
            Advice {
                denied: format!("{word} {}", shown(path)),
                reason: reason
                    .map_or_else(|| "not started".to_owned(), |reason| reason.to_string()),
                allow: suggestion.map(|suggestion| suggestion.to_string()),
            }
        }
        Blocked::Address(address) => Advice {
            denied: format!("connect to {address}"),
            reason: "there is no network".to_owned(),
            allow: address.parse().ok().map(|address: std::net::SocketAddr| {
                net_rule(prepared, &address.ip().to_string(), Some(address.port()))
            }),
        },
    }
}

/// A rule that allows a host, at a port or at the usual ones, as a line of configuration.
fn net_rule(prepared: &Prepared, host: &str, port: Option<u16>) -> String {
    let port = port.map(|port| format!(", port = {port}")).unwrap_or_default();
    format!("{}: {{ host = {host:?}{port}, allow = true }}", prepared.table("net"))
}
