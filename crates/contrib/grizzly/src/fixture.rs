//! Databases as Bear makes them, with notes that nobody wrote: for tests, and for trying the server where
//! there is no Bear.
//!
//! The same seed gives the same notes. The numbers in the name of the table that joins notes and tags can
//! be chosen, because every version of Bear has others. Some notes are always there and known by name, see
//! [`LANDMARKS`]; tests rely on them.

mod churn;
mod landmarks;
mod random;

use std::collections::HashMap;

use camino::Utf8Path;
use rusqlite::{Connection, OpenFlags, Transaction, params};

pub use self::churn::churn;
pub use self::landmarks::{LANDMARKS, Landmark, Place};
use self::random::Random;

/// Tags of the notes that are made up.
const TAGS: [&str; 10] = [
    "home",
    "home/kitchen",
    "home/garden",
    "work",
    "work/plans",
    "work/plans/2026",
    "music",
    "music/tapes",
    "reading list",
    "Travel/Nørrebro",
];

/// What a database is to be like.
#[derive(Debug, Clone)]
pub struct Fixture {
    /// Decides everything that is made up.
    pub seed: u64,
    /// How many notes are made up, besides [`LANDMARKS`].
    pub notes: usize,
    /// The number of the entity of notes, the first in the names of the junction.
    pub note_entity: u32,
    /// The number of the entity of tags.
    pub tag_entity: u32,
    /// How the database is written.
    pub journal: Journal,
}

/// How a database is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Journal {
    /// With a log that is read together with it, as Bear does.
    Wal,
    /// With a journal that is there during a transaction only.
    Delete,
}

impl Default for Fixture {
    fn default() -> Self {
        Self { seed: 1, notes: 100, note_entity: 5, tag_entity: 13, journal: Journal::Wal }
    }
}

impl Fixture {
    /// Makes the database. There must be none at this path yet. While the connection is open, the log lies
    /// beside the database; when it is closed, everything is in one file.
    pub fn create(&self, path: &Utf8Path) -> rusqlite::Result<Connection> {
        let mut connection = open(path, OpenFlags::SQLITE_OPEN_CREATE)?;
        let mode = match self.journal {
            Journal::Wal => "WAL",
            Journal::Delete => "DELETE",
        };
        connection.pragma_update_and_check(None, "journal_mode", mode, |_| Ok(()))?;
        let transaction = connection.transaction()?;
        transaction.execute_batch(&self.schema())?;
        let mut writer = Writer { transaction: &transaction, fixture: self, tags: HashMap::new() };
        for landmark in LANDMARKS {
            writer.landmark(landmark)?;
        }
        let mut random = Random::new(self.seed);
        let mut titles: Vec<String> = Vec::new();
        for _ in 0..self.notes {
            writer.made_up(&mut random, &mut titles)?;
        }
        transaction.commit()?;
        Ok(connection)
    }

    fn schema(&self) -> String {
        let Self { note_entity: note, tag_entity: tag, .. } = self;
        include_str!("fixture/schema.sql")
            .replace("{note}", &note.to_string())
            .replace("{tag}", &tag.to_string())
    }
}

/// Opens a database for writing.
fn open(path: &Utf8Path, more: OpenFlags) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    Connection::open_with_flags(path, flags)
}

struct Writer<'a> {
    transaction: &'a Transaction<'a>,
    fixture: &'a Fixture,
    /// The tags so far, and the row of each.
    tags: HashMap<String, i64>,
}

