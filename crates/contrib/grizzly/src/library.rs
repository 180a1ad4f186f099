//! The notes of a database: what is read from its tables, and how much of it.
//!
//! A database can come from a stranger or from a Bear that nobody has seen yet, so nothing in a row is
//! believed: a title can be missing, a text can be a number or not be UTF-8, a date can be beyond every
//! calendar. What SQLite reads is memory of ours, so no statement can lock or change a file; what a
//! schema could do by itself, views and triggers, is turned off, and every statement ends with the
//! budget of its call. Statements are written here; what a model says only ever comes in as a parameter,
//! or is compared outside of SQL.

mod rows;
mod schema;
mod tags;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use rusqlite::{
    Connection, ErrorCode, MAIN_DB, OpenFlags, Params, config::DbConfig, limits::Limit,
};
use thiserror::Error;

use self::schema::Schema;
pub use self::tags::{TagName, Tags};
use crate::{Budget, snapshot::SnapshotError};

/// A note with more text is named, but neither searched nor shown.
pub const MAX_TEXT: u64 = 16 << 20;
/// How many notes a database may have.
pub const MAX_NOTES: usize = 200_000;
/// No value of a row that is read is larger; only a broken file has such.
const MAX_VALUE: i32 = 64 << 20;
/// How many steps SQLite does between two looks at the budget.
const STEPS: i32 = 1000;

/// A note without its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// The number of its row, for asking for more of it.
    pub row: i64,
    /// Its identifier, or `row-<number>` where it has none.
    pub id: String,
    /// Its title, in one line; never empty.
    pub title: String,
    /// When it was made.
    pub created: Option<Timestamp>,
    /// When it was last changed.
    pub modified: Option<Timestamp>,
    /// Whether it is in the archive.
    pub is_archived: bool,
    /// Whether it is in the trash.
    pub is_trashed: bool,
    /// Whether its text is encrypted.
    pub is_encrypted: bool,
    /// The length of its text in bytes.
    pub bytes: u64,
}

/// The text of a note, if there is one to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body<T> {
    /// The text.
    Text(T),
    /// It is encrypted; only its title is known.
    Encrypted,
    /// It is longer than [`MAX_TEXT`].
    TooLong,
}

/// Why notes cannot be read.
#[derive(Debug, Error)]
pub enum LibraryError {
    /// The files cannot be read.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// A database of something else.
    #[error("{path}: an SQLite database, but not Bear's: it has no table `ZSFNOTE`")]
    Foreign {
        /// The file.
        path: Utf8PathBuf,
    },
    /// Bear has changed.
    #[error(
        "{path}: looks like Bear's, but of a version that is not known here: {what}; \
         a newer grizzly is needed"
    )]
    UnknownVersion {
        /// The file.
        path: Utf8PathBuf,
        /// What was expected and is not there.
        what: String,
    },
    /// More than is ever read.
    #[error("{path}: more than {max} {what}")]
    TooMany {
        /// The file.
        path: Utf8PathBuf,
        /// Of what there are too many.
        what: &'static str,
        /// The limit.
        max: usize,
    },
    /// It took too long.
    #[error("{path}: the time for one call is over; ask for less, by tags or dates for example")]
    OutOfTime {
        /// The file.
        path: Utf8PathBuf,
    },
    /// SQLite cannot make sense of it.
    #[error("{path}: damaged, or of a newer SQLite")]
    Damaged {
        /// The file.
        path: Utf8PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
}

/// The notes of a database as they were when its picture was taken.
#[derive(Debug)]
pub struct Library {
    path: Utf8PathBuf,
    connection: Connection,
    schema: Schema,
    budget: Budget,
}

impl Library {
    /// Reads the picture of a database. The path is for messages.
    pub fn open(path: &Utf8Path, image: &[u8], budget: Budget) -> Result<Self, LibraryError> {
        let connection = connect(image, &budget).map_err(|error| failed(path, &budget, error))?;
        connection.set_prepared_statement_cache_capacity(16);
        let schema = Schema::discover(path, &connection, &budget)?;
        Ok(Self { path: path.to_owned(), connection, schema, budget })
    }

    /// From here on the work is done on this budget.
    pub fn set_budget(&mut self, budget: Budget) -> Result<(), LibraryError> {
        watch(&mut self.connection, &budget).map_err(|error| self.failed(error))?;
        self.budget = budget;
        Ok(())
    }

