//! A change set: what a confined call wrote, before it becomes part of the workspace.
//!
//! The kernel cannot tell "make a new file" from "change this one" finely enough for a policy, so a
//! call that needs it writes to an overlay. The workspace stays as it is, and the upper directory of
//! the overlay holds exactly what the call did. This crate keeps that directory ([`Store`],
//! [`ChangeSet`]), reads it as a list of differences ([`Changes`]), judges each by the policy
//! ([`Judged`]), shows them as text, and makes the allowed ones real ([`Report`]). A set that is
//! dropped is gone, and with it everything the call wrote.
//!
//! Everything in a change set was written by a stranger. Names, contents and link targets are data;
//! no link is followed, neither in the set nor in the workspace; work and memory are bounded; and
//! what is not understood is refused.
//!
//! Changes that somebody else keeps apart ([`Change::elsewhere`]) are shown in the same way
//! ([`Change::show`]).
//!
//! What it does not do: it mounts nothing and starts nothing, it does not ask anybody, and it does
//! not look at the clock; the time at which a call began is the time of a file made at that moment.
//!
//! A rename by a tool is the removal of one path and the making of another, and needs both
//! permissions. If only the making is refused, the removal is refused too, so that the content is
//! never lost ([`Reason::Moved`]).
//!
//! Files that the tool gave several names keep them. A second name for a file that was there before
//! the call becomes a file of its own: the two would be one for every rule from then on, also where
//! rules for one of the names say something else than those for the other.

#![warn(missing_docs)]

mod change;
mod limits;
mod outside;
mod text;

#[cfg(target_os = "linux")]
mod commit;
#[cfg(target_os = "linux")]
mod diff;
#[cfg(target_os = "linux")]
mod ground;
#[cfg(target_os = "linux")]
mod journal;
#[cfg(target_os = "linux")]
mod judge;
#[cfg(target_os = "linux")]
mod overlay;
#[cfg(target_os = "linux")]
mod read;
#[cfg(target_os = "linux")]
mod remove;
#[cfg(target_os = "linux")]
mod set;
#[cfg(target_os = "linux")]
mod store;
#[cfg(target_os = "linux")]
mod tree;

#[cfg(not(target_os = "linux"))]
mod other;

#[cfg(test)]
#[cfg(target_os = "linux")]
mod testing;

pub use self::{
    change::{
        Change, CommitError, Failure, Kind, ModeChange, Node, Obstacle, Reason, Refused, Report,
        Reviewed, StoreError, Swept,
    },
    limits::{Limits, ReadError},
    outside::Outside,
    text::Shown,
};

#[cfg(not(target_os = "linux"))]
pub use self::other::{ChangeSet, Changes, Judged, Store};
#[cfg(target_os = "linux")]
pub use self::{judge::Judged, read::Changes, set::ChangeSet, store::Store};
