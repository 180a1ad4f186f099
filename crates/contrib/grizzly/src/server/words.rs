//! What the server says about notes, in one place.

use std::borrow::Cow;

use jiff::tz::TimeZone;
use jp_tool::ToolError;

use crate::{
    Address, Sought, date,
    library::{Head, Tags},
};

/// A note in one line: what it is called and what else is known of it.
pub(super) fn line(head: &Head, tags: &[impl AsRef<str>], zone: &TimeZone) -> String {
    let mut facts = vec![format!("id {}", head.id)];
    if !tags.is_empty() {
        let tags: Vec<&str> = tags.iter().map(AsRef::as_ref).collect();
        facts.push(format!("tags {}", tags.join(", ")));
    }
    facts.push(format!("changed {}", date::show(head.modified, zone)));
    for (is_so, word) in [
        (head.is_archived, "archived"),
        (head.is_trashed, "in the trash"),
        (head.is_encrypted, "encrypted: its text cannot be shown"),
    ] {
        if is_so {
            facts.push(word.to_owned());
        }
    }
    format!("**{}** ({})", head.title, facts.join("; "))
}

/// A note as one of several choices. Only what does not change while somebody thinks.
pub(super) fn option(head: &Head, tags: &Tags, zone: &TimeZone) -> String {
    let tags = tags.shown(head.row);
    let tags = if tags.is_empty() { "no tags".to_owned() } else { tags.join(", ") };
    format!("{} (made {}; {tags})", head.id, date::show(head.created, zone))
}

/// What the question about one of the notes of a call is called. The first has the plain name, so that it
/// is easy to answer beforehand.
pub(super) fn question(place: usize) -> Cow<'static, str> {
    match place {
        0 => "which-note".into(),
        place => format!("which-note-{}", place + 1).into(),
    }
}

pub(super) fn which_note(title: &str, count: usize) -> String {
    format!("{count} notes are called “{}”. Which one is meant?", short(title))
}

pub(super) fn no_such_note(sought: &Sought) -> ToolError {
    ToolError::new(match sought {
        Sought::Id(id) => {
            format!("There is no note with the id `{}`. search_notes gives the ids.", short(id))
        }
        Sought::Title(title) => format!(
            "There is no note called “{}”. search_notes finds notes by parts of their titles.",
            short(title)
        ),
    })
}

pub(super) fn encrypted(head: &Head) -> ToolError {
    ToolError::new(format!("“{}” is encrypted. Only Bear can show it.", head.title))
}

pub(super) fn too_long(head: &Head) -> ToolError {
    ToolError::new(format!("“{}” has {} bytes, which is too much to show.", head.title, head.bytes))
}

pub(super) fn too_long_at_once(head: &Head, max: usize) -> ToolError {
    ToolError::new(format!(
        "These lines of “{}” have more than {} MiB. Read fewer, with #L1-L100 behind the address.",
        head.title,
        max >> 20
    ))
}

/// The address of a whole note.
pub(super) fn uri(head: &Head) -> String {
    Address::of_note(&head.id).to_uri()
}

/// One or several.
pub(super) fn count(number: usize, one: &str, several: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {several}") }
}

/// What somebody wrote, not longer than a message should be.
pub(super) fn short(text: &str) -> String {
    text.chars().take(200).collect()
}
