//! One line of a server, as a message.
//!
//! Only what rmcp itself has to understand becomes one of its types: the answers to a greeting, a
//! cancellation, the beginning of a subscription. Every other answer and every question stays what it was,
//! to be decoded piece by piece by those who wait for it.

use rmcp::{
    ErrorData,
    model::{
        CustomRequest, CustomResult, ErrorCode, PingRequest, ProgressToken, RequestId,
        ServerJsonRpcMessage, ServerNotification, ServerRequest, ServerResult,
    },
};
use serde_json::{Map, Value, json};

use crate::{call::Progress, words::plain};

/// What a line is.
#[derive(Debug)]
pub(super) enum Heard {
    /// For rmcp.
    Message(Box<ServerJsonRpcMessage>),
    /// The answer to a request. It is not known yet whether rmcp has to understand it.
    Answer(Option<RequestId>, Result<Value, ErrorData>),
    /// For the call that wants to know.
    Progress(ProgressToken, Progress),
    /// The tools have changed.
    ToolsChanged,
    /// Something that we do not need.
    Unneeded,
    /// No message at all.
    Garbage,
}

/// What a line says of itself before it is read to its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// It answers this request.
    AnswerTo(RequestId),
    /// It answers some request.
    Answer,
    /// It is something else.
    Other,
}

/// Sorts a message.
pub(super) fn sort(message: Value) -> Heard {
    let Value::Object(mut message) = message else {
        return Heard::Garbage;
    };
    let id = message.remove("id").filter(|id| !id.is_null());
    let Ok(id) = id.map(serde_json::from_value::<RequestId>).transpose() else {
        return Heard::Garbage;
    };
    match (message.remove("method"), id) {
        (Some(Value::String(method)), Some(id)) => {
            let request = request(method, message.remove("params"));
            Heard::Message(Box::new(ServerJsonRpcMessage::request(request, id)))
        }
        (Some(Value::String(method)), None) => notification(&method, message.remove("params")),
        (Some(_), _) => Heard::Garbage,
        (None, id) => answer(message, id),
    }
}

/// The answer to a request as rmcp wants it.
pub(super) fn result(value: Value, is_typed: bool) -> ServerResult {
    if is_typed {
        let exact = serde_json::from_value(value.clone()).ok();
        let exact = exact.filter(|result| !matches!(result, ServerResult::CustomResult(_)));
        let result = exact.or_else(|| serde_json::from_value(greeting(&value)?).ok());
        if let Some(result) = result {
            return result;
        }
    }
    ServerResult::CustomResult(CustomResult(value))
}

/// A greeting that is not quite right, reduced to what we need of it: a server is not turned away because it
/// forgot its version, or has a capability that is written in another way.
fn greeting(value: &Value) -> Option<Value> {
    let changes = value.pointer("/capabilities/tools/listChanged") == Some(&Value::Bool(true));
    let capabilities = json!({ "tools": { "listChanged": changes } });
    if let Some(versions) = value.get("supportedVersions") {
        return Some(json!({
            "resultType": "complete",
            "supportedVersions": versions,
            "capabilities": capabilities,
            "ttlMs": 0,
            "cacheScope": "private",
        }));
    }
    let version = value.get("protocolVersion")?.as_str()?;
    let word = |path| value.pointer(path).and_then(Value::as_str).unwrap_or("unknown");
    Some(json!({
        "protocolVersion": version,
        "capabilities": capabilities,
        "serverInfo": { "name": word("/serverInfo/name"), "version": word("/serverInfo/version") },
    }))
}

/// Looks at the beginning of a line: at its first key, or at the second if the first is `jsonrpc`.
pub(super) fn head(line: &[u8]) -> Head {
    let line = String::from_utf8_lossy(line);
    let rest = line.trim_start().strip_prefix('{').unwrap_or_default();
    let (mut key, mut rest) = first_key(rest);
    if key == "jsonrpc" {
        (key, rest) = rest.split_once(',').map_or(("", ""), |(_, rest)| first_key(rest));
    }
    match key {
        "id" => {
            let id = rest.split([',', '}']).next().unwrap_or_default();
            serde_json::from_str(id).map_or(Head::Answer, Head::AnswerTo)
        }
        "result" | "error" => Head::Answer,
        _ => Head::Other,
    }
}

fn first_key(text: &str) -> (&str, &str) {
    let text = text.trim_start().strip_prefix('"').unwrap_or_default();
    let (key, rest) = text.split_once('"').unwrap_or_default();
    (key, rest.trim_start().strip_prefix(':').unwrap_or_default())
}

fn answer(mut message: Map<String, Value>, id: Option<RequestId>) -> Heard {
    match (message.remove("result"), message.remove("error"), id) {
        (None, Some(error), id) => Heard::Answer(id, Err(error_data(error))),
        (Some(result), None | Some(Value::Null), Some(id)) => Heard::Answer(Some(id), Ok(result)),
        _ => Heard::Garbage,
    }
}

/// An error, however it is written: it is better shown than not understood.
fn error_data(error: Value) -> ErrorData {
    serde_json::from_value(error.clone()).unwrap_or_else(|_| {
        let message = match error {
            Value::String(text) => text,
            other => other.to_string(),
        };
        ErrorData::new(ErrorCode::INTERNAL_ERROR, message, None)
    })
}

