//! The SDK as an author and as a host see it.

mod calls;
mod describing;
mod sessions;

use serde_json::{Value, json};

use super::*;

/// Feeds a program and returns what it printed, line by line, and how it ended.
fn feed(tools: impl IntoIterator<Item = ToolEntry>, input: &[u8]) -> (Vec<Value>, Exit) {
    let mut output = Vec::new();
    let exit = run(tools, input, &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    assert!(output.is_empty() || output.ends_with('\n'));
    (output.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), exit)
}

fn invocation(name: &str, action: &str, arguments: &Value, answers: &Value) -> String {
    json!({
        "tool": { "name": name, "arguments": arguments, "answers": answers, "options": { "limit": 3 } },
        "context": { "root": "/w", "action": action, "access": null },
    })
    .to_string()
}
