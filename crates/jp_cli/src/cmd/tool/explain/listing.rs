//! All rules of a tool, what holds where it has none, and what of it is sensitive.

use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::{Capability, path};
use serde_json::{Value, json};

use super::{
    row::{Row, rows, table},
    subject::{Defaults, Subject},
};

pub(super) fn text(subject: &Subject<'_>) -> String {
    let rows = rows(&subject.compiled);
    let mut text = format!("What `{}` may touch:\n\n", subject.name);
    if subject.policy().commands.as_ref().is_some_and(|commands| commands.is_empty()) {
        text.push_str("No program can be started.\n\n");
    }
    if !rows.is_empty() {
        text += &table(&rows);
        text.push('\n');
    }
    for (kind, default) in undeclared(subject) {
        let _ = writeln!(text, "No rules for {kind}: {default}.");
    }
    let sensitive = sensitive(subject);
    if !sensitive.is_empty() {
        let heading = if subject.hides_sensitive() {
            "Sensitive, and kept from a tool without rules for files"
        } else {
            "Sensitive, so a person is asked once per run although it is granted, and with nobody to \
             ask it is denied"
        };
        if !text.ends_with("\n\n") {
            text.push('\n');
        }
        let _ = writeln!(text, "{heading}:");
        text.extend(sensitive.iter().map(|pattern| format!("  {pattern}\n")));
    }
    text
}

pub(super) fn json(subject: &Subject<'_>) -> Value {
    let rules: Vec<Value> = rows(&subject.compiled).iter().map(Row::to_json).collect();
    let sensitive = json!({
        "patterns": sensitive(subject),
        "decision": if subject.hides_sensitive() { "denied" } else { "asked" },
    });
    json!({
        "tool": subject.name,
        "policy": subject.policy(),
        "rules": rules,
        "sensitive": sensitive,
    })
}

/// What holds for each kind of resource that has no rules.
fn undeclared(subject: &Subject<'_>) -> impl Iterator<Item = (&'static str, &'static str)> {
    let policy = subject.policy();
    let (files, others) = match subject.defaults {
        Defaults::Off | Defaults::Workspace => {
            ("everything in the workspace is allowed", "all are allowed")
        }
        Defaults::Strict => {
            ("the workspace can be read, anything else is denied", "all are denied")
        }
        Defaults::Mediated => {
            ("the workspace can be read, anything else is asked about", "each is asked about")
        }
    };
    // Nobody is asked about a variable: who sees only its name cannot say what is in it.
    let variables =
        if subject.defaults == Defaults::Mediated { "none can be used" } else { others };
    let kinds = [
        ("files", policy.fs.is_empty(), files),
        ("hosts", policy.net.is_empty(), others),
        ("variables", policy.env.is_empty(), variables),
        ("programs", policy.commands.is_none(), others),
    ];
    kinds.into_iter().filter(|(_, is_undeclared, _)| *is_undeclared).map(|(kind, _, it)| (kind, it))
}

/// The patterns of sensitive paths that what is granted covers. Where a pattern names one place, it
/// counts if something is there; `**/name` could be anywhere, and the workspace is not searched for
/// it.
fn sensitive<'a>(subject: &'a Subject<'_>) -> Vec<&'a str> {
    let is_granted = |path: &Utf8Path| {
        Capability::ALL.into_iter().any(|capability| subject.grants(capability, path))
    };
    let policy = subject.policy();
    let grants_something = if policy.fs.is_empty() {
        subject.defaults != Defaults::Off
    } else {
        !policy.fs.grants().is_empty()
    };
    if !grants_something {
        return Vec::new();
    }
    let whole = subject.sensitive(Utf8Path::new("."));
    let counts = |pattern: &&str| match place(pattern, subject.home.as_deref()) {
        None => true,
        Some(place) => {
            whole.as_deref() == Some(*pattern)
                || path::resolve(subject.root, &place)
                    .is_ok_and(|it| it.exists() && is_granted(it.relative()))
        }
    };
    subject.patterns.iter().map(String::as_str).filter(counts).collect()
}

/// The one place that a pattern names; `None` if it names many.
fn place(pattern: &str, home: Option<&Utf8Path>) -> Option<Utf8PathBuf> {
    if pattern.starts_with("**/") {
        return None;
    }
    match (pattern.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => Some(home.join(rest)),
        // Without a home every directory is taken for one.
        (Some(_), None) => None,
        (None, _) => Some(Utf8PathBuf::from(pattern)),
    }
}
