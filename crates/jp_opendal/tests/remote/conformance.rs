//! Every store gives the answers of every other backend.

use std::{collections::BTreeMap, sync::Arc};

use camino::Utf8Path;
use jp_project::{
    DeleteReach, GrepQuery, Kind, MemoryProjectFiles, Part, ProjectError, ProjectFiles,
    ProjectPath, Slice, WriteMode, conformance,
};
use jp_test::Server;
use proptest::prelude::*;

use crate::projects::Projects as _;

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
    for key in OF_OTHERS {
        assert!(server.sql(&format!("INSERT INTO jp_files VALUES ('x/{key}', 'x')")));
    }
    made_by_others(server.project_with(&[]).as_ref());
    let many = "SELECT 'x/many/' || lpad(n::text, 4, '0'), 'x' FROM generate_series(0, 1099) AS n";
    assert!(server.sql(&format!("INSERT INTO jp_files {many}")));
    many_entries(server.project_with(&[]).as_ref());
}

// D11-014
#[test]
fn s3_conforms() {
    let many = (0..MANY).map(|n| format!("x/many/{n:04}"));
    let keys: Vec<_> = OF_OTHERS.iter().map(|key| format!("x/{key}")).chain(many).collect();
    let server = Server::s3(&keys);
    conformance::check(&|| server.project());
    more(server.project().as_ref());
    let project = server.project_with(&[]);
    many_entries(project.as_ref());
    made_by_others(project.as_ref());
}

/// What the script of the suite does not reach.
fn more(project: &dyn ProjectFiles) {
    large_files_in_parts(project);
    odd_names(project);
    a_copy_and_back(project);
    one_of_many_wins(project);
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

/// More than a page of a list of S3.
const MANY: usize = 1_100;

fn many_entries(project: &dyn ProjectFiles) {
    let names: Vec<String> = (0..MANY).map(|n| format!("{n:04}")).collect();
    let listed = project.list_dir(&path("many"), Slice::default()).unwrap();
    assert_eq!(listed.into_iter().map(|entry| entry.name).collect::<Vec<_>>(), names);
    let slice = project.list_dir(&path("many"), Slice { offset: 1_050, limit: Some(2) }).unwrap();
    assert_eq!(slice.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["1050", "1051"]);
    let mut query = GrepQuery::new("x");
    query.paths.extend(names.iter().step_by(20).map(|name| path(&format!("many/{name}"))));
    assert_eq!(project.grep(&query).unwrap().files.len(), 55);
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
        if taken.contains(&name) {
            assert_eq!(read.unwrap().bytes, name.as_bytes());
        } else {
            assert!(read.unwrap_err().to_string().contains("cannot hold this name"));
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

fn one_of_many_wins(project: &dyn ProjectFiles) {
    let winners: Vec<usize> = std::thread::scope(|scope| {
        let create = |n: usize| {
            let content = n.to_string();
            project.write(&path("race/file"), content.as_bytes(), WriteMode::CreateNew)
        };
        let threads: Vec<_> = (0..8).map(|n| (n, scope.spawn(move || create(n)))).collect();
        let results = threads.into_iter().map(|(n, thread)| (n, thread.join().unwrap()));
        let wins = results.filter_map(|(n, result)| match result {
            Ok(()) => Some(n),
            Err(ProjectError::AlreadyExists { .. }) => None,
            Err(error) => panic!("{error}"),
        });
        wins.collect()
    });
    assert_eq!(winners.len(), 1);
    let content = project.read(&path("race/file"), Part::whole(9)).unwrap();
    assert_eq!(content.bytes, winners[0].to_string().as_bytes());
}

/// Directories without markers, files where a directory is, and names that no path has.
const OF_OTHERS: [&str; 6] =
    ["deep/er/file", "deep.txt", "both", "both/below", "a/../b", "slash//slash"];

fn made_by_others(project: &dyn ProjectFiles) {
    let names = |dir: &str| -> Vec<String> {
        let listed = project.list_dir(&path(dir), Slice::default()).unwrap();
        listed.into_iter().map(|entry| entry.name).collect()
    };
    assert_eq!(names("."), ["a", "both", "deep", "deep.txt", "slash"]);
    assert_eq!(project.metadata(&path("both")).unwrap().kind, Kind::File);
    assert_eq!(names("deep"), ["er"]);
    assert_eq!(names("a"), [""; 0]);
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
