//! What a server said about its tools when they were first used, so that it cannot say something else
//! later without being noticed.
//!
//! A person looks at a tool once: what it does, what it takes. A server can change both at any time, and
//! the words it chooses are read by a model as if they were instructions. So name, description and schema
//! of each tool are kept when it is first used. A tool that is described in other words, or takes something
//! else, is not called before somebody has seen the difference. `jp mcp pin` keeps what is there now, and
//! from then on a tool with a new name is asked about as well.
//!
//! What is kept belongs to the user and to one workspace; a file in the workspace would be for whoever
//! writes the workspace to change.

use std::{
    collections::BTreeMap,
    io,
    sync::{Mutex, MutexGuard, PoisonError},
};

use camino::Utf8PathBuf;
use jp_mcp::Tool;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use similar::{ChangeTag, TextDiff};

use super::kept;

/// So many lines of a difference are shown.
const MOST_LINES: usize = 200;

/// The pins of one workspace.
#[derive(Debug)]
pub(crate) struct Pins {
    /// Where they are kept; `None` to keep them for this run only.
    directory: Option<Utf8PathBuf>,
    root: Utf8PathBuf,
    known: Mutex<BTreeMap<String, Kept>>,
}

/// What is known of a tool, compared with what its server says now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pinned {
    /// It is what it was.
    Same,
    /// It was not used before, and is kept from now on.
    First,
    /// It is not what it was, or is new on a server whose tools were pinned. The text shows the difference.
    Changed(String),
}

/// What is kept of one server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Kept {
    /// For whoever opens the file.
    root: Utf8PathBuf,
    server: String,
    /// Whether a person has pinned all tools that there were.
    complete: bool,
    tools: BTreeMap<String, Definition>,
}

/// What a model is told about a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Definition {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    input: Map<String, Value>,
}

impl Pins {
    pub(crate) fn new(directory: Option<Utf8PathBuf>, root: Utf8PathBuf) -> Self {
        Self { directory, root, known: Mutex::default() }
    }

    /// Compares a tool with what is kept of it. One that is used for the first time is kept.
    pub(crate) fn check(&self, server: &str, tool: &Tool) -> io::Result<Pinned> {
        let now = Definition::of(tool);
        // What is the same as it was needs no look at what others have accepted since.
        let is_known =
            self.known().get(server).is_some_and(|kept| kept.tools.get(&tool.name) == Some(&now));
        if is_known {
            return Ok(Pinned::Same);
        }
        self.with(server, |kept| {
            if let Some(pinned) = kept.compare(&tool.name, &now) {
                return (pinned, false);
            }
            kept.tools.insert(tool.name.clone(), now);
            (Pinned::First, true)
        })
    }

    /// Compares without keeping anything; `None` for a tool that is not kept.
    pub(crate) fn peek(&self, server: &str, tool: &Tool) -> io::Result<Option<Pinned>> {
        self.look(server, |kept| kept.compare(&tool.name, &Definition::of(tool)))
    }

    /// Whether a tool of this name was used from this server, whatever it is now.
    pub(crate) fn knows(&self, server: &str, tool: &str) -> io::Result<bool> {
        self.look(server, |kept| kept.tools.contains_key(tool))
    }

    /// Keeps a tool as it is now.
    pub(crate) fn accept(&self, server: &str, tool: &Tool) -> io::Result<()> {
        self.with(server, |kept| {
            kept.tools.insert(tool.name.clone(), Definition::of(tool));
            ((), true)
        })
    }

    /// Keeps all tools as they are now, and no others.
    pub(crate) fn accept_all(&self, server: &str, tools: &[Tool]) -> io::Result<()> {
        self.with(server, |kept| {
            kept.complete = true;
            kept.tools =
                tools.iter().map(|tool| (tool.name.clone(), Definition::of(tool))).collect();
            ((), true)
        })
    }

    /// Forgets a server.
    pub(crate) fn forget(&self, server: &str) -> io::Result<()> {
        self.with(server, |kept| {
            *kept = Kept::default();
            ((), true)
        })
    }

    /// Works on what is kept of a server, and writes it if it was changed. What cannot be read is an error:
    /// to begin again would be to accept whatever the server says now.
    fn with<T>(&self, server: &str, work: impl FnOnce(&mut Kept) -> (T, bool)) -> io::Result<T> {
        let mut known = self.known();
        let work = |kept: &mut Kept| {
            let (result, is_changed) = work(kept);
            kept.root.clone_from(&self.root);
            server.clone_into(&mut kept.server);
            (result, is_changed)
        };
        let Some(path) = self.path(server) else {
            return Ok(work(known.entry(server.to_owned()).or_default()).0);
        };
        // Another run may have changed the file; and if this fails, nothing is known that is not kept.
        known.remove(server);
        let (result, kept) = kept::change(&path, work)?;
        known.insert(server.to_owned(), kept);
        Ok(result)
    }

    /// Looks at what is kept of a server.
    fn look<T>(&self, server: &str, look: impl FnOnce(&Kept) -> T) -> io::Result<T> {
        let mut known = self.known();
        if !known.contains_key(server) {
            let kept = self.path(server).map(|path| kept::read(&path)).transpose()?.flatten();
            known.insert(server.to_owned(), kept.unwrap_or_default());
        }
        Ok(look(known.entry(server.to_owned()).or_default()))
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, server: &str) -> Option<Utf8PathBuf> {
        Some(kept::path(self.directory.as_ref()?, &self.root, server))
    }
}

impl Kept {
    /// `None` for a tool that was not used before, where nobody has pinned all tools that there were.
    fn compare(&self, name: &str, now: &Definition) -> Option<Pinned> {
        match self.tools.get(name) {
            Some(known) if known == now => Some(Pinned::Same),
            Some(known) => Some(Pinned::Changed(difference(known, now))),
            None => self.complete.then(|| Pinned::Changed(news(now))),
        }
    }
}

impl Definition {
    fn of(tool: &Tool) -> Self {
        Self {
            title: tool.title.clone(),
            description: tool.description.clone(),
            input: tool.input_schema.clone(),
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        text.extend(self.title.iter().map(|title| format!("title: {title}\n")));
        text.extend(self.description.iter().map(|description| format!("{description}\n")));
        text.push_str(&serde_json::to_string_pretty(&self.input).unwrap_or_default());
        text.push('\n');
        text
    }
}

/// The lines that differ, with a few around them.
fn difference(before: &Definition, now: &Definition) -> String {
    let (before, now) = (before.text(), now.text());
    let lines = TextDiff::from_lines(&before, &now);
    let mut shown = Vec::new();
    for group in lines.grouped_ops(2) {
        for change in group.iter().flat_map(|operation| lines.iter_changes(operation)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            shown.push(format!("{sign}{}", change.value().trim_end_matches('\n')));
        }
    }
    cut(shown)
}

fn news(now: &Definition) -> String {
    cut(now.text().lines().map(|line| format!("+{line}")).collect())
}

fn cut(mut lines: Vec<String>) -> String {
    let over = lines.len().saturating_sub(MOST_LINES);
    lines.truncate(MOST_LINES);
    if over > 0 {
        lines.push(format!("[{over} more lines]"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests;
