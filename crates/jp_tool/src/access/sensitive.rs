//! Paths that hold secrets: keys, tokens, passwords.
//!
//! A grant for a whole workspace is easily written, and a `.env` in it easily forgotten. So there is
//! a list of places about which a person is asked once more although a rule grants them, and which
//! are refused where nobody can be asked. The list is a second look, not a second policy: it never
//! grants anything. It can be made longer and never shorter, so that a configuration that came with
//! somebody's workspace cannot take the second look away.
//!
//! [`SensitivePaths`] compares paths and touches nothing. [`SensitiveGate`] is what an operation goes
//! through: it remembers the answers of one run, and knows where places lead that are links.
//!
//! The danger is another name for the same place. Case does not count, because on some file systems
//! it does not count for opening either, and a question too many costs less than a key. Without a
//! known home every directory is taken for one. What is compared is the canonical path: who opens a
//! link called `.env` should ask about the link as well as about where it leads.

mod gate;
mod pattern;
mod place;

use camino::{Utf8Path, Utf8PathBuf};

pub use self::{
    gate::{SensitiveError, SensitiveGate},
    pattern::SensitivePatternError,
};
use self::{
    pattern::{Form, Pattern},
    place::Place,
};

/// What everybody has, in the order in which it is shown.
const BUILTIN: [&str; 8] = [
    "~/.ssh",
    "~/.gnupg",
    "~/.aws/credentials",
    "~/.config/gcloud",
    "~/.kube/config",
    "~/.docker/config.json",
    "**/.env",
    "**/.env.*",
];

/// More than this nobody writes by hand, and each is compared with every path.
const MAX_PATTERNS: usize = 1_000;

/// A list of patterns for sensitive paths. There is none without the built-in ones.
#[derive(Debug, Clone)]
pub struct SensitivePaths {
    patterns: Vec<Pattern>,
}

impl SensitivePaths {
    /// The built-in list. `**/.env.*` takes `.env.example` along on purpose: what is in such a file
    /// is not known from its name.
    pub fn builtin() -> Self {
        Self {
            patterns: BUILTIN.into_iter().filter_map(|text| Pattern::parse(text).ok()).collect(),
        }
    }

    /// The same list and one pattern more:
    ///
    /// - `~/x` for a place in the home directory and all below it,
    /// - `/x` for an absolute place and all below it,
    /// - `**/name` for everything of that name below the root, and all below it; a `*` in the name
    ///   stands for any characters,
    /// - `dir/x` for a place below the root and all below it.
    pub fn with(mut self, pattern: &str) -> Result<Self, SensitivePatternError> {
        let pattern = Pattern::parse(pattern)?;
        if self.patterns().any(|known| known == pattern.text()) {
            return Ok(self);
        }
        if self.patterns.len() >= MAX_PATTERNS {
            return Err(SensitivePatternError::TooMany { limit: MAX_PATTERNS });
        }
        self.patterns.push(pattern);
        Ok(self)
    }

    /// The patterns as they were written.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().map(Pattern::text)
    }

    /// The pattern that covers a path, which is canonical and relative to `root`. A directory that
    /// contains something sensitive is not sensitive itself.
    pub fn find(&self, root: &Utf8Path, home: Option<&Utf8Path>, path: &Utf8Path) -> Option<&str> {
        let place = Place::new(root, path);
        self.patterns.iter().find(|pattern| pattern.covers(&place, home)).map(Pattern::text)
    }

    /// Whether something of this name can be what a pattern names. It is a quick look for whoever walks
    /// a tree from the top: where neither the root nor a directory on the way is sensitive, a path is
    /// only if its last name is one that a pattern ends with.
    pub fn could_name(&self, name: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.ends_with(name))
    }

    /// The absolute places of the patterns that start with `~/` or `/`, as they are written. Those
    /// in the home directory are missing where it is not known.
    pub fn absolute(&self, home: Option<&Utf8Path>) -> Vec<Utf8PathBuf> {
        let place = |pattern: &Pattern| match pattern.form() {
            Form::Home | Form::Absolute => pattern.place(Utf8Path::new("/"), home),
            Form::Below | Form::Anywhere => None,
        };
        self.patterns.iter().filter_map(place).collect()
    }
}

#[cfg(test)]
mod tests;
