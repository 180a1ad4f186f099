//! The methods: for each one its name, what it takes and what it gives, in one table.
//!
//! A request becomes a [`Call`] here or is refused: with [`ErrorCode::MethodNotFound`] if there is no
//! such method, with [`ErrorCode::InvalidParams`] if its parameters are not the ones it takes. A
//! call that was read says what is wanted; whether it may be done is nobody's question yet.

mod fs;
mod host;
mod http;
mod process;

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use thiserror::Error;

pub use self::fs::{
    DirEntry, FileMatches, FsCreateDir, FsDelete, FsExists, FsExistsResult, FsGrep, FsGrepResult,
    FsListDir, FsListDirResult, FsMetadata, FsMetadataResult, FsRead, FsReadResult, FsRename,
    FsWrite, GrepLine, Kind,
};
pub use self::host::{HostCapabilities, HostCapabilitiesResult, Limits};
pub use self::http::{Header, HttpGet, HttpPost, HttpResult};
pub use self::process::{ProcessRun, ProcessRunResult};
use super::envelope::{Outgoing, Request, excerpt, reason};
use super::{ErrorCode, ErrorObject, Id};
use crate::object;

/// What a method takes, tied to its name and to what it gives.
pub trait Params: Serialize + Into<Call> {
    /// The method.
    const METHOD: Method;
    /// What it gives.
    type Result: Serialize + DeserializeOwned;

    /// The request as it is written.
    fn request<'a>(&'a self, id: &'a Id) -> impl Serialize + 'a {
        Outgoing::request(id, Self::METHOD.name(), self)
    }

    /// Reads what the host answered.
    fn read_result(result: &RawValue) -> Result<Self::Result, InvalidResult> {
        let method = Self::METHOD;
        object::parse(result.get()).map_err(|source| InvalidResult { method, source })
    }
}

/// An answer that is not what the method gives.
#[derive(Debug, Error)]
#[error("the host answered `{method}` with something else")]
pub struct InvalidResult {
    method: Method,
    source: serde_json::Error,
}

/// Makes the enums from the table below, so that no method can be in one and missing in another.
macro_rules! methods {
    ($($name:literal $params:ident -> $result:ty, $about:literal;)+) => {
        /// The methods.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Method {
            $(#[doc = $about] $params,)+
        }

        impl Method {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$params),+];

            /// The name on the wire.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$params => $name,)+
                }
            }

            /// The method of this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$params),)+
                    _ => None,
                }
            }
        }

        /// A request that was understood. Written, it is the parameters alone.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        #[serde(untagged)]
        pub enum Call {
            $(#[doc = $about] $params($params),)+
        }

        impl Call {
            /// The method that is called.
            pub fn method(&self) -> Method {
                match self {
                    $(Self::$params(_) => Method::$params,)+
                }
            }

            fn read(method: Method, params: &str) -> serde_json::Result<Self> {
                match method {
                    $(Method::$params => object::parse(params).map(Self::$params),)+
                }
            }
        }

        $(
            impl Params for $params {
                const METHOD: Method = Method::$params;
                type Result = $result;
            }

            impl From<$params> for Call {
                fn from(params: $params) -> Self {
                    Self::$params(params)
                }
            }
        )+
    };
}

methods! {
    "fs.read" FsRead -> FsReadResult, "Read a file.";
    "fs.write" FsWrite -> Done, "Write a file.";
    "fs.exists" FsExists -> FsExistsResult, "Ask whether there is something at a path.";
    "fs.list_dir" FsListDir -> FsListDirResult, "List a directory.";
    "fs.metadata" FsMetadata -> FsMetadataResult, "Ask what is at a path.";
    "fs.delete" FsDelete -> Done, "Delete a file.";
    "fs.rename" FsRename -> Done, "Move a file.";
    "fs.grep" FsGrep -> FsGrepResult, "Search the contents of files.";
    "fs.create_dir" FsCreateDir -> Done, "Make a directory.";
    "http.get" HttpGet -> HttpResult, "Fetch a URL.";
    "http.post" HttpPost -> HttpResult, "Send something to a URL.";
    "process.run" ProcessRun -> ProcessRunResult, "Run a program.";
    "host.capabilities" HostCapabilities -> HostCapabilitiesResult, "Ask what the host can do.";
}

impl Call {
    /// Finds the method of a request and reads what it takes.
    pub fn parse(request: &Request<'_>) -> Result<Self, ErrorObject> {
        let method = Method::from_name(&request.method).ok_or_else(|| unknown(&request.method))?;
        let params = request.params.map_or("{}", RawValue::get);
        Self::read(method, params).map_err(|error| {
            let message = format!("params of `{method}`: {}", reason(&error));
            ErrorObject::new(ErrorCode::InvalidParams, message)
        })
    }

    /// Reads a line that is written as nearly all requests are, without spaces and in this order:
    /// `{"jsonrpc":"2.0","id":1,"method":"…","params":{…}}`.
    ///
    /// Its parameters are read in one go, where the way through the envelope looks at each byte three
    /// times; that way has four answers to four mistakes, and this one has none. `None` says that the
    /// line has another form or that something is wrong with it.
    pub fn parse_usual(line: &[u8]) -> Option<(Id, Self)> {
        let line = str::from_utf8(line).ok()?;
        let rest = line.strip_prefix(r#"{"jsonrpc":"2.0","id":"#)?;
        let (id, rest) = rest.split_at(rest.bytes().position(|byte| !byte.is_ascii_digit())?);
        // A number does not begin with a zero, unless it is one.
        if id.starts_with('0') && id != "0" {
            return None;
        }
        let rest = rest.strip_prefix(r#","method":""#)?;
        let (method, rest) = rest.split_at(memchr::memchr(b'"', rest.as_bytes())?);
        let method = Method::from_name(method)?;
        // What stands between these two is one object only if it can be read as one.
        let params = rest.strip_prefix(r#"","params":"#)?.strip_suffix('}')?;
        let call = Self::read(method, params).ok()?;
        Some((Id::Integer(id.parse().ok()?), call))
    }

    /// The request as it is written.
    pub fn request<'a>(&'a self, id: &'a Id) -> impl Serialize + 'a {
        Outgoing::request(id, self.method().name(), self)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How bytes that are not text are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// As base64 with the standard alphabet and padding.
    Base64,
}

/// The result of a method that has nothing to say but that it is done: `{}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {}

/// Says what may have been meant, where that is easy to see.
fn unknown(name: &str) -> ErrorObject {
    let operation = |method: &&Method| method.name().rsplit('.').next() == Some(name);
    let hint = if ["result", "error", "state", "cancel"].contains(&name) {
        "; it is a notification, which has no `id`".to_owned()
    } else if let Some(method) = Method::ALL.iter().find(operation) {
        format!("; there is `{method}`")
    } else {
        String::new()
    };
    let message = format!("there is no method `{}`{hint}", excerpt(name));
    ErrorObject::new(ErrorCode::MethodNotFound, message)
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
mod tests;
