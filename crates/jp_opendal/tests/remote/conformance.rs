//! Every store gives the answers of every other backend.

use std::{collections::BTreeMap, sync::Arc};

use camino::Utf8Path;
use jp_project::{
    DeleteReach, GrepQuery, Kind, MemoryProjectFiles, Part, ProjectError, ProjectFiles,
    ProjectPath, Slice, WriteMode, conformance,
};
use proptest::prelude::*;

use crate::servers::Server;

fn memory() -> Arc<dyn ProjectFiles> {
    jp_opendal::open("memory", &BTreeMap::new(), "some/where").unwrap()
}

fn path(text: &str) -> ProjectPath {
    ProjectPath::new(text).unwrap()
}

// D11-014
#[test]
fn memory_conforms() {
    conformance::check(&memory);
    more(memory().as_ref());
}

// D11-014
#[test]
fn postgresql_conforms() {
    let server = Server::postgresql();
    conformance::check(&|| server.project());
    more(server.project().as_ref());
    made_by_others(&server, &|key| {
        assert!(server.sql(&format!("INSERT INTO jp_files VALUES ('x/{key}', 'x')")));
    });
}

// D11-014
#[test]
fn s3_conforms() {
    let server = Server::s3();
    conformance::check(&|| server.project());
    more(server.project().as_ref());
}

/// What the script of the suite does not reach.
fn more(project: &dyn ProjectFiles) {
    large_files_in_parts(project);
    many_entries(project);
    odd_names(project);
    a_copy_and_back(project);
}

fn large_files_in_parts(project: &dyn ProjectFiles) {
    let content: Vec<u8> = (0..3_000_000_u32).flat_map(|n| (n % 251).to_le_bytes()).collect();
    project.write(&path("large"), &content, WriteMode::Replace).unwrap();
    let part = Part { offset: 5_000_001, limit: Some(1_000), max: 1_000 };
    let read = project.read(&path("large"), part).unwrap();
    assert_eq!((read.bytes.as_slice(), read.size), (&content[5_000_001..5_001_001], 12_000_000));
    let whole = project.read(&path("large"), Part::whole(12_000_000)).unwrap();
    assert!(whole.bytes == content);
    let text = "a line\n".repeat(500_000) + "the end\n";
    project.write(&path("long"), text.as_bytes(), WriteMode::CreateNew).unwrap();
    let answer = project.grep(&GrepQuery::new("^the end$")).unwrap();
    assert_eq!(answer.files[0].lines[0].number, 500_001);
    project.delete(&path("large"), DeleteReach::File).unwrap();
    project.delete(&path("long"), DeleteReach::File).unwrap();
}

/// More than a page of a list.
fn many_entries(project: &dyn ProjectFiles) {
    let names: Vec<String> = (0..1_100).map(|n| format!("{n:04}")).collect();
    std::thread::scope(|scope| {
        for names in names.chunks(100) {
            scope.spawn(move || {
                for name in names {
                    let file = path(&format!("many/{name}"));
                    project.write(&file, b"x", WriteMode::Replace).unwrap();
                }
            });
        }
    });
    let listed = project.list_dir(&path("many"), Slice::default()).unwrap();
    assert_eq!(listed.into_iter().map(|entry| entry.name).collect::<Vec<_>>(), names);
    let slice = project.list_dir(&path("many"), Slice { offset: 1_050, limit: Some(2) }).unwrap();
    assert_eq!(slice.len(), 2);
    let mut query = GrepQuery::new("x");
    query.paths.push(path("many"));
    assert_eq!(project.grep(&query).unwrap().files.len(), 1_100);
    project.delete(&path("many"), DeleteReach::Recursive).unwrap();
    assert!(!project.exists(&path("many")).unwrap());
}

