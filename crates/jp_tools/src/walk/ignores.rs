//! What `.gitignore` and `.ignore` say, from a directory up to the root.
//!
//! The nearest directory that says anything about a path decides; `.ignore` is asked before
//! `.gitignore` at every level, as in other tools that know both. A directory with a `.git` of its own
//! is another repository, for which the `.gitignore` above it say nothing. The files are opened like
//! any other file, so one that may not be read is not obeyed.

use std::{io::Read, sync::Arc};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};
use jp_tool::access::path::{Entry, Kind};

use super::Tree;

/// Patterns are compiled, which takes many times their size.
const MAX_SIZE: u64 = 256 << 10;

/// The patterns of a directory and of those above it.
#[derive(Clone, Default)]
pub(super) struct Ignores(Option<Arc<Node>>);

struct Node {
    above: Ignores,
    /// How much of a path is the directory, with its slash: patterns are relative to it.
    prefix: usize,
    ignore: Option<Gitignore>,
    gitignore: Option<Gitignore>,
    is_repository: bool,
}

impl Ignores {
    /// The same with what the files of a directory add.
    pub(super) fn below<T: Tree>(&self, tree: &T, dir: &T::Dir, entries: &[Entry]) -> Self {
        let (mut ignore, mut gitignore, mut is_repository) = (None, None, false);
        for entry in entries {
            match (entry.name.as_str(), entry.kind) {
                (".ignore", Kind::File) => ignore = patterns(tree, dir, ".ignore"),
                (".gitignore", Kind::File) => gitignore = patterns(tree, dir, ".gitignore"),
                // In a linked worktree it is a file.
                (".git", Kind::Directory | Kind::File) => is_repository = true,
                _ => {}
            }
        }
        if ignore.is_none() && gitignore.is_none() && !(is_repository && self.0.is_some()) {
            return self.clone();
        }
        let path = tree.path_of(dir).as_str();
        let prefix = if path == "." { 0 } else { path.len() + 1 };
        let above = self.clone();
        Self(Some(Arc::new(Node { above, prefix, ignore, gitignore, is_repository })))
    }

    /// Whether a path below the directory is ignored.
    pub(super) fn ignores(&self, path: &str, is_dir: bool) -> bool {
        if self.0.is_none() {
            return false;
        }
        let by_ignore =
            self.nodes().find_map(|node| node.answer(node.ignore.as_ref(), path, is_dir));
        by_ignore.unwrap_or_else(|| self.is_ignored_by_git(path, is_dir))
    }

    fn is_ignored_by_git(&self, path: &str, is_dir: bool) -> bool {
        for node in self.nodes() {
            if let Some(answer) = node.answer(node.gitignore.as_ref(), path, is_dir) {
                return answer;
            }
            if node.is_repository {
                break;
            }
        }
        false
    }

    fn nodes(&self) -> impl Iterator<Item = &Node> {
        std::iter::successors(self.0.as_deref(), |node| node.above.0.as_deref())
    }
}

impl Node {
    fn answer(&self, patterns: Option<&Gitignore>, path: &str, is_dir: bool) -> Option<bool> {
        match patterns?.matched(path.get(self.prefix..)?, is_dir) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        }
    }
}

/// A pattern that cannot be understood is left out, as git does.
fn patterns<T: Tree>(tree: &T, dir: &T::Dir, name: &str) -> Option<Gitignore> {
    let mut bytes = Vec::new();
    tree.open_in(dir, name).ok()?.take(MAX_SIZE).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new(".");
    for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
        let _malformed = builder.add_line(None, line);
    }
    builder.build().ok().filter(|patterns| !patterns.is_empty())
}
