//! The questions of the server, by each way on which they can be asked.

use jp_tool::{AnswerType, Outcome};
use serde_json::{Value, json};

use crate::{
    session::{ERAS, Era, Session, text, uris},
    studio::Studio,
};

/// D31-066: `input_required`, and the call goes on when the answer is there.
#[test]
fn several_versions_as_a_round_trip() {
    let studio = Studio::new();
    let mut session = Session::start(&mut studio.command(), Era::Modern, true);
    let arguments = json!({ "name": "paint" });
    let asked = session.call("crate_info", &arguments);
    assert_eq!(asked["resultType"], "input_required");
    let form = &asked["inputRequests"]["version"]["params"];
    assert_eq!(form["message"], "The workspace uses several versions of paint. Which one?");
    let field = &form["requestedSchema"]["properties"]["version"];
    assert_eq!(field["enum"], json!(["2.0.0", "1.0.0"]));
    assert_eq!(field["default"], "2.0.0");
    let answer = json!({
        "inputResponses": { "version": { "action": "accept", "content": { "version": "1.0.0" } } },
        "requestState": asked["requestState"],
    });
    let done = session.call_with("crate_info", &arguments, &answer);
    assert_eq!(uris(&done), ["crate://paint/1.0.0", "crate://paint/1.0.0/readme"]);
    assert!(text(&done).contains("# paint 1.0.0"), "{done}");
}

/// D31-066: `elicitation/create` inside the call.
#[test]
fn several_versions_by_elicitation() {
    let studio = Studio::new();
    let mut session = Session::start(&mut studio.command(), Era::Legacy, true);
    let params = json!({ "name": "crate_info", "arguments": { "name": "paint" } });
    let id = session.ask("tools/call", params);
    let question = session.receive();
    assert_eq!(question["method"], "elicitation/create");
    let answer = json!({ "action": "accept", "content": { "version": "2.0.0" } });
    session.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer }));
    let done = session.receive();
    assert_eq!(done["id"], id);
    assert_eq!(uris(&done["result"])[0], "crate://paint/2.0.0");
}

#[test]
fn a_client_that_cannot_ask_is_told_the_argument() {
    let studio = Studio::new();
    for era in ERAS {
        let mut session = Session::start(&mut studio.command(), era, false);
        let error = session.call("crate_info", &json!({ "name": "paint" }));
        assert_eq!(error["isError"], true, "{era:?}");
        assert!(text(&error).contains("the argument `version`"), "{era:?}: {error}");
        let error = session.call("crate_info", &json!({ "name": "brush" }));
        assert!(text(&error).contains("the argument `fetch`"), "{era:?}: {error}");
        let done = session.call("crate_info", &json!({ "name": "paint", "version": "1" }));
        assert_eq!(uris(&done)[0], "crate://paint/1.0.0", "{era:?}");
    }
}

/// D31-064, D31-066, D31-074, D31-076: under `--jp` the question is an envelope, and the answer is
/// read from `_meta`, in both eras and also when the client could be asked otherwise.
#[test]
fn a_crate_that_is_not_here_under_jp() {
    for era in ERAS {
        let studio = Studio::new();
        let mut session = Session::start(studio.command().arg("--jp"), era, true);
        let mut ask = |answers: &Value| {
            let arguments = json!({ "name": "brush", "item": "Brush" });
            let meta = json!({ "_meta": {
                "computer.jp/tool": { "name": "crate_item", "arguments": arguments,
                    "answers": answers, "options": {} },
                "computer.jp/context": { "action": "run", "root": studio.path("work") },
            } });
            let result = session.call_with("crate_item", &arguments, &meta);
            assert_eq!(result["_meta"]["computer.jp/outcome"], json!({}), "{result}");
            assert_eq!(result["content"].as_array().unwrap().len(), 1, "{result}");
            Outcome::parse(result["content"][0]["text"].as_str().unwrap()).unwrap()
        };
        let Outcome::NeedsInput { question } = ask(&json!({})) else {
            panic!("{era:?}: no question")
        };
        assert_eq!(question.id, "fetch");
        assert_eq!(question.text, "brush is not on this machine. Fetch it?");
        assert_eq!(question.answer_type, AnswerType::Boolean);
        let Outcome::Error(error) = ask(&json!({ "fetch": false })) else { panic!("{era:?}") };
        assert!(error.message.contains("was not fetched"), "{error}");
        let Outcome::Success { content } = ask(&json!({ "fetch": true })) else {
            panic!("{era:?}")
        };
        assert!(
            content.starts_with("<crate://brush/0.3.0/items/Brush>\n\n# Struct `brush::Brush`"),
            "{content}"
        );
        assert!(content.contains("A brush with paint on it."), "{content}");
    }
}

/// The arguments are written by the model.
#[test]
fn a_yes_in_the_arguments_is_no_answer_where_somebody_can_be_asked() {
    let studio = Studio::new();
    let mut session = Session::start(&mut studio.command(), Era::Modern, true);
    let asked = session.call("crate_info", &json!({ "name": "brush", "fetch": true }));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let declined = session.call("crate_info", &json!({ "name": "brush", "fetch": false }));
    assert!(text(&declined).contains("was not fetched"), "{declined}");
}

#[test]
fn several_items_of_one_name() {
    let studio = Studio::new();
    let mut session = Session::start(&mut studio.command(), Era::Modern, true);
    let arguments = json!({ "name": "paint", "version": "2", "item": "Tone" });
    let asked = session.call("crate_item", &arguments);
    let field = &asked["inputRequests"]["item"]["params"]["requestedSchema"]["properties"]["item"];
    assert_eq!(field["enum"], json!(["cold::Tone", "warm::Tone"]), "{asked}");
    let answer = json!({
        "inputResponses": { "item": { "action": "accept", "content": { "item": "warm::Tone" } } },
        "requestState": asked["requestState"],
    });
    let done = session.call_with("crate_item", &arguments, &answer);
    assert!(text(&done).contains("A warm tone."), "{done}");
}

/// Two rounds: the first answer comes back in the state, not in the responses of the second.
#[test]
fn two_questions_after_each_other() {
    let studio = Studio::new();
    let mut session = Session::start(&mut studio.command(), Era::Modern, true);
    let arguments = json!({ "name": "paint", "item": "Tone" });
    let first = session.call("item_source", &arguments);
    let answer = |id: &str, value: &str, state: &Value| {
        json!({ "inputResponses": { id: { "action": "accept", "content": { id: value } } },
            "requestState": state })
    };
    let version = answer("version", "1.0.0", &first["requestState"]);
    let second = session.call_with("item_source", &arguments, &version);
    assert!(second["inputRequests"].get("item").is_some(), "{second}");
    let item = answer("item", "cold::Tone", &second["requestState"]);
    let done = session.call_with("item_source", &arguments, &item);
    assert_eq!(uris(&done), ["crate://paint/1.0.0/source/cold::Tone"]);
    assert_eq!(text(&done), "    pub struct Tone;\n");
}
