//! A toolbox served in memory to the client of rmcp, in both eras.

#![expect(clippy::unwrap_used, reason = "tests may fail")]

mod shop;

use std::time::Duration;

use jp_mcp_server::Protocol;
use jp_test::rmcp_client::{self, ERAS, Era};
use jp_tool::Outcome;
use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientConfig, ElicitRequestParams,
        ElicitResult, ElicitationAction, InputRequiredResult, ReadResourceRequestParams,
        RequestParamsMeta,
    },
    service::{RequestContext, RunningService},
};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::shop::start;

const LIMIT: Duration = Duration::from_mins(1);

/// A client that answers forms with these values, or declines.
struct Person {
    answers: Option<Value>,
    forms: bool,
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        rmcp_client::config(self.forms)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { requested_schema, .. } = request else {
            return Ok(ElicitResult::new(ElicitationAction::Cancel));
        };
        let field = requested_schema.properties.keys().next().cloned().unwrap_or_default();
        Ok(match &self.answers {
            Some(answers) => ElicitResult::new(ElicitationAction::Accept)
                .with_content(json!({ field.clone(): answers[field] })),
            None => ElicitResult::new(ElicitationAction::Decline),
        })
    }
}

async fn client(
    protocol: Protocol,
    era: Era,
    person: Person,
) -> RunningService<RoleClient, Person> {
    let (stream, _, _) = start(protocol);
    rmcp_client::connect(person, stream, era).await
}

fn call(tool: &'static str, arguments: &Value) -> CallToolRequestParams {
    CallToolRequestParams::new(tool).with_arguments(arguments.as_object().unwrap().clone())
}

