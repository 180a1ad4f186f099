//! The lines that match a pattern, the same on every backend.
//!
//! Files are searched by several threads in no order, and the answer must not show that: it is the
//! beginning of all matches sorted by path, however much fits ([`collect`]). A file counts as binary if
//! there is a NUL in it anywhere; then nothing of it is told.
//!
//! To know whether a file is binary it has to be read to its end, so what was found in it is held until then.
//! Every thread has a file, and most have few lines that match: one that has many waits until no other has.

mod collect;
mod until;

use std::{
    io::{self, BufReader, Read},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use camino::{Utf8Path, Utf8PathBuf};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};

pub use self::until::Until;
use self::{
    collect::{Collector, Hit},
    until::Watched,
};
use crate::{
    ProjectError, ProjectPath,
    walk::{Tree, Visit, walk},
};

/// The longest pattern. Compiling takes many times its length.
const MAX_PATTERN: usize = 64 << 10;
/// How large a compiled pattern can be, and what is remembered while searching with it, by all threads together. A
/// pattern that people write needs a fraction of one thread's share.
const MAX_COMPILED: usize = 10 << 20;
const MAX_CACHE: usize = 32 << 20;
/// How much of a file is in memory. Where the lines around a hit do not fit into that, only the hits are told; a file
/// with a longer line is left out.
const MAX_HEAP: usize = 8 << 20;
/// How much of a file is read first. Most of those that people search are not longer.
const FIRST: usize = 16 << 10;
/// So much of one file is held while others are searched too; only one of them at a time holds more.
const MAX_BESIDE: usize = 256 << 10;
/// The longest part of a line that is told.
const MAX_LINE: usize = 16 << 10;
/// How many lines around a match can be asked for.
const MAX_CONTEXT: usize = 1_000;
/// As many matches and bytes are told if nobody says how many.
const DEFAULT_MATCHES: usize = 100_000;
const DEFAULT_BYTES: usize = 8 << 20;

/// What to search for, and where.
#[derive(Debug, Clone)]
pub struct GrepQuery {
    /// A regular expression that is matched line by line.
    pub pattern: String,
    /// Files and directories; without any, the whole project.
    pub paths: Vec<ProjectPath>,
    /// Only files with one of these extensions, written without a dot; without any, all.
    pub extensions: Vec<String>,
    /// How many lines before and after a match are told with it.
    pub context: usize,
    /// Whether upper and lower case are the same.
    pub case_insensitive: bool,
    /// Whether the pattern is plain text.
    pub fixed: bool,
    /// How many matching lines are told.
    pub max_matches: usize,
    /// How many bytes are told, about; also what they take in memory.
    pub max_bytes: usize,
    /// When the search is given up.
    pub until: Until,
}

impl GrepQuery {
    /// A search for a pattern in the whole project.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
            paths: Vec::new(),
            extensions: Vec::new(),
            context: 0,
            case_insensitive: false,
            fixed: false,
            max_matches: DEFAULT_MATCHES,
            max_bytes: DEFAULT_BYTES,
            until: Until::default(),
        }
    }

    /// Whether the pattern can be used.
    pub fn check(&self) -> Result<(), ProjectError> {
        Ok(self.matcher(1).map(|_| ())?)
    }

    /// What so many threads search with.
    fn matcher(&self, threads: usize) -> Result<RegexMatcher, InvalidPattern> {
        if self.pattern.len() > MAX_PATTERN {
            return Err(InvalidPattern { reason: format!("longer than {MAX_PATTERN} bytes") });
        }
        RegexMatcherBuilder::new()
            .line_terminator(Some(b'\n'))
            .case_insensitive(self.case_insensitive)
            .fixed_strings(self.fixed)
            .size_limit(MAX_COMPILED)
            .dfa_size_limit(MAX_CACHE / threads.max(1))
            .build(&self.pattern)
            .map_err(|error| InvalidPattern {
                reason: error.to_string().chars().take(2_000).collect(),
            })
    }

    fn context(&self) -> usize {
        self.context.min(MAX_CONTEXT)
    }

    fn wants(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let has = |extension: &String| {
            let rest = name.strip_suffix(extension.trim_start_matches('.'));
            rest.is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
        };
        self.extensions.is_empty() || self.extensions.iter().any(has)
    }
}

/// The pattern of a search cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the pattern cannot be used: {reason}")]
pub struct InvalidPattern {
    /// What is wrong with it.
    pub reason: String,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GrepAnswer {
    /// The files with matches, sorted by path.
    pub files: Vec<FileMatches>,
    /// Whether a limit was reached, so that there may be more.
    pub limit_reached: bool,
    /// How many files were left out because they are binary.
    pub binary: usize,
    /// How many files and directories could not be read, or had lines that are too long.
    pub unread: usize,
}

/// The matches of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMatches {
    /// The canonical path.
    pub path: Utf8PathBuf,
    /// The lines in their order.
    pub lines: Vec<GrepLine>,
}

/// A line that matches, or one around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepLine {
    /// Counted from 1.
    pub number: u64,
    /// The line without its end.
    pub content: String,
    /// Whether it matches itself.
    pub is_match: bool,
}

