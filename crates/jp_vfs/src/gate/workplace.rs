//! The directory in which programs work.
//!
//! A project on a disk is that directory. Any other has to be copied, which takes a while; so a copy that
//! was made before it is needed is used if nothing has changed since. Of changes by somebody else nobody
//! hears, so it is not used either when it is no longer new.
//!
//! Copying, bringing back and removing are done by threads, which go on when the request is called off. So
//! each has the turn of the request until it has really ended: calling off in a loop piles no copies up.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_project::{Materialized, ProjectError, SyncError};
use jp_tool::vfs::ErrorObject;
use tokio::{
    runtime::Handle,
    sync::{OwnedRwLockReadGuard, OwnedSemaphorePermit, RwLock},
    task::spawn_blocking,
};

use super::Means;
use crate::fs::internal;

/// For how long a copy that was made ahead is used. A tool that starts its program first thing is quicker.
const NEW: Duration = Duration::from_secs(2);

/// How often something has changed in files that several gates share.
#[derive(Debug, Clone, Default)]
pub struct Changes(Arc<AtomicU64>);

impl Changes {
    fn count(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A part of what is done at the same time.
pub(crate) type Held = Arc<OwnedSemaphorePermit>;

/// A directory for one program. A large copy takes a while to remove, so a thread does that.
#[derive(Debug)]
pub(crate) struct Place {
    path: Utf8PathBuf,
    directory: Option<Materialized>,
    turn: Option<Held>,
    in_use: Option<OwnedRwLockReadGuard<()>>,
    changes: Changes,
    runtime: Handle,
}

impl Place {
    pub(crate) fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Brings back what a program changed in a copy. That goes on when nobody waits for it any more: a half of
    /// what a program did is of no use.
    pub(crate) async fn bring_back(mut self) -> Result<Result<(), SyncError>, ErrorObject> {
        let work = spawn_blocking(move || {
            let synced = self.directory.as_mut().map_or(Ok(()), |it| it.sync_back().map(|_| ()));
            self.changes.add();
            synced
        });
        work.await.map_err(|_| internal("the host failed to bring changes back"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let kept = (self.directory.take(), self.turn.take(), self.in_use.take());
        // Where there are no threads any more this is dropped here.
        self.runtime.spawn_blocking(move || drop(kept));
    }
}

#[derive(Debug)]
pub(super) struct Workplace {
    scratch: Utf8PathBuf,
    changes: Changes,
    ready: Mutex<Option<Ready>>,
    /// Read by each directory until it is gone.
    in_use: Arc<RwLock<()>>,
}

/// A directory that was made ahead.
#[derive(Debug)]
struct Ready {
    place: Place,
    /// The rights under which it was made; what changes in it is brought back under the same.
    version: u64,
    /// How many changes there had been before.
    changes: u64,
    since: Instant,
}

impl Workplace {
    pub(super) fn new(scratch: Utf8PathBuf) -> Self {
        let (changes, ready, in_use) = (Changes::default(), Mutex::default(), Arc::default());
        Self { scratch, changes, ready, in_use }
    }

    pub(super) fn share(&mut self, changes: Changes) {
        self.changes = changes;
    }

    /// Makes the directory ahead of its use.
    pub(super) async fn prepare(&self, means: &Means) -> Result<(), ErrorObject> {
        let (changes, version) = (self.changes.count(), means.version);
        let place = self.make(means, None).await?;
        *self.ready() = Some(Ready { place, version, changes, since: Instant::now() });
        Ok(())
    }

    /// The directory, for one program, which keeps this turn until it is gone.
    pub(super) async fn take(
        &self,
        means: &Means,
        turn: Option<Held>,
    ) -> Result<Place, ErrorObject> {
        let fits = |ready: &Ready| {
            ready.version == means.version
                && !means.is_once
                && ready.changes == self.changes.count()
                && ready.since.elapsed() < NEW
        };
        let ready = self.ready().take().filter(fits);
        match ready {
            Some(Ready { mut place, .. }) => {
                place.turn = turn;
                Ok(place)
            }
            None => self.make(means, turn).await,
        }
    }

    /// Says that something has changed, and gives up what was made ahead.
    pub(super) fn forget(&self) {
        self.changes.add();
        drop(self.ready().take());
    }

    /// Waits until there is no directory any more: what programs changed is brought back then, and copies are
    /// removed.
    pub(super) async fn settled(&self) {
        drop(self.ready().take());
        drop(self.in_use.write().await);
    }

    async fn make(&self, means: &Means, turn: Option<Held>) -> Result<Place, ErrorObject> {
        let (files, scratch) = (means.files.clone(), self.scratch.clone());
        let (changes, runtime) = (self.changes.clone(), Handle::current());
        // Whoever waits for the end need not wait for a copy that nobody will use.
        let in_use = self.in_use.clone().read_owned().await;
        let work = spawn_blocking(move || {
            let directory = files.materialize(&scratch)?;
            let (path, directory) = (directory.path().to_owned(), Some(directory));
            Ok::<_, ProjectError>(Place { path, directory, turn, in_use: None, changes, runtime })
        });
        let made = work.await.map_err(|_| internal("the host failed to copy the project"))?;
        let mut place = made
            .map_err(|error| internal(format!("cannot copy the project for a program: {error}")))?;
        place.in_use = Some(in_use);
        Ok(place)
    }

    fn ready(&self) -> MutexGuard<'_, Option<Ready>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
