//! Whether git knows of changes to a file that are not committed.
//!
//! The repository may come from anywhere and its configuration can name programs. Hooks and the
//! watcher of files are switched off for this question; a filter for contents, if one is configured, is
//! needed for a true answer and runs as it does with every `git status`, in the sandbox of the tool.
//! Where there is no git, no repository or no answer, nobody knows of changes.

use std::time::Duration;

use camino::Utf8Path;
use jp_tool::Context;

use crate::program::Program;

/// The program.
pub(crate) const GIT: &str = "git";
const MAX_TIME: Duration = Duration::from_secs(5);

/// Whether a tracked file has changes that are not committed. The rules may forbid to ask.
pub(crate) fn is_dirty(context: &Context, path: &Utf8Path) -> bool {
    let args = question(path);
    if context.access.as_ref().is_some_and(|access| access.check_command(GIT, &args).is_err()) {
        return false;
    }
    let program = Program {
        name: GIT,
        args: &args,
        env: &[("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_TERMINAL_PROMPT", "0")],
        dir: &context.root,
        stdin: b"",
        max_time: MAX_TIME,
        max_output: 4 << 10,
    };
    program.run().is_ok_and(|ran| {
        ran.status.is_some_and(|status| status.success()) && !ran.stdout.bytes.is_empty()
    })
}

/// The arguments that make git name the file if it has such changes, and say nothing otherwise.
pub(crate) fn question(path: &Utf8Path) -> Vec<String> {
    let words = [
        "--no-optional-locks",
        "--literal-pathspecs",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
        "status",
        "--porcelain=v1",
        "--untracked-files=no",
        "--ignore-submodules=all",
        "--no-renames",
        "-z",
        "--",
        path.as_str(),
    ];
    words.map(ToOwned::to_owned).to_vec()
}
