//! Whether a plugin may run: the policy, then the checksum, then the agreement, in this order.
//!
//! [`judge`] is pure and says what is to be done; asking a person and starting a program are for others.
//! Its answer is about bytes with one checksum, and whoever starts the program hands that checksum on to
//! where the file is opened, so that a file that is replaced in between does not run.
//!
//! Settings come in two forms. Everything that is in force counts when it makes things stricter. What makes
//! them looser counts only when it is the user's own: a workspace can come from anywhere, and must not be
//! able to say that a plugin runs without a question, or to lift what the user has denied or pinned.

mod approvals;

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::plugins::{CommandPluginConfig, PluginRun};

pub use self::approvals::{Approval, Approvals, By, KeepError};
use crate::catalog::{Plugin, Source};

/// The settings of one plugin.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules<'a> {
    /// What is in force here.
    pub here: Option<&'a CommandPluginConfig>,
    /// The same without what files of the workspace say.
    pub own: Option<&'a CommandPluginConfig>,
}

/// What would be executed.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The canonical path.
    pub path: &'a Utf8Path,
    /// In hexadecimal digits.
    pub sha256: &'a str,
    /// Whether it was installed from the registry as an official plugin, or is listed there as one.
    pub official: bool,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Run it.
    Run,
    /// Ask somebody, or do not run it.
    Ask,
    /// Never run it.
    Denied,
    /// It is not the file that was pinned.
    Mismatch(Mismatch),
}

/// A file that is not the one that was pinned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} is not the file that is pinned:\n  expected {expected}\n  actual   {actual}")]
pub struct Mismatch {
    pub path: Utf8PathBuf,
    pub expected: String,
    pub actual: String,
}

impl Rules<'_> {
    /// Whether the plugin never runs, is not described and not installed either.
    pub fn deny(self) -> bool {
        [self.here, self.own].into_iter().flatten().any(|it| it.run == Some(PluginRun::Deny))
    }

    /// What happens before it runs: the strictest of what is in force and what is the user's own, of
    /// which a workspace can only make it stricter. `None`: by the rules for its origin.
    pub fn run(self) -> Option<PluginRun> {
        let of = |it: Option<&CommandPluginConfig>| it.and_then(|it| it.run);
        match (of(self.here), of(self.own)) {
            (Some(PluginRun::Deny), _) | (_, Some(PluginRun::Deny)) => Some(PluginRun::Deny),
            (Some(PluginRun::Ask), _) | (_, Some(PluginRun::Ask)) => Some(PluginRun::Ask),
            (_, Some(PluginRun::Unattended)) => Some(PluginRun::Unattended),
            (Some(PluginRun::Unattended) | None, None) => None,
        }
    }

    /// Whether a run rests on what is in the file. It does not where the user lets whatever is there run
    /// and has pinned nothing.
    pub fn rests_on_bytes(self) -> bool {
        let is_pinned = |it: &CommandPluginConfig| it.checksum.is_some();
        self.run() != Some(PluginRun::Unattended)
            || [self.here, self.own].into_iter().flatten().any(is_pinned)
    }

    /// Whether a workspace says that it runs without a question, and nobody else does.
    pub fn is_loosened(self) -> bool {
        let of = |it: Option<&CommandPluginConfig>| it.and_then(|it| it.run);
        of(self.here) == Some(PluginRun::Unattended) && of(self.own).is_none()
    }

    /// Whether the file is one that is pinned, if any is. All pins have to agree.
    pub fn check(self, path: &Utf8Path, sha256: &str) -> Result<(), Mismatch> {
        let pins =
            [self.here, self.own].into_iter().flatten().filter_map(|it| it.checksum.as_ref());
        match pins.map(|pin| &pin.value).find(|pin| !pin.matches(sha256)) {
            None => Ok(()),
            Some(expected) => Err(Mismatch {
                path: path.to_owned(),
                expected: expected.to_string().to_ascii_lowercase(),
                actual: sha256.to_ascii_lowercase(),
            }),
        }
    }
}

/// Decides about one run.
pub fn judge(rules: Rules<'_>, subject: Subject<'_>, approvals: &Approvals) -> Verdict {
    if rules.deny() {
        return Verdict::Denied;
    }
    if let Err(mismatch) = rules.check(subject.path, subject.sha256) {
        return Verdict::Mismatch(mismatch);
    }
    match rules.run() {
        Some(PluginRun::Deny) => Verdict::Denied,
        Some(PluginRun::Unattended) => Verdict::Run,
        None if subject.official => Verdict::Run,
        Some(PluginRun::Ask) | None if approvals.hold(subject.path, subject.sha256) => Verdict::Run,
        Some(PluginRun::Ask) | None => Verdict::Ask,
    }
}

/// Who made a plugin, as far as that is known: for people who are to decide about it.
pub fn publisher(plugin: &Plugin) -> String {
    let entry = match (plugin.source, &plugin.entry) {
        (Source::Path, _) => return "unknown: found in the search path".to_owned(),
        (_, None) => return "unknown: not in the registry".to_owned(),
        (_, Some(entry)) => entry,
    };
    let who = if !entry.official {
        "somebody in the registry"
    } else if plugin.is_official() {
        "the authors of jp"
    } else {
        "unknown: not the file that the registry lists"
    };
    match &entry.repository {
        Some(repository) => format!("{who} ({repository})"),
        None => who.to_owned(),
    }
}

#[cfg(test)]
mod tests;