/// Searches the files of a backend.
pub fn grep<T: Tree>(tree: &T, query: &GrepQuery) -> Result<GrepAnswer, ProjectError> {
    let matcher = query.matcher(tree.pace().threads)?;
    let collector = Mutex::new(Collector::new(query.max_matches, query.max_bytes));
    let (is_full, large) = (AtomicBool::new(false), Mutex::new(()));
    let (searches, unread) = walk(tree, &query.paths, &query.until, || Search {
        query,
        matcher: &matcher,
        searcher: searcher(query.context()),
        collector: &collector,
        is_full: &is_full,
        large: &large,
        unread: 0,
        binary: 0,
    })?;
    query.until.check()?;
    let unread = searches.iter().fold(unread, |sum, search| sum + search.unread);
    let binary = searches.iter().map(|search| search.binary).sum();
    drop(searches);
    let collector = collector.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(GrepAnswer { binary, unread, ..collector.finish(query.context()) })
}

fn searcher(context: usize) -> Searcher {
    SearcherBuilder::new()
        .line_number(true)
        .before_context(context)
        .after_context(context)
        .heap_limit(Some(MAX_HEAP))
        .binary_detection(BinaryDetection::quit(0))
        .build()
}

struct Search<'a> {
    query: &'a GrepQuery,
    matcher: &'a RegexMatcher,
    searcher: Searcher,
    collector: &'a Mutex<Collector>,
    /// Whether it is worth asking the collector before a file is opened.
    is_full: &'a AtomicBool,
    /// Held by the thread whose file has much.
    large: &'a Mutex<()>,
    unread: usize,
    binary: usize,
}

impl Search<'_> {
    fn collector(&self) -> MutexGuard<'_, Collector> {
        self.collector.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a file could be searched to its end.
    fn search(&mut self, path: &str, file: impl Read, context: usize) -> bool {
        let mut sink = Lines {
            hit: Hit::default(),
            max_matches: self.query.max_matches,
            max_bytes: self.query.max_bytes,
            context: u64::try_from(context).unwrap_or(u64::MAX),
            last_match: 0,
            is_binary: false,
            large: self.large,
            turn: None,
        };
        // The searcher looks at three bytes first; this way that is no question of its own.
        let file = BufReader::with_capacity(FIRST, Watched::new(file, &self.query.until));
        let mut without = (context != self.query.context()).then(|| searcher(context));
        let searcher = without.as_mut().unwrap_or(&mut self.searcher);
        // All backends are read as a stream: other ways find a NUL in other places.
        if searcher.search_reader(self.matcher, file, &mut sink).is_err() {
            return false;
        }
        if sink.is_binary {
            self.binary += 1;
        } else if sink.hit.matches > 0 {
            let is_full = self.collector().add(Utf8PathBuf::from(path), sink.hit);
            self.is_full.fetch_or(is_full, Ordering::Relaxed);
        }
        true
    }
}

impl<F: Read> Visit<F> for Search<'_> {
    fn wants(&self, path: &str) -> bool {
        let is_behind = || {
            self.is_full.load(Ordering::Relaxed) && self.collector().is_behind(Utf8Path::new(path))
        };
        self.query.wants(path) && !is_behind()
    }

    fn visit(&mut self, path: &str, file: F) -> bool {
        let context = self.query.context();
        let is_searched = self.search(path, file, context);
        // The lines before a hit have to fit into memory with it. A hit is worth more than they are.
        let again = !is_searched && context > 0;
        self.unread += usize::from(!is_searched && !again);
        again
    }

    fn visit_again(&mut self, path: &str, file: F) {
        let is_searched = self.search(path, file, 0);
        self.unread += usize::from(!is_searched);
    }
}

/// What is taken down while one file is searched. To know that it is not binary, it has to be read to
/// the end; lines beyond the limits are only counted.
struct Lines<'a> {
    hit: Hit,
    max_matches: usize,
    max_bytes: usize,
    context: u64,
    last_match: u64,
    is_binary: bool,
    large: &'a Mutex<()>,
    turn: Option<MutexGuard<'a, ()>>,
}

impl Lines<'_> {
    fn has_room(&self) -> bool {
        self.hit.matches < self.max_matches && self.hit.bytes < self.max_bytes
    }

    fn keep(&mut self, number: u64, bytes: &[u8], is_match: bool) {
        if self.hit.bytes > MAX_BESIDE && self.turn.is_none() {
            // Whoever has it waits for nobody, so its turn ends.
            self.turn = Some(self.large.lock().unwrap_or_else(PoisonError::into_inner));
        }
        let line = GrepLine { number, content: text(bytes), is_match };
        self.hit.bytes += collect::weight(&line);
        self.hit.lines.push(line);
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.has_room() {
            self.last_match = found.line_number().unwrap_or_default();
            self.keep(self.last_match, found.bytes(), true);
            self.hit.matches += 1;
        } else {
            self.hit.has_more = true;
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let number = context.line_number().unwrap_or_default();
        // The lines after the last match still belong to it.
        if self.has_room() || (!self.hit.has_more && number <= self.last_match + self.context) {
            self.keep(number, context.bytes(), false);
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.is_binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.is_binary |= finish.binary_byte_offset().is_some();
        Ok(())
    }
}

fn text(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= MAX_LINE {
        return String::from_utf8_lossy(line).into_owned();
    }
    let start = String::from_utf8_lossy(&line[..MAX_LINE]);
    format!("{}…", start.trim_end_matches(char::REPLACEMENT_CHARACTER))
}

#[cfg(test)]
mod tests;
