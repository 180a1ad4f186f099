//! What plugins say of themselves: asked once, remembered as long as the file is the same.
//!
//! Asking means running, and nobody has agreed to run a file by having it somewhere in the search path. So
//! a file that is neither the one that was installed nor approved, or that is not the one that is pinned, is
//! asked sealed: it sees itself and the programs of the system, has no network, no variables but a few, an
//! empty temporary directory, and two seconds. Where nothing can be sealed it is not asked at all, and listed
//! as it is called. Files are asked side by side, and one that hangs, crashes or lies is a line with a reason;
//! it keeps no other from being asked.

mod ask;
mod cache;

use std::sync::Arc;

use camino::Utf8PathBuf;
use futures_util::{StreamExt as _, stream};
use jp_confine::Confiner;
use jp_plugin::Describe;

use self::{ask::AskError, cache::Entry};
pub use self::{
    ask::{MOST, PATIENCE},
    cache::Cache,
};
use crate::{
    catalog::{Binary, Known},
    look::{self, Look},
};

/// What is known of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Described {
    /// It said this.
    Said(Box<Describe>),
    /// It cannot be asked before somebody trusts it: nothing on this machine could seal it.
    Unverified,
    /// It was asked and gave no usable answer, for this reason.
    Failed(String),
    /// The policy says that it never runs, so it is not asked either.
    Denied,
    /// It was not asked.
    Unasked,
}

impl Described {
    /// What it said.
    pub fn said(&self) -> Option<&Describe> {
        match self {
            Self::Said(said) => Some(said),
            Self::Unverified | Self::Failed(_) | Self::Denied | Self::Unasked => None,
        }
    }
}

/// What the policy says about files.
pub trait Permission {
    /// Whether this one never runs.
    fn is_denied(&self, binary: &Binary) -> bool;

    /// How a file with this checksum may be asked.
    fn asking(&self, binary: &Binary, sha256: &str) -> Asking;
}

/// How a file may be asked what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// As it is: somebody agreed to run these bytes.
    Open,
    /// Sealed, or as it is where nothing can be sealed: somebody installed these bytes.
    SealedIfPossible,
    /// Sealed or not at all.
    Sealed,
}

/// Whom to ask, and how.
#[derive(Debug, Clone)]
pub struct Describer {
    /// Who confines them; `None` to ask nobody.
    pub confiner: Option<Arc<Confiner>>,
    /// Where answers are kept.
    pub cache: Option<Cache>,
    /// Where interpreters of scripts are looked for, a value like that of `PATH`.
    pub search: std::ffi::OsString,
    /// Seconds since the epoch.
    pub now: u64,
    /// How many are asked at the same time.
    pub side_by_side: usize,
    /// Whether everybody is asked again.
    pub refresh: bool,
}

/// What is known of all of them, if nobody has to be asked.
pub fn remembered(
    cache: Option<&Cache>,
    now: u64,
    found: &[Binary],
    permission: &dyn Permission,
) -> Option<Vec<Known>> {
    let kept = cache.map(Cache::read).unwrap_or_default();
    let known = |binary: &Binary| {
        let kept = kept.get(&binary.canonical).filter(|kept| kept.look == binary.look);
        let described = without_asking(binary, kept, permission, now)?;
        let sha256 = kept.map(|kept| kept.sha256.clone());
        Some(Known { binary: binary.clone(), sha256, described })
    };
    found.iter().map(known).collect()
}

/// What is known of one that does not have to be asked.
fn without_asking(
    binary: &Binary,
    kept: Option<&Entry>,
    permission: &dyn Permission,
    now: u64,
) -> Option<Described> {
    if permission.is_denied(binary) {
        return Some(Described::Denied);
    }
    let is_trusted = |sum: &str| permission.asking(binary, sum) == Asking::Open;
    kept.filter(|kept| kept.holds(now, is_trusted)).map(Entry::described)
}

