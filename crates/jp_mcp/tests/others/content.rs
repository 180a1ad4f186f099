//! The server that gives whatever is asked for: each kind of content, failures, delays.

use std::time::{Duration, Instant};

use jp_mcp::{Client, McpError, ServerSpec};
use jp_test::mcp::Program;
use jp_tool::{ContentBlock, ResourceData};
use serde_json::json;

use crate::support::{call, client, program, spec, text, try_call};

#[tokio::test]
async fn every_kind_of_content_arrives_typed() {
    let client = client(Program::debug());
    for kind in ["text", "image", "audio", "resource", "resourceLink"] {
        let arguments = json!({ "contentType": kind, "multipleBlocks": true });
        let result = call(&client, "debug-tool", arguments).await;
        assert_eq!(result.content.blocks.len(), 3, "{kind}: {result:?}");
        assert!(result.content.malformed.is_empty(), "{kind}: {result:?}");
        for block in &result.content.blocks {
            assert_eq!(kind_of(block), kind, "{block:?}");
        }
        // Both are kept, so that whoever shows them can prefer the content.
        assert_eq!(result.structured.unwrap()["config"]["contentType"], json!(kind));
        assert!(result.meta["debugInfo"].is_object());
    }
    let result = call(&client, "debug-tool", json!({ "contentType": "mixed" })).await;
    let kinds: Vec<&str> = result.content.blocks.iter().map(kind_of).collect();
    assert!(kinds.starts_with(&["text", "image", "audio"]), "{kinds:?}");
    client.close().await;
}

#[tokio::test]
async fn a_failure_keeps_its_content() {
    let client = client(Program::debug());
    let result = call(&client, "debug-tool", json!({ "simulateError": true })).await;
    assert!(result.is_error);
    assert!(text(&result).contains("Debug text content"), "{result:?}");
    client.close().await;
}

/// Who is too slow is told so, and can be asked again.
#[tokio::test]
async fn a_call_that_takes_too_long_ends() {
    let patience = Duration::from_millis(800);
    let client = Client::new(ServerSpec { patience, ..spec(program(Program::debug())) });
    client.tools().await.unwrap();
    let start = Instant::now();
    let error = try_call(&client, "debug-tool", json!({ "delayMs": 30_000 })).await.unwrap_err();
    assert!(matches!(error, McpError::Timeout { .. }), "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    assert!(error.to_string().contains("800 ms"), "{error}");
    let result = call(&client, "debug-tool", json!({})).await;
    assert!(!result.is_error);
    assert_eq!(client.status().starts, 1);
    client.close().await;
}

/// The name that the server uses for it.
fn kind_of(block: &ContentBlock) -> &'static str {
    match block {
        ContentBlock::Text { .. } => "text",
        ContentBlock::Image { mime_type, .. } if mime_type == "image/png" => "image",
        ContentBlock::Audio { mime_type, .. } if mime_type == "audio/wav" => "audio",
        ContentBlock::Resource { resource, .. }
            if matches!(resource.data, ResourceData::Text(_)) =>
        {
            "resource"
        }
        ContentBlock::ResourceLink(link) if link.uri.starts_with("debug://") => "resourceLink",
        _ => "something else",
    }
}
