//! Requests and their answers, on a store in memory and on one on disk.

#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use camino::Utf8Path;
use jp_config::Layer;
use jp_conversation::Stream;
use jp_plugin::{PluginToHost, to_host};
use jp_workspace::{FsStore, Listing, Locked, MemoryStore, Metadata, Wait};
use serde_json::{Value, json};

use super::*;

fn now() -> Timestamp {
    "2026-03-18T13:19:13Z".parse().unwrap()
}

fn services(store: Arc<dyn Store>) -> Services {
    let config = Config::load(vec![Layer::assignment("assistant.name=X")]).unwrap();
    Services::new(store, Arc::new(config), now)
}

fn ask(services: &Services, message: &Value) -> Value {
    let Ok(PluginToHost::Request(asked)) = to_host::parse(message.to_string().as_bytes()) else {
        panic!("{message}")
    };
    let line = match services.serve(asked) {
        Answer::Line(line) => line,
        Answer::Events(events) => {
            let mut line = Vec::new();
            events.write(|piece| {
                line.extend(piece);
                true
            });
            line
        }
    };
    assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
    serde_json::from_slice(&line).unwrap()
}

/// Every service, on any store.
fn check(store: &Arc<dyn Store>) {
    let services = services(Arc::clone(store));
    let ask = |message: Value| ask(&services, &message);
    let made = ask(json!({ "type": "create_conversation", "title": "T", "id": "a" }));
    let id = made["conversation"].clone();
    assert_eq!(made, json!({ "type": "created", "id": "a", "conversation": id }));
    let event = json!({ "type": "chat_request", "content": "Hi" });
    let pushed = ask(json!({ "type": "push_events", "conversation": id, "events": [event] }));
    assert_eq!(pushed, json!({ "type": "pushed", "conversation": id, "count": 1 }));
    let read = ask(json!({ "type": "read_events", "conversation": id, "id": "é\"" }));
    let time = "2026-03-18T13:19:13Z";
    let events = json!([
        { "timestamp": time, "type": "turn_start" },
        { "timestamp": time, "type": "chat_request", "content": "Hi" },
    ]);
    assert_eq!(read, json!({ "type": "events", "id": "é\"", "conversation": id, "data": events }));
    let listed = ask(json!({ "type": "list_conversations" }));
    let entry = json!({ "id": id, "title": "T", "last_activated_at": time, "events_count": 2 });
    assert_eq!(listed, json!({ "type": "conversations", "data": [entry] }));
    let part = ask(json!({ "type": "read_config", "path": "assistant.name" }));
    assert_eq!(part, json!({ "type": "config", "path": "assistant.name", "data": "X" }));
    // Somebody else: kept out as long as this one holds the lock.
    let other = self::services(Arc::clone(store));
    let lock = json!({ "type": "lock", "conversation": id });
    let refused = self::ask(&other, &lock);
    assert_eq!(refused["message"], "conversation is locked by another process");
    assert_eq!(ask(lock.clone())["type"], "locked");
    services.release();
    assert_eq!(self::ask(&other, &lock)["type"], "locked");
    let push = json!({ "type": "push_events", "conversation": id, "events": [] });
    let refused = ask(push);
    assert!(
        refused["message"].as_str().unwrap().contains("not locked by this plugin"),
        "{refused}"
    );
}

#[test]
fn every_service_on_both_stores() {
    check(&(Arc::new(MemoryStore::default()) as Arc<dyn Store>));
    let temp = tempfile::tempdir().unwrap();
    let storage = Utf8Path::from_path(temp.path()).unwrap();
    check(&(Arc::new(FsStore::new(storage)) as Arc<dyn Store>));
}

