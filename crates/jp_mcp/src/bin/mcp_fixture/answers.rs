//! What the server answers, word for word.

use serde_json::{Value, json};

pub(super) fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

pub(super) fn tools(has_new_tool: bool) -> Value {
    let mut tools = vec![
        tool("echo"),
        tool("die_once"),
        json!({ "name": "die_once_safely", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true } }),
        json!({ "name": "die_safely", "inputSchema": { "type": "object" }, "annotations": { "idempotentHint": true } }),
    ];
    if has_new_tool {
        tools.push(tool("new"));
    }
    json!({ "tools": tools })
}

/// Three pages.
pub(super) fn page(cursor: Option<&str>) -> Value {
    match cursor {
        None => json!({ "tools": [tool("a"), tool("b")], "nextCursor": "2" }),
        Some("2") => json!({ "tools": [tool("c")], "nextCursor": "3" }),
        Some(_) => json!({ "tools": [tool("d")] }),
    }
}

pub(super) fn circle(cursor: Option<&str>) -> Value {
    let next = if cursor == Some("a") { "b" } else { "a" };
    json!({ "tools": [], "nextCursor": next })
}

pub(super) fn endless(cursor: Option<&str>) -> Value {
    let number: u64 = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
    json!({ "tools": [tool(&format!("tool{number}"))], "nextCursor": (number + 1).to_string() })
}

/// More tools than anybody has, on one page.
pub(super) fn crowd() -> Value {
    let tools: Vec<_> = (0..=10_000).map(|number| tool(&format!("tool{number}"))).collect();
    json!({ "tools": tools })
}

pub(super) fn malformed_tools() -> Value {
    json!({ "tools": [
        tool("good"),
        7,
        { "name": "no_schema" },
        { "name": "list_schema", "inputSchema": [] },
        { "inputSchema": { "type": "object" } },
        tool("good"),
        tool("a b"),
        { "name": "odd", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": "yes" }, "icons": 7 },
    ] })
}

/// Good blocks, bad blocks, and blocks of tomorrow.
pub(super) fn blocks() -> Value {
    json!({
        "content": [
            { "type": "text", "text": "one", "annotations": { "audience": ["nobody"] } },
            { "type": "hologram", "data": 7 },
            { "type": "image", "data": "aGk=", "mimeType": "image/png" },
            { "type": "image", "data": 7 },
            { "type": "audio", "data": "aGk=", "mimeType": "audio/wav" },
            { "type": "resource", "resource": { "uri": "file:///a", "text": "b" } },
            { "type": "resource_link", "uri": "fixture://a", "name": "a" },
            null,
        ],
        "structuredContent": [1, 2],
        "isError": false,
        "_meta": { "computer.jp/outcome": {} },
    })
}

pub(super) fn resource(params: &Value) -> Value {
    json!({ "contents": [
        { "uri": params["uri"], "mimeType": "text/plain", "text": "content" },
        { "uri": "fixture://blob", "blob": "aGk=" },
        { "uri": "fixture://neither" },
    ] })
}

/// Asks for two things; what it got comes back.
pub(super) fn round(params: &Value) -> Value {
    if params.get("inputResponses").is_some() {
        return text(&params.to_string());
    }
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    json!({
        "resultType": "input_required",
        "inputRequests": {
            "who": { "method": "elicitation/create", "params": { "message": "Who?", "requestedSchema": schema } },
            "sure": { "method": "elicitation/create", "params": { "message": "Sure?", "requestedSchema": schema } },
        },
        "requestState": "sealed \u{1f512} state",
    })
}

/// Wants to be asked again, with its state and nothing else.
pub(super) fn state_only(params: &Value) -> Value {
    if params["requestState"] == "later" {
        return text(&params.to_string());
    }
    json!({ "resultType": "input_required", "requestState": "later" })
}

pub(super) fn state_for_ever() -> Value {
    json!({ "resultType": "input_required", "requestState": "again" })
}

pub(super) fn round_roots(params: &Value) -> Value {
    if params.get("inputResponses").is_some() {
        return text(&params["inputResponses"].to_string());
    }
    let requests = json!({ "where": { "method": "roots/list" } });
    json!({ "resultType": "input_required", "inputRequests": requests, "requestState": "s" })
}

pub(super) fn round_sample() -> Value {
    let requests = json!({ "think": { "method": "sampling/createMessage", "params": {} } });
    json!({ "resultType": "input_required", "inputRequests": requests })
}

fn tool(name: &str) -> Value {
    json!({ "name": name, "description": name, "inputSchema": { "type": "object" } })
}
