//! One configured server, as its users see it.

use std::sync::Arc;

use jp_tool::Blocks;

use crate::{
    call::{Call, Called},
    error::McpError,
    server_spec::ServerSpec,
    status::Status,
    tools::Tools,
};

/// One configured server. Cheap to make: it is started when it is first used.
#[derive(Debug)]
pub struct Client {
    spec: ServerSpec,
}

impl Client {
    /// For this server. Nothing is started yet.
    pub fn new(spec: ServerSpec) -> Self {
        Self { spec }
    }

    /// What it is called in the configuration.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// All tools of the server; kept until it says that they have changed.
    pub async fn tools(&self) -> Result<Arc<Tools>, McpError> {
        Err(self.not_yet("tools/list"))
    }

    /// Calls a tool.
    pub async fn call_tool(&self, call: Call<'_>) -> Result<Called, McpError> {
        Err(self.not_yet(call.tool))
    }

    /// The content of a resource that a tool named: resource blocks.
    pub async fn read_resource(&self, uri: &str) -> Result<Blocks, McpError> {
        Err(self.not_yet(uri))
    }

    /// What is known about the server without asking it.
    pub fn status(&self) -> Status {
        Status::default()
    }

    /// Ends the server and everything that it has started.
    pub async fn close(&self) {}

    fn not_yet(&self, request: &str) -> McpError {
        McpError::Unsupported {
            server: self.spec.name.clone(),
            request: request.to_owned(),
            wanted: "a connection".to_owned(),
        }
    }
}
