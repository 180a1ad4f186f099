//! What a tool can do by itself: nothing. And what it can read: itself.

use super::*;

/// Tries everything by itself and reports what worked.
const REACHES: &str = r#"
import socket, subprocess
root, home, port = json.loads(init["tool"]["options"]["places"])
could = []
def attempt(what, deed):
    try:
        deed()
        could.append(what)
    except BaseException:
        pass
attempt("read the workspace", lambda: open(root + "/secret").read())
attempt("list the workspace", lambda: os.listdir(root).index("secret"))
attempt("write the workspace", lambda: open(root + "/new", "w"))
attempt("read beside itself", lambda: open(os.path.dirname(os.path.abspath(__file__)) + "/other").read())
attempt("read the home", lambda: open(home + "/notes").read())
attempt("connect", lambda: socket.create_connection(("127.0.0.1", port), 2))
attempt("execute", lambda: subprocess.run(["/bin/true"], check=True))
attempt("execute with a shell", lambda: subprocess.run("exit 0", shell=True, check=True))
attempt("see the files of others in /tmp", lambda: os.listdir("/tmp")[0])
attempt("read the configuration", lambda: open(root + "/.jp/config.toml").read())
own = open(__file__).read() != ""
asked = call("fs.read", path="secret")["result"]["content"]
result(json.dumps({"could": could, "own": own, "asked": asked}))
"#;

/// What a tool without a seal can do, of all that is attempted.
const ALL: [&str; 10] = [
    "read the workspace",
    "list the workspace",
    "write the workspace",
    "read beside itself",
    "read the home",
    "connect",
    "execute",
    "execute with a shell",
    "see the files of others in /tmp",
    "read the configuration",
];

/// D11-001 to D11-007, D11-009, D11-271: each attempt fails behind the seal and works without it.
#[test]
fn a_sealed_tool_can_do_nothing_by_itself() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it has an address").port();
    let _in_temp = tempfile::NamedTempFile::new_in("/tmp").expect("there is a /tmp");
    let env = with_tool("", REACHES);
    env.write("secret", "s3cret");
    env.write("tools/other", "other");
    env.write(env.home().join("notes"), "notes");
    let places = format!("[{:?}, {:?}, {port}]", env.project().as_str(), env.home().as_str());
    let options = format!("options = {{ places = '{places}' }}\n");
    let degraded = "[sandbox]\nallow_degraded = true\n";
    for (hidden, more, expected) in [("", "", &[][..]), ("namespaces,landlock", degraded, &ALL[..])]
    {
        configure(&env, &format!("{options}{more}"));
        let output = run(&env, &[]).env("JP_SANDBOX_HIDE", hidden).run().success();
        let told: serde_json::Value =
            serde_json::from_str(output.stdout().trim()).expect("it is JSON");
        assert_eq!(told["could"], serde_json::json!(expected), "{output}");
        assert_eq!((&told["own"], &told["asked"]), (&true.into(), &"s3cret".into()));
    }
}

/// D11-008, and the module that it imports from there.
#[test]
fn a_tool_of_many_files_reads_those_that_are_listed() {
    let body = r#"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    from lib import helper
    found = helper.WORD
except ImportError:
    found = "not there"
try:
    open("tools/lib2/helper.py")
    found += ", and the sibling"
except OSError:
    pass
result(found)
"#;
    let env = with_tool("", body);
    env.write("tools/lib/helper.py", "WORD = 'helped'\n");
    env.write("tools/lib2/helper.py", "WORD = 'sibling'\n");
    assert_eq!(run(&env, &[]).run().success().stdout(), "not there\n");
    configure(&env, "program_files = [\"tools/lib/\"]\n");
    assert_eq!(run(&env, &[]).run().success().stdout(), "helped\n");
}

/// A file that is listed and not there is said once, with the setting that lists it; also if the program need
/// not be asked what it is.
#[test]
fn files_of_the_program_that_are_not_there() {
    for (settings, code) in [("", 2), ("description = \"d\"\nparameters = {}\n", 1)] {
        let env = with_tool(&format!("program_files = [\"nope\"]\n{settings}"), "result('ran')");
        let output = run(&env, &[]).run().code(code);
        let said = output.stderr();
        assert_eq!(said.matches("No such file or directory").count(), 1, "{output}");
        assert!(said.contains("`conversation.tools.t.program_files` lists it"), "{output}");
        assert!(!said.contains("command"), "{output}");
    }
}

/// D11-010, D11-011
#[test]
fn without_a_sandbox_it_is_refused() {
    let env = with_tool("", "result('ran')");
    let hidden = |env| run(env, &[]).env("JP_SANDBOX_HIDE", "namespaces,landlock");
    let output = hidden(&env).run();
    assert_ne!(output.exit_code(), Some(0), "{output}");
    assert!(!output.stdout().contains("ran"), "{output}");
    configure(&env, "[sandbox]\nallow_degraded = true\n");
    let output = hidden(&env).run().success();
    assert_eq!(output.stdout(), "ran\n");
    assert_eq!(output.stderr().matches("warning").count(), 1, "{output}");
    configure(&env, "[sandbox]\ndefault = \"off\"\n");
    let output = hidden(&env).run().success();
    assert_eq!(output.stdout(), "ran\n");
    assert!(output.stderr().contains("the tool is not sealed"), "{output}");
}

/// D11-010: Landlock alone can keep it sealed.
#[test]
fn without_namespaces_it_is_sealed_all_the_same() {
    let env = with_tool(
        "",
        "try:\n    result(open('secret').read())\nexcept OSError:\n    result('sealed')",
    );
    env.write("secret", "s3cret");
    let output = run(&env, &[]).env("JP_SANDBOX_HIDE", "namespaces").run().success();
    assert_eq!(output.stdout(), "sealed\n");
}

/// D11-015: one call, let in here and kept out there.
#[test]
fn each_request_is_judged_by_itself() {
    let body = "result(json.dumps([code('fs.read', path=path) for path in ['src/a', '.env', 'b', 'src/a']]))";
    let env = with_tool(
        "access = { fs = [{ path = \"src\", read = true }, { path = \".env\", read = false }] }\n",
        body,
    );
    env.write("src/a", "a");
    env.write(".env", "TOKEN=1");
    env.write("b", "b");
    assert_eq!(run(&env, &[]).run().success().stdout(), "[0, -32001, -32001, 0]\n");
}