#[test]
fn an_event_that_nobody_could_read_hides_no_other() {
    let temp = tempfile::tempdir().unwrap();
    let storage = Utf8Path::from_path(temp.path()).unwrap();
    let services = services(Arc::new(FsStore::new(storage)) as Arc<dyn Store>);
    let ask = |message: Value| ask(&services, &message);
    let id = ask(json!({ "type": "create_conversation" }))["conversation"].clone();
    let event = json!({ "type": "chat_response", "message": "good" });
    for _ in 0..2 {
        let push = json!({ "type": "push_events", "conversation": id, "events": [event] });
        assert_eq!(ask(push)["type"], "pushed");
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        let line =
            format!(r#"{{"timestamp":"2026-03-18T13:19:13Z","type":"hologram","x":{deep}}}"#);
        let file = storage.join(format!("conversations/{}/events.jsonl", id.as_str().unwrap()));
        let mut file = std::fs::OpenOptions::new().append(true).open(file).unwrap();
        std::io::Write::write_all(&mut file, (line + "\n").as_bytes()).unwrap();
    }
    let read = ask(json!({ "type": "read_events", "conversation": id }));
    let messages: Vec<_> =
        read["data"].as_array().unwrap().iter().map(|it| &it["message"]).collect();
    assert_eq!(messages, ["good", "good"]);
}

#[test]
fn no_piece_is_long_however_long_an_event_is() {
    let services = services(Arc::new(MemoryStore::default()) as Arc<dyn Store>);
    let id = ask(&services, &json!({ "type": "create_conversation" }))["conversation"].clone();
    let text = "\u{1}".repeat(2 << 20);
    let events = json!([
        { "type": "chat_response", "message": "x".repeat(4 << 20) },
        { "type": "chat_response", "message": "y", "metadata": { "a": text } },
    ]);
    let push = json!({ "type": "push_events", "conversation": id, "events": events });
    assert_eq!(ask(&services, &push)["type"], "pushed");
    let read = json!({ "type": "read_events", "conversation": id }).to_string();
    let Ok(PluginToHost::Request(asked)) = to_host::parse(read.as_bytes()) else { panic!() };
    let Answer::Events(events) = services.serve(asked) else { panic!() };
    let (mut line, mut longest) = (Vec::new(), 0);
    events.write(|piece| {
        longest = longest.max(piece.capacity());
        line.extend(piece);
        true
    });
    assert!(longest <= 256 << 10, "{longest}");
    let read: Value = serde_json::from_slice(&line).unwrap();
    assert_eq!(read["data"][1]["metadata"]["a"], text.as_str());
    let mut count = 0;
    events.write(|_| {
        count += 1;
        count < 2
    });
    assert_eq!(count, 2);
}

#[test]
fn a_conversation_that_is_too_long_is_refused() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let services = services(Arc::clone(&store));
    let id = ask(&services, &json!({ "type": "create_conversation" }))["conversation"].clone();
    let event = json!({ "type": "chat_response", "message": "x".repeat(8 << 20) });
    let push = json!({ "type": "push_events", "conversation": id, "events": [event] });
    for _ in 0..7 {
        assert_eq!(ask(&services, &push)["type"], "pushed");
    }
    let refused = ask(&services, &json!({ "type": "read_events", "conversation": id }));
    assert!(refused["message"].as_str().unwrap().contains("more than the limit"), "{refused}");
}

/// A store in which somebody writes right after a conversation was measured.
struct Growing(MemoryStore);

impl Store for Growing {
    fn list(&self) -> Result<Listing, StoreError> {
        self.0.list()
    }

    fn create(&self, title: Option<&str>, now: Timestamp) -> Result<Box<dyn Locked>, StoreError> {
        self.0.create(title, now)
    }

    fn lock(&self, id: ConversationId, wait: Wait) -> Result<Box<dyn Locked>, StoreError> {
        self.0.lock(id, wait)
    }

    fn metadata(&self, id: ConversationId) -> Result<Metadata, StoreError> {
        self.0.metadata(id)
    }

    fn size(&self, id: ConversationId) -> Result<u64, StoreError> {
        let size = self.0.size(id);
        let event = json!({ "type": "chat_response", "message": "late" });
        self.0.lock(id, Wait::No)?.push(&[event], now())?;
        size
    }

    fn events(&self, id: ConversationId, select: Select) -> Result<Stream, StoreError> {
        self.0.events(id, select)
    }
}

#[test]
fn what_is_written_while_a_reader_waits_is_for_the_next() {
    let services = services(Arc::new(Growing(MemoryStore::default())) as Arc<dyn Store>);
    let id = ask(&services, &json!({ "type": "create_conversation" }))["conversation"].clone();
    ask(&services, &json!({ "type": "unlock", "conversation": id }));
    for count in 0..3 {
        let read = ask(&services, &json!({ "type": "read_events", "conversation": id }));
        assert_eq!(read["data"].as_array().unwrap().len(), count);
    }
}

#[test]
fn a_list_that_is_too_long_is_refused() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let services = services(Arc::clone(&store));
    let title = "\u{1}".repeat(4 << 10);
    let create = json!({ "type": "create_conversation", "title": title });
    let list = json!({ "type": "list_conversations" });
    for _ in 0..1_300 {
        assert_eq!(ask(&services, &create)["type"], "created");
    }
    let listed = ask(&services, &list);
    assert_eq!(listed["data"].as_array().unwrap().len(), 1_300);
    assert!(listed.to_string().len() < LONGEST_LIST);
    for _ in 0..100 {
        assert_eq!(ask(&services, &create)["type"], "created");
    }
    let refused = ask(&services, &list);
    assert!(refused["message"].as_str().unwrap().contains("more than the limit"), "{refused}");
    let long = json!({ "type": "create_conversation", "title": title + "x" });
    let refused = ask(&services, &long);
    assert!(refused["message"].as_str().unwrap().contains("the title has 4097 bytes"), "{refused}");
}

#[test]
fn the_length_of_a_text_as_json_is_known_before_it_is_written() {
    for text in ["", "plain é 日", "\"\\\n\r\t\u{8}\u{c}\u{b}\u{0}\u{1f} \u{7f}/"] {
        assert_eq!(written_len(text) + 2, json!(text).to_string().len(), "{text:?}");
    }
}
