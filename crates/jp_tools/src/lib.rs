//! The bundled tools: reading, listing, searching and changing the files of a workspace, and small
//! programs that work on text.
//!
//! Each tool is a function on [`jp_tool`]'s contract, and its arguments with their comments are what
//! the assistant sees. They are in the program `jp-tools`; [`entries`] is for a program that wants to
//! offer them itself.
//!
//! Every file is opened through [`Files`](jp_tool::access::path::Files), which judges and opens as one
//! act; no tool joins a path with the root. Nothing here reads the environment or the current
//! directory, and nothing is printed. What is answered is text for a model: short, bounded, in an
//! order that does not depend on time, and what was left out is said.
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
mod program;
#[cfg(unix)]
mod read_file;
#[cfg(unix)]
mod text;
#[cfg(unix)]
mod unix_utils;
#[cfg(unix)]
mod walk;
#[cfg(unix)]
mod workspace;
#[cfg(unix)]
mod write;

use jp_tool::ToolEntry;

/// All tools.
#[cfg(unix)]
pub fn entries() -> Vec<ToolEntry> {
    use jp_tool::tool;
    vec![
        tool("fs_read_file", read_file::read_file),
        tool("fs_list_files", list_files::list_files),
        tool("fs_grep_files", grep_files::grep_files).examples(grep_files::EXAMPLES),
        tool("fs_create_file", create_file::create_file).describe(create_file::show),
        tool("fs_modify_file", modify_file::modify_file)
            .describe(modify_file::show)
            .examples(modify_file::EXAMPLES),
        tool("fs_delete_file", delete_file::delete_file),
        tool("fs_move_file", move_file::move_file),
        tool("unix_utils", unix_utils::unix_utils).describe(unix_utils::show),
    ]
}

/// All tools: none, because this system has no handles of directories.
#[cfg(not(unix))]
pub fn entries() -> Vec<ToolEntry> {
    Vec::new()
}
