//! What a server is made of.

use std::future::ready;

use jp_tool::ToolError;
use rmcp::model::{Resource, ResourceTemplate, Tool};

use crate::{Call, Document, Reply, Stop};

/// The tools of a server, and the documents that it has.
pub trait Toolbox: Send + Sync + 'static {
    /// Who the server is.
    fn about(&self) -> About;

    /// Its tools, made with [`define`](crate::define()). The list does not change.
    fn tools(&self) -> Vec<Tool>;

    /// Runs one of the tools; others are not called. The future is dropped when the client cancels
    /// the call, so whatever it has started must end with it.
    fn call(&self, call: Call) -> impl Future<Output = Result<Reply, Stop>> + Send;

    /// Documents that are there now.
    fn resources(&self) -> impl Future<Output = Result<Vec<Resource>, ToolError>> + Send {
        ready(Ok(Vec::new()))
    }

    /// The forms of URIs that [`read`](Self::read) understands.
    fn templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// The document of this URI; `None` if there is no such document. Reading asks no questions.
    fn read(&self, _uri: &str) -> impl Future<Output = Result<Option<Document>, ToolError>> + Send {
        ready(Ok(None))
    }
}

/// How a server introduces itself.
#[derive(Debug, Clone)]
pub struct About {
    /// Its name, as programs use it.
    pub name: &'static str,
    /// Its name, as people read it.
    pub title: &'static str,
    /// Its version.
    pub version: &'static str,
    /// What a model should know before it uses the tools.
    pub instructions: &'static str,
}
