//! What the tables of a database are called.
//!
//! Core Data numbers its entities, and the numbers are in the names of the table that joins notes and
//! tags: `Z_5TAGS` with `Z_5NOTES` and `Z_13TAGS` in one version of Bear, other numbers in the next. They
//! are discovered. A table from before a migration may still be there, so where there are several, the
//! numbers that the database itself lists for its entities decide.

use camino::Utf8Path;
use rusqlite::{Connection, OptionalExtension};

use super::{LibraryError, failed};
use crate::Budget;

const NOTE_COLUMNS: [&str; 9] = [
    "Z_PK",
    "ZUNIQUEIDENTIFIER",
    "ZTITLE",
    "ZTEXT",
    "ZCREATIONDATE",
    "ZMODIFICATIONDATE",
    "ZTRASHED",
    "ZARCHIVED",
    "ZENCRYPTED",
];
const TAG_COLUMNS: [&str; 2] = ["Z_PK", "ZTITLE"];
/// A database of Bear has about thirty tables.
const MAX_TABLES: i64 = 1000;

#[derive(Debug)]
pub(super) struct Schema {
    pub(super) junction: Junction,
    /// Whether there is a column for notes that are deleted for good.
    pub(super) marks_deleted: bool,
}

/// The table that joins notes and tags, by the numbers in its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Junction {
    /// The number of the entity of notes.
    notes: u32,
    /// The number of the entity of tags.
    tags: u32,
}

impl Junction {
    pub(super) fn table(self) -> String {
        format!("Z_{}TAGS", self.notes)
    }

    pub(super) fn note_column(self) -> String {
        format!("Z_{}NOTES", self.notes)
    }

    pub(super) fn tag_column(self) -> String {
        format!("Z_{}TAGS", self.tags)
    }
}

impl Schema {
    pub(super) fn discover(
        path: &Utf8Path,
        connection: &Connection,
        budget: &Budget,
    ) -> Result<Self, LibraryError> {
        let failed = |error| failed(path, budget, error);
        let unknown = |what| LibraryError::UnknownVersion { path: path.to_owned(), what };
        let tables = tables(connection).map_err(failed)?;
        if !tables.iter().any(|table| table == "ZSFNOTE") {
            return Err(LibraryError::Foreign { path: path.to_owned() });
        }
        let notes = columns(connection, "ZSFNOTE").map_err(failed)?;
        require("ZSFNOTE", &NOTE_COLUMNS, &notes).map_err(unknown)?;
        let tags = columns(connection, "ZSFNOTETAG").map_err(failed)?;
        require("ZSFNOTETAG", &TAG_COLUMNS, &tags).map_err(unknown)?;
        let mut junctions = Vec::new();
        for table in &tables {
            junctions.extend(junction(connection, table).map_err(failed)?);
        }
        let listed = entities(connection).map_err(failed)?;
        Ok(Self {
            junction: choose(&junctions, listed).map_err(unknown)?,
            marks_deleted: notes.iter().any(|column| column == "ZPERMANENTLYDELETED"),
        })
    }
}

/// Real tables only: a view or a virtual table has no page of its own, and Bear has none.
fn tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 \
         ORDER BY name LIMIT ?1",
    )?;
    statement.query_map([MAX_TABLES], |row| row.get(0))?.collect()
}

/// The columns of a table; none where it does not exist.
fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1) LIMIT 1000")?;
    statement.query_map([table], |row| row.get(0))?.collect()
}

fn require(table: &str, wanted: &[&str], found: &[String]) -> Result<(), String> {
    let missing = wanted.iter().filter(|column| !found.iter().any(|found| found == *column));
    let missing: Vec<_> = missing.map(|column| format!("`{column}`")).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if found.is_empty() {
        return Err(format!("there is no table `{table}`"));
    }
    Err(format!("the table `{table}` has no {}", missing.join(", ")))
}

/// The junction that this table is, if it is one.
fn junction(connection: &Connection, table: &str) -> rusqlite::Result<Option<Junction>> {
    let Some(notes) = number(table, "TAGS") else { return Ok(None) };
    let columns = columns(connection, table)?;
    let has_notes = columns.iter().any(|column| number(column, "NOTES") == Some(notes));
    let tags = columns.iter().find_map(|column| number(column, "TAGS"));
    Ok(tags.filter(|_| has_notes).map(|tags| Junction { notes, tags }))
}

/// The number in `Z_<number><what>`, written as SQLite would find it again.
fn number(name: &str, what: &str) -> Option<u32> {
    let digits = name.strip_prefix("Z_")?.strip_suffix(what)?;
    let number = digits.parse().ok()?;
    (format!("{number}") == digits).then_some(number)
}

/// The numbers of notes and tags as the database lists them, where it does.
fn entities(connection: &Connection) -> rusqlite::Result<Option<Junction>> {
    let columns = columns(connection, "Z_PRIMARYKEY")?;
    if !["Z_ENT", "Z_NAME"].iter().all(|wanted| columns.iter().any(|column| column == wanted)) {
        return Ok(None);
    }
    let mut statement = connection
        .prepare("SELECT CAST(Z_ENT AS INTEGER) FROM Z_PRIMARYKEY WHERE Z_NAME = ?1 LIMIT 1")?;
    let mut entity = |name: &str| {
        let number = statement.query_row([name], |row| row.get::<_, i64>(0)).optional();
        number.map(|number| number.and_then(|number| u32::try_from(number).ok()))
    };
    let (notes, tags) = (entity("SFNote")?, entity("SFNoteTag")?);
    Ok(notes.zip(tags).map(|(notes, tags)| Junction { notes, tags }))
}

fn choose(found: &[Junction], listed: Option<Junction>) -> Result<Junction, String> {
    match found {
        [] => Err("there is no table `Z_<number>TAGS` that joins notes and tags".to_owned()),
        [only] => Ok(*only),
        several => {
            let listed = several.iter().find(|junction| Some(**junction) == listed);
            let names: Vec<_> = several.iter().map(|one| format!("`{}`", one.table())).collect();
            listed.copied().ok_or_else(|| {
                format!("several tables could join notes and tags: {}", names.join(", "))
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for (name, want) in [
            ("Z_5TAGS", Some(5)),
            ("Z_0TAGS", Some(0)),
            ("Z_4294967295TAGS", Some(u32::MAX)),
            ("Z_4294967296TAGS", None),
            ("Z_05TAGS", None),
            ("Z_+5TAGS", None),
            ("Z_TAGS", None),
            ("Z_5PINNEDINTAGS", None),
            ("Z_5; DROP TABLE ZSFNOTE; --TAGS", None),
            ("z_5tags", None),
        ] {
            assert_eq!(number(name, "TAGS"), want, "{name}");
        }
    }

    #[test]
    fn of_several_the_listed_one_is_chosen() {
        let [old, new] = [(5, 10), (5, 13)].map(|(notes, tags)| Junction { notes, tags });
        assert_eq!(choose(&[old], Some(new)), Ok(old));
        assert_eq!(choose(&[old, new], Some(new)), Ok(new));
        assert!(choose(&[old, new], None).is_err());
        assert!(choose(&[], Some(new)).is_err());
    }
}
