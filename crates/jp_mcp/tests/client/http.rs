//! The client against servers on the network, which is loopback here.

mod server;

use std::time::{Duration, Instant};

use jp_mcp::{Called, Client, Connect, ElicitAnswer, Era, Http, McpError, ServerSpec};
use serde_json::{Map, json};
use tokio_util::sync::CancellationToken;

use self::server::{Manner, Server};
use crate::common::{Answers, Never, call, object, text};

fn client(server: &Server) -> Client {
    Client::new(ServerSpec {
        name: "net".to_owned(),
        connect: Connect::Http(Http {
            url: server.url.parse().unwrap(),
            headers: vec![("Authorization".to_owned(), "Bearer secret".to_owned())],
            authorizer: None,
        }),
        stateful: true,
        startup: Duration::from_secs(10),
        patience: Duration::from_secs(10),
        roots: Vec::new(),
        era: None,
    })
}

async fn done(client: &Client, tool: &str) -> Result<jp_mcp::CallResult, McpError> {
    let (arguments, cancel) = (Map::new(), CancellationToken::new());
    match client.call_tool(call(tool, &arguments, &Never, &cancel)).await? {
        Called::Done(result) => Ok(result),
        Called::InputRequired(round) => panic!("{round:?}"),
    }
}

#[tokio::test]
async fn both_eras_and_both_kinds_of_answers() {
    for era in [Era::Legacy, Era::Modern] {
        for events in [false, true] {
            let server = Server::start(Manner { era, events, ..Manner::default() }).await;
            let client = client(&server);
            let tools = client.tools().await.unwrap();
            assert_eq!(tools.tools.len(), 1, "{era:?} {events}");
            assert_eq!(tools.malformed.len(), 1, "{era:?} {events}");
            let result = done(&client, "blocks").await.unwrap();
            assert_eq!(result.content.blocks.len(), 1, "{era:?} {events}");
            assert_eq!(result.content.malformed.len(), 1, "{era:?} {events}");
            assert_eq!(client.status().era, Some(era));
            client.close().await;
            assert!(server.all_had("authorization", "Bearer secret"));
        }
    }
}

#[tokio::test]
async fn meta_is_left_out_over_http_too() {
    let server = Server::start(Manner { era: Era::Legacy, ..Manner::default() }).await;
    let client = client(&server);
    done(&client, "blocks").await.unwrap();
    let calls = server.bodies_with("tools/call");
    assert_eq!(calls.len(), 1);
    // D31-044
    assert_eq!(calls[0]["params"].get("_meta"), None);
}

#[tokio::test]
async fn a_question_over_http_is_answered() {
    let server =
        Server::start(Manner { era: Era::Legacy, events: true, ..Manner::default() }).await;
    let client = client(&server);
    let person = Answers::with(ElicitAnswer::Accept(object(json!({ "name": "Ann" }))));
    let (arguments, cancel) = (Map::new(), CancellationToken::new());
    let called = client.call_tool(call("ask", &arguments, &person, &cancel)).await.unwrap();
    let Called::Done(result) = called else { panic!() };
    assert_eq!(text(&result), r#"{"action":"accept","content":{"name":"Ann"}}"#);
    assert_eq!(person.count(), 1);
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_an_error_at_once() {
    for events in [false, true] {
        let server = Server::start(Manner { events, ..Manner::default() }).await;
        let client = client(&server);
        client.tools().await.unwrap();
        let begun = Instant::now();
        let error = done(&client, "huge").await.unwrap_err();
        assert!(matches!(error, McpError::TooLarge { .. }), "{events}: {error:?}");
        assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
        assert!(done(&client, "blocks").await.is_ok());
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_or_wants_a_login_is_a_clear_error() {
    let gone = Server::gone().await;
    let error = story(&client(&gone).tools().await.unwrap_err());
    assert!(error.contains("error sending request"), "{error}");
    assert!(!error.contains("127.0.0.1"), "the address may hold a secret: {error}");

    let locked = Server::start(Manner { locked: true, ..Manner::default() }).await;
    let error = story(&client(&locked).tools().await.unwrap_err());
    assert!(error.contains("`Authorization`"), "{error}");

    let server = Server::start(Manner::default()).await;
    let client = client(&server);
    client.tools().await.unwrap();
    let error = done(&client, "error500").await.unwrap_err();
    assert!(matches!(error, McpError::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().contains("500"), "{error}");
}

fn story(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
