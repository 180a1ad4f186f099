//! Writing while somebody else does, and when it fails half way.

#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::fs;

use jp_tool::access::{AccessPolicy, Capability, FsRule, path::Root};

use super::*;

struct Tree {
    _dir: tempfile::TempDir,
    root: Utf8PathBuf,
}

impl Tree {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(dir.path().canonicalize().unwrap()).unwrap();
        for name in ["a", "b", "c"] {
            fs::write(root.join(name), name).unwrap();
        }
        Self { _dir: dir, root }
    }

    fn files(&self, grants: &[Capability]) -> Files {
        let rules = [FsRule::new(".", grants.iter().copied())].into_iter().collect();
        let policy = AccessPolicy { fs: rules, ..AccessPolicy::default() };
        Files::new(Root::open(&self.root).unwrap(), Some(policy))
    }

    fn content(&self) -> String {
        ["a", "b", "c"].map(|name| fs::read_to_string(self.root.join(name)).unwrap()).join(" ")
    }

    fn names(&self) -> usize {
        fs::read_dir(&self.root).unwrap().count()
    }
}

fn changes(files: &Files) -> Vec<Change> {
    let change = |name: &str| Change {
        original: open(files, name, 100).unwrap(),
        content: format!("new {name}").into_bytes(),
    };
    ["a", "b", "c"].map(change).into_iter().collect()
}

/// With a file beside, and without.
const WAYS: [&[Capability]; 2] = [&Capability::ALL, &[Capability::Read, Capability::Update]];

#[test]
fn all_files_get_their_content() {
    for grants in WAYS {
        let tree = Tree::new();
        let files = tree.files(grants);
        replace(&files, changes(&files)).unwrap();
        assert_eq!((tree.content().as_str(), tree.names()), ("new a new b new c", 3));
    }
}

#[test]
fn a_file_that_was_changed_meanwhile_stops_all() {
    for grants in WAYS {
        let tree = Tree::new();
        let files = tree.files(grants);
        let changes = changes(&files);
        fs::write(tree.root.join("b"), "other").unwrap();
        let error = replace(&files, changes).unwrap_err();
        assert_eq!(error.message, "b was changed by somebody else meanwhile");
        assert!(error.transient);
        assert_eq!((tree.content().as_str(), tree.names()), ("a other c", 3));
    }
}

#[test]
fn a_file_that_was_replaced_meanwhile_stops_all() {
    let tree = Tree::new();
    let files = tree.files(&Capability::ALL);
    let changes = changes(&files);
    fs::rename(tree.root.join("a"), tree.root.join("b")).unwrap();
    assert!(replace(&files, changes).is_err());
    assert_eq!(fs::read_to_string(tree.root.join("b")).unwrap(), "a");
}

#[test]
fn a_failure_half_way_is_undone() {
    let tree = Tree::new();
    let files = tree.files(&Capability::ALL);
    let prepared = prepare(&files, changes(&files)).unwrap();
    // The last cannot take its place any more.
    fs::remove_file(tree.root.join(&prepared[2].beside.as_ref().unwrap().path)).unwrap();
    let error = commit(&files, prepared).unwrap_err();
    assert!(error.message.ends_with("; nothing was changed"), "{}", error.message);
    assert_eq!((tree.content().as_str(), tree.names()), ("a b c", 3));
}

#[test]
fn what_was_prepared_and_not_used_is_gone() {
    let tree = Tree::new();
    let files = tree.files(&Capability::ALL);
    let prepared = prepare(&files, changes(&files)).unwrap();
    assert_eq!(tree.names(), 6);
    drop(prepared);
    assert_eq!((tree.content().as_str(), tree.names()), ("a b c", 3));
}

#[test]
fn a_new_file_does_not_replace_one() {
    for grants in [&Capability::ALL[..], &[Capability::Create]] {
        let tree = Tree::new();
        let files = tree.files(grants);
        assert!(create(&files, "a".into(), b"new").is_err());
        create(&files, "d".into(), b"new").unwrap();
        assert_eq!((tree.content().as_str(), tree.names()), ("a b c", 4));
        assert_eq!(fs::read_to_string(tree.root.join("d")).unwrap(), "new");
    }
}
