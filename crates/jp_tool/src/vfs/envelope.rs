//! The outer form of every message, read before anybody looks at what the message is about.
//!
//! Reading goes in two steps, because four different mistakes have four different answers. This
//! file does the first: the line is JSON (else [`ErrorCode::ParseError`]), and it is an object with
//! a version, a method and perhaps an id (else [`ErrorCode::InvalidRequest`]). The parameters stay
//! text until [`Call::parse`](super::Call::parse) knows the method and what it takes.
//!
//! Everything here comes from a program that nobody trusts. Nothing is copied but the id, which is
//! short, and an error quotes only the start of what it complains about.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use serde::de::IgnoredAny;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use thiserror::Error;

use super::{ErrorCode, ErrorObject, Id};
use crate::object;

/// The version of JSON-RPC that every message names.
pub const JSONRPC: &str = "2.0";

/// Writes a message as one line. JSON without decoration has no line breaks, so the only one is at
/// the end. The error is that of a message that has no JSON; the messages of this module have one.
pub fn write_line(message: &impl Serialize, out: &mut Vec<u8>) -> serde_json::Result<()> {
    serde_json::to_writer(&mut *out, message)?;
    out.push(b'\n');
    Ok(())
}

/// What a tool writes.
#[derive(Debug, Clone)]
pub enum ToHost<'a> {
    /// Something to be answered.
    Request(Request<'a>),
    /// Something to be known.
    Notification(Notification<'a>),
}

impl<'a> ToHost<'a> {
    /// Reads one line of a tool.
    pub fn parse(line: &'a [u8]) -> Result<Self, Refusal> {
        let wire = Wire::parse(line).map_err(|error| Refusal { id: None, error })?;
        // Its id is that of a question of ours, which does not exist: nothing to repeat.
        if wire.method.is_none() && (wire.result.is_some() || wire.error.is_some()) {
            let error = invalid("a response: the host asks nothing, so there is nothing to answer");
            return Err(Refusal { id: None, error });
        }
        let id = wire.id().map_err(|error| Refusal { id: None, error })?;
        match wire.method() {
            Ok(method) => Ok(Self::new(id, method, wire.params)),
            Err(error) => Err(Refusal { id, error }),
        }
    }

    fn new(id: Option<Id>, method: Cow<'a, str>, params: Option<&'a RawValue>) -> Self {
        match id {
            Some(id) => Self::Request(Request { id, method, params }),
            None => Self::Notification(Notification { method, params }),
        }
    }
}

/// What the host writes.
#[derive(Debug, Clone)]
pub enum ToTool<'a> {
    /// The answer to a request.
    Response(Response<&'a RawValue>),
    /// Something to be known.
    Notification(Notification<'a>),
}

impl<'a> ToTool<'a> {
    /// Reads one line of the host.
    pub fn parse(line: &'a [u8]) -> Result<Self, InvalidMessage> {
        let wire = Wire::parse(line)?;
        if wire.method.is_none() {
            return wire.response().map(Self::Response).map_err(InvalidMessage::from);
        }
        let method = wire.method()?;
        if wire.id.is_some() {
            return Err(invalid("a request: the host asks nothing of a tool").into());
        }
        Ok(Self::Notification(Notification { method, params: wire.params }))
    }
}

/// A request whose method nobody has looked at.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// What the answer will name.
    pub id: Id,
    /// The name of the method.
    pub method: Cow<'a, str>,
    /// The parameters as they were written.
    pub params: Option<&'a RawValue>,
}

/// A notification whose method nobody has looked at. It is never answered.
#[derive(Debug, Clone)]
pub struct Notification<'a> {
    /// The name of the method.
    pub method: Cow<'a, str>,
    /// The parameters as they were written.
    pub params: Option<&'a RawValue>,
}

/// The answer to one request: a result or an error, never both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response<R> {
    /// The id of the request; `None` where it could not be made out.
    pub id: Option<Id>,
    /// What came of it.
    pub outcome: Result<R, ErrorObject>,
}

impl<R> Response<R> {
    /// The answer to a request that was done.
    pub fn success(id: Id, result: R) -> Self {
        Self { id: Some(id), outcome: Ok(result) }
    }

    /// The answer to a request that was not.
    pub fn failure(id: Id, error: ErrorObject) -> Self {
        Self { id: Some(id), outcome: Err(error) }
    }
}

impl<R: Serialize> Serialize for Response<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut message = serializer.serialize_struct("Response", 3)?;
        message.serialize_field("jsonrpc", JSONRPC)?;
        message.serialize_field("id", &self.id)?;
        match &self.outcome {
            Ok(result) => message.serialize_field("result", result)?,
            Err(error) => message.serialize_field("error", error)?,
        }
        message.end()
    }
}

/// A line that is no message, and how it has to be answered. The tool may go on.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the line of the tool is no message")]
pub struct Refusal {
    /// The id in the line, if it could be made out.
    pub id: Option<Id>,
    /// What is wrong.
    #[source]
    pub error: ErrorObject,
}

