//! Bear's notes for tools: found, read and followed, never changed.
//!
//! [`Shelf`] keeps a picture of the database and takes a new one when the files have changed; a
//! [`Library`] reads notes and tags out of it; [`search`](search::search), [`backlinks`](links::backlinks)
//! and [`find`] work on that. [`Grizzly`] makes tools and resources of them for an MCP server.
//! [`fixture`] makes databases as Bear would, for tests and for trying it out.
//!
//! Nothing here opens a file for writing, except the fixtures. The crate does not read the environment,
//! does not ask where Bear keeps its notes, and prints nothing: that is for `main`.

mod budget;
mod date;
mod find;
pub mod fixture;
mod fold;
pub mod library;
mod lines;
pub mod links;
pub mod search;
mod server;
mod shelf;
pub mod snapshot;
mod uri;

pub use self::{
    budget::{Budget, Waiting},
    date::{NotADate, from_stored, parse as parse_date, to_stored},
    find::{Sought, find},
    library::{Library, LibraryError},
    lines::{Lines, Part},
    server::Grizzly,
    shelf::Shelf,
    uri::Address,
};
