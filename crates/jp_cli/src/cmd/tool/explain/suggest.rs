//! What to write so that the answer becomes yes: as narrow as the question, in the form in which the
//! tool is configured, with a note about everything else that it changes.
//!
//! A rule that allows more than was asked is worse than none, because people paste it. So it names
//! exactly the target, keeps what is allowed there already, and is left out where no rule of that
//! form would do: a question with a `*` in it, a path that is refused before any rule is asked. A
//! test adds suggestions to random policies and asks again, about the target and about others.

mod net;
mod toml;

use std::fmt::Write as _;

use camino::Utf8Path;
use jp_config::Edit;
use jp_tool::access::{
    AccessPolicy, Capability, CommandRule, Commands, Decision, EnvRule, FsRule,
    path::{Files, Kind, Root},
};
use serde_json::{Value, json};

pub(crate) use self::net::exactly;
pub(super) use self::net::net;
use super::subject::{Defaults, Form, Subject};

/// Something to write into the configuration.
#[derive(Debug)]
pub(crate) struct Suggestion {
    how: How,
    /// The dotted key to change.
    key: String,
    /// TOML: the elements to add, the value to set, or the lines of the table.
    lines: Vec<String>,
    /// What else it does.
    notes: Vec<String>,
    /// Whether it allows something beside what was asked for.
    is_wider: bool,
}

/// What to do with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
enum How {
    /// Add to a list, at the end.
    Add { is_first: bool },
    /// Set a value.
    Set,
    /// Write a table instead of another, which cannot say it.
    Replace { old: String },
}

impl Suggestion {
    /// The same for a path about which a person is asked all the same.
    pub(super) fn even_then_asked(mut self, pattern: &str) -> Self {
        self.notes.push(format!(
            "Even then a person is asked once per run, because it is sensitive (`{pattern}`)."
        ));
        self
    }

    /// The change that this is in a file; `None` if it is more than an addition.
    pub(crate) fn edit(&self) -> Option<Edit<'_>> {
        let Self { key, lines, .. } = self;
        match &self.how {
            How::Add { .. } => Some(Edit::Append { key, elements: lines }),
            How::Set => Some(Edit::Set { key, value: lines.first()? }),
            How::Replace { .. } => None,
        }
    }

    /// Whether it allows something beside what was asked for.
    pub(crate) fn is_wider(&self) -> bool {
        self.is_wider
    }

    /// The key to change, and what to write there.
    pub(crate) fn lines(&self) -> (&str, &[String]) {
        (&self.key, &self.lines)
    }

    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    pub(crate) fn to_text(&self) -> String {
        let key = &self.key;
        let mut text = match &self.how {
            How::Add { is_first: true } => format!("To allow it, add to `{key}`:\n\n"),
            How::Add { is_first: false } => {
                format!("To allow it, add behind the other rules of `{key}`:\n\n")
            }
            How::Set => format!("To allow it, set `{key}`:\n\n"),
            How::Replace { old } => format!(
                "To allow it, write this instead of `{old}`, which cannot say it:\n\n  [{key}]\n"
            ),
        };
        for line in &self.lines {
            let _ = writeln!(text, "  {line}");
        }
        if !self.notes.is_empty() {
            text.push('\n');
        }
        for note in &self.notes {
            let _ = writeln!(text, "{note}");
        }
        text
    }

    pub(super) fn to_json(&self) -> Value {
        let (how, old) = match &self.how {
            How::Add { .. } => ("add", None),
            How::Set => ("set", None),
            How::Replace { old } => ("replace", Some(old)),
        };
        let Self { key, lines, notes, .. } = self;
        json!({ "how": how, "key": key, "instead_of": old, "toml": lines, "notes": notes })
    }

    fn add(subject: &Subject<'_>, list: &str, is_first: bool, lines: Vec<String>) -> Self {
        let key = format!("{}.{list}", subject.key);
        Self { how: How::Add { is_first }, key, lines, notes: Vec::new(), is_wider: false }
    }

    /// `access` with these rules instead of `sandbox`.
    fn instead_of_sandbox(subject: &Subject<'_>, policy: &AccessPolicy) -> Self {
        Self {
            how: How::Replace { old: format!("{}.sandbox", subject.key) },
            key: format!("{}.access", subject.key),
            lines: toml::policy(policy),
            notes: Vec::new(),
            is_wider: false,
        }
    }

    fn wider(mut self, is_wider: bool) -> Self {
        self.is_wider |= is_wider;
        self
    }

    fn note(mut self, note: impl Into<Option<String>>) -> Self {
        self.notes.extend(note.into());
        self
    }
}

/// A rule takes nothing from less specific ones, so it says what is granted already.
pub(super) fn fs(
    subject: &Subject<'_>,
    capability: Capability,
    input: &Utf8Path,
    canonical: &Utf8Path,
) -> Suggestion {
    let policy = subject.policy();
    let granted = |it: &Capability| *it == capability || subject.grants(*it, canonical);
    let rule = FsRule::new(canonical, Capability::ALL.into_iter().filter(granted));
    let below = covers_below(subject, input, canonical);
    let asked = no_longer_asked(subject, policy.fs.decide(canonical, capability));
    if subject.form == Form::Sandbox {
        return fs_in_short_form(subject, capability, rule).note(below).note(asked);
    }
    // With the first rule, what holds without rules ends; so it is written down as one.
    let is_first = policy.fs.is_empty();
    let default = (is_first && canonical != ".").then(|| whole_workspace(subject));
    let lines = default.iter().chain([&rule]).map(toml::fs).collect();
    Suggestion::add(subject, "access.fs", is_first, lines)
        .note(below)
        .note(asked)
        .note(no_longer_hidden(subject))
}

