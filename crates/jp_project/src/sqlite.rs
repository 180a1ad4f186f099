//! Files in one database file, for projects that should not be spread over a disk.
//!
//! Each operation is one transaction: whoever is killed in the middle has done all of it or nothing, and
//! what an operation has answered is on the disk (`synchronous = FULL`; without it the last answers
//! could be lost with the power). Several processes can use a database at once: readers never wait
//! (`WAL`), writers take turns and give up after a while.
//!
//! A database can come from a stranger. One that another program made is refused, and what its schema
//! says is not run. The file has to be on a local disk, because `WAL` needs memory shared between the
//! processes.

mod open;
mod table;

use std::{
    fmt,
    io::Read,
    sync::{Arc, Mutex, PoisonError},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::Capability;
use rusqlite::{Connection, Transaction, TransactionBehavior};

pub use self::open::OpenDatabaseError;
use self::table::Table;
use crate::{
    Content, DeleteReach, DirEntry, GrepAnswer, GrepQuery, Kind, Materialized, Metadata, Part,
    ProjectError, ProjectFiles, ProjectPath, RenameTarget, Rules, Slice, WriteMode, grep,
    nodes::{self, At, Nodes, Source},
    path::join,
    walk::View,
};

/// The largest file. A database holds a blob of a gigabyte at most.
const MAX_FILE: u64 = 256 << 20;
/// How many connections are kept open for the next operations.
const MAX_IDLE: usize = 12;

/// Files in a database. Views under other rules share its connections.
#[derive(Debug, Clone)]
pub struct SqliteProjectFiles {
    database: Arc<Database>,
    rules: Arc<Rules>,
}

impl SqliteProjectFiles {
    /// Opens a database in which everything may be used; makes it if there is none.
    pub fn open(path: &Utf8Path) -> Result<Self, OpenDatabaseError> {
        let connection = open::open(path)?;
        let database = Database { path: path.to_owned(), idle: Mutex::new(vec![connection]) };
        Ok(Self { database: Arc::new(database), rules: Arc::default() })
    }

    /// Looks at the files. All that is asked is answered from one state of them.
    fn look<T>(
        &self,
        look: impl FnOnce(&Table<'_>) -> Result<T, ProjectError>,
    ) -> Result<T, ProjectError> {
        self.run(TransactionBehavior::Deferred, |transaction| look(&Table(transaction)))
    }

    /// Changes the files, all of it or nothing.
    fn change(
        &self,
        change: impl FnOnce(&mut Table<'_>) -> Result<(), ProjectError>,
    ) -> Result<(), ProjectError> {
        self.run(TransactionBehavior::Immediate, |transaction| change(&mut Table(transaction)))
    }

    fn run<T>(
        &self,
        behavior: TransactionBehavior,
        run: impl FnOnce(&Transaction<'_>) -> Result<T, ProjectError>,
    ) -> Result<T, ProjectError> {
        let failed = |error| self.database.failed(error);
        let mut connection = self.database.take().map_err(|error| ProjectError::Io {
            path: self.database.path.to_string(),
            source: std::io::Error::other(error),
        })?;
        let transaction = connection.transaction_with_behavior(behavior).map_err(failed)?;
        let done = run(&transaction).and_then(|done| {
            transaction.commit().map_err(failed)?;
            Ok(done)
        });
        self.database.give_back(connection);
        done
    }
}

impl ProjectFiles for SqliteProjectFiles {
    fn read(&self, path: &ProjectPath, part: Part) -> Result<Content, ProjectError> {
        self.rules.check(Capability::Read, path.as_path())?;
        self.look(|table| table.read(path, part))
    }

    fn write(
        &self,
        path: &ProjectPath,
        content: &[u8],
        mode: WriteMode,
    ) -> Result<(), ProjectError> {
        let mut content = content;
        let size = u64::try_from(content.len()).unwrap_or(u64::MAX);
        self.write_from(path, &mut content, size, mode)
    }

    fn write_from(
        &self,
        path: &ProjectPath,
        content: &mut dyn Read,
        size: u64,
        mode: WriteMode,
    ) -> Result<(), ProjectError> {
        if size > MAX_FILE {
            return Err(ProjectError::TooLarge { path: path.clone(), size, max: MAX_FILE });
        }
        let at = At::plain(path);
        let source = Source { reader: content, size };
        self.change(|table| nodes::write(table, &self.rules, &at, source, mode))
    }

    fn list_dir(&self, path: &ProjectPath, slice: Slice) -> Result<Vec<DirEntry>, ProjectError> {
        self.rules.check(Capability::Read, path.as_path())?;
        let mut entries = self.look(|table| match table.kind(path)? {
            Some(Kind::Directory) => table.entries(path),
            Some(_) => Err(ProjectError::NotADirectory { path: path.clone() }),
            None => Err(ProjectError::NotFound { path: path.clone() }),
        })?;
        let is_visible = |entry: &DirEntry| {
            self.rules.is_visible(Utf8Path::new(&join(path.as_str(), &entry.name)))
        };
        entries.retain(is_visible);
        Ok(slice.of(entries))
    }

    fn metadata(&self, path: &ProjectPath) -> Result<Metadata, ProjectError> {
        self.rules.check(Capability::Read, path.as_path())?;
        let data = self.look(|table| table.metadata(path))?;
        data.ok_or_else(|| ProjectError::NotFound { path: path.clone() })
    }

    fn delete(&self, path: &ProjectPath, reach: DeleteReach) -> Result<(), ProjectError> {
        self.change(|table| nodes::delete(table, &self.rules, &At::plain(path), reach))
    }

    fn rename(
        &self,
        from: &ProjectPath,
        to: &ProjectPath,
        target: RenameTarget,
    ) -> Result<(), ProjectError> {
        let (from, to) = (At::plain(from), At::plain(to));
        self.change(|table| nodes::rename(table, &self.rules, &from, &to, target))
    }

    fn create_dir(&self, path: &ProjectPath) -> Result<(), ProjectError> {
        self.change(|table| nodes::create_dir(table, &self.rules, &At::plain(path)))
    }

    fn grep(&self, query: &GrepQuery) -> Result<GrepAnswer, ProjectError> {
        grep::grep(&View::new(Arc::new(self.clone()), Rules::clone(&self.rules)), query)
    }

    fn materialize(&self, scratch: &Utf8Path) -> Result<Materialized, ProjectError> {
        Materialized::copy_of(Arc::new(self.clone()), scratch)
    }

    fn display_root(&self) -> String {
        format!("{} (database)", self.database.path)
    }

    fn is_quick(&self) -> bool {
        true
    }

    fn under(&self, rules: Rules) -> Arc<dyn ProjectFiles> {
        Arc::new(Self { database: Arc::clone(&self.database), rules: Arc::new(rules) })
    }
}

/// The file and the connections that nobody uses at the moment.
struct Database {
    path: Utf8PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Database {
    fn take(&self) -> Result<Connection, OpenDatabaseError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| open::open(&self.path), Ok)
    }

    /// A connection that could not even take back what failed is of no more use.
    fn give_back(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE && connection.is_autocommit() {
            idle.push(connection);
        }
    }

    fn failed(&self, error: rusqlite::Error) -> ProjectError {
        ProjectError::Io { path: self.path.to_string(), source: std::io::Error::other(error) }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("path", &self.path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
