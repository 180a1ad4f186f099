//! The web: what each `http.` method takes and gives.

use serde::{Deserialize, Deserializer, Serialize};

use super::Encoding;
use crate::bounded::{Bound, Measured};

/// Fetch a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpGet {
    /// The URL.
    pub url: String,
    /// The headers to send.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "headers")]
    pub headers: Vec<Header>,
}

/// Send something to a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpPost {
    /// The URL.
    pub url: String,
    /// The headers to send.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "headers")]
    pub headers: Vec<Header>,
    /// What is sent, byte for byte; nothing if left out.
    #[serde(default)]
    pub body: String,
}

/// One header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Its value. The host puts the value of a variable that the tool may use in place of `${VAR}`;
    /// the tool never sees it.
    pub value: String,
}

/// What the server answered, with whatever status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpResult {
    /// The status code.
    pub status: u16,
    /// The body, as text or as `encoding` says.
    pub body: String,
    /// Absent for text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
}

impl Measured for Header {
    fn bytes(&self) -> usize {
        self.name.len() + self.value.len()
    }
}

fn headers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Header>, D::Error> {
    Bound::elements("headers", 64).list(deserializer)
}
