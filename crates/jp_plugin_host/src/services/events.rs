//! The events of a conversation as one line, made piece by piece.
//!
//! A conversation can be long, and its answer as long again. So the answer is never there as a whole: pieces of
//! it are made while the plugin reads, and the events themselves are in memory once.

use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use jp_conversation::{
    EventError, Stream,
    stored::{self, STEP, Sink},
};
use jp_plugin::RequestId;

/// How many bytes of events a conversation may have to be read by a plugin.
pub(super) const LARGEST: u64 = 48 << 20;

/// How many bytes of events are in memory at the same time.
const TOGETHER: u64 = LARGEST;

/// A piece is sent when it has so many bytes. With what is written at once behind it, it is still of a size for which
/// the allocator gives the memory of the last one, where larger pieces would be made of new pages each.
const PIECE: usize = 64 << 10;
/// The room of a piece.
const ROOMY: usize = PIECE + STEP;

/// An answer to `read_events`.
#[derive(Debug)]
pub struct Events {
    stream: Stream,
    head: Vec<u8>,
    _room: Taken,
}

/// The memory for events, shared by all who read some.
#[derive(Debug, Clone, Default)]
pub(super) struct Room(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    taken: Mutex<u64>,
    given_back: Condvar,
}

/// A part of the room, until it is dropped.
#[derive(Debug)]
pub(super) struct Taken {
    room: Room,
    bytes: u64,
}

impl Room {
    /// Waits until there is room for so many bytes, which are not more than [`LARGEST`].
    pub(super) fn take(&self, bytes: u64) -> Taken {
        let mut taken = self.taken();
        while *taken > 0 && *taken + bytes > TOGETHER {
            taken = self.0.given_back.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        *taken += bytes;
        Taken { room: self.clone(), bytes }
    }

    fn taken(&self) -> MutexGuard<'_, u64> {
        self.0.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        *self.room.taken() -= self.bytes;
        self.room.0.given_back.notify_all();
    }
}

impl Events {
    pub(super) fn new(
        stream: Stream,
        room: Taken,
        conversation: &str,
        id: Option<&RequestId>,
    ) -> Self {
        let mut head = b"{\"type\":\"events\"".to_vec();
        let fields = [("id", id.map(RequestId::as_str)), ("conversation", Some(conversation))];
        for (name, value) in fields {
            let Some(value) = value else { continue };
            head.extend_from_slice(format!(",\"{name}\":").as_bytes());
            // A string always has a JSON form, and a vector takes it.
            let _ = serde_json::to_writer(&mut head, value);
        }
        head.extend_from_slice(b",\"data\":[");
        Self { stream, head, _room: room }
    }

    /// Makes the line, piece by piece, until `take` does not want any more. However long an event is, no piece is.
    pub fn write(&self, take: impl FnMut(Vec<u8>) -> bool) {
        let mut pieces = Pieces { piece: Vec::with_capacity(ROOMY), take, is_over: false };
        pieces.piece.extend_from_slice(&self.head);
        let mut is_first = true;
        let mut left_out = LeftOut::default();
        for raw in self.stream.raw() {
            if !pieces.is_wanted() {
                return;
            }
            let before = pieces.piece.len();
            if !is_first {
                pieces.piece.push(b',');
            }
            match stored::write_plain(raw, &mut pieces) {
                Ok(()) => is_first = false,
                Err(error) => {
                    // One event that is damaged must not hide all others. Nothing of it was written.
                    left_out.add(error);
                    pieces.piece.truncate(before);
                }
            }
        }
        if pieces.is_wanted() {
            pieces.piece.extend_from_slice(b"]}\n");
            (pieces.take)(pieces.piece);
        }
    }
}

/// What is written, in pieces.
struct Pieces<T> {
    piece: Vec<u8>,
    take: T,
    is_over: bool,
}

impl<T: FnMut(Vec<u8>) -> bool> Sink for Pieces<T> {
    fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.piece
    }

    fn is_wanted(&mut self) -> bool {
        if self.piece.len() >= PIECE && !self.is_over {
            let piece = mem::replace(&mut self.piece, Vec::with_capacity(ROOMY));
            self.is_over = !(self.take)(piece);
        }
        !self.is_over
    }
}

/// Events that could not be read. There can be millions, of which the log has one line when all are seen.
#[derive(Default)]
struct LeftOut {
    count: usize,
    first: Option<EventError>,
}

impl LeftOut {
    fn add(&mut self, error: EventError) {
        self.count += 1;
        self.first.get_or_insert(error);
    }
}

impl Drop for LeftOut {
    fn drop(&mut self) {
        if let Some(error) = &self.first {
            tracing::warn!(events = self.count, %error, "events were left out");
        }
    }
}
