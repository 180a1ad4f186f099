//! What each method asks and what it makes of the answer.

use super::*;
use crate::vfs::{
    ErrorCode, FsDelete, FsGrep, FsMetadataResult, FsRename, Kind, ProcessRun, ProjectPath,
};
use crate::{AnswerType, ContentBlock};

#[test]
fn init_says_what_is_called() {
    // D11-256, D11-257, D11-261, D11-276
    let arguments = json!({ "path": "a", "count": 2 });
    play(
        &init("format_arguments", &arguments),
        |host| {
            #[derive(Debug, PartialEq, serde::Deserialize)]
            struct Args {
                path: String,
                count: u32,
            }
            assert_eq!((host.name(), host.protocol_version()), ("t", "0.1.0"));
            assert_eq!(host.action(), Action::FormatArguments);
            let args: Args = host.arguments().unwrap();
            assert_eq!(args, Args { path: "a".to_owned(), count: 2 });
            let error = host.arguments::<std::collections::BTreeMap<String, u8>>().unwrap_err();
            assert!(error.message.starts_with("argument `path`"), "{error}");
            assert_eq!(host.answer::<bool>("sure").unwrap(), Some(true));
            assert_eq!(host.answer::<bool>("other").unwrap(), None);
            assert!(host.answer::<String>("sure").unwrap_err().message.contains("`sure`"));
            assert_eq!(host.option::<u8>("limit").unwrap(), Some(3));
            assert_eq!(host.options().len(), 1);
        },
        |_| {},
    );
}

#[test]
fn each_method_has_its_request() {
    // D11-258, D11-259, D11-260
    let done = json!({});
    converse(
        |host| {
            assert_eq!(host.read("a.txt").unwrap(), "h\u{e9}\n\"x\"");
            assert_eq!(host.read_bytes("a.png").unwrap(), [0xff, 0x00]);
            assert_eq!(host.read_bytes("a.txt").unwrap(), b"text");
            let part = host.read_part("a.txt", 8, 4).unwrap();
            assert_eq!((&*part.bytes, part.size), (&b"part"[..], 1234));
            host.write("a.txt", "text\n").unwrap();
            host.write("b.txt", String::from("text")).unwrap();
            host.create("a.png", [0xff, 0x00]).unwrap();
            assert!(host.exists("src").unwrap());
            assert_eq!(host.list_dir(".").unwrap()[0].kind, Kind::Dir);
            let expected = FsMetadataResult { kind: Kind::File, size: Some(7) };
            assert_eq!(host.metadata("a").unwrap(), expected);
            host.delete("a").unwrap();
            host.rename("a", "b").unwrap();
            host.create_dir("d").unwrap();
            let found = host.grep(&FsGrep { context: 1, ..FsGrep::new("x+") }).unwrap();
            assert_eq!((&*found[0].path, found[0].lines[0].line_number), ("a.rs", 3));
            let reply = host.http_get("http://a/", &[("A", "${B}")]).unwrap();
            assert_eq!((reply.status, &*reply.body), (200, &[0xff, 0x00][..]));
            assert_eq!(host.http_post("http://a/", &[], "body").unwrap().text(), "made");
            let ran = host.run("cargo", ["check"]).unwrap();
            assert_eq!((&*ran.stdout, ran.exit_code), ("ok", 1));
            assert_eq!(host.capabilities().unwrap().limits.file_bytes, 1);
        },
        |peer| {
            peer.serve(
                "fs.read",
                &json!({ "path": "a.txt" }),
                &json!({ "content": "h\u{e9}\n\"x\"", "size": 7 }),
            );
            let binary = json!({ "content": "/wA=", "encoding": "base64", "size": 2 });
            peer.serve("fs.read", &json!({ "path": "a.png" }), &binary);
            peer.serve(
                "fs.read",
                &json!({ "path": "a.txt" }),
                &json!({ "content": "text", "size": 4 }),
            );
            peer.serve(
                "fs.read",
                &json!({ "path": "a.txt", "offset": 8, "limit": 4 }),
                &json!({ "content": "part", "size": 1234 }),
            );
            peer.serve("fs.write", &json!({ "path": "a.txt", "content": "text\n" }), &done);
            peer.serve("fs.write", &json!({ "path": "b.txt", "content": "text" }), &done);
            let create = json!({ "path": "a.png", "content": "/wA=", "encoding": "base64", "create_new": true });
            peer.serve("fs.write", &create, &done);
            peer.serve("fs.exists", &json!({ "path": "src" }), &json!({ "exists": true }));
            let entries = json!({ "entries": [{ "path": "src", "kind": "dir", "later": 1 }] });
            peer.serve("fs.list_dir", &json!({ "path": "." }), &entries);
            peer.serve(
                "fs.metadata",
                &json!({ "path": "a" }),
                &json!({ "kind": "file", "size": 7 }),
            );
            peer.serve("fs.delete", &json!({ "path": "a" }), &done);
            peer.serve("fs.rename", &json!({ "from": "a", "to": "b" }), &done);
            peer.serve("fs.create_dir", &json!({ "path": "d" }), &done);
            let lines = json!([{ "line_number": 3, "content": "xx", "is_match": true }]);
            peer.serve(
                "fs.grep",
                &json!({ "pattern": "x+", "context": 1 }),
                &json!({ "matches": [{ "path": "a.rs", "lines": lines }] }),
            );
            let get = json!({ "url": "http://a/", "headers": [{ "name": "A", "value": "${B}" }] });
            peer.serve(
                "http.get",
                &get,
                &json!({ "status": 200, "body": "/wA=", "encoding": "base64" }),
            );
            peer.serve(
                "http.post",
                &json!({ "url": "http://a/", "body": "body" }),
                &json!({ "status": 201, "body": "made" }),
            );
            let ran = json!({ "stdout": "ok", "stderr": "", "exit_code": 1 });
            peer.serve("process.run", &json!({ "program": "cargo", "args": ["check"] }), &ran);
            let limits = json!({ "file_bytes": 1, "message_bytes": 1, "request_timeout_secs": 1, "cancel_grace_secs": 1 });
            peer.serve(
                "host.capabilities",
                &json!({}),
                &json!({ "protocol_version": "0.2.0", "methods": [], "limits": limits }),
            );
        },
    );
}

