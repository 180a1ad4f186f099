//! `[vfs]`: the limits of tools with `runtime = "vfs"`, which ask the host for everything they use.
//!
//! They bound what a tool can make the host do: how much memory it takes, and how long it waits. The
//! upper bounds are there so that no file that came with somebody's workspace takes a limit away.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Finding, Findings};
use crate::node::{Data, Node};

/// Limits of tools with `runtime = "vfs"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VfsConfig {
    /// The largest file that is read or written whole, and the largest body of an HTTP response, in
    /// bytes.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub file_bytes: u64,
    /// The longest message that a tool may send, in bytes.
    #[schemars(range(min = 4096, max = 268_435_456))]
    pub message_bytes: u64,
    /// For how many seconds a tool may be silent while nothing is owed to it, and leave its input unread.
    #[schemars(range(min = 1, max = 86_400))]
    pub request_timeout_secs: u32,
    /// How many seconds a tool has to end by itself after it was told that its call is canceled.
    #[schemars(range(max = 3600))]
    pub cancel_grace_secs: u32,
    /// How many seconds a tool that was asked to terminate has before it is killed.
    #[schemars(range(max = 3600))]
    pub kill_after_secs: u32,
    /// How many seconds an HTTP request of a tool may take, redirects included.
    #[schemars(range(min = 1, max = 86_400))]
    pub http_timeout_secs: u32,
    /// How many seconds a program that a tool has started may run.
    #[schemars(range(min = 1, max = 86_400))]
    pub process_timeout_secs: u32,
}

impl VfsConfig {
    /// How long a tool may be silent.
    pub fn request_timeout(&self) -> Duration {
        seconds(self.request_timeout_secs)
    }

    /// How long a canceled tool may take to end by itself.
    pub fn cancel_grace(&self) -> Duration {
        seconds(self.cancel_grace_secs)
    }

    /// How long a tool that was asked to terminate may live.
    pub fn kill_after(&self) -> Duration {
        seconds(self.kill_after_secs)
    }

    /// How long an HTTP request may take.
    pub fn http_timeout(&self) -> Duration {
        seconds(self.http_timeout_secs)
    }

    /// How long a program that a tool has started may run.
    pub fn process_timeout(&self) -> Duration {
        seconds(self.process_timeout_secs)
    }
}

impl Default for VfsConfig {
    fn default() -> Self {
        Self {
            file_bytes: 10_000_000,
            message_bytes: 16 * 1024 * 1024,
            request_timeout_secs: 60,
            cancel_grace_secs: 5,
            kill_after_secs: 2,
            http_timeout_secs: 30,
            process_timeout_secs: 600,
        }
    }
}

/// Says so if files may be larger than the messages that carry them.
pub(crate) fn check(root: &Node, warnings: &mut Findings) {
    let table = root.as_table().and_then(|it| it.get("vfs")?.node.as_table());
    let get = |key: &str| match &table?.get(key)?.node {
        Node { data: Data::Integer(value), origin } => Some((*value, *origin)),
        _ => None,
    };
    if let (Some((file, file_at)), Some((message, message_at))) =
        (get("file_bytes"), get("message_bytes"))
        && file > message
    {
        let text = format!(
            "`vfs.file_bytes` is {file}, but no file of that size fits into a message of \
             `vfs.message_bytes`, which is {message}"
        );
        let help = "a message also holds what is around the contents; raise `vfs.message_bytes`";
        let at = file_at.or(message_at);
        warnings.push(Finding::new(at, "vfs.file_bytes".to_owned(), text).help(help));
    }
}

fn seconds(seconds: u32) -> Duration {
    Duration::from_secs(u64::from(seconds))
}
