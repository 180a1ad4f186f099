//! The contract between the host and tools.
//!
//! A tool is a program that a model asks for. The host tells it in a [`Context`] where the workspace
//! is and, in an [`AccessPolicy`](access::AccessPolicy), what it may touch. What a policy means is
//! defined once, in [`access`]; the tool's own checks, the host's mediation and the kernel's
//! enforcement all read that definition.
//!
//! A tool author can depend on this crate alone. It does not depend on a runtime or on the host's
//! configuration, and it touches the file system in two places only, both in [`access`]: resolving
//! a path, and opening what was resolved. Both work with handles of directories and exist on Unix
//! only; the rules and what they mean are the same everywhere.

#![warn(missing_docs)]

pub mod access;
mod action;
mod context;

pub use action::Action;
pub use context::Context;
