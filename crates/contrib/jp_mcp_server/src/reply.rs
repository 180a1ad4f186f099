//! What a tool answers, and how that looks in each protocol.
//!
//! A tool gives documents with their URIs. A client of plain MCP gets them as resources; an envelope
//! has only text, so there each document stands under its URI, and what is not Markdown stands in a
//! fence that nothing in the text can close.

use jp_tool::{Outcome, ToolError};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Resource, ResourceContents};
use serde_json::json;

use crate::{OUTCOME_KEY, Protocol};

/// More than this is refused: no model reads it, and every client has a limit somewhere.
const MAX_REPLY: usize = 8 << 20;

/// A document of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Where it can be read again.
    pub uri: String,
    /// What kind of text it is.
    pub mime_type: &'static str,
    /// The text.
    pub text: String,
}

/// A part of a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// Words of the tool.
    Text(String),
    /// A document, whole.
    Document(Document),
    /// A document that can be read.
    Link(Box<Resource>),
}

/// The answer of a tool that has done its work.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    items: Vec<Item>,
}

impl Reply {
    /// A reply of these parts.
    pub fn new(items: impl IntoIterator<Item = Item>) -> Self {
        Self { items: items.into_iter().collect() }
    }

    /// As the result of a call.
    pub(crate) fn into_result(self, protocol: Protocol) -> CallToolResult {
        if self.items.iter().map(Item::size).sum::<usize>() > MAX_REPLY {
            let error = format!("The answer is larger than {} MiB. Ask for less.", MAX_REPLY >> 20);
            return failure(&ToolError::new(error), protocol);
        }
        match protocol {
            Protocol::Native => {
                CallToolResult::success(self.items.into_iter().map(block).collect())
            }
            Protocol::Jp => envelope(&Outcome::success(self.into_text())),
        }
    }

    /// The same reply with one more part.
    #[must_use]
    pub fn with(mut self, item: Item) -> Self {
        self.items.push(item);
        self
    }

    fn into_text(self) -> String {
        let mut text = String::new();
        let mut after_link = false;
        for item in self.items {
            let link = matches!(item, Item::Link(_));
            // Links after each other are one list.
            text += match (text.is_empty(), link && after_link) {
                (true, _) => "",
                (false, true) => "\n",
                (false, false) => "\n\n",
            };
            text += &item.into_text();
            after_link = link;
        }
        text
    }
}

impl From<String> for Reply {
    fn from(text: String) -> Self {
        Self::new([Item::Text(text)])
    }
}

impl From<Document> for Reply {
    fn from(document: Document) -> Self {
        Self::new([Item::Document(document)])
    }
}

impl Item {
    fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Document(document) => document.text.len() + document.uri.len(),
            Self::Link(resource) => resource.uri.len() + resource.name.len(),
        }
    }

    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Document(Document { uri, mime_type: "text/markdown", text }) => {
                format!("<{uri}>\n\n{text}")
            }
            Self::Document(Document { uri, mime_type, text }) => {
                format!("<{uri}>\n\n{}", fenced(&text, mime_type))
            }
            Self::Link(resource) => match &resource.description {
                Some(description) => format!("- <{}>: {description}", resource.uri),
                None => format!("- <{}>", resource.uri),
            },
        }
    }
}

/// An error as the result of a call.
pub(crate) fn failure(error: &ToolError, protocol: Protocol) -> CallToolResult {
    match protocol {
        Protocol::Native => {
            let causes = error.trace.iter().map(|cause| format!("\ncaused by: {cause}"));
            let text = error.message.clone() + &causes.collect::<String>();
            CallToolResult::error(vec![ContentBlock::text(text)])
        }
        Protocol::Jp => {
            let mut result = envelope(&Outcome::Error(error.clone()));
            result.is_error = Some(true);
            result
        }
    }
}

/// An outcome as the only text of a result, with the mark that saves the client from guessing.
pub(crate) fn envelope(outcome: &Outcome) -> CallToolResult {
    // Strings, lists and JSON values can always be written.
    let text = serde_json::to_string(outcome).unwrap_or_default();
    let mark = [(OUTCOME_KEY.to_owned(), json!({}))].into_iter().collect();
    CallToolResult::success(vec![ContentBlock::text(text)]).with_meta(Some(MetaObject(mark)))
}

/// The contents of a document for MCP.
pub(crate) fn contents(document: Document) -> ResourceContents {
    ResourceContents::text(document.text, document.uri).with_mime_type(document.mime_type)
}

fn block(item: Item) -> ContentBlock {
    match item {
        Item::Text(text) => ContentBlock::text(text),
        Item::Document(document) => ContentBlock::resource(contents(document)),
        Item::Link(resource) => ContentBlock::resource_link(*resource),
    }
}

fn fenced(text: &str, mime_type: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let language = match mime_type {
        "text/x-rust" => "rust",
        "application/json" => "json",
        _ => "",
    };
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}")
}

#[cfg(test)]
mod tests;
