//! What every store has to do, run against each of them.

use std::time::Duration;

use jiff::Timestamp;
use jp_conversation::{ChatRequest, ChatResponse, ConversationId, Event, EventKind};
use serde_json::{Value, json};

use super::*;

/// A store and whatever has to live as long as it does.
type Fixture = (Box<dyn Store>, Option<tempfile::TempDir>);

fn on_disk() -> Fixture {
    let temp = tempfile::tempdir().unwrap();
    let store = FsStore::new(camino::Utf8Path::from_path(temp.path()).unwrap());
    (Box::new(store), Some(temp))
}

fn in_memory() -> Fixture {
    (Box::<MemoryStore>::default(), None)
}

/// One test for each behaviour and store.
macro_rules! suite {
    ($($name:ident),+ $(,)?) => {
        mod fs { $(#[test] fn $name() { super::$name(super::on_disk()); })+ }
        mod memory { $(#[test] fn $name() { super::$name(super::in_memory()); })+ }
    };
}

suite!(
    starts_empty,
    creates_with_the_lock_held,
    gives_every_conversation_its_own_id,
    appends_in_order,
    reads_the_last_events,
    lists_the_latest_first,
    excludes_a_second_holder,
    waits_for_a_lock_as_long_as_asked,
    renames,
    removes,
    refuses_what_is_not_there,
    pushes_what_is_valid,
    rejects_a_push_whole,
    checks_a_push_against_earlier_events,
    keeps_any_title,
);

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second).unwrap()
}

fn said(second: i64, text: &str) -> Event {
    Event::new(at(second), EventKind::ChatResponse(ChatResponse::Message(text.to_owned())))
}

fn texts(store: &dyn Store, id: ConversationId, select: Select) -> Vec<String> {
    let stream = store.events(id, select).unwrap();
    stream
        .events()
        .map(|event| match event.unwrap().kind {
            EventKind::ChatResponse(ChatResponse::Message(text)) => text,
            EventKind::ChatRequest(ChatRequest { content, .. }) => content,
            other => other.type_name().to_owned(),
        })
        .collect()
}

fn starts_empty((store, _temp): Fixture) {
    // 072-160
    assert_eq!(store.list().unwrap(), Listing::default());
}

fn creates_with_the_lock_held((store, _temp): Fixture) {
    // 072-225, 072-227 to 072-229
    let mut locked = store.create(Some("First"), at(0)).unwrap();
    let id = locked.id();
    assert!(matches!(store.lock(id, Wait::No), Err(StoreError::Locked(_))));
    locked.append(&[said(1, "hello")]).unwrap();
    drop(locked);
    assert!(store.lock(id, Wait::No).is_ok());
    let listing = store.list().unwrap();
    assert_eq!(listing.conversations[0].title.as_deref(), Some("First"));
    assert_eq!(store.metadata(id).unwrap().title.as_deref(), Some("First"));
}

fn gives_every_conversation_its_own_id((store, _temp): Fixture) {
    // 072-226: all in the same decisecond.
    let ids: Vec<_> = (0..20).map(|_| store.create(None, at(0)).unwrap().id()).collect();
    let expected: Vec<_> =
        (0..20).map(|n| ConversationId::from_u64(ConversationId::at(at(0)).as_u64() + n)).collect();
    assert_eq!(ids, expected);
}

fn appends_in_order((store, _temp): Fixture) {
    // 072-169, 072-201
    let mut locked = store.create(None, at(0)).unwrap();
    let id = locked.id();
    locked.append(&[said(1, "a")]).unwrap();
    locked.append(&[]).unwrap();
    locked.append(&[said(2, "b"), said(3, "c")]).unwrap();
    assert_eq!(texts(&*store, id, Select::All), ["a", "b", "c"]);
    drop(locked);
    store.lock(id, Wait::No).unwrap().append(&[said(4, "d")]).unwrap();
    assert_eq!(texts(&*store, id, Select::All), ["a", "b", "c", "d"]);
    assert_eq!(store.list().unwrap().conversations[0].events_count, 4);
}

fn reads_the_last_events((store, _temp): Fixture) {
    let mut locked = store.create(None, at(0)).unwrap();
    let id = locked.id();
    for n in 0..300 {
        locked.append(&[said(n, &format!("{n} {}", "x".repeat(997)))]).unwrap();
    }
    for count in [0, 1, 50, 250, 300, 1000] {
        let last = texts(&*store, id, Select::Last(count));
        let all = texts(&*store, id, Select::All);
        assert_eq!(last, all[300_usize.saturating_sub(count)..], "{count}");
    }
}

fn lists_the_latest_first((store, _temp): Fixture) {
    // 072-161 to 072-164
    let first = store.create(Some("first"), at(0)).unwrap().id();
    let second = store.create(None, at(10)).unwrap().id();
    let order = |store: &dyn Store| -> Vec<_> {
        store.list().unwrap().conversations.into_iter().map(|c| c.id).collect()
    };
    assert_eq!(order(&*store), [second, first]);
    store.lock(first, Wait::No).unwrap().append(&[said(20, "x"), said(21, "y")]).unwrap();
    assert_eq!(order(&*store), [first, second]);
    let listing = store.list().unwrap();
    let expected = Summary {
        id: first,
        title: Some("first".to_owned()),
        last_activated_at: at(21),
        events_count: 2,
    };
    assert_eq!(listing.conversations[0], expected);
    assert_eq!(
        (listing.conversations[1].events_count, listing.conversations[1].title.clone()),
        (0, None)
    );
}

fn excludes_a_second_holder((store, _temp): Fixture) {
    // 072-188 to 072-190, 072-192
    let id = store.create(None, at(0)).unwrap().id();
    let held = store.lock(id, Wait::No).unwrap();
    let Err(error) = store.lock(id, Wait::No) else { panic!("two holders") };
    assert_eq!(error.to_string(), "conversation is locked by another process");
    drop(held);
    assert!(store.lock(id, Wait::No).is_ok());
}

fn waits_for_a_lock_as_long_as_asked((store, _temp): Fixture) {
    let id = store.create(None, at(0)).unwrap().id();
    let held = store.lock(id, Wait::No).unwrap();
    assert!(matches!(
        store.lock(id, Wait::AtMost(Duration::from_millis(20))),
        Err(StoreError::Locked(_))
    ));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| store.lock(id, Wait::AtMost(Duration::from_secs(20))).is_ok());
        std::thread::sleep(Duration::from_millis(20));
        drop(held);
        assert!(waiting.join().unwrap());
    });
}