/// Names are taken as they are, or not at all: never as another name.
fn odd_names(project: &dyn ProjectFiles) {
    let names = [
        "a b",
        "%41",
        "a%2Fb",
        "ä\u{301}",
        "q'\"",
        "a+b&c=d?e#f",
        "~",
        "*",
        "[x]",
        "a\\b",
        "_",
        "%",
        " lead",
        "trail ",
        "\u{a0}nbsp",
        "tab\t",
        "new\nline",
        "A",
    ];
    let mut taken = Vec::new();
    for name in names {
        match project.write(&path(&format!("odd/{name}")), name.as_bytes(), WriteMode::CreateNew) {
            Ok(()) => taken.push(name),
            Err(error) => assert!(error.to_string().contains("cannot hold this name"), "{error}"),
        }
    }
    for name in names {
        let read = project.read(&path(&format!("odd/{name}")), Part::whole(100));
        match taken.contains(&name) {
            true => assert_eq!(read.unwrap().bytes, name.as_bytes()),
            false => assert!(read.unwrap_err().to_string().contains("cannot hold this name")),
        }
    }
    assert!(taken.len() >= 12, "{taken:?}");
    taken.sort_unstable();
    let listed = project.list_dir(&path("odd"), Slice::default()).unwrap();
    assert_eq!(listed.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), taken);
    project.delete(&path("odd"), DeleteReach::Recursive).unwrap();
    assert!(!project.exists(&path("odd")).unwrap());
}

fn a_copy_and_back(project: &dyn ProjectFiles) {
    project.write(&path("src/a"), b"1", WriteMode::Replace).unwrap();
    project.write(&path("src/b"), b"2", WriteMode::Replace).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let mut copy = project.materialize(Utf8Path::from_path(scratch.path()).unwrap()).unwrap();
    let inside = copy.path().to_owned();
    std::fs::write(inside.join("src/a"), "new").unwrap();
    std::fs::remove_file(inside.join("src/b")).unwrap();
    std::fs::create_dir_all(inside.join("empty/dir")).unwrap();
    copy.sync_back().unwrap();
    assert_eq!(project.read(&path("src/a"), Part::whole(9)).unwrap().bytes, b"new");
    assert!(!project.exists(&path("src/b")).unwrap());
    assert_eq!(project.metadata(&path("empty/dir")).unwrap().kind, Kind::Directory);
}

/// Directories without markers, and files where a directory is.
fn made_by_others(server: &Server, put: &dyn Fn(&str)) {
    let project = server.project_with(&[]);
    let names = |dir: &str| -> Vec<String> {
        let listed = project.list_dir(&path(dir), Slice::default()).unwrap();
        listed.into_iter().map(|entry| entry.name).collect()
    };
    for key in ["deep/er/file", "deep.txt", "both", "both/below", "a/../b", "slash//slash"] {
        put(key);
    }
    assert_eq!(names("."), ["a", "both", "deep", "deep.txt", "slash"]);
    assert_eq!(project.metadata(&path("both")).unwrap().kind, Kind::File);
    assert_eq!(names("deep"), ["er"]);
    // The directory is still there when its last file is not.
    project.delete(&path("deep/er/file"), DeleteReach::File).unwrap();
    assert_eq!(names("deep/er"), [""; 0]);
    let error = project.write(&path("deep.txt/x"), b"", WriteMode::Replace).unwrap_err();
    assert!(matches!(error, ProjectError::NotADirectory { .. }), "{error}");
}

fn step() -> impl Strategy<Value = String> {
    let path = || prop::sample::select(vec![".", "a", "b", "a/b", "a/b/c", "b/a", "b/c/d"]);
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
        "grep",
    ]);
    let rules = prop::collection::vec((path(), "[rcud]{0,4}"), 0..4).prop_map(|rules| {
        let rules = rules.into_iter().map(|(path, letters)| format!(" {path}={letters}"));
        format!("> rules{}", rules.collect::<String>())
    });
    let other = (command, path(), path()).prop_map(|(command, path, other)| match command {
        "grep" => format!("> grep a in={path}"),
        _ => format!("> {command} {path} {other}"),
    });
    prop_oneof![1 => rules, 1 => Just("> sensitive **/b b/c".to_owned()), 15 => other]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]
    // D11-130
    #[test]
    fn a_store_agrees_with_files_in_memory(steps in prop::collection::vec(step(), 1..25)) {
        let section = steps.join("\n");
        let expected = conformance::run(&MemoryProjectFiles::new(), &section);
        prop_assert_eq!(conformance::run(memory().as_ref(), &section), expected);
    }
}
