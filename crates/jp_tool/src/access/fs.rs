//! Rules for files: a path below the workspace root and what may be done there.
//!
//! A rule matches its path and everything below it, component by component: `src` matches
//! `src/lib.rs` and not `src_generated`. The rule with the most components wins. So the answer is
//! found by walking up from the target until a path has a rule, which costs the same however many
//! rules there are; [`FsRules`] keeps the table for that walk beside the list.

mod error;

use std::{borrow::Cow, collections::HashMap, ops::Deref};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use self::error::FsAccessError;
use super::{AccessPolicy, Decision, FsSpecificity};
use crate::is_plain_path;

/// What can be done with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Capability {
    /// Read a file, list a directory.
    Read,
    /// Make a file or directory that is not there yet.
    Create,
    /// Change or rename what is there.
    Update,
    /// Remove what is there.
    Delete,
    /// Run a file as a program.
    Execute,
}

impl Capability {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 5] =
        [Self::Read, Self::Create, Self::Update, Self::Delete, Self::Execute];

    /// The name in configuration, on the wire and in errors.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Execute => "execute",
        }
    }
}

/// One rule: a path and what it grants there. What it does not grant, it denies.
///
/// The fields are private, because `write` among them is a short form that has to be read together
/// with the others. A rule is asked for one capability at a time:
///
/// ```
/// # use jp_tool::access::{Capability, FsRule};
/// let rule = FsRule::new("src", [Capability::Read]);
/// assert_eq!(rule.path(), "src");
/// assert!(rule.read() && !rule.create() && !rule.update() && !rule.delete() && !rule.execute());
/// ```
///
/// There is no question about `write`, and no way around the questions:
///
/// ```compile_fail,E0599
/// # use jp_tool::access::{Capability, FsRule};
/// let rule = FsRule::new("src", [Capability::Read]);
/// let _ = rule.write();
/// ```
///
/// ```compile_fail,E0616
/// # use jp_tool::access::{Capability, FsRule};
/// let rule = FsRule::new("src", [Capability::Read]);
/// let _ = rule.write;
/// ```
///
/// ```compile_fail,E0616
/// # use jp_tool::access::{Capability, FsRule};
/// let rule = FsRule::new("src", [Capability::Read]);
/// let _ = rule.path;
/// ```
///
/// ```compile_fail,E0616
/// # use jp_tool::access::{Capability, FsRule};
/// let mut rule = FsRule::new("src", [Capability::Read]);
/// rule.read = None;
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsRule {
    path: Utf8PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    read: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    write: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    create: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    update: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    delete: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    execute: Option<bool>,
}

impl FsRule {
    /// A rule that grants exactly these capabilities.
    pub fn new(path: impl Into<Utf8PathBuf>, grants: impl IntoIterator<Item = Capability>) -> Self {
        let mut rule = Self {
            path: path.into(),
            read: None,
            write: None,
            create: None,
            update: None,
            delete: None,
            execute: None,
        };
        for capability in grants {
            let field = match capability {
                Capability::Read => &mut rule.read,
                Capability::Create => &mut rule.create,
                Capability::Update => &mut rule.update,
                Capability::Delete => &mut rule.delete,
                Capability::Execute => &mut rule.execute,
            };
            *field = Some(true);
        }
        rule
    }

    /// The same rule for another path, for example the canonical form of its own.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<Utf8PathBuf>) -> Self {
        self.path = path.into();
        self
    }

    /// The path, relative to the workspace root; `.` is the root itself.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Whether files may be read and directories listed.
    pub fn read(&self) -> bool {
        self.read.unwrap_or(false)
    }

    /// Whether new files and directories may be made.
    pub fn create(&self) -> bool {
        self.create.or(self.write).unwrap_or(false)
    }

    /// Whether what is there may be changed.
    pub fn update(&self) -> bool {
        self.update.or(self.write).unwrap_or(false)
    }

    /// Whether what is there may be removed.
    pub fn delete(&self) -> bool {
        self.delete.or(self.write).unwrap_or(false)
    }

    /// Whether files may be run as programs.
    pub fn execute(&self) -> bool {
        self.execute.unwrap_or(false)
    }

    /// Whether the rule speaks about a canonical path relative to the root: its own path, or below.
    /// One that nobody can read speaks about all, as far as it denies; see [`FsRules`].
    pub fn matches(&self, canonical: &Utf8Path) -> bool {
        match (normal_form(&lexical(&self.path)), normal_form(canonical)) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(rule), Some(target)) => Utf8Path::new(&*target).starts_with(&*rule),
        }
    }

    /// How specific the rule is among those that match a path.
    pub fn specificity(&self) -> FsSpecificity {
        normal_form(&lexical(&self.path)).map_or(FsSpecificity::Unreadable, |path| {
            FsSpecificity::Components(Utf8Path::new(&*path).components().count())
        })
    }

    /// Whether this capability is granted.
    pub fn grants(&self, capability: Capability) -> bool {
        match capability {
            Capability::Read => self.read(),
            Capability::Create => self.create(),
            Capability::Update => self.update(),
            Capability::Delete => self.delete(),
            Capability::Execute => self.execute(),
        }
    }
}

