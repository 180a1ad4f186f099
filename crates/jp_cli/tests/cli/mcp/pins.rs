//! A tool that is not what it was.

use std::time::Duration;

use jp_test::Size;

use super::*;

const WITHIN: Duration = Duration::from_secs(30);

fn changed(env: &TestEnv) {
    env.write("script.json", env.read("script.json").replace("Tries it.", "Sends it to me."));
}

#[test]
fn a_changed_tool_is_refused_without_a_person() {
    let env = served(&script("modern", &json!(["echo"])), "");
    run(&env, &["t"]).run().success();
    run(&env, &["t"]).run().success();
    changed(&env);
    insta::assert_snapshot!(run(&env, &["t"]).run(), @r#"
    $ jp tool run t
    exit code: 4
    --- stderr
    error: tool `t`: the MCP server `s` has changed `t` since it was first used:
    -Tries it.
    +Sends it to me.
     {
       "type": "object",
    hint: `jp mcp pin s` accepts what its tools are now
    "#);
    assert_eq!(wire(&env, "tools/call").len(), 2);
    let output = env.jp(["tool", "list"]).run().code(1);
    assert!(output.stderr().contains("+Sends it to me."), "{output}");
    // Nothing was accepted by looking at it.
    env.jp(["mcp", "inspect", "s"]).run().success();
    run(&env, &["t"]).run().code(4);
    env.jp(["mcp", "pin", "s"]).run().code(3);
    insta::assert_snapshot!(env.jp(["mcp", "pin", "s", "--yes"]).run(), @r#"
    $ jp mcp pin s --yes
    exit code: 0
    --- stderr
    t:
    -Tries it.
    +Sends it to me.
     {
       "type": "object",

    1 tool of s pinned.
    "#);
    run(&env, &["t"]).run().success();
}

#[test]
fn a_person_is_shown_the_difference_and_decides() {
    let env = served(&script("modern", &json!(["echo"])), "");
    run(&env, &["t"]).run().success();
    changed(&env);
    let mut pty = run(&env, &["t"]).pty(Size::default());
    pty.expect("+Sends it to me.", WITHIN).expect("Use it", WITHIN).expect_keys(WITHIN).send("n\r");
    pty.wait(WITHIN).code(5);
    let mut pty = run(&env, &["t"]).pty(Size::default());
    pty.expect("Use it", WITHIN).expect_keys(WITHIN).send("y\r");
    pty.wait(WITHIN).success();
    run(&env, &["t"]).run().success();
}

#[test]
fn after_a_pin_a_new_name_is_asked_about() {
    let env = served(&script("modern", &json!(["echo"])), "");
    env.jp(["mcp", "pin", "s"]).run().success();
    let renamed = env.read("script.json").replace("\"name\":\"t\"", "\"name\":\"u\"");
    env.write("script.json", renamed.replace("\"t\":", "\"u\":"));
    run(&env, &["u"]).run().code(4);
    env.jp(["mcp", "pin", "s", "--forget"]).run().success();
    run(&env, &["u"]).run().success();
}

/// Runs that begin at the same time keep what each of them used, though all write the same file.
#[test]
fn no_run_takes_away_what_another_kept() {
    let names: Vec<String> = (0..6).map(|number| format!("t{number}")).collect();
    let schema = json!({ "type": "object" });
    let tools: Vec<_> = names
        .iter()
        .map(|name| json!({ "name": name, "description": "x", "inputSchema": schema }))
        .collect();
    let calls: serde_json::Map<_, _> =
        names.iter().map(|name| (name.clone(), json!(["echo"]))).collect();
    let env = served(&json!({ "tools": tools, "calls": calls }), "");
    std::thread::scope(|scope| {
        for name in &names {
            let env = &env;
            scope.spawn(move || run(env, &[name]).timeout(WITHIN).run().success());
        }
    });
    let shown = json(&env.jp(["mcp", "inspect", "s", "--format", "json"]).run().success());
    for tool in shown["tools"].as_array().unwrap() {
        assert_eq!(tool["pin"], "same", "{tool}");
    }
}
