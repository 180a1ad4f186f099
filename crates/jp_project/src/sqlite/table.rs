//! The tables as files and directories, within one transaction.
//!
//! A path is followed name by name from the root, one look into the table each. Rows can be anything in
//! a database that came from somewhere else, so whoever goes down looks out for circles.

use std::{
    collections::HashSet,
    io::{Read, Seek, SeekFrom},
};

use rusqlite::{MAIN_DB, OptionalExtension, Transaction, blob::ZeroBlob, params};

use crate::{
    Content, DirEntry, Kind, Metadata, Part, ProjectError, ProjectPath,
    nodes::{self, Nodes, Source},
    parts,
    path::join,
};

/// Up to this size a content is written by one statement; a larger one in pieces.
const MAX_AT_ONCE: u64 = 1 << 20;

pub(super) struct Table<'a>(pub(super) &'a Transaction<'a>);

/// A row. The root is one without having one.
#[derive(Debug, Clone, Copy)]
struct Row {
    id: i64,
    /// Of a file.
    size: Option<i64>,
}

const ROOT: Row = Row { id: 0, size: None };

impl Table<'_> {
    pub(super) fn read(&self, path: &ProjectPath, part: Part) -> Result<Content, ProjectError> {
        let row = self.row(path)?.ok_or_else(|| ProjectError::NotFound { path: path.clone() })?;
        if row.size.is_none() {
            return Err(ProjectError::IsADirectory { path: path.clone() });
        }
        let failed = |error| failed(path, error);
        let mut blob =
            self.0.blob_open(MAIN_DB, "content", "bytes", row.id, true).map_err(failed)?;
        let size = u64::try_from(blob.len()).unwrap_or(u64::MAX);
        let (offset, len) = part.of(size, path)?;
        let io = |source| ProjectError::Io { path: path.to_string(), source };
        blob.seek(SeekFrom::Start(offset)).map_err(io)?;
        let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or_default());
        blob.take(len).read_to_end(&mut bytes).map_err(io)?;
        Ok(Content { bytes, size, executable: false })
    }

    pub(super) fn metadata(&self, path: &ProjectPath) -> Result<Option<Metadata>, ProjectError> {
        Ok(self.row(path)?.map(|row| Metadata {
            kind: row.kind(),
            size: row.size.and_then(|size| u64::try_from(size).ok()).unwrap_or(0),
        }))
    }

    /// The entries of a directory in the order of their names.
    pub(super) fn entries(&self, dir: &ProjectPath) -> Result<Vec<DirEntry>, ProjectError> {
        let Some(row) = self.row(dir)? else {
            return Ok(Vec::new());
        };
        let entries = self.children(dir, row.id)?.into_iter();
        let entry =
            |(name, row): (String, Row)| DirEntry { name, kind: row.kind(), is_link: false };
        Ok(entries.map(entry).collect())
    }

    fn row(&self, path: &ProjectPath) -> Result<Option<Row>, ProjectError> {
        if path.is_root() {
            return Ok(Some(ROOT));
        }
        let failed = |error| failed(path, error);
        let sql = "SELECT id, size FROM node WHERE parent = ?1 AND name = ?2";
        let mut statement = self.0.prepare_cached(sql).map_err(failed)?;
        let mut row = ROOT;
        for name in path.as_str().split('/') {
            let found = statement
                .query_row(params![row.id, name], |row| {
                    Ok(Row { id: row.get(0)?, size: row.get(1)? })
                })
                .optional()
                .map_err(failed)?;
            match found {
                Some(found) if row.size.is_none() => row = found,
                _ => return Ok(None),
            }
        }
        Ok(Some(row))
    }

    fn children(&self, dir: &ProjectPath, id: i64) -> Result<Vec<(String, Row)>, ProjectError> {
        let failed = |error| failed(dir, error);
        let sql = "SELECT name, id, size FROM node WHERE parent = ?1 ORDER BY name";
        let mut statement = self.0.prepare_cached(sql).map_err(failed)?;
        let rows = statement
            .query_map([id], |row| Ok((row.get(0)?, Row { id: row.get(1)?, size: row.get(2)? })))
            .map_err(failed)?;
        rows.collect::<rusqlite::Result<_>>().map_err(failed)
    }

    /// Everything below a row, each with its path.
    fn tree(&self, dir: &ProjectPath, id: i64) -> Result<Vec<(ProjectPath, Row)>, ProjectError> {
        let mut found = Vec::new();
        let (mut dirs, mut seen) = (vec![(dir.clone(), id)], HashSet::from([id]));
        while let Some((dir, id)) = dirs.pop() {
            for (name, row) in self.children(&dir, id)? {
                let path = ProjectPath::known(&join(dir.as_str(), &name));
                if !seen.insert(row.id) {
                    let source =
                        std::io::Error::other("the database is damaged: it goes in circles");
                    return Err(ProjectError::Io { path: path.to_string(), source });
                }
                if row.size.is_none() {
                    dirs.push((path.clone(), row.id));
                }
                found.push((path, row));
            }
        }
        Ok(found)
    }

    fn insert(&self, path: &ProjectPath, size: Option<i64>) -> Result<i64, ProjectError> {
        let failed = |error| failed(path, error);
        let (dir, name) = split(path)?;
        let dir = self.row(&dir)?.ok_or_else(|| ProjectError::NotFound { path: path.clone() })?;
        let sql = "INSERT INTO node (parent, name, id, size)
                   VALUES (?1, ?2, (SELECT coalesce(max(id), 0) + 1 FROM node), ?3) RETURNING id";
        let mut statement = self.0.prepare_cached(sql).map_err(failed)?;
        statement.query_row(params![dir.id, name, size], |row| row.get(0)).map_err(failed)
    }

    fn execute(
        &self,
        path: &ProjectPath,
        sql: &str,
        params: impl rusqlite::Params,
    ) -> Result<(), ProjectError> {
        let failed = |error| failed(path, error);
        self.0.prepare_cached(sql).and_then(|mut sql| sql.execute(params)).map_err(failed)?;
        Ok(())
    }
}

