//! `fs_grep_files`: the lines of all files that match a pattern.
//!
//! Files are searched by several threads in no order, and the answer must not show that. So each
//! thread keeps what could still be in the answer, which is sorted by path, and counts the rest; see
//! [`hits`].

mod hits;
mod remote;
mod sink;

use std::{
    fmt::Write,
    io::{BufReader, Read},
};

use camino::Utf8Path;
use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use jp_tool::{Call, JsonSchema, ToolError, access::path::Kind};
use serde::Deserialize;

use self::{
    hits::{Hits, Limits},
    sink::LineSink,
};
use crate::{
    place::Place,
    text::{beginning, count},
    walk::{Found, LeftOut, Selection, Tree, Visit, Walk},
};

/// The longest pattern. Compiling takes many times its length.
const MAX_PATTERN: usize = 64 << 10;
/// How large a compiled pattern can be, and what is remembered while searching with it, by all threads together. A
/// pattern that people write needs a fraction of one thread's share.
const MAX_COMPILED: usize = 10 << 20;
const MAX_CACHE: usize = 32 << 20;
const DEFAULT_LINES: u32 = 200;
const MAX_LINES: u32 = 5_000;
const MAX_CONTEXT: u32 = 50;
/// How long the answer can be, in bytes.
const MAX_ANSWER: usize = 256 << 10;
/// How much of a file is in memory. Only a line that is longer needs more.
const MAX_HEAP: usize = 32 << 20;
/// How much of a file is read first. Most of those that people search are not longer.
const FIRST: usize = 16 << 10;

pub(crate) const EXAMPLES: &str = r#"{"pattern": "fn main\\(", "types": ["rust"], "context": 2}
{"pattern": "TODO", "fixed": true, "paths": ["src", "docs/plan.md"], "files_only": true}"#;

/// Search the contents of files.
///
/// Finds the lines that match a regular expression, in all files of the workspace or below some
/// paths. Files that `.gitignore` or `.ignore` exclude are not searched, nor are binary files, `.git`
/// and `.jp`; hidden files are. The answer is sorted by path and line: each file's path, then
/// `LINE:text` for matches and `LINE-text` for context.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is an argument of its own")]
pub(crate) struct GrepFiles {
    /// The regular expression, in the syntax of Rust's `regex` crate.
    ///
    /// It is matched line by line: no look-around, no back-references, no `\n`. `(?i)` and other flags
    /// can be set inside.
    pattern: String,
    /// The files and directories to search, relative to the root of the workspace. Default: all.
    #[serde(default)]
    paths: Vec<String>,
    /// Search only files that match one of these patterns, for example `*.rs` or `src/**/mod.rs`; one
    /// that begins with `!` excludes.
    #[serde(default)]
    globs: Vec<String>,
    /// Search only files of these kinds, for example `rust`, `py`, `js`, `md`.
    #[serde(default)]
    types: Vec<String>,
    /// Search only files with these extensions, for example `rs`.
    #[serde(default)]
    extensions: Vec<String>,
    /// Take the pattern as plain text instead of a regular expression.
    #[serde(default)]
    fixed: bool,
    /// Do not tell upper case from lower case.
    #[serde(default)]
    ignore_case: bool,
    /// Match whole words only.
    #[serde(default)]
    word: bool,
    /// How many lines to show before and after each match, at most 50.
    #[serde(default)]
    context: u32,
    /// Give only the paths of the files that match.
    #[serde(default)]
    files_only: bool,
    /// How many matching lines (or files, with `files_only`) to show, at most 5000. All are counted.
    #[serde(default = "default_limit")]
    limit: u32,
}

fn default_limit() -> u32 {
    DEFAULT_LINES
}

pub(crate) fn grep_files<P: Place>(
    args: GrepFiles,
    _call: &Call,
    place: &P,
) -> Result<String, ToolError> {
    let matcher = matcher(&args, place.threads())?;
    let selection = Selection::new(&args.globs, &args.types, &args.extensions)
        .map_err(|error| ToolError::new(error.to_string()))?;
    let limits = Limits {
        matches: usize::try_from(args.limit.clamp(1, MAX_LINES)).unwrap_or(usize::MAX),
        bytes: MAX_ANSWER,
    };
    let search = || Search {
        matcher: &matcher,
        searcher: searcher(&args),
        files_only: args.files_only,
        hits: Hits::new(limits),
    };
    if let Some(hits) = remote::search(place, &args, search())? {
        return Ok(answer(hits, &args, LeftOut::default()));
    }
    let (searches, left_out) = Walk::new(place, &args.paths, &selection)?.run(search);
    let mut hits = Hits::new(limits);
    for search in searches {
        hits.merge(search.hits);
    }
    Ok(answer(hits, &args, left_out))
}

