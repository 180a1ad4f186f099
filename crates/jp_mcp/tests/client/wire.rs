//! What is really sent: `_meta` of both owners, capabilities, cancellations.

use std::time::Duration;

use jp_mcp::{Called, Era, McpError};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::common::{ERAS, Never, Scene, call, object, text};

/// The params of the only `tools/call`, as the server saw them.
async fn params(era: Era, meta: Option<Value>, wants_progress: bool) -> Value {
    let scene = Scene::of(era);
    let arguments = object(json!({ "a": [1, { "b": null }] }));
    let cancel = CancellationToken::new();
    let mut call = call("echo", &arguments, &Never, &cancel);
    call.meta = meta.map(object);
    let listener = |_| {};
    call.progress = wants_progress.then_some(&listener as _);
    let Called::Done(result) = scene.client.call_tool(call).await.unwrap() else { panic!() };
    let echoed: Value = serde_json::from_str(text(&result)).unwrap();
    let sent = scene.sent_with("tools/call");
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0]["params"], echoed);
    assert_eq!(echoed["arguments"], json!({ "a": [1, { "b": null }] }));
    echoed
}

#[tokio::test]
async fn meta_of_the_caller_arrives_unchanged_in_both_eras() {
    let tool =
        json!({ "name": "echo", "arguments": { "a": 1 }, "answers": { "ü": true }, "options": {} });
    let context = json!({ "action": "run", "root": "/w" });
    for era in ERAS {
        let meta = json!({ "computer.jp/tool": tool, "computer.jp/context": context });
        let sent = params(era, Some(meta.clone()), true).await;
        // D31-041, D31-049
        assert_eq!(sent["_meta"]["computer.jp/tool"], tool, "{era:?}");
        assert_eq!(sent["_meta"]["computer.jp/context"], context, "{era:?}");
        // D31-042
        assert!(sent["_meta"]["progressToken"].is_number(), "{era:?}");
        let version = &sent["_meta"]["io.modelcontextprotocol/protocolVersion"];
        let capabilities = &sent["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        match era {
            Era::Modern => {
                assert_eq!(version, "2026-07-28");
                assert!(capabilities.is_object());
            }
            Era::Legacy => assert!(version.is_null() && capabilities.is_null()),
        }
    }
}

#[tokio::test]
async fn without_meta_of_ours_there_is_none() {
    for meta in [None, Some(json!({}))] {
        // D31-044, D31-047, D31-048
        let sent = params(Era::Legacy, meta.clone(), false).await;
        assert_eq!(sent.get("_meta"), None, "{sent}");

        let sent = params(Era::Modern, meta.clone(), false).await;
        let keys: Vec<_> = sent["_meta"].as_object().unwrap().keys().cloned().collect();
        assert!(keys.iter().all(|key| key.starts_with("io.modelcontextprotocol/")), "{keys:?}");

        let sent = params(Era::Legacy, meta, true).await;
        assert_eq!(object(sent["_meta"].clone()).len(), 1, "{sent}");
    }
}

#[tokio::test]
async fn meta_of_the_caller_cannot_replace_that_of_the_protocol() {
    let meta =
        json!({ "io.modelcontextprotocol/protocolVersion": "1999", "progressToken": "mine" });
    let sent = params(Era::Modern, Some(meta), true).await;
    assert_eq!(sent["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert!(sent["_meta"]["progressToken"].is_number());
}

#[tokio::test]
async fn what_we_can_do_is_declared_in_both_eras() {
    for era in ERAS {
        for roots in [vec![], vec!["/w/src".into()]] {
            let words = format!("era={}", era.name());
            let scene = Scene::with(&[&words], |spec| spec.roots.clone_from(&roots));
            scene.client.tools().await.unwrap();
            let declared = match era {
                Era::Legacy => scene.sent_with("initialize")[0]["params"]["capabilities"].clone(),
                Era::Modern => scene.sent_with("tools/list")[0]["params"]["_meta"]
                    ["io.modelcontextprotocol/clientCapabilities"]
                    .clone(),
            };
            // D31-063
            assert_eq!(declared["extensions"]["computer.jp/outcome"], json!({}), "{era:?}");
            assert_eq!(declared["elicitation"], json!({ "form": {} }));
            assert_eq!(declared.get("sampling"), None);
            assert_eq!(declared.get("roots").is_some(), !roots.is_empty());
        }
    }
}

#[tokio::test]
async fn roots_are_told_if_there_are_some_and_nothing_is_sampled() {
    let scene = Scene::with(&["era=legacy"], |spec| spec.roots = vec!["/w/a b".into()]);
    let result = scene.call("roots", json!({})).await.unwrap();
    assert_eq!(text(&result), r#"{"roots":[{"uri":"file:///w/a%20b"}]}"#);
    let refused = scene.call("sample", json!({})).await.unwrap();
    assert!(text(&refused).contains("-32601"), "{}", text(&refused));

    let without = Scene::of(Era::Legacy);
    let refused = without.call("roots", json!({})).await.unwrap();
    assert!(text(&refused).contains("-32601"), "{}", text(&refused));
}

#[tokio::test]
async fn a_cancelled_call_is_cancelled_on_the_wire() {
    for era in ERAS {
        let scene = Scene::of(era);
        let arguments = Map::new();
        let cancel = CancellationToken::new();
        let calling = scene.client.call_tool(call("silent", &arguments, &Never, &cancel));
        let cancelling = async {
            scene.until_sent("tools/call").await;
            cancel.cancel();
        };
        let (ended, ()) = tokio::join!(calling, cancelling);
        assert!(matches!(ended, Err(McpError::Cancelled { .. })), "{ended:?}");
        is_cancelled(&scene).await;
        // And the server is still there.
        assert!(scene.call("echo", json!({})).await.is_ok());
        assert_eq!(scene.starts(), 1);
    }
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_cancelled_on_the_wire() {
    let scene = Scene::of(Era::Legacy);
    let arguments = Map::new();
    let cancel = CancellationToken::new();
    let calling = scene.client.call_tool(call("silent", &arguments, &Never, &cancel));
    tokio::select! {
        ended = calling => panic!("{ended:?}"),
        _ = scene.until_sent("tools/call") => {}
    }
    is_cancelled(&scene).await;
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled_on_the_wire() {
    let scene = Scene::with(&["era=legacy"], |spec| spec.patience = Duration::from_millis(300));
    let ended = scene.call("silent", json!({})).await;
    assert!(matches!(ended, Err(McpError::Timeout { .. })), "{ended:?}");
    is_cancelled(&scene).await;
}

async fn is_cancelled(scene: &Scene) {
    let cancelled = scene.until_sent("notifications/cancelled").await;
    let call = scene.until_sent("tools/call").await;
    assert_eq!(cancelled["params"]["requestId"], call["id"]);
}
