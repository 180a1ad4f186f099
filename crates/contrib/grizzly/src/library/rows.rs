//! A row of the table of notes, read without believing it.
//!
//! What is too large is left out by SQLite, which knows the length of a value without reading it.

use std::borrow::Cow;

use rusqlite::{Row, types::ValueRef};

use super::{Body, Head, MAX_NOTES, MAX_TEXT, schema::Schema};
use crate::date;

/// Longer titles are left out: a title is a line, and titles are kept for every note that is found.
const MAX_TITLE: usize = 4096;
/// Identifiers are UUIDs, sometimes with a suffix.
const MAX_ID: usize = 128;

/// How much of each note a statement brings.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted {
    Head,
    Text,
}

/// The statement for all notes.
pub(super) fn every(wanted: Wanted, schema: &Schema) -> String {
    let limit = MAX_NOTES + 1;
    // A table is read in the order of its rows anyway, and sorting could need a file.
    format!("{} WHERE {} LIMIT {limit}", select(wanted), kept(schema))
}

/// The statement for the note of one row.
pub(super) fn one(schema: &Schema) -> String {
    format!("{} WHERE Z_PK = ?1 AND {} LIMIT 1", select(Wanted::Text), kept(schema))
}

fn select(wanted: Wanted) -> String {
    let text = match wanted {
        Wanted::Head => "NULL".to_owned(),
        Wanted::Text => up_to("ZTEXT", MAX_TEXT),
    };
    format!(
        "SELECT Z_PK, {}, {}, ZCREATIONDATE, ZMODIFICATIONDATE, ZARCHIVED, ZTRASHED, ZENCRYPTED, \
         octet_length(ZTEXT), {text} FROM ZSFNOTE",
        up_to("ZUNIQUEIDENTIFIER", MAX_ID as u64),
        up_to("ZTITLE", MAX_TITLE as u64),
    )
}

/// Bear keeps the row of a deleted note until every device has heard of it.
fn kept(schema: &Schema) -> &'static str {
    if schema.marks_deleted { "ZPERMANENTLYDELETED IS NOT 1" } else { "1" }
}

/// The value of a column, or null if it is longer than this.
pub(super) fn up_to(column: &str, bytes: u64) -> String {
    format!("CASE WHEN octet_length({column}) <= {bytes} THEN {column} END")
}

pub(super) fn head(row: &Row<'_>) -> Head {
    let number = integer(value(row, 0));
    let id = string(value(row, 1));
    let bytes = u64::try_from(integer(value(row, 8))).unwrap_or(0);
    Head {
        row: number,
        id: if id.trim().is_empty() { format!("row-{number}") } else { id.trim().to_owned() },
        title: title(&string(value(row, 2))),
        created: real(value(row, 3)).and_then(date::from_stored),
        modified: real(value(row, 4)).and_then(date::from_stored),
        is_archived: flag(value(row, 5)),
        is_trashed: flag(value(row, 6)),
        is_encrypted: flag(value(row, 7)),
        bytes,
    }
}

/// The text of a row that was asked for with it; see [`body`].
pub(super) fn text<'a>(row: &'a Row<'_>) -> Cow<'a, str> {
    string(value(row, 9))
}

pub(super) fn body<'a>(head: &Head, text: &'a str) -> Body<&'a str> {
    if head.is_encrypted {
        return Body::Encrypted;
    }
    if head.bytes > MAX_TEXT { Body::TooLong } else { Body::Text(text) }
}

/// Text as it is, with a mark for what is not UTF-8; numbers as they are written.
pub(super) fn string(value: ValueRef<'_>) -> Cow<'_, str> {
    match value {
        ValueRef::Null => Cow::Borrowed(""),
        ValueRef::Integer(number) => Cow::Owned(number.to_string()),
        ValueRef::Real(number) => Cow::Owned(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes),
    }
}

pub(super) fn value<'a>(row: &'a Row<'_>, column: usize) -> ValueRef<'a> {
    // Only a column that the statement does not have would be an error.
    row.get_ref(column).unwrap_or(ValueRef::Null)
}

pub(super) fn integer(value: ValueRef<'_>) -> i64 {
    value.as_i64().unwrap_or(0)
}

/// One line without control characters, whatever is stored.
fn title(stored: &str) -> String {
    let words: Vec<&str> =
        stored.split(|char: char| char.is_whitespace() || char.is_control()).collect();
    let line = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if line.is_empty() { "Untitled".to_owned() } else { line }
}

#[expect(clippy::cast_precision_loss, reason = "a time beyond 2^53 seconds is no time anyway")]
fn real(value: ValueRef<'_>) -> Option<f64> {
    match value {
        ValueRef::Integer(number) => Some(number as f64),
        ValueRef::Real(number) => Some(number),
        ValueRef::Null | ValueRef::Text(_) | ValueRef::Blob(_) => None,
    }
}

/// Anything but nothing and zero is yes: what might be encrypted or in the trash is not shown.
fn flag(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Null | ValueRef::Integer(0) => false,
        ValueRef::Real(number) => number != 0.0,
        ValueRef::Integer(_) | ValueRef::Text(_) | ValueRef::Blob(_) => true,
    }
}
