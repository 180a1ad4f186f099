//! What a server answered, taken apart piece by piece.
//!
//! A list of tools or of blocks is as good as its good members: one that is malformed, or newer than we
//! are, is named and left out. What the answer as a whole cannot do without is an error. Nothing here
//! trusts a type, a length or a name.

use std::collections::HashSet;

use camino::Utf8PathBuf;
use jp_tool::{Blocks, ContentBlock, MalformedBlock, Resource};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use thiserror::Error;
use url::Url;

use crate::{
    call::{CallResult, Called, Round},
    elicit::Form,
    limits::{MAX_LIST, MAX_NAME, MAX_TOOL},
    tools::{Annotations, MalformedTool, Tool, Tools},
    words::plain,
};

/// The method of a question to a person.
pub(crate) const ELICIT: &str = "elicitation/create";

/// The method of a question for the directories to work in.
pub(crate) const ROOTS: &str = "roots/list";

/// Why an answer is of no use.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum DecodeError {
    /// It is not what the protocol says.
    #[error("{0}")]
    Malformed(String),
    /// It asks for something that we do not do.
    #[error("{0}")]
    Unsupported(String),
}

/// The answer to `tools/call`. `roots` are told to a server that asks for them.
pub(crate) fn called(answer: Value, roots: &[Utf8PathBuf]) -> Result<Called, DecodeError> {
    let mut answer = object(answer, "the answer")?;
    match answer.get("resultType").map(|kind| kind.as_str()) {
        None | Some(Some("complete")) => result(answer).map(Called::Done),
        Some(Some("input_required")) => round(&mut answer, roots).map(Called::InputRequired),
        Some(Some("task")) => Err(unsupported("a task")),
        Some(Some(other)) => Err(unsupported(&format!("a result of type `{other}`"))),
        Some(None) => Err(malformed("`resultType` is not a string")),
    }
}

/// A page of the answer to `tools/list`, added to what is there; the cursor of the next one. `room` is how
/// many bytes all tools may still have; a single one that is too large is left out and named.
pub(crate) fn page(
    answer: Value,
    tools: &mut Tools,
    room: &mut usize,
) -> Result<Option<String>, DecodeError> {
    let mut answer = object(answer, "the answer")?;
    let Some(Value::Array(page)) = answer.remove("tools") else {
        return Err(malformed("`tools` is not a list"));
    };
    let first = tools.tools.len() + tools.malformed.len();
    let mut names: HashSet<String> = tools.tools.iter().map(|tool| tool.name.clone()).collect();
    for (index, value) in (first..).zip(page) {
        let name = value.get("name").and_then(Value::as_str).map(str::to_owned);
        let size = size(&value);
        let is_large = size > MAX_TOOL;
        let left = if is_large { Some(*room) } else { room.checked_sub(size) };
        *room = left.ok_or_else(|| {
            malformed(format!("the list of its tools has more than {MAX_LIST} bytes"))
        })?;
        let found = if is_large {
            Err(format!("its definition has more than {MAX_TOOL} bytes"))
        } else {
            tool(value, &mut names)
        };
        match found {
            Ok(tool) => tools.tools.push(tool),
            Err(reason) => {
                // A name that is too long to be kept is too long to be shown.
                let name = name.filter(|name| name.len() <= MAX_NAME);
                tools.malformed.push(MalformedTool { index, name, reason });
            }
        }
    }
    match answer.remove("nextCursor") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(cursor)) => Ok(Some(cursor)),
        Some(_) => Err(malformed("`nextCursor` is not a string")),
    }
}

/// How many bytes a tool has.
fn size(tool: &Value) -> usize {
    let mut length = Length(0);
    // Counting does not fail, and there is nothing in a value that cannot be written.
    let _ = serde_json::to_writer(&mut length, tool);
    length.0
}

/// Counts what is written to it.
struct Length(usize);

impl std::io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The answer to `resources/read`, as resource blocks.
pub(crate) fn contents(answer: Value) -> Result<Blocks, DecodeError> {
    let mut answer = object(answer, "the answer")?;
    if answer.get("resultType").is_some_and(|kind| kind == "input_required") {
        return Err(unsupported("an answer of a person"));
    }
    let Some(Value::Array(contents)) = answer.remove("contents") else {
        return Err(malformed("`contents` is not a list"));
    };
    let mut blocks = Blocks::default();
    for (index, value) in contents.into_iter().enumerate() {
        match serde_json::from_value::<Resource>(value) {
            Ok(resource) => blocks.blocks.push(ContentBlock::resource(resource)),
            Err(error) => {
                let reason = plain(&error.to_string());
                blocks.malformed.push(MalformedBlock { index, reason });
            }
        }
    }
    Ok(blocks)
}

/// The parameters of `elicitation/create`.
pub(crate) fn form(params: Value) -> Result<Form, DecodeError> {
    let mut params = object(params, "the question")?;
    let message = text(&mut params, "message")?.unwrap_or_default();
    if params.get("mode").is_some_and(|mode| mode == "url") {
        let url = text(&mut params, "url")?.ok_or_else(|| malformed("`url` is missing"))?;
        let url = Url::parse(&url).map_err(|error| malformed(format!("`url`: {error}")))?;
        return Ok(Form { message, schema: json!({ "type": "object" }), url: Some(url) });
    }
    let schema = params.remove("requestedSchema");
    let schema = schema.ok_or_else(|| malformed("`requestedSchema` is missing"))?;
    match schema.get("properties") {
        Some(Value::Object(_)) => Ok(Form { message, schema, url: None }),
        _ => Err(malformed("`requestedSchema` has no `properties`")),
    }
}

