//! Conversations as people have them, for pictures.

use jiff::{SignedDuration, Timestamp};
use jp_test::TestEnv;
use serde_json::{Value, json};

use crate::store;

/// The id of the conversation that has something in it.
pub(crate) const MAIN: &str = "17738399530";

const TITLES: [(&str, i64); 11] = [
    ("Why does the watcher miss renames on macOS?", 2),
    ("Move the retry policy out of the HTTP client", 5),
    ("Draft of the release notes for 0.9", 9),
    ("Flaky test: session ends before the last line", 26),
    ("Port the parser to winnow", 30),
    ("", 51),
    ("A smaller Docker image", 74),
    ("Compare flock and fcntl locks", 98),
    ("Plan: conversations in a browser", 130),
    ("What is a good default for the cache size?", 700),
    ("Notes on the plugin protocol", 1100),
];

/// Writes all of them, the last one used an hour ago.
pub(crate) fn write(env: &TestEnv) {
    let ago = |hours: i64| (Timestamp::now() - SignedDuration::from_hours(hours)).to_string();
    store::write(env, MAIN, Some("Make config errors point at the line"), &ago(1), &events());
    for (index, (title, hours)) in TITLES.iter().enumerate() {
        let title = Some(*title).filter(|title| !title.is_empty());
        let said = vec![store::turn("Can you have a look?", "Sure."); index * 3 % 7 + 1].concat();
        store::write(env, &format!("1773839{index:04}"), title, &ago(*hours), &said);
    }
}

/// Two turns with everything that such a conversation has.
fn events() -> Vec<Value> {
    let said = |event: Value| vec![store::at(event)];
    [
        said(json!({ "type": "turn_start" })),
        said(json!({ "type": "chat_request", "content": "When a value in `config.toml` has the wrong type, the error only says `expected integer`. Can it show the line?" })),
        said(json!({ "type": "chat_response", "reasoning": "The parser keeps spans. The error type throws them away in `From`. I should look at both before I suggest anything." })),
        store::call("tc_1", "fs_grep_files", &json!({ "pattern": store::stored("impl From<toml::Error>"), "paths": [store::stored("src")] }), "src/error.rs:41:impl From<toml::Error> for ConfigError {\nsrc/error.rs:42:    fn from(error: toml::Error) -> Self {\n"),
        store::call("tc_2", "fs_read_file", &json!({ "path": store::stored("src/error.rs") }), "pub enum ConfigError {\n    Parse(String),\n}\n"),
        said(json!({ "type": "chat_response", "metadata": { "model": store::stored("example/large") }, "message": ANSWER })),
        said(json!({ "type": "turn_start" })),
        said(json!({ "type": "chat_request", "content": "Yes, do that. Tests too, please." })),
        store::call("tc_3", "fs_modify_file", &json!({ "path": store::stored("src/error.rs"), "create": false }), "src/error.rs: 1 hunk applied"),
        store::call("tc_4", "cargo_test", &json!({ "package": store::stored("config") }), "running 14 tests\ntest result: ok. 14 passed; 0 failed\n"),
        said(json!({ "type": "chat_response", "metadata": { "model": store::stored("example/large") }, "message": "Done: the error now keeps its span, and **14 tests** pass.\n\n- [x] `ConfigError::Parse` has a `span`\n- [x] a snapshot for each kind of error\n- [ ] errors in files that are included" })),
    ]
    .concat()
}

const ANSWER: &str = "The span is there until `From` drops it. Keep it, and the message can point at the line:\n\n\
```rust\n/// Why a file of the configuration cannot be used.\n#[derive(Debug, thiserror::Error)]\npub enum ConfigError {\n    #[error(\"{message}\")]\n    Parse { message: String, span: Option<Range<usize>> },\n}\n\nimpl From<toml::Error> for ConfigError {\n    fn from(error: toml::Error) -> Self {\n        Self::Parse { message: error.message().to_owned(), span: error.span() }\n    }\n}\n```\n\n\
| before | after |\n|---|---|\n| `expected integer` | `config.toml:12:8: expected integer, found \"ten\"` |\n\n\
Shall I change it?";
