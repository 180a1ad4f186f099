//! Calls that are written to a conversation.

use super::*;

fn events(env: &TestEnv, id: &str) -> Vec<Value> {
    let shown = env.jp(["--format", "json", "conversation", "show", id]).run().success();
    objects(&shown)
}

#[test]
fn questions_and_answers_are_written_down() {
    let env = with_script(&format!(
        "{}case $line in *'\"answers\":{{}}'*) echo '{}';; *) echo done;; esac",
        described(r#"{"path":{"type":"string"}}"#),
        r#"{"type":"needs_input","question":{"id":"go","text":"Go on?","answer_type":"Boolean"}}"#
    ));
    run(&env, &["t", "path=x", "--answer", "go=yes", "--conversation", "new"]).run().success();
    let all = events(&env, "last");
    let types: Vec<_> =
        all.iter().map(|event| event["type"].as_str().unwrap_or_default()).collect();
    let expected =
        ["tool_call_request", "inquiry_request", "inquiry_response", "tool_call_response"];
    let kept: Vec<_> = types.iter().filter(|name| expected.contains(name)).copied().collect();
    assert_eq!(kept, expected, "{types:?}");
    let of = |name: &str| all.iter().find(|event| event["type"] == name).unwrap();
    assert_eq!(of("tool_call_request")["name"], "t");
    assert_eq!(of("tool_call_request")["arguments"], serde_json::json!({ "path": "x" }));
    assert_eq!(of("inquiry_request")["question"]["text"], "Go on?");
    assert_eq!(of("inquiry_request")["source"]["tool"], "t");
    assert_eq!(of("inquiry_response")["answer"], true);
    assert_eq!(of("inquiry_response")["id"], of("inquiry_request")["id"]);
    assert_eq!(of("tool_call_response")["content"], "done\n");
    assert_eq!(of("tool_call_response")["is_error"], false);
    assert_eq!(of("tool_call_response")["id"], of("tool_call_request")["id"]);

    // Into the same conversation, by its id; a call that fails is a call.
    let listed = objects(&env.jp(["--format", "json", "conversation", "ls"]).run().success());
    let id = listed[0]["id"].as_str().unwrap().to_owned();
    run(&env, &["t", "--conversation", &id]).run().code(2);
    let more = events(&env, &id);
    assert_eq!(more.len(), all.len() + 2);
    assert_eq!(more.last().unwrap()["is_error"], true);
}

/// A call that is broken off is written down with its end, however it was broken off.
#[test]
fn a_call_that_is_broken_off_has_an_end() {
    let env =
        with_script(&(described("{}") + "trap '' TERM; : > ready; while :; do sleep 1; done"));
    let asking = env.read(".jp/config.toml").replace("unattended", "ask");
    let last = || events(&env, "last").pop().unwrap();
    let mut terminal = run(&env, &["t", "--conversation", "new", "--yes"]).pty(SIZE);
    while !env.path("ready").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    terminal.send("\u{3}");
    std::thread::sleep(Duration::from_millis(200));
    terminal.send("\u{3}");
    terminal.wait(LIMIT).code(130);
    assert_eq!(
        (&last()["type"], &last()["is_error"]),
        (&"tool_call_response".into(), &true.into())
    );

    env.write(".jp/config.toml", asking);
    let mut terminal = run(&env, &["t", "--conversation", "new"]).pty(SIZE);
    terminal.expect("Run t?", LIMIT).expect_keys(LIMIT).send("\u{3}");
    terminal.wait(LIMIT).code(130);
    assert_eq!(events(&env, "last").len(), 2);
    assert_eq!(
        (&last()["type"], &last()["is_error"]),
        (&"tool_call_response".into(), &true.into())
    );
}

/// What was not called is not written down, and leaves no empty conversation.
#[test]
fn nothing_is_left_of_what_was_not_called() {
    let env = with_script("exit 1");
    run(&env, &["t", "--conversation", "new"]).run().code(2);
    env.write(".jp/config.toml", ECHO.to_owned() + "[conversation.tools.echo.parameters]\n");
    run(&env, &["echo", "nonsense=1", "--conversation", "new"]).run().code(2);
    run(&env, &["nothing", "--conversation", "new"]).run().code(2);
    assert_eq!(env.jp(["--format", "json", "conversation", "ls"]).run().success().stdout(), "");
    run(&env, &["echo", "--conversation", "17127583920"]).run().code(1);
    // The tool is told which conversation it is called for.
    let output = run(&env, &["echo", "--conversation", "new"]).run().success();
    assert!(json(&output)["context"]["conversation_id"].is_string(), "{output}");
}
