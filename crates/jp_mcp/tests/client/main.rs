//! The client against real processes that behave and misbehave.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod common;
mod crashes;
mod decoding;
mod eras;
mod http;
mod listing;
mod misbehaviour;
mod oauth;
mod questions;
mod time;
mod wire;
