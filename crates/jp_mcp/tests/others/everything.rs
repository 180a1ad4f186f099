//! The server that has everything, through the same tour over both ways to reach it.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use jp_mcp::{Called, Client, ElicitAnswer, Era, McpError, Progress, ServerSpec, State};
use jp_test::mcp::{HttpServer, Program};
use jp_tool::{ContentBlock, ResourceData};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{
    Answers, call, call_with, http, object, program, spec, temp_dir, text, try_call, until,
};

#[tokio::test]
async fn everything_over_pipes() {
    let client = Client::new(spec(program(Program::everything())));
    tour(&client).await;
    assert_eq!(client.status().starts, 1, "one process for the whole run");
    client.close().await;
    assert_eq!(client.status().state, State::Idle);
}

#[tokio::test]
async fn everything_over_http() {
    let server = HttpServer::everything();
    let client = Client::new(spec(http(&server.url)));
    tour(&client).await;
    client.close().await;
}

/// A server on the network that is gone is named, and not waited for.
#[tokio::test]
async fn an_http_server_that_is_gone_is_an_error_at_once() {
    let mut server = HttpServer::everything();
    let client = Client::new(spec(http(&server.url)));
    call(&client, "echo", json!({ "message": "here" })).await;
    server.kill();
    let start = Instant::now();
    let error = try_call(&client, "echo", json!({ "message": "gone" })).await.unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(20), "{error}");
    assert!(error.to_string().contains("`other`"), "{error}");
    client.close().await;
}

async fn tour(client: &Client) {
    lists_tools(client).await;
    keeps_every_kind_of_content(client).await;
    reads_what_is_only_named(client).await;
    tells_failures_from_answers(client).await;
    passes_questions_on(client).await;
    reports_progress(client).await;
    cancels(client).await;
}

async fn lists_tools(client: &Client) {
    let tools = client.tools().await.unwrap();
    assert_eq!(tools.malformed, []);
    let echo = tools.get("echo").unwrap();
    assert_eq!(echo.description.as_deref(), Some("Echoes back the input string"));
    assert_eq!(echo.input_schema["required"], json!(["message"]));
    assert!(echo.annotations.may_be_repeated());
    let status = client.status();
    assert_eq!((status.era, status.protocol.as_deref()), (Some(Era::Legacy), Some("2025-11-25")));
    assert_eq!(status.server.as_deref(), Some("mcp-servers/everything"));
    // It adds this one when it has seen what the client can do, and says that its tools have changed.
    until("a tool that came later is listed", async || {
        client.tools().await.unwrap().get("trigger-elicitation-request").is_some()
    })
    .await;
    // We have no roots here and never sample: a server must not believe otherwise.
    let tools = client.tools().await.unwrap();
    for tool in ["get-roots-list", "trigger-sampling-request"] {
        assert!(tools.get(tool).is_none(), "{tool}");
    }
}

async fn keeps_every_kind_of_content(client: &Client) {
    let result = call(client, "echo", json!({ "message": "héllo\n" })).await;
    assert_eq!(text(&result), "Echo: héllo\n");
    assert!(!result.is_error);

    let result = call(client, "get-tiny-image", json!({})).await;
    let image = result.content.blocks.iter().find_map(|block| match block {
        ContentBlock::Image { data, mime_type, .. } => Some((data.as_str(), mime_type.as_str())),
        _ => None,
    });
    let (data, mime_type) = image.unwrap();
    assert_eq!(mime_type, "image/png");
    assert!(data.starts_with("iVBORw0KGgo"), "a PNG in base64");

    let result = call(client, "get-annotated-message", json!({ "messageType": "error" })).await;
    let ContentBlock::Text { annotations, .. } = &result.content.blocks[0] else {
        panic!("{result:?}")
    };
    assert_eq!(annotations.as_ref().unwrap()["audience"], json!(["user", "assistant"]));

    let result = call(client, "get-structured-content", json!({ "location": "Chicago" })).await;
    let structured = result.structured.as_ref().unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text(&result)).unwrap(), *structured);
}

async fn reads_what_is_only_named(client: &Client) {
    let result = call(client, "get-resource-links", json!({ "count": 2 })).await;
    let links = result.content.blocks.iter().filter_map(|block| match block {
        ContentBlock::ResourceLink(link) => Some(link.uri.as_str()),
        _ => None,
    });
    let links: Vec<&str> = links.collect();
    assert_eq!(links, ["demo://resource/dynamic/blob/1", "demo://resource/dynamic/text/2"]);
    for (uri, binary) in [(links[0], true), (links[1], false)] {
        let read = client.read_resource(uri).await.unwrap();
        assert_resource(&read.blocks, uri, binary);
    }
    for (kind, binary) in [("Blob", true), ("Text", false)] {
        let arguments = json!({ "resourceType": kind, "resourceId": 7 });
        let result = call(client, "get-resource-reference", arguments).await;
        let uri = format!("demo://resource/dynamic/{}/7", kind.to_lowercase());
        assert_resource(&result.content.blocks, &uri, binary);
    }
    let error = client.read_resource("demo://resource/nothing").await.unwrap_err();
    assert!(matches!(error, McpError::Refused { .. }), "{error:?}");
}

