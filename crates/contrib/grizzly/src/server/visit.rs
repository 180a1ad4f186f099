//! One call at the shelf: it waits for its turn, works, and finds out which note is meant.
//!
//! Calls take turns, and one has the shelf for itself while it works, in a thread where waiting for a disk
//! is no harm. All that a call does, waiting for its turn included, shares one time; only while a person is
//! asked does the time stand still, and then nobody has the shelf. When the client gives up, the work ends
//! with the next note or the next thousand steps of SQLite.

use std::{
    sync::{Arc, Mutex as Cell, PoisonError},
    time::{Duration, Instant},
};

use jiff::tz::TimeZone;
use jp_mcp_server::{Call, Prompt, Stop};
use jp_tool::ToolError;
use tokio::{sync::Mutex, task::spawn_blocking, time::timeout};

use super::words;
use crate::{
    Budget, Library, LibraryError, Shelf, Sought, find,
    library::{Head, Tags},
};

/// A call, with what is left of its time.
#[derive(Debug)]
pub(super) struct Visit<'a> {
    shelf: &'a Arc<Mutex<Shelf>>,
    pub(super) zone: &'a TimeZone,
    left: Cell<Duration>,
}

impl<'a> Visit<'a> {
    pub(super) fn new(shelf: &'a Arc<Mutex<Shelf>>, zone: &'a TimeZone, time: Duration) -> Self {
        Self { shelf, zone, left: Cell::new(time) }
    }

    /// Does something with the library as it is now.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Library) -> Result<T, LibraryError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let (start, left) = (Instant::now(), self.left(Duration::ZERO));
        let budget = Budget::of(left);
        let turn = timeout(left, Arc::clone(self.shelf).lock_owned()).await;
        let mut turn = turn.map_err(|_| {
            ToolError::new("Other calls are reading the notes. Try again.").transient()
        })?;
        let _waiting = budget.waiting();
        let done = spawn_blocking(move || turn.library(budget).and_then(|library| work(library)));
        let done = done.await;
        self.left(start.elapsed());
        match done {
            Ok(done) => done.map_err(|error| failure(&error)),
            Err(_) => {
                Err(ToolError::new("Reading the notes broke down; this is a fault of grizzly."))
            }
        }
    }

    /// The notes that are meant, asking which one where several have the title.
    pub(super) async fn choose(
        &self,
        call: &Call,
        sought: Vec<Sought>,
        argument: &'static str,
    ) -> Result<Vec<Head>, Stop> {
        let places: Vec<usize> = sought
            .iter()
            .map(|one| sought.iter().position(|same| same == one).unwrap_or(0))
            .collect();
        let work = move |library: &Library| {
            let found = sought.into_iter().map(|one| Ok((find(library, &one)?, one)));
            let found = found.collect::<Result<Vec<_>, LibraryError>>()?;
            let is_unclear = found.iter().any(|(heads, _)| heads.len() > 1);
            Ok((found, if is_unclear { library.tags()? } else { Tags::default() }))
        };
        let (found, tags) = self.work(work).await?;
        let mut heads = Vec::new();
        for ((found, sought), place) in found.into_iter().zip(places) {
            let unclear = Unclear { sought: &sought, place, tags: &tags, argument };
            heads.push(self.choose_one(call, found, unclear).await?);
        }
        Ok(heads)
    }

    async fn choose_one(
        &self,
        call: &Call,
        mut found: Vec<Head>,
        unclear: Unclear<'_>,
    ) -> Result<Head, Stop> {
        let title = match unclear.sought {
            sought if found.is_empty() => return Err(words::no_such_note(sought).into()),
            Sought::Title(title) if found.len() > 1 => title,
            // Only a broken database has an identifier twice; the first is the one that people see.
            _ => return Ok(found.swap_remove(0)),
        };
        let options = found.iter().map(|head| words::option(head, unclear.tags, self.zone));
        let options: Vec<String> = options.collect();
        let prompt = Prompt {
            id: words::question(unclear.place),
            text: words::which_note(title, found.len()),
            details: None,
            argument: unclear.argument,
        };
        let answer = call.choose(prompt, options.clone(), None).await?;
        let place = options.iter().position(|option| *option == answer);
        let chosen = place.and_then(|place| found.into_iter().nth(place));
        chosen.ok_or_else(|| words::no_such_note(unclear.sought).into())
    }

    /// What is left after so much more was spent.
    fn left(&self, spent: Duration) -> Duration {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        *left = left.saturating_sub(spent);
        *left
    }
}

/// A note of which somebody may have to say which one it is.
#[derive(Debug, Clone, Copy)]
struct Unclear<'a> {
    sought: &'a Sought,
    /// Which of the notes of the call it is. The same title twice is one question.
    place: usize,
    tags: &'a Tags,
    argument: &'static str,
}

/// The error with its causes; one that may go away says so.
fn failure(error: &LibraryError) -> ToolError {
    let told = ToolError::from_error(error);
    match error {
        LibraryError::Snapshot(snapshot) if snapshot.is_transient() => told.transient(),
        _ => told,
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use camino::Utf8Path;
    use tempfile::TempDir;

    use super::*;
    use crate::{fixture::Fixture, snapshot::Source};

    const TIME: Duration = Duration::from_millis(1500);
    static ZONE: TimeZone = TimeZone::UTC;

    fn shelf() -> (TempDir, Arc<Mutex<Shelf>>) {
        let dir = TempDir::new().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap().join("database.sqlite");
        drop(Fixture { notes: 0, ..Fixture::default() }.create(&path).unwrap());
        (dir, Arc::new(Mutex::new(Shelf::new(Source::new(&path, 16 << 20)))))
    }

    /// Works for a while; whether the time of the call is over after it.
    async fn is_spent(visit: &Visit<'_>, millis: u64) -> bool {
        let work = move |library: &Library| {
            sleep(Duration::from_millis(millis));
            Ok(library.budget().is_spent())
        };
        visit.work(work).await.unwrap()
    }

    #[tokio::test]
    async fn the_looks_of_a_call_share_its_time() {
        let (_dir, shelf) = shelf();
        let visit = Visit::new(&shelf, &ZONE, TIME);
        assert!(!is_spent(&visit, 800).await);
        assert!(is_spent(&visit, 800).await);
        // A person may think as long as they like, and the next call has its own time.
        let visit = Visit::new(&shelf, &ZONE, TIME);
        sleep(TIME * 2);
        assert!(!is_spent(&visit, 10).await);
    }

    #[tokio::test]
    async fn waiting_for_a_turn_is_part_of_the_time() {
        let (_dir, shelf) = shelf();
        let other = Arc::clone(&shelf).lock_owned().await;
        let visit = Visit::new(&shelf, &ZONE, Duration::from_millis(100));
        let start = Instant::now();
        let error = visit.work(|_| Ok(())).await.unwrap_err();
        assert!(error.transient && start.elapsed() < TIME * 4, "{error:?}");
        drop(other);
    }
}