impl<R> From<Refusal> for Response<R> {
    fn from(Refusal { id, error }: Refusal) -> Self {
        Self { id, outcome: Err(error) }
    }
}

/// A line on the stdin of a tool that is no message of a host.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("not a message of the host: {reason}")]
pub struct InvalidMessage {
    reason: String,
}

#[cfg(feature = "sdk")]
impl InvalidMessage {
    /// A message that makes no sense where it is.
    pub(super) fn new(reason: &str) -> Self {
        Self { reason: reason.to_owned() }
    }
}

impl From<ErrorObject> for InvalidMessage {
    fn from(error: ErrorObject) -> Self {
        Self { reason: error.message().to_owned() }
    }
}

/// A request or a notification as it is written.
#[derive(Debug, Serialize)]
pub(super) struct Outgoing<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Id>,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a P>,
}

impl<'a, P> Outgoing<'a, P> {
    pub(super) fn request(id: &'a Id, method: &'a str, params: &'a P) -> Self {
        Self { jsonrpc: JSONRPC, id: Some(id), method, params: Some(params) }
    }

    pub(super) fn notification(method: &'a str, params: Option<&'a P>) -> Self {
        Self { jsonrpc: JSONRPC, id: None, method, params }
    }
}

/// What is wrong, without the place (it would count from the start of a part of the line) and
/// without more than the start of what the sender wrote.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    // An error can quote a whole line with its control characters spelled out. It is not copied.
    let mut start = Start { text: String::new(), room: 2 * MAX_QUOTED };
    let is_whole = write!(start, "{error}").is_ok();
    let text = start.text;
    let reason = text.rsplit_once(" at line ").filter(|_| is_whole);
    excerpt(reason.map_or(text.as_str(), |(reason, _)| reason)).into_owned()
}

/// How many characters of something that may be long are quoted.
const MAX_QUOTED: usize = 200;

/// The text, or its start where it is long.
pub(crate) fn excerpt(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// The start of a text that is written to it; what does not fit is an error.
struct Start {
    text: String,
    room: usize,
}

impl fmt::Write for Start {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text.chars();
        self.text.extend(rest.by_ref().take(self.room - self.text.chars().count()));
        if rest.next().is_some() { Err(fmt::Error) } else { Ok(()) }
    }
}

/// All fields that a message of either side can have, each as it was written. A field that is
/// `null` is there: `"id":null` is a bad id and not a notification.
#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

impl<'a> Wire<'a> {
    fn parse(line: &'a [u8]) -> Result<Self, ErrorObject> {
        let text = str::from_utf8(line).map_err(|error| {
            ErrorObject::new(ErrorCode::ParseError, format!("not text: {error}"))
        })?;
        object::parse(text).map_err(|error| match serde_json::from_str::<IgnoredAny>(text) {
            // A reader stops at the first thing it does not want, so it may not have seen the rest.
            Err(syntax) => ErrorObject::new(ErrorCode::ParseError, format!("not JSON: {syntax}")),
            Ok(_) => invalid(&reason(&error)),
        })
    }

    fn id(&self) -> Result<Option<Id>, ErrorObject> {
        let read = |raw: &RawValue| serde_json::from_str(raw.get());
        self.id.map(read).transpose().map_err(|error| invalid(&format!("`id`: {}", reason(&error))))
    }

    /// The method, of a message of the right version.
    fn method(&self) -> Result<Cow<'a, str>, ErrorObject> {
        self.check_version()?;
        let raw = self.method.ok_or_else(|| invalid("`method` is missing"))?;
        text(raw).map_err(|error| invalid(&format!("`method`: {}", reason(&error))))
    }

    fn response(&self) -> Result<Response<&'a RawValue>, ErrorObject> {
        self.check_version()?;
        let id = match self.id.map(RawValue::get) {
            None => return Err(invalid("neither `method` nor `id`")),
            Some("null") => None,
            Some(_) => self.id()?,
        };
        let outcome = match (self.result, self.error) {
            (Some(result), None) => Ok(result),
            (None, Some(error)) => Err(object::parse(error.get())
                .map_err(|error| invalid(&format!("`error`: {}", reason(&error))))?),
            (Some(_), Some(_)) => return Err(invalid("a response with `result` and `error`")),
            (None, None) => return Err(invalid("a response with neither `result` nor `error`")),
        };
        Ok(Response { id, outcome })
    }

    fn check_version(&self) -> Result<(), ErrorObject> {
        match self.jsonrpc.map(text) {
            Some(Ok(version)) if version == JSONRPC => Ok(()),
            _ => Err(invalid("`jsonrpc` has to be \"2.0\"")),
        }
    }
}

fn invalid(what: &str) -> ErrorObject {
    ErrorObject::new(ErrorCode::InvalidRequest, format!("not a message: {what}"))
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// A string, borrowed from the line where it has no escapes.
fn text(raw: &RawValue) -> serde_json::Result<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    serde_json::from_str(raw.get()).map(|Text(text)| text)
}

#[cfg(test)]
mod tests;
