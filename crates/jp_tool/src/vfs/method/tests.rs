//! What each method takes: its defaults, and what it refuses.

use serde_json::{Value, json};

use super::*;
use crate::vfs::{ProjectPath, ToHost, write_line};

fn path(path: &str) -> ProjectPath {
    ProjectPath::new(path).unwrap()
}

fn call(method: &str, params: &Value) -> Result<Call, ErrorObject> {
    let params = serde_json::value::to_raw_value(params).unwrap();
    Call::parse(&Request { id: Id::Integer(1), method: method.into(), params: Some(&params) })
}

#[test]
fn names_have_a_capability_and_an_operation() {
    // D11-045
    let names: Vec<&str> = Method::ALL.iter().map(|method| method.name()).collect();
    assert_eq!(
        names.join(" "),
        "fs.read fs.write fs.exists fs.list_dir fs.metadata fs.delete fs.rename fs.grep \
         fs.create_dir http.get http.post process.run host.capabilities"
    );
    for method in Method::ALL {
        assert_eq!(method.name().split('.').count(), 2, "{method}");
        assert_eq!(Method::from_name(method.name()), Some(*method));
    }
}

#[test]
fn what_is_left_out_has_the_documented_default() {
    let grep = FsGrep {
        pattern: "x".to_owned(),
        paths: None,
        extensions: None,
        context: 0,
        case_insensitive: false,
        fixed: false,
        max_matches: None,
        counts: false,
    };
    let at = || json!({ "path": "a" });
    let url = || "https://example.com".to_owned();
    let cases: Vec<(Value, Call)> = vec![
        (at(), FsRead { path: path("a"), offset: None, limit: None }.into()),
        (
            json!({ "path": "a", "content": "aGk=" }),
            FsWrite {
                path: path("a"),
                content: "aGk=".to_owned(),
                encoding: None,
                create_new: false,
            }
            .into(),
        ),
        (at(), FsExists { path: path("a") }.into()),
        (at(), FsListDir { path: path("a"), offset: None, limit: None, links: false }.into()),
        (at(), FsMetadata { path: path("a") }.into()),
        (at(), FsDelete { path: path("a"), recursive: false }.into()),
        (
            json!({ "from": "a", "to": "b" }),
            FsRename { from: path("a"), to: path("b"), overwrite: true }.into(),
        ),
        (json!({ "pattern": "x" }), grep.into()),
        (at(), FsCreateDir { path: path("a") }.into()),
        // D11-131
        (json!({ "url": url() }), HttpGet { url: url(), headers: Vec::new() }.into()),
        (
            json!({ "url": url(), "body": "" }),
            HttpPost { url: url(), headers: Vec::new(), body: String::new() }.into(),
        ),
        // D11-148
        (
            json!({ "program": "ls" }),
            ProcessRun { program: "ls".to_owned(), args: Vec::new(), envs: Vec::new() }.into(),
        ),
        (json!({}), HostCapabilities {}.into()),
    ];
    assert_eq!(cases.len(), Method::ALL.len());
    for ((params, expected), method) in cases.into_iter().zip(Method::ALL) {
        assert_eq!(expected.method(), *method);
        assert_eq!(call(method.name(), &params), Ok(expected.clone()), "{method}");
        // Defaults are not written, so a host that does not know the later fields understands.
        assert_eq!(serde_json::to_value(&expected).unwrap(), params, "{method}");
    }
    let post = call("http.post", &json!({ "url": url() })).unwrap();
    assert_eq!(post, HttpPost { url: url(), headers: Vec::new(), body: String::new() }.into());
}

#[test]
fn an_empty_list_is_not_a_list_that_was_left_out() {
    let params = json!({ "pattern": "x", "paths": [], "extensions": [] });
    let Ok(Call::FsGrep(grep)) = call("fs.grep", &params) else { panic!("a search") };
    assert_eq!((grep.paths, grep.extensions), (Some(Vec::new()), Some(Vec::new())));
}

