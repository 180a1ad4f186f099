//! bookworm: an MCP server on stdio for the documentation of Rust crates.
//!
//! What it knows comes from this machine: the `Cargo.lock` of the workspace says which versions count,
//! cargo says where their sources are, and `cargo doc` makes the documentation, once, in a cache of
//! our own. Only where the person at the other end agrees is anything fetched; a documentation site
//! is read where the command line names one.
//!
//! The danger is in what models write: a name of a crate, a version and a path of an item become
//! words of a command line, lines of a manifest, names of files and parts of a URL. So they are
//! types (`names.rs`) that can hold nothing that means anything else in any of these places, and
//! files are opened below a directory without following links (`files.rs`). Building documentation
//! runs the build scripts and macros of a crate, as every build of the workspace does; confine the
//! server (`[providers.mcp.bookworm.access]`) to decide what they may reach.

#![expect(
    clippy::disallowed_methods,
    reason = "a program of its own, with its own cache and its own environment"
)]

mod args;
mod cargo;
mod docs;
mod files;
mod index;
mod library;
mod lock;
mod names;
mod public;
mod resolve;
mod toolbox;
mod tools;
mod uri;

use std::fmt::Write as _;
use std::{error::Error, io::Write, process::ExitCode};

use clap::Parser;

use crate::{args::Args, toolbox::Bookworm};

fn main() -> ExitCode {
    let args = Args::parse();
    let protocol = args.jp.into();
    let end = Bookworm::new(args)
        .map_err(Box::<dyn Error>::from)
        .and_then(|bookworm| jp_mcp_server::run(bookworm, protocol).map_err(Into::into));
    match end {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let mut text = format!("bookworm: {error}");
            let mut cause = error.source();
            while let Some(error) = cause {
                let _ = write!(text, ": {error}");
                cause = error.source();
            }
            // Where stderr is gone there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "{text}");
            ExitCode::FAILURE
        }
    }
}
