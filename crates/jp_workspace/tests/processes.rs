//! The store with several processes on it, and with processes that are killed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests start their own processes and build their own files"
)]

use std::{
    collections::HashSet,
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use jp_conversation::{ConversationId, Event, EventKind, Stream};
use jp_workspace::{FsStore, Select, Store, Wait};

struct Fixture {
    _temp: tempfile::TempDir,
    storage: Utf8PathBuf,
    store: FsStore,
}

fn fixture() -> Fixture {
    let temp = tempfile::tempdir().unwrap();
    let storage = Utf8Path::from_path(temp.path()).unwrap().to_owned();
    let store = FsStore::new(&storage);
    Fixture { _temp: temp, storage, store }
}

/// The example is built together with the tests and lies beside them.
fn worker(storage: &Utf8Path, args: &[&str]) -> Child {
    let deps = std::env::current_exe().unwrap();
    let program = deps.parent().unwrap().with_file_name("examples").join("store_worker");
    Command::new(&program)
        .arg(storage)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("{}: {error}; run `cargo build -p jp_workspace --examples`", program.display())
        })
}

fn kill_after(mut child: Child, delay: Duration) {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    std::thread::sleep(delay);
    assert!(child.try_wait().unwrap().is_none(), "the worker ended by itself");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Delays that differ from round to round and are the same in every run.
fn delays(rounds: u64) -> impl Iterator<Item = Duration> {
    (0..rounds).map(|n| Duration::from_micros((n * 7_919) % 25_000))
}

#[test]
fn stress_four_processes_never_hold_one_lock_together() {
    let fixture = fixture();
    let id = fixture.store.create(None, Timestamp::now()).unwrap().id().to_string();
    let witness = fixture.storage.join("witness");
    let started = Instant::now();
    let workers: Vec<Child> = (0..4)
        .map(|_| worker(&fixture.storage, &["lock", &id, "100000", witness.as_str()]))
        .collect();
    for worker in workers {
        let output = worker.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    println!("400,000 locks in {:?}", started.elapsed());
}

#[test]
fn stress_two_hundred_creates_from_four_processes_are_two_hundred_conversations() {
    // 072-226
    let fixture = fixture();
    let workers: Vec<Child> = (0..4).map(|_| worker(&fixture.storage, &["create", "50"])).collect();
    let mut ids = HashSet::new();
    for worker in workers {
        let output = worker.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        ids.extend(String::from_utf8(output.stdout).unwrap().lines().map(ToOwned::to_owned));
    }
    assert_eq!(ids.len(), 200);
    let listing = fixture.store.list().unwrap();
    let listed: HashSet<String> = listing.conversations.iter().map(|c| c.id.to_string()).collect();
    assert_eq!(listed, ids);
    assert_eq!(listing.damaged, []);
}

#[test]
fn stress_a_killed_writer_leaves_whole_batches_only() {
    // 072-194, 072-335, 072-336
    let fixture = fixture();
    let id = fixture.store.create(None, Timestamp::now()).unwrap().id();
    let mut before = 0;
    for delay in delays(100) {
        kill_after(worker(&fixture.storage, &["append", &id.to_string()]), delay);
        // Listing, reading and locking all work, at once and without help.
        let listed = fixture.store.list().unwrap();
        assert_eq!(listed.damaged, []);
        let stream = fixture.store.events(id, Select::All).unwrap();
        assert_eq!(listed.conversations[0].events_count, stream.len() as u64);
        assert!(stream.len() >= before, "events were lost");
        before = stream.len();
        assert_whole_batches(&stream);
        // The next writer goes on behind them.
        fixture.store.lock(id, Wait::No).unwrap();
    }
    assert!(before > 100, "only {before} events were ever written");
}

fn assert_whole_batches(stream: &Stream) {
    let mut next = 0;
    for event in stream.events() {
        let event = event.unwrap();
        let number = |field: &str| event.metadata[field].as_u64().unwrap();
        assert_eq!(number("index"), next);
        next = if next + 1 == number("size") { 0 } else { next + 1 };
    }
    assert_eq!(next, 0, "the last batch is not whole");
}

#[test]
fn stress_a_killed_creator_leaves_a_whole_conversation_or_none() {
    let fixture = fixture();
    for delay in delays(60) {
        kill_after(worker(&fixture.storage, &["create-forever"]), delay);
        let listing = fixture.store.list().unwrap();
        assert_eq!(listing.damaged, []);
        for conversation in &listing.conversations {
            assert_eq!(conversation.title.as_deref(), Some("made to be killed"));
            assert!([0, 3].contains(&conversation.events_count), "{conversation:?}");
        }
    }
    let made = fixture.store.list().unwrap().conversations.len();
    assert!(made > 20, "only {made} conversations were ever made");
}

#[test]
fn stress_a_listing_never_shows_another_title_than_the_file() {
    let fixture = fixture();
    let id = fixture.store.create(Some("title"), Timestamp::now()).unwrap().id();
    for delay in delays(40) {
        kill_after(worker(&fixture.storage, &["rename", &id.to_string()]), delay);
        let listed = fixture.store.list().unwrap().conversations.remove(0).title;
        assert_eq!(listed, fixture.store.metadata(id).unwrap().title);
    }
}

#[test]
fn stress_a_killed_conversion_loses_nothing() {
    // 072-334
    let fixture = fixture();
    let array: Vec<String> = (0..4_000)
        .map(|n| format!(r#"{{"timestamp":"2026-03-18 13:19:13.281973","type":"chat_response","message":"{n}"}}"#))
        .collect();
    let array = format!("[{}]", array.join(",\n"));
    for (number, delay) in delays(40).enumerate() {
        let id = ConversationId::from_u64(100 + number as u64);
        let directory = fixture.storage.join(format!("conversations/{id}-old"));
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("events.json"), &array).unwrap();
        kill_after(worker(&fixture.storage, &["append", &id.to_string()]), delay);
        let stream = fixture.store.events(id, Select::All).unwrap();
        assert!(stream.len() >= 4_000);
        assert!(stream.events().all(|event| event.is_ok()));
        fixture.store.lock(id, Wait::No).unwrap().append(&[turn()]).unwrap();
        assert!(fixture.store.events(id, Select::All).unwrap().len() > 4_000);
    }
}

fn turn() -> Event {
    Event::new(Timestamp::now(), EventKind::TurnStart)
}

#[test]
fn a_lock_is_free_as_soon_as_its_holder_is_killed() {
    let fixture = fixture();
    let id = fixture.store.create(None, Timestamp::now()).unwrap().id();
    for delay in delays(10) {
        kill_after(worker(&fixture.storage, &["append", &id.to_string()]), delay);
        assert!(fixture.store.lock(id, Wait::No).is_ok());
    }
}
