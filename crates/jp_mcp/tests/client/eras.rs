//! Servers that speak one era, the other, or nothing at all.

use std::{
    error::Error as _,
    time::{Duration, Instant},
};

use jp_mcp::{Era, McpError, StartError, State, Status};
use serde_json::json;

use crate::common::{Scene, text};

fn quick(words: &[&str], era: Option<Era>) -> Scene {
    Scene::with(words, |spec| {
        spec.startup = Duration::from_secs(6);
        spec.era = era;
    })
}

/// The era that is found, and how often the server had to be started for it.
async fn check(words: &[&str], remembered: Option<Era>, found: Era, starts: usize) {
    let scene = quick(words, remembered);
    let result = scene.call("echo", json!({})).await;
    let result = result.unwrap_or_else(|error| panic!("{words:?}: {error}"));
    assert!(text(&result).contains("echo"));
    assert_eq!(scene.client.status().era, Some(found), "{words:?}");
    assert_eq!(scene.starts(), starts, "{words:?}");
}

#[tokio::test]
async fn a_server_is_met_in_its_era() {
    check(&[], None, Era::Modern, 1).await;
    check(&["era=modern"], None, Era::Modern, 1).await;
    // An error is an answer: the older greeting follows at once.
    check(&["era=legacy"], None, Era::Legacy, 1).await;
}

#[tokio::test]
async fn a_server_that_does_not_survive_the_probe_is_started_again() {
    check(&["era=legacy", "probe=exit"], None, Era::Legacy, 2).await;
    check(&["era=legacy", "probe=silent"], None, Era::Legacy, 2).await;
    check(&["era=legacy", "probe=garbage"], None, Era::Legacy, 2).await;
}

#[tokio::test]
async fn what_was_found_last_time_is_where_to_begin() {
    check(&["era=legacy", "probe=silent"], Some(Era::Legacy), Era::Legacy, 1).await;
    check(&["era=modern"], Some(Era::Modern), Era::Modern, 1).await;
    // And if it has changed since then, that is found out.
    check(&["era=modern"], Some(Era::Legacy), Era::Modern, 2).await;
    check(&["era=legacy"], Some(Era::Modern), Era::Legacy, 1).await;
}

#[tokio::test]
async fn a_slow_server_of_the_newer_era_is_waited_for() {
    let scene = Scene::with(&["era=modern", "probe=slow"], |spec| {
        spec.startup = Duration::from_secs(6);
    });
    scene.call("echo", json!({})).await.unwrap();
    assert_eq!(scene.client.status().era, Some(Era::Modern));
    assert_eq!(scene.starts(), 3);
}

#[tokio::test]
async fn a_server_that_never_answers_ends_in_time() {
    let scene = Scene::with(&["hello=silent"], |spec| spec.startup = Duration::from_millis(600));
    let begun = Instant::now();
    let error = scene.call("echo", json!({})).await.unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let McpError::Start { source: StartError::Silent { .. }, .. } = &error else {
        panic!("{error:?}")
    };
    assert_eq!(error.to_string(), "cannot start the MCP server `fixture`");
    assert_eq!(error.source().unwrap().to_string(), "it did not answer within 600 ms");
    assert_eq!(scene.client.status().state, State::Idle);
}

#[tokio::test]
async fn a_server_that_dies_at_once_tells_why() {
    let scene = quick(&["hello=die"], None);
    let error = scene.client.tools().await.unwrap_err();
    let source = error.source().unwrap().to_string();
    assert_eq!(source, "it ended before it answered; it wrote: cannot import name 'x'");
    assert_eq!(scene.starts(), 2);
    // Trying again is possible, and fails again.
    assert!(scene.client.tools().await.is_err());
}

#[tokio::test]
async fn what_is_known_about_a_server() {
    let scene = quick(&["era=legacy"], None);
    assert_eq!(scene.client.status(), Status::default());
    assert_eq!(scene.starts(), 0, "nothing is started before it is needed");
    scene.call("garbage", json!({})).await.unwrap();
    let known = scene.client.status();
    assert_eq!(known.state, State::Ready);
    assert_eq!(known.protocol.as_deref(), Some("2025-11-25"));
    assert_eq!(
        (known.server.as_deref(), known.version.as_deref()),
        (Some("fixture"), Some("1.2.3"))
    );
    assert_eq!(known.instructions.as_deref(), Some("Be careful."));
    assert_eq!(known.warnings, ["started by a test"]);
    assert_eq!(known.garbage, 6);
    scene.client.close().await;
    assert_eq!(scene.client.status().state, State::Idle);
    assert_eq!(scene.client.status().era, Some(Era::Legacy));
}
