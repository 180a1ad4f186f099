//! Servers that keep something: files below a directory, and a graph of facts in a file.

use std::fs;

use jp_mcp::{Client, ServerSpec};
use jp_test::mcp::Program;
use serde_json::json;

use crate::support::{call, client, program, spec, temp_dir, text, until};

#[tokio::test]
async fn files_are_read_written_and_kept_inside() {
    let (_dir, path) = temp_dir();
    fs::write(path.join("a.txt"), "one\ntwo\n").unwrap();
    let client = client(Program::filesystem(&[&path]));
    let tools = client.tools().await.unwrap();
    assert_eq!(tools.get("read_text_file").unwrap().annotations.read_only, Some(true));
    assert!(tools.get("write_file").unwrap().output_schema.is_some());

    let result = call(&client, "read_text_file", json!({ "path": path.join("a.txt") })).await;
    assert_eq!(text(&result), "one\ntwo\n");
    let arguments = json!({ "path": path.join("b.txt"), "content": "new" });
    assert!(!call(&client, "write_file", arguments).await.is_error);
    assert_eq!(fs::read_to_string(path.join("b.txt")).unwrap(), "new");
    let result = call(&client, "read_text_file", json!({ "path": "/etc/passwd" })).await;
    assert!(result.is_error && text(&result).contains("outside allowed directories"), "{result:?}");
    client.close().await;
}

/// This server believes the client's roots more than its own command line. What it is told is narrower
/// here, so it works in less.
#[tokio::test]
async fn roots_take_the_place_of_the_command_line() {
    let (_dir, path) = temp_dir();
    let inner = path.join("inner");
    fs::create_dir(&inner).unwrap();
    let server = program(Program::filesystem(&[&path]));
    let client = Client::new(ServerSpec { roots: vec![inner.clone()], ..spec(server) });
    until("the server works in its roots", async || {
        let result = call(&client, "list_allowed_directories", json!({})).await;
        text(&result).trim() == format!("Allowed directories:\n{inner}")
    })
    .await;
    client.close().await;
}

#[tokio::test]
async fn facts_outlive_the_process() {
    let (_dir, path) = temp_dir();
    let file = path.join("facts.jsonl");
    let remember = client(Program::memory(&file));
    let entity = json!({ "name": "Ada", "entityType": "person", "observations": ["wrote notes"] });
    let result = call(&remember, "create_entities", json!({ "entities": [entity] })).await;
    assert!(!result.is_error, "{result:?}");
    remember.close().await;

    let recall = client(Program::memory(&file));
    let result = call(&recall, "search_nodes", json!({ "query": "notes" })).await;
    assert_eq!(result.structured.unwrap()["entities"][0]["name"], json!("Ada"));
    recall.close().await;
}
