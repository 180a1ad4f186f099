//! Pictures of a database while another process writes it as fast as it can.

#![expect(clippy::disallowed_methods, reason = "tests build their own files")]
#![expect(clippy::unwrap_used, reason = "tests may fail")]

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use grizzly::{
    Budget, Library, LibraryError,
    fixture::{Fixture, Journal},
    library::Body,
    snapshot::{Source, Stamp},
};
use jp_test::{Running, TestEnv};
use rusqlite::{Connection, MAIN_DB};
use tempfile::TempDir;

const WRITING: Duration = Duration::from_secs(3);

struct Scene {
    _dir: TempDir,
    path: Utf8PathBuf,
}

impl Scene {
    fn new(journal: Journal) -> Self {
        let dir = TempDir::new().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap().join("database.sqlite");
        let fixture = Fixture { notes: 200, journal, ..Fixture::default() };
        drop(fixture.create(&path).unwrap());
        Self { _dir: dir, path }
    }

    fn names(&self) -> BTreeSet<String> {
        let entries = std::fs::read_dir(self.path.parent().unwrap()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

/// Starts the writer in a process of its own.
fn writer(env: &TestEnv, scene: &Scene) -> Running {
    let seconds = WRITING.as_secs().to_string();
    env.jp([scene.path.as_str(), "--churn", &seconds]).timeout(Duration::from_mins(2)).spawn()
}

/// What is in both ledgers, after SQLite found the whole picture sound.
fn ledgers(image: &[u8]) -> [String; 2] {
    let mut connection = Connection::open_in_memory().unwrap();
    connection.deserialize_read_exact(MAIN_DB, image, image.len(), true).unwrap();
    let sound: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    let budget = Budget::of(Duration::from_mins(1));
    let library = Library::open(Utf8Path::new("FILE"), image, budget).unwrap();
    let mut texts = Vec::new();
    library
        .notes(|head, body| {
            if let (true, Body::Text(text)) = (head.title.starts_with("Ledger"), body) {
                texts.push(text.lines().nth(1).unwrap_or_default().to_owned());
            }
            Ok(())
        })
        .unwrap();
    texts.try_into().unwrap()
}

/// Takes pictures until the writer is done; how many there were, and of how many states.
fn watch(scene: &Scene, patience: Duration) -> (usize, usize) {
    let source = Source::new(&scene.path, 256 << 20);
    let end = Instant::now() + WRITING;
    let (mut taken, mut states) = (0, BTreeSet::new());
    while Instant::now() < end {
        match source.take(Instant::now() + patience) {
            Ok(snapshot) => {
                let [one, two] = ledgers(&snapshot.image);
                assert_eq!(one, two, "half a transaction was seen");
                taken += 1;
                states.insert(one);
            }
            Err(error) => assert!(error.is_transient(), "{error}"),
        }
    }
    (taken, states.len())
}

#[test]
fn with_a_log_every_picture_is_whole_and_nobody_waits() {
    let scene = Scene::new(Journal::Wal);
    let env = TestEnv::new(env!("CARGO_BIN_EXE_grizzly-fixture"));
    let writer = writer(&env, &scene);
    let (taken, states) = watch(&scene, Duration::from_secs(2));
    // The writer would fail if anybody kept it from writing.
    let output = writer.wait().success();
    assert!(taken >= 5 && states >= 3, "{taken} pictures of {states} states; {output}");
    let after = scene.names();
    let own = ["database.sqlite", "database.sqlite-shm", "database.sqlite-wal"];
    assert!(after.iter().all(|name| own.contains(&name.as_str())), "{after:?}");
}

/// In the old way of writing there may be no quiet moment, but no picture is ever wrong.
#[test]
fn without_a_log_no_picture_is_torn() {
    let scene = Scene::new(Journal::Delete);
    let env = TestEnv::new(env!("CARGO_BIN_EXE_grizzly-fixture"));
    let writer = writer(&env, &scene);
    watch(&scene, Duration::from_millis(300));
    writer.wait().success();
    std::thread::sleep(Duration::from_millis(50));
    let quiet = Source::new(&scene.path, 256 << 20);
    let [one, two] = ledgers(&quiet.take(Instant::now() + Duration::from_secs(2)).unwrap().image);
    assert_eq!(one, two);
    assert_ne!(one, "0");
}

/// A shelf gives the library again while nothing has changed, and a new one when something has.
#[test]
fn a_change_is_seen_by_the_next_call() {
    let scene = Scene::new(Journal::Wal);
    let mut shelf = grizzly::Shelf::new(Source::new(&scene.path, 256 << 20));
    let connection = Connection::open(&scene.path).unwrap();
    let mut titles = || -> Result<Vec<String>, LibraryError> {
        let library = shelf.library(Budget::of(Duration::from_mins(1)))?;
        let mut titles = Vec::new();
        library.heads(|head| titles.push(head.title))?;
        Ok(titles)
    };
    for number in 0..40 {
        let title = format!("Change {number}");
        connection.execute("UPDATE ZSFNOTE SET ZTITLE = ?1 WHERE Z_PK = 1", [&title]).unwrap();
        assert_eq!(titles().unwrap()[0], title);
        assert_eq!(titles().unwrap()[0], title);
    }
    let stamp = |path: &Utf8Path| -> Stamp { Source::new(path, 1).stamp().unwrap() };
    assert_eq!(stamp(&scene.path), stamp(&scene.path));
    drop(connection);
    std::fs::remove_file(&scene.path).unwrap();
    assert!(titles().unwrap_err().to_string().contains("there is no such file"));
}
