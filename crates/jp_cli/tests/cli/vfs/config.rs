//! Which tools are run like this, and what the configuration lets them have.

use serde_json::Value;

use super::*;

/// Prints the first line that it gets, or says it.
const FIRST_LINE: &str = r#"import json, sys
line = sys.stdin.readline()
message = json.loads(line)
if "jsonrpc" in message:
    content = "vfs " + message["params"]["context"]["action"]
    if message["params"]["context"]["action"] == "schema": content = {"tools": [{"name": "t", "parameters": {}}]}
    print(json.dumps({"jsonrpc": "2.0", "method": "result", "params": {"content": content}}), flush=True)
elif message["context"]["action"] == "schema":
    print(json.dumps({"tools": [{"name": "t", "parameters": {}}]}))
else:
    print("stdio run")
"#;

/// D11-238, D11-239, D11-253, D11-286: one program, with and without the runtime, in one configuration.
#[test]
fn the_runtime_is_chosen_by_the_tool() {
    let env = world();
    env.write("t.py", FIRST_LINE);
    let tool = |name: &str, more: &str| {
        format!(
            "[conversation.tools.{name}]\nsource = \"local.t\"\ncommand = \"python3 t.py\"\nrun = \"unattended\"\n{more}"
        )
    };
    let config = [
        tool("sealed", "runtime = \"vfs\"\n"),
        tool("plain", ""),
        tool("named", "runtime = \"stdio\"\n"),
    ];
    env.write(".jp/config.toml", config.concat());
    for (name, expected) in
        [("sealed", "vfs run\n"), ("plain", "stdio run\n"), ("named", "stdio run\n")]
    {
        assert_eq!(env.jp(["tool", "run", name]).run().success().stdout(), expected, "{name}");
    }
}

/// D11-270: a tool that opens files by itself works beside them as before.
#[test]
fn a_tool_of_the_shell_works_beside_them() {
    let env = with_tool("", "result(call('fs.read', path='file.txt')['result']['content'])");
    env.write("file.txt", "hello\n");
    let plain = "[conversation.tools.plain]\nsource = \"local\"\ncommand = \"cat file.txt\"\nrun = \"unattended\"\n[conversation.tools.plain.parameters]\n";
    env.write(".jp/config.toml", env.read(".jp/config.toml") + plain);
    assert_eq!(env.jp(["tool", "run", "plain"]).run().success().stdout(), "hello\n");
    assert_eq!(run(&env, &[]).run().success().stdout(), "hello\n");
}

/// D06-007, D11-170: the tool describes itself by its last word.
#[test]
fn the_description_comes_by_a_result() {
    let env = with_tool("", "result('x')");
    let output = env.jp(["tool", "show", "t"]).run().success();
    assert!(output.stdout().contains("Does it."), "{output}");
    for (body, part) in [
        ("result('no description')", "t"),
        ("sys.exit('broken')", "broken"),
        ("say(method='error', params={'message': 'no schema'})", "no schema"),
    ] {
        let env = with_raw("", body);
        let output = run(&env, &[]).run();
        assert_ne!(output.exit_code(), Some(0), "{body}");
        assert!(output.stderr().contains(part), "{body}: {output}");
    }
}

/// Whoever only describes itself is served nothing.
#[test]
fn a_description_reads_no_files() {
    let body = r#"
if init["context"]["action"] == "schema":
    summary = json.dumps([code("fs.read", path="secret"), code("fs.list_dir", path="."), code("fs.write", path="new", content="")])
    result({"tools": [{"name": "t", "summary": summary, "parameters": {}}]})
    sys.exit()
"#;
    let env = with_raw(EVERYTHING, body);
    env.write("secret", "s3cret");
    let output = env.jp(["tool", "show", "t"]).run().success();
    assert!(!output.stdout().contains("[0") && !output.stdout().contains(" 0"), "{output}");
    assert!(!env.path("new").exists());
}

/// D11-267: arguments that are wrong are refused before the tool is started.
#[test]
fn wrong_arguments_start_nothing() {
    let env = with_tool(EVERYTHING, "call('fs.write', path='started', content='')\nresult('x')");
    for argument in ["y=1", "x:=7"] {
        run(&env, &[argument]).run().code(2);
    }
    assert!(!env.path("started").exists());
}

/// Tells the code of one request of each kind.
const CODES: &str = r#"
def of(method, **params): return code(method, **params)
result(json.dumps({
    "read": of("fs.read", path="src/a"),
    "read other": of("fs.read", path="other/a"),
    "list": of("fs.list_dir", path="."),
    "grep": of("fs.grep", pattern="x"),
    "update": of("fs.write", path="src/a", content="x"),
    "create": of("fs.write", path="new", content="x"),
    "delete": of("fs.delete", path="other/a"),
    "run": of("process.run", program="true"),
}))
"#;

fn codes(settings: &str) -> Value {
    let env = with_tool(settings, CODES);
    env.write("src/a", "x");
    env.write("other/a", "x");
    // D11-269: nobody is there to be asked.
    let started = Instant::now();
    let output = env.jp(["--no-interaction", "tool", "run", "t"]).run().success();
    assert!(started.elapsed() < Duration::from_secs(20));
    serde_json::from_str(output.stdout()).expect("it is JSON")
}

fn denied(told: &Value) -> Vec<&str> {
    let told = told.as_object().expect("it is an object").iter();
    told.filter(|(_, code)| **code == -32001).map(|(name, _)| name.as_str()).collect()
}

/// D11-247, D11-248, D11-250
#[test]
fn without_rules_a_tool_only_reads() {
    assert_eq!(denied(&codes("")), ["update", "create", "delete", "run"]);
}

