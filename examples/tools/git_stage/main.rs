//! Walks through the hunks of `git diff` and stages the chosen ones: a tool that stays alive.
//!
//! Nothing is touched until the last hunk has been answered; then the chosen ones are staged in one
//! step. So whoever aborts, or ends the program at any time, finds the index as it was.
#![expect(clippy::disallowed_methods, reason = "a tool starts the programs it works with")]

mod diff;

use std::{
    io::{self, Write},
    path::Path,
    process::{Command, ExitCode, Output, Stdio},
};

use jp_tool::{AnswerType, Call, Content, JsonSchema, Question, Session, ToolError, ToolState};
use serde::Deserialize;
use serde_json::Value;

use diff::Diff;

fn main() -> ExitCode {
    jp_tool::main([jp_tool::stateful("git_stage", start).describe(show)])
}

/// Go through the unstaged changes and choose what to stage.
///
/// Shows one hunk after the other and asks whether to stage it; answer with `true` or `false`. The
/// chosen hunks are staged after the last answer. Binary files and files that git does not know yet
/// are not offered.
#[derive(Deserialize, JsonSchema)]
struct GitStage {
    /// The file or directory to look at, relative to the root of the workspace.
    #[serde(default = "everything")]
    path: String,
}

fn everything() -> String {
    ".".to_owned()
}

fn show(args: GitStage, _call: &Call) -> String {
    let GitStage { path } = args;
    format!("choose what to stage in {path}")
}

struct Staging {
    /// Where git's paths start.
    top: String,
    diff: Diff,
    /// One answer for each hunk that was shown.
    chosen: Vec<bool>,
}

fn start(args: GitStage, call: &Call) -> Result<Staging, ToolError> {
    let GitStage { path } = args;
    let path = call.context.check_read(path.as_str().into())?;
    let top = git(call.context.root.as_ref(), &["rev-parse", "--show-toplevel"], b"")?;
    let top = String::from_utf8_lossy(&top).trim_end_matches('\n').to_owned();
    // The form of the diff must not depend on anybody's configuration.
    let words = [
        "diff",
        // Without files in which a merge is not done yet.
        "--diff-filter=u",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--ignore-submodules",
        "--unified=3",
        "--inter-hunk-context=0",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--",
        path.as_str(),
    ];
    let diff = Diff::parse(&git(top.as_ref(), &words, b"")?)?;
    Ok(Staging { top, diff, chosen: Vec::new() })
}

impl Session for Staging {
    fn fetch(&mut self) -> Result<ToolState, ToolError> {
        let (number, count) = (self.chosen.len() + 1, self.diff.hunks().count());
        let Some((file, hunk)) = self.diff.hunks().nth(self.chosen.len()) else {
            return self.finish();
        };
        let content = format!("Hunk {number} of {count}, {}\n\n{}", file.name(), hunk.text());
        let id = format!("hunk_{number}");
        let question = Question::new(id, "Stage this hunk?", AnswerType::Boolean);
        Ok(ToolState::Waiting { content: Some(content.into()), question })
    }

    fn apply(&mut self, input: Value) -> Result<ToolState, ToolError> {
        let Some(answer) = input.as_bool() else {
            // Asks again; an error would end the session and lose the other answers.
            let mut state = self.fetch()?;
            if let ToolState::Waiting { content, .. } = &mut state {
                *content = Some(format!("Answer true or false, not {input}.").into());
            }
            return Ok(state);
        };
        self.chosen.push(answer);
        self.fetch()
    }

    fn abort(&mut self) -> Content {
        let (seen, count) = (self.chosen.len(), self.diff.hunks().count());
        format!("Aborted after {seen} of {count} hunks. Nothing was staged.").into()
    }
}

impl Staging {
    fn finish(&self) -> Result<ToolState, ToolError> {
        let count = self.chosen.iter().filter(|chosen| **chosen).count();
        if count > 0 {
            // All or nothing: that is how `git apply` works.
            let words = ["apply", "--cached", "--whitespace=nowarn", "-"];
            git(self.top.as_ref(), &words, &self.diff.patch(&self.chosen))?;
        }
        let result = match (self.chosen.len(), count) {
            (0, _) => "There is nothing to stage.".to_owned(),
            (all, count) => format!("Staged {count} of {all} hunks."),
        };
        Ok(ToolState::Stopped { result: result.into() })
    }
}

/// Runs git with this input and returns what it printed.
fn git(dir: &Path, args: &[&str], input: &[u8]) -> Result<Vec<u8>, ToolError> {
    let failed = |cause: String| ToolError::new(format!("git {} failed", args[0])).because(cause);
    let mut command = Command::new("git");
    command.args(["--literal-pathspecs", "-c", "core.quotePath=false"]).args(args);
    command.current_dir(dir).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = |command: &mut Command| -> io::Result<(Output, io::Result<()>)> {
        let mut child = command.spawn()?;
        let written = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(input));
        Ok((child.wait_with_output()?, written))
    };
    let (output, written) = run(&mut command).map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    // Only now: where git ends early, its own words say more.
    written.map_err(|error| failed(error.to_string()))?;
    Ok(output.stdout)
}
