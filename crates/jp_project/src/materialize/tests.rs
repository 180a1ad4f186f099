//! What a program does in a copy, and what the project has of it afterwards.

#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{fs, os::unix::fs::symlink};

use jp_tool::access::{AccessPolicy, Capability, FsRule};

use super::*;
use crate::{MemoryProjectFiles, Part};

fn path(text: &str) -> ProjectPath {
    ProjectPath::new(text).unwrap()
}

fn project() -> MemoryProjectFiles {
    let project = MemoryProjectFiles::new();
    for (name, content) in [("a", "1"), ("d/b", "2"), ("d/c", "3"), ("e/f", "4")] {
        project.write(&path(name), content.as_bytes(), WriteMode::CreateNew).unwrap();
    }
    project
}

fn scratch() -> (TempDir, Utf8PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(dir.path().to_owned()).unwrap();
    (dir, path)
}

fn text(project: &dyn ProjectFiles, name: &str) -> Option<String> {
    let content = project.read(&path(name), Part::whole(99)).ok()?;
    Some(String::from_utf8(content.bytes).unwrap())
}

// D11-158
#[test]
fn what_a_program_changes_comes_back() {
    let (_dir, scratch) = scratch();
    let project = project();
    let mut copy = project.materialize(&scratch).unwrap();
    let root = copy.path().to_owned();
    assert_eq!(fs::read_to_string(root.join("d/b")).unwrap(), "2");
    assert_eq!(copy.sync_back().unwrap(), Synced::default());
    fs::write(root.join("a"), "changed").unwrap();
    fs::create_dir_all(root.join("new/dir")).unwrap();
    fs::write(root.join("new/file"), "5").unwrap();
    fs::remove_file(root.join("d/b")).unwrap();
    fs::remove_dir_all(root.join("e")).unwrap();
    fs::write(root.join("e"), "a file now").unwrap();
    symlink("..", root.join("loop")).unwrap();
    symlink(".", root.join("self")).unwrap();
    let synced = copy.sync_back().unwrap();
    assert_eq!(synced.written, ["a", "e", "new", "new/dir", "new/file"].map(path));
    assert_eq!(synced.deleted, ["e/f", "e", "d/b"].map(path));
    for (name, expected) in [
        ("a", Some("changed")),
        ("d/b", None),
        ("d/c", Some("3")),
        ("e", Some("a file now")),
        ("new/file", Some("5")),
        ("loop", None),
    ] {
        assert_eq!(text(&project, name).as_deref(), expected, "{name}");
    }
    assert!(project.exists(&path("new/dir")).unwrap());
    assert_eq!(copy.sync_back().unwrap(), Synced::default());
    drop(copy);
    assert!(!root.exists());
}

#[test]
fn what_somebody_else_wrote_meanwhile_is_not_lost() {
    let (_dir, scratch) = scratch();
    let project = project();
    let mut copy = project.materialize(&scratch).unwrap();
    fs::write(copy.path().join("a"), "theirs").unwrap();
    fs::write(copy.path().join("d/c"), "also").unwrap();
    project.write(&path("a"), b"ours", WriteMode::Replace).unwrap();
    let error = copy.sync_back().unwrap_err();
    assert_eq!(error.to_string(), "changed in the project meanwhile: a");
    assert_eq!(text(&project, "a").as_deref(), Some("ours"));
    assert_eq!(text(&project, "d/c").as_deref(), Some("3"));
}

#[test]
fn a_new_file_keeps_its_directory() {
    let (_dir, scratch) = scratch();
    let project = project();
    let mut copy = project.materialize(&scratch).unwrap();
    fs::remove_dir_all(copy.path().join("d")).unwrap();
    project.write(&path("d/new"), b"ours", WriteMode::CreateNew).unwrap();
    copy.sync_back().unwrap();
    assert_eq!(text(&project, "d/b"), None);
    assert_eq!(text(&project, "d/new").as_deref(), Some("ours"));
}

fn policy(rules: &[(&str, &[Capability])]) -> Rules {
    let rules = rules.iter().map(|(path, grants)| FsRule::new(*path, grants.iter().copied()));
    AccessPolicy { fs: rules.collect(), ..AccessPolicy::default() }.into()
}

