//! One program for both ways a tool can be started, told apart by the first line it is sent.
//!
//! A tool beside the files gets `{"tool":…,"context":…}`, one that is sealed off from them gets the
//! notification `init`. So the same `command` works with either runtime.

use std::{
    io::{self, BufRead, Cursor, Read as _},
    process::ExitCode,
};

use jp_tool::{
    MAX_LINE,
    vfs::{self, ToTool, VfsHost},
};

use crate::{entries, sealed_entries};

/// The program `jp-tools`: does what the first line on stdin says.
pub fn main() -> ExitCode {
    jp_tool::on_streams(|mut input, output| {
        let line = first_line(&mut input)?;
        let is_init = is_init(&line);
        let input = Cursor::new(line).chain(input);
        if !is_init {
            return jp_tool::run(entries(), input, output);
        }
        let host = VfsHost::over(input, output).map_err(io::Error::other)?;
        Ok(vfs::run(sealed_entries(), &host))
    })
}

/// The first line with something on it. Memory is bounded; what is longer is refused by who reads it.
fn first_line(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let limit = u64::try_from(MAX_LINE).unwrap_or(u64::MAX).saturating_add(1);
    let mut line = Vec::new();
    while line.trim_ascii().is_empty() {
        line.clear();
        if input.by_ref().take(limit).read_until(b'\n', &mut line)? == 0 {
            break;
        }
    }
    Ok(line)
}

/// Whether a line is a notification, which no tool beside the files is sent.
fn is_init(line: &[u8]) -> bool {
    matches!(ToTool::parse(line), Ok(ToTool::Notification(_)))
}
