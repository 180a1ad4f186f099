//! The store of conversations against the least that the file system could do.
//!
//! Everything lives in the target directory, on a real disk: in memory, the peers
//! would be too fast to compare with.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use jp_conversation::{ChatRequest, ChatResponse, ConversationId, Event, EventKind, encode_batch};
use jp_workspace::{FsStore, Select, Store as _, Wait};
use serde_json::json;

use super::Programs;
use super::measure::{Pair, Work};
use crate::failure::{Failure, Result};

pub(super) fn pairs(programs: &Programs) -> Result<Vec<Pair>> {
    let disk = Rc::new(Disk::new(programs)?);
    let mut pairs = vec![list(&disk)?];
    let (short, long) = (disk.conversation(10)?, disk.conversation(100_000)?);
    pairs.push(append(&disk, "append at 10 events", short));
    pairs.push(append(&disk, "append at 100,000 events", long));
    pairs.push(flat(&disk, long, short));
    let loaded = disk.conversation(10_000)?;
    pairs.push(load(&disk, loaded));
    pairs.push(last(&disk, loaded));
    Ok(pairs)
}

/// A directory for the store, removed at the end.
struct Disk {
    path: Utf8PathBuf,
}

impl Disk {
    fn new(programs: &Programs) -> Result<Self> {
        let path = programs.dir.join("bench-store");
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).map_err(Failure::because("cannot make a store"))?;
        Ok(Self { path })
    }

    fn store(&self) -> FsStore {
        FsStore::new(&self.path)
    }

    /// Makes a conversation with so many events of the usual kinds and sizes.
    fn conversation(&self, events: usize) -> Result<ConversationId> {
        let failed = Failure::because("cannot make a conversation");
        let make = || {
            let mut locked = self.store().create(None, jiff_now())?;
            let all: Vec<Event> = (0..events).map(usual_event).collect();
            for batch in all.chunks(1_000) {
                locked.append(batch)?;
            }
            Ok::<_, jp_workspace::StoreError>(locked.id())
        };
        make().map_err(failed)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// 10,000 conversations: a listing by a process that has just started, against the
/// names in their directory.
fn list(disk: &Rc<Disk>) -> Result<Pair> {
    let storage = disk.path.join("many");
    fs::create_dir_all(&storage).map_err(Failure::because("cannot make a store"))?;
    let store = FsStore::new(&storage);
    for number in 0..10_000 {
        let title = format!("Conversation number {number} about something");
        let path = storage.join(format!("conversations/{}", 17_000_000_000_u64 + number));
        write_conversation(&path, &title).map_err(Failure::because("cannot make a store"))?;
    }
    // The index is built by the first listing. It stands for the directory from the
    // moment on when no change to the directory could have gone unnoticed.
    store.list().map_err(Failure::because("cannot list"))?;
    thread::sleep(Duration::from_secs(4));
    store.list().map_err(Failure::because("cannot list"))?;
    let conversations = storage.join("conversations");
    let keep = Rc::clone(disk);
    Ok(Pair {
        name: "list 10,000".to_owned(),
        limit: 2.0,
        samples: 60,
        subject: Work::repeat(1, move || {
            let listing = FsStore::new(&keep.path.join("many")).list();
            check(listing.map_err(Failure::because("cannot list"))?.conversations.len() == 10_000)
        }),
        peer: Work::repeat(1, move || {
            let names = fs::read_dir(&conversations).map_err(Failure::because("cannot list"))?;
            let names = names.flatten().count();
            check(names == 10_000)
        }),
    })
}

fn write_conversation(path: &Utf8Path, title: &str) -> std::io::Result<()> {
    fs::create_dir_all(path)?;
    let metadata = json!({ "title": title, "last_activated_at": "2026-03-18T13:19:13Z" });
    fs::write(path.join("metadata.json"), metadata.to_string())?;
    fs::write(path.join("events.jsonl"), encode_batch(&[usual_event(0), usual_event(1)]))
}

/// Lock, append one event, unlock; against open, flock, write and close of the same
/// bytes.
fn append(disk: &Rc<Disk>, name: &str, id: ConversationId) -> Pair {
    let event = usual_event(1);
    let bytes = encode_batch(std::slice::from_ref(&event));
    let file = disk.path.join(format!("plain-{id}"));
    Pair {
        name: name.to_owned(),
        limit: 2.0,
        samples: 200,
        subject: append_work(disk, id),
        peer: Work::repeat(100, move || {
            plain_append(&file, &bytes).map_err(Failure::because("cannot append"))
        }),
    }
}

fn append_work(disk: &Rc<Disk>, id: ConversationId) -> Work {
    let event = usual_event(1);
    let store = disk.store();
    let keep = Rc::clone(disk);
    Work::repeat(100, move || {
        let _ = &keep;
        let append = || store.lock(id, Wait::No)?.append(std::slice::from_ref(&event));
        append().map_err(Failure::because("cannot append"))
    })
}

fn plain_append(path: &Utf8Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file: File = OpenOptions::new().append(true).create(true).open(path)?;
    file.lock()?;
    file.write_all(bytes)
}

/// An append to a long conversation against one to a short one: what came before
/// must not matter.
fn flat(disk: &Rc<Disk>, long: ConversationId, short: ConversationId) -> Pair {
    Pair {
        name: "append, long against short".to_owned(),
        limit: 1.2,
        samples: 200,
        subject: append_work(disk, long),
        peer: append_work(disk, short),
    }
}

/// All events of a conversation as types, against reading its file.
fn load(disk: &Rc<Disk>, id: ConversationId) -> Pair {
    let (store, file) = (disk.store(), events_file(disk, id));
    let keep = Rc::clone(disk);
    Pair {
        name: "load 10,000 events".to_owned(),
        limit: 10.0,
        samples: 60,
        subject: Work::repeat(1, move || {
            let _ = &keep;
            let stream = store.events(id, Select::All).map_err(Failure::because("cannot read"))?;
            let events: Vec<Event> = stream.events().flatten().collect();
            check(events.len() == 10_000)
        }),
        peer: read_work(file),
    }
}

/// The last events of a long conversation, against reading all of its file.
fn last(disk: &Rc<Disk>, id: ConversationId) -> Pair {
    let (store, file) = (disk.store(), events_file(disk, id));
    let keep = Rc::clone(disk);
    Pair {
        name: "last 50 of 10,000 events".to_owned(),
        limit: 0.5,
        samples: 60,
        subject: Work::repeat(5, move || {
            let _ = &keep;
            let last =
                store.events(id, Select::Last(50)).map_err(Failure::because("cannot read"))?;
            let events: Vec<Event> = last.events().flatten().collect();
            check(events.len() == 50)
        }),
        peer: read_work(file),
    }
}

fn read_work(file: Utf8PathBuf) -> Work {
    Work::repeat(1, move || {
        let bytes = fs::read(&file).map_err(Failure::because("cannot read"))?;
        check(!bytes.is_empty())
    })
}

fn events_file(disk: &Disk, id: ConversationId) -> Utf8PathBuf {
    disk.path.join(format!("conversations/{id}/events.jsonl"))
}

/// The mixture of a working day: a question, a thought, some tool calls with their
/// results, an answer.
pub(super) fn usual_event(number: usize) -> Event {
    let text = "The quick brown fox jumps over the lazy dog, and says so at length. ";
    let id = format!("call_{number}");
    let kind = match number % 6 {
        0 => EventKind::ChatRequest(ChatRequest::new(text.repeat(3))),
        1 => EventKind::ChatResponse(ChatResponse::Reasoning(text.repeat(8))),
        2 | 4 => EventKind::ToolCallRequest {
            id,
            name: "fs_read_file".to_owned(),
            arguments: [("path".to_owned(), json!("crates/jp_workspace/src/store.rs"))]
                .into_iter()
                .collect(),
        },
        3 => EventKind::ToolCallResponse { id, content: text.repeat(30), is_error: false },
        _ => EventKind::ChatResponse(ChatResponse::Message(text.repeat(12))),
    };
    Event::new(jiff_now(), kind)
}

fn jiff_now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

/// A subject that does not do its work is fast.
fn check(done: bool) -> Result {
    if done { Ok(()) } else { Err(Failure::new("the work was not done")) }
}