// D11-158
#[test]
fn what_the_rules_do_not_allow_stays_in_the_copy() {
    let (_dir, scratch) = scratch();
    let project = project();
    project.write(&path("secret/s"), b"hidden", WriteMode::CreateNew).unwrap();
    let view = project.under(policy(&[
        (".", &[Capability::Read]),
        ("d", &[Capability::Read, Capability::Create, Capability::Update]),
        ("secret", &[]),
    ]));
    let mut copy = view.materialize(&scratch).unwrap();
    let root = copy.path().to_owned();
    assert!(!root.join("secret/s").exists());
    fs::create_dir_all(root.join("secret")).unwrap();
    for name in ["a", "d/b", "d/new", "secret/s", "secret/t"] {
        fs::write(root.join(name), "by a program").unwrap();
    }
    fs::remove_file(root.join("d/c")).unwrap();
    let error = copy.sync_back().unwrap_err();
    insta::assert_snapshot!(error, @"not allowed, and not brought back: access denied: update on a; access denied: create on secret; access denied: update on secret/s; access denied: create on secret/t; and therefore not deleted: d/c");
    for (name, expected) in [
        ("a", "1"),
        ("d/b", "by a program"),
        ("d/new", "by a program"),
        ("d/c", "3"),
        ("secret/s", "hidden"),
    ] {
        assert_eq!(text(&project, name).as_deref(), Some(expected), "{name}");
    }
    assert_eq!(text(&project, "secret/t"), None);
    // What was kept back is asked for again when there is nothing else to refuse.
    fs::write(root.join("a"), "1").unwrap();
    fs::remove_dir_all(root.join("secret")).unwrap();
    let error = copy.sync_back().unwrap_err();
    insta::assert_snapshot!(error, @"not allowed, and not brought back: access denied: delete on d/c");
}

// A program that moves a file loses nothing if it does not come back under its new name.
#[test]
fn nothing_is_deleted_before_all_the_rest_is_back() {
    let (_dir, scratch) = scratch();
    let project = project();
    let mut copy = project.materialize(&scratch).unwrap();
    let root = copy.path().to_owned();
    fs::rename(root.join("a"), root.join("b")).unwrap();
    fs::remove_dir_all(root.join("e")).unwrap();
    // More than this project can hold.
    File::options().write(true).open(root.join("b")).unwrap().set_len(65 << 20).unwrap();
    let error = copy.sync_back().unwrap_err().to_string();
    assert!(error.contains("b: 68157440 bytes are more than the limit"), "{error}");
    assert_eq!([text(&project, "a"), text(&project, "e/f")], [Some("1".into()), Some("4".into())]);
    fs::write(root.join("b"), "1").unwrap();
    let synced = copy.sync_back().unwrap();
    assert_eq!(
        (synced.written, synced.deleted),
        (vec![path("b")], ["e/f", "e", "a"].map(path).to_vec())
    );
    assert_eq!([text(&project, "a"), text(&project, "b")], [None, Some("1".into())]);
}

#[test]
fn what_a_program_leaves_behind_does_no_harm() {
    let (_dir, scratch) = scratch();
    fs::write(scratch.join("outside"), "out").unwrap();
    let project = project();
    let mut copy = project.materialize(&scratch).unwrap();
    let root = copy.path().to_owned();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let fifo = root.join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, fifo.as_str(), rustix::fs::FileType::Fifo, mode, 0)
        .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
    // A file and a directory whose places are taken by links.
    fs::remove_file(root.join("a")).unwrap();
    symlink("../outside", root.join("a")).unwrap();
    fs::remove_dir_all(root.join("e")).unwrap();
    symlink("d", root.join("e")).unwrap();
    let synced = copy.sync_back().unwrap();
    assert_eq!(synced.written, []);
    assert_eq!(synced.deleted, ["e/f", "e", "a"].map(path));
    assert_eq!(text(&project, "a"), None);
    assert_eq!(fs::read_to_string(scratch.join("outside")).unwrap(), "out");
    let sparse = File::create(root.join("sparse")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    let error = copy.sync_back().unwrap_err().to_string();
    assert!(error.contains("sparse: 1099511627776 bytes are more than the limit"), "{error}");
    assert!(!project.exists(&path("sparse")).unwrap());
}

