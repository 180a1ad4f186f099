//! Finding the note that somebody means: by identifier, address or title.

use crate::{
    Address, fold,
    library::{Head, Library, LibraryError},
};

/// How many notes are offered where several are meant.
const MAX_CANDIDATES: usize = 50;

/// Which note is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sought {
    /// The one with this identifier.
    Id(String),
    /// Those with this title.
    Title(String),
}

impl Sought {
    /// Reads an identifier or an address. `None` for an address of something else than a note.
    pub fn by_id(text: &str) -> Option<Self> {
        let text = text.trim();
        if !text.contains("://") {
            return Some(Self::Id(text.to_owned()));
        }
        match Address::parse(text)? {
            Address::Note { id, .. } => Some(Self::Id(id)),
            Address::Title(title) => Some(Self::Title(title)),
            Address::Tag(_) => None,
        }
    }
}

/// All notes that are meant, the ones that people see first: not in the trash, not in the archive, changed
/// last. There are several only with the same title, or in a database that is broken.
pub fn find(library: &Library, sought: &Sought) -> Result<Vec<Head>, LibraryError> {
    let (id, title) = match sought {
        Sought::Id(id) => (Some(id.to_lowercase()), None),
        Sought::Title(title) => (None, Some(fold::for_names(&one_line(title)))),
    };
    let mut found: Vec<Head> = Vec::new();
    library.heads(|head| {
        let is_meant = id.as_ref().is_some_and(|id| head.id.to_lowercase() == *id)
            || title.as_ref().is_some_and(|title| fold::for_names(&head.title) == *title);
        if is_meant && found.len() < MAX_CANDIDATES {
            found.push(head);
        }
    })?;
    found.sort_by_key(|head| {
        (head.is_trashed, head.is_archived, std::cmp::Reverse(head.modified), head.row)
    });
    Ok(found)
}

/// A title as it is read from a row: without line breaks and double spaces.
fn one_line(title: &str) -> String {
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}
