//! The tools in `examples/tools`, run as the host runs them: a process, a line on stdin, a line on
//! stdout. Three of them know nothing of this crate, so they show that the documents are enough.
//!
//! Each row of [`TOOLS`] goes through the same questions, good and bad.
#![cfg(all(unix, feature = "sdk"))]
#![expect(clippy::disallowed_methods, reason = "tests find and start programs")]
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod git_stage;
mod page;
mod probe;
mod sealed;

use std::env;

use camino::{Utf8Path, Utf8PathBuf};
use jp_test::{Output, TestEnv};
use jp_tool::{Outcome, SchemaResponse};
use serde_json::{Value, json};

/// A tool, what it can be asked, and what it must say.
struct Example {
    name: &'static str,
    /// What runs it, and how to get that; `None` for a program of our own.
    interpreter: Option<(&'static str, &'static str)>,
    file: &'static str,
    /// The arguments that have to be given.
    required: &'static [&'static str],
    /// Arguments as text, and a part of how a person sees them.
    shown: (&'static str, &'static str),
    /// Arguments as text, and what comes of them.
    good: &'static [(&'static str, &'static str)],
    /// Arguments as text, and what the error says.
    bad: &'static [(&'static str, &'static str)],
}

const TOOLS: &[Example] = &[
    Example {
        name: "count_lines",
        interpreter: None,
        file: "count_lines",
        required: &["path"],
        shown: (r#"{"path":"a.txt","unit":"words"}"#, "count the words of a.txt"),
        good: &[
            (r#"{"path":"a.txt"}"#, "3"),
            (r#"{"path":"a.txt","unit":"words"}"#, "6"),
            (r#"{"path":"./sub/../a.txt","unit":"bytes"}"#, "29"),
        ],
        bad: &[
            ("{}", "wrong arguments: missing argument `path`"),
            (r#"{"path":7}"#, "argument `path`: invalid type: integer `7`, expected a string"),
            (
                r#"{"path":"a.txt","unit":"pages"}"#,
                "argument `unit`: unknown variant `pages`, expected one of `lines`, `words`, `bytes`",
            ),
            (r#"{"path":"a.txt","nonsense":1}"#, "wrong arguments: unknown argument `nonsense`"),
            (r#"{"path":"none.txt"}"#, "none.txt: No such file or directory (os error 2)"),
            (r#"{"path":"../x"}"#, "path escapes the workspace: ../x"),
            (r#"{"path":"sub"}"#, "sub: Is a directory (os error 21)"),
        ],
    },
    Example {
        name: "find_todos",
        interpreter: Some(("python3", "install the package python3")),
        file: "find_todos.py",
        required: &[],
        shown: (r#"{"path":"sub"}"#, "look for TODO, FIXME in sub"),
        good: &[
            ("{}", "a.txt:2: TODO two\nsub/b.txt:1: FIXME"),
            (r#"{"path":"sub","marks":["FIX"]}"#, "sub/b.txt:1: FIXME"),
            (r#"{"marks":["nowhere"]}"#, "Nothing found."),
        ],
        bad: &[
            (r#"{"path":7}"#, "argument `path`: expected a string"),
            (
                r#"{"marks":"TODO"}"#,
                "argument `marks`: expected a list of strings that are not empty",
            ),
            (r#"{"nonsense":1}"#, "unknown argument `nonsense`"),
            (r#"{"path":"../x"}"#, "path escapes the workspace: ../x"),
            (r#"{"path":"/etc"}"#, "path escapes the workspace: /etc"),
            (r#"{"path":"none"}"#, "argument `path`: there is no none"),
            (r#"{"path":"a\u0000b"}"#, "argument `path`: embedded null byte"),
        ],
    },
    Example {
        name: "host_info",
        interpreter: Some(("sh", "every Unix has one")),
        file: "host_info.sh",
        required: &["topic"],
        shown: (r#"{"topic":"disk"}"#, "look at: disk"),
        good: &[(r#"{"topic":"system"}"#, "Linux"), (r#"{ "topic" : "disk" }"#, "Filesystem")],
        bad: &[
            ("{}", "missing argument `topic`"),
            (r#"{"topic":["disk"]}"#, "argument `topic`: expected system, disk or load"),
            (r#"{"topic":7}"#, "argument `topic`: expected system, disk or load"),
            (r#"{"topic":"x\"; rm -rf $HOME"}"#, "argument `topic`: expected system, disk or load"),
            (r#"{"topic":"disk","nonsense":1}"#, "unknown argument `nonsense`"),
            (r#"{"topic":"disk","$(ls)\n":[]}"#, "unknown argument `??ls??n`"),
        ],
    },
    Example {
        name: "add_note",
        interpreter: Some(("node", "install Node.js 20 or newer")),
        file: "add_note.js",
        required: &["text"],
        shown: (r#"{"text":"hi"}"#, "add to NOTES.md: hi"),
        good: &[(r#"{"text":"hi","file":"sub/b.txt"}"#, "Added to sub/b.txt.")],
        bad: &[
            ("{}", "missing argument `text`"),
            (r#"{"text":7}"#, "argument `text`: expected a string of one line"),
            (r#"{"text":"a\nb"}"#, "argument `text`: expected a string of one line"),
            (r#"{"text":"a","file":[]}"#, "argument `file`: expected the path of a file"),
            (r#"{"text":"a","nonsense":1}"#, "unknown argument `nonsense`"),
            (r#"{"text":"a","file":"../x"}"#, "path escapes the workspace: ../x"),
        ],
    },
    Example {
        name: "git_stage",
        interpreter: None,
        file: "git_stage",
        required: &[],
        shown: (r#"{"path":"src"}"#, "choose what to stage in src"),
        good: &[],
        bad: &[
            (r#"{"path":"."}"#, "this tool stays alive: its arguments need an `action`"),
            (
                r#"{"action":"spawn","id":"a","args":{"path":7}}"#,
                "argument `path`: invalid type: integer `7`, expected a string",
            ),
            (
                r#"{"action":"spawn","id":"a","args":{"nonsense":7}}"#,
                "wrong arguments: unknown argument `nonsense`",
            ),
        ],
    },
];

#[test]
fn each_describes_itself() {
    // D06-003, D06-005, D06-008, D06-009, D06-010
    let env = workspace();
    for tool in TOOLS {
        let output = tool.run(&env, &invocation(&env, "schema", "{}", "{}")).success();
        assert_eq!(output.stderr(), "", "{}", tool.name);
        let response = SchemaResponse::parse(line(&output)).unwrap();
        let [schema] = response.tools.as_slice() else { panic!("{}", tool.name) };
        assert_eq!(schema.name, tool.name);
        assert!(schema.summary.is_some());
        assert_eq!(schema.is_stateful(), tool.name == "git_stage");
        // D06-014, D06-015
        let required = schema.parameters.iter().filter(|(_, parameter)| parameter.is_required());
        let required: Vec<&str> = required.map(|(name, _)| &**name).collect();
        assert_eq!(required, tool.required, "{}", tool.name);
    }
}

#[test]
fn asking_for_a_description_or_for_the_arguments_does_nothing() {
    // D06-045
    for tool in TOOLS {
        let env = workspace();
        let before = snapshot(env.project());
        let (arguments, shown) = tool.shown;
        tool.run(&env, &invocation(&env, "schema", arguments, "{}")).success();
        let output =
            tool.run(&env, &invocation(&env, "format_arguments", arguments, "{}")).success();
        assert_eq!(text(&output), shown, "{}", tool.name);
        assert_eq!(snapshot(env.project()), before, "{}", tool.name);
    }
}

#[test]
fn good_arguments_give_a_result() {
    for tool in TOOLS {
        for (arguments, result) in tool.good {
            let env = workspace();
            let output = tool.run(&env, &invocation(&env, "run", arguments, "{}")).success();
            let text = text(&output);
            assert!(text.starts_with(result), "{} {arguments}: {text}", tool.name);
        }
    }
}

#[test]
fn bad_arguments_give_an_error_that_names_them() {
    let env = workspace();
    for tool in TOOLS {
        for (arguments, message) in tool.bad {
            let output = tool.run(&env, &invocation(&env, "run", arguments, "{}"));
            assert_eq!(error(&output), *message, "{} {arguments}", tool.name);
        }
    }
}

#[test]
fn what_is_no_invocation_gives_an_error() {
    let env = workspace();
    let huge = format!("{{\"tool\":{{\"arguments\":{{\"a\":\"{}", "x".repeat(20 << 20));
    let deep = "[".repeat(1 << 20);
    let inputs: &[&[u8]] = &[
        b"",
        b"\n",
        b"--help\n",
        b"[]\n",
        b"{}",
        b"{\"tool\":7,\"context\":7}\n",
        b"{\"tool\":{\"name\":\"a\",\"arguments\":[7]},\"context\":[]}",
        b"{\"tool\":{\"name\":\"a\"",
        b"\xff\xfe\x00{}\n",
        huge.as_bytes(),
        deep.as_bytes(),
    ];
    for tool in TOOLS {
        for input in inputs {
            let output = tool.run(&env, input);
            let message = error(&output);
            let shown = String::from_utf8_lossy(&input[..input.len().min(60)]);
            assert!(message.len() < 200, "{} {shown}: {message}", tool.name);
            // Nothing crashed on the way: no trace for people, no half an answer.
            assert_eq!(output.stderr(), "", "{} {shown}", tool.name);
        }
    }
}

#[test]
fn a_question_is_asked_and_its_answer_is_used() {
    let env = workspace();
    let note = example("add_note");
    let ask = |answers| invocation(&env, "run", r#"{"text":"hi"}"#, answers);
    let output = note.run(&env, &ask("{}")).success();
    let Outcome::NeedsInput { question } = Outcome::parse(line(&output)).unwrap() else {
        panic!("{output}")
    };
    assert_eq!((&*question.id, question.default), ("create_file", Some(json!(false))));
    assert!(!env.path("NOTES.md").exists());

    let output = note.run(&env, &ask(r#"{"create_file":false}"#)).success();
    assert_eq!(text(&output), "Nothing was written.");
    assert!(!env.path("NOTES.md").exists());

    note.run(&env, &ask(r#"{"create_file":true}"#)).success();
    note.run(&env, &ask("{}")).success();
    assert_eq!(env.read("NOTES.md"), "- hi\n- hi\n");
}

#[test]
fn what_the_rules_do_not_grant_is_not_touched() {
    // The rules reach a tool as `context.access`, whatever language it is written in.
    let rules = json!([
        { "path": ".", "read": true, "write": true },
        { "path": "sub", "write": false },
        { "path": "sub/b.txt", "read": true },
        { "path": "sub/b.txt" },
    ]);
    for (name, arguments, expected) in [
        ("count_lines", r#"{"path":"a.txt"}"#, "3"),
        (
            "count_lines",
            r#"{"path":"sub/b.txt"}"#,
            "access denied: read on sub/b.txt (granted: ., sub/b.txt)",
        ),
        ("find_todos", "{}", "a.txt:2: TODO two"),
        ("add_note", r#"{"text":"a","file":"a.txt"}"#, "Added to a.txt."),
        (
            "add_note",
            r#"{"text":"a","file":"sub/c.txt"}"#,
            "access denied: create on sub/c.txt (rules: ., sub, sub/b.txt, sub/b.txt)",
        ),
    ] {
        let env = workspace();
        let line = invocation(&env, "run", arguments, "{}");
        let mut value: Value = serde_json::from_slice(&line).unwrap();
        value["context"]["access"] = json!({ "fs": rules });
        let output = example(name).run(&env, value.to_string().as_bytes());
        let said = if output.exit_code() == Some(0) { text(&output) } else { error(&output) };
        assert_eq!(said, expected, "{name} {arguments}");
        assert!(!env.path("sub/c.txt").exists());
    }
}

impl Example {
    fn command(&self) -> Vec<Utf8PathBuf> {
        match self.interpreter {
            None => vec![program(self.file)],
            Some((interpreter, how)) => vec![
                find(interpreter, how),
                Utf8Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("../../examples/tools")
                    .join(self.file),
            ],
        }
    }

    fn run(&self, env: &TestEnv, stdin: &[u8]) -> Output {
        let command = self.command();
        let args = command[1..].iter().map(|arg| arg.as_str());
        env.command(&command[0], args).env("PATH", path()).stdin(stdin).run()
    }
}

fn example(name: &str) -> &'static Example {
    TOOLS.iter().find(|tool| tool.name == name).unwrap()
}

/// A small project.
fn workspace() -> TestEnv {
    let env = TestEnv::new("/nowhere/jp");
    env.write("a.txt", "one\n  TODO two\nthree and more");
    env.write("sub/b.txt", "FIXME\n");
    env.write(".hidden", "TODO not this one\n");
    env
}

/// A line as the host writes it. The arguments are text, so that they can be odd.
fn invocation(env: &TestEnv, action: &str, arguments: &str, answers: &str) -> Vec<u8> {
    format!(
        r#"{{"tool":{{"name":"t","arguments":{arguments},"answers":{answers},"options":{{}}}},"context":{{"root":{},"action":"{action}","access":null}}}}{}"#,
        json!(env.project()),
        '\n'
    )
    .into_bytes()
}

/// The one line that was printed.
fn line(output: &Output) -> &str {
    let line = output.stdout().strip_suffix('\n').unwrap_or_else(|| panic!("{output}"));
    assert!(!line.contains('\n'), "{output}");
    line
}

/// What the host makes of an answer that is no error: the content, or plain text.
fn text(output: &Output) -> String {
    match Outcome::parse(output.stdout()) {
        Ok(Outcome::Success { content }) => content,
        Ok(_) => panic!("{output}"),
        Err(_) => output.stdout().trim_end().to_owned(),
    }
}

fn error(output: &Output) -> String {
    match Outcome::parse(line(output)) {
        Ok(Outcome::Error(error)) if output.exit_code() == Some(1) => error.message,
        _ => panic!("{output}"),
    }
}

/// Every file below a directory, with its content.
fn snapshot(dir: &Utf8Path) -> Vec<(Utf8PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in dir.read_dir_utf8().unwrap() {
        let path = entry.unwrap().into_path();
        if path.is_dir() {
            files.extend(snapshot(&path));
        } else {
            files.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}

/// An example that Cargo built together with the tests.
fn program(name: &str) -> Utf8PathBuf {
    let test = Utf8PathBuf::try_from(env::current_exe().unwrap()).unwrap();
    let path = test.parent().unwrap().with_file_name("examples").join(name);
    assert!(path.is_file(), "{path} is missing: run `cargo build -p jp_tool --examples` first");
    path
}

fn find(name: &str, how: &str) -> Utf8PathBuf {
    let path = path();
    let found = env::split_paths(&path).map(|dir| dir.join(name)).find(|path| path.is_file());
    let found = found.unwrap_or_else(|| panic!("`{name}` is needed to run its example: {how}"));
    Utf8PathBuf::try_from(found).unwrap()
}

fn path() -> String {
    env::var("PATH").unwrap()
}
