//! The streams of the process, as the channel to the host.

use std::io::{self, IsTerminal, Write};
use std::process;

use super::{ConnectError, VfsHost};
use crate::ToolError;
use crate::sdk::stdio::{own_stdin, own_stdout};

/// The host of this program. Whatever else is printed to stdout goes to stderr from now on (on Unix),
/// so that it cannot get between the messages.
///
/// A program that has no host, because a person started it for example, says so on stderr and ends
/// with code 1. [`try_connect`] leaves that to the caller.
pub fn connect() -> VfsHost {
    try_connect().unwrap_or_else(|error| {
        let ToolError { message, trace, .. } = ToolError::from_error(&error);
        let causes = trace.iter().map(|cause| format!(": {cause}")).collect::<String>();
        // If stderr is closed too there is nothing left to do.
        let _ = writeln!(
            io::stderr(),
            "{message}{causes}\nThis is a tool for `runtime = \"vfs\"`, and a host has to start it: \
             `jp tool run NAME` does, once the tool is in the configuration."
        );
        process::exit(1)
    })
}

/// The host of this program, if it has one. Can be called once.
pub fn try_connect() -> Result<VfsHost, ConnectError> {
    if io::stdin().is_terminal() {
        return Err(ConnectError::Terminal);
    }
    VfsHost::over(own_stdin()?, own_stdout()?)
}
