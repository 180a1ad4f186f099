//! The directory in which programs work.
//!
//! A project on a disk is that directory. Any other has to be copied, which takes a while; so a copy that
//! was made before it is needed is used if nothing has changed since.

use std::sync::{Mutex, MutexGuard, PoisonError};

use camino::Utf8PathBuf;
use jp_project::Materialized;
use jp_tool::vfs::ErrorObject;

use super::Means;
use crate::fs::internal;

#[derive(Debug)]
pub(super) struct Workplace {
    scratch: Utf8PathBuf,
    ready: Mutex<Option<Ready>>,
}

/// A directory that was made ahead.
#[derive(Debug)]
struct Ready {
    place: Materialized,
    /// The rights under which it was made; what changes in it is brought back under the same.
    version: u64,
}

impl Workplace {
    pub(super) fn new(scratch: Utf8PathBuf) -> Self {
        Self { scratch, ready: Mutex::default() }
    }

    /// Makes the directory ahead of its use.
    pub(super) async fn prepare(&self, means: &Means) -> Result<(), ErrorObject> {
        let (place, version) = (self.make(means).await?, means.version);
        *self.ready() = Some(Ready { place, version });
        Ok(())
    }

    /// The directory, for one program.
    pub(super) async fn take(&self, means: &Means) -> Result<Materialized, ErrorObject> {
        let fits = |ready: &Ready| ready.version == means.version && !means.is_once;
        let ready = self.ready().take().filter(fits);
        match ready {
            Some(ready) => Ok(ready.place),
            None => self.make(means).await,
        }
    }

    /// Gives up what was made ahead.
    pub(super) fn forget(&self) {
        if let Some(ready) = self.ready().take() {
            // A copy of a large project takes a while to remove, and nobody has to wait for it.
            std::thread::spawn(move || drop(ready));
        }
    }

    async fn make(&self, means: &Means) -> Result<Materialized, ErrorObject> {
        let (files, scratch) = (means.files.clone(), self.scratch.clone());
        let work = tokio::task::spawn_blocking(move || files.materialize(&scratch));
        let made = work.await.map_err(|_| internal("the host failed to copy the project"))?;
        made.map_err(|error| internal(format!("cannot copy the project for a program: {error}")))
    }

    fn ready(&self) -> MutexGuard<'_, Option<Ready>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