fn renames((store, _temp): Fixture) {
    let id = store.create(Some("old"), at(0)).unwrap().id();
    store.lock(id, Wait::No).unwrap().append(&[said(1, "x")]).unwrap();
    for title in [Some("new"), None] {
        store.lock(id, Wait::No).unwrap().set_title(title).unwrap();
        let listing = store.list().unwrap();
        assert_eq!(listing.conversations[0].title.as_deref(), title);
        assert_eq!(listing.conversations[0].events_count, 1);
        assert_eq!(listing.conversations[0].last_activated_at, at(1));
        assert_eq!(store.metadata(id).unwrap().title.as_deref(), title);
    }
}

fn removes((store, _temp): Fixture) {
    let id = store.create(None, at(0)).unwrap().id();
    let other = store.create(None, at(1)).unwrap().id();
    store.lock(id, Wait::No).unwrap().remove().unwrap();
    assert!(matches!(store.lock(id, Wait::No), Err(StoreError::NotFound(_))));
    let left: Vec<_> = store.list().unwrap().conversations.iter().map(|c| c.id).collect();
    assert_eq!(left, [other]);
}

fn refuses_what_is_not_there((store, _temp): Fixture) {
    // 072-177
    let id = ConversationId::from_u64(999);
    let Err(error) = store.events(id, Select::All) else { panic!("found") };
    assert_eq!(error.to_string(), "conversation not found: 999");
    assert!(matches!(store.metadata(id), Err(StoreError::NotFound(_))));
    assert!(matches!(store.lock(id, Wait::No), Err(StoreError::NotFound(_))));
    assert_eq!(store.list().unwrap(), Listing::default());
}

fn pushes_what_is_valid((store, _temp): Fixture) {
    // 072-199, 072-200, 072-210, 072-224
    let mut locked = store.create(None, at(0)).unwrap();
    let call =
        json!({"type": "tool_call_request", "id": "a", "name": "x", "arguments": {"p": "q"}});
    let count =
        locked.push(&[json!({"type": "chat_request", "content": "Hi"}), call.clone()], at(1));
    assert_eq!(count.unwrap(), 2);
    let stream = store.events(locked.id(), Select::All).unwrap();
    let objects: Vec<Value> = stream.objects().map(|o| Value::Object(o.unwrap())).collect();
    assert_eq!(objects.len(), 3);
    assert_eq!(objects[0]["type"], "turn_start");
    assert_eq!(objects[2]["arguments"], call["arguments"]);
    assert_eq!(store.list().unwrap().conversations[0].events_count, 3);
}

fn rejects_a_push_whole((store, _temp): Fixture) {
    // 072-218, 072-220
    let mut locked = store.create(None, at(0)).unwrap();
    let id = locked.id();
    locked.append(&[said(1, "before")]).unwrap();
    let good = json!({"type": "chat_response", "message": "fine"});
    let bad =
        json!({"type": "tool_call_response", "id": "tc_99", "content": "", "is_error": false});
    let error = locked.push(&[good.clone(), bad], at(2)).unwrap_err().to_string();
    assert_eq!(error, "ToolCallResponse references unknown request ID `tc_99` (event at index 1)");
    assert_eq!(texts(&*store, id, Select::All), ["before"]);
    assert_eq!(locked.push(&[good], at(3)).unwrap(), 1);
    assert_eq!(texts(&*store, id, Select::All), ["before", "fine"]);
}

fn checks_a_push_against_earlier_events((store, _temp): Fixture) {
    // 072-197, 072-207: also events that another holder wrote before.
    let id = store.create(None, at(0)).unwrap().id();
    let result = json!({"type": "tool_call_response", "id": "a", "content": "", "is_error": false});
    let request = EventKind::ToolCallRequest {
        id: "a".to_owned(),
        name: "x".to_owned(),
        arguments: serde_json::Map::new(),
    };
    let mut locked = store.lock(id, Wait::No).unwrap();
    assert!(locked.push(std::slice::from_ref(&result), at(1)).is_err());
    locked.append(&[Event::new(at(2), request)]).unwrap();
    assert_eq!(locked.push(std::slice::from_ref(&result), at(3)).unwrap(), 1);
    drop(locked);
    assert_eq!(store.lock(id, Wait::No).unwrap().push(&[result], at(4)).unwrap(), 1);
}

fn keeps_any_title((store, _temp): Fixture) {
    let title = "a \"b\" \\ \n\t \u{1b}[31m 漢字 🦀 \u{0}";
    let id = store.create(Some(title), at(0)).unwrap().id();
    assert_eq!(store.list().unwrap().conversations[0].title.as_deref(), Some(title));
    assert_eq!(store.metadata(id).unwrap().title.as_deref(), Some(title));
}