impl Describer {
    /// Asks all of them that are not known, and remembers what they say. Keeps the order.
    pub async fn all(&self, found: Vec<Binary>, permission: &dyn Permission) -> Vec<Known> {
        let kept = self.cache.as_ref().map(Cache::read).unwrap_or_default();
        let turns = found.into_iter().enumerate().map(async |(place, binary)| {
            let kept = kept.get(&binary.canonical);
            (place, self.one(binary, kept, permission).await)
        });
        // Whoever is slow takes one turn, and nobody waits behind him for the others.
        let turns = stream::iter(turns).buffer_unordered(self.side_by_side.max(1));
        let mut answers: Vec<(usize, (Known, Option<Entry>))> = turns.collect().await;
        answers.sort_unstable_by_key(|(place, _)| *place);
        let news: Vec<(Utf8PathBuf, Entry)> = answers
            .iter()
            .filter_map(|(_, (known, entry))| {
                Some((known.binary.canonical.clone(), entry.clone()?))
            })
            .collect();
        if let (Some(cache), false) = (&self.cache, news.is_empty()) {
            cache.add(news);
        }
        answers.into_iter().map(|(_, (known, _))| known).collect()
    }

    /// What is known of one, and what is to be remembered of it.
    async fn one(
        &self,
        binary: Binary,
        kept: Option<&Entry>,
        permission: &dyn Permission,
    ) -> (Known, Option<Entry>) {
        let kept = kept.filter(|kept| kept.look == binary.look);
        let sum = kept.map(|kept| kept.sha256.clone());
        let known = |binary, sha256, described| Known { binary, sha256, described };
        let to_use = kept.filter(|_| !self.refresh);
        if let Some(described) = without_asking(&binary, to_use, permission, self.now) {
            return (known(binary, sum, described), None);
        }
        let Some(confiner) = &self.confiner else {
            return (known(binary, sum, Described::Unasked), None);
        };
        let path = binary.canonical.clone();
        let read = tokio::task::spawn_blocking(move || look::sum(&path)).await;
        let (look, sum) = match read.map_err(std::io::Error::other).flatten() {
            Ok(read) => read,
            Err(error) => {
                let why = format!("it cannot be read: {error}");
                return (known(binary, None, Described::Failed(why)), None);
            }
        };
        let asking = permission.asking(&binary, &sum);
        let (answer, sealed) = self.ask(confiner, &binary, &sum, asking).await;
        let (described, answer) = match answer {
            Ok(said) => (Described::Said(Box::new(said.clone())), Ok(said)),
            Err(AskError::NoSeal(why)) => {
                tracing::info!(path = %binary.path, %why, "not asked to describe itself");
                return (known(binary, Some(sum), Described::Unverified), None);
            }
            Err(error) => (Described::Failed(error.to_string()), Err(error.to_string())),
        };
        // A file that was replaced meanwhile may have given the answer of the old one.
        let is_same = Look::of(&binary.canonical) == Some(look);
        let entry = Entry { look, sha256: sum.clone(), sealed, at: self.now, answer };
        (known(binary, Some(sum), described), is_same.then_some(entry))
    }

    /// Asks, and says whether it was sealed.
    async fn ask(
        &self,
        confiner: &Confiner,
        binary: &Binary,
        sum: &str,
        asking: Asking,
    ) -> (Result<Describe, AskError>, bool) {
        let Some(bytes) = look::checksum(sum) else {
            return (Err(AskError::NoSeal("it has no checksum".to_owned())), true);
        };
        let ask = |sealed| ask::ask(confiner, binary, bytes, sealed, &self.search);
        if asking == Asking::Open {
            return (ask(false).await, false);
        }
        match ask(true).await {
            Err(AskError::NoSeal(_)) if asking == Asking::SealedIfPossible => {
                (ask(false).await, false)
            }
            answer => (answer, true),
        }
    }
}

#[cfg(test)]
mod tests;
