//! What would allow something that was denied, in the words of the command line.
//!
//! Whoever ran a program with options wants to hear of options. Only what has none, a rule about files
//! of the root, is told as a line for the file with the rules.

use std::borrow::Cow;

use camino::{Utf8Path, Utf8PathBuf};
use jp_confine::{Advice, Allow, Denied};
use jp_sandbox::plan::Suggestion;
use jp_tool::access::{Capability, NetRule, is_settings};
use serde_json::{Value, json};

use crate::ctx;

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToAllow {
    /// Give this option.
    Option { name: &'static str, value: String },
    /// Make this, and then let it be written: what is granted has to exist.
    Make { path: String },
    /// Add this rule to a list of rules in the policy.
    Rule { list: &'static str, rule: String },
}

impl ToAllow {
    /// `None` where nothing can be suggested. Without rules for files it is the profile that denies,
    /// and a first rule would take away everything else.
    pub(crate) fn of(advice: &Advice, has_rules: bool) -> Option<Self> {
        if let (true, Denied::Path { path, .. }) = (advice.sensitive, &advice.denied) {
            return Some(option("--allow-sensitive", path.as_str()));
        }
        match advice.allow.as_ref()? {
            Allow::Files(suggestion) => Self::files(suggestion, has_rules),
            Allow::Net(rule) => Some(option("--net", host(rule))),
        }
    }

    fn files(suggestion: &Suggestion, has_rules: bool) -> Option<Self> {
        match suggestion {
            Suggestion::Preset(preset) => Some(option("--preset", preset.as_str())),
            Suggestion::System { path, write: true } => Some(match existing(path) {
                Some(found) => option("--write", found),
                None => Self::Make { path: path.to_string() },
            }),
            Suggestion::System { path, write: false } => Some(option("--read", path.as_str())),
            Suggestion::Rule { path, .. } if !has_rules => {
                (!is_settings(path)).then(|| option("--cfg", "sandbox.default=workspace"))
            }
            Suggestion::Rule { path, capabilities } => {
                let path = Value::from(path.as_str());
                let rule = format!("{{ path = {path}, {} }}", grants(capabilities));
                Some(Self::Rule { list: "access.fs", rule })
            }
        }
    }

    /// As the end of a sentence that begins with "to allow it: ".
    pub(crate) fn text(&self, policy: Option<&Utf8Path>) -> String {
        match self {
            Self::Option { name, value } => format!("{name} {}", quoted(value)),
            Self::Make { path } => format!("make it first, and then --write {}", quoted(path)),
            Self::Rule { list, rule } => {
                let file = policy.map_or("the file of --policy", Utf8Path::as_str);
                format!("add {rule} to `{list}` in {file}")
            }
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Option { name, value } => json!({ "option": name, "value": value }),
            Self::Make { path } => json!({ "make": path, "option": "--write", "value": path }),
            Self::Rule { list, rule } => json!({ "list": list, "rule": rule }),
        }
    }
}

fn option(name: &'static str, value: impl Into<String>) -> ToAllow {
    ToAllow::Option { name, value: value.into() }
}

/// Capabilities as a rule grants them; `write` stands for three.
fn grants(capabilities: &[Capability]) -> String {
    const WRITE: [Capability; 3] = [Capability::Create, Capability::Update, Capability::Delete];
    let is_write = WRITE.iter().all(|one| capabilities.contains(one));
    let others = capabilities.iter().filter(|one| !is_write || !WRITE.contains(one));
    let words = others.map(|one| one.as_str()).chain(is_write.then_some("write"));
    words.map(|word| format!("{word} = true")).collect::<Vec<_>>().join(", ")
}

/// What can be granted has to exist; for a file that is yet to be made it is the directory. Nobody is
/// told to grant a whole home, or the whole machine, for the sake of one file.
fn existing(path: &Utf8Path) -> Option<Utf8PathBuf> {
    let found = path.ancestors().find(|path| path.exists())?;
    let home = ctx::home().and_then(|home| home.canonicalize_utf8().ok());
    let is_too_much = found == "/" || home.is_some_and(|home| home == found);
    (!is_too_much).then(|| found.to_owned())
}

/// A word as a shell needs it, without quotes where everybody can see that it needs none.
pub(crate) fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-=:@+,%".contains(letter);
    if word.chars().all(is_plain) && !word.is_empty() {
        Cow::Borrowed(word)
    } else {
        shell_words::quote(word)
    }
}

fn host(rule: &NetRule) -> String {
    NetRule { path_prefix: None, ..rule.clone() }.to_string()
}
