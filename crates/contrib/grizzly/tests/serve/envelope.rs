//! Under `--jp`: the transitional envelope.

use jp_tool::{AnswerType, Outcome};
use serde_json::{Value, json};

use super::program::{ERAS, Notes, Talk};

/// The outcome in a result, which is marked, and is one text and nothing else. (D31-064, D31-074)
fn outcome(answer: &Value) -> Outcome {
    let result = &answer["result"];
    assert_eq!(result["_meta"]["computer.jp/outcome"], json!({}), "{answer}");
    let [block] = result["content"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    assert_eq!(block["type"], "text");
    Outcome::parse(block["text"].as_str().unwrap()).unwrap()
}

async fn call(talk: &mut Talk, tool: &str, arguments: Value, answers: Value) -> Outcome {
    let meta = json!({
        "computer.jp/tool": { "name": tool, "arguments": arguments, "answers": answers, "options": {} },
        "computer.jp/context": { "action": "run", "root": "/work" },
    });
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    outcome(&talk.request("tools/call", params).await)
}

/// D31-064, D31-074: every result is a marked envelope that the contract's own reader unwraps.
#[tokio::test]
async fn results_are_marked_envelopes() {
    let notes = Notes::new();
    for era in ERAS {
        let mut talk = notes.lines(era, &["--jp"]).await;
        let found = talk.call("search_notes", json!({ "query": "wheelbarrow" })).await;
        let Outcome::Success { content } = outcome(&found) else { panic!("{found}") };
        assert!(content.contains("1. **Garden plan**"), "{content}");
        assert!(content.contains("#L7>\n\nThe wheelbarrow needs a new tyre."), "{content}");
        for (tool, arguments) in [
            ("read_notes", json!({ "title": "Seed list" })),
            ("list_tags", json!({})),
            ("find_backlinks", json!({ "title": "Garden plan" })),
        ] {
            let answer = talk.call(tool, arguments).await;
            assert!(matches!(outcome(&answer), Outcome::Success { .. }), "{answer}");
        }
        let wrong = talk.call("read_notes", json!({ "ids": ["nobody"] })).await;
        let Outcome::Error(error) = outcome(&wrong) else { panic!("{wrong}") };
        assert!(error.message.contains("no note with the id") && !error.transient, "{error:?}");
        talk.end().await;
    }
}

/// D31-066: under the flag a question is an envelope, also for a client that could be asked natively, and
/// the answer comes back in `_meta`.
#[tokio::test]
async fn a_title_of_several_notes_is_asked_about() {
    let notes = Notes::new();
    for era in ERAS {
        let mut talk = notes.lines(era, &["--jp"]).await;
        let arguments = json!({ "title": "Groceries" });
        let asked = call(&mut talk, "read_notes", arguments.clone(), json!({})).await;
        let Outcome::NeedsInput { question } = asked else { panic!("{era:?}: {asked:?}") };
        assert_eq!(question.id, "which-note");
        assert_eq!(question.text, "2 notes are called “Groceries”. Which one is meant?");
        let AnswerType::Select { options } = question.answer_type else { panic!("{era:?}") };
        assert_eq!(options.len(), 2);
        for (option, want) in options.iter().zip(["second floor", "oranges"]) {
            let answers = json!({ "which-note": option });
            let done = call(&mut talk, "read_notes", arguments.clone(), answers).await;
            let Outcome::Success { content } = done else { panic!("{era:?}: {done:?}") };
            assert!(content.contains(want), "{era:?}: {content}");
        }
        let wrong = json!({ "which-note": "the other one" });
        let wrong = call(&mut talk, "read_notes", arguments, wrong).await;
        assert!(matches!(wrong, Outcome::Error(_)), "{era:?}: {wrong:?}");
        talk.end().await;
    }
}

/// Two titles of one call are two questions, each with its own answer; the same title is one.
#[tokio::test]
async fn each_unclear_title_has_its_own_question() {
    let notes = Notes::new();
    rusqlite::Connection::open(notes.path())
        .unwrap()
        .execute("UPDATE ZSFNOTE SET ZTITLE = 'Ledger' WHERE ZTITLE LIKE 'Ledger%'", [])
        .unwrap();
    let title = |title: &str| format!("bear://x-callback-url/open-note?title={title}");
    let ids = [title("Groceries"), title("Ledger"), title("Groceries")];
    for era in ERAS {
        let mut talk = notes.lines(era, &["--jp"]).await;
        let mut answers = json!({});
        let mut asked = Vec::new();
        let content = loop {
            match call(&mut talk, "read_notes", json!({ "ids": ids }), answers.clone()).await {
                Outcome::NeedsInput { question } => {
                    let AnswerType::Select { options } = question.answer_type else { panic!() };
                    answers[&question.id] = json!(options[1]);
                    asked.push(question.id);
                }
                Outcome::Success { content } => break content,
                Outcome::Error(error) => panic!("{era:?} {answers}: {error}"),
            }
            assert!(asked.len() < 5, "{asked:?}");
        };
        assert_eq!(asked, ["which-note", "which-note-2"]);
        assert_eq!(content.matches("Flour, oranges").count(), 2, "{content}");
        assert!(content.contains("# Ledger two"), "{content}");
        talk.end().await;
    }
}

/// A database in the middle of a transaction may be quiet a moment later, and the error says so.
#[tokio::test]
async fn what_may_go_away_is_transient() {
    let notes = Notes::new();
    std::fs::write(format!("{}-journal", notes.path()), [7; 512]).unwrap();
    for era in ERAS {
        let mut talk = notes.lines(era, &["--jp", "--timeout-secs", "1"]).await;
        let answer = talk.call("list_tags", json!({})).await;
        let Outcome::Error(error) = outcome(&answer) else { panic!("{answer}") };
        assert!(error.transient && error.message.contains("not finished"), "{error:?}");
        talk.end().await;
    }
}