#[test]
fn anything_can_be_asked_with_all_its_parameters() {
    let done = json!({});
    converse(
        |host| {
            let path = |path: &str| ProjectPath::new(path).unwrap();
            host.call(&FsDelete { path: path("d"), recursive: true }).unwrap();
            host.call(&FsRename { overwrite: false, ..FsRename::new(path("a"), path("b")) })
                .unwrap();
            let run = ProcessRun { envs: vec!["A".into()], program: "p".into(), args: vec![] };
            host.call(&run).unwrap();
        },
        |peer| {
            peer.serve("fs.delete", &json!({ "path": "d", "recursive": true }), &done);
            peer.serve("fs.rename", &json!({ "from": "a", "to": "b", "overwrite": false }), &done);
            let ran = json!({ "stdout": "", "stderr": "", "exit_code": 0 });
            peer.serve("process.run", &json!({ "program": "p", "envs": ["A"] }), &ran);
        },
    );
}

#[test]
fn a_refusal_has_a_code_and_a_message_and_the_tool_goes_on() {
    // D11-262
    converse(
        |host| {
            for (code, number) in [
                (Some(ErrorCode::AccessDenied), -32001),
                (Some(ErrorCode::NotFound), -32002),
                (Some(ErrorCode::TooLarge), -32006),
                (None, -32099),
            ] {
                let error = host.read("a").unwrap_err();
                assert_eq!((error.code(), error.to_string().as_str()), (code, "no"));
                let VfsError::Refused(object) = &error else { panic!("{error:?}") };
                assert_eq!((object.number(), object.message()), (number, "no"));
                assert_eq!(error.is_denied(), number == -32001);
                assert_eq!(error.is_not_found(), number == -32002);
                assert_eq!(ToolError::from(error).message, "no");
            }
            assert_eq!(host.read("a").unwrap(), "yes");
        },
        |peer| {
            for code in [-32001, -32002, -32006, -32099] {
                let id = peer.hear()["id"].clone();
                let error = json!({ "code": code, "message": "no", "data": {} });
                peer.say(&json!({ "id": id, "error": error }));
            }
            peer.serve("fs.read", &json!({ "path": "a" }), &json!({ "content": "yes", "size": 3 }));
        },
    );
}

