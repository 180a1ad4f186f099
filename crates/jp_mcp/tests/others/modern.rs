//! Servers that speak the newer era of the protocol, and the older one to those who ask for it.

use std::{
    fs,
    io::{Read, Write},
    net::TcpListener,
    process::Command,
    thread,
};

use camino::Utf8Path;
use jp_mcp::{Client, Era, McpError};
use jp_test::mcp::Program;
use serde_json::json;

use crate::support::{call, client, client_in, temp_dir, text, try_call};

#[tokio::test]
async fn a_repository_in_the_newer_era() {
    let (_dir, path) = temp_dir();
    repository(&path);
    let client = client(Program::git(&path));
    history(&client, &path).await;
    let status = client.status();
    assert_eq!((status.era, status.protocol.as_deref()), (Some(Era::Modern), Some("2026-07-28")));
    // The era costs no second process.
    assert_eq!(status.starts, 1);
    assert_eq!(status.server.as_deref(), Some("mcp-git"));
    client.close().await;
}

/// What was remembered is where it begins.
#[tokio::test]
async fn a_repository_in_the_older_era() {
    let (_dir, path) = temp_dir();
    repository(&path);
    let client = client_in(Era::Legacy, Program::git(&path));
    history(&client, &path).await;
    let status = client.status();
    assert_eq!((status.era, status.protocol.as_deref()), (Some(Era::Legacy), Some("2025-11-25")));
    client.close().await;
}

async fn history(client: &Client, path: &Utf8Path) {
    let tools = client.tools().await.unwrap();
    assert_eq!(tools.malformed, []);
    assert_eq!(tools.get("git_log").unwrap().annotations.read_only, Some(true));
    let result = call(client, "git_log", json!({ "repo_path": path })).await;
    assert!(text(&result).contains("Message: the first one"), "{result:?}");
    fs::write(path.join("a.txt"), "changed\n").unwrap();
    let result = call(client, "git_diff_unstaged", json!({ "repo_path": path })).await;
    assert!(text(&result).contains("+changed"), "{result:?}");
    let result = call(client, "git_log", json!({ "repo_path": "/" })).await;
    assert!(
        result.is_error && text(&result).contains("outside the allowed repository"),
        "{result:?}"
    );
    let error = try_call(client, "git_undo", json!({})).await.unwrap_err();
    let McpError::Refused { answer, .. } = &error else { panic!("{error:?}") };
    assert_eq!((answer.code, answer.message.as_str()), (-32602, "Unknown tool: git_undo"));
}

#[tokio::test]
async fn the_time_elsewhere() {
    let client = client(Program::time());
    let arguments =
        json!({ "source_timezone": "Etc/UTC", "time": "12:00", "target_timezone": "Asia/Tokyo" });
    let result = call(&client, "convert_time", arguments).await;
    let structured = result.structured.as_ref().unwrap();
    assert_eq!(structured["time_difference"], json!("+9.0h"));
    assert!(text(&result).contains("T21:00:00+09:00"), "{result:?}");
    let result = call(&client, "get_current_time", json!({ "timezone": "Moon/Sea" })).await;
    assert!(result.is_error && text(&result).contains("Moon/Sea"), "{result:?}");
    assert_eq!(client.status().era, Some(Era::Modern));
    client.close().await;
}

#[tokio::test]
async fn a_page_of_this_machine() {
    let url =
        page("<html><body><article><h1>Found</h1><p>words of the page</p></article></body></html>");
    let client = client(Program::fetch());
    let result = call(&client, "fetch", json!({ "url": url, "raw": true })).await;
    assert!(text(&result).contains("words of the page"), "{result:?}");
    assert_eq!(client.status().era, Some(Era::Modern));
    client.close().await;
}

/// A repository with one commit.
fn repository(path: &Utf8Path) {
    fs::write(path.join("a.txt"), "one\n").unwrap();
    let identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    for args in
        [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "-m", "the first one"]]
    {
        let mut git = Command::new("git");
        git.args(identity).args(args).current_dir(path);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        assert!(git.status().unwrap().success(), "{args:?}");
    }
}

/// Serves one page on the loopback address to a few visitors.
fn page(body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/page", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().take(4) {
            let Ok(mut stream) = stream else { return };
            let _ = stream.read(&mut [0; 4096]);
            let length = body.len();
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close";
            let _ = write!(stream, "{head}\r\nContent-Length: {length}\r\n\r\n{body}");
        }
    });
    url
}
