//! Real requests to real servers on loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod downloads;
mod limits;
mod proxies;
mod redirects;
mod requests;
mod rules;
mod secrets;
mod support;
mod tls;