/// The rules of a policy in their order, with the table that finds the winner.
#[derive(Debug, Clone, Default)]
pub struct FsRules {
    rules: Vec<FsRule>,
    /// The last rule for each path, in the form of [`normal_form`].
    by_path: HashMap<String, usize, FxBuildHasher>,
    /// The length of the longest of these paths.
    longest: usize,
    /// Rules whose path is none below a root. What such a rule would grant is not granted, and what
    /// it denies is denied everywhere: nobody can tell what it was meant for.
    unreadable: Vec<usize>,
}

impl FsRules {
    /// The rule that decides about a canonical path relative to the root.
    pub fn winner(&self, canonical: &Utf8Path) -> Option<&FsRule> {
        let path = normal_form(canonical)?;
        let mut prefix = shorten(&path, self.longest);
        loop {
            if let Some(index) = self.by_path.get(prefix) {
                return self.rules.get(*index);
            }
            if prefix.is_empty() {
                return None;
            }
            prefix = prefix.rfind('/').map_or("", |end| &prefix[..end]);
        }
    }

    /// What the rules say about doing this with a canonical path.
    pub fn decide(&self, canonical: &Utf8Path, capability: Capability) -> Decision<'_, FsRule> {
        let denies = |index: &&usize| !self.rules[**index].grants(capability);
        if let Some(index) = self.unreadable.iter().find(denies) {
            return Decision::Denied(&self.rules[*index]);
        }
        let winner = self.winner(canonical);
        let changes =
            matches!(capability, Capability::Create | Capability::Update | Capability::Delete);
        if changes && is_settings(canonical) && !winner.is_some_and(|rule| is_settings(&rule.path))
        {
            return Decision::Uncovered;
        }
        Decision::of(winner, |rule| rule.grants(capability))
    }

    /// The canonical paths that have a rule, in no order.
    #[cfg(unix)]
    pub(crate) fn canonical_paths(&self) -> impl Iterator<Item = &Utf8Path> {
        self.by_path.keys().map(|path| Utf8Path::new(if path.is_empty() { "." } else { path }))
    }

    /// Those of them whose rule grants reading.
    #[cfg(unix)]
    pub(crate) fn readable_paths(&self) -> impl Iterator<Item = &Utf8Path> {
        let readable = self.by_path.iter().filter(|(_, index)| self.rules[**index].read());
        readable.map(|(path, _)| Utf8Path::new(if path.is_empty() { "." } else { path }))
    }

    /// The paths of the rules that grant anything at all.
    pub fn grants(&self) -> Vec<Utf8PathBuf> {
        let grants_something =
            |rule: &&FsRule| Capability::ALL.into_iter().any(|capability| rule.grants(capability));
        self.rules.iter().filter(grants_something).map(|rule| rule.path.clone()).collect()
    }
}

impl From<Vec<FsRule>> for FsRules {
    fn from(rules: Vec<FsRule>) -> Self {
        let mut by_path = HashMap::default();
        let mut unreadable = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            match normal_form(&lexical(&rule.path)) {
                Some(path) => drop(by_path.insert(path.into_owned(), index)),
                None => unreadable.push(index),
            }
        }
        let longest = by_path.keys().map(String::len).max().unwrap_or(0);
        Self { rules, by_path, longest, unreadable }
    }
}

impl FromIterator<FsRule> for FsRules {
    fn from_iter<I: IntoIterator<Item = FsRule>>(rules: I) -> Self {
        Self::from(rules.into_iter().collect::<Vec<_>>())
    }
}

impl Deref for FsRules {
    type Target = [FsRule];

