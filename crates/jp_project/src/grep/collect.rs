//! What was found, as far as it can be in the answer.
//!
//! Nobody knows the beginning of all matches before every file was searched, but what lies behind enough
//! of them is certainly not in it. So the last file is thrown away as soon as those before it fill the
//! answer. Memory is bounded, and the answer does not depend on the order in which files were searched.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::{FileMatches, GrepAnswer, GrepLine};

/// What was found in a file.
#[derive(Debug, Default)]
pub(super) struct Hit {
    pub(super) lines: Vec<GrepLine>,
    /// How many of them match.
    pub(super) matches: usize,
    /// Their weight, and in the answer also that of the file itself.
    pub(super) bytes: usize,
    /// Whether there were more matches than fit.
    pub(super) has_more: bool,
}

/// What a line takes of the answer, which is also what it takes in memory: a piece of its own for the text, with
/// what is around it, has a least size. The fields around it make it about as long in the answer.
pub(super) fn weight(line: &GrepLine) -> usize {
    size_of::<GrepLine>() + line.content.len().max(16) + 16
}

/// What a file takes beside its lines: its path, and what is around that.
fn weight_of_file(path: &Utf8Path) -> usize {
    size_of::<(Utf8PathBuf, Hit)>() + path.as_str().len().max(16) + 16
}

#[derive(Debug)]
pub(super) struct Collector {
    max_matches: usize,
    max_bytes: usize,
    files: BTreeMap<Utf8PathBuf, Hit>,
    matches: usize,
    bytes: usize,
}

impl Collector {
    pub(super) fn new(max_matches: usize, max_bytes: usize) -> Self {
        Self { max_matches, max_bytes, files: BTreeMap::new(), matches: 0, bytes: 0 }
    }

    /// Adds a file, and says whether the answer is full. A file that was found from two starts counts
    /// once.
    pub(super) fn add(&mut self, path: Utf8PathBuf, mut hit: Hit) -> bool {
        hit.bytes += weight_of_file(&path);
        let (matches, bytes) = (hit.matches, hit.bytes);
        match self.files.insert(path, hit) {
            None => {
                self.matches += matches;
                self.bytes += bytes;
            }
            Some(before) => {
                self.matches = self.matches - before.matches + matches;
                self.bytes = self.bytes - before.bytes + bytes;
            }
        }
        while let Some(last) = self.files.last_entry()
            && (self.matches - last.get().matches >= self.max_matches
                || self.bytes - last.get().bytes >= self.max_bytes)
        {
            let hit = last.remove();
            self.matches -= hit.matches;
            self.bytes -= hit.bytes;
        }
        self.is_full()
    }

    /// Whether nothing of this file can be in the answer.
    pub(super) fn is_behind(&self, path: &Utf8Path) -> bool {
        self.is_full() && self.files.last_key_value().is_none_or(|(last, _)| **last < *path)
    }

    fn is_full(&self) -> bool {
        self.matches >= self.max_matches || self.bytes >= self.max_bytes
    }

    pub(super) fn finish(self, context: usize) -> GrepAnswer {
        let has_more = self.files.values().any(|hit| hit.has_more);
        let is_full = self.is_full();
        let mut room = Room { matches: self.max_matches, bytes: self.max_bytes };
        let cut = |(path, hit): (Utf8PathBuf, Hit)| {
            let lines = room.cut(hit.lines, u64::try_from(context).unwrap_or(u64::MAX));
            room.bytes = room.bytes.saturating_sub(weight_of_file(&path));
            (!lines.is_empty()).then_some(FileMatches { path, lines })
        };
        let files = self.files.into_iter().map_while(cut).collect();
        GrepAnswer { files, limit_reached: has_more || is_full, binary: 0, unread: 0 }
    }
}

/// What still fits.
struct Room {
    matches: usize,
    bytes: usize,
}

impl Room {
    /// The beginning of the lines that fits, with the lines around its last match.
    fn cut(&mut self, lines: Vec<GrepLine>, context: u64) -> Vec<GrepLine> {
        let mut kept: Vec<GrepLine> = Vec::new();
        let mut last_match = 0;
        for line in lines {
            let is_after = !line.is_match && last_match > 0 && line.number <= last_match + context;
            if (self.matches == 0 || self.bytes == 0) && !is_after {
                break;
            }
            self.bytes = self.bytes.saturating_sub(weight(&line));
            if line.is_match {
                self.matches -= 1;
                last_match = line.number;
            }
            kept.push(line);
        }
        kept
    }
}
