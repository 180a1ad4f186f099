//! A server is a program of somebody else, and is confined like one.

use super::*;

fn shell(command: &str, rules: &str) -> TestEnv {
    let env = served(&script("modern", &json!([{ "shell": command }])), "");
    let config = env.read(".jp/config.toml");
    env.write(
        ".jp/config.toml",
        config.replace("[conversation", &format!("{rules}\n[conversation")),
    );
    allow(&env, &["s"]);
    env
}

fn said(env: &TestEnv) -> String {
    run(env, &["t"]).run().success().stdout().to_owned()
}

/// Without rules it is confined like a tool without rules.
#[test]
fn a_server_without_rules_writes_in_the_workspace_only() {
    let env = shell("echo x > in.txt; echo y > ~/out.txt", "");
    let output = said(&env);
    assert_eq!(env.read("in.txt"), "x\n");
    assert!(!env.home().join("out.txt").exists(), "{output}");
}

const RULES: &str = "[[providers.mcp.s.access.fs]]\npath = '.'\nread = true\nwrite = true\n\
                     [[providers.mcp.s.access.fs]]\npath = 'closed'\n";

/// 076-050: the rules of the server are kept.
#[test]
fn the_rules_of_a_server_are_kept() {
    let env = shell("cat closed/secret; cat open.txt", RULES);
    env.write("closed/secret", "the secret");
    env.write("open.txt", "the open");
    // Where something is kept from a server, it can make no new names.
    env.write("wire.log", "");
    let output = said(&env);
    assert!(output.contains("the open") && !output.contains("the secret"), "{output}");
}

#[test]
fn a_server_without_a_network_has_none() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let command = format!(
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 2); print(\"connected\")' 2>&1 | tail -1"
    );
    let env = shell(&command, "");
    assert!(said(&env).contains("connected"));
    let closed = "[[providers.mcp.s.access.net]]\nhost = 'example.org'\nallow = true\n";
    let env = shell(&command, closed);
    assert!(!said(&env).contains("connected"));
}

#[test]
fn access_on_a_tool_of_a_server_is_an_error() {
    let env = served(&script("modern", &json!(["echo"])), "access = { fs = [] }");
    let output = run(&env, &["t"]).run().code(2);
    assert!(output.stderr().contains("only local tools can be restricted"), "{output}");
}

/// 076-051: roots are what the rules let it read whole, and nothing where there are none.
#[test]
fn roots_are_never_wider_than_the_grants() {
    for (rules, roots) in [
        ("", json!([])),
        (RULES, json!([])),
        (
            "[[providers.mcp.s.access.fs]]\npath = 'docs'\nread = true\n[[providers.mcp.s.access.fs]]\npath = '.'\n[[providers.mcp.s.access.fs]]\npath = 'server.py'\nread = true\n[[providers.mcp.s.access.fs]]\npath = 'script.json'\nread = true\n[[providers.mcp.s.access.fs]]\npath = 'wire.log'\nread = true\nwrite = true\n",
            json!(["docs"]),
        ),
    ] {
        let env = shell("true", rules);
        env.write("docs/a", "");
        env.write("closed/a", "");
        env.write("wire.log", "");
        let shown = json(&env.jp(["mcp", "inspect", "s", "--format", "json"]).run().success());
        let wanted: Vec<_> = roots
            .as_array()
            .unwrap()
            .iter()
            .map(|it| env.project().join(it.as_str().unwrap()).to_string())
            .collect();
        assert_eq!(shown["roots"], json!(wanted), "{rules}");
    }
}

#[test]
fn another_program_than_the_one_with_the_checksum_does_not_start() {
    let wrong = format!("checksum = {{ algorithm = 'sha256', value = '{}' }}", "0".repeat(64));
    let env = shell("true", &wrong);
    let output = run(&env, &["t"]).run().code(4);
    assert!(output.stderr().contains("providers.mcp.s.checksum"), "{output}");
    assert!(!env.path("wire.log").exists());
    let found = output.stderr().split("checksum is ").nth(1).unwrap()[..64].to_owned();
    let env = shell("true", &wrong.replace(&"0".repeat(64), &found));
    run(&env, &["t"]).run().success();
}

/// What is sent to a server elsewhere names no variable of the user's either.
#[test]
fn headers_of_a_foreign_workspace_name_no_variables_of_the_user() {
    let env = super::super::workspace();
    env.write(
        ".jp/config.toml",
        "[providers.mcp.s]\nurl = 'http://127.0.0.1:9/mcp'\nheaders = { Authorization = 'Bearer ${AWS_KEY}' }",
    );
    allow(&env, &["s"]);
    let output = env.jp(["mcp", "inspect", "s"]).env("AWS_KEY", "mine").run().code(1);
    assert!(output.stderr().contains("providers.mcp.s.headers.Authorization"), "{output}");
    assert!(output.stderr().contains("begin with `JP_`"), "{output}");
    assert!(!output.stderr().contains("mine"), "{output}");
}

/// A file of the workspace cannot hand out variables of the user.
#[test]
fn variables_are_those_that_were_named() {
    let given = |value: &str| shell("echo \"[$A]\"", &format!("variables = {{ A = '{value}' }}"));
    let output = run(&given("${JP_KEY}"), &["t"]).env("JP_KEY", "open").run().success();
    assert!(output.stdout().contains("[open]"), "{output}");
    let output = run(&given("${AWS_KEY}"), &["t"]).env("AWS_KEY", "mine").run().code(2);
    assert!(output.stderr().contains("begin with `JP_`"), "{output}");
    assert!(!output.stderr().contains("mine"));
    run(&given("${JP_KEY}"), &["t"]).run().code(2);
    // The user may name any, for this call.
    let env = shell("echo \"[$A]\"", "");
    let settings = "providers.mcp.s.variables.A=${AWS_KEY}";
    let call = env.jp(["--cfg", settings, "tool", "run", "t"]);
    let output = call.env("AWS_KEY", "mine").run().success();
    assert!(output.stdout().contains("[mine]"), "{output}");
    // In settings for all workspaces they would go to whatever this one starts.
    env.write(
        env.config_home().join("jp/config.toml"),
        "[providers.mcp.s.variables]\nA = '${AWS_KEY}'",
    );
    let output = run(&env, &["t"]).env("AWS_KEY", "mine").run().code(2);
    assert!(output.stderr().contains("a workspace cannot change it"), "{output}");
}

#[test]
fn the_rules_of_the_server_are_explained() {
    let more = "[conversation.tools.own]\nsource = 'mcp.s.t'\n";
    let env = served(&script("modern", &json!(["echo"])), more);
    env.write(".jp/config.toml", env.read(".jp/config.toml") + RULES);
    let output = env.jp(["tool", "explain", "own"]).run().success();
    assert!(output.stdout().contains("closed"), "{output}");
    let output = env.jp(["tool", "explain", "own", "--read", "closed/x"]).run().code(4);
    assert!(output.stdout().contains("providers.mcp.s.access.fs"), "{output}");
    env.jp(["tool", "allow", "own", "--read", "closed/x"]).run().code(2);
}

/// What a server has started ends with it, and it ends with the call.
#[test]
fn nothing_of_a_server_is_left() {
    let sleep = format!("sleep 30{}", std::process::id());
    let env = shell(&format!("{sleep} > /dev/null 2>&1 & true"), "");
    said(&env);
    env.command("pgrep", ["-f", sleep.as_str()]).run().code(1);
    env.command("pgrep", ["-f", env.path("server.py").as_str()]).run().code(1);
}