fn request(method: String, params: Option<Value>) -> ServerRequest {
    if method == "ping" {
        return ServerRequest::PingRequest(PingRequest::default());
    }
    ServerRequest::CustomRequest(CustomRequest::new(method, params))
}

fn notification(method: &str, params: Option<Value>) -> Heard {
    match method {
        "notifications/progress" => progress(&params.unwrap_or_default()),
        "notifications/tools/list_changed" => Heard::ToolsChanged,
        "notifications/cancelled" | "notifications/subscriptions/acknowledged" => {
            let raw = json!({ "method": method, "params": params });
            match serde_json::from_value::<ServerNotification>(raw) {
                Ok(notification) => {
                    Heard::Message(Box::new(ServerJsonRpcMessage::notification(notification)))
                }
                Err(_) => Heard::Unneeded,
            }
        }
        _ => Heard::Unneeded,
    }
}

fn progress(params: &Value) -> Heard {
    let number = |name| params.get(name).and_then(Value::as_f64);
    let token = params.get("progressToken").cloned().map(serde_json::from_value);
    let (Some(Ok(token)), Some(progress)) = (token, number("progress")) else {
        return Heard::Unneeded;
    };
    let message = params.get("message").and_then(Value::as_str).map(plain);
    Heard::Progress(token, Progress { progress, total: number("total"), message })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_beginning_of_a_line() {
        for (line, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"#, Head::AnswerTo(RequestId::Number(7))),
            (r#" { "id" : 7 , "#, Head::AnswerTo(RequestId::Number(7))),
            (r#"{"id":"a","#, Head::AnswerTo(RequestId::String("a".into()))),
            (r#"{"id":12"#, Head::AnswerTo(RequestId::Number(12))),
            (r#"{"result":{"content":"#, Head::Answer),
            (r#"{"jsonrpc":"2.0","error":{"#, Head::Answer),
            (r#"{"jsonrpc":"2.0","method":"notifications/message""#, Head::Other),
            (r#"{"method":"x","id":7"#, Head::Other),
            ("{", Head::Other),
            ("", Head::Other),
            ("aaaa", Head::Other),
            (r#"{"jsonrpc""#, Head::Other),
        ] {
            assert_eq!(head(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn a_greeting_that_is_not_quite_right_is_one() {
        for value in [
            json!({ "protocolVersion": "2025-06-18", "capabilities": {} }),
            json!({ "protocolVersion": "2025-06-18", "serverInfo": { "name": 7 } }),
            json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": true }, "serverInfo": null }),
        ] {
            let result = result(value.clone(), true);
            assert!(matches!(result, ServerResult::InitializeResult(_)), "{value}: {result:?}");
        }
        let odd = json!({ "supportedVersions": ["2026-07-28"], "capabilities": 7 });
        assert!(matches!(result(odd.clone(), true), ServerResult::DiscoverResult(_)));
        assert!(matches!(result(odd, false), ServerResult::CustomResult(_)));
        for value in [json!({}), json!({ "protocolVersion": 7 }), json!({ "supportedVersions": 7 })]
        {
            let result = result(value.clone(), true);
            assert!(
                !matches!(
                    result,
                    ServerResult::InitializeResult(_) | ServerResult::DiscoverResult(_)
                ),
                "{value}: {result:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_line_is_too_strange(line in prop::collection::vec(any::<u8>(), 0..80)) {
            head(&line);
            if let Ok(value) = serde_json::from_slice(&line) {
                sort(value);
            }
        }
    }

    #[test]
    fn what_a_line_is() {
        for (line, expected) in [
            (json!({ "id": 1, "result": {} }), "Answer(Some(Number(1)), Ok("),
            (
                json!({ "id": 1, "error": { "code": -1, "message": "no" } }),
                "Answer(Some(Number(1)), Err(",
            ),
            (json!({ "id": null, "error": "no" }), "Answer(None, Err("),
            (json!({ "id": 1, "error": null, "result": 1 }), "Answer(Some(Number(1)), Ok("),
            (json!({ "id": 1, "method": "ping" }), "Message(Request("),
            (json!({ "id": 1, "method": "elicitation/create", "params": 7 }), "Message(Request("),
            (json!({ "method": "notifications/tools/list_changed" }), "ToolsChanged"),
            (json!({ "method": "notifications/message", "params": { "data": 1 } }), "Unneeded"),
            (
                json!({ "method": "notifications/progress", "params": { "progressToken": 1, "progress": 2 } }),
                "Progress(",
            ),
            (
                json!({ "method": "notifications/progress", "params": { "progressToken": {} } }),
                "Unneeded",
            ),
            (json!({ "method": "notifications/progress" }), "Unneeded"),
            (json!({ "method": "notifications/progress", "params": [1] }), "Unneeded"),
            (json!({ "method": 7 }), "Garbage"),
            (json!({ "id": {}, "result": 1 }), "Garbage"),
            (json!({ "id": 1 }), "Garbage"),
            (json!({ "result": 1 }), "Garbage"),
            (json!("text"), "Garbage"),
            (json!({}), "Garbage"),
        ] {
            let heard = format!("{:?}", sort(line.clone()));
            assert!(heard.starts_with(expected), "{line}: {heard}");
        }
    }
}
