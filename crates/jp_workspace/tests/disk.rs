//! The store on disk, as files: what is written, what is found damaged, what older stores hold.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{
    fs,
    os::unix::fs::symlink,
    time::{Duration, SystemTime},
};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use jp_conversation::{ConversationId, Event, EventKind};
use jp_workspace::{FsStore, Select, Store, StoreError, Wait};

struct Disk {
    _temp: tempfile::TempDir,
    storage: Utf8PathBuf,
}

impl Disk {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let storage = Utf8Path::from_path(temp.path()).unwrap().to_owned();
        Self { _temp: temp, storage }
    }

    fn store(&self) -> FsStore {
        FsStore::new(&self.storage)
    }

    fn file(&self, path: &str) -> Utf8PathBuf {
        self.storage.join("conversations").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.file(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.file(path)).unwrap()
    }

    /// The names in a conversation's directory, sorted.
    fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.file(path)).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn id(number: u64) -> ConversationId {
    ConversationId::from_u64(number)
}

fn now() -> Timestamp {
    "2026-03-18T13:19:13Z".parse().unwrap()
}

fn turn() -> Event {
    Event::new(now(), EventKind::TurnStart)
}

const ARRAY: &str = r#"[
  {"timestamp": "2026-03-18 13:19:13.281973", "type": "turn_start"},
  {"timestamp": "2026-03-18 13:19:14.5", "type": "chat_request", "content": "Hello"},
  {"timestamp": "2026-03-18 13:19:15", "type": "config_delta", "delta": {"a": 1}},
  {"timestamp": "2026-03-18 13:19:16", "type": "hologram", "beam": [1, 2]}
]
"#;

#[test]
fn a_conversation_is_two_files() {
    // 072-329
    let disk = Disk::new();
    let mut locked = disk.store().create(Some("Refactor config"), now()).unwrap();
    locked.append(&[turn()]).unwrap();
    let name = locked.id().to_string();
    assert_eq!(name, "17738399530");
    assert_eq!(disk.names(&name), ["events.jsonl", "metadata.json"]);
    assert_eq!(
        disk.read(&format!("{name}/metadata.json")),
        "{\n  \"title\": \"Refactor config\",\n  \"last_activated_at\": \"2026-03-18T13:19:13Z\"\n}\n",
    );
    assert_eq!(
        disk.read(&format!("{name}/events.jsonl")),
        "{\"timestamp\":\"2026-03-18T13:19:13Z\",\"type\":\"turn_start\"}\n",
    );
    assert_eq!(fs::read_to_string(disk.storage.join("cache/.gitignore")).unwrap(), "*\n");
}

