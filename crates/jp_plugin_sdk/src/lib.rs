//! What the author of a command plugin uses: one function instead of a protocol.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use jp_plugin_sdk::Plugin;
//!
//! fn main() -> ExitCode {
//!     Plugin::new("titles", "0.1.0", "List the titles of conversations").run(|session| {
//!         for conversation in session.list_conversations()? {
//!             session.print(&format!("{}\n", conversation.title.unwrap_or_default()))?;
//!         }
//!         Ok(())
//!     })
//! }
//! ```
//!
//! [`Plugin::run`] answers `describe`, explains itself to somebody who starts the program by hand, and
//! otherwise hands over a [`Session`]. A session can be used by any number of threads at the same time:
//! every request has an id, one thread reads, and each answer goes to whoever waits for it. The feature
//! `tokio` has the same for async code, `tracing` a layer that sends events to the log of the host.
//! [`transcript`] makes types of the events of a conversation, and the feature `clap` types of arguments;
//! [`words`] has numbers and times as people read them, and [`json`] values as people read them.
//!
//! The danger is stdout: it belongs to the messages, and one `println!` of the plugin or of a library
//! makes the host end it. Print through the session, and to stderr what is for yourself.
//!
//! The crate knows the contract, `jp_plugin`, and nothing of the host.

mod answer;
#[cfg(feature = "clap")]
pub mod args;
#[cfg(feature = "tokio")]
pub mod asynchronous;
mod core;
mod error;
mod find;
pub mod json;
#[cfg(feature = "tracing")]
mod layer;
mod logs;
mod options;
mod outbox;
mod plugin;
mod progress;
mod session;
mod shutdown;
pub mod transcript;
pub mod words;

pub use jp_plugin::{
    Channel, CommandPath, Describe, Format, Level, Log, Print,
    to_plugin::{Init, Paths, Summary, Workspace},
};

#[cfg(feature = "tracing")]
pub use self::layer::LogLayer;
pub use self::{
    error::{Failure, RequestError},
    find::{FindError, find_conversation, find_conversations},
    options::{OptionsError, options},
    plugin::Plugin,
    progress::Progress,
    session::{Locked, Session},
    shutdown::Why,
};