#[test]
fn what_cannot_be_asked_is_not_asked() {
    converse(
        |host| {
            for path in ["", "/etc/passwd", "a/../b", "a\0"] {
                assert!(matches!(host.read(path), Err(VfsError::Path(_))), "{path:?}");
                assert!(matches!(host.write(path, ""), Err(VfsError::Path(_))), "{path:?}");
            }
            let results = host.read_many(["..", "a"]);
            assert!(matches!(results[0], Err(VfsError::Path(_))));
            assert_eq!(results[1].as_ref().unwrap(), "yes");
        },
        |peer| {
            peer.serve("fs.read", &json!({ "path": "a" }), &json!({ "content": "yes", "size": 3 }));
            assert!(peer.is_over());
        },
    );
}

#[test]
fn bytes_are_no_text_and_nonsense_is_no_bytes() {
    converse(
        |host| {
            assert_eq!(host.read("a.png").unwrap_err().to_string(), "a.png is not text");
            let error = host.read_bytes("a.png").unwrap_err();
            assert!(matches!(error, VfsError::NotBase64));
            assert!(matches!(host.exists("a").unwrap_err(), VfsError::Result(_)));
        },
        |peer| {
            let binary = json!({ "content": "?", "encoding": "base64", "size": 1 });
            peer.serve("fs.read", &json!({ "path": "a.png" }), &binary);
            peer.serve("fs.read", &json!({ "path": "a.png" }), &binary);
            peer.serve("fs.exists", &json!({ "path": "a" }), &json!({ "exists": "perhaps" }));
        },
    );
}

fn question() -> Question {
    Question {
        pre_amble: Some("diff".to_owned()),
        default: Some(json!(false)),
        ..Question::new("q", "Sure?", AnswerType::Boolean)
    }
}

#[test]
fn a_call_ends_in_one_of_these_ways() {
    // D11-263, D11-264, D11-043
    let end = |tool: fn(VfsHost)| {
        let mut last = Value::Null;
        converse(tool, |peer| {
            last = peer.hear();
            assert!(peer.is_over());
        });
        last
    };
    assert_eq!(
        end(|host| host.result(vec![ContentBlock::text("done")])),
        json!({ "method": "result", "params": { "content": [{ "type": "text", "text": "done" }] } })
    );
    assert_eq!(
        end(|host| host.result("done")),
        json!({ "method": "result", "params": { "content": "done" } })
    );
    assert_eq!(
        end(|host| host.error(ToolError::new("no").because("why").transient())),
        json!({ "method": "error", "params": { "message": "no", "trace": ["why"], "transient": true } })
    );
    let asked = json!({ "method": "result", "params": { "content": [
        { "type": "text", "text": "diff" },
        { "type": "question", "question": { "id": "q", "text": "Sure?", "schema": { "type": "boolean" }, "default": false } },
    ] } });
    assert_eq!(end(|host| host.question(question())), asked);
    assert_eq!(
        end(|host| match host.ask::<bool>(question()) {
            Err(stop) => host.reply(stop),
            Ok(_) => panic!("nobody has answered"),
        }),
        asked
    );
    converse(
        |host| {
            let known = Question::new("sure", "Sure?", AnswerType::Boolean);
            assert!(host.ask::<bool>(known).unwrap());
        },
        |peer| assert!(peer.is_over()),
    );
}

#[test]
fn nothing_is_asked_after_the_end() {
    // D11-044 on the side of the tool
    converse(
        |host| {
            host.result("done");
            assert!(matches!(host.read("a"), Err(VfsError::Ended)));
            host.error("too late");
        },
        |peer| {
            assert_eq!(peer.hear()["method"], "result");
            assert!(peer.is_over());
        },
    );
}
