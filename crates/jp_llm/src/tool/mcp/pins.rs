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
#![expect(clippy::disallowed_methods, reason = "the files belong to the user, not to a workspace")]

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read as _, Write as _},
    sync::{Mutex, PoisonError},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_mcp::Tool;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use similar::{ChangeTag, TextDiff};

/// The largest file that is read back.
const MOST: u64 = 64 * 1024 * 1024;

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
        self.with(server, |kept| match kept.tools.get(&tool.name) {
            Some(known) if *known == Definition::of(tool) => (Pinned::Same, false),
            Some(known) => (Pinned::Changed(difference(known, &Definition::of(tool))), false),
            None if kept.complete => (Pinned::Changed(news(&Definition::of(tool))), false),
            None => {
                kept.tools.insert(tool.name.clone(), Definition::of(tool));
                (Pinned::First, true)
            }
        })
    }

    /// Compares without keeping anything; `None` for a tool that is not kept.
    pub(crate) fn peek(&self, server: &str, tool: &Tool) -> io::Result<Option<Pinned>> {
        self.with(server, |kept| {
            let known = kept.tools.get(&tool.name);
            let compared = known.map(|known| match Definition::of(tool) {
                now if *known == now => Pinned::Same,
                now => Pinned::Changed(difference(known, &now)),
            });
            let new = || kept.complete.then(|| Pinned::Changed(news(&Definition::of(tool))));
            (compared.or_else(new), false)
        })
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
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains_key(server) {
            let kept = self.path(server).map(|path| read(&path)).transpose()?.flatten();
            known.insert(server.to_owned(), kept.unwrap_or_default());
        }
        let kept = known.entry(server.to_owned()).or_default();
        let (result, is_changed) = work(kept);
        if is_changed {
            kept.root.clone_from(&self.root);
            server.clone_into(&mut kept.server);
            if let Some(path) = self.path(server) {
                write(&path, kept)?;
            }
        }
        Ok(result)
    }

    fn path(&self, server: &str) -> Option<Utf8PathBuf> {
        // Neither of them has a NUL in it.
        let sum = Sha256::digest(format!("{}\0{server}", self.root));
        let name: String = sum.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Some(self.directory.as_ref()?.join(format!("{name}.json")))
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

fn read(path: &Utf8Path) -> io::Result<Option<Kept>> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes)?;
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, format!("{path}: {error}")))
}

fn write(path: &Utf8Path, kept: &Kept) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Utf8Path::new("."));
    fs::create_dir_all(directory)?;
    let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
    temporary.write_all(&serde_json::to_vec_pretty(kept)?)?;
    temporary.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests;
