//! Finding a value by its dotted key, and saying which part of the key was wrong.

use std::borrow::Cow;

use serde_json::Value;
use thiserror::Error;

use crate::config::{Config, json};
use crate::dotted::{self, DottedError};
use crate::node::{Node, Origin, Sort};
use crate::phrase::{brief, listed};
use crate::schema;
use crate::shape::{Kind, Shape, TableShape};
use crate::suggest;

/// How many characters of a key are repeated.
const LONGEST_SHOWN: usize = 200;

/// Why there is no value at a key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PathError {
    /// The text is not a dotted key.
    #[error("`{path}` is not a key: {source}")]
    Syntax {
        /// The key as it was given.
        path: String,
        /// What is wrong with it.
        source: DottedError,
    },
    /// There is no such key.
    #[error("`{path}`: no key `{segment}`{}{}", inside(parent.as_deref()), remedy(suggestion.as_deref(), known))]
    Unknown {
        /// The key as it was given.
        path: String,
        /// The part that is wrong.
        segment: String,
        /// What the part was looked for in; `None` at the top.
        parent: Option<String>,
        /// What was probably meant.
        suggestion: Option<String>,
        /// The keys there are.
        known: Vec<String>,
    },
    /// There is such a key, without a value or a default.
    #[error("`{path}` is not set")]
    Unset {
        /// The key as it was given.
        path: String,
    },
    /// The key goes on below a value that is not a table.
    #[error("`{path}`: no key `{segment}` in `{parent}`, which is {found}")]
    NotATable {
        /// The key as it was given.
        path: String,
        /// The part that is too much.
        segment: String,
        /// The value before it.
        parent: String,
        /// What that value is.
        found: &'static str,
    },
}

impl Config {
    /// The resolved value at a dotted key, or the whole configuration.
    pub fn get(&self, path: Option<&str>) -> Result<Value, PathError> {
        match path {
            // Every plugin is told all of it when it starts, and nobody needs to know where it is written.
            None => Ok(json(&self.app)),
            Some(_) => Ok(self.find(path)?.node.to_json()),
        }
    }

    /// The node at a dotted key, with the canonical form of the key.
    pub(crate) fn find(&self, path: Option<&str>) -> Result<Found<'_>, PathError> {
        let Some(path) = path else {
            return Ok(Found { path: Vec::new(), node: Cow::Borrowed(self.tree()) });
        };
        match names(path) {
            Ok(names) => self.walk(path, names),
            Err(source) => Err(PathError::Syntax { path: shown(path), source }),
        }
    }

    /// The node at a dotted key in what was merged, before the types filled in their defaults.
    pub(crate) fn merged(&self, path: &str) -> Option<&Node> {
        names(path)
            .ok()?
            .iter()
            .try_fold(&self.root, |node, key| node.as_table()?.get(key).map(|entry| &entry.node))
    }

    fn walk(&self, given: &str, path: Vec<String>) -> Result<Found<'_>, PathError> {
        let model = schema::model();
        let mut shape = model.resolve(&model.root);
        // The value so far; `None` where the schema knows the key and nobody set it.
        let mut node = Some(self.tree());
        for (depth, segment) in path.iter().enumerate() {
            let parent = &path[..depth];
            if let Some(leaf) = node.filter(|it| it.sort() != Sort::Table) {
                return Err(not_a_table(&shown(given), segment, parent, leaf));
            }
            let table = node.and_then(Node::as_table);
            let below = table.and_then(|it| it.get(segment)).map(|it| &it.node);
            // A name that nobody gave is unknown, a key of the schema is only not set.
            let listed = model.table(shape);
            if below.is_none() && !listed.is_some_and(|it| it.usable().any(|it| it == segment)) {
                let present = table.into_iter().flat_map(|it| it.keys().map(String::as_str));
                let given = shown(given);
                return Err(unknown(&given, segment, parent, listed, present));
            }
            shape = model.child(shape, segment).map_or(Shape::anything(), |it| model.resolve(it));
            node = below;
        }
        let node = match node {
            Some(node) => Cow::Borrowed(node),
            None if matches!(shape.kind, Kind::Table(_)) => {
                Cow::Owned(Node::empty_table(Origin::DEFAULT))
            }
            None => {
                return Err(PathError::Unset { path: shown(given) });
            }
        };
        Ok(Found { path, node })
    }
}

/// A value and its canonical key.
pub(crate) struct Found<'a> {
    pub(crate) path: Vec<String>,
    pub(crate) node: Cow<'a, Node>,
}

/// A key as it was given, in a length that is fit to be repeated.
fn shown(path: &str) -> String {
    match path.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", dotted::printable(&path[..end])),
        None => dotted::printable(path),
    }
}

/// The parts of a dotted key. `tools` is another way to write `conversation.tools`.
fn names(path: &str) -> Result<Vec<String>, DottedError> {
    let mut names: Vec<String> = dotted::parse(path)?.into_iter().map(|it| it.name).collect();
    if names.first().is_some_and(|it| it == "tools") {
        names.insert(0, "conversation".to_owned());
    }
    Ok(names)
}

fn unknown<'a>(
    path: &str,
    segment: &str,
    parent: &[String],
    table: Option<&'a TableShape>,
    present: impl Iterator<Item = &'a str>,
) -> PathError {
    let mut known: Vec<&str> = table.into_iter().flat_map(TableShape::usable).collect();
    let others: Vec<&str> = present.filter(|it| !known.contains(it)).collect();
    known.extend(others);
    PathError::Unknown {
        path: path.to_owned(),
        segment: brief(&dotted::key(segment)),
        parent: (!parent.is_empty()).then(|| dotted::join(parent)),
        suggestion: suggest::nearest(segment, known.iter().copied()).map(dotted::key),
        known: known.into_iter().map(str::to_owned).collect(),
    }
}

fn not_a_table(path: &str, segment: &str, parent: &[String], leaf: &Node) -> PathError {
    PathError::NotATable {
        path: path.to_owned(),
        segment: brief(&dotted::key(segment)),
        parent: dotted::join(parent),
        found: leaf.sort().phrase(),
    }
}

fn inside(parent: Option<&str>) -> String {
    parent.map(|it| format!(" in `{it}`")).unwrap_or_default()
}

fn remedy(suggestion: Option<&str>, known: &[String]) -> String {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    match (suggestion, known.as_slice()) {
        (Some(near), _) => format!("; did you mean `{near}`?"),
        (None, []) => String::new(),
        (None, known) => format!("; known keys are {}", listed(known)),
    }
}
