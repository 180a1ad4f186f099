//! Tests of the ways to ask that need no client; those with one are in `tests/`.

use serde_json::json;

use super::*;

fn question() -> Question {
    let options = vec!["1.0.0".to_owned(), "2.0.0".to_owned()];
    Question::new("version", "Which version?", AnswerType::Select { options })
}

fn call(arguments: &Value, rest: &Value) -> CallToolRequestParams {
    let mut params = json!({ "name": "crate_info", "arguments": arguments });
    let object = params.as_object_mut().unwrap();
    object.extend(rest.as_object().unwrap().clone());
    serde_json::from_value(params).unwrap()
}

fn text(stop: &Stop) -> String {
    match &stop.0 {
        crate::stop::Reason::Failed(error) => error.message.clone(),
        crate::stop::Reason::Asked(question) => format!("asks {}", question.id),
    }
}

async fn ask(way: &Way) -> Result<Value, String> {
    way.ask(&question(), "version").await.map_err(|stop| text(&stop))
}

#[tokio::test]
async fn an_envelope_asks_until_the_answer_is_there() {
    let way = |answers: Value| Way::Envelope { answers: answers.as_object().unwrap().clone() };
    assert_eq!(ask(&way(json!({}))).await, Err("asks version".to_owned()));
    assert_eq!(ask(&way(json!({ "version": "2.0.0" }))).await, Ok(json!("2.0.0")));
    let wrong = ask(&way(json!({ "version": "9" }))).await.unwrap_err();
    assert_eq!(wrong, "The answer \"9\" to `version` is not one of 1.0.0, 2.0.0.");
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_told_what_settles_it() {
    let error = ask(&Way::Nobody).await.unwrap_err();
    assert!(error.contains("Choices: 1.0.0, 2.0.0."), "{error}");
    assert!(error.contains("the argument `version`"), "{error}");
}

/// The answers of a round, and those of the rounds before it, which the client carries.
#[tokio::test]
async fn a_round_trip_accumulates_answers() {
    let arguments = json!({ "name": "serde" });
    let first = Way::round_trip(&call(&arguments, &json!({}))).unwrap();
    assert_eq!(ask(&first).await, Err("asks version".to_owned()));
    let asked = serde_json::to_value(first.input_required(&question()).unwrap().unwrap()).unwrap();
    assert_eq!(asked["resultType"], "input_required");
    let form = &asked["inputRequests"]["version"];
    assert_eq!(form["method"], "elicitation/create");
    assert_eq!(form["params"]["mode"], "form");
    assert_eq!(
        form["params"]["requestedSchema"],
        json!({
            "type": "object",
            "properties": {
                "version":
                    { "type": "string", "title": "Which version?", "enum": ["1.0.0", "2.0.0"] },
            },
            "required": ["version"],
        })
    );
    let answer = json!({ "version": { "action": "accept", "content": { "version": "1.0.0" } } });
    let rest = json!({ "inputResponses": answer, "requestState": asked["requestState"] });
    let second = Way::round_trip(&call(&arguments, &rest)).unwrap();
    assert_eq!(ask(&second).await, Ok(json!("1.0.0")));
    let later = second.input_required(&question()).unwrap().unwrap().request_state.unwrap();
    let third = Way::round_trip(&call(&arguments, &json!({ "requestState": later }))).unwrap();
    assert_eq!(ask(&third).await, Ok(json!("1.0.0")));
}

#[tokio::test]
async fn a_question_that_is_declined_or_cancelled_ends_the_call() {
    for action in ["decline", "cancel"] {
        let rest = json!({ "inputResponses": { "version": { "action": action } } });
        let error = ask(&Way::round_trip(&call(&json!({}), &rest)).unwrap()).await.unwrap_err();
        assert!(error.contains("was not answered") && error.contains("`version`"), "{error}");
    }
}

#[test]
fn a_state_of_another_call_or_not_of_ours_is_refused() {
    let state = State::of(&call(&json!({ "a": 1, "b": 2 }), &json!({}))).unwrap().encode();
    let check = |arguments: Value, state: &str, want: &str| {
        let rest = json!({ "requestState": state });
        let result = Way::round_trip(&call(&arguments, &rest));
        let message = result.map_or_else(|error| error.message.to_string(), |_| String::new());
        assert!(message.contains(want) && want.is_empty() == message.is_empty(), "{message}");
    };
    check(json!({ "b": 2, "a": 1 }), &state, "");
    check(json!({ "a": 1, "b": 3 }), &state, "belongs to a call");
    check(json!({}), "{}", "missing field");
    check(json!({}), "no", "expected");
    check(json!({}), &"x".repeat(MAX_STATE_AND_ONE), "longer than 64 KiB");
}

const MAX_STATE_AND_ONE: usize = (64 << 10) + 1;
