//! The real program in a sealed environment: command in, text out.

mod allow;
mod approvals;
mod bundled;
mod config;
mod conversation;
mod crash;
mod explain;
mod help;
mod init;
mod interaction;
mod mcp;
mod mcp_others;
mod output;
mod peak;
mod plugin_check;
mod plugin_examples;
mod plugin_manage;
mod plugin_new;
mod plugin_session;
mod plugins;
mod program;
mod sandbox;
mod tool;
mod tool_check;
mod tool_new;
mod trace;
mod vfs;
mod vfs_backends;
mod vfs_client;
mod vfs_network;
mod vfs_programs;

use jp_test::TestEnv;

/// An environment whose project is a workspace without settings.
fn workspace() -> TestEnv {
    let env = jp_test::env!();
    env.write(".jp/config.toml", "");
    env
}

/// Makes a conversation that holds one event of every type, with fixed times.
fn conversation(env: &TestEnv) -> &'static str {
    const ID: &str = "17127583920";
    let event = |second: u8, fields: &str| {
        format!("{{\"timestamp\":\"2026-03-18T13:19:{second:02}Z\",{fields}}}\n")
    };
    let events = [
        r#""type":"turn_start""#,
        r#""type":"chat_request","content":"Where is `main`?\n\nSee [docs](https://example.org)." "#,
        r#""type":"chat_response","reasoning":"Two places come to mind.\nSearch first.""#,
        // {"pattern": "fn main"}
        r#""type":"tool_call_request","id":"tc_1","name":"fs_grep_files","arguments":{"pattern":"Zm4gbWFpbg=="}"#,
        // src/main.rs:1:fn main() {}
        r#""type":"tool_call_response","id":"tc_1","content":"c3JjL21haW4ucnM6MTpmbiBtYWluKCkge30=","is_error":false"#,
        r#""type":"inquiry_request","id":"q","source":"fs_modify_file","question":{"id":"q","text":"Apply the change?","answer_type":"Boolean"}"#,
        r#""type":"inquiry_response","id":"q","answer":true"#,
        // no such file
        r#""type":"tool_call_response","id":"tc_2","content":"bm8gc3VjaCBmaWxl","is_error":true"#,
        r#""type":"chat_response","message":"It is in **src/main.rs**:\n\n```rust\nfn main() {}\n```" "#,
        r#""type":"chat_response","data":{"answer":42}"#,
        r#""type":"config_delta","delta":{"assistant":{"name":"X"}}"#,
        r#""type":"hologram","beam":[1,2]"#,
    ];
    let lines: String = (0_u8..).zip(events).map(|(n, fields)| event(n, fields)).collect();
    env.write(format!(".jp/conversations/{ID}/events.jsonl"), lines);
    env.write(
        format!(".jp/conversations/{ID}/metadata.json"),
        r#"{"title": "Where is *main*?", "last_activated_at": "2026-03-18T13:19:00Z"}"#,
    );
    ID
}
