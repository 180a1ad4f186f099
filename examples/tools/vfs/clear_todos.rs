//! Goes through the lines with a mark such as TODO and removes the chosen ones: a sealed tool that
//! stays alive. It writes after the last answer, so whoever aborts finds all files as they were.

use std::collections::BTreeMap;
use std::process::ExitCode;

use jp_tool::vfs::{self, FsGrep, VfsHost};
use jp_tool::{AnswerType, Content, JsonSchema, Question, Session, ToolError, ToolState};
use serde::Deserialize;
use serde_json::Value;

fn main() -> ExitCode {
    vfs::main([vfs::stateful("clear_todos", start)])
}

/// Go through the lines with a mark such as TODO and choose which to remove.
///
/// Shows one line after the other; answer with `true` to remove it. All are removed at the end.
#[derive(Deserialize, JsonSchema)]
struct ClearTodos {
    /// What to look for, such as TODO.
    mark: String,
}

/// The lines that were found, and an answer for each that was shown.
struct Clearing {
    host: VfsHost,
    found: Vec<(String, u64, String)>,
    chosen: Vec<bool>,
}

fn start(args: ClearTodos, host: &VfsHost) -> Result<Clearing, ToolError> {
    let files = host.grep(&FsGrep { fixed: true, ..FsGrep::new(args.mark) })?;
    let mut found = Vec::new();
    for file in files {
        let line = |line: vfs::GrepLine| (file.path.clone(), line.line_number, line.content);
        found.extend(file.lines.into_iter().map(line));
    }
    Ok(Clearing { host: host.clone(), found, chosen: Vec::new() })
}

impl Session for Clearing {
    fn fetch(&mut self) -> Result<ToolState, ToolError> {
        let Some((path, number, text)) = self.found.get(self.chosen.len()) else {
            return Ok(ToolState::Stopped { result: self.clear()?.into() });
        };
        let id = format!("line_{}", self.chosen.len() + 1);
        let question = Question::new(id, "Remove this line?", AnswerType::Boolean);
        let content = format!("{path}:{number}: {text}").into();
        Ok(ToolState::Waiting { content: Some(content), question })
    }

    fn apply(&mut self, input: Value) -> Result<ToolState, ToolError> {
        // Anything else than an answer asks again; an error would lose the other answers.
        self.chosen.extend(input.as_bool());
        self.fetch()
    }

    fn abort(&mut self) -> Content {
        format!("Aborted after {} lines; nothing was removed.", self.chosen.len()).into()
    }
}

impl Clearing {
    fn clear(&self) -> Result<String, ToolError> {
        let mut files: BTreeMap<&str, Vec<(u64, &str)>> = BTreeMap::new();
        for ((path, at, text), _) in self.found.iter().zip(&self.chosen).filter(|(_, yes)| **yes) {
            files.entry(path).or_default().push((*at, text));
        }
        for (path, gone) in &files {
            // A line that is no longer what was shown stays.
            let text = self.host.read(path)?;
            let lines = (1..).zip(text.split_inclusive('\n'));
            let kept =
                lines.filter(|(at, line)| !gone.contains(&(*at, line.trim_end_matches('\n'))));
            self.host.write(path, kept.map(|(_, line)| line).collect::<String>())?;
        }
        Ok(format!("Removed {} lines.", files.values().map(Vec::len).sum::<usize>()))
    }
}