#[track_caller]
fn assert_resource(blocks: &[ContentBlock], uri: &str, binary: bool) {
    let resource = blocks.iter().find_map(|block| match block {
        ContentBlock::Resource { resource, .. } => Some(resource),
        _ => None,
    });
    let resource = resource.unwrap_or_else(|| panic!("no resource in {blocks:?}"));
    assert_eq!(resource.uri, uri);
    assert_eq!(matches!(resource.data, ResourceData::Blob(_)), binary, "{resource:?}");
}

async fn tells_failures_from_answers(client: &Client) {
    let result = call(client, "get-sum", json!({ "a": 1, "b": "two" })).await;
    assert!(result.is_error && text(&result).contains("expected number"), "{result:?}");
    let result = call(client, "no-such-tool", json!({})).await;
    assert!(result.is_error && text(&result).contains("not found"), "{result:?}");
}

async fn passes_questions_on(client: &Client) {
    let ask = async |answers: &Answers| {
        let cancel = CancellationToken::new();
        let called =
            call_with(client, "trigger-elicitation-request", json!({}), answers, None, &cancel)
                .await;
        let Ok(Called::Done(result)) = called else { panic!("{called:?}") };
        text(&result)
    };
    let accept =
        Answers::always(ElicitAnswer::Accept(object(json!({ "name": "Ada", "integer": 7 }))));
    let said = ask(&accept).await;
    assert!(said.contains("Ada") && said.contains('7'), "{said}");
    let asked = accept.asked.into_inner().unwrap();
    assert_eq!(asked.len(), 1);
    // A form of many fields arrives whole.
    let fields = asked[0].schema["properties"].as_object().unwrap();
    assert!(fields.len() >= 8 && fields["integer"]["default"] == json!(42), "{fields:?}");
    assert_eq!(asked[0].schema["required"], json!(["name"]));

    let said = ask(&Answers::always(ElicitAnswer::Decline)).await;
    assert!(said.contains("declined"), "{said}");
    let said = ask(&Answers::always(ElicitAnswer::Cancel)).await;
    assert!(said.contains("cancel"), "{said}");
}

async fn reports_progress(client: &Client) {
    let seen: Mutex<Vec<Progress>> = Mutex::default();
    let note = |progress| seen.lock().unwrap().push(progress);
    let arguments = json!({ "duration": 0.4, "steps": 4 });
    let (nobody, cancel) = (Answers::none(), CancellationToken::new());
    let called = call_with(
        client,
        "trigger-long-running-operation",
        arguments,
        &nobody,
        Some(&note),
        &cancel,
    )
    .await;
    assert!(matches!(called, Ok(Called::Done(_))), "{called:?}");
    let seen = seen.into_inner().unwrap();
    let steps: Vec<_> = seen.iter().map(|progress| (progress.progress, progress.total)).collect();
    assert_eq!(steps, [1.0, 2.0, 3.0, 4.0].map(|step| (step, Some(4.0))));
}

async fn cancels(client: &Client) {
    let cancel = CancellationToken::new();
    let arguments = json!({ "duration": 50, "steps": 500 });
    let first = |_| cancel.cancel();
    let (nobody, tool) = (Answers::none(), "trigger-long-running-operation");
    let start = Instant::now();
    let called = call_with(client, tool, arguments, &nobody, Some(&first), &cancel);
    let error = called.await.unwrap_err();
    assert!(matches!(error, McpError::Cancelled { .. }), "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(20));
    // The server goes on as if nothing had been.
    let result = call(client, "echo", json!({ "message": "still here" })).await;
    assert_eq!(text(&result), "Echo: still here");
}

/// The server is told the directories it may work in, and no others.
#[tokio::test]
async fn roots_are_told_to_who_asks() {
    let (_dir, path) = temp_dir();
    let spec = ServerSpec { roots: vec![path.clone()], ..spec(program(Program::everything())) };
    let client = Client::new(spec);
    until("the server has the roots", async || {
        let result = call(&client, "get-roots-list", json!({})).await;
        text(&result).contains(&format!("URI: file://{path}\n"))
    })
    .await;
    let said = text(&call(&client, "get-roots-list", json!({})).await);
    assert!(said.contains("(1 total)"), "{said}");
    client.close().await;
}

/// Without `stateful`, no process sees two calls.
#[tokio::test]
async fn a_stateless_server_is_started_for_each_call() {
    let spec = ServerSpec { stateful: false, ..spec(program(Program::everything())) };
    let client = Client::new(spec);
    for call_number in 1..=2 {
        let result = call(&client, "echo", json!({ "message": call_number.to_string() })).await;
        assert_eq!(text(&result), format!("Echo: {call_number}"));
    }
    assert!(client.status().starts >= 2, "{:?}", client.status());
    assert_ne!(client.status().state, State::Ready, "nothing is left running");
    client.close().await;
}
