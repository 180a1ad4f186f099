//! The registry of plugins on this machine: fetched, searched, and what is in it installed.
//!
//! What is installed here is executed later, some of it without a question. So the way from a name to a
//! file has two halves. The first is pure: [`plan()`] says what would have to be installed, in which order,
//! and which of it a person has to agree to; whatever speaks against it is found there, before anything is
//! fetched. The second, [`Installer`], does it: every file is downloaded beside its place and compared with
//! its checksum before the first of them is put in place, and each gets there whole, by one rename. A file
//! can be executed only after that.
//!
//! ```text
//! $XDG_DATA_HOME/jp/registry.json                      the registry as it was last fetched
//! $XDG_DATA_HOME/jp/plugins/command/jp-<id>            what is installed
//! $XDG_DATA_HOME/jp/plugins/command/installed.json     where that came from; see [`Installed`]
//! ```
//!
//! This crate asks nobody, reads no configuration and prints nothing: policies come in as a function, and
//! agreement is for the caller to get. What a plugin says of itself, which command means it and whether it
//! may run is not known here.

mod check;
mod checksum;
mod fetch;
pub mod files;
mod home;
mod install;
mod installed;
mod plan;
mod registry;
mod replace;
mod source;

pub use self::{
    check::{Finding, Readers, check},
    checksum::{InvalidSha256, Sha256},
    fetch::{Fetch, GetError, Progress, Silent},
    home::Home,
    install::{Checked, InstallError, Installer, Staged, install},
    installed::{Installed, Origin, Record},
    plan::{Candidate, Judgement, Plan, PlanError, Step, World, plan, target_triples},
    registry::{CacheError, RefreshError, cached, find, refresh, search},
    source::{InvalidSource, Source},
};

/// The largest registry, in bytes.
pub const MAX_REGISTRY: u64 = 4 << 20;

/// The largest file of a plugin, in bytes.
pub const MAX_BINARY: u64 = 256 << 20;
