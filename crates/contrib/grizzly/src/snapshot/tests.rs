//! Pictures of databases that are whole, being written, broken, or none.

#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{collections::BTreeMap, fs};

use proptest::prelude::*;
use rusqlite::{Connection, MAIN_DB};
use tempfile::TempDir;

use super::*;
use crate::fixture::{Fixture, Journal};

const LIMIT: u64 = 64 << 20;

struct World {
    dir: TempDir,
    path: Utf8PathBuf,
}

impl World {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap().join("database.sqlite");
        Self { dir, path }
    }

    fn take(&self) -> Result<Snapshot, SnapshotError> {
        let deadline = Instant::now() + Duration::from_millis(200);
        Source::new(&self.path, LIMIT).take(deadline)
    }

    /// Every file in the directory with its bytes.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(self.dir.path()).unwrap().map(Result::unwrap);
        let name = |entry: &fs::DirEntry| entry.file_name().into_string().unwrap();
        entries.map(|entry| (name(&entry), fs::read(entry.path()).unwrap())).collect()
    }

    /// The error, which never takes long.
    fn error(&self) -> String {
        self.take().unwrap_err().to_string().replace(self.path.as_str(), "FILE")
    }
}

/// What SQLite makes of a picture: whether it is sound, and the texts of the two ledgers.
fn look(image: &[u8]) -> (String, Vec<String>) {
    let mut connection = Connection::open_in_memory().unwrap();
    connection.deserialize_read_exact(MAIN_DB, image, image.len(), true).unwrap();
    let sound = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    let sql = "SELECT ZTEXT FROM ZSFNOTE WHERE ZTITLE LIKE 'Ledger%' ORDER BY Z_PK";
    let mut statement = connection.prepare(sql).unwrap();
    let texts = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    (sound, texts)
}

fn count(connection: &Connection, number: i64) {
    let sql = "UPDATE ZSFNOTE SET ZTEXT = ?1 WHERE ZTITLE LIKE 'Ledger%'";
    connection.execute(sql, [number.to_string()]).unwrap();
}

#[test]
fn what_is_only_in_the_log_is_seen() {
    let world = World::new();
    let connection = Fixture::default().create(&world.path).unwrap();
    assert!(world.files().contains_key("database.sqlite-wal"));
    for number in 1..30 {
        count(&connection, number);
        let (sound, ledgers) = look(&world.take().unwrap().image);
        assert_eq!(sound, "ok");
        assert_eq!(ledgers, [number.to_string(), number.to_string()]);
        if number % 10 == 0 {
            connection.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).unwrap();
        }
    }
    drop(connection);
    assert_eq!(world.files().len(), 1, "the log is gone with the last connection");
    sleep(SETTLED * 2);
    assert_eq!(look(&world.take().unwrap().image).1, ["29", "29"]);
}

/// Nothing in the directory changes, not even the shared memory beside the database; and a writer that
/// lets nobody else in does not keep us out, because we do not ask.
#[test]
fn nothing_is_written_and_nothing_is_locked() {
    let world = World::new();
    let connection = Fixture::default().create(&world.path).unwrap();
    count(&connection, 7);
    let before = world.files();
    world.take().unwrap();
    assert_eq!(world.files(), before);
    drop(connection);

    let connection = Connection::open(&world.path).unwrap();
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE").unwrap();
    count(&connection, 8);
    let other = Connection::open(&world.path).unwrap();
    let refused = other.query_row("SELECT count(*) FROM ZSFNOTE", [], |row| row.get::<_, i64>(0));
    assert_eq!(refused.unwrap_err().sqlite_error_code(), Some(rusqlite::ErrorCode::DatabaseBusy));
    drop(other);
    let before = world.files();
    assert_eq!(look(&world.take().unwrap().image).1, ["8", "8"]);
    assert_eq!(world.files(), before);
    count(&connection, 9);
    assert_eq!(look(&world.take().unwrap().image).1, ["9", "9"]);
}

/// A copy of the database and its log, without the shared memory, in a place where none can be made.
#[test]
fn the_shared_memory_is_not_needed() {
    let world = World::new();
    let connection = Fixture::default().create(&world.path).unwrap();
    count(&connection, 5);
    let copy = World::new();
    for suffix in ["", "-wal"] {
        fs::copy(format!("{}{suffix}", world.path), format!("{}{suffix}", copy.path)).unwrap();
    }
    assert_eq!(look(&copy.take().unwrap().image).1, ["5", "5"]);
    assert_eq!(copy.files().len(), 2);
}

#[test]
fn the_log_lies_beside_the_file_and_not_beside_a_link_to_it() {
    let world = World::new();
    let connection = Fixture::default().create(&world.path).unwrap();
    count(&connection, 3);
    let elsewhere = World::new();
    std::os::unix::fs::symlink(&world.path, &elsewhere.path).unwrap();
    assert_eq!(look(&elsewhere.take().unwrap().image).1, ["3", "3"]);
}

