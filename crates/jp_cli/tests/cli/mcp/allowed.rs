//! A workspace of somebody else's starts nothing by being looked at.

use std::time::Duration;

use jp_test::Size;

use super::*;

const WITHIN: Duration = Duration::from_secs(30);

fn stranger(more: &str) -> TestEnv {
    foreign(&script("modern", &json!(["echo"])), more)
}

fn was_started(env: &TestEnv) -> bool {
    env.path("wire.log").exists()
}

#[test]
fn looking_at_a_foreign_workspace_starts_nothing() {
    let env = stranger("");
    insta::assert_snapshot!(env.jp(["mcp", "list"]).run(), @"
    $ jp mcp list
    exit code: 1
    --- stdout
    SERVER  STATE            ERA  PROTOCOL  VERSION  TOOLS  CONFINED BY
    s       not allowed yet  -    -         -        -      workspace
    --- stderr
    error: the MCP server `s` comes with this workspace (.jp/config.toml:2) and is not allowed yet
    hint: `jp mcp allow s` shows what it is, and allows it
    ");
    insta::assert_snapshot!(env.jp(["tool", "list"]).run(), @"
    $ jp tool list
    exit code: 1
    --- stdout
    TOOL  RUN         SOURCE   SUMMARY
    s     unattended  mcp.s.*  (not allowed yet, see below)
    --- stderr
    error: tool `s`: the MCP server `s` comes with this workspace (.jp/config.toml:2) and is not allowed yet
    hint: `jp mcp allow s` shows what it is, and allows it
    ");
    let row = env.jp(["mcp", "list", "--format", "json"]).run().code(1);
    let row = json(&row);
    assert_eq!(
        (&row["state"], &row["confinement"]["by"]),
        (&json!("not allowed yet"), &json!("workspace"))
    );
    insta::assert_snapshot!(run(&env, &["t"]).run(), @"
    $ jp tool run t
    exit code: 4
    --- stderr
    error: tool `s`: the MCP server `s` comes with this workspace (.jp/config.toml:2) and is not allowed yet
    hint: `jp mcp allow s` shows what it is, and allows it
    ");
    for words in [
        vec!["tool", "run", "unknown"],
        vec!["tool", "show", "t"],
        vec!["mcp", "inspect", "s"],
        vec!["mcp", "pin", "s", "--yes"],
        vec!["mcp", "call", "s", "t"],
    ] {
        let output = env.jp(&words).run().code(4);
        assert!(output.stderr().contains("jp mcp allow s"), "{output}");
    }
    env.jp(["mcp", "allow", "s"]).run().code(3);
    assert!(!was_started(&env));
}

/// The same for a server that is not started but spoken to.
#[test]
fn a_foreign_service_is_not_called() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let env = super::super::workspace();
    let config = format!(
        "[providers.mcp.s]\nurl = 'http://127.0.0.1:{port}/mcp'\n[conversation.tools.s]\nsource = 'mcp.s.*'\n"
    );
    env.write(".jp/config.toml", config);
    env.jp(["tool", "list"]).run().code(1);
    env.jp(["mcp", "list"]).run().code(1);
    assert!(listener.accept().is_err(), "nobody has called");
}

#[test]
fn what_was_allowed_is_allowed_until_it_changes() {
    let env = stranger("");
    insta::assert_snapshot!(env.jp(["mcp", "allow", "s", "--yes"]).run(), @r#"
    $ jp mcp allow s --yes
    exit code: 0
    --- stderr
    The MCP server `s` comes with this workspace (.jp/config.toml:2).
    It runs: python3 server.py

    [providers.mcp.s]
    command = "python3"
    arguments = ["server.py"]

    confined by: workspace
    How the kernel keeps it (namespaces, Landlock and seccomp):
      exactly
    s is allowed in this workspace.
    "#);
    assert!(!was_started(&env));
    run(&env, &["t"]).run().success();
    let config = env.read(".jp/config.toml");
    for changed in [
        config.replace("['server.py']", "['server.py', '--more']"),
        format!("{config}[providers.mcp.s.variables]\nA = '${{JP_A}}'\n"),
        format!("{config}[[providers.mcp.s.access.fs]]\npath = '.'\nread = true\nwrite = true\n"),
        format!("{config}[sandbox]\ndefault = 'off'\n"),
    ] {
        env.write(".jp/config.toml", &changed);
        run(&env, &["t"]).run().code(4);
    }
    env.write(".jp/config.toml", &config);
    run(&env, &["t"]).run().success();
    // What belongs to a tool and not to the server asks nobody again.
    env.write(".jp/config.toml", config.replace("'unattended'", "'ask'"));
    run(&env, &["t", "--yes"]).run().success();
    env.jp(["mcp", "allow", "s", "--forget"]).run().success();
    run(&env, &["t", "--yes"]).run().code(4);
    env.jp(["mcp", "allow", "unknown", "--yes"]).run().code(2);
}

/// What the user has set up, or says on the command line, is theirs.
#[test]
fn a_server_of_the_user_needs_no_permission() {
    let env = stranger("");
    let config = env.read(".jp/config.toml");
    let (server, tools) = config.split_at(config.find("[conversation").unwrap());
    env.write(".jp/config.toml", tools);
    env.write(env.config_home().join("jp/config.toml"), server);
    run(&env, &["t"]).run().success();
    env.write(env.config_home().join("jp/config.toml"), "");
    let given = env.path("given.toml");
    env.write(&given, server);
    env.jp(["--cfg", given.as_str(), "tool", "run", "t"]).run().success();
    env.jp(["mcp", "allow", "s", "--yes"]).run().code(2);
}

/// The yes of one workspace is none for another with the same files.
#[test]
fn a_copy_of_a_workspace_is_asked_about_again() {
    let env = stranger("");
    allow(&env, &["s"]);
    for file in ["server.py", "script.json", ".jp/config.toml"] {
        env.write(env.root().join("copy").join(file), env.read(file));
    }
    let copy = env.root().join("copy");
    env.jp(["-C", copy.as_str(), "tool", "run", "t"]).run().code(4);
}

#[test]
fn a_person_sees_what_it_is_and_decides() {
    let more = "[providers.mcp.s.variables]\nA = '${JP_A}'\n[[providers.mcp.s.access.net]]\nhost = 'example.org'\nallow = true\n";
    let env = stranger(more);
    let mut pty = run(&env, &["t"]).env("JP_A", "x").pty(Size { rows: 60, cols: 120 });
    for words in [
        "It runs: python3 server.py",
        "A = \"${JP_A}\"",
        "host = \"example.org\"",
        "confined by: its rules",
        "No rule is about files of the workspace, variables",
        "May it be started",
    ] {
        pty.expect(words, WITHIN);
    }
    pty.expect_keys(WITHIN).send("n\r");
    pty.wait(WITHIN).code(5);
    assert!(!was_started(&env));
    let mut pty = run(&env, &["t"]).env("JP_A", "x").pty(Size::default());
    pty.expect("May it be started", WITHIN).expect_keys(WITHIN).send("y\r");
    pty.wait(WITHIN).success();
    // It is asked once.
    run(&env, &["t"]).env("JP_A", "x").run().success();
    let mut pty = env.jp(["mcp", "allow", "s"]).pty(Size::default());
    pty.expect("may be started already", WITHIN);
    pty.wait(WITHIN).success();
}

/// What the workspace loosens is said where the server is shown.
#[test]
fn a_loosened_sandbox_is_named() {
    let env = stranger("[sandbox]\nread = ['/srv']\n");
    let loosened = "`sandbox.read` of this workspace loosens the sandbox (.jp/config.toml:";
    let asked = env.jp(["mcp", "allow", "s", "--yes"]).run().success();
    let shown = [
        env.jp(["mcp", "list"]).run().success().stderr().to_owned(),
        env.jp(["mcp", "inspect", "s"]).run().success().stdout().to_owned(),
        asked.stderr().to_owned(),
    ];
    for text in shown {
        assert!(text.contains(loosened), "{text}");
    }
}

/// D8: what a grant covers and is sensitive is asked about for tools of servers, too.
#[test]
fn sensitive_paths_are_asked_about() {
    let shell = json!([{ "shell": "cat .env" }]);
    let rules = "[[providers.mcp.s.access.fs]]\npath = '.'\nread = true\nwrite = true\n";
    for words in [vec!["tool", "run", "t"], vec!["mcp", "call", "s", "t"]] {
        let env = served(&script("modern", &shell), rules);
        env.write(".env", "the secret\n");
        // Where something is kept from a server, it can make no new names.
        env.write("wire.log", "");
        let output = env.jp(&words).run().success();
        assert!(!output.stdout().contains("the secret"), "{output}");
        assert!(output.stderr().contains("`.env`"), "{output}");
        let allowing = words.iter().chain(&["--allow-sensitive", ".env"]);
        let output = env.jp(allowing).run().success();
        assert!(output.stdout().contains("the secret"), "{output}");
        let mut pty = env.jp(&words).pty(Size::default());
        pty.expect(".env: sensitive", WITHIN).expect("Show this to", WITHIN);
        pty.expect_keys(WITHIN).send("y\r");
        let output = pty.wait(WITHIN).success();
        assert!(output.screen().contains("the secret"), "{output}");
        let mut pty = env.jp(&words).pty(Size::default());
        pty.expect("Show this to", WITHIN).expect_keys(WITHIN).send("n\r");
        let output = pty.wait(WITHIN).success();
        assert!(!output.screen().contains("the secret"), "{output}");
    }
}
