//! The proxy with real sockets: a tool on one side, servers on the other, all on this machine.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends")]

mod addresses;
mod attempts;
mod curl;
mod framing;
mod limits;
mod requests;
mod support;
mod tunnels;
mod upstream;
