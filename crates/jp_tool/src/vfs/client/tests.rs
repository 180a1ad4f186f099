//! The client against a host that does what a script says.
//!
//! Every wait has a limit: the streams of both sides time out.

mod entry;
mod messages;
mod streams;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;

/// The other end of the channel.
pub(super) struct Peer {
    input: BufReader<UnixStream>,
    output: UnixStream,
}

impl Peer {
    /// The next line of the tool, without what all of them have.
    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.input.read_line(&mut line).unwrap();
        assert!(line.ends_with('\n'), "the tool has ended: {line:?}");
        let mut message: Value = serde_json::from_str(&line).unwrap();
        // D11-020
        assert_eq!(message.as_object_mut().unwrap().remove("jsonrpc"), Some(json!("2.0")));
        message
    }

    fn say(&mut self, message: &Value) {
        let mut line = message.clone();
        line["jsonrpc"] = json!("2.0");
        self.say_line(&line.to_string());
    }

    fn say_line(&mut self, line: &str) {
        self.output.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Expects a request and answers it.
    fn serve(&mut self, method: &str, params: &Value, result: &Value) {
        let request = self.hear();
        assert_eq!((&request["method"], &request["params"]), (&json!(method), params));
        self.say(&json!({ "id": request["id"], "result": result }));
    }

    /// Whether the tool has nothing more to say.
    fn is_over(&mut self) -> bool {
        self.input.fill_buf().unwrap().is_empty()
    }
}

pub(super) fn init(action: &str, arguments: &Value) -> Value {
    json!({
        "method": "init",
        "params": {
            "tool": { "name": "t", "arguments": arguments, "answers": { "sure": true }, "options": { "limit": 3 }, "later": 1 },
            "context": { "action": action, "access": null, "later": 1 },
            "protocol_version": "0.1.0",
            "later": 1,
        },
    })
}

/// Runs a tool against a script. Both have to come to an end.
pub(super) fn play<T: Send + 'static>(
    init: &Value,
    tool: impl FnOnce(VfsHost) -> T + Send + 'static,
    script: impl FnOnce(&mut Peer),
) -> T {
    let limited = |stream: &UnixStream| {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
    };
    let (ours, theirs) = UnixStream::pair().unwrap();
    limited(&ours);
    limited(&theirs);
    let mut peer = Peer { input: BufReader::new(ours.try_clone().unwrap()), output: ours };
    let tool = thread::spawn(move || {
        let input = theirs.try_clone().unwrap();
        tool(VfsHost::over(input, theirs).unwrap())
    });
    peer.say(init);
    script(&mut peer);
    drop(peer);
    tool.join().unwrap()
}

/// The same for a call without arguments.
fn converse<T: Send + 'static>(
    tool: impl FnOnce(VfsHost) -> T + Send + 'static,
    script: impl FnOnce(&mut Peer),
) -> T {
    play(&init("run", &json!({})), tool, script)
}
