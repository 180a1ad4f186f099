//! Confinement on Linux: namespaces and mounts, Landlock, seccomp, and the helper that applies them.

mod ahead;
mod bpf;
mod devices;
pub mod helper;
mod init;
mod landlock;
mod message;
mod mount_table;
mod mounts;
mod notify;
mod nowhere;
mod probe;
mod seccomp;
mod socket;
mod spawner;
mod supervisor;
mod sys;
mod terminal;
mod tool;
mod tree;
mod verified;

pub use self::mount_table::mount_points;
pub use self::spawner::{Child, Spawner, Stdio, Waiting};
pub use self::sys::share_memory;
