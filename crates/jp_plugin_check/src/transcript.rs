//! What was said, in a file that people can read and that can be played again.
//!
//! ```text
//! # run: with everything as it should be
//! > {"type":"init",…}
//! < {"type":"ready"}
//! >
//! ```
//!
//! `>` is what the host says, `<` what the plugin says, and `>` alone the end of its input. A line with
//! `#` begins another run.

use std::fmt::Write as _;

/// One run, or several.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transcript {
    pub entries: Vec<Entry>,
}

/// A line of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub direction: Direction,
    pub text: String,
}

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Nobody: another run begins.
    Title,
    ToPlugin,
    FromPlugin,
    /// The end of the input of the plugin.
    EndOfInput,
}

/// A file that is no transcript.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {0} is no line of a transcript: it begins with neither `<`, `>` nor `#`")]
pub struct InvalidTranscript(usize);

impl Transcript {
    pub fn parse(text: &str) -> Result<Self, InvalidTranscript> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let entries = lines.map(|(n, line)| entry(line).ok_or(InvalidTranscript(n + 1)));
        Ok(Self { entries: entries.collect::<Result<_, _>>()? })
    }

    /// Each run with its title. Lines before the first title are a run too.
    pub fn runs(&self) -> Vec<(&str, &[Entry])> {
        let is_title = |entry: &Entry| entry.direction == Direction::Title;
        let mut runs = Vec::new();
        let mut rest = &self.entries[..];
        while let Some(first) = rest.first() {
            let (title, body) =
                if is_title(first) { (&*first.text, &rest[1..]) } else { ("", rest) };
            let end = body.iter().position(is_title).unwrap_or(body.len());
            runs.push((title, &body[..end]));
            rest = &body[end..];
        }
        runs.retain(|(_, entries)| !entries.is_empty());
        runs
    }

    pub(crate) fn add(&mut self, direction: Direction, text: impl Into<String>) {
        self.entries.push(Entry { direction, text: text.into() });
    }

    /// Each line as it is written to a file.
    pub fn lines(&self) -> Vec<String> {
        self.entries.iter().map(ToString::to_string).collect()
    }
}

impl std::fmt::Display for Transcript {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.entries.iter().try_for_each(|entry| writeln!(f, "{entry}"))
    }
}

impl std::fmt::Display for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.direction {
            Direction::Title => "# ",
            Direction::ToPlugin => "> ",
            Direction::FromPlugin => "< ",
            Direction::EndOfInput => return f.write_char('>'),
        })?;
        // A line of a plugin is shown as it is, but it stays one line.
        f.write_str(&self.text.replace(['\n', '\r'], " "))
    }
}

fn entry(line: &str) -> Option<Entry> {
    let (mark, text) = line.split_at_checked(1)?;
    let text = text.strip_prefix(' ').unwrap_or(text).to_owned();
    let direction = match mark {
        "#" => Direction::Title,
        ">" if text.trim().is_empty() => Direction::EndOfInput,
        ">" => Direction::ToPlugin,
        "<" => Direction::FromPlugin,
        _ => return None,
    };
    Some(Entry { direction, text })
}
