//! A conversation as HTML, for whoever shows one in a browser: Markdown, highlighted code, events, turns.
//!
//! ```
//! use jp_plugin_sdk::transcript::{Event, turns};
//! use serde_json::json;
//! use std::time::{Duration, Instant};
//! use transcript_html::{Budget, OnePage, turn};
//!
//! let said = Event::from_value(0, json!({ "type": "chat_response", "message": "**Yes** <b>" }));
//! let began = Instant::now();
//! let clock = || began.elapsed();
//! let budget = Budget::new(Duration::from_secs(1), &clock);
//! let html = turn(&turns([said])[0], &OnePage, &budget).into_string();
//! assert!(html.contains("<strong>Yes</strong> &lt;b&gt;"));
//! ```
//!
//! The danger is that a conversation holds what anybody wrote: a model, a tool, a page that a tool has
//! read. So HTML in it is text, links lead to the web or to a mail program or nowhere, nothing is loaded
//! from anywhere, and neither scripts nor inline styles are made: a page can forbid both. How deep
//! elements are nested is bounded, and code is highlighted only as long as a [`Budget`] allows. Where all
//! of an event can be seen elsewhere, every part of it is cut, and a page has [`Room`] for so many bytes.
//!
//! The crate makes markup and [`STYLE`]; it knows no server and no file.

mod budget;
mod code;
mod event;
mod links;
mod markdown;
mod turn;

pub use maud::Markup;

pub use self::{
    budget::Budget,
    code::{code, prepare},
    event::event,
    links::{LONGEST, LONGEST_WORDS, Links, OnePage, Room},
    markdown::markdown,
    turn::{part, turn},
};

/// How it all looks: light and dark by what the reader prefers, or by `data-theme` on the root.
///
/// Colors, fonts and measures are variables (`--ink`, `--paper`, `--accent`, …), so that what stands
/// around a conversation can look the same.
pub const STYLE: &str = include_str!("style.css");
