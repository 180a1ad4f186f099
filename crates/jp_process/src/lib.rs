//! The only place of jp that starts processes: confined or not, watched from start to end.
//!
//! A [`Host`] starts a [`Child`] through the helper of `jp_sandbox`, also where nothing is confined,
//! because the helper gives what a plain spawn cannot: everything that a process has started, daemons
//! included, ends with it, when the [`Child`] is dropped, and when jp itself is killed. [`run()`] is a
//! whole call: feed the input, keep the output up to a limit, mind the time, see to the end.
//!
//! The crate decides nothing about what a process may do, reads no configuration and no environment,
//! and understands nothing of what a process says.
//!
//! It exists for Linux. A process group, which is all that other systems offer without a helper, loses
//! daemons; so elsewhere there is nothing that could be taken for the same promise.
#![cfg(target_os = "linux")]

mod child;
mod find;
mod host;
mod image;
mod linux;
mod run;
mod signal;
mod spawn;

pub use self::{
    child::{Child, Exit, Interrupted, Stop, WaitError},
    find::{FindError, find_program, find_programs},
    host::{Host, SpawnError},
    image::Image,
    run::{Bounds, Call, Captured, Finished, RunError, Stopped, Stream, finish, run},
    signal::{Signal, signal_name},
    spawn::{Input, Output, Spawn},
};
