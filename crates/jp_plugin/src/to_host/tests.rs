//! Lines of plugins, good and bad.

use super::*;
use crate::{Channel, Format, Framing, Refusal};

fn refused(line: &str) -> Refusal {
    match parse(line.as_bytes()) {
        Err(MessageError::Refused(refusal)) => refusal,
        other => panic!("{line}: {other:?}"),
    }
}

fn framing(line: &[u8]) -> Framing {
    match parse(line) {
        Err(MessageError::Framing(framing)) => framing,
        other => panic!("{other:?}"),
    }
}

fn code(json: &str) -> u8 {
    match parse(format!(r#"{{"type":"exit","code":{json}}}"#).as_bytes()).unwrap() {
        PluginToHost::Exit(exit) => exit.code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_line_that_is_no_message_ends_the_plugin() {
    assert!(matches!(framing(b"hello"), Framing::Json(_)));
    assert!(matches!(framing(b"{\"type\":\"ready\""), Framing::Json(_)));
    assert!(matches!(framing(b"{\"type\":\"ready\"} {}"), Framing::Json(_)));
    assert!(matches!(framing(b"{\"type\":\"\xff\"}"), Framing::Encoding));
    for json in ["[]", "1", "null", "\"ready\"", "{}", r#"{"type":1}"#, r#"[{"type":"ready"}]"#] {
        assert!(matches!(framing(json.as_bytes()), Framing::NoType), "{json}");
    }
    assert!(matches!(framing(br#"["ready","a"]"#), Framing::NoType));
}

#[test]
fn a_message_that_cannot_be_served_is_refused_with_its_id() {
    let refusal = refused(r#"{"type":"dance","id":"a","x":1}"#);
    assert_eq!((refusal.id.unwrap().as_str(), &*refusal.request), ("a", "dance"));
    let refusal = refused(r#"{"type":"read_events","id":"b"}"#);
    assert_eq!(refusal.id.unwrap().as_str(), "b");
    assert!(refusal.message.contains("`conversation`"), "{}", refusal.message);
    // 072-058
    assert_eq!(
        refused(r#"{"type":"lock","id":7,"conversation":"1"}"#).message,
        "`id` must be a string"
    );
    let long = format!(r#"{{"type":"lock","id":"{}","conversation":"1"}}"#, "x".repeat(1025));
    assert!(refused(&long).message.contains("1025 bytes"));
    // 072-257
    assert!(refused(r#"{"type":"log","level":"loud","message":""}"#).message.contains("`loud`"));
}

#[test]
fn fields_that_nobody_knows_are_ignored() {
    // 072-050
    let line = br#" {"new":{"a":[1]},"type":"lock","conversation":"1","path":5} "#;
    let PluginToHost::Request(asked) = parse(line).unwrap() else { panic!() };
    assert_eq!(asked.request, Request::Lock(Conversation { conversation: "1".to_owned() }));
    assert_eq!(asked.id, None);
}

#[test]
fn ids_are_given_back_as_they_were() {
    // 072-057
    for id in ["", "ä", "\u{0}\n\"\\", "😀", &"x".repeat(1024)] {
        let line = serde_json::json!({"type": "list_conversations", "id": id}).to_string();
        let PluginToHost::Request(asked) = parse(line.as_bytes()).unwrap() else { panic!() };
        assert_eq!(asked.id.unwrap().as_str(), id);
    }
}

#[test]
fn a_kind_may_be_written_with_escapes() {
    assert_eq!(
        parse(br#"{"type":"re\u0061dy"}"#).unwrap(),
        PluginToHost::Ready(Ready { version: None })
    );
}

#[test]
fn codes_that_no_process_can_exit_with_are_one() {
    // 072-078
    for (json, wanted) in
        [("0", 0), ("255", 255), ("256", 1), ("-1", 1), ("1e3", 1), ("\"0\"", 1), ("null", 1)]
    {
        assert_eq!(code(json), wanted, "{json}");
    }
    let exit = PluginToHost::Exit(Exit { code: 0, reason: None });
    assert_eq!(parse(br#"{"type":"exit"}"#).unwrap(), exit);
}

#[test]
fn an_unknown_channel_or_format_is_the_default() {
    let line = br#"{"type":"print","channel":"smell","format":"3d","text":"x"}"#;
    let PluginToHost::Print(print) = parse(line).unwrap() else { panic!() };
    assert_eq!((print.channel, print.format), (Channel::Content, Format::Plain));
}

#[test]
fn requests_are_written_as_they_are_read() {
    for line in [
        r#"{"type":"list_conversations"}"#,
        r#"{"type":"read_events","conversation":"17127583920","id":"b"}"#,
        r#"{"type":"ready"}"#,
        r#"{"type":"exit","code":1,"reason":"no"}"#,
        r#"{"type":"print","text":"hello\n"}"#,
    ] {
        let message = parse(line.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&message).unwrap(), line);
    }
}

#[test]
fn a_refusal_is_short_whatever_it_is_about() {
    let long = "A".repeat(1 << 20);
    let line = format!(r#"{{"type":"push_events","conversation":"x","events":"{long}","id":"a"}}"#);
    let refusal = refused(&line);
    assert!(refusal.message.starts_with("push_events: invalid type: string \"AAA"), "{refusal:?}");
    assert_eq!(refusal.message.chars().count(), 301);
    assert_eq!(refused(&format!(r#"{{"type":"{long}"}}"#)).request.len(), 64);
}

#[test]
fn a_message_of_too_many_values_has_an_answer() {
    let many = |kind: &str| format!(r#"{{"type":"{kind}","id":"a","x":[{}0]}}"#, "0,".repeat(9));
    for kind in ["list_conversations", "lock", "push_events", "print", "log", "dance"] {
        let refusal = refuse_values(many(kind).as_bytes()).unwrap();
        assert_eq!((refusal.request.as_str(), refusal.id.unwrap().as_str()), (kind, "a"));
        assert_eq!(refusal.message, "the message has more than 200000 values");
    }
    // A kind that nobody knows is repeated in short here too.
    let long = refuse_values(many(&"x".repeat(1 << 20)).as_bytes()).unwrap();
    assert_eq!(long.request.len(), 64);
    for kind in ["exit", "ready", "describe"] {
        assert_eq!(refuse_values(many(kind).as_bytes()), None);
    }
    assert_eq!(refuse_values(b"[0,0]"), None);
}

#[test]
fn a_channel_or_a_format_that_is_none_is_the_default() {
    for value in ["null", "5", "-5", "1.5", "1e999", "true", "[1,[2]]", r#"{"a":{"b":1}}"#] {
        let line = format!(r#"{{"type":"print","text":"x","channel":{value},"format":{value}}}"#);
        let parsed = parse(line.as_bytes());
        // What no number can be is no JSON that anybody could read.
        if value == "1e999" {
            assert!(parsed.is_err());
            continue;
        }
        let Ok(PluginToHost::Print(print)) = parsed else { panic!("{value}: {parsed:?}") };
        assert_eq!((print.channel, print.format), (Channel::Content, Format::Plain), "{value}");
    }
}
