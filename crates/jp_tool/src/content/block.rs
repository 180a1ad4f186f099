//! The kinds of blocks.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One block of content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ContentBlock {
    /// Text, which reaches the assistant as it is.
    Text {
        /// The text.
        text: String,
        /// What kind of text it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
        /// MCP's annotations, passed on as they are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        annotations: Option<Value>,
    },
    /// A picture.
    Image {
        /// The picture, in base64.
        data: String,
        /// What kind of picture it is.
        mime_type: String,
        /// MCP's annotations, passed on as they are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        annotations: Option<Value>,
    },
    /// A sound.
    Audio {
        /// The sound, in base64.
        data: String,
        /// What kind of sound it is.
        mime_type: String,
        /// MCP's annotations, passed on as they are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        annotations: Option<Value>,
    },
    /// Something that has an identity of its own, a file for example.
    Resource {
        /// What it is and what is in it.
        resource: Resource,
        /// How the tool wants it shown. Shown instead of the raw text, never compared.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        formatted: Option<String>,
        /// MCP's annotations, passed on as they are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        annotations: Option<Value>,
    },
    /// A resource that is only named: who wants its content has to ask for it.
    ResourceLink(ResourceLink),
    /// A question. The blocks before it are what there is to know before answering.
    Question {
        /// What has to be answered.
        question: Inquiry,
    },
}

impl ContentBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), mime_type: None, annotations: None }
    }

    /// A resource block that is shown by the kind of its content.
    pub fn resource(resource: Resource) -> Self {
        Self::Resource { resource, formatted: None, annotations: None }
    }
}

/// Something with an identity, and its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WireResource", into = "WireResource")]
pub struct Resource {
    /// What it is: a `file:`, `https:` or other URI.
    pub uri: String,
    /// What kind of content it has.
    pub mime_type: Option<String>,
    /// The content.
    pub data: ResourceData,
}

/// The content of a resource: on the wire, the field `text` or the field `blob`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceData {
    /// Text.
    Text(String),
    /// Bytes, in base64.
    Blob(String),
}

/// Where a resource is found, and what its owner says about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceLink {
    /// What it is: a `file:`, `https:` or other URI.
    pub uri: String,
    /// Its name, for programs.
    pub name: String,
    /// Its name, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What kind of content it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// How many bytes its content has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// MCP's annotations, passed on as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Value>,
}

/// A question whose answer is described by a JSON Schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inquiry {
    /// The key under which the answer comes back.
    pub id: String,
    /// The question, in one line.
    pub text: String,
    /// The JSON Schema of the answer.
    pub schema: Value,
    /// The answer that is taken where nobody can be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
}

/// A resource as it is written; only one of `text` and `blob` may be there.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireResource {
    uri: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blob: Option<String>,
}

impl TryFrom<WireResource> for Resource {
    type Error = &'static str;

    fn try_from(wire: WireResource) -> Result<Self, Self::Error> {
        let data = match (wire.text, wire.blob) {
            (Some(text), None) => ResourceData::Text(text),
            (None, Some(blob)) => ResourceData::Blob(blob),
            (Some(_), Some(_)) => return Err("the resource has both `text` and `blob`"),
            (None, None) => return Err("the resource has neither `text` nor `blob`"),
        };
        Ok(Self { uri: wire.uri, mime_type: wire.mime_type, data })
    }
}

impl From<Resource> for WireResource {
    fn from(Resource { uri, mime_type, data }: Resource) -> Self {
        let (text, blob) = match data {
            ResourceData::Text(text) => (Some(text), None),
            ResourceData::Blob(blob) => (None, Some(blob)),
        };
        Self { uri, mime_type, text, blob }
    }
}
