//! The notes as tools and resources of an MCP server.
//!
//! Each tool is a file: its arguments, what it does, what it answers. They share one shelf, and a call
//! has it for itself while it works, in a thread where waiting for a disk is no harm; nobody has it while
//! a person is asked something. When the client gives up, the work ends with the next note or the next
//! thousand steps of SQLite.

mod arguments;
mod find_backlinks;
mod list_tags;
mod read_notes;
mod resources;
mod search_notes;
mod words;

use std::{sync::Arc, time::Duration};

use jiff::tz::TimeZone;
use jp_mcp_server::{
    About, Call, Document, Prompt, Reply, Resource, ResourceTemplate, Stop, Tool, ToolAnnotations,
    Toolbox,
};
use jp_tool::ToolError;
use tokio::{sync::Mutex, task::spawn_blocking, time::timeout};

use crate::{
    Budget, Library, LibraryError, Shelf, Sought, find,
    library::{Head, Tags},
};

const INSTRUCTIONS: &str = "The notes that the user keeps in Bear, read-only. Find notes with \
    search_notes, then read them with read_notes by the ids it gave, whole or by lines. Tags are paths: \
    `work` includes `work/plans`. Encrypted notes are named, never shown. A note can be cited by its \
    address, bear://x-callback-url/open-note?id=ID, which opens it in Bear.";

/// The server. Cheap to make: nothing is read before the first call.
#[derive(Debug)]
pub struct Grizzly {
    shelf: Arc<Mutex<Shelf>>,
    zone: TimeZone,
    time: Duration,
}

impl Grizzly {
    /// A server of this shelf, with days in this time zone and so much time for a call.
    pub fn new(shelf: Shelf, zone: TimeZone, time: Duration) -> Self {
        Self { shelf: Arc::new(Mutex::new(shelf)), zone, time }
    }

    /// Does something with the library as it is now.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Library) -> Result<T, LibraryError> + Send + 'static,
    ) -> Result<T, ToolError> {
        // Calls take turns. The wait is not part of what a call may take, but it ends as well.
        let turn = timeout(self.time * 3, Arc::clone(&self.shelf).lock_owned()).await;
        let mut turn = turn.map_err(|_| {
            ToolError::new("Too many calls are waiting for the notes. Try again.").transient()
        })?;
        let budget = Budget::of(self.time);
        let _waiting = budget.waiting();
        let done = spawn_blocking(move || turn.library(budget).and_then(|library| work(library)));
        match done.await {
            Ok(done) => done.map_err(|error| failure(&error)),
            Err(_) => {
                Err(ToolError::new("Reading the notes broke down; this is a fault of grizzly."))
            }
        }
    }

    /// The notes that are meant, asking which one where several have the title.
    async fn choose(
        &self,
        call: &Call,
        sought: Vec<Sought>,
        argument: &'static str,
    ) -> Result<Vec<Head>, Stop> {
        let work = move |library: &Library| {
            let found = sought.into_iter().map(|one| Ok((find(library, &one)?, one)));
            let found = found.collect::<Result<Vec<_>, LibraryError>>()?;
            let is_unclear = found.iter().any(|(heads, _)| heads.len() > 1);
            Ok((found, if is_unclear { library.tags()? } else { Tags::default() }))
        };
        let (found, tags) = self.work(work).await?;
        let mut heads = Vec::new();
        for (found, sought) in found {
            heads.push(self.choose_one(call, found, &sought, &tags, argument).await?);
        }
        Ok(heads)
    }

    async fn choose_one(
        &self,
        call: &Call,
        mut found: Vec<Head>,
        sought: &Sought,
        tags: &Tags,
        argument: &'static str,
    ) -> Result<Head, Stop> {
        let title = match sought {
            _ if found.is_empty() => return Err(words::no_such_note(sought).into()),
            Sought::Title(title) if found.len() > 1 => title,
            // Only a broken database has an identifier twice; the first is the one that people see.
            _ => return Ok(found.swap_remove(0)),
        };
        let options = found.iter().map(|head| words::option(head, tags, &self.zone));
        let options: Vec<String> = options.collect();
        let prompt = Prompt {
            id: "which-note".into(),
            text: words::which_note(title, found.len()),
            details: None,
            argument,
        };
        let answer = call.choose(prompt, options.clone(), None).await?;
        let place = options.iter().position(|option| *option == answer);
        let chosen = place.and_then(|place| found.into_iter().nth(place));
        chosen.ok_or_else(|| words::no_such_note(sought).into())
    }
}

impl Toolbox for Grizzly {
    fn about(&self) -> About {
        About {
            name: "grizzly",
            title: "Bear notes",
            version: env!("CARGO_PKG_VERSION"),
            instructions: INSTRUCTIONS,
        }
    }

    fn tools(&self) -> Vec<Tool> {
        vec![search_notes::tool(), read_notes::tool(), list_tags::tool(), find_backlinks::tool()]
    }

    async fn call(&self, call: Call) -> Result<Reply, Stop> {
        match call.tool.as_str() {
            search_notes::NAME => search_notes::call(self, &call).await,
            read_notes::NAME => read_notes::call(self, &call).await,
            list_tags::NAME => list_tags::call(self, &call).await,
            find_backlinks::NAME => find_backlinks::call(self, &call).await,
            other => Err(ToolError::new(format!("There is no tool `{other}`.")).into()),
        }
    }

    async fn resources(&self) -> Result<Vec<Resource>, ToolError> {
        resources::recent(self).await
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        resources::templates()
    }

    async fn read(&self, uri: &str) -> Result<Option<Document>, ToolError> {
        resources::read(self, uri).await
    }
}

/// What all the tools are: they look and change nothing, twice the same, and stay on this machine.
fn hints(title: &str) -> ToolAnnotations {
    ToolAnnotations::with_title(title)
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false)
}

/// The error with its causes; one that may go away says so.
fn failure(error: &LibraryError) -> ToolError {
    let told = ToolError::from_error(error);
    match error {
        LibraryError::Snapshot(snapshot) if snapshot.is_transient() => told.transient(),
        _ => told,
    }
}
