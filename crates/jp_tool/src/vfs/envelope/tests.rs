//! Lines that are messages, and lines that are not, each with its answer.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::vfs::Call;

/// The answer to a line that is refused, by either step.
fn refusal(line: &[u8]) -> Option<Value> {
    let response: Response<()> = match ToHost::parse(line) {
        Ok(ToHost::Request(request)) => match Call::parse(&request) {
            Ok(_) => return None,
            Err(error) => Response::failure(request.id, error),
        },
        Ok(ToHost::Notification(_)) => return None,
        Err(refusal) => refusal.into(),
    };
    Some(serde_json::to_value(response).unwrap())
}

#[test]
fn each_mistake_has_its_code() {
    for (line, id, code) in [
        // D11-026, D11-023: a line that is not JSON, among them headers
        ("", json!(null), -32700),
        ("Content-Length: 20", json!(null), -32700),
        ("{", json!(null), -32700),
        ("[1,", json!(null), -32700),
        (r#"{"jsonrpc":"2.0","id":1,"method":"fs.read"} x"#, json!(null), -32700),
        (r#"{"id":1,"id":2,"#, json!(null), -32700),
        // D11-031: a batch, whatever is in it
        (r#"[{"jsonrpc":"2.0","id":1,"method":"host.capabilities"}]"#, json!(null), -32600),
        ("[]", json!(null), -32600),
        ("null", json!(null), -32600),
        ("\"fs.read\"", json!(null), -32600),
        // D11-029
        (r#"{"id":1,"method":"host.capabilities"}"#, json!(1), -32600),
        (r#"{"jsonrpc":"1.0","id":"a","method":"host.capabilities"}"#, json!("a"), -32600),
        (r#"{"jsonrpc":2.0,"id":1,"method":"host.capabilities"}"#, json!(1), -32600),
        (r#"{"jsonrpc":null,"id":1,"method":"host.capabilities"}"#, json!(1), -32600),
        // D11-030
        (r#"{"jsonrpc":"2.0","id":1}"#, json!(1), -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, json!(1), -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":null}"#, json!(1), -32600),
        (r#"{"jsonrpc":"2.0","method":["fs.read"]}"#, json!(null), -32600),
        // An id that could not be repeated.
        (r#"{"jsonrpc":"2.0","id":null,"method":"host.capabilities"}"#, json!(null), -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"host.capabilities"}"#, json!(null), -32600),
        (r#"{"jsonrpc":"2.0","id":[],"method":"host.capabilities"}"#, json!(null), -32600),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"host.capabilities"}"#, json!(null), -32600),
        // A response: its id is none of ours.
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, json!(null), -32600),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#, json!(null), -32600),
        // D11-232, D11-047, D11-275
        (r#"{"jsonrpc":"2.0","id":1,"method":"fs.chmod","params":{}}"#, json!(1), -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"read","params":{"path":"a"}}"#, json!(1), -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"FS.READ","params":{"path":"a"}}"#, json!(1), -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"host.register"}"#, json!(1), -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":""}"#, json!(1), -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"result","params":{"content":""}}"#, json!(1), -32601),
        // D11-062
        (r#"{"jsonrpc":"2.0","id":1,"method":"fs.read"}"#, json!(1), -32602),
        (r#"{"jsonrpc":"2.0","id":"1","method":"fs.read","params":{}}"#, json!("1"), -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"fs.read","params":["a"]}"#, json!(1), -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"fs.read","params":"a"}"#, json!(1), -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"fs.read","params":null}"#, json!(1), -32602),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"fs.read","params":{"path":"\ud800"}}"#,
            json!(1),
            -32602,
        ),
    ] {
        let refusal = refusal(line.as_bytes()).unwrap_or_else(|| panic!("{line}: served"));
        assert_eq!((&refusal["id"], &refusal["error"]["code"]), (&id, &json!(code)), "{line}");
        // D11-034
        assert!(refusal["error"]["message"].is_string() && refusal.get("result").is_none());
    }
    let latin1 =
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fs.read\",\"params\":{\"path\":\"\xe9\"}}";
    assert_eq!(refusal(latin1).unwrap()["error"]["code"], -32700);
}

#[test]
fn what_is_odd_but_right_is_served() {
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"host.capabilities"}"#,
        r#" { "params" : { "path" : "a" } , "method" : "fs.read" , "id" : "" , "jsonrpc" : "2.0" } "#,
        r#"{"jsonrpc":"2\u002e0","id":-1,"method":"fs\u002eread","params":{"path":"a"}}"#,
        // D11-035, D11-040: without an id nothing is answered, known or not
        r#"{"jsonrpc":"2.0","method":"result","params":{"content":""}}"#,
        r#"{"jsonrpc":"2.0","method":"fs.chmod"}"#,
    ] {
        assert_eq!(refusal(line.as_bytes()), None, "{line}");
    }
}

#[test]
fn a_response_has_one_outcome() {
    // D11-032, D11-033, D11-034
    let written = |response: &Response<Value>| serde_json::to_string(response).unwrap();
    assert_eq!(
        written(&Response::success(Id::Integer(1), json!({}))),
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#
    );
    let gone = ErrorObject::new(ErrorCode::NotFound, "gone");
    assert_eq!(
        written(&Response::failure(Id::String("1".to_owned()), gone)),
        r#"{"jsonrpc":"2.0","id":"1","error":{"code":-32002,"message":"gone"}}"#
    );
}

#[test]
fn a_tool_reads_responses_and_notifications_only() {
    for (line, reason) in [
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "the host asks nothing of a tool"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#, "with `result` and `error`"),
        (r#"{"jsonrpc":"2.0","id":1}"#, "neither `result` nor `error`"),
        (r#"{"jsonrpc":"2.0","result":{}}"#, "neither `method` nor `id`"),
        (r#"{"jsonrpc":"2.0","id":1,"error":[-32001,"no"]}"#, "`error`: invalid type"),
        (r#"{"id":1,"result":{}}"#, "`jsonrpc` has to be"),
        ("hello", "not JSON"),
    ] {
        let error = ToTool::parse(line.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(reason), "{line}: {error}");
    }
    let null = br#"{"jsonrpc":"2.0","id":1,"result":null}"#;
    let ToTool::Response(response) = ToTool::parse(null).unwrap() else { panic!("a response") };
    assert_eq!(response.outcome.unwrap().get(), "null");
}

#[test]
fn an_answer_is_short_however_long_the_question() {
    let long = "x".repeat(1_000_000);
    for line in [
        json!({"jsonrpc": "2.0", "id": 1, "method": long}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "fs.read", "params": {"path": format!("/{long}")}}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "fs.read", "params": {"path": "a", "limit": long}}),
        json!({"jsonrpc": "2.0", "id": long, "method": "fs.read"}),
        json!(long),
    ] {
        let answer = refusal(line.to_string().as_bytes()).unwrap().to_string();
        assert!(answer.len() < 1_000, "{} bytes", answer.len());
    }
}

proptest! {
    /// D11-020, D11-021: any text crosses as one line, and arrives as it was.
    #[test]
    fn any_text_is_one_line(text in any::<String>(), id in any::<i64>()) {
        let mut line = Vec::new();
        write_line(&Response::success(Id::Integer(id), &text), &mut line).unwrap();
        prop_assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
        let ToTool::Response(response) = ToTool::parse(&line).unwrap() else { panic!("a response") };
        prop_assert_eq!(response.id, Some(Id::Integer(id)));
        let read: String = serde_json::from_str(response.outcome.unwrap().get()).unwrap();
        prop_assert_eq!(read, text);
    }

    /// Nothing that a tool can write is more than refused.
    #[test]
    fn any_bytes_are_read(bytes in any::<Vec<u8>>(), text in r#"[\[\]{}",:a0 \\]{0,40}"#) {
        let _ = ToHost::parse(&bytes);
        let json = serde_json::from_str::<Value>(&text).is_ok();
        let refusal = ToHost::parse(text.as_bytes()).unwrap_err();
        let code = if json { ErrorCode::InvalidRequest } else { ErrorCode::ParseError };
        prop_assert_eq!(refusal.error.code(), Some(code), "{}", text);
    }
}
