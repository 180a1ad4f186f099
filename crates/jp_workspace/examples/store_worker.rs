//! A process that uses a store, for the tests that need several of them or want to kill one.
//!
//! What runs until it is killed prints `ready` first, so that the kill hits the work and not the start.
//!
//! ```text
//! store_worker STORAGE create COUNT            makes conversations and prints their ids
//! store_worker STORAGE lock ID COUNT WITNESS   locks and unlocks; nobody else may hold WITNESS
//! store_worker STORAGE append ID               appends batches until it is killed
//! store_worker STORAGE create-forever          makes conversations until it is killed
//! store_worker STORAGE rename ID               changes the title until it is killed
//! ```
#![expect(
    clippy::disallowed_methods,
    reason = "the witness is a file of the test, not of a workspace"
)]
#![expect(clippy::print_stdout, reason = "the ids are for the test that started this process")]

use std::{fs, time::Duration};

use camino::Utf8Path;
use jiff::Timestamp;
use jp_conversation::{ConversationId, Event, EventKind};
use jp_workspace::{FsStore, Locked, Store, Wait};
use serde_json::{Map, Value, json};

const PATIENCE: Wait = Wait::AtMost(Duration::from_mins(2));

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let [storage, rest @ ..] = args.as_slice() else {
        return Err("no storage".into());
    };
    let store = FsStore::new(Utf8Path::new(storage));
    match rest {
        ["create", count] => {
            for _ in 0..count.parse()? {
                println!("{}", store.create(None, Timestamp::now())?.id());
            }
            Ok(())
        }
        ["lock", id, count, witness] => hammer(&store, id.parse()?, count.parse()?, witness),
        ["append", id] => append_for_ever(&store, id.parse()?),
        ["create-forever"] => {
            println!("ready");
            loop {
                let mut locked = store.create(Some("made to be killed"), Timestamp::now())?;
                locked.append(&batch(0, 3))?;
            }
        }
        ["rename", id] => rename_for_ever(&store, id.parse()?),
        _ => Err("unknown command".into()),
    }
}

/// While a process holds the lock, the witness must not exist already: only it may make the file.
fn hammer(
    store: &FsStore,
    id: ConversationId,
    count: u32,
    witness: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    for _ in 0..count {
        let locked = store.lock(id, PATIENCE)?;
        fs::File::create_new(witness).map_err(|error| format!("a second holder: {error}"))?;
        fs::remove_file(witness)?;
        drop(locked);
    }
    Ok(())
}

fn append_for_ever(store: &FsStore, id: ConversationId) -> Result<(), Box<dyn std::error::Error>> {
    // Every process begins with a batch of another size.
    let mut number = u64::from(std::process::id());
    println!("ready");
    loop {
        let mut locked: Box<dyn Locked> = store.lock(id, PATIENCE)?;
        for _ in 0..5 {
            locked.append(&batch(number, 1 + number % 7))?;
            number += 1;
        }
    }
}

fn rename_for_ever(store: &FsStore, id: ConversationId) -> Result<(), Box<dyn std::error::Error>> {
    println!("ready");
    for number in 0_u64.. {
        store.lock(id, PATIENCE)?.set_title(Some(&format!("title {number}")))?;
    }
    Ok(())
}

/// Events that say which batch they are of, where in it, and how many there should be. Some are
/// large, so that one write takes long enough to be killed in.
fn batch(number: u64, size: u64) -> Vec<Event> {
    let content = "x".repeat(if number.is_multiple_of(5) { 60_000 } else { 100 });
    (0..size)
        .map(|index| {
            let kind = EventKind::ToolCallResponse {
                id: number.to_string(),
                content: content.clone(),
                is_error: false,
            };
            let mut event = Event::new(Timestamp::now(), kind);
            event.metadata = position(index, size);
            event
        })
        .collect()
}

fn position(index: u64, size: u64) -> Map<String, Value> {
    [("index".to_owned(), json!(index)), ("size".to_owned(), json!(size))].into_iter().collect()
}
