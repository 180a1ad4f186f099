//! Whole programs on the SDK: the three actions, questions, and tools that stay alive.

use serde::Deserialize;

use super::*;
use crate::{AnswerType, Content, Exit, JsonSchema, NoArgs, Session, ToolEntry, ToolState};

/// Change the case of a file.
#[derive(Deserialize, JsonSchema)]
struct Upper {
    /// Which one.
    path: String,
}

fn upper(args: Upper, host: &VfsHost) -> Result<String, Stop> {
    let Upper { path } = args;
    assert!(path != "panic", "out of paper");
    if path == "ask" {
        let question = Question::new("really", "Really?", AnswerType::Boolean);
        return Ok(format!("{}", host.ask::<bool>(question)?));
    }
    let text = host.read(&path)?;
    host.write(&path, text.to_uppercase())?;
    Ok(format!("Changed {path}."))
}

fn tools() -> [ToolEntry<VfsHost>; 2] {
    let show = |args: Upper, _: &VfsHost| format!("change {}", args.path);
    [tool("t", upper).describe(show), stateful("count", |_: NoArgs, host| start(host))]
}

fn start(host: &VfsHost) -> Result<Counting, ToolError> {
    Ok(Counting { host: host.clone(), left: host.list_dir(".")?.len() })
}

/// Counts down, and asks the host for something at each step.
struct Counting {
    host: VfsHost,
    left: usize,
}

impl Session for Counting {
    fn fetch(&mut self) -> Result<ToolState, ToolError> {
        if self.left == 0 {
            return Ok(ToolState::Stopped { result: "Done.".into() });
        }
        Ok(ToolState::Running { content: Some(self.left.to_string().into()) })
    }

    fn apply(&mut self, input: Value) -> Result<ToolState, ToolError> {
        self.host.write("log", input.to_string())?;
        self.left -= 1;
        self.fetch()
    }

    fn abort(&mut self) -> Content {
        format!("{} left.", self.left).into()
    }
}

fn program(action: &str, name: &str, arguments: &Value, script: impl FnOnce(&mut Peer)) -> Exit {
    let mut init = init(action, arguments);
    init["params"]["tool"]["name"] = json!(name);
    play(&init, |host| run(tools(), &host), script)
}

/// The only thing that a program says.
fn said(action: &str, name: &str, arguments: &Value) -> (Value, Exit) {
    let mut said = Value::Null;
    let exit = program(action, name, arguments, |peer| {
        said = peer.hear();
        assert!(peer.is_over());
    });
    (said["params"].clone(), exit)
}

#[test]
fn three_actions() {
    // D11-170
    let (description, exit) = said("schema", "", &json!({}));
    let tools = description["content"]["tools"].as_array().unwrap();
    assert_eq!((tools.len(), exit), (2, Exit::Success));
    assert_eq!(tools[0]["summary"], "Change the case of a file.");
    assert_eq!(tools[1]["actions"], json!(["spawn", "fetch", "apply", "abort"]));

    let shown = said("format_arguments", "t", &json!({ "path": "a" }));
    assert_eq!(shown, (json!({ "content": "change a" }), Exit::Success));

    let exit = program("run", "t", &json!({ "path": "a" }), |peer| {
        peer.serve("fs.read", &json!({ "path": "a" }), &json!({ "content": "hi", "size": 2 }));
        peer.serve("fs.write", &json!({ "path": "a", "content": "HI" }), &json!({}));
        let result = json!({ "method": "result", "params": { "content": "Changed a." } });
        assert_eq!(peer.hear(), result);
        assert!(peer.is_over());
    });
    assert_eq!(exit, Exit::Success);
}