fn text(result: &CallToolResult) -> String {
    let json = serde_json::to_value(result).unwrap();
    let content = &json["content"][0];
    let text = content.get("text").or_else(|| content.pointer("/resource/text"));
    text.and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn person(answers: Value) -> Person {
    Person { answers: Some(answers), forms: true }
}

/// D31-066, D31-075: in both eras a question reaches the client natively and the tool goes on.
#[tokio::test]
async fn questions_are_asked_natively() {
    for era in ERAS {
        let person = person(json!({ "color": "blue", "wrap-it": true }));
        let client = client(Protocol::Native, era, person).await;
        let result =
            timeout(LIMIT, client.call_tool(call("buy", &json!({})))).await.unwrap().unwrap();
        assert_eq!(text(&result), "blue, plain, at here", "{era:?}");
        let json = serde_json::to_value(&result).unwrap();
        assert_eq!(json["content"][0]["type"], "resource", "{era:?}");
        assert!(json.get("_meta").is_none(), "{era:?}");
    }
}

#[tokio::test]
async fn a_declined_question_ends_the_call_with_advice() {
    for era in ERAS {
        let client = client(Protocol::Native, era, Person { answers: None, forms: true }).await;
        let result = client.call_tool(call("buy", &json!({}))).await.unwrap();
        assert_eq!(result.is_error, Some(true), "{era:?}");
        assert!(text(&result).contains("Pass the argument `color`"), "{era:?}: {}", text(&result));
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_an_error() {
    for era in ERAS {
        let person = person(json!({ "color": "green", "wrap-it": true }));
        let client = client(Protocol::Native, era, person).await;
        let result = client.call_tool(call("buy", &json!({}))).await.unwrap();
        assert!(text(&result).contains("is not one of red, blue"), "{era:?}: {}", text(&result));
    }
}

#[tokio::test]
async fn a_client_that_cannot_ask_learns_which_argument_settles_it() {
    for era in ERAS {
        let client = client(Protocol::Native, era, Person { answers: None, forms: false }).await;
        let result = client.call_tool(call("buy", &json!({ "color": "red" }))).await.unwrap();
        assert_eq!(result.is_error, Some(true));
        assert!(text(&result).contains("the argument `wrap`"), "{era:?}: {}", text(&result));
        let settled = json!({ "color": "red", "wrap": false });
        let result = client.call_tool(call("buy", &settled)).await.unwrap();
        assert_eq!(text(&result), "red, bare, at here", "{era:?}");
    }
}

/// D31-064, D31-066, D31-074, D31-076: under the flag questions and replies are marked envelopes,
/// also for a client that has forms, and answers and options are read from `_meta`.
#[tokio::test]
async fn under_the_flag_questions_are_envelopes() {
    for era in ERAS {
        let client = client(Protocol::Jp, era, person(json!({}))).await;
        let ask = async |answers: Value| {
            let mut params = call("buy", &json!({}));
            let meta = json!({
                "computer.jp/tool": { "name": "buy", "arguments": {}, "answers": answers,
                    "options": { "paper": "gold" } },
                "computer.jp/context": { "action": "run", "root": "/w" },
            });
            *params.meta_mut() = Some(serde_json::from_value(meta).unwrap());
            let result = client.call_tool(params).await.unwrap();
            let json = serde_json::to_value(&result).unwrap();
            assert_eq!(json["_meta"]["computer.jp/outcome"], json!({}), "{era:?}");
            assert_eq!(json["content"].as_array().unwrap().len(), 1);
            Outcome::parse(&text(&result)).unwrap()
        };
        let asked = |outcome| match outcome {
            Outcome::NeedsInput { question } => question.id,
            other => panic!("{era:?}: {other:?}"),
        };
        assert_eq!(asked(ask(json!({})).await), "color");
        assert_eq!(asked(ask(json!({ "color": "red" })).await), "wrap-it");
        let both = ask(json!({ "color": "red", "wrap-it": true })).await;
        assert_eq!(both, Outcome::success("<shop://sign>\n\nred, gold, at /w"), "{era:?}");
        let wrong = ask(json!({ "color": 7 })).await;
        assert!(matches!(wrong, Outcome::Error(_)), "{era:?}: {wrong:?}");
    }
}

#[tokio::test]
async fn rounds_can_be_driven_by_hand() {
    let client = client(Protocol::Native, Era::Modern, person(json!({}))).await;
    let CallToolResponse::InputRequired(InputRequiredResult {
        input_requests, request_state, ..
    }) = client.call_tool_once(call("buy", &json!({}))).await.unwrap()
    else {
        panic!("no question")
    };
    assert_eq!(input_requests.unwrap().keys().collect::<Vec<_>>(), ["color"]);
    let answer = json!({ "color": { "action": "accept", "content": { "color": "red" } } });
    let other = call("buy", &json!({ "wrap": true }))
        .with_input_responses(serde_json::from_value(answer).unwrap())
        .with_request_state(request_state.unwrap());
    let refused = client.call_tool_once(other).await.unwrap_err().to_string();
    assert!(refused.contains("belongs to a call with another tool"), "{refused}");
}

#[tokio::test]
async fn faults_stay_with_the_call() {
    for era in ERAS {
        let client = client(Protocol::Native, era, person(json!({}))).await;
        let broken = client.call_tool(call("break", &json!({}))).await.unwrap();
        assert!(text(&broken).contains("broke down"), "{era:?}: {}", text(&broken));
        let wrong = client.call_tool(call("buy", &json!({ "color": 7 }))).await.unwrap();
        assert_eq!(wrong.is_error, Some(true));
        assert!(text(&wrong).contains("wrong at `color`"), "{era:?}: {}", text(&wrong));
        let unknown = client.call_tool(call("rob", &json!({}))).await.unwrap_err().to_string();
        assert!(unknown.contains("there is no tool `rob`"), "{era:?}: {unknown}");
        let tools = client.list_all_tools().await.unwrap();
        assert_eq!(tools.len(), 3, "{era:?}");
        assert_eq!(client.list_all_resources().await.unwrap()[0].uri, "shop://sign");
        let read = client.read_resource(ReadResourceRequestParams::new("shop://sign")).await;
        assert_eq!(serde_json::to_value(read.unwrap()).unwrap()["contents"][0]["text"], "open");
        let missing = client.read_resource(ReadResourceRequestParams::new("shop://x")).await;
        assert!(missing.unwrap_err().to_string().contains("no resource `shop://x`"));
    }
}