/// The answer to `roots/list`.
pub(crate) fn roots_result(uris: &[String]) -> Value {
    let roots: Vec<_> = uris.iter().map(|uri| json!({ "uri": uri })).collect();
    json!({ "roots": roots })
}

/// The roots, as a server is told them. A path that is no URI is not told.
pub(crate) fn root_uris(roots: &[Utf8PathBuf]) -> Vec<String> {
    let uris = roots.iter().filter_map(|root| Url::from_file_path(root).ok());
    uris.map(String::from).collect()
}

fn result(mut answer: Map<String, Value>) -> Result<CallResult, DecodeError> {
    let structured = answer.remove("structuredContent").filter(|value| !value.is_null());
    let content = match answer.remove("content") {
        Some(content @ Value::Array(_)) => blocks(content)?,
        // Only a server that answers programs may leave it out.
        None | Some(Value::Null) if structured.is_some() => Blocks::default(),
        None | Some(Value::Null) => return Err(malformed("`content` is missing")),
        Some(_) => return Err(malformed("`content` is not a list")),
    };
    let is_error = match answer.remove("isError") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(is_error)) => is_error,
        // To take a failure for a success would be worse than to refuse the answer.
        Some(_) => return Err(malformed("`isError` is not a boolean")),
    };
    Ok(CallResult { content, structured, is_error, meta: meta(&mut answer) })
}

/// The reasons quote what they found, which may be anything.
fn blocks(content: Value) -> Result<Blocks, DecodeError> {
    let mut blocks = Blocks::deserialize(content).map_err(|error| malformed(error.to_string()))?;
    for block in &mut blocks.malformed {
        block.reason = plain(&block.reason);
    }
    Ok(blocks)
}

fn round(answer: &mut Map<String, Value>, roots: &[Utf8PathBuf]) -> Result<Round, DecodeError> {
    let mut round = Round { state: text(answer, "requestState")?, ..Round::default() };
    let requests = match answer.remove("inputRequests") {
        Some(Value::Object(requests)) => requests,
        // A server may only want to be asked again, with its state.
        None | Some(Value::Null) => Map::new(),
        Some(_) => return Err(malformed("`inputRequests` is not an object")),
    };
    for (key, request) in requests {
        let mut request = object(request, "the request for input")?;
        let method = text(&mut request, "method")?.unwrap_or_default();
        let params = request.remove("params").unwrap_or_else(|| json!({}));
        match method.as_str() {
            ELICIT => drop(round.forms.insert(key, form(params)?)),
            ROOTS if !roots.is_empty() => {
                round.answered.insert(key, roots_result(&root_uris(roots)));
            }
            other => return Err(unsupported(other)),
        }
    }
    Ok(round)
}

fn tool(value: Value, names: &mut HashSet<String>) -> Result<Tool, String> {
    let Value::Object(mut value) = value else {
        return Err("it is not an object".to_owned());
    };
    let reason = |error: DecodeError| error.to_string();
    let name = text(&mut value, "name").map_err(reason)?.unwrap_or_default();
    if name.is_empty() {
        return Err("it has no name".to_owned());
    }
    if name.len() > MAX_NAME {
        return Err(format!("its name is longer than {MAX_NAME} bytes"));
    }
    if name.chars().any(|one| one.is_control() || one.is_whitespace()) {
        return Err("its name has characters that no name has".to_owned());
    }
    let input_schema = match value.remove("inputSchema") {
        Some(Value::Object(schema)) => schema,
        Some(_) => return Err("`inputSchema` is not an object".to_owned()),
        None => return Err("`inputSchema` is missing".to_owned()),
    };
    if input_schema.get("type").is_some_and(|kind| kind != "object") {
        return Err("`inputSchema` does not describe an object".to_owned());
    }
    let tool = Tool {
        title: text(&mut value, "title").map_err(reason)?,
        description: text(&mut value, "description").map_err(reason)?,
        input_schema,
        output_schema: value.remove("outputSchema").filter(Value::is_object),
        annotations: annotations(value.get("annotations")),
        meta: meta(&mut value),
        name,
    };
    if !names.insert(tool.name.clone()) {
        return Err("there is a tool with the same name before it".to_owned());
    }
    Ok(tool)
}

/// What is not `true` or `false` was not said.
fn annotations(value: Option<&Value>) -> Annotations {
    let hint = |name: &str| value?.get(name)?.as_bool();
    Annotations {
        read_only: hint("readOnlyHint"),
        destructive: hint("destructiveHint"),
        idempotent: hint("idempotentHint"),
        open_world: hint("openWorldHint"),
    }
}

fn meta(value: &mut Map<String, Value>) -> Map<String, Value> {
    match value.remove("_meta") {
        Some(Value::Object(meta)) => meta,
        _ => Map::new(),
    }
}

fn object(value: Value, what: &str) -> Result<Map<String, Value>, DecodeError> {
    match value {
        Value::Object(object) => Ok(object),
        _ => Err(malformed(format!("{what} is not an object"))),
    }
}

fn text(value: &mut Map<String, Value>, name: &str) -> Result<Option<String>, DecodeError> {
    match value.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(malformed(format!("`{name}` is not a string"))),
    }
}

fn unsupported(wanted: &str) -> DecodeError {
    DecodeError::Unsupported(plain(wanted))
}

fn malformed(reason: impl Into<String>) -> DecodeError {
    DecodeError::Malformed(plain(&reason.into()))
}

#[cfg(test)]
mod tests;
