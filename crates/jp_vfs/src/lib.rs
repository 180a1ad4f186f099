//! The host side of the VFS protocol: a tool that can touch nothing asks, and this crate answers.
//!
//! ```text
//! tool stdout ─line─► session ─► Request ─► Call ─► gate ─► Granted<…> ─► fs | http | process
//! tool stdin  ◄─line─ session ◄──────── answer ◄─────────────────────────────┘
//! ```
//!
//! Every request goes parse, gate, handler, and a handler takes a [`Granted`](gate::Granted), which only
//! the gate can make. For files the grant is a view of the project under the rules, because there the
//! check is part of the operation; for everything else it is the target that was checked.
//!
//! What no rule covers is put to an [`Approver`], and nothing happens before it has said yes. Each
//! request and what was decided about it can be written down by a [`Recorder`].
//!
//! # Threads
//!
//! One thread for each session waits for the tool and answers what is quick by itself, because a hand-over
//! to another thread costs more than reading a small file. What may take long, or waits for a person, is
//! done elsewhere and comes back by a wake-up. Reading and writing never wait for each other, so two full
//! pipes cannot lock.
//!
//! # Memory
//!
//! A session holds one line of the tool (`message_bytes`), requests that are under way and answers that the tool
//! has not read. When these are 16 MiB each the tool is not read from until there is less. What is on its way to an
//! answer is bounded by turns, counted in the largest file (`file_bytes`): two programs with two outputs each, or
//! four responses of servers; one search, with up to three times as much; two files, where they are not read at
//! once. An answer can be several times as long as what it tells, so those of more than 1 MiB are made one by one,
//! and the next when that one is on its way; none is longer than three times `file_bytes`. With the limits that hold
//! if nobody says otherwise all of this together stays below 200 MB.

#![cfg(target_os = "linux")]

mod approve;
mod fs;
pub mod gate;
mod host;
mod http;
mod limits;
pub mod process;
mod record;
mod reply;
mod serve;
mod session;

pub use self::{
    approve::{Approval, Approver, Ask, BoxFuture, Nobody, Wanted},
    gate::ToolAccess,
    host::{Host, HostParts},
    limits::Limits,
    record::{Decided, Record, Recorder},
    session::{End, Pipes, Session},
};
