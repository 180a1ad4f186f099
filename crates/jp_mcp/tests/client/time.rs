//! Progress, and how long a call may take.

use std::{
    sync::Mutex,
    time::{Duration, Instant},
};

use jp_mcp::{Called, McpError, Progress};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::common::{ERAS, Never, Scene, call, object, text};

#[tokio::test]
async fn progress_is_heard_in_order_and_gives_more_time() {
    for era in ERAS {
        let word = format!("era={}", era.name());
        let scene = Scene::with(&[&word], |spec| spec.patience = Duration::from_millis(1500));
        let heard = Mutex::new(Vec::new());
        let listener = |progress: Progress| heard.lock().unwrap().push(progress);
        let arguments = object(json!({ "steps": 6, "every": 400 }));
        let cancel = CancellationToken::new();
        let mut slow = call("slow", &arguments, &Never, &cancel);
        slow.progress = Some(&listener);
        let Called::Done(result) = scene.client.call_tool(slow).await.unwrap() else { panic!() };
        assert_eq!(text(&result), "slow but done");
        let heard = heard.into_inner().unwrap();
        let steps: Vec<f64> = heard.iter().map(|progress| progress.progress).collect();
        assert_eq!(steps, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "{era:?}");
        assert_eq!(heard[0].total, Some(6.0));
        assert_eq!(heard[0].message.as_deref(), Some("step 1"));
    }
}

#[tokio::test]
async fn progress_without_end_is_ended() {
    // A second between two reports is what a busy machine may take.
    let scene = Scene::with(&["era=legacy"], |spec| spec.patience = Duration::from_secs(1));
    let arguments = object(json!({ "steps": 1000, "every": 50 }));
    let cancel = CancellationToken::new();
    let mut slow = call("slow", &arguments, &Never, &cancel);
    slow.progress = Some(&|_| {});
    let begun = Instant::now();
    let ended = scene.client.call_tool(slow).await;
    assert!(matches!(ended, Err(McpError::Timeout { .. })), "{ended:?}");
    let took = begun.elapsed();
    assert!(took > Duration::from_secs(9) && took < Duration::from_secs(30), "{took:?}");
}

#[tokio::test]
async fn without_progress_the_time_is_up() {
    let scene = Scene::with(&["era=legacy"], |spec| spec.patience = Duration::from_secs(1));
    let error = scene.call("slow", json!({ "steps": 15, "every": 100 })).await.unwrap_err();
    assert_eq!(error.to_string(), "the MCP server `fixture` did not answer `slow` within 1 s");
    // The answer that comes too late disturbs nobody.
    assert!(scene.call("echo", json!({})).await.is_ok());
}
