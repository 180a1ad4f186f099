//! Whether git knows of changes to a file that are not committed.
//!
//! The repository may come from anywhere and its configuration can name programs. Hooks and the
//! watcher of files are switched off for this question; a filter for contents, if one is configured, is
//! needed for a true answer and runs as it does with every `git status`, in the sandbox of the tool.
//! Where there is no git, no repository or no answer, nobody knows of changes.

use std::time::Duration;

use camino::Utf8Path;
use jp_tool::Call;

use crate::program::Program;

const MAX_TIME: Duration = Duration::from_secs(5);

/// Whether a tracked file has changes that are not committed.
pub(crate) fn is_dirty(call: &Call, path: &Utf8Path) -> bool {
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
    let args: Vec<String> = words.map(ToOwned::to_owned).to_vec();
    let access = call.context.access.as_ref();
    if access.is_some_and(|access| access.check_command("git", &args).is_err()) {
        return false;
    }
    let program = Program {
        name: "git",
        args: &args,
        env: &[("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_TERMINAL_PROMPT", "0")],
        dir: &call.context.root,
        stdin: b"",
        max_time: MAX_TIME,
        max_output: 4 << 10,
    };
    program.run().is_ok_and(|ran| {
        ran.status.is_some_and(|status| status.success()) && !ran.stdout.bytes.is_empty()
    })
}