impl Nodes for Table<'_> {
    fn kind(&self, path: &ProjectPath) -> Result<Option<Kind>, ProjectError> {
        Ok(self.row(path)?.map(Row::kind))
    }

    fn is_empty(&self, dir: &ProjectPath) -> Result<bool, ProjectError> {
        let Some(row) = self.row(dir)? else {
            return Ok(true);
        };
        let sql = "SELECT NOT EXISTS (SELECT 1 FROM node WHERE parent = ?1)";
        let mut statement = self.0.prepare_cached(sql).map_err(|error| failed(dir, error))?;
        statement.query_row([row.id], |row| row.get(0)).map_err(|error| failed(dir, error))
    }

    fn below(&self, dir: &ProjectPath) -> Result<Vec<ProjectPath>, ProjectError> {
        let Some(row) = self.row(dir)? else {
            return Ok(Vec::new());
        };
        Ok(self.tree(dir, row.id)?.into_iter().map(|(path, _)| path).collect())
    }

    fn put_dir(&mut self, path: &ProjectPath) -> Result<(), ProjectError> {
        self.insert(path, None).map(drop)
    }

    fn put_file(&mut self, path: &ProjectPath, content: Source<'_>) -> Result<(), ProjectError> {
        let size = i64::try_from(content.size).unwrap_or(i64::MAX);
        let id = match self.row(path)? {
            Some(row) => {
                self.execute(path, "UPDATE node SET size = ?2 WHERE id = ?1", [row.id, size])?;
                row.id
            }
            None => self.insert(path, Some(size))?,
        };
        let sql = "INSERT OR REPLACE INTO content (id, bytes) VALUES (?1, ?2)";
        if content.size <= MAX_AT_ONCE {
            let content = parts::whole(path, content.reader, content.size, MAX_AT_ONCE)?;
            return self.execute(path, sql, params![id, content]);
        }
        // A statement would have it in memory twice.
        self.execute(path, sql, params![id, ZeroBlob(content.size)])?;
        let io = |source| ProjectError::Io { path: path.to_string(), source };
        let blob = self.0.blob_open(MAIN_DB, "content", "bytes", id, false);
        let mut blob = blob.map_err(|error| failed(path, error))?;
        let copied =
            std::io::copy(&mut content.reader.take(content.size), &mut blob).map_err(io)?;
        if copied != content.size {
            return Err(io(std::io::ErrorKind::UnexpectedEof.into()));
        }
        blob.close().map_err(|error| failed(path, error))
    }

    fn remove(&mut self, path: &ProjectPath) -> Result<(), ProjectError> {
        let Some(row) = self.row(path)? else {
            return Ok(());
        };
        for row in self.tree(path, row.id)?.into_iter().map(|(_, row)| row).chain([row]) {
            self.execute(path, "DELETE FROM content WHERE id = ?1", [row.id])?;
            self.execute(path, "DELETE FROM node WHERE id = ?1", [row.id])?;
        }
        Ok(())
    }

    /// What is inside hangs on the row and moves with it. What fails half way is undone with the transaction.
    fn relocate(&mut self, from: &ProjectPath, to: &ProjectPath) -> Result<(), ProjectError> {
        self.remove(to)?;
        let (dir, name) = split(to)?;
        let (Some(row), Some(dir)) = (self.row(from)?, self.row(&dir)?) else {
            return Err(ProjectError::NotFound { path: from.clone() });
        };
        for (path, _) in self.tree(from, row.id)? {
            nodes::moved(&path, from, to)?;
        }
        let sql = "UPDATE node SET parent = ?2, name = ?3 WHERE id = ?1";
        self.execute(from, sql, params![row.id, dir.id, name])
    }
}

impl Row {
    fn kind(self) -> Kind {
        if self.size.is_some() { Kind::File } else { Kind::Directory }
    }
}

fn split(path: &ProjectPath) -> Result<(ProjectPath, &str), ProjectError> {
    let name = path.as_path().file_name();
    path.parent().zip(name).ok_or_else(|| ProjectError::AlreadyExists { path: path.clone() })
}

fn failed(path: &ProjectPath, error: rusqlite::Error) -> ProjectError {
    ProjectError::Io { path: path.to_string(), source: std::io::Error::other(error) }
}
