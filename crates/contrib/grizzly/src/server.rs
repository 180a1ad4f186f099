//! The notes as tools and resources of an MCP server.
//!
//! Each tool is a file: its arguments, what it does, what it answers. They share one shelf, to which a call
//! goes by a visit.

mod arguments;
mod find_backlinks;
mod list_tags;
mod read_notes;
mod resources;
mod search_notes;
mod visit;
mod words;

use std::{sync::Arc, time::Duration};

use jiff::tz::TimeZone;
use jp_mcp_server::{
    About, Call, Document, Reply, Resource, ResourceTemplate, Stop, Tool, ToolAnnotations, Toolbox,
};
use jp_tool::ToolError;
use tokio::sync::Mutex;

use self::visit::Visit;
use crate::Shelf;

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

    /// A call, which begins now.
    fn visit(&self) -> Visit<'_> {
        Visit::new(&self.shelf, &self.zone, self.time)
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
            search_notes::NAME => search_notes::call(&self.visit(), &call).await,
            read_notes::NAME => read_notes::call(&self.visit(), &call).await,
            list_tags::NAME => list_tags::call(&self.visit(), &call).await,
            find_backlinks::NAME => find_backlinks::call(&self.visit(), &call).await,
            other => Err(ToolError::new(format!("There is no tool `{other}`.")).into()),
        }
    }

    async fn resources(&self) -> Result<Vec<Resource>, ToolError> {
        resources::recent(&self.visit()).await
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        resources::templates()
    }

    async fn read(&self, uri: &str) -> Result<Option<Document>, ToolError> {
        resources::read(&self.visit(), uri).await
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
