//! The web view, from outside: through the real `jp`, over the protocol, over HTTP, in a browser.
#![expect(
    clippy::disallowed_methods,
    reason = "tests build their own files and start their own hosts"
)]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod browser;
mod host;
mod http;
mod in_browser;
mod limits;
mod linking;
mod nasty;
mod pages;
mod protocol;
mod sample;
mod security;
mod speed;
mod store;
mod web;