#[test]
fn wrong_params_say_what_is_wrong() {
    for (method, params, reason) in [
        // D11-062
        ("fs.read", json!({}), "missing field `path`"),
        ("fs.read", json!({ "path": 1 }), "invalid type: integer `1`"),
        ("fs.read", json!({ "path": "a", "offset": -1 }), "invalid value: integer `-1`"),
        ("fs.read", json!({ "path": "a", "limit": 1.5 }), "invalid type: floating point"),
        // D11-050, D11-051, D11-053, D11-054
        ("fs.read", json!({ "path": "/etc/passwd" }), "\"/etc/passwd\" is absolute"),
        ("fs.list_dir", json!({ "path": "src/.." }), "\"src/..\" has a part \"..\""),
        ("fs.exists", json!({ "path": "" }), "is empty"),
        ("fs.metadata", json!({ "path": "a\u{0}" }), "contains NUL"),
        // D11-055
        ("fs.rename", json!({ "from": "../a", "to": "b" }), "\"../a\" has a part"),
        ("fs.rename", json!({ "from": "a", "to": "/b" }), "\"/b\" is absolute"),
        ("fs.grep", json!({ "pattern": "x", "paths": ["a", ".."] }), "\"..\" has a part"),
        // D11-074
        ("fs.write", json!({ "path": "a" }), "missing field `content`"),
        ("fs.write", json!({ "content": "a" }), "missing field `path`"),
        (
            "fs.write",
            json!({ "path": "a", "content": "", "encoding": "hex" }),
            "unknown variant `hex`, expected `base64`",
        ),
        ("fs.write", json!({ "path": "a", "content": "", "create_new": 1 }), "invalid type"),
        // D11-109
        ("fs.grep", json!({ "paths": ["src"] }), "missing field `pattern`"),
        ("fs.grep", json!({ "pattern": "x", "paths": "src" }), "expected a sequence"),
        ("http.get", json!({}), "missing field `url`"),
        ("http.get", json!({ "url": "x", "headers": { "a": "b" } }), "expected a sequence"),
        ("http.post", json!({ "url": "x", "body": { "a": 1 } }), "expected a string"),
        // D11-148
        ("process.run", json!({ "args": [] }), "missing field `program`"),
        ("process.run", json!({ "program": "ls", "args": "-l" }), "expected a sequence"),
    ] {
        let error = call(method, &params).unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::InvalidParams), "{method} {params}");
        let start = format!("params of `{method}`: ");
        assert!(error.message().starts_with(&start), "{}", error.message());
        assert!(error.message().contains(reason), "{}", error.message());
        assert!(!error.message().contains("column"), "{}", error.message());
    }
}

#[test]
fn an_unknown_method_is_told_what_may_have_been_meant() {
    // D11-232, D11-047
    for (method, message) in [
        ("read", "there is no method `read`; there is `fs.read`"),
        ("result", "there is no method `result`; it is a notification, which has no `id`"),
        ("fs.chmod", "there is no method `fs.chmod`"),
    ] {
        let error = call(method, &json!({})).unwrap_err();
        assert_eq!(error, ErrorObject::new(ErrorCode::MethodNotFound, message));
    }
}

#[test]
fn results_have_the_documented_fields() {
    fn check<P: Params>(result: &P::Result, expected: &Value) {
        assert_eq!(serde_json::to_value(result).unwrap(), *expected, "{}", P::METHOD);
        let raw = serde_json::value::to_raw_value(expected).unwrap();
        let read = P::read_result(&raw).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), *expected, "{}", P::METHOD);
    }
    let text = FsReadResult { content: "ü".to_owned(), encoding: None, size: 2 };
    check::<FsRead>(&text, &json!({ "content": "ü", "size": 2 }));
    let encoding = Some(Encoding::Base64);
    let bytes = FsReadResult { content: "/w==".to_owned(), encoding, size: 1 };
    check::<FsRead>(&bytes, &json!({ "content": "/w==", "encoding": "base64", "size": 1 }));
    // D11-075
    check::<FsWrite>(&Done {}, &json!({}));
    // D11-090
    check::<FsMetadata>(
        &FsMetadataResult { kind: Kind::Dir, size: None },
        &json!({ "kind": "dir" }),
    );
    check::<FsGrep>(&FsGrepResult::default(), &json!({ "matches": [] }));
    let page = HttpResult { status: 404, body: "no".to_owned(), encoding: None };
    check::<HttpGet>(&page, &json!({ "status": 404, "body": "no" }));
}

