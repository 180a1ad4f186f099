//! Which tools there are, under which names, and what the configuration says about them.

use super::*;

fn tools(names: &[&str]) -> Value {
    let tools: Vec<_> = names
        .iter()
        .map(|name| json!({ "name": name, "description": format!("Does {name}."), "inputSchema": { "type": "object" } }))
        .collect();
    let calls: serde_json::Map<_, _> =
        names.iter().map(|name| ((*name).to_owned(), json!(["echo"]))).collect();
    json!({ "tools": tools, "calls": calls })
}

#[test]
fn all_tools_of_a_server_are_listed_and_can_be_called() {
    let env = served(
        &tools(&["a", "b"]),
        "[conversation.tools.mine]\nsource = 'mcp.s.b'\nsummary = 'My b.'\nenable = false",
    );
    insta::assert_snapshot!(env.jp(["tool", "list"]).run(), @"
    $ jp tool list
    exit code: 0
    --- stdout
    TOOL  RUN         SOURCE   SUMMARY
    a     unattended  mcp.s.a  Does a.
    mine  disabled    mcp.s.b  My b.
    ");
    run(&env, &["a"]).run().success();
    run(&env, &["mine", "--yes"]).run().success();
    // It has a name of its own, and only that.
    run(&env, &["b"]).run().code(2);
    run(&env, &["c"]).run().code(2);
    insta::assert_snapshot!(run(&env, &["s"]).run(), @"
    $ jp tool run s
    exit code: 2
    --- stderr
    error: `s` is no tool: it stands for all tools of the MCP server `s`
    hint: `jp mcp inspect s` lists the tools of the server
    ");
}

#[test]
fn two_tools_of_one_name_are_refused_with_the_fix() {
    let more = "[providers.mcp.other]\ncommand = 'python3'\narguments = ['server.py']\n[conversation.tools.o]\nsource = 'mcp.other.*'\n\
                [conversation.tools.b]\nsource = 'local'\ncommand = 'true'\nparameters = {}\n";
    let env = served(&tools(&["a", "b"]), more);
    allow(&env, &["other"]);
    let output = env.jp(["tool", "list"]).run().code(1);
    insta::assert_snapshot!(output.stderr(), @r#"
    error: tool `a` of `mcp.s.a` has the name of another one, from `mcp.other.a`
    hint: give it a name of its own: `[conversation.tools.s_a]` with `source = "mcp.s.a"`
    error: tool `b` of `mcp.s.b` has the name of another one, from `mcp.other.b`
    hint: give it a name of its own: `[conversation.tools.s_b]` with `source = "mcp.s.b"`
    error: tool `a` of `mcp.other.a` has the name of another one, from `mcp.s.a`
    hint: give it a name of its own: `[conversation.tools.other_a]` with `source = "mcp.other.a"`
    error: tool `b` of `mcp.other.b` has the name of another one, from `mcp.s.b`
    hint: give it a name of its own: `[conversation.tools.other_b]` with `source = "mcp.other.b"`
    "#);
    insta::assert_snapshot!(run(&env, &["a"]).run(), @r#"
    $ jp tool run a
    exit code: 2
    --- stderr
    error: tool `a` of `mcp.other.a` has the name of another one, from `mcp.s.a`
    hint: give it a name of its own: `[conversation.tools.other_a]` with `source = "mcp.other.a"`
    "#);
    // The one that has the name as its own keeps it.
    run(&env, &["b", "--yes"]).run().success();
    let fixed = "[conversation.tools.s_a]\nsource = 'mcp.s.a'\n";
    env.write(".jp/config.toml", env.read(".jp/config.toml") + fixed);
    run(&env, &["a", "--yes"]).run().success();
    run(&env, &["s_a", "--yes"]).run().success();
}

#[test]
fn what_is_not_there_is_named() {
    let env = served(
        &tools(&["search"]),
        "[conversation.tools.x]\nsource = 'mcp.s.serch'\n[conversation.tools.y]\nsource = 'mcp.r.a'",
    );
    insta::assert_snapshot!(run(&env, &["x"]).run(), @"
    $ jp tool run x
    exit code: 2
    --- stderr
    error: tool `x`: the MCP server `s` has no tool `serch`
    hint: did you mean `search`?
    ");
    insta::assert_snapshot!(run(&env, &["y"]).run(), @"
    $ jp tool run y
    exit code: 2
    --- stderr
    error: tool `y`: no MCP server is called `r`
    hint: servers are configured in `[providers.mcp.r]`; `jp mcp add` writes that
    ");
}

/// The configuration is laid over what the server says, as it is over what a program says.
#[test]
fn the_configuration_changes_what_the_server_says() {
    let schema = json!({ "type": "object", "properties": { "q": { "type": "string", "description": "old" }, "n": { "type": "integer", "multipleOf": 2 } }, "required": ["q"] });
    let script = json!({ "tools": [{ "name": "t", "description": "Old.", "inputSchema": schema }], "calls": { "t": ["echo"] } });
    let more = "[conversation.tools.own]\nsource = 'mcp.s.t'\nrun = 'unattended'\nsummary = 'New.'\nparameters.q = { summary = 'new', default = 'x' }";
    let env = served(&script, more);
    let shown = json(&env.jp(["tool", "show", "own", "--format", "json"]).run().success());
    assert_eq!(shown["summary"], "New.");
    assert_eq!(shown["parameters"]["properties"]["q"]["description"], "new");
    assert_eq!(shown["parameters"]["properties"]["n"]["multipleOf"], 2);
    assert_eq!(shown["origins"]["summary"], "config");
    assert_eq!(shown["origins"]["parameters"]["n"]["origin"], "server");
    let output = run(&env, &["own"]).run().success();
    let sent: Value = serde_json::from_str(output.stdout()).unwrap();
    assert_eq!(sent["arguments"], json!({ "q": "x" }));
    run(&env, &["own", "n=3"]).run().code(2);
    run(&env, &["own", "n=4"]).run().success();
    let wrong = more.replace("parameters.q", "parameters.p");
    let env = served(&script, &wrong);
    run(&env, &["own"]).run().code(2);
}

/// Nobody asks a server whose tools are all disabled.
#[test]
fn a_disabled_server_is_not_started() {
    let env = served(&tools(&["a"]), "enable = false\n");
    insta::assert_snapshot!(env.jp(["tool", "list"]).run(), @"
    $ jp tool list
    exit code: 0
    --- stdout
    TOOL  RUN       SOURCE   SUMMARY
    s     disabled  mcp.s.*  (all tools of the server)
    ");
    run(&env, &["a"]).run().code(2);
    assert!(!env.path("wire.log").exists());
    // Whoever names server and tool means it.
    env.jp(["mcp", "call", "s", "a"]).run().success();
}

/// A name does not go to another server while the one that had it is down.
#[test]
fn a_name_waits_for_its_server() {
    let more = "[providers.mcp.other]\ncommand = 'python3'\narguments = ['other.py']\n\
                [conversation.tools.o]\nsource = 'mcp.other.*'\nrun = 'unattended'\n";
    let env = served(&tools(&["a", "b"]), more);
    let other = SERVER.replace("script.json", "other.json").replace("wire.log", "other.log");
    env.write("other.py", other);
    env.write("other.json", tools(&["c"]).to_string());
    allow(&env, &["other"]);
    run(&env, &["a"]).run().success();
    // The one is down, and the other has its tools by now.
    env.write("other.json", tools(&["a", "b", "c"]).to_string());
    env.write("server.py", "raise SystemExit(1)");
    let output = run(&env, &["a"]).run().code(1);
    assert!(output.stderr().contains("cannot start the MCP server `s`"), "{output}");
    let sent = env.read("other.log");
    assert!(!sent.contains("tools/call"), "{sent}");
    // What it never had, it does not keep.
    run(&env, &["c"]).run().success();
}
