//! Finding the note that somebody means: by identifier, address or title.

use std::cmp::Reverse;

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

/// All notes that are meant, the ones that people see first: not in the archive, changed last. One in the
/// trash is meant only if no other is. There are several only with the same title, or in a database that is
/// broken.
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
    if found.iter().any(|head| !head.is_trashed) {
        found.retain(|head| !head.is_trashed);
    }
    found.sort_by_key(|head| (head.is_archived, Reverse(head.modified), head.row));
    Ok(found)
}

/// A title as it is read from a row: without line breaks and double spaces.
fn one_line(title: &str) -> String {
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use camino::Utf8Path;
    use tempfile::TempDir;

    use super::*;
    use crate::{Budget, fixture::Fixture, snapshot::Source};

    /// The rows of the notes that are meant, after something was done to the landmarks.
    fn rows(change: &str, sought: &Sought) -> Vec<i64> {
        let dir = TempDir::new().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap().join("database.sqlite");
        let connection = Fixture { notes: 0, ..Fixture::default() }.create(&path).unwrap();
        connection.execute_batch(change).unwrap();
        let deadline = Instant::now() + Duration::from_secs(5);
        let image = Source::new(&path, 16 << 20).take(deadline).unwrap().image;
        let library = Library::open(&path, &image, Budget::of(Duration::from_mins(1))).unwrap();
        find(&library, sought).unwrap().into_iter().map(|head| head.row).collect()
    }

    #[test]
    fn notes_are_found_by_id_address_and_title() {
        let id = "a0000004-0000-4000-8000-000000000004";
        let by = |text: &str| Sought::by_id(text).unwrap();
        for (change, sought, want) in [
            ("", by(id), vec![4]),
            ("", by(&Address::of_note(id).to_uri()), vec![4]),
            ("", by("bear://x-callback-url/open-note?title=Seed%20list"), vec![2]),
            ("", by("row-4"), vec![]),
            ("UPDATE ZSFNOTE SET ZUNIQUEIDENTIFIER = NULL", by("row-4"), vec![4]),
            ("", Sought::Title(" groceries\n".to_owned()), vec![4, 3]),
            ("", Sought::Title("Caf\u{e9} Zu\u{308}rich".to_owned()), vec![8]),
            ("", Sought::Title("Gone for good".to_owned()), vec![]),
            // Where another is left, one in the trash is not meant.
            (
                "UPDATE ZSFNOTE SET ZTRASHED = 1 WHERE Z_PK = 4",
                Sought::Title("Groceries".to_owned()),
                vec![3],
            ),
            (
                "UPDATE ZSFNOTE SET ZARCHIVED = 1 WHERE Z_PK = 4",
                Sought::Title("Groceries".to_owned()),
                vec![3, 4],
            ),
            ("", Sought::Title("Thrown away".to_owned()), vec![7]),
        ] {
            assert_eq!(rows(change, &sought), want, "{change} {sought:?}");
        }
        assert_eq!(Sought::by_id("bear://x-callback-url/open-tag?name=home"), None);
    }

    #[test]
    fn not_more_are_offered_than_anybody_reads() {
        let many = "UPDATE ZSFNOTE SET ZTITLE = 'Same', ZTRASHED = 0; \
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) \
            INSERT INTO ZSFNOTE (ZTITLE) SELECT 'Same' FROM n;";
        assert_eq!(rows(many, &Sought::Title("same".to_owned())).len(), MAX_CANDIDATES);
    }
}
