//! One record of a trace as a line of text.

use std::fmt::Write as _;

use jiff::Timestamp;
use jp_printer::{display_width, single_line, truncate_to_width};
use serde::Deserialize;
use serde_json::Value;

use crate::ctx;

/// What is shown of a record. What is not known is passed over: the file may have been written by another
/// version.
#[derive(Debug, Deserialize)]
pub(super) struct Record {
    time: String,
    tool: String,
    method: Option<String>,
    target: Option<String>,
    pub(super) decision: String,
    rule: Option<String>,
    code: Option<Value>,
    pub(super) micros: u64,
}

impl Record {
    /// Whether it was refused: by a rule, because nobody could be asked, or by a person.
    pub(super) fn is_denied(&self) -> bool {
        matches!(&*self.decision, "denied" | "asked_no")
    }

    pub(super) fn is_asked(&self) -> bool {
        self.decision.starts_with("asked_")
    }

    /// The time of day where the user is; what is not a time as it is.
    fn time(&self) -> String {
        match self.time.parse::<Timestamp>() {
            Ok(time) => time.to_zoned(ctx::time_zone()).strftime("%H:%M:%S%.3f").to_string(),
            Err(_) => self.time.clone(),
        }
    }

    fn decision(&self) -> &str {
        match &*self.decision {
            "asked_no" => "asked: no",
            "asked_once" => "asked: once",
            "asked_run" => "asked: run",
            "asked_keep" => "asked: keep",
            "none" => "-",
            other => other,
        }
    }

    fn result(&self) -> String {
        self.code.as_ref().map_or_else(|| "ok".to_owned(), Value::to_string)
    }

    fn milliseconds(&self) -> String {
        format!("{}.{:03}", self.micros / 1_000, self.micros % 1_000)
    }
}

/// How wide the columns are.
#[derive(Debug)]
pub(super) struct Columns {
    target: usize,
    rule: usize,
}

/// The columns before the target: heading and width.
const FIXED: [(&str, usize); 6] =
    [("TIME", 12), ("TOOL", 16), ("REQUEST", 17), ("DECISION", 11), ("RESULT", 6), ("MS", 10)];

/// Where nobody knows how wide a line may be, it is cut at what no path has.
const UNKNOWN: usize = 4096;

impl Columns {
    /// For a terminal of this width. Targets are what people look for, so they get most of what is left.
    pub(super) fn new(width: Option<usize>) -> Self {
        let Some(width) = width else {
            return Self { target: UNKNOWN, rule: UNKNOWN };
        };
        let fixed: usize = FIXED.iter().map(|(_, width)| width + 2).sum();
        let left = width.saturating_sub(fixed + 2).max(24);
        let target = left * 3 / 5;
        Self { target, rule: left - target }
    }

    /// The record, with the headings above it if it is the first.
    pub(super) fn text(&self, record: &Record, with_headings: bool) -> String {
        let mut text = String::new();
        if with_headings {
            self.line(&mut text, &FIXED.map(|(heading, _)| heading.to_owned()), "TARGET", "RULE");
        }
        let cells = [
            record.time(),
            record.tool.clone(),
            record.method.clone().unwrap_or_else(|| "-".to_owned()),
            record.decision().to_owned(),
            record.result(),
            format!("{:>10}", record.milliseconds()),
        ];
        let target = record.target.as_deref().unwrap_or("-");
        self.line(&mut text, &cells, target, record.rule.as_deref().unwrap_or_default());
        text
    }

    fn line(&self, text: &mut String, cells: &[String; 6], target: &str, rule: &str) {
        let mut line = String::new();
        for (cell, (_, width)) in cells.iter().zip(FIXED) {
            let _ = write!(line, "{}  ", padded(cell, width, width));
        }
        // Where nothing is cut, nothing is aligned either: paths differ too much in length.
        let _ = write!(line, "{}  ", padded(target, self.target, self.target.min(40)));
        line += &padded(rule, self.rule, 0);
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

/// A cell on one line, cut at `most` columns and filled up to `least`.
fn padded(text: &str, most: usize, least: usize) -> String {
    let line = single_line(text);
    let cut = truncate_to_width(&line, most);
    let blanks = least.saturating_sub(display_width(&cut));
    format!("{cut}{}", " ".repeat(blanks))
}
