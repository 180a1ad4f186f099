//! The contract with command plugins: every message in both directions, command paths, the registry.
//!
//! A plugin is a program `jp-<name>` in any language. The host writes one JSON object a line to its
//! stdin ([`HostToPlugin`]) and reads one a line from its stdout ([`PluginToHost`]); stderr is for
//! people. The first line is `init`, or `describe` when the host only wants to know what the plugin
//! is:
//!
//! ```text
//! host   → {"type":"init","version":1,"workspace":{…},"config":{…},"args":["--all"],"log_level":1}
//! plugin → {"type":"ready"}
//! plugin → {"type":"list_conversations","id":"a"}
//! host   → {"type":"conversations","id":"a","data":[…]}
//! plugin → {"type":"print","text":"hello\n"}
//! plugin → {"type":"exit","code":0}
//! ```
//!
//! Readers ignore fields they do not know, so host and plugin can be of different age. A line that is
//! no message at all ends the plugin; a message that cannot be served is answered with an `error`, and
//! the plugin goes on. [`to_host::parse`] tells the two apart.
//!
//! This crate does no I/O and depends on nothing that does.

mod describe;
mod envelope;
mod id;
mod path;
mod print;
pub mod registry;
pub mod to_host;
pub mod to_plugin;
mod values;

pub use self::{
    describe::Describe,
    envelope::{Framing, MessageError, Refusal},
    id::{InvalidId, InvalidPluginId, MAX_ID, PluginId, RequestId},
    path::{CommandPath, InvalidPath, PREFIX},
    print::{Channel, Format, Level, Log, Print, UnknownLevel},
    to_host::{PluginToHost, Request},
    to_plugin::HostToPlugin,
    values::{MAX_VALUES, count_values, values_in},
};

/// The version of the protocol that `init` names.
pub const VERSION: u32 = 1;

/// The longest line in bytes, without its end.
pub const MAX_LINE: usize = 16 << 20;

/// How much of a line that is no message is quoted in the error, in bytes.
pub const QUOTED: usize = 200;
