//! Framing and ids: what is a message, and how answers find their questions.

use serde_json::{Value, json};

use super::{fake, jp, plugin, shown, value};

#[test]
fn what_is_no_message_ends_the_plugin() {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let long = "x".repeat(1_000);
    let cases: &[(&[u8], &str)] = &[
        (b"hello\n", "not one JSON object"),               // 072-044
        (b"{\"type\":\"print\"\n", "not one JSON object"), // 072-043
        (b"{\n\"type\": \"print\"\n}\n", "not one JSON object"), // 072-043
        (b"\xff\xfe\n", "not UTF-8"),                      // 072-045
        (b"\0\0\0\n", "not one JSON object"),
        (b"[]\n", "not an object with a `type`"),
        (b"7\n", "not an object with a `type`"),
        (b"{\"text\":\"x\"}\n", "not an object with a `type`"),
        (b"{\"type\":7}\n", "not an object with a `type`"),
        (b"{\"type\":\"ready\"}{\"type\":\"exit\"}\n", "not one JSON object"),
        (long.as_bytes(), "not one JSON object"),
    ];
    let env = fake();
    for (bytes, reason) in cases {
        let output = jp(&env, &["fake", "say", &hex(bytes)]).run().code(1);
        assert!(output.stderr().contains(reason), "{output}");
        assert!(output.stderr().contains("`fake` wrote a line that is no message"), "{output}");
        assert_eq!(output.stdout(), "", "{output}");
    }
    // 072-048: so much is quoted, and no more.
    let output = jp(&env, &["fake", "say", &hex(long.as_bytes())]).run().code(1);
    assert_quoted(&output);
}

/// The first 200 bytes are there, and not one more.
fn assert_quoted(output: &jp_test::Output) {
    let (quoted, more) = ("x".repeat(200), "x".repeat(201));
    assert!(output.stderr().contains(&quoted) && !output.stderr().contains(&more), "{output}");
}

#[test]
fn lines_have_a_largest_length() {
    let env = fake();
    for what in ["oversized", "endless"] {
        // 072-046
        let output = jp(&env, &["fake", what]).run().code(1);
        assert!(output.stderr().contains("more than 16 MiB"), "{output}");
        assert_quoted(&output);
    }
    // 072-047
    let output = jp(&env, &["fake", "longest"]).run().code(7);
    assert!(output.stdout().len() > (16 << 20) - 100);
    let output = jp(&env, &["fake", "dense"]).run().code(1);
    assert!(output.stderr().contains("more than 200000 values"), "{output}");
}

#[test]
fn a_message_of_too_many_values_is_answered() {
    let many = value(
        r#"
made = ask(type="create_conversation")["conversation"]
many = [{"type": "chat_response", "data": [0] * 250000}]
show([ask(type="push_events", conversation=made, events=many, id="a"), ask(type="push_events", conversation=made, events=[])["type"]])
"#,
    );
    let message = "the message has more than 200000 values";
    let refused =
        json!({ "type": "error", "id": "a", "request": "push_events", "message": message });
    assert_eq!(many, json!([refused, "pushed"]));
    // 072-049: the same for what is otherwise not answered, and for a type that there is not.
    let many = value(
        r#"
answers = [ask(type=kind, text="t", level="info", message="m", x=[0] * 250000) for kind in ["print", "log", "dance"]]
show([[answer["type"], answer["request"], answer["message"]] for answer in answers])
"#,
    );
    let refused = |kind: &str| json!(["error", kind, message]);
    assert_eq!(many, json!([refused("print"), refused("log"), refused("dance")]));
}

#[test]
fn what_is_wrong_is_repeated_in_short() {
    let lengths = value(
        r#"
made = ask(type="create_conversation")["conversation"]
long = "x" * 100000
push = lambda **event: ask(type="push_events", conversation=made, events=[event])
answers = [
    push(type="tool_call_response", id=long, content="", is_error=False),
    push(type="inquiry_response", id=long, answer=1),
    push(type="chat_response", message="a", timestamp=long),
    push(type=long),
    ask(type="read_config", path=long),
    ask(type="read_config", path="assistant." + long),
    ask(type="read_config", path=long + ".."),
    ask(type="read_events", conversation=long),
    ask(type="lock", conversation=long),
    ask(type="push_events", conversation=made, events=long),
    ask(type=long),
]
show([[answer["type"], len(json.dumps(answer)) < 2000] for answer in answers])
"#,
    );
    assert_eq!(lengths, Value::from(vec![json!(["error", true]); 11]));
}

