//! Gets what is at a [`Source`], bounded in size and in time, and says how far it is.

use std::{
    io::{self, Read as _},
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_fetch::{DownloadError, DownloadLimits, Fetcher};

use crate::{Source, files};

/// Time until an answer begins, and between two pieces of it.
const IDLE: Duration = Duration::from_secs(30);

/// Time for one file.
const TOTAL: Duration = Duration::from_hours(1);

/// Fetches.
#[derive(Debug)]
pub struct Fetch {
    fetcher: Fetcher,
    idle: Duration,
}

/// Why something could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum GetError {
    #[error("cannot fetch {url}: {source}")]
    Download { url: String, source: DownloadError },
    #[error("cannot read {path}: {source}")]
    File { path: Utf8PathBuf, source: io::Error },
    #[error("{path} has more than {limit} bytes")]
    TooLarge { path: Utf8PathBuf, limit: u64 },
    #[error("cannot keep what was fetched: {0}")]
    Keep(#[source] io::Error),
}

/// Is told how far a download is.
pub trait Progress: Sync {
    /// Something begins.
    fn begins(&self, name: &str);
    /// So many bytes are there, of so many if that is known.
    fn has(&self, bytes: u64, total: Option<u64>);
    /// It is over, in whatever way.
    fn ends(&self);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begins(&self, _: &str) {}
    fn has(&self, _: u64, _: Option<u64>) {}
    fn ends(&self) {}
}

impl Fetch {
    pub fn new(fetcher: Fetcher) -> Self {
        Self { fetcher, idle: IDLE }
    }

    /// The same with another limit for the time in which nothing comes.
    #[must_use]
    pub fn idle(self, idle: Duration) -> Self {
        Self { idle, ..self }
    }

    /// Gives every piece of what is at a source to `keep`.
    pub(crate) async fn get(
        &self,
        source: &Source,
        limit: u64,
        (name, progress): (&str, &dyn Progress),
        keep: &mut (dyn FnMut(&[u8]) -> io::Result<()> + Send),
    ) -> Result<(), GetError> {
        progress.begins(name);
        let mut has = 0;
        let mut counted = |piece: &[u8], total| {
            keep(piece)?;
            has += piece.len() as u64;
            progress.has(has, total);
            Ok(())
        };
        let got = match source {
            Source::File(path) => copy(path, limit, &mut counted),
            Source::Https(url) => {
                let limits = DownloadLimits { bytes: limit, idle: self.idle, total: TOTAL };
                let got = self.fetcher.download(url, &limits, &mut counted).await;
                got.map_err(|source| GetError::Download { url: shown(url), source })
            }
        };
        progress.ends();
        got
    }
}

fn copy(path: &Utf8Path, limit: u64, keep: &mut jp_fetch::Keep<'_>) -> Result<(), GetError> {
    let failed = |source| GetError::File { path: path.to_owned(), source };
    let file = files::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    let too_large = || GetError::TooLarge { path: path.to_owned(), limit };
    // Nobody should wait to hear that. It may still grow while it is read.
    if metadata.len() > limit {
        return Err(too_large());
    }
    let mut from = file.take(limit + 1);
    let mut left = limit;
    let mut piece = vec![0; 64 << 10];
    loop {
        let read = match from.read(&mut piece) {
            Ok(0) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(failed)?,
        };
        left = left.checked_sub(read as u64).ok_or_else(too_large)?;
        keep(&piece[..read], Some(metadata.len())).map_err(GetError::Keep)?;
    }
}

/// A URL without its query, which may hold a key.
fn shown(url: &str) -> String {
    url.split(['?', '#']).next().unwrap_or(url).to_owned()
}