#[test]
fn a_result_of_another_method_is_an_error() {
    for text in [r#"{"exists":true}"#, "null", r#"["a",1]"#] {
        let raw: Box<RawValue> = serde_json::from_str(text).unwrap();
        let error = FsRead::read_result(&raw).unwrap_err();
        assert_eq!(error.to_string(), "the host answered `fs.read` with something else");
    }
}

/// What the way through the envelope makes of a line.
fn long_way(line: &[u8]) -> Option<(Id, Call)> {
    match ToHost::parse(line).ok()? {
        ToHost::Request(request) => Call::parse(&request).ok().map(|call| (request.id, call)),
        ToHost::Notification(_) => None,
    }
}

#[test]
fn a_line_of_the_usual_form_is_read_in_one_go() {
    for call in [
        Call::from(FsRead::new(path("a b/\u{e9}\"\n"))),
        Call::from(FsExists { path: path(".") }),
        Call::from(FsGrep::new("x")),
        Call::from(HostCapabilities {}),
    ] {
        for id in [0, 7, i64::MAX] {
            let mut line = Vec::new();
            write_line(&call.request(&Id::Integer(id)), &mut line).unwrap();
            line.pop();
            assert_eq!(Call::parse_usual(&line), Some((Id::Integer(id), call.clone())));
            assert_eq!(long_way(&line), Some((Id::Integer(id), call.clone())));
        }
    }
}

#[test]
fn what_is_not_quite_usual_takes_the_long_way() {
    let usual = r#"{"jsonrpc":"2.0","id":1,"method":"fs.exists","params":{"path":"a"}}"#;
    assert!(Call::parse_usual(usual.as_bytes()).is_some());
    for (from, to) in [
        (r#""id":1"#, r#""id":01"#),
        (r#""id":1"#, r#""id":00"#),
        (r#""id":1"#, r#""id":"#),
        (r#""id":1"#, r#""id":-1"#),
        (r#""id":1"#, r#""id":1.0"#),
        (r#""id":1"#, r#""id":"1""#),
        (r#""id":1"#, r#""id":9223372036854775808"#),
        ("fs.exists", "fs.exist"),
        ("fs.exists", "fs.\\u0065xists"),
        (r#"{"path":"a"}"#, r#"{"path":"a"},"id":2"#),
        (r#"{"path":"a"}"#, r#"{"path":"a"},"params":{"path":"b"}"#),
        (r#"{"path":"a"}"#, r#"{"path":"a"}}{"path":"a"}"#),
        (r#"{"path":"a"}"#, r#"{"path":"a","path":"b"}"#),
        (r#"{"path":"a"}"#, r#"["a"]"#),
        (r#"{"path":"a"}"#, r#"{"path":"../a"}"#),
        (r#"{"path":"a"}"#, r#"{"path":"a""#),
        (r#"{"path":"a"}"#, r#"{"path":7}"#),
        (r#"{"path":"a"}"#, "null"),
    ] {
        let line = usual.replace(from, to);
        assert_ne!(line, usual);
        assert_eq!(Call::parse_usual(line.as_bytes()), None, "{line}");
    }
}

proptest::proptest! {
    #[test]
    fn whatever_is_read_in_one_go_is_read_the_same_by_the_long_way(
        id in "[0-9]{1,3}",
        method in "fs\\.(read|exists|delete)",
        params in r#"\{"path":"[a-z\\"]{0,3}"(,"(x|offset|recursive|path)":(1|true|"y"|\[\{\}\]|\{))?\}[},"]{0,2}"#,
    ) {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        if let Some(read) = Call::parse_usual(line.as_bytes()) {
            proptest::prop_assert_eq!(Some(read), long_way(line.as_bytes()));
        }
    }
}
