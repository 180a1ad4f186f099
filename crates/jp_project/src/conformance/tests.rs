//! The suite on every backend of this crate, and random steps on all of them at once.

use std::cell::RefCell;

use camino::Utf8PathBuf;
use jp_tool::access::path::Root;
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::{
    FsProjectFiles, MemoryProjectFiles, NullProjectFiles, OverlayProjectFiles, SqliteProjectFiles,
};

/// Directories for the backends that need one, removed at the end.
#[derive(Default)]
struct Places(RefCell<Vec<TempDir>>);

impl Places {
    fn make(&self) -> Utf8PathBuf {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(dir.path().to_owned()).unwrap();
        self.0.borrow_mut().push(dir);
        path
    }

    fn disk(&self) -> FsProjectFiles {
        FsProjectFiles::new(Root::open(&self.make()).unwrap(), Rules::default())
    }

    fn database(&self) -> SqliteProjectFiles {
        SqliteProjectFiles::open(&self.make().join("project.db")).unwrap()
    }

    fn over(&self, below: &dyn ProjectFiles) -> OverlayProjectFiles {
        OverlayProjectFiles::new(below, &self.make())
    }
}

// D11-013, D11-014
#[test]
fn the_file_system_conforms() {
    let places = Places::default();
    check(&|| Arc::new(places.disk()));
}

#[test]
fn memory_conforms() {
    check(&|| Arc::new(MemoryProjectFiles::new()));
}

#[test]
fn a_database_conforms() {
    let places = Places::default();
    check(&|| Arc::new(places.database()));
}

#[test]
fn an_overlay_conforms_over_anything() {
    let places = Places::default();
    check(&|| Arc::new(places.over(&MemoryProjectFiles::new())));
    check(&|| Arc::new(places.over(&places.disk())));
    check(&|| Arc::new(places.over(&places.database())));
    check(&|| Arc::new(places.over(&places.over(&MemoryProjectFiles::new()))));
}

#[test]
fn where_there_are_no_files_everything_fails() {
    let steps = [
        "read a",
        "write a x",
        "new a x",
        "exists a",
        "metadata .",
        "list .",
        "delete a",
        "delete-all a",
        "rename a b",
        "rename-new a b",
        "mkdir a",
        "grep x",
    ];
    for step in steps {
        let error = take(&NullProjectFiles, step).unwrap_err();
        assert_eq!(error.to_string(), "there are no project files here", "{step}");
    }
    assert!(NullProjectFiles.materialize(Utf8Path::new("/tmp")).is_err());
}

fn step() -> impl Strategy<Value = String> {
    let path =
        || prop::sample::select(vec![".", "a", "b", "a/b", "a/b/c", "b/a", "b/c/d", "a/.jp.toml"]);
    let command = prop::sample::select(vec![
        "write",
        "new",
        "read",
        "exists",
        "metadata",
        "list",
        "delete",
        "delete-all",
        "rename",
        "rename-new",
        "mkdir",
    ]);
    let rules = prop::collection::vec((path(), "[rcud]{0,4}"), 0..4).prop_map(|rules| {
        let rules = rules.into_iter().map(|(path, letters)| format!(" {path}={letters}"));
        format!("> rules{}", rules.collect::<String>())
    });
    let gate = Just("> sensitive **/b b/c".to_owned());
    let answer = (path(), prop::sample::select(vec!["yes", "no"]))
        .prop_map(|(path, answer)| format!("> answer {path} {answer}"));
    let search = path().prop_map(|path| format!("> grep a in={path}"));
    let other = (command, path(), path())
        .prop_map(|(command, path, other)| format!("> {command} {path} {other}"));
    prop_oneof![1 => rules, 1 => gate, 2 => answer, 1 => search, 15 => other]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    // D11-013, D11-130
    #[test]
    fn the_backends_agree(
        first in prop::collection::vec(step(), 0..8),
        steps in prop::collection::vec(step(), 1..25),
    ) {
        let places = Places::default();
        let (first, section) = (first.join("\n"), steps.join("\n"));
        let memory = MemoryProjectFiles::new();
        let expected = run(&memory, &first) + &run(&memory, &section);
        let (disk, database) = (places.disk(), places.database());
        prop_assert_eq!(&expected, &(run(&disk, &first) + &run(&disk, &section)));
        prop_assert_eq!(&expected, &(run(&database, &first) + &run(&database, &section)));
        // Some of it is below already when an overlay comes.
        for below in [&places.disk() as &dyn ProjectFiles, &MemoryProjectFiles::new()] {
            let before = run(below, &first);
            let untouched = dump(below);
            let overlay = places.over(below);
            prop_assert_eq!(&expected, &(before + &run(&overlay, &section)));
            prop_assert_eq!(dump(&overlay), dump(&memory));
            prop_assert_eq!(dump(below), untouched);
            let report = overlay.apply();
            prop_assert!(report.failed.is_empty(), "{:?}", report.failed);
            prop_assert_eq!(dump(below), dump(&memory));
        }
    }
}

/// Every directory and file with its content.
fn dump(project: &dyn ProjectFiles) -> String {
    let project = project.under(Rules::default());
    let mut out = String::new();
    let mut dirs = vec![ProjectPath::root()];
    while let Some(dir) = dirs.pop() {
        for entry in project.list_dir(&dir, Slice::default()).unwrap() {
            let path = dir.join(&entry.name).unwrap();
            if entry.kind == Kind::Directory {
                let _ = writeln!(out, "{path}/");
                dirs.push(path);
            } else {
                let content = project.read(&path, Part::whole(99)).unwrap().bytes;
                let _ = writeln!(out, "{path}={}", String::from_utf8(content).unwrap());
            }
        }
    }
    out
}

#[test]
fn the_suite_can_fail() {
    let section = "# x\n> write a 1\nok\n> read a\n\"2\" of 1";
    assert_ne!(run(&MemoryProjectFiles::new(), section), section);
}
