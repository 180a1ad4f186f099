//! `jp tool trace`: what `--trace` has written, for people.
//!
//! The file may be large, may still grow, and may have been written by somebody else. So it is shown line by
//! line in columns of fixed width, nothing of it is kept but numbers, and all of its text is cleaned.

mod row;

use std::io::{self, BufRead, Read as _};

use jp_printer::Print;
use serde::Deserialize as _;
use serde_json::Value;

use self::row::{Columns, Record};
use crate::{
    args::ToolTrace,
    ctx::{self, Ctx},
    error::{Error, Result},
    exit::Exit,
};

/// The longest line that can be a record.
const LONGEST: u64 = 1024 * 1024;

/// How many lines that are no records are told about one by one.
const TOLD: usize = 20;

/// What every record has; docs/protocols/trace.md says which fields can be missing.
const ALWAYS: [&str; 7] = ["time", "tool", "id", "decision", "bytes_in", "bytes_out", "micros"];

pub(crate) fn run(ctx: &Ctx, args: &ToolTrace) -> Result {
    let mut lines = ctx::open_lines(&args.file, ctx.cwd())?;
    let columns = Columns::new(ctx.printer().settings().stdout.width);
    let mut totals = Totals::default();
    let mut number = 0;
    while let Some(line) = next(&mut lines).map_err(|error| unreadable(args, &error))? {
        number += 1;
        match read(&line) {
            Ok(None) => {}
            Ok(Some((record, value))) => {
                totals.count(&record);
                if args.denied && !record.is_denied() {
                    continue;
                }
                if ctx.is_json() {
                    ctx.print_json(&value)?;
                } else {
                    let header = totals.shown == 0;
                    totals.shown += 1;
                    let text = columns.text(&record, header);
                    ctx.printer().print(Print::content(&text).untrusted())?;
                }
            }
            Err(reason) => {
                totals.broken += 1;
                if totals.broken <= TOLD {
                    Error::failure(format!("line {number}: {reason}")).report(ctx);
                }
            }
        }
        // Somebody may be watching while it is written.
        if args.file == "-" {
            ctx.printer().flush()?;
        }
    }
    end(ctx, &totals)
}

/// How many requests of which kind there were.
#[derive(Debug, Default)]
struct Totals {
    shown: usize,
    all: usize,
    allowed: usize,
    denied: usize,
    asked: usize,
    micros: u64,
    broken: usize,
}

impl Totals {
    fn count(&mut self, record: &Record) {
        self.all += 1;
        self.allowed += usize::from(record.decision == "allowed");
        self.denied += usize::from(record.is_denied());
        self.asked += usize::from(record.is_asked());
        self.micros = self.micros.saturating_add(record.micros);
    }

    fn to_text(&self) -> String {
        let Self { all, allowed, denied, asked, micros, .. } = self;
        let (seconds, rest) = (micros / 1_000_000, micros / 1_000 % 1_000);
        let requests = if *all == 1 { "request" } else { "requests" };
        format!(
            "{all} {requests} in {seconds}.{rest:03} s: {allowed} allowed by rules, {denied} denied, \
             {asked} asked about\n"
        )
    }
}

fn end(ctx: &Ctx, totals: &Totals) -> Result {
    if !ctx.is_json() {
        if totals.shown > 0 {
            ctx.printer().print(Print::chrome("\n"))?;
        }
        ctx.printer().print(Print::chrome(&totals.to_text()))?;
    }
    match totals.broken {
        0 => Ok(()),
        1..=TOLD => Err(Error::said(Exit::Failure)),
        broken => Err(Error::failure(format!("{broken} lines are not records"))),
    }
}

/// A record and all that is in it; `None` for an empty line.
fn read(line: &Line) -> std::result::Result<Option<(Record, Value)>, String> {
    let Line::Whole(bytes) = line else {
        return Err(format!("not a record: longer than {LONGEST} bytes"));
    };
    let text = str::from_utf8(bytes).map_err(|_| "not a record: not UTF-8 text".to_owned())?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let value: Value = serde_json::from_str(text.trim_end()).map_err(|error| not_json(&error))?;
    if !value.is_object() {
        return Err("not a record: not a JSON object".to_owned());
    }
    if let Some(field) = ALWAYS.iter().find(|field| value.get(field).is_none()) {
        return Err(format!("not a record: it has no `{field}`"));
    }
    let record = Record::deserialize(&value).map_err(|error| format!("not a record: {error}"))?;
    Ok(Some((record, value)))
}

/// What is wrong with a line that is no JSON. The text was one line to the parser, and its number there would
/// contradict the one in the file, so only the column is told.
fn not_json(error: &serde_json::Error) -> String {
    let (text, column) = (error.to_string(), error.column());
    let position = format!(" at line {} column {column}", error.line());
    let what = text.strip_suffix(&position).unwrap_or(&text);
    format!("not a record: {what} at column {column}")
}

/// A line, or that there was one.
enum Line {
    Whole(Vec<u8>),
    TooLong,
}

fn next(lines: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    let read = lines.take(LONGEST + 1).read_until(b'\n', &mut bytes)?;
    if read == 0 {
        return Ok(None);
    }
    if read as u64 <= LONGEST {
        return Ok(Some(Line::Whole(bytes)));
    }
    // What follows belongs to the same line.
    while bytes.last() != Some(&b'\n') {
        bytes.clear();
        if lines.take(LONGEST).read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
    }
    Ok(Some(Line::TooLong))
}

fn unreadable(args: &ToolTrace, error: &io::Error) -> Error {
    Error::failure(format!("cannot read {}: {error}", args.file))
}