/// What so many threads search with.
fn matcher(args: &GrepFiles, threads: usize) -> Result<RegexMatcher, ToolError> {
    if args.pattern.len() > MAX_PATTERN {
        let message = format!("argument `pattern`: longer than {MAX_PATTERN} bytes");
        return Err(ToolError::new(message));
    }
    RegexMatcherBuilder::new()
        .line_terminator(Some(b'\n'))
        .case_insensitive(args.ignore_case)
        .fixed_strings(args.fixed)
        .word(args.word)
        .size_limit(MAX_COMPILED)
        .dfa_size_limit(MAX_CACHE / threads.max(1))
        .build(&args.pattern)
        .map_err(|error| {
            let hint = if args.fixed { "" } else { " (set `fixed` to search for plain text)" };
            let error = error.to_string();
            ToolError::new(format!("argument `pattern`: {}{hint}", beginning(&error, 2_000)))
        })
}

/// How many lines are shown around a match.
fn context(args: &GrepFiles) -> u32 {
    if args.files_only { 0 } else { args.context.min(MAX_CONTEXT) }
}

fn searcher(args: &GrepFiles) -> Searcher {
    let context = usize::try_from(context(args)).unwrap_or_default();
    SearcherBuilder::new()
        .line_terminator(LineTerminator::byte(b'\n'))
        .line_number(!args.files_only)
        .before_context(context)
        .after_context(context)
        .heap_limit(Some(MAX_HEAP))
        .binary_detection(BinaryDetection::quit(0))
        .build()
}

struct Search<'a> {
    matcher: &'a RegexMatcher,
    searcher: Searcher,
    files_only: bool,
    hits: Hits,
}

impl Search<'_> {
    fn file(&mut self, path: &Utf8Path, file: impl Read) {
        let room = self.hits.room_for(path);
        let mut sink = LineSink::new(self.matcher, self.files_only, room);
        // The searcher looks at three bytes first; this way that is no question of its own.
        let file = BufReader::with_capacity(FIRST, file);
        match self.searcher.search_reader(self.matcher, file, &mut sink) {
            Ok(()) if sink.is_binary => self.hits.binary += 1,
            Ok(()) => self.hits.add(path, sink.into_hit()),
            Err(_) => self.hits.unreadable += 1,
        }
    }
}

impl<T: Tree> Visit<T> for Search<'_> {
    fn visit(&mut self, found: &Found<'_, T>) {
        if found.kind != Kind::File {
            return;
        }
        match found.open() {
            Ok(file) => self.file(found.path, file),
            // One that is denied by another of its names is not there for us, nor is one that is gone.
            Err(error) if error.is_denied() || error.is_missing() => {}
            Err(_) => self.hits.unreadable += 1,
        }
    }
}

/// The lines, then a sentence about how many there are and what is missing.
fn answer(mut hits: Hits, args: &GrepFiles, left_out: LeftOut) -> String {
    let mut out = hits.render(args.files_only);
    let (matches, in_files) = (hits.matches, count(hits.files, "file", "files"));
    let shown = hits.shown;
    if matches == 0 {
        out.push_str("No matches.");
    } else if args.files_only {
        let _ = write!(out, "{in_files}.");
    } else {
        let lines = count(matches, "matching line", "matching lines");
        let _ = write!(out, "{lines} in {in_files}.");
    }
    let all = if args.files_only { hits.files } else { matches };
    if shown < all {
        let what = if args.files_only { "files" } else { "of them" };
        let _ = write!(
            out,
            " Only the first {shown} {what} are shown: narrow the search, or raise `limit`."
        );
    }
    if hits.binary > 0 {
        let files = count(hits.binary, "binary file was", "binary files were");
        let _ = write!(out, " {files} not searched.");
    }
    if hits.unreadable > 0 {
        let files = count(hits.unreadable, "file", "files");
        let _ =
            write!(out, " {files} could not be read, or had lines over {} MiB.", MAX_HEAP >> 20);
    }
    left_out.write(&mut out);
    out
}
