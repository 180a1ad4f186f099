//! A change as a person reads it: a unified diff of bounded length, made in bounded time.

use std::{fmt::Write, time::Duration};

use similar::TextDiff;

use crate::text::{self, cut_line};

const MAX_LINES: usize = 1_000;
const MAX_LINE: usize = 500;
/// After this the differences are found by a coarser method.
const MAX_TIME: Duration = Duration::from_millis(300);

/// The difference between two texts. An empty name stands for no file.
pub(crate) fn unified(path: &str, before: &str, after: &str, is_new: bool) -> String {
    let path = text::name(path);
    let mut out = String::new();
    let _ = if is_new {
        writeln!(out, "--- /dev/null\n+++ b/{path}")
    } else {
        writeln!(out, "--- a/{path}\n+++ b/{path}")
    };
    let diff = TextDiff::configure().timeout(MAX_TIME).diff_lines(before, after);
    let text = diff.unified_diff().context_radius(3).to_string();
    let mut lines = text.lines();
    for line in lines.by_ref().take(MAX_LINES) {
        let _ = writeln!(out, "{}", cut_line(line, MAX_LINE));
    }
    match lines.count() {
        0 => {}
        more => drop(writeln!(out, "… [{more} lines more]")),
    }
    out
}