/// What holds for files without rules, written down as a rule.
pub(super) fn fs_as_it_is(subject: &Subject<'_>) -> Suggestion {
    let lines = vec![toml::fs(&whole_workspace(subject))];
    Suggestion::add(subject, "access.fs", true, lines).note(no_longer_hidden(subject))
}

/// What is sensitive is kept from a tool without rules; with rules, a person is asked.
fn no_longer_hidden(subject: &Subject<'_>) -> Option<String> {
    subject.hides_sensitive().then(|| {
        "Other sensitive paths are asked about then too, instead of being kept from the tool."
            .to_owned()
    })
}

fn whole_workspace(subject: &Subject<'_>) -> FsRule {
    FsRule::new(".", Capability::ALL.into_iter().filter(|it| subject.defaults.grants(*it)))
}

/// In the short form, where it can say it. Its paths have no grants of their own, they share them.
fn fs_in_short_form(subject: &Subject<'_>, capability: Capability, rule: FsRule) -> Suggestion {
    let policy = subject.policy();
    let is_uncovered = policy.fs.decide(rule.path(), capability) == Decision::Uncovered;
    let shared = |it: &Capability| policy.fs.first().is_some_and(|rule| rule.grants(*it));
    if !is_uncovered || !shared(&capability) {
        let fs = policy.fs.iter().cloned().chain([rule]).collect();
        return Suggestion::instead_of_sandbox(subject, &AccessPolicy { fs, ..policy.clone() });
    }
    let rest = Capability::ALL.into_iter().filter(|it| shared(it) && *it != capability);
    let rest: Vec<&str> = rest.map(Capability::as_str).collect();
    let note = format!("As for the other paths there, it also grants {}.", rest.join(", "));
    let line = toml::text(rule.path().as_str());
    Suggestion::add(subject, "sandbox.filesystem.allow", false, vec![line])
        .wider(!rest.is_empty())
        .note((!rest.is_empty()).then_some(note))
}

/// A person is asked about what no rule covers, and not about what a rule denies.
fn no_longer_asked(subject: &Subject<'_>, decision: Decision<'_, FsRule>) -> Option<String> {
    let was_asked = subject.defaults == Defaults::Mediated && decision == Decision::Uncovered;
    was_asked.then(|| {
        "What is covered then and not granted is denied, and no longer asked about.".to_owned()
    })
}

/// What a rule for this path covers beside it; nothing for a file.
fn covers_below(subject: &Subject<'_>, input: &Utf8Path, canonical: &Utf8Path) -> Option<String> {
    let root = Root::open(subject.root).ok();
    let metadata = root.and_then(|root| Files::new(root, None).metadata(input).ok());
    if metadata.is_some_and(|it| it.kind == Kind::File) {
        return None;
    }
    Some(match canonical.as_str() {
        "." => "It covers everything in the workspace for which there is no other rule.".to_owned(),
        path => format!("It covers everything below `{path}` as well."),
    })
}

pub(super) fn env(subject: &Subject<'_>, name: &str) -> Option<Suggestion> {
    // As a rule, a star would mean more than this variable.
    EnvRule::new(name, true).validate().ok().filter(|()| !name.contains('*'))?;
    let is_first = subject.policy().env.is_empty();
    Some(match subject.form {
        Form::Access => {
            let line = toml::env(&EnvRule::new(name, true));
            Suggestion::add(subject, "access.env", is_first, vec![line])
        }
        Form::Sandbox => {
            Suggestion::add(subject, "sandbox.network.envs", is_first, vec![toml::text(name)])
        }
    })
}

/// The lists of arguments that are there, and this one.
pub(super) fn command(subject: &Subject<'_>, words: &[String]) -> Option<Suggestion> {
    let (program, arguments) = words.split_first()?;
    let rule = subject.policy().commands.as_ref().and_then(|commands| commands.get(program));
    let is_listed = rule.is_some();
    let before = match rule.and_then(|rule| rule.args.as_deref()) {
        // No list at all allows the program without arguments, and one more would end that.
        Some([]) => vec![Vec::new()],
        Some(lists) => lists.to_vec(),
        None => Vec::new(),
    };
    let lists = before.into_iter().chain([arguments.to_vec()]).collect();
    let envs = rule.map(|rule| rule.envs.clone()).unwrap_or_default();
    let rule = CommandRule { args: Some(lists), envs };
    // As an argument of a rule, `**` would mean more than itself.
    let is_literal = !arguments.iter().any(|argument| argument == "**");
    let after = [(program.as_str(), rule.clone())].into_iter().collect::<Commands>();
    after.validate().ok().filter(|()| is_literal)?;
    let table = match subject.form {
        Form::Access => "access",
        Form::Sandbox => "sandbox",
    };
    let key = format!("{}.{table}.commands.{}.args", subject.key, toml::key(program));
    let lines = vec![toml::lists(rule.args.as_deref().unwrap_or_default())];
    let was_asked = subject.defaults == Defaults::Mediated && !is_listed;
    let note = was_asked.then(|| {
        format!("Other arguments of `{program}` are denied then, and no longer asked about.")
    });
    let notes = note.into_iter().collect();
    Some(Suggestion { how: How::Set, key, lines, notes, is_wider: false })
}

#[cfg(test)]
mod tests;
