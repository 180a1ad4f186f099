//! The tools in `examples/tools/vfs`, against a host that was written from the document alone.

mod host;
mod page;

use std::collections::BTreeSet;

use super::*;
use host::Host;

/// A tool, what it can be asked, and what it must say.
struct Sealed {
    name: &'static str,
    interpreter: Option<(&'static str, &'static str)>,
    file: &'static str,
    /// Arguments as text, and how a person sees them; `None` where the tool leaves that to the host.
    shown: (&'static str, &'static str),
    /// Arguments as text, and what comes of them.
    good: &'static [(&'static str, &'static str)],
    /// Arguments as text, and what the error says.
    bad: &'static [(&'static str, &'static str)],
    /// Which methods it calls with the first of the good arguments.
    calls: &'static [&'static str],
}

const SEALED: &[Sealed] = &[
    Sealed {
        name: "rename_identifier",
        interpreter: None,
        file: "rename_identifier",
        shown: (r#"{"from":"a","to":"b"}"#, "rename a to b"),
        good: &[
            (r#"{"from":"total","to":"sum"}"#, "src/a.rs: 2\nsrc/b.py: 1"),
            (r#"{"from":"total","to":"sum","extensions":["py"]}"#, "src/b.py: 1"),
            (r#"{"from":"nothing","to":"sum"}"#, "There is no nothing."),
            (r#"{"from":"tota","to":"sum"}"#, "There is no tota."),
        ],
        bad: &[
            (r#"{"from":"a"}"#, "wrong arguments: missing argument `to`"),
            (r#"{"from":"a b","to":"c"}"#, "argument `from`: expected letters, digits and _"),
            (r#"{"from":"a","to":"b","x":1}"#, "wrong arguments: unknown argument `x`"),
        ],
        calls: &["fs.grep", "fs.read", "fs.write"],
    },
    Sealed {
        name: "outline",
        interpreter: Some(("python3", "install the package python3")),
        file: "outline.py",
        shown: (r#"{"path":"docs"}"#, "show the headings in docs"),
        good: &[
            ("{}", "README.md:1: One\nREADME.md:3:   Two\ndocs/b.md:2: \"Three\""),
            (r#"{"path":"README.md","depth":1}"#, "README.md:1: One"),
            (r#"{"path":"src"}"#, "There are no headings."),
        ],
        bad: &[
            (r#"{"path":7}"#, "expected `path` as a string and `depth` as an integer"),
            (r#"{"x":7}"#, "unknown argument `x`"),
            (r#"{"path":"none"}"#, "there is no \"none\""),
            (r#"{"path":"../x"}"#, "the path \"../x\" leads out"),
        ],
        calls: &["fs.list_dir", "fs.metadata", "fs.read"],
    },
    Sealed {
        name: "list_scripts",
        interpreter: Some(("node", "install Node.js 20 or newer")),
        file: "list_scripts.js",
        shown: (r#"{"path":"docs"}"#, "list the scripts in docs"),
        good: &[
            ("{}", ". build: tsc\n. test: node --test \"x\"\nsrc lint: eslint"),
            (r#"{"name":"lint"}"#, "src lint: eslint"),
            (r#"{"path":"docs"}"#, "There are no scripts."),
        ],
        bad: &[
            (r#"{"path":7}"#, "argument `path`: expected none or a string"),
            (r#"{"x":"y"}"#, "argument `x`: expected none or a string"),
            (r#"{"path":"none"}"#, "there is no \"none\""),
            (r#"{"path":"../x"}"#, "the path \"../x\" leads out"),
        ],
        calls: &["fs.list_dir", "fs.read"],
    },
    Sealed {
        name: "count_todos",
        interpreter: Some(("sh", "every Unix has one")),
        file: "count_todos.sh",
        shown: (r#"{"mark":"TODO"}"#, "count TODO"),
        good: &[
            ("{}", "TODO src/a.rs: 2\nTODO src/q\"\\.txt: 1\nFIXME src/b.py: 1"),
            (r#"{"mark":"FIXME"}"#, "FIXME src/b.py: 1"),
            (r#"{"mark":"NOWHERE"}"#, "There is nothing to do."),
        ],
        bad: &[
            (r#"{"mark":7}"#, "expected at most the argument `mark`, a string"),
            (r#"{"x":"TODO"}"#, "expected at most the argument `mark`, a string"),
            (r#"{"mark":"$(rm)\".*"}"#, "argument `mark`: expected letters, digits and _"),
        ],
        calls: &["fs.grep"],
    },
];

#[test]
fn each_sealed_tool_describes_itself() {
    // D11-170
    let env = project();
    let names = SEALED.iter().map(|tool| (tool.name, false)).chain([("clear_todos", true)]);
    for (name, is_stateful) in names {
        let mut host = Host::start(&command(name), env.project());
        host.say(&init("schema", "{}", &json!({})));
        let (method, params) = host.serve().unwrap();
        assert_eq!(method, "result");
        let schema: SchemaResponse = serde_json::from_value(params["content"].clone()).unwrap();
        let [schema] = schema.tools.as_slice() else { panic!("{name}") };
        assert_eq!((&*schema.name, schema.is_stateful()), (name, is_stateful));
        assert!(schema.summary.is_some());
        assert_eq!(host.called, [""; 0]);
        assert_eq!(host.exit_code(), Some(0), "{name}");
    }
}

#[test]
fn each_sealed_tool_shows_its_arguments() {
    let env = project();
    for tool in SEALED {
        let (arguments, shown) = tool.shown;
        let said = tool.run(&env, "format_arguments", arguments);
        assert_eq!((said.method.as_str(), said.content()), ("result", shown), "{}", tool.name);
        assert_eq!(said.called, [""; 0]);
    }
}

#[test]
fn sealed_tools_work_with_what_the_host_gives_them() {
    // D11-265
    for tool in SEALED {
        for (index, (arguments, expected)) in tool.good.iter().enumerate() {
            let env = project();
            let said = tool.run(&env, "run", arguments);
            assert_eq!(said.content(), *expected, "{} {arguments}", tool.name);
            assert_eq!((said.method.as_str(), said.exit_code), ("result", Some(0)));
            if index == 0 {
                let called: BTreeSet<&str> = said.called.iter().map(String::as_str).collect();
                assert_eq!(called, tool.calls.iter().copied().collect(), "{}", tool.name);
            }
        }
    }
    let env = project();
    SEALED[0].run(&env, "run", r#"{"from":"total","to":"sum"}"#);
    assert_eq!(
        env.read("src/a.rs"),
        "let sum = sum + totals; // TODO\n// TODO \"is_match\":true\n"
    );
}

#[test]
fn sealed_tools_come_to_an_end_where_links_lead_in_circles() {
    for tool in SEALED.iter().filter(|tool| tool.calls.contains(&"fs.list_dir")) {
        let env = project();
        for link in ["docs/up", "src/up"] {
            std::os::unix::fs::symlink("..", env.project().join(link)).unwrap();
        }
        let said = tool.run(&env, "run", tool.good[0].0);
        assert_eq!(said.method, "result", "{}: {:?}", tool.name, said.params);
        assert!(said.called.len() < 100, "{}: {} requests", tool.name, said.called.len());
    }
}

#[test]
fn sealed_tools_name_the_mistake() {
    // D11-262 in other languages
    let env = project();
    let before = snapshot(env.project());
    for tool in SEALED {
        for (arguments, message) in tool.bad {
            let said = tool.run(&env, "run", arguments);
            assert_eq!(said.method, "error", "{} {arguments}: {:?}", tool.name, said.params);
            assert_eq!(said.params["message"], *message, "{} {arguments}", tool.name);
        }
    }
    assert_eq!(snapshot(env.project()), before);
}

#[test]
fn a_sealed_tool_asks_before_it_writes() {
    // D11-043, D11-166
    let env = project();
    let before = snapshot(env.project());
    let ask = |answers: Value| {
        let mut host = Host::start(&command("rename_identifier"), env.project());
        host.say(&init("run", r#"{"from":"total","to":"sum"}"#, &answers));
        host.serve().unwrap().1
    };
    let question = &ask(json!({}))["content"][0];
    assert_eq!(question["question"]["text"], "Rename total to sum in 2 files?");
    assert_eq!(ask(json!({ "rename": false }))["content"], "Nothing was changed.");
    assert_eq!(snapshot(env.project()), before);
}

#[test]
fn sealed_tools_end_when_they_are_cancelled_or_left_alone() {
    let env = project();
    for tool in SEALED {
        let (arguments, _) = tool.good[0];
        for last in [Some(r#"{"jsonrpc":"2.0","method":"cancel"}"#), None] {
            let mut host = Host::start(&command(tool.name), env.project());
            host.say(&init("run", arguments, &json!({})));
            // Nothing is served, so it stands at its first request.
            if let Some(line) = last {
                host.say_line(line);
            }
            let code = host.leave();
            assert_ne!(code, Some(0), "{} {last:?}", tool.name);
        }
    }
}

#[test]
fn a_sealed_tool_that_stays_alive_goes_step_by_step() {
    // D11-187
    let spawn = r#"{"action":"spawn","id":"a","args":{"mark":"TODO"}}"#;
    let answer = |input: Value| json!({ "method": "apply", "params": { "input": input } });
    let env = project();
    let mut host = Host::start(&command("clear_todos"), env.project());
    host.say(&init("run", spawn, &json!({})));
    let (_, state) = host.serve().unwrap();
    assert_eq!((&state["type"], &state["question"]["id"]), (&json!("waiting"), &json!("line_1")));
    assert_eq!(state["content"], "src/a.rs:1: let total = total + totals; // TODO");
    host.say(&answer(json!("what?")));
    assert_eq!(host.serve().unwrap().1, state);
    for input in [false, true] {
        host.say(&answer(json!(input)));
        assert_eq!(host.serve().unwrap().1["type"], "waiting");
    }
    host.say(&answer(json!(false)));
    let stopped = json!({ "type": "stopped", "result": "Removed 1 lines." });
    assert_eq!(host.serve().unwrap(), ("state".to_owned(), stopped));
    assert_eq!(host.called, ["fs.grep", "fs.read", "fs.write"]);
    assert_eq!(host.exit_code(), Some(0));
    assert_eq!(env.read("src/a.rs"), "let total = total + totals; // TODO\n");

    let env = project();
    let before = snapshot(env.project());
    let mut host = Host::start(&command("clear_todos"), env.project());
    host.say(&init("run", spawn, &json!({})));
    host.serve().unwrap();
    host.say(&answer(json!(true)));
    host.serve().unwrap();
    host.say(&json!({ "method": "cancel" }));
    let (_, state) = host.serve().unwrap();
    assert_eq!(state["result"], "Aborted after 1 lines; nothing was removed.");
    assert_eq!(host.exit_code(), Some(0));
    assert_eq!(snapshot(env.project()), before);
}

#[test]
fn a_sealed_tool_without_a_host_says_what_it_is() {
    let env = project();
    for input in ["", "hello\n", "{}\n"] {
        let output = env.command(program("rename_identifier"), [""; 0]).stdin(input).run();
        assert_eq!((output.exit_code(), output.stdout()), (Some(1), ""));
        assert!(output.stderr().contains("This is a tool for `runtime = \"vfs\"`"), "{output}");
    }
}

#[test]
fn no_example_is_longer_than_eighty_lines() {
    let dir = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tools/vfs");
    let files = snapshot(&dir);
    assert_eq!(files.len(), SEALED.len() + 1);
    for (path, bytes) in files {
        let count = String::from_utf8(bytes).unwrap().lines().count();
        assert!(count <= 80, "{path} has {count} lines");
    }
}

/// How a call ended.
struct Said {
    method: String,
    params: Value,
    called: Vec<String>,
    exit_code: Option<i32>,
}

impl Said {
    fn content(&self) -> &str {
        self.params["content"].as_str().unwrap_or_else(|| panic!("{:?}", self.params))
    }
}

impl Sealed {
    fn run(&self, env: &TestEnv, action: &str, arguments: &str) -> Said {
        let mut host = Host::start(&command(self.name), env.project());
        host.say(&init(action, arguments, &json!({ "rename": true })));
        let (method, params) = host.serve().unwrap_or_else(|| panic!("{} said nothing", self.name));
        let called = host.called.clone();
        Said { method, params, called, exit_code: host.exit_code() }
    }
}

fn command(name: &str) -> Vec<Utf8PathBuf> {
    match SEALED
        .iter()
        .find(|tool| tool.name == name)
        .and_then(|tool| tool.interpreter.zip(Some(tool.file)))
    {
        None => vec![program(name)],
        Some(((interpreter, how), file)) => {
            let dir = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tools/vfs");
            vec![find(interpreter, how), dir.join(file)]
        }
    }
}

fn init(action: &str, arguments: &str, answers: &Value) -> Value {
    let arguments: Value = serde_json::from_str(arguments).unwrap();
    json!({
        "method": "init",
        "params": {
            "tool": { "name": "t", "arguments": arguments, "answers": answers, "options": {} },
            "context": { "action": action, "access": null },
            "protocol_version": "0.1.0",
        },
    })
}

/// A small project.
fn project() -> TestEnv {
    let env = TestEnv::new("/nowhere/jp");
    env.write("README.md", "# One\n\n## Two\n\n```sh\n# no heading\n```\n#no heading\n");
    env.write("docs/b.md", "\n# \"Three\"\n");
    env.write("package.json", r#"{"scripts":{"build":"tsc","test":"node --test \"x\""}}"#);
    env.write("src/package.json", r#"{"scripts":{"lint":"eslint"}}"#);
    env.write("src/a.rs", "let total = total + totals; // TODO\n// TODO \"is_match\":true\n");
    env.write("src/b.py", "total = 1  # FIXME\n");
    env.write("src/q\"\\.txt", "TODO\n");
    env
}
