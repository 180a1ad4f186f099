//! Servers that die, and what happens to the calls that were under way.

use std::time::{Duration, Instant};

use jp_mcp::{Era, McpError, State};
use serde_json::json;

use crate::common::{ERAS, Scene, text};

#[tokio::test]
async fn a_call_under_way_fails_with_the_last_words_and_the_next_one_finds_a_new_server() {
    for era in ERAS {
        let scene = Scene::of(era);
        scene.client.tools().await.unwrap();
        let error = scene.call("die", json!({})).await.unwrap_err();
        assert!(matches!(error, McpError::Died { repeated: false, .. }), "{error:?}");
        assert_eq!(
            error.to_string(),
            "the MCP server `fixture` ended before it answered `die`; it wrote: \
             thread 'main' panicked: out of ideas"
        );
        assert_eq!(scene.starts(), 1, "it is not started before it is needed");
        assert_eq!(scene.client.status().state, State::Dead);
        assert!(scene.call("echo", json!({})).await.is_ok());
        assert_eq!(scene.starts(), 2);
        assert_eq!(scene.sent_with("tools/call").len(), 2, "nothing was sent twice");
    }
}

#[tokio::test]
async fn only_what_does_no_harm_is_done_again() {
    let scene = Scene::of(Era::Legacy);
    scene.client.tools().await.unwrap();
    let error = scene.call("die_once", json!({})).await.unwrap_err();
    assert!(matches!(error, McpError::Died { .. }), "{error:?}");
    assert_eq!(scene.sent_with("tools/call").len(), 1);

    let scene = Scene::of(Era::Legacy);
    scene.client.tools().await.unwrap();
    let result = scene.call("die_once_safely", json!({})).await.unwrap();
    assert_eq!(text(&result), "second life");
    assert_eq!(scene.starts(), 2);

    // Nobody listed the tools: nothing is known about this one.
    let scene = Scene::of(Era::Legacy);
    scene.call("die_once_safely", json!({})).await.unwrap_err();
    assert_eq!(scene.sent_with("tools/call").len(), 1);
}

#[tokio::test]
async fn once_more_is_once() {
    let scene = Scene::of(Era::Legacy);
    scene.client.tools().await.unwrap();
    let error = scene.call("die_safely", json!({})).await.unwrap_err();
    assert!(matches!(error, McpError::Died { repeated: true, .. }), "{error:?}");
    assert!(error.to_string().contains(", and once more after it was started again"), "{error}");
    assert_eq!(scene.sent_with("tools/call").len(), 2);
    assert_eq!(scene.starts(), 2);
}

#[tokio::test]
async fn the_last_answer_of_a_server_that_leaves_is_heard() {
    for era in ERAS {
        let scene = Scene::of(era);
        for lives in 1..=10 {
            let result = scene.call("answer_and_leave", json!({})).await.unwrap();
            assert_eq!(text(&result), "goodbye");
            assert_eq!(scene.starts(), lives);
            // Until its end is seen it may be asked again, which is another story.
            while scene.client.status().state != State::Dead {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    }
}

#[tokio::test]
async fn a_server_without_state_that_dies_is_started_for_the_next_call() {
    let scene = Scene::with(&["era=legacy"], |spec| spec.stateful = false);
    let error = scene.call("die", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("out of ideas"), "{error}");
    assert!(scene.call("echo", json!({})).await.is_ok());
    assert_eq!(scene.starts(), 2);
}

#[tokio::test]
async fn a_death_is_seen_at_once_and_by_all() {
    let scene = Scene::of(Era::Legacy);
    scene.client.tools().await.unwrap();
    let begun = Instant::now();
    let silent = scene.call("silent", json!({}));
    let dying = async {
        scene.until_sent("tools/call").await;
        scene.call("die", json!({})).await
    };
    let (silent, dying) = tokio::join!(silent, dying);
    assert!(matches!(silent, Err(McpError::Died { .. })), "{silent:?}");
    assert!(matches!(dying, Err(McpError::Died { .. })), "{dying:?}");
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_server_that_reads_no_more_is_an_error_in_time_and_can_be_ended() {
    let scene = Scene::with(&["era=legacy"], |spec| spec.patience = Duration::from_millis(1500));
    scene.call("deaf", json!({})).await.unwrap();
    // More than a pipe holds.
    let begun = Instant::now();
    let large = "x".repeat(1024 * 1024);
    let error = scene.call("echo", json!({ "large": large })).await.unwrap_err();
    assert!(matches!(error, McpError::Timeout { .. }), "{error:?}");
    scene.client.close().await;
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_server_that_does_not_leave_is_ended() {
    let scene = Scene::new(&["era=legacy", "leave=never"]);
    scene.call("echo", json!({})).await.unwrap();
    let begun = Instant::now();
    scene.client.close().await;
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    // A closed client can be used again.
    scene.call("echo", json!({})).await.unwrap();
    assert_eq!(scene.starts(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_is_used_from_several_threads() {
    let scene = std::sync::Arc::new(Scene::of(Era::Legacy));
    let calls: Vec<_> = (0..8)
        .map(|n| {
            let scene = scene.clone();
            tokio::spawn(async move {
                scene.client.tools().await?;
                scene.call("echo", json!({ "n": n })).await
            })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(scene.starts(), 1);
    assert_eq!(scene.sent_with("tools/list").len(), 1);
}

#[tokio::test]
async fn calls_at_once_share_one_process() {
    let scene = Scene::of(Era::Modern);
    let (a, b, c) = tokio::join!(
        scene.call("echo", json!({ "n": 1 })),
        scene.call("echo", json!({ "n": 2 })),
        scene.call("echo", json!({ "n": 3 })),
    );
    for (result, n) in [(a, 1), (b, 2), (c, 3)] {
        assert!(text(&result.unwrap()).contains(&format!(r#""n":{n}"#)));
    }
    assert_eq!(scene.starts(), 1);
}
