//! Opening a database: ours, of a version that we know, with settings under which nothing gets lost.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior, config::DbConfig};
use rustix::fs::{Mode, OFlags};

/// Tells our files from those of other programs: `jpPF`.
const APPLICATION: i64 = 0x6a70_5046;
/// The version of the schema.
const VERSION: i64 = 1;
/// How long a writer waits for others.
const BUSY: Duration = Duration::from_secs(10);
/// How many statements stay compiled on each connection; there are about ten.
const STATEMENTS: usize = 16;

/// Directories are the rows without a size; the root has the id 0 and no row. A directory is a range of
/// the table, so it is listed in order without looking at anything else. What files contain is apart,
/// so that looking at names does not touch it.
const TABLES: [&str; 2] = [
    "CREATE TABLE content (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT",
    "CREATE TABLE node (
        parent INTEGER NOT NULL,
        name TEXT NOT NULL,
        id INTEGER NOT NULL UNIQUE CHECK (id > 0),
        size INTEGER,
        PRIMARY KEY (parent, name)
    ) STRICT, WITHOUT ROWID",
];

/// Why a database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenDatabaseError {
    /// It is something else.
    #[error("{path}: not a database of project files; choose another path, nothing was changed")]
    Foreign {
        /// The file.
        path: Utf8PathBuf,
    },
    /// A later version of this program made it.
    #[error("{path}: made by a later version of jp (schema {version}, known is {VERSION})")]
    Newer {
        /// The file.
        path: Utf8PathBuf,
        /// The version of its schema.
        version: i64,
    },
    /// It cannot be opened or read.
    #[error("{path}: {source}")]
    Database {
        /// The file.
        path: Utf8PathBuf,
        /// What the database says.
        source: rusqlite::Error,
    },
    /// It cannot be made.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: Utf8PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

pub(super) fn open(path: &Utf8Path) -> Result<Connection, OpenDatabaseError> {
    make(path)?;
    let failed = |source: rusqlite::Error| match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => OpenDatabaseError::Foreign { path: path.to_owned() },
        _ => OpenDatabaseError::Database { path: path.to_owned(), source },
    };
    // Without the flag for names with parameters in them: the path is a path.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    harden(&connection).map_err(failed)?;
    match identify(&connection).map_err(failed)? {
        Identity::Ours => {}
        Identity::Empty => prepare(&mut connection).map_err(failed)?,
        Identity::Newer(version) => {
            return Err(OpenDatabaseError::Newer { path: path.to_owned(), version });
        }
        Identity::Foreign => return Err(OpenDatabaseError::Foreign { path: path.to_owned() }),
    }
    settle(&connection).map_err(failed)?;
    Ok(connection)
}

/// Makes the file if there is none, for its owner only: the files beside it get the same permissions.
fn make(path: &Utf8Path) -> Result<(), OpenDatabaseError> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let made = rustix::fs::open(path.as_std_path(), flags, Mode::from_raw_mode(0o600));
    let stat = made
        .and_then(rustix::fs::fstat)
        .map_err(|error| OpenDatabaseError::Io { path: path.to_owned(), source: error.into() })?;
    let kind = rustix::fs::FileType::from_raw_mode(stat.st_mode);
    if kind == rustix::fs::FileType::RegularFile {
        return Ok(());
    }
    Err(OpenDatabaseError::Foreign { path: path.to_owned() })
}

/// Before anything is read: what is in the schema of a stranger has no power.
fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.pragma_update(None, "cell_size_check", true)
}

enum Identity {
    Ours,
    Empty,
    Newer(i64),
    Foreign,
}

fn identify(connection: &Connection) -> rusqlite::Result<Identity> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    let mut statement = connection
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name LIMIT 3")?;
    let tables = statement.query_map([], |row| row.get(0))?;
    let tables: Vec<String> = tables.collect::<rusqlite::Result<_>>()?;
    Ok(match (application, version) {
        // That there are no others is what the rest relies on: no second row for a name, nothing that
        // runs by itself.
        (APPLICATION, VERSION) if tables == TABLES => Identity::Ours,
        (APPLICATION, version) if version > VERSION => Identity::Newer(version),
        (0, 0) if tables.is_empty() => Identity::Empty,
        _ => Identity::Foreign,
    })
}

/// Makes the tables, if nobody else has just done so.
fn prepare(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    if matches!(identify(&transaction)?, Identity::Empty) {
        TABLES.iter().try_for_each(|table| transaction.execute_batch(table))?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()
}

/// After it is known to be ours.
fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", false)
}
