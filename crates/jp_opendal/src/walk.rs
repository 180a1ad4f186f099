//! Searching a store: many files are asked for at once, because each of them is far away.
//!
//! A search goes on when a file cannot be read. That must not mean to wait for a store that is gone once
//! for every file, so the first error that is about the store itself ends the walk, and is its answer.

use std::{
    io::{self, Read},
    sync::{Arc, OnceLock},
};

use bytes::{Buf, Bytes};
use camino::{Utf8Path, Utf8PathBuf};
use futures_util::StreamExt;
use jp_project::{
    GrepAnswer, GrepQuery, Kind, ProjectError, ProjectFiles, ProjectPath, Rules,
    backend::{Found, Pace, Tree, grep},
};
use jp_tool::access::{
    Capability,
    path::{self as access, Entry},
};

use crate::{
    error::failed,
    files::{OpendalProjectFiles, dir_key},
    remote::{Amount, Remote},
    store::{Child, Pieces, StoreError},
};

/// Threads that wait cost little.
const PACE: Pace = Pace { threads: 16, chunk: 4 };

/// The lines that match.
pub(crate) fn search(
    files: &OpendalProjectFiles,
    query: &GrepQuery,
) -> Result<GrepAnswer, ProjectError> {
    let walk = Walk { files, end: Arc::default() };
    let answer = grep(&walk, query);
    match walk.end.get() {
        Some((path, error)) => Err(failed(path, files.remote().store().place(), error.clone())),
        None => answer,
    }
}

/// Why a walk is at its end.
type End = Arc<OnceLock<(String, StoreError)>>;

struct Walk<'a> {
    files: &'a OpendalProjectFiles,
    end: End,
}

impl Walk<'_> {
    fn check(&self, path: &Utf8Path) -> Result<(), ProjectError> {
        if let Some((path, error)) = self.end.get() {
            return Err(failed(path, String::new(), error.clone()));
        }
        Ok(self.files.rules().check(Capability::Read, path)?)
    }

    fn failed(&self, path: &str, error: StoreError) -> ProjectError {
        note(&self.end, path, &error);
        failed(path, self.files.remote().store().place(), error)
    }
}

impl Tree for Walk<'_> {
    type Dir = String;
    type File = Download;

    fn rules(&self) -> &Rules {
        self.files.rules()
    }

    fn pace(&self) -> Pace {
        PACE
    }

    fn find(&self, path: &ProjectPath) -> Result<Found<String>, ProjectError> {
        Ok(match self.files.metadata(path)?.kind {
            Kind::Directory => Found::Directory(path.to_string()),
            Kind::File | Kind::Other => Found::File(Utf8PathBuf::from(path.as_str())),
        })
    }

    fn path<'a>(&self, dir: &'a String) -> &'a str {
        dir
    }

    fn entries(&self, dir: &String) -> Result<Vec<Entry>, ProjectError> {
        self.check(Utf8Path::new(dir))?;
        let (store, key) = (self.files.remote().store(), dir_key(dir));
        let work = async move { store.children(&key).await };
        let children = self.files.remote().wait(Amount::default(), work);
        let children = children.map_err(|error| self.failed(dir, error))?;
        Ok(children.unwrap_or_default().into_iter().map(entry).collect())
    }

    fn dir_in(&self, dir: &String, name: &str) -> Result<String, ProjectError> {
        let path = join(dir, name);
        self.check(Utf8Path::new(&path))?;
        Ok(path)
    }

    fn open_in(&self, dir: &String, name: &str) -> Result<Download, ProjectError> {
        self.open(Utf8Path::new(&join(dir, name)))
    }

    fn open(&self, path: &Utf8Path) -> Result<Download, ProjectError> {
        self.check(path)?;
        let work = self.files.remote().store().stream(path.to_string());
        let pieces = self.files.remote().wait(Amount::default(), work);
        let pieces = pieces.map_err(|error| self.failed(path.as_str(), error))?;
        let gone = || failed(path.as_str(), String::new(), StoreError::Failed("gone".to_owned()));
        Ok(Download {
            remote: Arc::clone(self.files.remote()),
            path: path.to_string(),
            end: Arc::clone(&self.end),
            pieces: Some(pieces.ok_or_else(gone)?),
            piece: Bytes::new(),
        })
    }
}

/// A file on its way, read as it comes.
pub(crate) struct Download {
    remote: Arc<Remote>,
    path: String,
    end: End,
    /// `None` at the end of the file.
    pieces: Option<Pieces>,
    piece: Bytes,
}

impl Download {
    fn next(&mut self) -> Result<(), StoreError> {
        let Some(mut pieces) = self.pieces.take() else { return Ok(()) };
        let work = async move {
            let piece = pieces.next().await.transpose()?;
            Ok((piece, pieces))
        };
        let (piece, pieces) = self.remote.wait(Amount::default(), work)?;
        if let Some(piece) = piece {
            self.piece = piece;
            self.pieces = Some(pieces);
        }
        Ok(())
    }
}

impl Read for Download {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() && self.pieces.is_some() {
            self.next().map_err(|error| {
                note(&self.end, &self.path, &error);
                io::Error::new(error.kind(), error)
            })?;
        }
        let len = self.piece.len().min(buffer.len());
        self.piece.copy_to_slice(&mut buffer[..len]);
        Ok(len)
    }
}

fn note(end: &End, path: &str, error: &StoreError) {
    if error.is_about_the_store() {
        // Only the first counts.
        let _ = end.set((path.to_owned(), error.clone()));
    }
}

fn entry(child: Child) -> Entry {
    let kind = if child.is_dir { access::Kind::Directory } else { access::Kind::File };
    Entry { name: child.name, kind }
}

fn join(dir: &str, name: &str) -> String {
    if dir == "." { name.to_owned() } else { format!("{dir}/{name}") }
}