impl Writer<'_> {
    fn landmark(&mut self, landmark: &Landmark) -> rusqlite::Result<()> {
        let text = (!landmark.is_encrypted).then_some(landmark.text);
        self.transaction.execute(
            "INSERT INTO ZSFNOTE (Z_ENT, Z_OPT, ZARCHIVED, ZENCRYPTED, ZTRASHED, ZPERMANENTLYDELETED, \
             ZCREATIONDATE, ZMODIFICATIONDATE, ZTEXT, ZTITLE, ZUNIQUEIDENTIFIER, ZENCRYPTEDDATA) \
             VALUES (?1, 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                self.fixture.note_entity,
                landmark.place == Place::Archive,
                landmark.is_encrypted,
                landmark.place == Place::Trash,
                landmark.place == Place::Nowhere,
                landmark.created,
                landmark.modified,
                text,
                landmark.title,
                landmark.id,
                landmark.is_encrypted.then_some(landmark.text.as_bytes()),
            ],
        )?;
        let row = self.transaction.last_insert_rowid();
        landmark.tags.iter().try_for_each(|tag| self.tag(row, tag))
    }

    fn made_up(&mut self, random: &mut Random, titles: &mut Vec<String>) -> rusqlite::Result<()> {
        let title = random.title();
        let tags: Vec<&str> = (0..random.below(4)).map(|_| *random.pick(&TAGS)).collect();
        let text = text(random, &title, &tags, titles);
        // Between 2015 and 2026.
        let created = random.between(440_000_000, 800_000_000);
        let modified = created + random.between(0, 10_000_000);
        self.transaction.execute(
            "INSERT INTO ZSFNOTE (Z_ENT, Z_OPT, ZARCHIVED, ZENCRYPTED, ZTRASHED, ZPERMANENTLYDELETED, \
             ZCREATIONDATE, ZMODIFICATIONDATE, ZTEXT, ZTITLE, ZUNIQUEIDENTIFIER) \
             VALUES (?1, ?2, ?3, 0, ?4, 0, ?5, ?6, ?7, ?8, ?9)",
            params![
                self.fixture.note_entity,
                random.below(50),
                random.below(20) == 0,
                random.below(20) == 0,
                created,
                modified,
                text,
                title,
                random.id(),
            ],
        )?;
        let row = self.transaction.last_insert_rowid();
        titles.push(title);
        tags.iter().try_for_each(|tag| self.tag(row, tag))
    }

    /// Puts a tag on a note, and the tags that it is inside of.
    fn tag(&mut self, note: i64, name: &str) -> rusqlite::Result<()> {
        let Fixture { note_entity, tag_entity, .. } = self.fixture;
        let join = format!(
            "INSERT OR IGNORE INTO Z_{note_entity}TAGS (Z_{note_entity}NOTES, Z_{tag_entity}TAGS) \
             VALUES (?1, ?2)"
        );
        let ends = name.match_indices('/').map(|(end, _)| end).chain([name.len()]);
        for end in ends {
            let tag = self.row_of(&name[..end])?;
            self.transaction.execute(&join, [note, tag])?;
        }
        Ok(())
    }

    fn row_of(&mut self, name: &str) -> rusqlite::Result<i64> {
        if let Some(row) = self.tags.get(name) {
            return Ok(*row);
        }
        self.transaction.execute(
            "INSERT INTO ZSFNOTETAG (Z_ENT, Z_OPT, ZTITLE) VALUES (?1, 1, ?2)",
            params![self.fixture.tag_entity, name],
        )?;
        let row = self.transaction.last_insert_rowid();
        self.tags.insert(name.to_owned(), row);
        Ok(row)
    }
}

/// A note as Bear stores it: the title as a heading, the tags in a line, paragraphs, now and then a link.
fn text(random: &mut Random, title: &str, tags: &[&str], titles: &[String]) -> String {
    let tags = tags
        .iter()
        .map(|tag| if tag.contains(' ') { format!("#{tag}# ") } else { format!("#{tag} ") });
    let mut lines = vec![format!("# {title}"), tags.collect()];
    for _ in 0..random.between(2, 30) {
        let sentence = random.sentence();
        let is_linked = !titles.is_empty() && random.below(12) == 0;
        lines.push(if is_linked {
            format!("{sentence} See [[{}]].", random.pick(titles))
        } else {
            sentence
        });
    }
    lines.join("\n")
}