// A program cannot see that a directory is not empty, and has deleted it.
#[test]
fn what_a_program_cannot_see_keeps_its_directory() {
    let (_dir, scratch) = scratch();
    let project = project();
    project.write(&path("d/hidden"), b"6", WriteMode::CreateNew).unwrap();
    let most = [Capability::Read, Capability::Create, Capability::Update, Capability::Delete];
    let fs = vec![FsRule::new(".", most), FsRule::new("d/hidden", [Capability::Delete])].into();
    let view = project.under(AccessPolicy { fs, ..AccessPolicy::default() }.into());
    let mut copy = view.materialize(&scratch).unwrap();
    fs::remove_dir_all(copy.path().join("d")).unwrap();
    fs::remove_dir_all(copy.path().join("e")).unwrap();
    let synced = copy.sync_back().unwrap();
    assert_eq!(synced.deleted, ["e/f", "e", "d/c", "d/b"].map(path));
    assert_eq!(text(&project, "d/hidden").as_deref(), Some("6"));
}

// Nor can it put a file there. What is in the directory is still there then, and the rest comes back.
#[test]
fn no_file_takes_the_place_of_a_directory_with_something_hidden() {
    let (_dir, scratch) = scratch();
    let most = [Capability::Read, Capability::Create, Capability::Update, Capability::Delete];
    for hidden in ["d/hidden", "d/x/y/hidden"] {
        let project = project();
        project.write(&path(hidden), b"6", WriteMode::CreateNew).unwrap();
        let fs = vec![FsRule::new(".", most), FsRule::new(hidden, [Capability::Delete])].into();
        let view = project.under(AccessPolicy { fs, ..AccessPolicy::default() }.into());
        let mut copy = view.materialize(&scratch).unwrap();
        let root = copy.path().to_owned();
        for dir in ["d", "e"] {
            fs::remove_dir_all(root.join(dir)).unwrap();
            fs::write(root.join(dir), "a file now").unwrap();
        }
        fs::write(root.join("z"), "new").unwrap();
        let error = copy.sync_back().unwrap_err().to_string();
        let reason = "not allowed, and not brought back: d: is a directory, and something is in it \
                      that the program could not see; and therefore not deleted: d/b, d/c";
        assert!(error.starts_with(reason), "{error}");
        for (name, expected) in
            [("d/b", "2"), ("d/c", "3"), (hidden, "6"), ("e", "a file now"), ("z", "new")]
        {
            assert_eq!(text(&project, name).as_deref(), Some(expected), "{name}");
        }
        // Without the file it is as if the program had only deleted.
        fs::remove_file(root.join("d")).unwrap();
        copy.sync_back().unwrap();
        assert_eq!(text(&project, "d/b"), None);
        assert_eq!(text(&project, hidden).as_deref(), Some("6"));
    }
}

#[test]
fn a_project_on_a_disk_is_its_own_directory() {
    let (_dir, scratch) = scratch();
    let root = Root::open(&scratch).unwrap();
    let expected = root.path().to_owned();
    let project = FsProjectFiles::new(root, Rules::default());
    let mut place = project.materialize(&scratch).unwrap();
    assert_eq!(place.path(), expected);
    assert_eq!(place.sync_back().unwrap(), Synced::default());
    drop(place);
    assert!(expected.exists());
}

const LARGE: u64 = 20 << 20;

// What a program makes is not in memory as a whole where the backend can do without.
#[test]
fn files_travel_in_pieces() {
    let (_dir, scratch) = scratch();
    let project = crate::SqliteProjectFiles::open(&scratch.join("db")).unwrap();
    let mut copy = project.materialize(&scratch).unwrap();
    let file = File::create(copy.path().join("large")).unwrap();
    file.set_len(LARGE).unwrap();
    fs::write(copy.path().join("small"), "x").unwrap();
    let before = most_memory();
    copy.sync_back().unwrap();
    let mut again = project.materialize(&scratch).unwrap();
    assert_eq!(fs::metadata(again.path().join("large")).unwrap().len(), LARGE);
    fs::write(again.path().join("small"), "y").unwrap();
    again.sync_back().unwrap();
    let grown = most_memory() - before;
    assert!(grown < LARGE * 4 / 5, "{grown} bytes");
    assert_eq!(text(&project, "small").as_deref(), Some("y"));
    assert_eq!(project.metadata(&path("large")).unwrap().size, LARGE);
}

/// The most memory that this process ever had, in bytes.
fn most_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1_024
}
