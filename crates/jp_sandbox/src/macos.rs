//! The same confinement as text for `sandbox-exec` on macOS.
//!
//! The profile language decides by path, and of several lines that match the last one counts. So
//! places in the order of their depth mean what a view means, for paths that do not exist too. What it
//! does not have is an empty directory that appears somewhere, or writes that are kept apart. The
//! rules of the workspace are therefore written as they are, with any of create, update and delete as
//! `file-write*`, and a rule that tells these apart is looser here; [`rows`] says so.
//!
//! The text is generated and compared in tests. It has not been run on macOS.

use std::fmt::Write as _;

use camino::Utf8Path;
use jp_tool::access::{Capability, FsRule};

use crate::{
    confinement::{Execute, Network},
    plan::{Aspect, Fidelity, Plan, Profile, Request, Row},
    view::{Place, View, What, Write},
};

/// What every process needs.
const BASE: &str = include_str!("macos/base.sbpl");

/// Reading, writing and running in the words of the profile language.
const OPERATIONS: [&str; 3] = ["file-read* file-map-executable", "file-write*", "process-exec"];

const TOLD_APART: &str =
    "macOS is asked for writes as a whole: create, update and delete are not told apart";

/// The profile for a plan. `proxy` is the port on which the host's proxy listens.
pub fn profile(request: &Request<'_>, plan: &Plan, proxy: Option<u16>) -> String {
    let mut text = BASE.to_owned();
    network(&mut text, plan.network, proxy);
    let is_outside = |place: &&Place| !place.path.starts_with(request.root);
    text.push_str("\n; Places outside the workspace.\n");
    for place in plan.view.places().iter().filter(is_outside) {
        outside(&mut text, &plan.view, place);
    }
    grant(&mut text, request.temp, [true, true, true]);
    text.push_str("\n; The workspace, outer rules first.\n");
    for (path, grants) in workspace(request) {
        grant(&mut text, &path, grants);
    }
    text.push_str("\n; The program, and what is hidden whatever grants it.\n");
    if plan.execute == Execute::Itself {
        text.push_str("(deny process-fork process-exec)\n");
    }
    let program = quoted(request.program);
    let _ =
        writeln!(text, "(allow file-read* file-map-executable process-exec (literal {program}))");
    for path in request.program_files {
        let _ = writeln!(text, "(allow file-read* (subpath {}))", quoted(path));
    }
    let is_approved = |path: &Utf8Path| request.approved.iter().any(|yes| path.starts_with(yes));
    for path in request.sensitive.iter().filter(|path| !is_approved(path)) {
        grant(&mut text, path, [false, false, false]);
    }
    text
}

/// The rows of a plan as they are on macOS.
pub fn rows(request: &Request<'_>, plan: &Plan) -> Vec<Row> {
    let rules = request.policy.map_or(&[][..], |policy| &policy.fs);
    let is_mixed = |row: &Row| {
        let rule = rules.iter().rfind(|rule| rule.path().as_str() == row.subject);
        rule.is_some_and(|rule| writes(rule) && !writes_all(rule))
    };
    let is_write = |row: &Row| {
        matches!(
            row.aspect,
            Aspect::Fs(Capability::Create | Capability::Update | Capability::Delete)
        )
    };
    let adapt = |mut row: Row| {
        if is_write(&row) && row.fidelity != Fidelity::MediatedOnly && is_mixed(&row) {
            (row.fidelity, row.reason) = (Fidelity::Looser, TOLD_APART.to_owned());
        }
        row
    };
    plan.rows.iter().cloned().map(adapt).collect()
}

fn network(text: &mut String, network: Network, proxy: Option<u16>) {
    text.push_str("\n; The network.\n");
    match (network, proxy) {
        (Network::Shared, _) => text.push_str(
            "(allow network*)\n(allow system-socket)\n(allow mach-lookup\n  (global-name \
             \"com.apple.SystemConfiguration.configd\")\n  (global-name \
             \"com.apple.trustd.agent\"))\n(deny network-outbound (subpath \"/private/var/run\"))\n\
             (allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n",
        ),
        (Network::Proxy, Some(port)) => {
            let _ = writeln!(text, "(allow network-outbound (remote ip \"localhost:{port}\"))");
        }
        (Network::Proxy | Network::None | Network::Sealed, _) => text.push_str("(deny network*)\n"),
    }
}

/// Every rule as it is written, or what holds without rules. A sealed process has no workspace.
fn workspace(request: &Request<'_>) -> Vec<(camino::Utf8PathBuf, [bool; 3])> {
    if matches!(request.profile, Profile::Sealed { .. }) {
        return Vec::new();
    }
    let rules = request.policy.map_or(&[][..], |policy| &policy.fs);
    if rules.is_empty() {
        let may_write = request.profile != Profile::Strict;
        return vec![(request.root.to_owned(), [true, may_write, may_write])];
    }
    let of_rule = |rule: &FsRule| {
        let path = match rule.path().as_str() {
            "." | "" => request.root.to_owned(),
            below => request.root.join(below),
        };
        (path, [rule.read(), rule.read() && writes(rule), rule.read() && rule.execute()])
    };
    // What no rule covers is denied, also where the system around the workspace can be read.
    let uncovered = (request.root.to_owned(), [false; 3]);
    let mut all: Vec<_> = [uncovered].into_iter().chain(rules.iter().map(of_rule)).collect();
    // A stable order: of two rules for one path the later one stays the later one.
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    all
}

/// What a place adds to the one around it, or takes from it. Where nothing is around, what is not
/// allowed is denied already, and the base text has allowed what everybody needs.
fn outside(text: &mut String, view: &View, place: &Place) {
    let path = quoted(&place.path);
    let around = view.around(place).map_or([false; 3], |around| grants(around.what));
    for (index, operations) in OPERATIONS.iter().enumerate() {
        match (around[index], grants(place.what)[index]) {
            (false, true) => drop(writeln!(text, "(allow {operations} (subpath {path}))")),
            (true, false) => drop(writeln!(text, "(deny {operations} (subpath {path}))")),
            _ => {}
        }
    }
}

fn grants(what: What) -> [bool; 3] {
    match what {
        What::Hidden | What::Private { .. } | What::Blank => [false; 3],
        What::Host { write, execute } => [true, write != Write::No, execute],
    }
}

/// Exactly this below a path, whatever holds around it.
fn grant(text: &mut String, path: &Utf8Path, grants: [bool; 3]) {
    let path = quoted(path);
    for (operations, allowed) in OPERATIONS.iter().zip(grants) {
        let verb = if allowed { "allow" } else { "deny" };
        let _ = writeln!(text, "({verb} {operations} (subpath {path}))");
    }
}

/// A path as a string of the profile language.
fn quoted(path: &Utf8Path) -> String {
    let escaped = path.as_str().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

fn writes(rule: &FsRule) -> bool {
    rule.create() || rule.update() || rule.delete()
}

fn writes_all(rule: &FsRule) -> bool {
    rule.create() && rule.update() && rule.delete()
}

#[cfg(test)]
mod tests;
