//! The bundled tools: reading, listing, searching and changing the files of a workspace, and small
//! programs that work on text.
//!
//! Each tool is a function on [`jp_tool`]'s contract, and its arguments with their comments are what
//! the assistant sees. They are in the program `jp-tools`; [`entries`] is for a program that wants to
//! offer them itself.
//!
//! Files are used through one trait, `place::Place`, with two ways behind it: a tool with
//! `runtime = "stdio"` opens them itself, one with `runtime = "vfs"` asks the host. [`main`] finds out
//! which it is. Nothing here reads the environment or the current directory, and nothing is printed. What
//! is answered is text for a model: short, bounded, in an order that does not depend on time, and what
//! was left out is said.
//!
//! The tools need handles of directories and exist on Unix only; elsewhere there are none.

#![expect(
    clippy::needless_pass_by_value,
    reason = "a tool is a function that is given its arguments, whether or not it keeps any of them"
)]

#[cfg(unix)]
mod create_file;
#[cfg(unix)]
mod delete_file;
#[cfg(unix)]
mod diff;
#[cfg(unix)]
mod git;
#[cfg(unix)]
mod grep_files;
#[cfg(unix)]
mod list_files;
#[cfg(unix)]
mod modify_file;
#[cfg(unix)]
mod move_file;
#[cfg(unix)]
mod place;
#[cfg(unix)]
mod program;
#[cfg(unix)]
mod read_file;
#[cfg(unix)]
mod start;
#[cfg(unix)]
mod text;
#[cfg(unix)]
mod unix_utils;
#[cfg(unix)]
mod walk;

use jp_tool::ToolEntry;
#[cfg(unix)]
use jp_tool::vfs::VfsHost;

#[cfg(unix)]
pub use self::start::main;

/// All tools, as programs beside the files.
#[cfg(unix)]
pub fn entries() -> Vec<ToolEntry> {
    let mut tools = on_files::<place::direct::Beside>();
    tools.push(jp_tool::tool("unix_utils", unix_utils::unix_utils).describe(unix_utils::show));
    tools
}

/// All tools, sealed off from the files, which they ask the host for.
#[cfg(unix)]
fn sealed_entries() -> Vec<ToolEntry<VfsHost>> {
    let mut tools = on_files::<place::host::Sealed>();
    tools.push(jp_tool::vfs::tool("unix_utils", unix_utils::sealed).describe(unix_utils::show));
    tools
}

/// The tools that work on files, wherever those are.
#[cfg(unix)]
fn on_files<W: place::Way>() -> Vec<ToolEntry<W::Start>> {
    vec![
        W::tool("fs_read_file", read_file::read_file),
        W::tool("fs_list_files", list_files::list_files),
        W::tool("fs_grep_files", grep_files::grep_files).examples(grep_files::EXAMPLES),
        W::tool("fs_create_file", create_file::create_file).describe(create_file::show),
        W::tool("fs_modify_file", modify_file::modify_file)
            .describe(modify_file::show)
            .examples(modify_file::EXAMPLES),
        W::tool("fs_delete_file", delete_file::delete_file),
        W::tool("fs_move_file", move_file::move_file),
    ]
}

/// All tools: none, because this system has no handles of directories.
#[cfg(not(unix))]
pub fn entries() -> Vec<ToolEntry> {
    Vec::new()
}

/// The program `jp-tools`, which has no tools on this system.
#[cfg(not(unix))]
pub fn main() -> std::process::ExitCode {
    jp_tool::main(entries())
}
