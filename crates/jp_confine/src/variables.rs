//! The environment of a confined process.

use std::ffi::{OsStr, OsString};

use camino::Utf8Path;
use jp_sandbox::{PROXY_PORT, confinement::Network, plan::Plan, view::What};
use jp_tool::access::AccessPolicy;

/// Where a private temporary directory is.
pub(crate) const TEMP: &str = "/tmp";

/// Variables that name the proxy; some programs know the one spelling only, some the other.
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
const NO_PROXIES: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// The variables of the host that the plan passes on, `extra` ones, and what the view makes necessary.
pub(crate) fn build(
    host: &[(OsString, OsString)],
    extra: Vec<(OsString, OsString)>,
    plan: &Plan,
    policy: Option<&AccessPolicy>,
) -> Vec<(OsString, OsString)> {
    let is_passed = |name: &OsStr| name.to_str().is_some_and(|name| plan.passes(policy, name));
    let mut variables: Vec<_> = host.iter().filter(|(name, _)| is_passed(name)).cloned().collect();
    let mut set = |name: &str, value: OsString| {
        variables.retain(|(known, _)| known != name);
        variables.push((name.into(), value));
    };
    if let What::Private { .. } = plan.view.at(Utf8Path::new(TEMP)) {
        for name in ["TMPDIR", "TMP", "TEMP"] {
            if host.iter().any(|(known, _)| known == name) && is_passed(OsStr::new(name)) {
                set(name, TEMP.into());
            }
        }
    }
    if plan.network == Network::Proxy {
        let proxy = format!("http://127.0.0.1:{PROXY_PORT}");
        for name in PROXIES {
            set(name, proxy.clone().into());
        }
        for name in NO_PROXIES {
            set(name, direct(policy).into());
        }
    }
    for (name, value) in extra {
        variables.retain(|(known, _)| *known != name);
        variables.push((name, value));
    }
    variables
}

/// Hosts that are not asked of the proxy: the process's own loopback, unless a rule means the host's.
fn direct(policy: Option<&AccessPolicy>) -> &'static str {
    let is_loopback = |host: &str| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host.eq_ignore_ascii_case("localhost")
            || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    };
    let names_it =
        policy.is_some_and(|policy| policy.net.iter().any(|rule| is_loopback(&rule.host)));
    if names_it { "" } else { "localhost,127.0.0.1,::1" }
}
