//! What was found, as far as it can be in the answer.
//!
//! The answer is the beginning of all matches sorted by path. Nobody knows that beginning before
//! every file was searched, but what lies behind enough matches is certainly not in it. So when
//! several times as much has come together as fits, the rest is thrown away and its first path
//! becomes the end: files behind it are only counted. Memory is bounded, and the answer does not
//! depend on the order in which files were searched.

use std::fmt::Write;

use camino::{Utf8Path, Utf8PathBuf};

use crate::text;

/// How much is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) matches: usize,
    pub(super) bytes: usize,
}

/// How much of a file is worth keeping.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) matches: usize,
    pub(super) bytes: usize,
}

/// A line of a file.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) role: Role,
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Match,
    /// Shown because of a match that follows.
    Before,
    /// Shown because of a match before it.
    After,
}

/// What was found in a file.
#[derive(Debug, Default)]
pub(super) struct Hit {
    pub(super) lines: Vec<Line>,
    /// How many lines match.
    pub(super) matches: usize,
    /// How many of them are among `lines`.
    pub(super) kept: usize,
    /// The weight of `lines`.
    pub(super) bytes: usize,
}

impl Line {
    /// What it takes of the answer. The answer is bounded by the same measure by which lines are
    /// thrown away, so that what is thrown away would not have been shown.
    pub(super) fn weight(&self) -> usize {
        self.text.len() + 8
    }
}

/// How much more than is shown comes together before it is sorted out.
const SLACK: usize = 4;

/// What a file takes of the answer besides its lines.
fn weight(path: &Utf8Path) -> usize {
    path.as_str().len() + 16
}

pub(super) struct Hits {
    limits: Limits,
    list: Vec<(Utf8PathBuf, Hit)>,
    /// Of `list`.
    kept: usize,
    bytes: usize,
    /// Paths behind this one are not in the answer.
    end: Option<Utf8PathBuf>,
    /// Of all files.
    pub(super) matches: usize,
    pub(super) files: usize,
    pub(super) binary: usize,
    pub(super) unreadable: usize,
    /// How many matches, or files, [`render`](Self::render) showed.
    pub(super) shown: usize,
}

impl Hits {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            list: Vec::new(),
            kept: 0,
            bytes: 0,
            end: None,
            matches: 0,
            files: 0,
            binary: 0,
            unreadable: 0,
            shown: 0,
        }
    }

    /// How much of a file could be in the answer.
    pub(super) fn room_for(&self, path: &Utf8Path) -> Room {
        if self.is_behind(path) {
            return Room { matches: 0, bytes: 0 };
        }
        Room { matches: self.limits.matches, bytes: self.limits.bytes }
    }

    pub(super) fn add(&mut self, path: &Utf8Path, hit: Hit) {
        if hit.matches == 0 {
            return;
        }
        self.matches += hit.matches;
        self.files += 1;
        if !self.is_behind(path) {
            self.keep(path.to_owned(), hit);
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.matches += other.matches;
        self.files += other.files;
        self.binary += other.binary;
        self.unreadable += other.unreadable;
        for (path, hit) in other.list {
            if !self.is_behind(&path) {
                self.keep(path, hit);
            }
        }
    }

    /// The answer, sorted.
    pub(super) fn render(&mut self, files_only: bool) -> String {
        self.list.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut page = Page { limits: self.limits, spent: 0, shown: 0, out: String::new() };
        for (path, hit) in &self.list {
            if page.is_full() {
                break;
            }
            page.file(path, hit, files_only);
        }
        if files_only && page.shown > 0 {
            page.out.push('\n');
        }
        self.shown = page.shown;
        page.out
    }

    fn is_behind(&self, path: &Utf8Path) -> bool {
        self.end.as_deref().is_some_and(|end| path > end)
    }

    fn keep(&mut self, path: Utf8PathBuf, hit: Hit) {
        // With `files_only` no lines are kept, and the file itself is what counts.
        self.kept += hit.kept.max(1);
        self.bytes += hit.bytes + weight(&path);
        self.list.push((path, hit));
        if self.kept > SLACK * self.limits.matches || self.bytes > SLACK * self.limits.bytes {
            self.sort_out();
        }
    }

    fn sort_out(&mut self) {
        self.list.sort_by(|(a, _), (b, _)| a.cmp(b));
        let (mut kept, mut bytes, mut wanted) = (0, 0, 0);
        for (path, hit) in &self.list {
            if kept >= self.limits.matches || bytes >= self.limits.bytes {
                break;
            }
            kept += hit.kept.max(1);
            bytes += hit.bytes + weight(path);
            wanted += 1;
        }
        self.list.truncate(wanted);
        (self.kept, self.bytes) = (kept, bytes);
        self.end = self.list.last().map(|(path, _)| path.clone());
    }
}

struct Page {
    limits: Limits,
    spent: usize,
    shown: usize,
    out: String,
}

impl Page {
    fn is_full(&self) -> bool {
        self.shown >= self.limits.matches || self.spent >= self.limits.bytes
    }

    fn file(&mut self, path: &Utf8Path, hit: &Hit, files_only: bool) {
        self.spent += weight(path);
        let _ = writeln!(self.out, "{}", text::name(path.as_str()));
        if files_only {
            self.shown += 1;
            return;
        }
        let (has_context, mut last) = (hit.lines.len() > hit.kept, None);
        for line in &hit.lines {
            if self.is_full() && line.role != Role::After {
                break;
            }
            if has_context && last.is_some_and(|last| last + 1 < line.number) {
                self.out.push_str("--\n");
            }
            last = Some(line.number);
            self.spent += line.weight();
            self.shown += usize::from(line.role == Role::Match);
            let mark = if line.role == Role::Match { ':' } else { '-' };
            let _ = writeln!(self.out, "{}{mark}{}", line.number, line.text);
        }
        self.out.push('\n');
    }
}
