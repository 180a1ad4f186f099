//! The tools of a server: pages, bad ones among good ones, changes.

use jp_mcp::{Era, McpError};
use serde_json::json;

use crate::common::{ERAS, Scene};

async fn names(scene: &Scene) -> Vec<String> {
    scene.client.tools().await.unwrap().tools.iter().map(|tool| tool.name.clone()).collect()
}

#[tokio::test]
async fn all_pages_are_read() {
    for era in ERAS {
        let scene = Scene::new(&["pages=many", &format!("era={}", era.name())]);
        assert_eq!(names(&scene).await, ["a", "b", "c", "d"]);
        assert_eq!(scene.sent_with("tools/list").len(), 3);
        let first = &scene.sent_with("tools/list")[0];
        assert_eq!(first["params"].get("cursor"), None);
    }
}

#[tokio::test]
async fn a_list_without_end_is_an_error() {
    for (words, reason) in [
        ("pages=circle", "leads in a circle"),
        ("pages=endless", "more than 100 pages"),
        ("pages=crowd", "more than 10000 tools"),
    ] {
        let scene = Scene::new(&["era=legacy", words]);
        let error = scene.client.tools().await.unwrap_err();
        assert!(matches!(error, McpError::Malformed { .. }));
        assert!(error.to_string().contains(reason), "{error}");
        assert!(scene.sent_with("tools/list").len() <= 100);
        // The server as such is fine.
        assert!(scene.call("echo", json!({})).await.is_ok());
        assert_eq!(scene.starts(), 1);
    }
}

#[tokio::test]
async fn bad_tools_are_named_and_good_ones_kept() {
    let scene = Scene::new(&["era=legacy", "pages=malformed"]);
    let tools = scene.client.tools().await.unwrap();
    assert_eq!(names(&scene).await, ["good", "odd"]);
    assert_eq!(tools.get("odd").unwrap().annotations.read_only, None);
    let bad: Vec<String> = tools.malformed.iter().map(ToString::to_string).collect();
    assert_eq!(
        bad,
        [
            "tool 1 was skipped: it is not an object",
            "tool `no_schema` was skipped: `inputSchema` is missing",
            "tool `list_schema` was skipped: `inputSchema` is not an object",
            "tool 4 was skipped: it has no name",
            "tool `good` was skipped: there is a tool with the same name before it",
            "tool `a b` was skipped: its name has characters that no name has",
        ]
    );
}

#[tokio::test]
async fn tools_are_kept_until_the_server_says_that_they_changed() {
    for era in ERAS {
        let scene = Scene::of(era);
        assert_eq!(names(&scene).await.len(), 4);
        assert_eq!(names(&scene).await.len(), 4);
        assert_eq!(scene.sent_with("tools/list").len(), 1, "{era:?}");
        scene.call("change", json!({})).await.unwrap();
        assert!(names(&scene).await.contains(&"new".to_owned()), "{era:?}");
        assert_eq!(scene.sent_with("tools/list").len(), 2, "{era:?}");
        let asks_for_changes = scene.sent_with("subscriptions/listen").len();
        assert_eq!(asks_for_changes, usize::from(era == Era::Modern));
    }
}

#[tokio::test]
async fn another_process_may_have_other_tools() {
    let scene = Scene::of(Era::Legacy);
    scene.call("change", json!({})).await.unwrap();
    assert!(names(&scene).await.contains(&"new".to_owned()));
    scene.call("die", json!({})).await.unwrap_err();
    assert!(!names(&scene).await.contains(&"new".to_owned()));
}

#[tokio::test]
async fn a_server_without_state_has_a_process_for_every_call() {
    let scene = Scene::with(&["era=legacy"], |spec| spec.stateful = false);
    scene.client.tools().await.unwrap();
    scene.client.tools().await.unwrap();
    assert_eq!(scene.starts(), 1, "the list is kept");
    scene.call("change", json!({})).await.unwrap();
    scene.call("echo", json!({})).await.unwrap();
    assert_eq!(scene.starts(), 3);
    assert_eq!(scene.client.status().state, jp_mcp::State::Idle);
}