#[test]
fn mistakes_are_errors() {
    for (name, arguments, message) in [
        ("t", json!({}), "wrong arguments: missing argument `path`"),
        ("t", json!({ "path": "a", "x": 1 }), "wrong arguments: unknown argument `x`"),
        ("t", json!({ "path": "panic" }), "the tool panicked: out of paper"),
        ("t", json!({ "path": "../a" }), "the path \"../a\" has a part \"..\""),
        ("other", json!({}), "no tool \"other\" in this program, only [\"t\", \"count\"]"),
        ("count", json!({}), "this tool stays alive: its arguments need an `action`"),
        (
            "count",
            json!({ "action": "fetch", "id": "a" }),
            "there is no session yet: the first action is `spawn`",
        ),
    ] {
        let (said, exit) = said("run", name, &arguments);
        assert_eq!((&said["message"], exit), (&json!(message), Exit::Failure), "{arguments}");
    }
    let exit = program("run", "t", &json!({ "path": "a" }), |peer| {
        let id = peer.hear()["id"].clone();
        peer.say(&json!({ "id": id, "error": { "code": -32001, "message": "denied" } }));
        assert_eq!(peer.hear()["params"]["message"], "denied");
    });
    assert_eq!(exit, Exit::Failure);
}

#[test]
fn a_question_ends_the_call() {
    // D11-043
    let (said, exit) = said("run", "t", &json!({ "path": "ask" }));
    let question = json!({ "id": "really", "text": "Really?", "schema": { "type": "boolean" } });
    let block = json!({ "type": "question", "question": question });
    assert_eq!((said, exit), (json!({ "content": [block] }), Exit::Success));
}

fn spawn(script: impl FnOnce(&mut Peer)) -> Exit {
    let arguments = json!({ "action": "spawn", "id": "a", "args": {} });
    program("run", "count", &arguments, |peer| {
        let file = |name: &str| json!({ "path": name, "kind": "file" });
        let entries = json!({ "entries": [file("a"), file("b")] });
        peer.serve("fs.list_dir", &json!({ "path": "." }), &entries);
        assert_eq!(peer.hear(), running("2"));
        script(peer);
    })
}

fn running(content: &str) -> Value {
    json!({ "method": "state", "params": { "type": "running", "content": content } })
}

fn stopped(result: &str) -> Value {
    json!({ "method": "state", "params": { "type": "stopped", "result": result } })
}

#[test]
fn a_tool_stays_alive_and_asks_at_every_step() {
    // D11-187, D11-188
    let exit = spawn(|peer| {
        for (input, state) in [(json!("y"), running("1")), (json!(7), stopped("Done."))] {
            peer.say(&json!({ "method": "apply", "params": { "input": input } }));
            let write = json!({ "path": "log", "content": input.to_string() });
            peer.serve("fs.write", &write, &json!({}));
            assert_eq!(peer.hear(), state);
        }
        assert!(peer.is_over());
    });
    assert_eq!(exit, Exit::Success);
}

#[test]
fn a_tool_that_stays_alive_can_be_cancelled_at_any_time() {
    let exit = spawn(|peer| {
        peer.say(&json!({ "method": "cancel" }));
        assert_eq!(peer.hear(), stopped("2 left."));
    });
    assert_eq!(exit, Exit::Success);
    // While it waits for an answer.
    let exit = spawn(|peer| {
        peer.say(&json!({ "method": "apply", "params": { "input": 1 } }));
        assert_eq!(peer.hear()["method"], "fs.write");
        peer.say(&json!({ "method": "cancel" }));
        assert_eq!(peer.hear(), stopped("2 left."));
    });
    assert_eq!(exit, Exit::Success);
    // The host goes away.
    assert_eq!(spawn(|_| {}), Exit::Failure);
    // A step fails.
    let exit = spawn(|peer| {
        peer.say(&json!({ "method": "apply", "params": { "input": 1 } }));
        let id = peer.hear()["id"].clone();
        peer.say(&json!({ "id": id, "error": { "code": -32001, "message": "denied" } }));
        assert_eq!(peer.hear()["params"]["message"], "denied");
    });
    assert_eq!(exit, Exit::Failure);
}