    fn deref(&self) -> &[FsRule] {
        &self.rules
    }
}

impl PartialEq for FsRules {
    fn eq(&self, other: &Self) -> bool {
        self.rules == other.rules
    }
}

impl Serialize for FsRules {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rules.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FsRules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<FsRule>::deserialize(deserializer).map(Self::from)
    }
}

/// Whether a path relative to the root holds settings of jp. A tool that could change them could grant
/// itself whatever it likes, so a rule that lets it do so has to name them: one for a directory above
/// says nothing about them. Case does not count, because on some file systems it does not.
pub fn is_settings(path: &Utf8Path) -> bool {
    let first = path.components().find(|part| *part != Utf8Component::CurDir);
    let is = |name: &str, settings: &str| name.eq_ignore_ascii_case(settings);
    first.is_some_and(|part| is(part.as_str(), ".jp"))
        || path.file_name().is_some_and(|name| is(name, ".jp.toml"))
}

/// A rule path with its `..` resolved, for rules that somebody else has not put into canonical form.
fn lexical(path: &Utf8Path) -> Utf8PathBuf {
    let mut resolved = Utf8PathBuf::new();
    for component in path.components() {
        let is_below = resolved.file_name().is_some();
        match component {
            Utf8Component::ParentDir if is_below => drop(resolved.pop()),
            other => resolved.push(other),
        }
    }
    resolved
}

/// The longest beginning of a path, by whole components, that is not longer than any rule's: a rule
/// cannot match more of it, and whoever sends a path of megabytes must not make us hash it all.
fn shorten(path: &str, longest: usize) -> &str {
    if path.len() <= longest {
        return path;
    }
    let bytes = path.as_bytes();
    let end = (0..=longest).rev().find(|at| bytes[*at] == b'/').unwrap_or(0);
    &path[..end]
}

/// Components joined by single slashes; the root is empty. `None` for what is no path below a root:
/// such a rule matches nothing, such a target is matched by nothing.
fn normal_form(path: &Utf8Path) -> Option<Cow<'_, str>> {
    // Canonical paths, which is what is asked about, are in this form already.
    if is_plain_path(path.as_str()) {
        return Some(Cow::Borrowed(path.as_str()));
    }
    let mut form = String::with_capacity(path.as_str().len());
    for component in path.components() {
        match component {
            Utf8Component::CurDir => {}
            Utf8Component::Normal(name) => {
                if !form.is_empty() {
                    form.push('/');
                }
                form.push_str(name);
            }
            Utf8Component::ParentDir | Utf8Component::RootDir | Utf8Component::Prefix(_) => {
                return None;
            }
        }
    }
    Some(Cow::Owned(form))
}

impl AccessPolicy {
    /// Whether this may be done with a canonical path relative to the root. A policy without rules
    /// for files restricts none.
    pub fn can(&self, capability: Capability, canonical: &Utf8Path) -> bool {
        self.fs.is_empty() || self.fs.decide(canonical, capability).is_allowed()
    }

    /// The same as an error that names what is granted.
    pub fn check(&self, capability: Capability, canonical: &Utf8Path) -> Result<(), FsAccessError> {
        if self.can(capability, canonical) {
            return Ok(());
        }
        Err(FsAccessError::Denied {
            capability: capability.as_str(),
            target: canonical.to_owned(),
            grants: self.fs.grants(),
            covered: matches!(self.fs.decide(canonical, capability), Decision::Denied(_)),
        })
    }

    /// Whether a canonical path may be read or listed.
    pub fn can_read(&self, canonical: &Utf8Path) -> bool {
        self.can(Capability::Read, canonical)
    }

    /// Whether a canonical path may be made.
    pub fn can_create(&self, canonical: &Utf8Path) -> bool {
        self.can(Capability::Create, canonical)
    }

    /// Whether a canonical path may be changed.
    pub fn can_update(&self, canonical: &Utf8Path) -> bool {
        self.can(Capability::Update, canonical)
    }

    /// Whether a canonical path may be removed.
    pub fn can_delete(&self, canonical: &Utf8Path) -> bool {
        self.can(Capability::Delete, canonical)
    }

    /// Whether a canonical path may be run.
    pub fn can_execute(&self, canonical: &Utf8Path) -> bool {
        self.can(Capability::Execute, canonical)
    }
}

#[cfg(test)]
mod tests;