/// A clock that was set back, or that of another machine: the time of the file says nothing about when it
/// was written, but it has not changed while we looked.
#[test]
fn a_time_ahead_of_the_clock_is_no_hindrance() {
    for journal in [Journal::Wal, Journal::Delete] {
        let world = World::new();
        let connection = Fixture { journal, ..Fixture::default() }.create(&world.path).unwrap();
        count(&connection, 4);
        let ahead = SystemTime::now() + Duration::new(3600, 1);
        fs::File::options().write(true).open(&world.path).unwrap().set_modified(ahead).unwrap();
        let source = Source::new(&world.path, LIMIT);
        let mut watch = Watch::default();
        let deadline = Instant::now() + Duration::from_secs(2);
        let first = source.take_watched(&mut watch, deadline).unwrap();
        assert_eq!(look(&first.image).1, ["4", "4"]);
        sleep(SETTLED * 2);
        let second = source.take_watched(&mut watch, deadline).unwrap();
        assert!(second.is_settled, "what has been seen for a while need not be read again");
        // A change is a change all the same.
        count(&connection, 5);
        let third =
            source.take_watched(&mut watch, Instant::now() + Duration::from_secs(2)).unwrap();
        assert_eq!(look(&third.image).1, ["5", "5"]);
    }
}

#[test]
fn a_transaction_in_the_old_way_is_waited_for() {
    let world = World::new();
    let fixture = Fixture { journal: Journal::Delete, ..Fixture::default() };
    let mut connection = fixture.create(&world.path).unwrap();
    sleep(SETTLED * 2);
    assert_eq!(look(&world.take().unwrap().image).0, "ok");
    // A cache of nothing makes SQLite write pages before the commit.
    connection.pragma_update(None, "cache_size", 1).unwrap();
    let transaction = connection.transaction().unwrap();
    transaction.execute("UPDATE ZSFNOTE SET ZTEXT = ZTEXT || 'x'", []).unwrap();
    let error = world.take().unwrap_err();
    assert!(matches!(error, SnapshotError::Unfinished { .. }), "{error}");
    assert!(error.is_transient());
    transaction.commit().unwrap();
    sleep(SETTLED * 2);
    assert_eq!(look(&world.take().unwrap().image).0, "ok");
    // What is left from a journal that was wiped says nothing.
    fs::write(format!("{}-journal", world.path), [0; 512]).unwrap();
    assert_eq!(look(&world.take().unwrap().image).0, "ok");
}

#[test]
fn what_is_no_database_is_said() {
    let world = World::new();
    assert_eq!(
        world.error(),
        "FILE: there is no such file; say where Bear keeps its notes with --database PATH"
    );
    let not = "FILE: not an SQLite database, or one that is encrypted as a whole";
    for bytes in [&b""[..], b"x", &[0x5a; 4096], b"SQLite format 3", b"<html>"] {
        fs::write(&world.path, bytes).unwrap();
        sleep(SETTLED * 2);
        assert_eq!(world.error(), not, "{} bytes", bytes.len());
    }
    fs::remove_file(&world.path).unwrap();
    fs::create_dir(&world.path).unwrap();
    let file = "FILE: not a file; --database wants the file `database.sqlite` itself";
    assert_eq!(world.error(), file);
    fs::remove_dir(&world.path).unwrap();
    let mode = rustix::fs::Mode::RUSR;
    rustix::fs::mknodat(
        rustix::fs::CWD,
        world.path.as_std_path(),
        rustix::fs::FileType::Fifo,
        mode,
        0,
    )
    .unwrap();
    assert_eq!(world.error(), file, "a pipe is not waited for");
}

/// Tests may run as root, who may read everything, so this is not tried on a file.
#[test]
fn what_may_not_be_read_says_what_to_do() {
    let denied = io::Error::from(io::ErrorKind::PermissionDenied);
    let error = Source::new("FILE", LIMIT).failed(denied);
    assert!(error.to_string().starts_with("FILE: may not be read; on macOS, let the program"));
}

#[test]
fn what_is_newer_or_too_large_is_said() {
    let world = World::new();
    drop(Fixture::default().create(&world.path).unwrap());
    sleep(SETTLED * 2);
    let deadline = Instant::now() + Duration::from_secs(1);
    let error = Source::new(&world.path, 1000).take(deadline).unwrap_err();
    assert!(matches!(error, SnapshotError::TooLarge { max: 1000, .. }), "{error}");
    let mut bytes = fs::read(&world.path).unwrap();
    bytes[19] = 3;
    fs::write(&world.path, bytes).unwrap();
    sleep(SETTLED * 2);
    assert!(world.error().starts_with("FILE: written in format 3 of SQLite, known is 2"));
}

