//! What only a database has: a file of its own, other processes, and somebody who pulls the plug.

#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{fs, os::unix::fs::PermissionsExt, thread, time::Instant};

use super::*;

fn place() -> (tempfile::TempDir, Utf8PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(dir.path().join("project.db")).unwrap();
    (dir, path)
}

fn path(text: &str) -> ProjectPath {
    ProjectPath::new(text).unwrap()
}

fn put(table: &mut Table<'_>, name: &str, mut content: &[u8]) -> Result<(), ProjectError> {
    let size = u64::try_from(content.len()).unwrap();
    table.put_file(&path(name), Source { reader: &mut content, size })
}

#[test]
fn what_was_written_is_there_the_next_time() {
    let (_dir, file) = place();
    let project = SqliteProjectFiles::open(&file).unwrap();
    project.write(&path("a/b"), b"1\0\xff", WriteMode::Replace).unwrap();
    project.create_dir(&path("empty")).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    drop(project);
    let project = SqliteProjectFiles::open(&file).unwrap();
    assert_eq!(project.read(&path("a/b"), Part::whole(9)).unwrap().bytes, b"1\0\xff");
    assert_eq!(project.metadata(&path("empty")).unwrap().kind, Kind::Directory);
}

#[test]
fn other_files_are_refused_and_stay_as_they_are() {
    let (_dir, file) = place();
    let refused = |expected: &str| {
        let before = fs::read(&file).unwrap();
        let error = SqliteProjectFiles::open(&file).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(fs::read(&file).unwrap(), before, "{expected}");
        fs::remove_file(&file).unwrap();
    };
    fs::write(&file, "this is a text that is long enough to be more than a header".repeat(20))
        .unwrap();
    refused("not a database of project files");
    let other = Connection::open(&file).unwrap();
    other.execute_batch("CREATE TABLE bookmarks (x); PRAGMA user_version = 1").unwrap();
    drop(other);
    refused("not a database of project files");
    // One of ours with something added.
    drop(SqliteProjectFiles::open(&file).unwrap());
    let other = Connection::open(&file).unwrap();
    other.execute_batch("PRAGMA journal_mode = DELETE; CREATE TABLE more (x)").unwrap();
    drop(other);
    refused("not a database of project files");
    drop(SqliteProjectFiles::open(&file).unwrap());
    let other = Connection::open(&file).unwrap();
    other.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA user_version = 2").unwrap();
    drop(other);
    refused("made by a later version of jp (schema 2, known is 1)");
}

#[test]
fn what_is_no_file_is_no_database() {
    let (dir, file) = place();
    fs::create_dir(&file).unwrap();
    assert!(SqliteProjectFiles::open(&file).is_err());
    let fifo = Utf8PathBuf::from_path_buf(dir.path().join("fifo")).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, fifo.as_str(), rustix::fs::FileType::Fifo, mode, 0)
        .unwrap();
    assert!(SqliteProjectFiles::open(&fifo).is_err());
    assert!(SqliteProjectFiles::open(Utf8Path::new("/nowhere/at/all")).is_err());
}

#[test]
fn many_write_at_once_and_nothing_is_lost() {
    let (_dir, file) = place();
    thread::scope(|scope| {
        for number in 0..6 {
            // Each like a process of its own.
            let project = SqliteProjectFiles::open(&file).unwrap();
            scope.spawn(move || {
                for index in 0..10 {
                    let name = path(&format!("shared/dir/{number}-{index}"));
                    project.write(&name, name.as_str().as_bytes(), WriteMode::CreateNew).unwrap();
                    assert!(project.write(&name, b"", WriteMode::CreateNew).is_err());
                }
            });
        }
    });
    let project = SqliteProjectFiles::open(&file).unwrap();
    let entries = project.list_dir(&path("shared/dir"), Slice::default()).unwrap();
    assert_eq!(entries.len(), 60);
}

