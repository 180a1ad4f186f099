//! Everything the helper has to know to start one process: plain data that crosses a socket.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

use crate::view::View;

/// How a process is confined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Confinement {
    /// What the kernel is asked to do it with.
    pub tier: Tier,
    /// The files it sees.
    pub view: View,
    /// Symbolic links where the view itself is empty.
    pub links: Vec<Link>,
    /// Where what it writes to judged places is kept: one directory, with `0/upper`, `0/work`, … in
    /// the order of the judged places of the view. Must be there when a place is judged.
    pub changes: Option<Utf8PathBuf>,
    /// Whom it can talk to.
    pub network: Network,
    /// What it can start.
    pub execute: Execute,
    /// What it can use up.
    pub limits: Limits,
    /// Whether what it was denied is noted and reported.
    pub observe: bool,
    /// The process group that has the terminal and lends it to the process until its end; otherwise it has
    /// no terminal. Only a process that sees the devices of the host can have one.
    pub terminal: Option<i32>,
}

impl Confinement {
    /// What a view says and nothing else: the network of the host, every program that is seen, the
    /// usual limits.
    pub fn of(tier: Tier, view: View) -> Self {
        Self {
            tier,
            view,
            links: Vec::new(),
            changes: None,
            network: Network::Shared,
            execute: Execute::View,
            limits: Limits::default(),
            observe: false,
            terminal: None,
        }
    }
}

/// A symbolic link of the host that an otherwise empty directory of the view must have, because
/// programs are named by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Where it is.
    pub path: Utf8PathBuf,
    /// Its text, as on the host.
    pub target: Utf8PathBuf,
}

/// By what means a process is confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Tier {
    /// Namespaces, a view made of mounts, Landlock and seccomp.
    Namespaces,
    /// Landlock and seccomp alone.
    Landlock,
    /// Nothing. The process tree still ends with the call.
    None,
}

/// Whom a process can talk to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Network {
    /// Whom the host can talk to.
    Shared,
    /// Nobody but itself.
    None,
    /// Nobody, and it makes no sockets.
    Sealed,
    /// A proxy of the host, which decides by rules; nobody else.
    Proxy,
}

impl Network {
    /// Whether there is somebody to talk to.
    pub fn leads_out(self) -> bool {
        matches!(self, Self::Shared | Self::Proxy)
    }
}

/// What a process can start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Execute {
    /// Every file that its view lets it run.
    View,
    /// Only the program that it is.
    Itself,
}

/// What a process can use up. Sizes are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processes and threads at the same time.
    pub processes: u64,
    /// Open files of each process.
    pub files: u64,
    /// Address space of each process, if limited.
    pub memory: Option<u64>,
    /// The largest file it can write.
    pub file_size: Option<u64>,
    /// What its private directories hold together.
    pub private: u64,
    /// Processor time of each process.
    pub cpu: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            processes: 4096,
            files: 65_536,
            memory: None,
            file_size: None,
            private: 1 << 30,
            cpu: None,
        }
    }
}

/// What to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The file to execute, as an absolute path.
    pub path: PathBuf,
    /// The words, the name of the program first.
    pub args: Vec<OsString>,
    /// All variables there are.
    pub env: Vec<(OsString, OsString)>,
    /// The directory to start in.
    pub directory: PathBuf,
    /// The SHA-256 checksum that the file must have. What was summed is then what is executed, whatever
    /// becomes of the file meanwhile; a script sees `/dev/fd/N` as its own name.
    pub sha256: Option<[u8; 32]>,
}
