//! Servers that cannot start: the error says why, in the server's own words.

use std::time::{Duration, Instant};

use jp_mcp::{McpError, State};
use jp_test::mcp::Program;

use crate::support::{client, temp_dir};

/// The server for SQLite does not know the version of the library that it gets.
#[tokio::test]
async fn a_server_that_dies_at_its_start() {
    let (_dir, path) = temp_dir();
    check(Program::sqlite(&path.join("a.db")), "AttributeError: 'Server' object has no attribute")
        .await;
}

#[tokio::test]
async fn a_server_that_refuses_its_command_line() {
    let (_dir, path) = temp_dir();
    let missing = path.join("missing");
    check(Program::filesystem(&[&missing]), "None of the specified directories are accessible")
        .await;
}

async fn check(server: Program, last_words: &str) {
    let client = client(server);
    let start = Instant::now();
    let error = client.tools().await.unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(30), "it exits at once: {:?}", start.elapsed());
    let McpError::Start { source, .. } = &error else { panic!("{error:?}") };
    let story = format!("{error}: {source}");
    assert!(story.contains("`other`") && story.contains(last_words), "{story}");
    assert_ne!(client.status().state, State::Ready);
    assert!(client.status().stderr.contains(last_words), "{:?}", client.status());
    client.close().await;
}