    /// The budget that it works on.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Every note without its text, in the order of their rows.
    pub fn heads(&self, mut each: impl FnMut(Head)) -> Result<(), LibraryError> {
        let sql = rows::every(rows::Wanted::Head, &self.schema);
        self.read(&sql, [], |row| {
            each(rows::head(row));
            Ok(())
        })
    }

    /// Every note with its text, in the order of their rows. The text is gone with the next note.
    pub fn notes(
        &self,
        mut each: impl FnMut(Head, Body<&str>) -> Result<(), LibraryError>,
    ) -> Result<(), LibraryError> {
        let sql = rows::every(rows::Wanted::Text, &self.schema);
        self.read(&sql, [], |row| {
            let head = rows::head(row);
            let text = rows::text(row);
            let body = rows::body(&head, &text);
            each(head, body)
        })
    }

    /// One note with its text.
    pub fn note(&self, row: i64) -> Result<Option<(Head, Body<String>)>, LibraryError> {
        let sql = rows::one(&self.schema);
        let mut found = None;
        self.read(&sql, [row], |row| {
            let head = rows::head(row);
            let body = match rows::body(&head, &rows::text(row)) {
                Body::Text(text) => Body::Text(text.to_owned()),
                Body::Encrypted => Body::Encrypted,
                Body::TooLong => Body::TooLong,
            };
            found = Some((head, body));
            Ok(())
        })?;
        Ok(found)
    }

    /// The tags, and which note has which.
    pub fn tags(&self) -> Result<Tags, LibraryError> {
        tags::read(self)
    }

    /// The error of a call whose time is over.
    pub(crate) fn out_of_time(&self) -> LibraryError {
        LibraryError::OutOfTime { path: self.path.clone() }
    }

    /// Runs a statement about notes for its rows.
    fn read(
        &self,
        sql: &str,
        params: impl Params,
        each: impl FnMut(&rusqlite::Row<'_>) -> Result<(), LibraryError>,
    ) -> Result<(), LibraryError> {
        self.run(MAX_NOTES, "notes", sql, params, each)
    }

    /// Runs a statement without parameters that asks for one row more than there may be.
    fn read_up_to(
        &self,
        max: usize,
        what: &'static str,
        sql: &str,
        each: impl FnMut(&rusqlite::Row<'_>) -> Result<(), LibraryError>,
    ) -> Result<(), LibraryError> {
        self.run(max, what, sql, [], each)
    }

    fn run(
        &self,
        max: usize,
        what: &'static str,
        sql: &str,
        params: impl Params,
        mut each: impl FnMut(&rusqlite::Row<'_>) -> Result<(), LibraryError>,
    ) -> Result<(), LibraryError> {
        let failed = |error| self.failed(error);
        let mut statement = self.connection.prepare_cached(sql).map_err(failed)?;
        let mut rows = statement.query(params).map_err(failed)?;
        let mut count = 0;
        while let Some(row) = rows.next().map_err(failed)? {
            count += 1;
            if count > max {
                return Err(LibraryError::TooMany { path: self.path.clone(), what, max });
            }
            each(row)?;
        }
        Ok(())
    }

    fn failed(&self, error: rusqlite::Error) -> LibraryError {
        failed(&self.path, &self.budget, error)
    }
}

/// A connection to memory, in which the schema of a stranger has no power.
fn connect(image: &[u8], budget: &Budget) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_in_memory_with_flags(flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    watch(&mut connection, budget)?;
    connection.deserialize_read_exact(MAIN_DB, image, image.len(), true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(connection)
}

/// Makes every statement end with the budget.
fn watch(connection: &mut Connection, budget: &Budget) -> rusqlite::Result<()> {
    let budget = budget.clone();
    connection.progress_handler(STEPS, Some(move || budget.is_spent()))
}

fn failed(path: &Utf8Path, budget: &Budget, source: rusqlite::Error) -> LibraryError {
    let path = path.to_owned();
    let interrupted = source.sqlite_error_code() == Some(ErrorCode::OperationInterrupted);
    if interrupted && budget.is_spent() {
        return LibraryError::OutOfTime { path };
    }
    LibraryError::Damaged { path, source }
}

#[cfg(test)]
mod tests;
