//! Conversations: ids, events, the form they have on disk, and the rules for events that come from
//! outside.
//!
//! A conversation is a list of [`Event`]s that only ever grows. On disk an event is one JSON object
//! on one line; [`stored`] turns an event into that object and back, and [`Stream`] finds the events
//! in the bytes of a whole file. Events written by somebody else, a plugin for example, pass
//! [`Validator`] first, which takes a batch whole or not at all.
//!
//! This crate opens no file and reads no clock: `jp_workspace` does the first, the caller passes the
//! second.

mod event;
mod id;
pub mod stored;
mod stream;
mod timestamp;
mod validate;

pub use event::{ChatRequest, ChatResponse, Event, EventKind};
pub use id::{ConversationId, InvalidId};
pub use stored::EventError;
pub use stream::{NotAnArray, Stream, committed_len, encode_batch};
pub use timestamp::{InvalidTimestamp, parse_timestamp};
pub use validate::{Accepted, Rejection, Validator};
