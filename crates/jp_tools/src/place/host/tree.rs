//! The tree of the host, one directory at a time.
//!
//! A directory is asked for by its path, because there are no handles: the host judges every request by
//! where it leads at that moment. A link is never asked for, as the listing tells links.

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{
    access::{
        AccessPolicy,
        path::{Entry, Kind},
    },
    vfs::{self, ErrorCode, FsListDir, FsMetadata},
};

use super::{HostFile, HostPlace, path};
use crate::{place::PlaceError, walk::Tree};

/// How many entries are asked for at once.
const PAGE: u64 = 20_000;

/// A directory, as it was listed.
#[derive(Debug)]
pub(crate) struct HostDir {
    path: Utf8PathBuf,
    entries: Vec<Entry>,
}

impl Tree for HostPlace {
    type Dir = HostDir;
    type File = HostFile;

    fn policy(&self) -> Option<&AccessPolicy> {
        self.policy.as_ref()
    }

    /// There is one line to the host.
    fn threads(&self) -> usize {
        1
    }

    fn kind(&self, path: &Utf8Path) -> Result<Kind, PlaceError> {
        let request = FsMetadata { path: path::project(path)? };
        match self.host.call(&request) {
            Ok(data) if data.kind == vfs::Kind::File => Ok(Kind::File),
            Ok(_) => Ok(Kind::Directory),
            // The protocol has no word for what is neither.
            Err(error) if error.code() == Some(ErrorCode::InvalidParams) => Ok(Kind::Other),
            Err(error) => Err(self.failed(path, &error)),
        }
    }

    fn canonical(&self, path: &Utf8Path) -> Result<Utf8PathBuf, PlaceError> {
        Ok(path::lexical(path)?)
    }

    fn open(&self, path: &Utf8Path) -> Result<HostFile, PlaceError> {
        HostFile::open(&self.host, path::project(path)?).map_err(|error| self.failed(path, &error))
    }

    fn dir(&self, path: &Utf8Path) -> Result<HostDir, PlaceError> {
        let (path, project) = (path::lexical(path)?, path::project(path)?);
        let mut entries = Vec::new();
        loop {
            let offset = u64::try_from(entries.len()).ok().filter(|offset| *offset > 0);
            let request =
                FsListDir { path: project.clone(), offset, limit: Some(PAGE), links: true };
            let page =
                self.host.call(&request).map_err(|error| self.failed(&path, &error))?.entries;
            let is_last = u64::try_from(page.len()).is_ok_and(|len| len < PAGE);
            entries.extend(page.into_iter().map(entry));
            if is_last {
                return Ok(HostDir { path, entries });
            }
        }
    }

    fn path_of<'a>(&self, dir: &'a HostDir) -> &'a Utf8Path {
        &dir.path
    }

    fn entries(&self, dir: &HostDir) -> Result<Vec<Entry>, PlaceError> {
        Ok(dir.entries.clone())
    }

    fn open_in(&self, dir: &HostDir, name: &str) -> Result<HostFile, PlaceError> {
        self.open(&below(dir, name))
    }

    fn dir_in(&self, dir: &HostDir, name: &str) -> Result<HostDir, PlaceError> {
        self.dir(&below(dir, name))
    }

    /// The host knows where it leads, and tells nothing of what may not be read.
    fn leads_to_readable(&self, path: &Utf8Path) -> bool {
        self.kind(path).is_ok_and(|kind| kind != Kind::Other)
    }
}

fn entry(entry: vfs::DirEntry) -> Entry {
    let kind = match entry.kind {
        _ if entry.link => Kind::Symlink,
        vfs::Kind::File => Kind::File,
        vfs::Kind::Dir => Kind::Directory,
    };
    Entry { name: entry.path, kind }
}

fn below(dir: &HostDir, name: &str) -> Utf8PathBuf {
    if dir.path == "." { name.into() } else { dir.path.join(name) }
}
