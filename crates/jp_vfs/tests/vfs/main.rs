//! The host side of the protocol, seen from the other end of the pipes.
//!
//! There is no program here: a test holds the far ends of both pipes and is the tool, so it can write
//! any bytes at any moment and leave unread what it likes. Each line that comes back is checked to be a
//! message of the host before a test looks at it, see [`tool::Tool::line`].

#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]
#![expect(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
#![expect(clippy::needless_pass_by_value, reason = "what is written in a table is used up")]

mod approvals;
mod defaults;
mod endings;
mod envelope;
mod far;
mod framing;
mod fs_delete;
mod fs_grep;
mod fs_list;
mod fs_read;
mod fs_rename;
mod fs_write;
mod hostile;
mod init;
mod links;
mod many;
mod methods;
mod paths;
mod pipes;
mod programs;
mod races;
mod records;
mod sensitive;
mod states;
mod times;
mod tool;
mod world;
