//! The names that a placeholder can use. They are few and known, so a wrong one is an error and not
//! an empty word.

use std::collections::HashSet;
use std::fmt;

use jp_config::nearest;

/// What a call consists of, two levels deep. What is below belongs to the tool.
const NAMES: [(&str, &[&str]); 2] = [
    ("tool", &["name", "arguments", "answers", "options"]),
    ("context", &["root", "action", "access", "workspace_id", "conversation_id"]),
];

/// A name that no call has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// The name as it was written, as far as it is wrong.
    pub name: String,
    /// What was probably meant.
    pub nearest: Option<String>,
    /// What there is in its place.
    pub known: Vec<String>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, nearest, known } = self;
        write!(f, "there is no `{name}`; ")?;
        match nearest {
            Some(nearest) => write!(f, "did you mean `{nearest}`?"),
            None => write!(f, "there is `{}`", known.join("`, `")),
        }
    }
}

/// The first name that no call has, out of the dotted names that a template uses. `globals` are the
/// engine's own.
pub(super) fn check(used: HashSet<String>, globals: &[String]) -> Option<UnknownName> {
    let mut used: Vec<_> = used.into_iter().collect();
    used.sort_unstable();
    used.iter().find_map(|path| {
        let mut segments = path.split('.');
        let root = segments.next()?;
        match (NAMES.iter().find(|(name, _)| *name == root), segments.next()) {
            (None, _) if globals.iter().any(|global| global == root) => None,
            (None, _) => Some(unknown_root(root, path)),
            (Some((_, below)), Some(second)) if !below.contains(&second) => {
                Some(unknown_second(root, below, second))
            }
            (Some(_), _) => None,
        }
    })
}

fn unknown_root(root: &str, path: &str) -> UnknownName {
    let known =
        NAMES.iter().flat_map(|(name, below)| below.iter().map(move |it| format!("{name}.{it}")));
    // `arguments.path` lacks its beginning, which is the likeliest mistake of all.
    let parent = NAMES.iter().find(|(_, below)| below.contains(&root));
    let nearest = match parent {
        Some((parent, _)) => Some(format!("{parent}.{path}")),
        None => nearest(root, NAMES.map(|(name, _)| name)).map(str::to_owned),
    };
    UnknownName { name: root.to_owned(), nearest, known: known.collect() }
}

fn unknown_second(root: &str, below: &[&str], second: &str) -> UnknownName {
    UnknownName {
        name: format!("{root}.{second}"),
        nearest: nearest(second, below.iter().copied()).map(|name| format!("{root}.{name}")),
        known: below.iter().map(|name| format!("{root}.{name}")).collect(),
    }
}