/// D11-244, D11-245, D11-246
#[test]
fn the_short_form_of_rules() {
    let told = codes("sandbox = { filesystem = { allow = [\".\"], writable = true } }\n");
    assert_eq!(denied(&told), ["run"]);
    let told = codes("sandbox = { filesystem = { allow = [\".\"] } }\n");
    assert_eq!(denied(&told), ["update", "create", "delete", "run"]);
    let told = codes("sandbox = { filesystem = { allow = [\"src\"], writable = true } }\n");
    assert_eq!(denied(&told), ["read other", "list", "create", "delete", "run"]);
}

/// D11-220: a setting makes the list of sensitive paths longer, and none makes it shorter.
#[test]
fn the_list_of_sensitive_paths_only_grows() {
    let body = r#"result(json.dumps([code("fs.read", path=path) for path in [".env", "key.pem", "plain"]]))"#;
    let with = |list: &str| {
        let env = with_tool(&format!("{EVERYTHING}[sandbox]\nsensitive_paths = {list}\n"), body);
        for path in [".env", "key.pem", "plain"] {
            env.write(path, "x");
        }
        env.jp(["--no-interaction", "tool", "run", "t"]).run()
    };
    for (list, expected) in [
        ("[]", "[-32001, 0, 0]\n"),
        ("[\"**/*.pem\"]", "[-32001, -32001, 0]\n"),
        ("{ strategy = \"prepend\", value = [] }", "[-32001, 0, 0]\n"),
    ] {
        assert_eq!(with(list).success().stdout(), expected, "{list}");
    }
    for (list, why) in [
        ("{ strategy = \"replace\", value = [] }", "the list can only be extended"),
        ("[\"!**/.env\"]", "is not a pattern for sensitive paths"),
    ] {
        let output = with(list).code(2);
        assert!(output.stderr().contains(why), "{list}: {output}");
    }
}

/// D11-252
#[test]
fn rules_for_programs_leave_files_at_the_default() {
    let told = codes("access = { commands = { cargo = {} } }\n");
    assert_eq!(denied(&told), ["update", "create", "delete", "run"]);
}

/// D11-224, D11-226, D11-179, D11-048: the limits of the configuration are those that hold.
#[test]
fn limits_are_configured() {
    let body = r#"result(json.dumps([call("host.capabilities")["result"]["limits"], code("fs.read", path="a")]))"#;
    let limits = "[vfs]\nfile_bytes = 5\nmessage_bytes = 5000\nrequest_timeout_secs = 7\ncancel_grace_secs = 3\n";
    for (settings, expected) in [
        (
            "",
            serde_json::json!([{"file_bytes": 10_000_000, "message_bytes": 16_777_216, "request_timeout_secs": 60, "cancel_grace_secs": 5}, 0]),
        ),
        (
            limits,
            serde_json::json!([{"file_bytes": 5, "message_bytes": 5000, "request_timeout_secs": 7, "cancel_grace_secs": 3}, -32006]),
        ),
    ] {
        let env = with_tool(settings, body);
        env.write("a", "123456");
        let output = run(&env, &[]).run().success();
        assert_eq!(serde_json::from_str::<Value>(output.stdout()).expect("it is JSON"), expected);
    }
}

/// D11-241, D11-242, D11-243
#[test]
fn the_tables_of_the_configuration() {
    let env = with_tool("", "result('ran')");
    let config = env.read(".jp/config.toml");
    env.write(".jp/config.toml", config.replace("[conversation.tools.t]", "[tools.t]"));
    assert_eq!(run(&env, &[]).run().success().stdout(), "ran\n");
    env.write(".jp/config.toml", format!("{config}[tools.t]\nsource = \"local\"\n"));
    let output = run(&env, &[]).run();
    assert!(output.exit_code() != Some(0) && output.stderr().contains("tools.t"), "{output}");
    let both = "sandbox = { filesystem = { allow = [\".\"] } }\n";
    env.write(".jp/config.toml", format!("{config}{both}{EVERYTHING}"));
    let output = run(&env, &[]).run();
    assert_ne!(output.exit_code(), Some(0));
    assert!(output.stderr().contains("sandbox") && output.stderr().contains("access"), "{output}");
}

/// D11-240
#[test]
fn the_runtime_of_other_tools_is_ignored() {
    let env = world();
    env.write(".jp/config.toml", "[conversation.tools.fs_read_file]\nsource = \"builtin\"\nruntime = \"vfs\"\nrun = \"unattended\"\n");
    let output = env.jp(["tool", "list"]).run();
    assert!(output.stderr().contains("warning") && output.stderr().contains("runtime"), "{output}");
}

/// D11-219: the path is granted, and what it is called keeps it closed.
#[test]
fn sensitive_files_stay_closed() {
    let body = r#"result(call("fs.read", path=".env")["error"]["message"] + " / " + json.dumps(call("fs.grep", pattern="TOKEN=[0-9]")["result"]))"#;
    let env = with_tool(EVERYTHING, body);
    env.write(".env", "TOKEN=1");
    let output = run(&env, &[]).run().success();
    assert!(
        output.stdout().contains("sensitive") && output.stdout().contains(r#"{"matches": []}"#),
        "{output}"
    );
}

/// A database that cannot be made is said with the setting that names it.
#[test]
fn a_database_that_cannot_be_made() {
    let settings = "[project]\nbackend = \"sqlite\"\npath = \"/nowhere/p.db\"\n";
    let output = run(&with_tool(settings, "result('ran')"), &[]).run().code(1);
    insta::assert_snapshot!(output.stderr(), @"error: `project.path`: /nowhere/p.db: No such file or directory (os error 2)");
}
