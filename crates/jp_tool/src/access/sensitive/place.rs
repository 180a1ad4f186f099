//! A path as the list of its names, and when two names are the same.

use camino::{Utf8Component, Utf8Path};

/// An absolute path taken apart.
pub(super) struct Place<'a> {
    names: Vec<&'a str>,
    /// How many of the names are the root's.
    root: usize,
}

impl<'a> Place<'a> {
    /// A path relative to `root`. One that is absolute is taken as it is, and outside of the root all
    /// its names count as being below it.
    pub(super) fn new(root: &'a Utf8Path, path: &'a Utf8Path) -> Self {
        let is_outside = path.is_absolute() && !path.starts_with(root);
        let mut names = Vec::with_capacity(16);
        if !path.is_absolute() {
            extend(&mut names, root);
        }
        extend(&mut names, path);
        let root = if is_outside { 0 } else { root.components().filter(is_name).count() };
        Self { root: root.min(names.len()), names }
    }

    /// Whether this is an absolute path or below it.
    pub(super) fn is_in(&self, path: &Utf8Path) -> bool {
        starts_with(&self.names, path)
    }

    /// Whether these names stand one after the other somewhere on the way here.
    pub(super) fn passes_through(&self, path: &Utf8Path) -> bool {
        (0..self.names.len()).any(|start| starts_with(&self.names[start..], path))
    }

    /// Whether this is a path below the root, or below that.
    pub(super) fn is_below_root(&self, path: &Utf8Path) -> bool {
        starts_with(self.below_root(), path)
    }

    /// The names below the root.
    pub(super) fn below_root(&self) -> &[&'a str] {
        &self.names[self.root..]
    }
}

/// A name in a form in which it can be compared with others: without case, and without characters
/// that some file systems leave out when they compare.
pub(super) fn fold(name: &str) -> String {
    // Upwards first: some letters, like the long s, have a capital and are none's lowercase.
    let is_seen = |c: &char| !matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let upper = name.chars().filter(is_seen).flat_map(char::to_uppercase);
    upper.flat_map(char::to_lowercase).collect()
}

fn starts_with(names: &[&str], path: &Utf8Path) -> bool {
    let mut names = names.iter();
    path.components()
        .filter(is_name)
        .all(|part| names.next().is_some_and(|name| is_same(name, part.as_str())))
}

pub(super) fn is_same(name: &str, other: &str) -> bool {
    // Most names differ in their first letter, and this is asked for every name that is passed.
    if let (Some(first), Some(second)) = (name.bytes().next(), other.bytes().next())
        && first.is_ascii()
        && second.is_ascii()
        && !first.eq_ignore_ascii_case(&second)
    {
        return false;
    }
    name.eq_ignore_ascii_case(other)
        || (!(name.is_ascii() && other.is_ascii()) && fold(name) == fold(other))
}

fn is_name(component: &Utf8Component<'_>) -> bool {
    matches!(component, Utf8Component::Normal(_))
}

/// A canonical path has no `..`; should one come all the same, it must not hide anything.
fn extend<'a>(names: &mut Vec<&'a str>, path: &'a Utf8Path) {
    for component in path.components() {
        match component {
            Utf8Component::Normal(name) => names.push(name),
            Utf8Component::ParentDir => drop(names.pop()),
            Utf8Component::CurDir | Utf8Component::RootDir | Utf8Component::Prefix(_) => {}
        }
    }
}