#[test]
fn messages_are_found_however_they_are_written() {
    let env = fake();
    assert_eq!(jp(&env, &["fake", "split"]).run().code(7).stdout(), "whole\n");
    let output = jp(&env, &["fake", "batched"]).run().code(7);
    let expected: String = (0..1_000).map(|n| format!("{n}\n")).collect();
    assert_eq!(output.stdout(), expected);
    let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    // Empty lines are nothing, and the last line needs no end.
    let text = "\n  \n{\"type\":\"print\",\"text\":\"a\"}\n\r\n{\"type\":\"exit\",\"code\":3}";
    assert_eq!(jp(&env, &["fake", "say", &hex(text)]).run().code(3).stdout(), "a");
}

#[test]
fn what_the_host_says_is_one_object_a_line() {
    // 072-038, 072-039, 072-042: the conversation has a title with line breaks in it.
    let value = value(
        r#"
made = ask(type="create_conversation", title="a\nb\u2028c")
say(type="list_conversations")
raw = sys.stdin.readline()
show([first.count("\n"), raw.count("\n"), json.loads(raw)["data"][0]["title"], made["type"]])
"#,
    );
    assert_eq!(value, json!([1, 1, "a\nb\u{2028}c", "created"]));
}

#[test]
fn an_unknown_type_is_answered_and_unknown_fields_are_ignored() {
    // 072-049, 072-050, 072-261
    let value = value(
        r#"
show([
    ask(type="dance", id="d"),
    ask(type="dance"),
    ask(type="read_config", path="style.color", later=[1]),
])
"#,
    );
    assert_eq!(value[0]["type"], "error");
    assert_eq!(value[0]["id"], "d");
    assert_eq!(value[0]["request"], "dance");
    assert_eq!(value[1].get("id"), None);
    assert_eq!(value[2]["data"], "auto");
}

#[test]
fn an_id_comes_back_as_it_was() {
    let env = plugin(
        r#"
for id in ["", "a", "ä\n\u0000\"\\", "x" * 1024]:
    good = ask(type="read_config", path="style.color", id=id)
    bad = ask(type="read_events", conversation="1", id=id)
    none = ask(type="unlock", conversation="1", id=id)
    show([good["id"] == id, bad["id"] == id, bad["type"], none["id"] == id])
for id in ["x" * 1025, 7, ["a"]]:
    show(ask(type="read_config", id=id))
without = [ask(type="read_config", path="style.color"), ask(type="unlock", conversation="1")]
show(["id" in answer for answer in without])
same = [ask(type="read_config", path="style.color", id="twice")["id"] for _ in range(2)]
show(same)
"#,
    );
    let values = shown(&env, &[]);
    // 072-052, 072-053, 072-057
    for value in &values[..4] {
        assert_eq!(value, &json!([true, true, "error", true]));
    }
    // 072-058: refused, and not shortened.
    for value in &values[4..7] {
        assert_eq!(value["type"], "error", "{value}");
        assert_eq!(value["request"], "read_config");
        assert_eq!(value.get("id"), None);
    }
    // 072-051, 072-054
    assert_eq!(values[7], json!([false, false]));
    assert_eq!(values[8], json!(["twice", "twice"]));
}

#[test]
fn answers_without_ids_keep_their_order() {
    // 072-055: slow and quick ones, among them one that is refused and one of an unknown type.
    let value = value(
        r#"
made = ask(type="create_conversation")["conversation"]
events = [{"type": "turn_start"}] * 2000
for message in [
    dict(type="push_events", conversation=made, events=events),
    dict(type="read_config", path="style.color"),
    dict(type="list_conversations"),
    dict(type="dance"),
    dict(type="read_events", conversation=made),
    dict(type="unlock", conversation=made),
    dict(type="read_config", path="no.such"),
]:
    say(**message)
show([hear()["type"] for _ in range(7)])
"#,
    );
    let order = ["pushed", "config", "conversations", "error", "events", "unlocked", "error"];
    assert_eq!(value, json!(order));
}

#[test]
fn requests_with_ids_do_not_wait_for_each_other() {
    // 072-056: a long answer is on its way, or still made, when the short one is there.
    let value = value(
        r#"
made = ask(type="create_conversation")["conversation"]
big = {"type": "chat_response", "message": "x" * 100000}
for _ in range(40):
    ask(type="push_events", conversation=made, events=[big] * 4)
# Both in one write: an answer that has begun is finished before another.
line(json.dumps(dict(type="read_events", conversation=made, id="long")) + "\n"
     + json.dumps(dict(type="read_config", path="style.color", id="short")))
order = [hear()["id"] for _ in range(2)]
show(order)
"#,
    );
    assert_eq!(value, json!(["short", "long"]));
}

#[test]
fn a_hundred_thousand_requests_are_answered() {
    let env = fake();
    let output = jp(&env, &["fake", "pipeline"]).timeout(std::time::Duration::from_mins(2)).run();
    assert_eq!(output.code(7).stdout(), "100000 answers\n");
}
