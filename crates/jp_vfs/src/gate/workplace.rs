//! The directory in which programs work.
//!
//! A project on a disk is that directory. Any other has to be copied, which takes a while; so a copy that
//! was made before it is needed is used if nothing has changed since.

use std::sync::{Arc, Mutex, PoisonError};

use camino::Utf8PathBuf;
use jp_project::{Materialized, ProjectFiles};
use jp_tool::vfs::ErrorObject;

use crate::fs::internal;

#[derive(Debug)]
pub(super) struct Workplace {
    scratch: Utf8PathBuf,
    ready: Mutex<Option<Materialized>>,
}

impl Workplace {
    pub(super) fn new(scratch: Utf8PathBuf) -> Self {
        Self { scratch, ready: Mutex::default() }
    }

    /// Makes the directory ahead of its use.
    pub(super) async fn prepare(&self, files: &Arc<dyn ProjectFiles>) -> Result<(), ErrorObject> {
        let made = self.make(files).await?;
        *self.ready.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
        Ok(())
    }

    /// The directory, for one program.
    pub(super) async fn take(
        &self,
        files: &Arc<dyn ProjectFiles>,
    ) -> Result<Materialized, ErrorObject> {
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner).take();
        match ready {
            Some(ready) => Ok(ready),
            None => self.make(files).await,
        }
    }

    /// Gives up what was made ahead.
    pub(super) fn forget(&self) {
        *self.ready.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    async fn make(&self, files: &Arc<dyn ProjectFiles>) -> Result<Materialized, ErrorObject> {
        let (files, scratch) = (files.clone(), self.scratch.clone());
        let work = tokio::task::spawn_blocking(move || files.materialize(&scratch));
        let made = work.await.map_err(|_| internal("the host failed to copy the project"))?;
        made.map_err(|error| internal(format!("cannot copy the project for a program: {error}")))
    }
}