/// A copy of the files in the middle of a transaction is what a kill at that moment leaves.
#[test]
fn half_an_operation_is_none() {
    let (dir, file) = place();
    let project = SqliteProjectFiles::open(&file).unwrap();
    project.write(&path("d/a"), b"old", WriteMode::Replace).unwrap();
    let mut connection = open::open(&file).unwrap();
    // So little room that pages of the open transaction are written out.
    connection.pragma_update(None, "cache_size", 2).unwrap();
    let transaction = connection.transaction().unwrap();
    let mut table = Table(&transaction);
    let at = At::plain(&path("d"));
    nodes::delete(&mut table, &Rules::default(), &at, DeleteReach::Recursive).unwrap();
    put(&mut table, "big", &vec![7; 4 << 20]).unwrap();
    let copy = Utf8PathBuf::from_path_buf(dir.path().join("copy.db")).unwrap();
    for end in ["", "-wal"] {
        fs::copy(format!("{file}{end}"), format!("{copy}{end}")).unwrap();
    }
    assert!(fs::metadata(format!("{copy}-wal")).unwrap().len() > 1 << 20);
    let survivor = SqliteProjectFiles::open(&copy).unwrap();
    assert_eq!(survivor.read(&path("d/a"), Part::whole(9)).unwrap().bytes, b"old");
    assert!(!survivor.exists(&path("big")).unwrap());
}

#[test]
fn a_large_directory_is_listed_and_moved_at_once() {
    let (_dir, file) = place();
    let project = SqliteProjectFiles::open(&file).unwrap();
    let insert = |table: &mut Table<'_>| {
        table.put_dir(&path("d"))?;
        (0..5_000).try_for_each(|number| put(table, &format!("d/{number:06}"), b"x"))
    };
    project.change(insert).unwrap();
    project.write(&path("e/other"), b"x", WriteMode::Replace).unwrap();
    let start = Instant::now();
    let entries = project.list_dir(&path("d"), Slice { offset: 4_998, limit: Some(9) }).unwrap();
    assert_eq!(
        entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(),
        ["004998", "004999"]
    );
    project.rename(&path("d"), &path("e/f"), RenameTarget::Keep).unwrap();
    assert!(project.exists(&path("e/f/000007")).unwrap());
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn a_file_that_is_too_large_is_refused_before_it_is_written() {
    let (_dir, file) = place();
    let project = SqliteProjectFiles::open(&file).unwrap();
    let content = vec![0; usize::try_from(MAX_FILE).unwrap() + 1];
    let error = project.write(&path("big"), &content, WriteMode::Replace).unwrap_err();
    assert!(matches!(error, ProjectError::TooLarge { .. }), "{error}");
}

#[test]
fn a_part_of_a_file_does_not_need_the_rest() {
    let (_dir, file) = place();
    let project = SqliteProjectFiles::open(&file).unwrap();
    let content: Vec<u8> = (0..3 << 20).map(|at| u8::try_from(at % 251).unwrap()).collect();
    project.write(&path("big"), &content, WriteMode::Replace).unwrap();
    let part = Part { offset: 2_000_000, limit: Some(1_000), max: 1_000 };
    let read = project.read(&path("big"), part).unwrap();
    assert_eq!(read.bytes, content[2_000_000..2_001_000]);
    assert_eq!(read.size, 3 << 20);
}

#[test]
fn a_damaged_database_is_an_error_and_no_endless_way() {
    let (_dir, file) = place();
    let project = SqliteProjectFiles::open(&file).unwrap();
    project.write(&path("a/b/c"), b"x", WriteMode::Replace).unwrap();
    drop(project);
    let other = Connection::open(&file).unwrap();
    other
        .execute_batch(
            "PRAGMA ignore_check_constraints = ON;
             INSERT INTO node (parent, name, id, size) VALUES (0, 'loop', 0, NULL);
             INSERT INTO node (parent, name, id, size) VALUES (0, '..', 99, 3);
             INSERT INTO node (parent, name, id, size) VALUES (0, 'none', 98, 3);",
        )
        .unwrap();
    drop(other);
    let project = SqliteProjectFiles::open(&file).unwrap();
    let error = project.delete(&path("loop"), DeleteReach::Recursive).unwrap_err();
    assert!(error.to_string().contains("circles"), "{error}");
    assert!(project.read(&path("none"), Part::whole(9)).is_err());
    let found = project.grep(&GrepQuery::new("x")).unwrap();
    assert!(!found.files.is_empty());
    let scratch = tempfile::tempdir().unwrap();
    let scratch = Utf8Path::from_path(scratch.path()).unwrap();
    assert!(project.materialize(scratch).is_err());
}