#[test]
fn an_array_is_read_and_left_alone_until_the_first_write() {
    // 072-330, 072-333
    let disk = Disk::new();
    disk.write("17127583920-refactor-config/events.json", ARRAY);
    disk.write("17127583920-refactor-config/metadata.json", r#"{"title": "Old"}"#);
    let store = disk.store();
    let listing = store.list().unwrap();
    assert_eq!(listing.damaged, []);
    assert_eq!(listing.conversations[0].events_count, 4);
    assert_eq!(listing.conversations[0].last_activated_at.to_string(), "2026-03-18T13:19:16Z");
    let stream = store.events(id(17_127_583_920), Select::All).unwrap();
    assert!(stream.events().all(|event| event.is_ok()));
    assert_eq!(store.events(id(17_127_583_920), Select::Last(1)).unwrap().len(), 1);
    drop(store.lock(id(17_127_583_920), Wait::No).unwrap());
    assert_eq!(disk.names("17127583920-refactor-config"), ["events.json", "metadata.json"]);
    assert_eq!(disk.read("17127583920-refactor-config/events.json"), ARRAY);
}

#[test]
fn the_first_write_turns_an_array_into_lines() {
    // 072-217, 072-332, 072-334
    let disk = Disk::new();
    disk.write("17127583920-words/events.json", ARRAY);
    let store = disk.store();
    let mut locked = store.lock(id(17_127_583_920), Wait::No).unwrap();
    locked.append(&[turn()]).unwrap();
    // The lock moved along with the file.
    assert!(matches!(disk.store().lock(id(17_127_583_920), Wait::No), Err(StoreError::Locked(_))));
    drop(locked);
    assert_eq!(disk.names("17127583920-words"), ["events.jsonl"]);
    insta::assert_snapshot!(disk.read("17127583920-words/events.jsonl"), @r#"
    {"timestamp":"2026-03-18 13:19:13.281973","type":"turn_start"}
    {"timestamp":"2026-03-18 13:19:14.5","type":"chat_request","content":"Hello"}
    {"timestamp":"2026-03-18 13:19:15","type":"config_delta","delta":{"a":1}}
    {"timestamp":"2026-03-18 13:19:16","type":"hologram","beam":[1,2]}
    {"timestamp":"2026-03-18T13:19:13Z","type":"turn_start"}
    "#);
    assert_eq!(disk.store().list().unwrap().conversations[0].events_count, 5);
}

#[test]
fn a_push_after_an_array_keeps_what_it_does_not_know() {
    // 072-217
    let disk = Disk::new();
    disk.write("17/events.json", ARRAY);
    let mut locked = disk.store().lock(id(17), Wait::No).unwrap();
    let event = serde_json::json!({"type": "chat_response", "message": "hi"});
    locked.push(&[event], now()).unwrap();
    assert!(disk.read("17/events.jsonl").contains(r#""type":"hologram","beam":[1,2]"#));
}

#[test]
fn an_array_that_a_dead_converter_left_is_not_read() {
    // 072-334: the lines were durable, so they are what counts.
    let disk = Disk::new();
    disk.write("17/events.json", ARRAY);
    disk.write(
        "17/events.jsonl",
        "{\"timestamp\":\"2026-03-18T13:19:13Z\",\"type\":\"turn_start\"}\n",
    );
    let store = disk.store();
    assert_eq!(store.events(id(17), Select::All).unwrap().len(), 1);
    store.lock(id(17), Wait::No).unwrap().append(&[turn()]).unwrap();
    assert_eq!(store.events(id(17), Select::All).unwrap().len(), 2);
    assert_eq!(store.list().unwrap().conversations[0].events_count, 2);
}

#[test]
fn damaged_files_are_named_and_the_rest_is_listed() {
    let disk = Disk::new();
    disk.store().create(Some("fine"), now()).unwrap();
    disk.write("21/metadata.json", "{\"title\": \"cut o");
    disk.write("22/events.json", "[{\"timestamp\":");
    disk.write("23/metadata.json", "{}");
    fs::create_dir(disk.file("23/events.jsonl")).unwrap();
    for _ in 0..2 {
        let listing = disk.store().list().unwrap();
        assert_eq!(listing.conversations.len(), 4);
        let mut named: Vec<_> =
            listing.damaged.iter().map(|d| d.path.strip_prefix(&disk.storage).unwrap()).collect();
        named.sort();
        assert_eq!(
            named,
            [
                "conversations/21/metadata.json",
                "conversations/22/events.json",
                "conversations/23/events.jsonl",
            ],
        );
    }
    let error = disk.store().metadata(id(21)).unwrap_err().to_string();
    assert!(error.contains("conversations/21/metadata.json is damaged"), "{error}");
    let error = disk.store().events(id(22), Select::All).unwrap_err().to_string();
    assert!(error.contains("conversations/22/events.json is damaged"), "{error}");
}

#[test]
fn an_unreadable_stream_does_not_fail_a_listing() {
    // 072-165: once the index knows the conversation, its stream is not opened at all.
    let disk = Disk::new();
    let store = disk.store();
    let mut locked = store.create(Some("t"), now()).unwrap();
    locked.append(&[turn(), turn()]).unwrap();
    let name = locked.id().to_string();
    drop(locked);
    store.list().unwrap();
    fs::remove_file(disk.file(&format!("{name}/events.jsonl"))).unwrap();
    symlink("/nonexistent", disk.file(&format!("{name}/events.jsonl"))).unwrap();
    let listing = disk.store().list().unwrap();
    assert_eq!((listing.conversations[0].events_count, listing.damaged.len()), (2, 0));
}

#[test]
fn a_listing_is_the_same_after_the_cache_was_deleted() {
    // 072-166
    let disk = Disk::new();
    let store = disk.store();
    for n in 0..5 {
        let mut locked = store.create(Some("t"), now()).unwrap();
        for _ in 0..n {
            locked.append(&[turn()]).unwrap();
        }
    }
    disk.write("40-old/events.json", ARRAY);
    let before = store.list().unwrap();
    assert_eq!(before.conversations.len(), 6);
    for _ in 0..3 {
        assert_eq!(disk.store().list().unwrap(), before);
    }
    fs::remove_dir_all(disk.storage.join("cache")).unwrap();
    assert_eq!(disk.store().list().unwrap(), before);
    // The store that was open all along notices too.
    assert_eq!(store.list().unwrap(), before);
}

#[test]
fn a_cache_full_of_nonsense_is_built_again() {
    let disk = Disk::new();
    disk.store().create(Some("t"), now()).unwrap();
    let before = disk.store().list().unwrap();
    for nonsense in ["nonsense\n", "[\"e\",1]\n", "[\"c\",\"x\"]\n", "\u{0}\u{0}\u{0}\n"] {
        fs::write(disk.storage.join("cache/conversations.log"), nonsense).unwrap();
        assert_eq!(disk.store().list().unwrap(), before, "{nonsense:?}");
    }
}

#[test]
fn a_listing_follows_a_writer_who_holds_the_lock() {
    let disk = Disk::new();
    let store = disk.store();
    let mut locked = store.create(None, now()).unwrap();
    for count in 1..5 {
        locked.append(&[turn()]).unwrap();
        for store in [&store, &disk.store()] {
            assert_eq!(store.list().unwrap().conversations[0].events_count, count);
        }
        locked.set_title(Some(&count.to_string())).unwrap();
        assert_eq!(disk.store().list().unwrap().conversations[0].title, Some(count.to_string()));
    }
    drop(locked);
    // Nobody writes any more: the next listing takes a note, and the one after it reads that.
    for _ in 0..2 {
        assert_eq!(disk.store().list().unwrap().conversations[0].events_count, 4);
    }
    let log = fs::read_to_string(disk.storage.join("cache/conversations.log")).unwrap();
    assert!(log.lines().any(|line| line.contains("\"4\"") && line.ends_with(",false]")), "{log}");
}

#[test]
fn a_directory_that_did_not_change_is_not_read_again() {
    let disk = Disk::new();
    disk.write("17-words/metadata.json", "{\"title\": \"old\"}");
    disk.write("17-words/events.jsonl", "");
    let conversations = fs::File::open(disk.file("")).unwrap();
    let yesterday = SystemTime::now() - Duration::from_hours(24);
    conversations.set_modified(yesterday).unwrap();
    assert_eq!(disk.store().list().unwrap().conversations.len(), 1);
    // A new directory is noticed by the time of its parent; with the old time nobody looks.
    disk.write("18/metadata.json", "{}");
    conversations.set_modified(yesterday).unwrap();
    let listing = disk.store().list().unwrap();
    assert_eq!(listing.conversations[0].title.as_deref(), Some("old"));
    assert_eq!(listing.conversations.len(), 1);
    // What is written to a conversation that is known shows all the same.
    disk.store().lock(id(17), Wait::No).unwrap().append(&[turn()]).unwrap();
    assert_eq!(disk.store().list().unwrap().conversations[0].events_count, 1);
    conversations.set_modified(SystemTime::now()).unwrap();
    assert_eq!(disk.store().list().unwrap().conversations.len(), 2);
}

#[test]
fn an_unfinished_write_is_cut_off_by_the_next_writer() {
    // 072-335, 072-336
    let disk = Disk::new();
    let whole = "{\"timestamp\":\"2026-03-18T13:19:13Z\",\"type\":\"turn_start\"}\n";
    for torn in ["{\"timest", "{\"a\":1} \n", "{\"a\":1} \n{\"b\":2} \n{\"c", " \n"] {
        disk.write("17/events.jsonl", &format!("{whole}{torn}"));
        let store = disk.store();
        assert_eq!(store.events(id(17), Select::All).unwrap().len(), 1, "{torn:?}");
        assert_eq!(store.events(id(17), Select::Last(5)).unwrap().len(), 1, "{torn:?}");
        store.lock(id(17), Wait::No).unwrap().append(&[turn()]).unwrap();
        assert_eq!(disk.read("17/events.jsonl"), format!("{whole}{whole}"), "{torn:?}");
    }
}

#[test]
fn links_below_the_storage_are_not_followed() {
    let disk = Disk::new();
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim");
    fs::write(&victim, "").unwrap();
    disk.write("17/metadata.json", "{}");
    symlink(&victim, disk.file("17/events.jsonl")).unwrap();
    symlink(outside.path(), disk.file("18")).unwrap();
    let store = disk.store();
    for number in [17, 18] {
        assert!(store.lock(id(number), Wait::No).is_err(), "{number}");
        assert!(store.events(id(number), Select::All).is_err(), "{number}");
    }
    assert!(store.list().is_ok());
    assert_eq!(fs::read_to_string(&victim).unwrap(), "");
}

#[test]
fn what_dead_processes_left_is_not_listed_and_then_removed() {
    let disk = Disk::new();
    let yesterday = SystemTime::now() - Duration::from_hours(24);
    for name in [".new-17-1-0", ".gone-18-1-0", ".new-19-1-0"] {
        disk.write(&format!("{name}/events.jsonl"), "");
        fs::File::open(disk.file(name)).unwrap().set_modified(yesterday).unwrap();
    }
    disk.write(".new-20-1-0/metadata.json", "young");
    // The third one is alive: somebody holds its lock.
    let alive = fs::File::open(disk.file(".new-19-1-0/events.jsonl")).unwrap();
    alive.lock().unwrap();
    let store = disk.store();
    assert!(store.list().unwrap().conversations.is_empty());
    store.create(None, now()).unwrap();
    assert_eq!(disk.names(""), [".new-19-1-0", ".new-20-1-0", "17738399530"]);
}

#[test]
fn an_id_that_a_directory_with_words_has_is_not_given_again() {
    let disk = Disk::new();
    disk.write("17738399530-imported/metadata.json", "{}");
    assert_eq!(disk.store().create(None, now()).unwrap().id(), id(17_738_399_531));
}

#[test]
fn a_conversation_without_events_can_be_written_to() {
    let disk = Disk::new();
    disk.write("17/metadata.json", "{\"title\": \"bare\"}");
    let store = disk.store();
    assert!(store.events(id(17), Select::All).unwrap().is_empty());
    store.lock(id(17), Wait::No).unwrap().append(&[turn()]).unwrap();
    assert_eq!(store.list().unwrap().conversations[0].events_count, 1);
}

#[test]
fn the_log_stays_small_however_often_is_written_and_listed() {
    let disk = Disk::new();
    let store = disk.store();
    let id = store.create(None, now()).unwrap().id();
    for count in 1..300 {
        store.lock(id, Wait::No).unwrap().append(&[turn()]).unwrap();
        assert_eq!(disk.store().list().unwrap().conversations[0].events_count, count);
    }
    let log = disk.storage.join("cache/conversations.log");
    assert!(fs::metadata(&log).unwrap().len() < 10_000);
}

#[test]
fn a_store_nobody_may_write_to_can_be_read() {
    let disk = Disk::new();
    disk.store().create(Some("t"), now()).unwrap();
    // A file in the place of the cache directory stops root as well.
    fs::write(disk.storage.join("cache"), "").unwrap();
    assert_eq!(disk.store().list().unwrap().conversations.len(), 1);
}

#[test]
fn a_log_that_leads_elsewhere_is_not_believed() {
    // A workspace may come with a log; what it says must not lead out of the store.
    let disk = Disk::new();
    disk.store().create(Some("mine"), now()).unwrap();
    let victim = disk.storage.join("victim");
    fs::create_dir(&victim).unwrap();
    for directory in ["../victim", "17-/../../victim", "18", "x"] {
        let log = format!("[\"e\",17,\"{directory}\",null,null,null,0,0,0,false]\n");
        fs::create_dir_all(disk.storage.join("cache")).unwrap();
        fs::write(disk.storage.join("cache/conversations.log"), log).unwrap();
        let store = disk.store();
        assert_eq!(store.list().unwrap().conversations.len(), 1, "{directory}");
        assert!(store.path(id(17)).is_err(), "{directory}");
        assert!(store.lock(id(17), Wait::No).is_err(), "{directory}");
    }
    assert!(victim.exists());
}

#[test]
fn an_id_that_is_used_again_has_nothing_of_the_old_conversation() {
    let disk = Disk::new();
    let store = disk.store();
    let mut locked = store.create(Some("old"), now()).unwrap();
    locked.append(&[turn(), turn(), turn()]).unwrap();
    let old = locked.id();
    drop(locked);
    store.list().unwrap();
    store.lock(old, Wait::No).unwrap().remove().unwrap();
    let mut locked = store.create(Some("new"), now()).unwrap();
    assert_eq!(locked.id(), old);
    for count in [0, 1, 2] {
        for store in [&store, &disk.store()] {
            let listed = store.list().unwrap().conversations.remove(0);
            assert_eq!((listed.title.as_deref(), listed.events_count), (Some("new"), count));
        }
        locked.append(&[turn()]).unwrap();
    }
}

#[test]
fn a_file_that_something_else_has_changed_is_counted_anew() {
    let disk = Disk::new();
    let store = disk.store();
    let mut locked = store.create(None, now()).unwrap();
    for _ in 0..10 {
        locked.append(&[turn()]).unwrap();
    }
    let (name, id) = (format!("{}/events.jsonl", locked.id()), locked.id());
    drop(locked);
    assert_eq!(store.list().unwrap().conversations[0].events_count, 10);
    let shorter: String =
        disk.read(&name).lines().take(4).map(|line| format!("{line}\n")).collect();
    disk.write(&name, &shorter);
    store.lock(id, Wait::No).unwrap().append(&[turn(), turn()]).unwrap();
    assert_eq!(disk.store().list().unwrap().conversations[0].events_count, 6);
}

#[test]
fn two_directories_of_one_id_are_one_conversation_and_a_warning() {
    let disk = Disk::new();
    for name in ["17-x", "17", "17-y"] {
        disk.write(&format!("{name}/metadata.json"), &format!("{{\"title\": \"{name}\"}}"));
        disk.write(&format!("{name}/events.jsonl"), "");
    }
    for _ in 0..2 {
        let listing = disk.store().list().unwrap();
        assert_eq!(listing.conversations.len(), 1);
        assert_eq!(listing.conversations[0].title.as_deref(), Some("17"));
        assert_eq!(listing.damaged.len(), 2);
    }
}

#[test]
fn a_cache_deleted_at_any_moment_hides_nothing() {
    let disk = Disk::new();
    for _ in 0..3 {
        disk.store().create(None, now()).unwrap();
    }
    let yesterday = SystemTime::now() - Duration::from_hours(24);
    fs::File::open(disk.file("")).unwrap().set_modified(yesterday).unwrap();
    std::thread::scope(|scope| {
        let remover = scope.spawn(|| {
            for _ in 0..400 {
                let _ = fs::remove_dir_all(disk.storage.join("cache"));
                std::thread::sleep(Duration::from_micros(200));
            }
        });
        while !remover.is_finished() {
            assert_eq!(disk.store().list().unwrap().conversations.len(), 3);
        }
    });
}

#[test]
fn lines_that_are_no_events_are_reported_by_name() {
    let disk = Disk::new();
    disk.write(
        "17/events.jsonl",
        "{\"timestamp\":\"2026-03-18T13:19:13Z\",\"type\":\"turn_start\"}\nx\ny\n",
    );
    for _ in 0..2 {
        let listing = disk.store().list().unwrap();
        assert_eq!(listing.conversations[0].events_count, 3);
        assert!(listing.damaged[0].path.ends_with("17/events.jsonl"));
        assert_eq!(listing.damaged[0].reason, "2 lines cannot be read as events");
    }
}

#[test]
fn an_array_that_is_too_long_is_named_and_not_read() {
    let disk = Disk::new();
    disk.write("17/events.json", "[");
    let file = fs::File::options().write(true).open(disk.file("17/events.json")).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    let store = disk.store();
    let told = "67108865 bytes, more than the limit of 67108864";
    let listing = store.list().unwrap();
    assert!(listing.damaged[0].path.ends_with("17/events.json"), "{listing:?}");
    assert_eq!(listing.damaged[0].reason, told);
    let mut locked = store.lock(id(17), Wait::No).unwrap();
    for refused in [
        store.events(id(17), Select::All).map(drop),
        store.events(id(17), Select::Last(1)).map(drop),
        store.events(id(17), Select::Within(u64::MAX)).map(drop),
        locked.append(&[turn()]),
        locked.push(&[], now()).map(drop),
    ] {
        let message = refused.unwrap_err().to_string();
        assert!(message.ends_with(&format!("17/events.json: {told}")), "{message}");
    }
}

#[test]
fn no_more_is_read_than_somebody_has_room_for() {
    let disk = Disk::new();
    let store = disk.store();
    let mut locked = store.create(None, now()).unwrap();
    locked.append(&[turn()]).unwrap();
    let size = store.size(locked.id()).unwrap();
    locked.append(&[turn(), turn()]).unwrap();
    let count = |bytes| store.events(locked.id(), Select::Within(bytes)).unwrap().len();
    let all = store.size(locked.id()).unwrap();
    for (bytes, want) in [(0, 0), (size - 1, 0), (size, 1), (size + 1, 1), (all - 1, 1), (all, 3)] {
        assert_eq!(count(bytes), want, "{bytes}");
    }
    assert_eq!(count(u64::MAX), 3);
    disk.write("17/events.json", ARRAY);
    let size = store.size(id(17)).unwrap();
    assert_eq!(store.events(id(17), Select::Within(size)).unwrap().len(), 4);
    assert!(store.events(id(17), Select::Within(size - 1)).is_err());
}

#[test]
fn more_than_can_be_listed_is_refused_before_it_is_held() {
    let disk = Disk::new();
    let metadata = format!(r#"{{"title":"{}"}}"#, "\\u0001".repeat(4_096));
    let count = (64 << 20) / (512 + 7 * 4_096);
    for number in 1..=count {
        disk.write(&format!("{number}/metadata.json"), &metadata);
        disk.write(&format!("{number}/events.jsonl"), "");
    }
    let store = disk.store();
    assert_eq!(store.list().unwrap().conversations.len(), count);
    disk.write("9999/metadata.json", &metadata);
    for _ in 0..2 {
        let message = store.list().unwrap_err().to_string();
        let told =
            "has more conversations than can be listed: they take more than 64 MiB; move some";
        assert!(message.contains(told), "{message}");
    }
    fs::remove_dir_all(disk.file("9999")).unwrap();
    // What was noted of them is not built again each time.
    let log = disk.storage.join("cache/conversations.log");
    let length = || fs::metadata(&log).unwrap().len();
    let before = length();
    assert_eq!(disk.store().list().unwrap().conversations.len(), count);
    assert!((before..before + 100).contains(&length()), "{before} and {}", length());
}

#[test]
fn a_title_has_a_limit_and_mends_damaged_metadata() {
    let disk = Disk::new();
    let store = disk.store();
    assert!(store.create(Some(&"x".repeat(4_097)), now()).is_err());
    assert!(store.create(Some(&"x".repeat(4_096)), now()).is_ok());
    disk.write("17/metadata.json", "{\"title\": \"cut o");
    let mut locked = store.lock(id(17), Wait::No).unwrap();
    assert!(locked.set_title(Some(&"x".repeat(4_097))).is_err());
    assert_eq!(disk.read("17/metadata.json"), "{\"title\": \"cut o");
    locked.set_title(Some("mended")).unwrap();
    assert_eq!(store.metadata(id(17)).unwrap().title.as_deref(), Some("mended"));
    assert_eq!(disk.read("17/metadata.json.damaged"), "{\"title\": \"cut o");
}

#[test]
fn a_title_of_another_version_is_cut_where_all_are_listed() {
    let disk = Disk::new();
    let title = "é".repeat(40_000);
    let text = format!("{{\"title\": \"{title}\"}}");
    disk.write("17/metadata.json", &text);
    let store = disk.store();
    store.lock(id(17), Wait::No).unwrap().append(&[turn()]).unwrap();
    // What was cut is known for certain the second time: nothing is written any more.
    let listings = [0; 3].map(|_| {
        let listed = disk.store().list().unwrap().conversations.remove(0);
        let log = fs::read(disk.storage.join("cache/conversations.log")).unwrap();
        (listed.title.unwrap(), log.len())
    });
    assert!(listings[0].0.ends_with("é…") && listings[0].0.len() <= 4_096);
    assert_eq!(listings[1], listings[2]);
    assert_eq!(listings[0].0, listings[1].0);
    // By itself it is read as it stands there, and nobody has changed it.
    assert_eq!(store.metadata(id(17)).unwrap().title, Some(title));
    assert_eq!(disk.read("17/metadata.json"), text);
}

#[test]
fn a_file_replaced_under_the_lock_is_not_written_to() {
    let disk = Disk::new();
    let store = disk.store();
    let mut locked = store.create(None, now()).unwrap();
    let name = format!("{}/events.jsonl", locked.id());
    locked.append(&[turn()]).unwrap();
    fs::remove_file(disk.file(&name)).unwrap();
    disk.write(&name, "");
    let error = locked.append(&[turn()]).unwrap_err().to_string();
    assert!(error.contains("was replaced by another"), "{error}");
}
