//! The files of a project that are not on this machine: in a bucket of S3, in a table of PostgreSQL, or,
//! for tests, in the memory of OpenDAL.
//!
//! [`open`] makes the backend from the words of a configuration. It answers like every other backend,
//! which the suite of `jp_project` checks against real servers. What is weaker than on a disk is written
//! in `docs/backends.md`.
//!
//! The crate stands alone because of its weight: an HTTP client, encryption and two drivers. It reads no
//! environment and no files, so credentials come in as options, and it asks nobody. Nothing is
//! connected before it is used, and no call waits longer than its limit.

mod error;
mod files;
mod open;
mod remote;
mod secret;
mod store;
mod tls;
mod walk;

pub use self::{
    error::OpenError,
    files::OpendalProjectFiles,
    open::{SCHEMES, open},
};
