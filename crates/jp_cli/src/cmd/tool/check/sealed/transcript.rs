//! What was said in a run, by whom and when: for `--record`, and to show the end of it when a check fails.

use std::{fmt::Write as _, fs::File, io::Write as _, time::Duration};

use serde_json::{Map, Value, json};

use super::super::finding::short;
use crate::error::{Error, Result};

/// So many messages of one run are kept, so that no tool can fill the memory.
const MOST: usize = 20_000;

/// The longest text in a message that is kept as it is, in bytes.
const LONGEST: usize = 4096;

/// So many messages are shown when a check fails.
const SHOWN: usize = 8;

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    Host,
    Tool,
    /// Nobody; it is something that happened.
    Check,
}

/// What was said in one run.
#[derive(Debug, Default)]
pub(super) struct Transcript(Vec<Entry>);

#[derive(Debug)]
struct Entry {
    after: Duration,
    from: From,
    /// The message, or the text of what is none.
    said: Value,
}

impl Transcript {
    /// Keeps a line.
    pub(super) fn add(&mut self, after: Duration, from: From, line: &[u8]) {
        if self.0.len() < MOST {
            let text = || Value::String(String::from_utf8_lossy(line).trim_end().to_owned());
            let mut said = serde_json::from_slice(line).unwrap_or_else(|_| text());
            shorten(&mut said);
            self.0.push(Entry { after, from, said });
        }
    }

    /// The last messages, a line for each.
    pub(super) fn end(&self) -> Vec<String> {
        let start = self.0.len().saturating_sub(SHOWN);
        let line = |entry: &Entry| {
            let arrow = match entry.from {
                From::Host => "→",
                From::Tool => "←",
                From::Check => "·",
            };
            let said = match &entry.said {
                Value::String(text) => short(text),
                message => short(&message.to_string()),
            };
            format!("{arrow} {:>5} ms  {said}", entry.after.as_millis())
        };
        self.0[start..].iter().map(line).collect()
    }

    /// Writes all of it, a line for each message.
    pub(super) fn write(
        &self,
        mut file: &File,
        check: &str,
        title: &str,
        tool: Option<&str>,
    ) -> Result {
        let mut lines = Vec::new();
        for Entry { after, from, said } in &self.0 {
            let from = match from {
                From::Host => "host",
                From::Tool => "tool",
                From::Check => "check",
            };
            let what = if said.is_string() { "text" } else { "message" };
            let mut line = json!({
                "check": check, "title": title, "tool": tool,
                "ms": u64::try_from(after.as_millis()).unwrap_or(u64::MAX), "from": from,
            });
            line[what] = said.clone();
            lines.extend(line.to_string().into_bytes());
            lines.push(b'\n');
        }
        file.write_all(&lines).map_err(|error| Error::failure(format!("--record: {error}")))
    }
}

/// Cuts long texts; what was in them can be megabytes.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > LONGEST => {
            let whole = text.len();
            text.truncate(text.floor_char_boundary(LONGEST));
            let _ = write!(text, "… ({whole} bytes)");
        }
        Value::Array(values) => values.iter_mut().for_each(shorten),
        Value::Object(fields) => Map::values_mut(fields).for_each(shorten),
        _ => {}
    }
}
