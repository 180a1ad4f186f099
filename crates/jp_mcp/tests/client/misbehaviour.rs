//! Servers that say too much, or nonsense.

use std::time::{Duration, Instant};

use jp_mcp::{Era, McpError};
use jp_tool::ContentBlock;
use serde_json::{Value, json};

use crate::common::{ERAS, Scene, text};

#[tokio::test]
async fn garbage_on_the_output_is_skipped_and_counted() {
    let scene = Scene::of(Era::Modern);
    let result = scene.call("garbage", json!({})).await.unwrap();
    assert_eq!(text(&result), "among garbage");
    assert_eq!(scene.client.status().garbage, 6);
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_an_error_at_once_and_the_server_goes_on() {
    for era in ERAS {
        for late_id in [false, true] {
            let scene = Scene::of(era);
            scene.client.tools().await.unwrap();
            let begun = Instant::now();
            let hundred = json!({ "bytes": 100 * 1024 * 1024, "late_id": late_id });
            let error = scene.call("huge", hundred).await.unwrap_err();
            assert!(matches!(error, McpError::TooLarge { .. }), "{error:?}");
            assert_eq!(
                error.to_string(),
                "the answer of the MCP server `fixture` to `huge` is larger than 16 MiB"
            );
            assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
            #[cfg(target_os = "linux")]
            assert!(peak_memory() < 150 * 1024, "{} KiB", peak_memory());
            assert!(scene.call("echo", json!({})).await.is_ok());
            assert_eq!(scene.starts(), 1);
        }
    }
}

#[tokio::test]
async fn an_answer_that_just_fits_is_read() {
    let scene = Scene::of(Era::Legacy);
    let result = scene.call("huge", json!({ "bytes": 15 * 1024 * 1024 })).await.unwrap();
    assert_eq!(text(&result).len(), 15 * 1024 * 1024);
}

#[tokio::test]
async fn several_messages_in_one_line_are_all_heard() {
    let scene = Scene::of(Era::Legacy);
    assert_eq!(text(&scene.call("batch", json!({})).await.unwrap()), "one of two");
}

#[tokio::test]
async fn a_flood_of_logs_costs_nothing() {
    let scene = Scene::of(Era::Legacy);
    let result = scene.call("flood", json!({ "messages": 5000 })).await.unwrap();
    assert_eq!(text(&result), "after the flood");
    let stderr = scene.client.status().stderr;
    assert!(stderr.len() <= 64 * 1024, "{}", stderr.len());
    assert_eq!(scene.client.status().garbage, 0);
}

#[tokio::test]
async fn a_server_that_asks_more_than_it_reads_is_not_listened_to() {
    let scene = Scene::of(Era::Legacy);
    let result = scene.call("pings", json!({ "messages": 50_000 })).await.unwrap();
    assert_eq!(text(&result), "alive");
    assert!(scene.call("echo", json!({})).await.is_ok());
    // Those that were sent while the first ones were not answered are not answered at all.
    let answers = scene.sent().into_iter().filter(|message| message.get("result").is_some());
    assert!((1..50_000).contains(&answers.count()));
}

#[tokio::test]
async fn a_broken_answer_is_an_error_at_once() {
    let scene = Scene::of(Era::Legacy);
    let error = scene.call("broken", json!({})).await.unwrap_err();
    assert!(matches!(error, McpError::Malformed { .. }), "{error:?}");
    assert!(scene.call("echo", json!({})).await.is_ok());
    assert_eq!(scene.starts(), 1);
}

#[tokio::test]
async fn an_error_without_an_id_belongs_to_the_only_request() {
    let scene = Scene::of(Era::Legacy);
    let error = scene.call("no_id", json!({})).await.unwrap_err();
    let text = error.to_string();
    assert_eq!(text, "the MCP server `fixture` refused `no_id`: Invalid Request (code -32600)");
}

#[tokio::test]
async fn unknown_and_malformed_blocks_are_named_and_the_others_kept() {
    for era in ERAS {
        let scene = Scene::of(era);
        let result = scene.call("blocks", json!({})).await.unwrap();
        let kinds: Vec<&str> = result.content.blocks.iter().map(kind).collect();
        assert_eq!(kinds, ["text", "image", "audio", "resource", "link"], "{era:?}");
        let bad: Vec<usize> = result.content.malformed.iter().map(|block| block.index).collect();
        assert_eq!(bad, [1, 3, 7]);
        assert!(result.content.malformed[0].reason.contains("hologram"));
        assert_eq!(result.structured, Some(json!([1, 2])));
        assert!(result.is_marked_envelope() && !result.is_error);
    }
}

#[tokio::test]
async fn an_answer_that_is_none_is_refused() {
    let scene = Scene::of(Era::Legacy);
    for (answer, reason) in [
        (json!(7), "the answer is not an object"),
        (json!({}), "`content` is missing"),
        (json!({ "content": "text" }), "`content` is not a list"),
        (json!({ "content": [], "isError": "no" }), "`isError` is not a boolean"),
        (json!({ "content": [], "resultType": 7 }), "`resultType` is not a string"),
    ] {
        let error = scene.call("nonsense", json!({ "answer": answer })).await.unwrap_err();
        assert!(error.to_string().ends_with(reason), "{answer}: {error}");
    }
    for (answer, wanted) in [
        (json!({ "resultType": "task", "taskId": "1" }), "a task"),
        (json!({ "resultType": "dream" }), "a result of type `dream`"),
    ] {
        let error = scene.call("nonsense", json!({ "answer": answer })).await.unwrap_err();
        let McpError::Unsupported { wanted: found, .. } = error else { panic!("{error}") };
        assert_eq!(found, wanted);
    }
    assert_eq!(scene.starts(), 1);
}

#[tokio::test]
async fn an_unknown_tool_is_the_servers_own_error() {
    let scene = Scene::of(Era::Legacy);
    let error = scene.call("nobody", json!({})).await.unwrap_err();
    let McpError::Refused { answer, .. } = error else { panic!("{error}") };
    assert_eq!((answer.code, answer.message.as_str()), (-32602, "Unknown tool: nobody"));
}

#[tokio::test]
async fn a_resource_that_was_named_can_be_read() {
    for era in ERAS {
        let scene = Scene::of(era);
        let read = scene.client.read_resource("fixture://a").await.unwrap();
        let Value::Array(blocks) = serde_json::to_value(&read).unwrap() else { panic!() };
        assert_eq!(blocks[0]["resource"]["text"], "content");
        assert_eq!(blocks[0]["resource"]["uri"], "fixture://a");
        assert_eq!(blocks[1]["resource"]["blob"], "aGk=");
        assert_eq!(read.malformed.len(), 1);
    }
}

/// The most memory that this process ever had, in KiB.
#[cfg(target_os = "linux")]
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn kind(block: &ContentBlock) -> &'static str {
    match block {
        ContentBlock::Text { .. } => "text",
        ContentBlock::Image { .. } => "image",
        ContentBlock::Audio { .. } => "audio",
        ContentBlock::Resource { .. } => "resource",
        ContentBlock::ResourceLink(_) => "link",
        ContentBlock::Question { .. } => "question",
    }
}
