//! `jp mcp`

use super::*;

#[test]
fn servers_are_listed_with_what_they_are() {
    let more = "[providers.mcp.broken]\ncommand = 'there-is-no-such-program'\n[providers.mcp.dead]\ncommand = 'false'\n";
    let env = served(&script("legacy", &json!(["echo"])), more);
    allow(&env, &["broken", "dead"]);
    insta::assert_snapshot!(env.jp(["mcp", "list"]).run(), @"
    $ jp mcp list
    exit code: 1
    --- stdout
    SERVER  STATE   ERA     PROTOCOL    VERSION  TOOLS  CONFINED BY
    s       ready   legacy  2025-11-25  7.8      1      workspace
    broken  failed  -       -           -        -      unknown
    dead    failed  -       -           -        -      workspace
    --- stderr
    error: cannot start the MCP server `broken`: cannot start `there-is-no-such-program`: no program there-is-no-such-program was found
    error: cannot start the MCP server `dead`: it ended before it answered
    ");
    let output = env.jp(["mcp", "list", "--format", "json"]).run().code(1);
    let rows: Vec<Value> =
        output.stdout().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!((&rows[0]["state"], &rows[0]["era"]), (&json!("ready"), &json!("legacy")));
    assert_eq!((&rows[0]["version"], &rows[0]["tools"]), (&json!("7.8"), &json!(["t"])));
    assert_eq!(rows[0]["confinement"]["by"], "workspace");
    assert_eq!(rows[1]["state"], "failed");
    assert!(rows[1]["error"].as_str().unwrap().contains("there-is-no-such-program"));
    let env = workspace();
    assert_eq!(
        env.jp(["mcp", "list"]).run().success().stderr(),
        "No MCP servers are configured.\n"
    );
}

fn workspace() -> TestEnv {
    super::super::workspace()
}

#[test]
fn a_server_is_inspected() {
    let env = served(&script("modern", &json!(["echo"])), "");
    insta::assert_snapshot!(env.jp(["mcp", "inspect", "s"]).run(), @"
    $ jp mcp inspect s
    exit code: 0
    --- stdout
    s

    server: scripted
    version: 7.8
    era: modern
    protocol: 2026-07-28
    process: one for all calls
    confined by: workspace
    How the kernel keeps it (namespaces, Landlock and seccomp):
      exactly

    Tools:
      t (not used yet)  Tries it.
    ");
    insta::assert_snapshot!(env.jp(["mcp", "inspect", "s", "t"]).run(), @r#"
    $ jp mcp inspect s t
    exit code: 0
    --- stdout
    t

    Tries it.

    It takes:
    {
      "type": "object",
      "properties": {
        "q": {
          "type": "string"
        }
      }
    }
    "#);
    insta::assert_snapshot!(env.jp(["mcp", "inspect", "r"]).run(), @"
    $ jp mcp inspect r
    exit code: 2
    --- stderr
    error: no MCP server is called `r`
    hint: servers are configured in `[providers.mcp.r]`; `jp mcp add` writes that
    ");
    env.jp(["mcp", "inspect", "s", "u"]).run().code(2);
}

#[test]
fn a_tool_is_called_by_its_server() {
    let env = served(&script("modern", &json!(["echo"])), "");
    // It needs no entry.
    let config = env.read(".jp/config.toml");
    env.write(".jp/config.toml", config.split("[conversation").next().unwrap());
    allow(&env, &["s"]);
    let output = env.jp(["mcp", "call", "s", "t", "q=x"]).run().success();
    let sent: Value = serde_json::from_str(output.stdout()).unwrap();
    assert_eq!(sent["arguments"], json!({ "q": "x" }));
    env.jp(["mcp", "call", "s", "u"]).run().code(2);
    env.jp(["mcp", "call", "r", "t"]).run().code(2);
}

#[test]
fn a_server_is_added_and_works() {
    let env = workspace();
    env.write("server.py", SERVER);
    env.write("script.json", script("modern", &json!(["echo"])).to_string());
    env.write(".jp/config.toml", "# mine\n");
    let words = ["mcp", "add", "s", "--", "python3", "server.py", "a b"];
    insta::assert_snapshot!(env.jp(words).run(), @"
    $ jp mcp add s -- python3 server.py 'a b'
    exit code: 0
    --- stderr
    Written to .jp/config.toml. `jp mcp inspect s` starts it and shows its tools.
    ");
    insta::assert_snapshot!(env.read(".jp/config.toml"), @r#"
    # mine

    [providers.mcp.s]
    command = "python3"
    arguments = ["server.py", "a b"]

    [conversation.tools.s]
    source = "mcp.s.*"
    "#);
    run(&env, &["t", "--yes"]).run().success();
    env.jp(words).run().code(2);
}

#[test]
fn a_server_is_added_with_grants() {
    let env = workspace();
    env.write("docs/a", "");
    env.write("notes/a", "");
    let outside = env.root().join("outside");
    env.write(outside.join("a"), "");
    let words = [
        "mcp",
        "add",
        "s",
        "--read",
        "docs",
        "--write",
        "notes",
        "--read",
        outside.as_str(),
        "--net",
        "example.org:8080",
        "--env",
        "KEY=${JP_KEY}",
        "--stateless",
        "--",
        "server",
    ];
    env.jp(words).run().success();
    insta::assert_snapshot!(env.normalizer().apply(&env.read(".jp/config.toml")), @r#"
    [providers.mcp.s]
    command = "server"
    stateful = false

    [providers.mcp.s.variables]
    KEY = "${JP_KEY}"

    [providers.mcp.s.system]
    read = ["$ROOT/outside"]

    [[providers.mcp.s.access.fs]]
    path = "docs"
    read = true

    [[providers.mcp.s.access.fs]]
    path = "notes"
    read = true
    write = true

    [[providers.mcp.s.access.net]]
    host = "example.org"
    port = 8080
    allow = true

    [[providers.mcp.s.access.env]]
    name = "*"
    read = false

    [conversation.tools.s]
    source = "mcp.s.*"
    "#);
    // With one grant everything else is closed.
    let env = workspace();
    env.jp(["mcp", "add", "s", "--net", "example.org", "--", "server"]).run().success();
    insta::assert_snapshot!(env.read(".jp/config.toml"), @r#"
    [providers.mcp.s]
    command = "server"

    [[providers.mcp.s.access.fs]]
    path = "."
    read = false

    [[providers.mcp.s.access.net]]
    host = "example.org"
    allow = true

    [[providers.mcp.s.access.env]]
    name = "*"
    read = false

    [conversation.tools.s]
    source = "mcp.s.*"
    "#);
    let env = workspace();
    let words = [
        "mcp",
        "add",
        "far",
        "--url",
        "https://example.org/mcp",
        "--header",
        "Authorization=Bearer ${JP_T}",
    ];
    env.jp(words).run().success();
    insta::assert_snapshot!(env.read(".jp/config.toml"), @r#"
    [providers.mcp.far]
    url = "https://example.org/mcp"

    [providers.mcp.far.headers]
    Authorization = "Bearer ${JP_T}"

    [conversation.tools.far]
    source = "mcp.far.*"
    "#);
}

#[test]
fn what_cannot_be_added_changes_nothing() {
    let env = workspace();
    for words in [
        vec!["mcp", "add", "a b", "--", "server"],
        vec!["mcp", "add", "s", "--net", "*.org", "--", "server"],
        vec!["mcp", "add", "s", "--url", "ftp://x"],
        vec!["mcp", "add", "s", "--env", "A", "--", "server"],
        vec!["mcp", "add", "s"],
        vec!["mcp", "add", "s", "--read", "/root/.ssh", "--", "server"],
    ] {
        env.jp(&words).run().code(2);
        assert_eq!(env.read(".jp/config.toml"), "", "{words:?}");
    }
}
