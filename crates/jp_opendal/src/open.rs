//! Backends from the words of a configuration: a scheme, options, and a root in the store.
//!
//! Each scheme has a table of its options, so that a word that is wrong is told together with those that
//! are right. OpenDAL itself ignores what it does not know.

mod postgresql;
mod s3;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use jp_project::{ProjectFiles, ProjectPath};

use crate::{
    OpenError, OpendalProjectFiles,
    remote::{Remote, runtime},
    secret::Secrets,
    store::{Store, objects::Objects},
};

/// How long a call may take if nobody says how long.
const DEFAULT_LIMIT: Duration = Duration::from_secs(30);
const MAX_LIMIT_SECS: u64 = 3_600;
/// An option that every scheme has.
const TIMEOUT: &str = "timeout_secs";

/// The schemes that there are.
pub const SCHEMES: &[&str] = &["memory", "postgresql", "s3"];

/// The files of a project in a store. Nothing is connected yet, so a store that cannot be reached shows
/// itself when it is used.
///
/// `root` is the place of the project in the store, a path without `..`; empty or `/` is all of it.
pub fn open(
    scheme: &str,
    options: &BTreeMap<String, String>,
    root: &str,
) -> Result<Arc<dyn ProjectFiles>, OpenError> {
    let root = match root.trim_matches('/') {
        "" => String::new(),
        root => ProjectPath::new(root)?.to_string(),
    };
    let root = if root == "." { "" } else { &root };
    let (store, limit): (Arc<dyn Store>, _) = match scheme {
        "memory" => memory(options, root)?,
        "postgresql" => postgresql::store(options, root)?,
        "s3" => s3::store(options, root)?,
        _ => {
            let (scheme, possible) = (scheme.to_owned(), SCHEMES.join(", "));
            return Err(OpenError::UnknownScheme { scheme, possible });
        }
    };
    let runtime = runtime().map_err(OpenError::Thread)?;
    Ok(Arc::new(OpendalProjectFiles::new(Remote::new(store, runtime, limit))))
}

/// A store and the longest time that a call of it may take.
type Opened = (Arc<dyn Store>, Duration);

fn memory(options: &BTreeMap<String, String>, root: &str) -> Result<Opened, OpenError> {
    let options = Options::new("memory", options, &[])?;
    let builder = opendal::services::Memory::default().root(root);
    let operator =
        opendal::Operator::new(builder).map_err(|error| options.refused(&error.to_string()))?;
    let limit = options.limit()?;
    Ok((Arc::new(Objects::new(operator, "memory".to_owned(), Secrets::default(), limit)), limit))
}

/// The options of a scheme, all of them known.
struct Options<'a> {
    scheme: &'static str,
    values: &'a BTreeMap<String, String>,
}

impl<'a> Options<'a> {
    fn new(
        scheme: &'static str,
        values: &'a BTreeMap<String, String>,
        known: &[&str],
    ) -> Result<Self, OpenError> {
        let is_known = |option: &&String| known.contains(&option.as_str()) || *option == TIMEOUT;
        match values.keys().find(|option| !is_known(option)) {
            None => Ok(Self { scheme, values }),
            Some(option) => {
                let possible = [known, &[TIMEOUT]].concat().join(", ");
                Err(OpenError::UnknownOption { scheme, option: option.clone(), possible })
            }
        }
    }

    fn get(&self, option: &str) -> Option<&'a str> {
        self.values.get(option).map(String::as_str).filter(|value| !value.is_empty())
    }

    fn need(&self, option: &'static str) -> Result<&'a str, OpenError> {
        let scheme = self.scheme;
        self.get(option).ok_or(OpenError::MissingOption { scheme, option })
    }

    fn limit(&self) -> Result<Duration, OpenError> {
        let Some(text) = self.get(TIMEOUT) else { return Ok(DEFAULT_LIMIT) };
        let secs = text.parse().ok().filter(|secs| (1..=MAX_LIMIT_SECS).contains(secs));
        let reason = format!("is a whole number from 1 to {MAX_LIMIT_SECS}");
        secs.map(Duration::from_secs).ok_or_else(|| self.invalid(TIMEOUT, reason))
    }

    fn invalid(&self, option: &'static str, reason: impl Into<String>) -> OpenError {
        OpenError::InvalidOption { scheme: self.scheme, option, reason: reason.into() }
    }

    fn refused(&self, reason: &str) -> OpenError {
        OpenError::Store { scheme: self.scheme, reason: reason.to_owned() }
    }
}

#[cfg(test)]
mod tests;
