//! Tests of the program itself: line by line in both eras of MCP, and with the client of rmcp.
//!
//! Each has a workspace of its own whose registry is a directory beside it, so nothing is
//! downloaded and what is installed on the machine does not matter; `real.rs` alone uses crates of
//! this machine.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests may fail, build their own files and start the program"
)]

mod end;
mod hostile;
mod private;
mod questions;
mod real;
mod rmcp_client;
mod session;
mod site;
mod studio;
mod surface;
mod tools;
