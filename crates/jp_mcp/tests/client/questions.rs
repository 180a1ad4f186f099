//! Questions of a server: in the middle of a call, and instead of an answer.

use std::time::Duration;

use indexmap::IndexMap;
use jp_mcp::{Called, ElicitAnswer, Era, McpError};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::common::{Answers, Never, Scene, call, object, text};

fn name() -> ElicitAnswer {
    ElicitAnswer::Accept(object(json!({ "name": "Ann", "age": 7 })))
}

#[tokio::test]
async fn a_question_in_the_middle_of_a_call_is_answered_and_the_call_goes_on() {
    for (answer, sent) in [
        (name(), json!({ "action": "accept", "content": { "name": "Ann", "age": 7 } })),
        (ElicitAnswer::Decline, json!({ "action": "decline" })),
        (ElicitAnswer::Cancel, json!({ "action": "cancel" })),
    ] {
        let scene = Scene::of(Era::Legacy);
        let person = Answers::with(answer);
        let Called::Done(result) = scene.called("ask", json!({}), &person).await.unwrap() else {
            panic!()
        };
        assert_eq!(serde_json::from_str::<Value>(text(&result)).unwrap(), sent);
        let asked = person.asked.lock().unwrap();
        assert_eq!(asked[0].message, "Who are you?");
        assert_eq!(asked[0].schema["required"], json!(["name"]));
        assert!(asked[0].schema["properties"]["age"]["x-odd"].is_array(), "nothing is lost");
        assert_eq!(asked[0].url, None);
    }
}

// D31-062, the half on the wire: the time of the call does not run while a person is asked.
#[tokio::test]
async fn the_time_of_the_call_stands_still_while_a_person_is_asked() {
    let scene = Scene::with(&["era=legacy"], |spec| spec.patience = Duration::from_millis(1500));
    let person = Answers { after: Duration::from_millis(2500), ..Answers::with(name()) };
    let called = scene.called("ask", json!({}), &person).await.unwrap();
    assert!(matches!(called, Called::Done(_)));
    assert!(scene.sent_with("notifications/cancelled").is_empty());
}

#[tokio::test]
async fn questions_without_end_are_ended() {
    let scene = Scene::of(Era::Legacy);
    let person = Answers::with(name());
    let error = scene.called("ask_for_ever", json!({}), &person).await.unwrap_err();
    assert!(matches!(error, McpError::TooManyQuestions { limit: 20, .. }), "{error:?}");
    assert_eq!(person.count(), 20);
    scene.until_sent("notifications/cancelled").await;
    // It would go on asking whoever calls next, so it is ended.
    assert!(scene.call("echo", json!({})).await.is_ok());
    assert_eq!(scene.starts(), 2);
}

#[tokio::test]
async fn a_question_that_is_withdrawn_is_not_waited_for() {
    let scene = Scene::of(Era::Legacy);
    let person = Answers { after: Duration::from_mins(10), ..Answers::with(name()) };
    let Called::Done(result) = scene.called("withdraw", json!({}), &person).await.unwrap() else {
        panic!()
    };
    assert_eq!(text(&result), "never mind");
    assert_eq!(person.count(), 1);
}

#[tokio::test]
async fn a_call_can_be_cancelled_while_a_person_is_asked() {
    let scene = Scene::of(Era::Legacy);
    let person = Answers { after: Duration::from_mins(10), ..Answers::with(name()) };
    let (arguments, cancel) = (Map::new(), CancellationToken::new());
    let calling = scene.client.call_tool(call("ask", &arguments, &person, &cancel));
    let cancelling = async {
        while person.count() == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        cancel.cancel();
    };
    let (ended, ()) = tokio::join!(calling, cancelling);
    assert!(matches!(ended, Err(McpError::Cancelled { .. })), "{ended:?}");
}

#[tokio::test]
async fn a_round_of_questions_ends_the_call_and_is_taken_up_again() {
    let scene = Scene::of(Era::Modern);
    let called = scene.called("round", json!({ "a": 1 }), &Never).await.unwrap();
    // D31-060
    let Called::InputRequired(round) = called else { panic!("{called:?}") };
    let forms: Vec<_> =
        round.forms.iter().map(|(key, form)| (key.as_str(), &*form.message)).collect();
    assert_eq!(forms, [("who", "Who?"), ("sure", "Sure?")]);

    let answer = ElicitAnswer::Accept(object(json!({ "name": "Ann" })));
    let resume = round.resume(IndexMap::from([("who".to_owned(), answer)]));
    let (arguments, cancel) = (object(json!({ "a": 1 })), CancellationToken::new());
    let mut again = call("round", &arguments, &Never, &cancel);
    again.resume = Some(resume);
    let Called::Done(_) = scene.client.call_tool(again).await.unwrap() else { panic!() };

    // D31-061
    let calls = scene.sent_with("tools/call");
    assert_eq!(calls.len(), 2);
    assert_ne!(calls[0]["id"], calls[1]["id"]);
    let params = &calls[1]["params"];
    assert_eq!(params["arguments"], json!({ "a": 1 }));
    assert_eq!(params["requestState"], "sealed \u{1f512} state");
    assert_eq!(
        params["inputResponses"],
        json!({
            "who": { "action": "accept", "content": { "name": "Ann" } },
            "sure": { "action": "cancel" },
        })
    );
    assert_eq!(calls[0]["params"].get("inputResponses"), None);
    assert_eq!(calls[0]["params"].get("requestState"), None);
}

#[tokio::test]
async fn a_round_that_needs_no_person_is_made_by_itself() {
    let scene = Scene::of(Era::Modern);
    let result = scene.call("state_only", json!({})).await.unwrap();
    assert!(text(&result).contains(r#""requestState":"later""#));
    assert!(!text(&result).contains("inputResponses"));

    let scene = Scene::with(&["era=modern"], |spec| spec.roots = vec!["/w".into()]);
    let result = scene.call("round_roots", json!({})).await.unwrap();
    assert_eq!(text(&result), r#"{"where":{"roots":[{"uri":"file:///w"}]}}"#);
}

#[tokio::test]
async fn rounds_without_end_are_ended() {
    let scene = Scene::of(Era::Modern);
    let error = scene.call("round_for_ever", json!({})).await.unwrap_err();
    assert!(matches!(error, McpError::TooManyQuestions { .. }), "{error:?}");
    assert_eq!(scene.sent_with("tools/call").len(), 20);
}

#[tokio::test]
async fn what_we_do_not_do_is_said() {
    let scene = Scene::of(Era::Modern);
    for (tool, wanted) in
        [("round_sample", "sampling/createMessage"), ("round_roots", "roots/list")]
    {
        let error = scene.call(tool, json!({})).await.unwrap_err();
        assert!(matches!(error, McpError::Unsupported { .. }), "{error:?}");
        assert!(error.to_string().contains(wanted), "{error}");
    }
}

#[tokio::test]
async fn two_calls_ask_one_after_the_other() {
    let scene = Scene::of(Era::Legacy);
    let person = Answers { after: Duration::from_millis(50), ..Answers::with(name()) };
    let (one, two) = tokio::join!(
        scene.called("ask", json!({}), &person),
        scene.called("ask", json!({}), &person),
    );
    assert!(matches!((one, two), (Ok(Called::Done(_)), Ok(Called::Done(_)))));
    assert_eq!(person.count(), 2);
}
