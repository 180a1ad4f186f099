//! The workspace on disk: where it is, what is in it, and the store of its conversations.
//!
//! A workspace is a directory with a `.jp` directory in it. [`Workspace::find_root`] walks up to one,
//! [`Workspace::init`] makes one, and [`Store`] is the way to its conversations, with one
//! implementation on disk and one in memory.
//!
//! This is the only crate that opens files below `.jp`. It does not read the environment, the
//! current directory or the clock; the caller passes what it needs of them.
#![expect(
    clippy::disallowed_methods,
    reason = "this crate is the seam for the files of a workspace"
)]

mod beneath;
mod id;
pub mod layout;
mod store;
mod workspace;

pub use id::WorkspaceId;
pub use store::{
    Damage, FsStore, Listing, Locked, MemoryStore, Metadata, Select, Store, StoreError, Summary,
    Wait,
};
pub use workspace::{
    Initialized, NotFound, Workspace, WorkspaceError, check_owner, replace_settings,
};