/// A log that claims a database of many gigabytes costs nothing.
#[test]
fn the_size_that_a_log_claims_is_not_believed() {
    let world = World::new();
    drop(Fixture::default().create(&world.path).unwrap());
    fs::write(format!("{}-wal", world.path), log(MAGIC_LOW, &[(1, u32::MAX, 7)])).unwrap();
    let error = world.take().unwrap_err();
    assert!(matches!(error, SnapshotError::TooLarge { .. }), "{error}");
}

const MAGIC_LOW: u32 = 0x377f_0682;
const MAGIC_HIGH: u32 = 0x377f_0683;

/// A log of pages of 512 bytes: for each frame the page, the size after it, and what the page is full of.
fn log(magic: u32, frames: &[(u32, u32, u8)]) -> Vec<u8> {
    let sum = |state: (u32, u32), bytes: &[u8]| {
        let words = bytes.chunks(4).map(|word| {
            let word: [u8; 4] = word.try_into().unwrap();
            if magic == MAGIC_LOW { u32::from_le_bytes(word) } else { u32::from_be_bytes(word) }
        });
        let words: Vec<u32> = words.collect();
        words.chunks(2).fold(state, |(one, two), pair| {
            let one = one.wrapping_add(pair[0]).wrapping_add(two);
            (one, two.wrapping_add(pair[1]).wrapping_add(one))
        })
    };
    let mut bytes = Vec::new();
    for word in [magic, 3_007_000, 512, 0, 11, 22] {
        bytes.extend(word.to_be_bytes());
    }
    let mut state = sum((0, 0), &bytes);
    bytes.extend([state.0.to_be_bytes(), state.1.to_be_bytes()].concat());
    for (page, size, fill) in frames {
        let start = [page.to_be_bytes(), size.to_be_bytes()].concat();
        let data = [*fill; 512];
        state = sum(sum(state, &start), &data);
        bytes.extend(start);
        bytes.extend([11_u32.to_be_bytes(), 22_u32.to_be_bytes()].concat());
        bytes.extend([state.0.to_be_bytes(), state.1.to_be_bytes()].concat());
        bytes.extend(data);
    }
    bytes
}

#[test]
fn a_log_counts_up_to_its_last_commit_in_both_byte_orders() {
    for magic in [MAGIC_LOW, MAGIC_HIGH] {
        let frames = [(1, 0, 1), (2, 3, 2), (3, 3, 3), (1, 2, 4), (2, 0, 9)];
        let bytes = log(magic, &frames);
        let after = |bytes: &[u8]| {
            let mut image = vec![0; 1024];
            Log::read(bytes).unwrap().lay_over(&mut image);
            image.chunks(512).map(|page| page[0]).collect::<Vec<_>>()
        };
        // The last frame was not committed, and the commit before it made the database smaller.
        assert_eq!(after(&bytes), [4, 2]);
        let frame = 24 + 512;
        assert_eq!(after(&bytes[..HEADER + 3 * frame]), [1, 2, 3]);
        assert_eq!(after(&bytes[..HEADER + 2 * frame + 100]), [1, 2, 0]);
        assert_eq!(after(&bytes[..HEADER + frame]), [0, 0]);
        let mut broken = bytes.clone();
        broken[HEADER + 2 * frame + 50] ^= 1;
        assert_eq!(after(&broken), [1, 2, 0]);
        broken[25] ^= 1;
        assert!(Log::read(&broken).is_none());
    }
}

proptest! {
    #[test]
    fn any_bytes_can_be_a_log(mut bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let mut image = vec![0; 1024];
        if let Some(log) = Log::read(&bytes) {
            log.lay_over(&mut image);
        }
        // With a header that is right, whatever follows.
        let header = log(MAGIC_LOW, &[]);
        bytes.splice(..bytes.len().min(HEADER), header);
        let log = Log::read(&bytes).unwrap();
        prop_assert_eq!(log.database_bytes(), 0);
    }
}

/// Cut anywhere, a log gives the state of some commit, whole.
#[test]
fn a_log_that_was_not_written_to_its_end_gives_an_earlier_state() {
    let world = World::new();
    let connection = Fixture { notes: 5, ..Fixture::default() }.create(&world.path).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    (1..6).for_each(|number| count(&connection, number));
    let wal = fs::read(format!("{}-wal", world.path)).unwrap();
    let copy = World::new();
    fs::copy(&world.path, &copy.path).unwrap();
    sleep(SETTLED * 2);
    let mut seen = std::collections::BTreeSet::new();
    for cut in (0..=wal.len()).step_by(777).chain([wal.len()]) {
        fs::write(format!("{}-wal", copy.path), &wal[..cut]).unwrap();
        let (sound, ledgers) = look(&copy.take().unwrap().image);
        assert_eq!(sound, "ok");
        assert_eq!(ledgers[0].replace("one", ""), ledgers[1].replace("two", ""), "{cut}");
        seen.insert(ledgers[0].clone());
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
}
