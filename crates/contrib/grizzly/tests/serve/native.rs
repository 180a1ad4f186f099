//! Without `--jp`: plain MCP.

use rmcp::model::{CallToolRequestParams, CallToolResult, ReadResourceRequestParams};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::program::{ERAS, Era, LIMIT, Notes};

const GARDEN: &str = "A0000001-0000-4000-8000-000000000001";

fn uri(id: &str) -> String {
    format!("bear://x-callback-url/open-note?id={id}")
}

/// The content of a result that is plain MCP.
fn content(answer: &Value) -> &Vec<Value> {
    let result = &answer["result"];
    assert_ne!(result["isError"], true, "{answer}");
    assert!(result.get("_meta").is_none(), "{answer}");
    result["content"].as_array().unwrap()
}

/// D31-075: without the flag results are plain content, with nothing of the envelope.
#[tokio::test]
async fn results_are_resources() {
    let notes = Notes::new();
    for era in ERAS {
        let mut talk = notes.lines(era, &[]).await;
        let found = talk.call("search_notes", json!({ "query": "tomatoes" })).await;
        let blocks = content(&found);
        assert_eq!(
            blocks[0]["text"],
            "Found 2 notes. 1 note was judged by title and tags only: encrypted, or too long to read."
        );
        let line = blocks[1]["text"].as_str().unwrap();
        assert!(line.starts_with("1. **Garden plan** (id A0000001-"), "{line}");
        assert!(line.contains("tags home/garden; changed 2026-01-13 12:26"), "{line}");
        assert_eq!(blocks[2]["type"], "resource");
        let resource = &blocks[2]["resource"];
        assert_eq!(resource["uri"], format!("{}#L4-L5", uri(GARDEN)));
        assert_eq!(resource["mimeType"], "text/markdown");
        let excerpt = resource["text"].as_str().unwrap();
        assert!(excerpt.contains("Tomatoes go along the south wall."), "{excerpt}");
        // The address of an excerpt leads to the very same lines.
        let read = talk.request("resources/read", json!({ "uri": resource["uri"] })).await;
        assert_eq!(read["result"]["contents"][0]["text"], excerpt, "{era:?}");
        talk.end().await;
    }
}

#[tokio::test]
async fn notes_are_read_by_id_and_lines() {
    let notes = Notes::new();
    for era in ERAS {
        let mut talk = notes.lines(era, &[]).await;
        for (arguments, want, text) in [
            (json!({ "ids": [GARDEN] }), "lines 1 to 7 of 7.", "# Garden plan\n#home/garden"),
            (
                json!({ "ids": [uri(GARDEN)], "first_line": 4, "last_line": 4 }),
                "lines 4 to 4 of 7.",
                "Tomatoes",
            ),
            (
                json!({ "ids": [GARDEN.to_lowercase()], "first_line": 40 }),
                "there is no line 40, the note has 7.",
                "",
            ),
            (json!({ "title": " garden PLAN" }), "lines 1 to 7 of 7.", "# Garden plan"),
        ] {
            let answer = talk.call("read_notes", arguments).await;
            let blocks = content(&answer);
            assert!(blocks[0]["text"].as_str().unwrap().ends_with(want), "{answer}");
            assert!(blocks[1]["resource"]["text"].as_str().unwrap().starts_with(text), "{answer}");
        }
        // Several at once; the encrypted one is named.
        let ids = [GARDEN, "A0000005-0000-4000-8000-000000000005"];
        let answer = talk.call("read_notes", json!({ "ids": ids })).await;
        let shown = answer.to_string();
        assert!(
            shown.contains("**Diary**") && shown.contains("is encrypted. Only Bear"),
            "{shown}"
        );
        assert!(!shown.contains("nobody-may-read-this"));
        talk.end().await;
    }
}

#[tokio::test]
async fn tags_and_backlinks() {
    let notes = Notes::new();
    for era in ERAS {
        let mut talk = notes.lines(era, &[]).await;
        let tags = talk.call("list_tags", json!({ "within": "#Travel" })).await;
        let text = content(&tags)[0]["text"].as_str().unwrap();
        assert!(text.contains("- Travel (") && text.contains("- Travel/Zürich (1)\n"), "{text}");
        let links = talk.call("find_backlinks", json!({ "id": GARDEN })).await;
        let blocks = content(&links);
        assert_eq!(blocks[0]["text"], "1 note links to “Garden plan”.");
        assert!(blocks[1]["text"].as_str().unwrap().starts_with("**Seed list**"));
        let target = uri("A0000002-0000-4000-8000-000000000002");
        assert_eq!(blocks[2]["resource"]["uri"], format!("{target}#L7"));
        let links = talk.call("find_backlinks", json!({ "title": "Seed list" })).await;
        assert!(links.to_string().contains("see [[Seed list]]"), "{links}");
        talk.end().await;
    }
}

#[tokio::test]
async fn resources_are_listed_and_read() {
    let notes = Notes::new();
    for era in ERAS {
        let mut talk = notes.lines(era, &[]).await;
        let list = talk.request("resources/list", json!({})).await;
        let list = list["result"]["resources"].as_array().unwrap();
        let find = |title: &str| list.iter().find(|resource| resource["name"] == title);
        assert_eq!(find("Garden plan").unwrap()["uri"], uri(GARDEN));
        assert!(find("Thrown away").is_none() && find("Gone for good").is_none());
        let templates = talk.request("resources/templates/list", json!({})).await;
        let templates = templates["result"]["resourceTemplates"].as_array().unwrap();
        assert_eq!(templates[0]["uriTemplate"], "bear://x-callback-url/open-note?id={id}");
        for (address, want) in [
            (uri(GARDEN), "# Garden plan\n#home/garden"),
            ("bear://x-callback-url/open-note?title=Seed%20list".to_owned(), "# Seed list"),
            (
                "bear://x-callback-url/open-tag?name=home%2Fgarden".to_owned(),
                "- [Garden plan](bear://",
            ),
        ] {
            let read = talk.request("resources/read", json!({ "uri": address })).await;
            let text = read["result"]["contents"][0]["text"].as_str().unwrap_or_default();
            assert!(text.contains(want), "{era:?} {address}: {read}");
        }
        for (address, want) in [
            (uri("nobody"), "there is no resource"),
            (uri("A0000005-0000-4000-8000-000000000005"), "is encrypted"),
            (uri("A0000011-0000-4000-8000-000000000011"), "there is no resource"),
            ("bear://x-callback-url/open-note?title=Groceries".to_owned(), "Use the id."),
            ("file:///etc/passwd".to_owned(), "there is no resource"),
        ] {
            let read = talk.request("resources/read", json!({ "uri": address })).await;
            let message = read["error"]["message"].as_str().unwrap_or_default();
            assert!(message.contains(want), "{era:?} {address}: {read}");
        }
        talk.end().await;
    }
}

/// A paragraph without a line break may be long. A tool gives the beginning of it, the resource all.
#[tokio::test]
async fn long_lines_are_read_whole_as_resources() {
    let notes = Notes::new();
    let line = "long ".repeat(20_000);
    let connection = rusqlite::Connection::open(notes.path()).unwrap();
    let change = |text: &str| {
        let sql = "UPDATE ZSFNOTE SET ZTEXT = ?1 WHERE Z_PK = 1";
        connection.execute(sql, [text]).unwrap();
    };
    change(&format!("# Garden plan\n{line}\nend"));
    for era in ERAS {
        let mut talk = notes.lines(era, &[]).await;
        let answer = talk.call("read_notes", json!({ "ids": [GARDEN] })).await;
        let said = content(&answer)[0]["text"].as_str().unwrap();
        assert!(said.ends_with("A very long line is cut; the resource has it whole."), "{said}");
        for (address, want) in [
            (uri(GARDEN), format!("# Garden plan\n{line}\nend")),
            (uri(GARDEN) + "#L2", line.clone()),
        ] {
            let read = talk.request("resources/read", json!({ "uri": address })).await;
            assert!(read["result"]["contents"][0]["text"] == want.as_str(), "{era:?} {address}");
        }
        talk.end().await;
    }
    change(&"x".repeat(5 << 20));
    let mut talk = notes.lines(Era::Modern, &[]).await;
    let read = talk.request("resources/read", json!({ "uri": uri(GARDEN) })).await;
    let message = read["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("have more than 4 MiB. Read fewer"), "{read}");
    talk.end().await;
}

/// D31-066: where the client offers it, a question is asked as MCP has it. Newer era: a round trip.
#[tokio::test]
async fn a_title_of_several_notes_is_asked_about_by_a_round_trip() {
    let notes = Notes::new();
    let mut talk = notes.lines(Era::Modern, &[]).await;
    let asked = talk.call("read_notes", json!({ "title": "groceries" })).await;
    let asked = &asked["result"];
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = &asked["inputRequests"]["which-note"];
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(
        question["params"]["message"],
        "2 notes are called “groceries”. Which one is meant?"
    );
    let options = &question["params"]["requestedSchema"]["properties"]["which-note"]["enum"];
    assert_eq!(
        *options,
        json!([
            "A0000004-0000-4000-8000-000000000004 (made 2025-01-31 07:06; work/office)",
            "A0000003-0000-4000-8000-000000000003 (made 2025-01-31 07:06; home)",
        ])
    );
    let again = json!({
        "name": "read_notes",
        "arguments": { "title": "groceries" },
        "inputResponses": { "which-note": { "action": "accept", "content": { "which-note": options[1] } } },
        "requestState": asked["requestState"],
    });
    let answer = talk.request("tools/call", again).await;
    assert!(
        content(&answer)[1]["resource"]["text"].as_str().unwrap().contains("Flour"),
        "{answer}"
    );
    talk.end().await;
}

/// D31-066: older era: elicitation, while the call waits.
#[tokio::test]
async fn a_title_of_several_notes_is_asked_about_by_elicitation() {
    let notes = Notes::new();
    let mut talk = notes.lines(Era::Legacy, &[]).await;
    let asked = talk.call("find_backlinks", json!({ "title": "Groceries" })).await;
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let options = &asked["params"]["requestedSchema"]["properties"]["which-note"]["enum"];
    let answer = json!({ "jsonrpc": "2.0", "id": asked["id"],
        "result": { "action": "accept", "content": { "which-note": options[0] } } });
    talk.send(&answer).await;
    let result = talk.receive().await;
    assert_eq!(content(&result)[0]["text"], "No note links to “Groceries”.");
    talk.end().await;
}

fn text(result: &CallToolResult) -> String {
    serde_json::to_value(result).unwrap()["content"].to_string()
}

fn call(tool: &'static str, arguments: &Value) -> CallToolRequestParams {
    CallToolRequestParams::new(tool).with_arguments(arguments.as_object().unwrap().clone())
}

/// The same with a client that nobody here wrote.
#[tokio::test]
async fn the_client_of_rmcp_is_served() {
    let notes = Notes::new();
    for era in ERAS {
        let (client, _child) = notes.client(era, &[], Some("home)")).await;
        let tools = timeout(LIMIT, client.list_all_tools()).await.unwrap().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, ["search_notes", "read_notes", "list_tags", "find_backlinks"]);
        for tool in &tools {
            let hints = tool.annotations.as_ref().unwrap();
            assert_eq!((hints.read_only_hint, hints.open_world_hint), (Some(true), Some(false)));
        }
        let asked = client.call_tool(call("read_notes", &json!({ "title": "Groceries" })));
        let read = timeout(LIMIT, asked).await.unwrap().unwrap();
        assert!(text(&read).contains("Flour, oranges"), "{era:?}: {}", text(&read));
        let resource = client.read_resource(ReadResourceRequestParams::new(uri(GARDEN))).await;
        assert!(serde_json::to_string(&resource.unwrap()).unwrap().contains("wheelbarrow"));
        let (client, _child) = notes.client(era, &[], None).await;
        let declined = client.call_tool(call("read_notes", &json!({ "title": "Groceries" })));
        let declined = timeout(LIMIT, declined).await.unwrap().unwrap();
        assert_eq!(declined.is_error, Some(true));
        assert!(text(&declined).contains("the argument `ids`"), "{}", text(&declined));
    }
}

/// What a model may get wrong is told in words, and the server goes on.
#[tokio::test]
async fn wrong_arguments_are_told() {
    let notes = Notes::new();
    let mut talk = notes.lines(Era::Modern, &[]).await;
    for (tool, arguments, want) in [
        ("search_notes", json!({ "quary": "x" }), "unknown field `quary`"),
        ("search_notes", json!({ "limit": 0 }), "`limit` must be at least 1"),
        ("search_notes", json!({ "limit": -1 }), "wrong at `limit`"),
        ("search_notes", json!({ "created_after": "yesterday" }), "`yesterday` is not a date"),
        ("search_notes", json!({ "query": "a ".repeat(40) }), "more than 32 words"),
        ("search_notes", json!({ "tags": ["#"] }), "`#` is not a tag"),
        ("search_notes", json!({ "archived": "maybe" }), "wrong at `archived`"),
        ("read_notes", json!({}), "Pass either `ids` or `title`"),
        ("read_notes", json!({ "ids": ["x"], "title": "y" }), "Pass either `ids` or `title`"),
        ("read_notes", json!({ "ids": ["x"] }), "no note with the id `x`"),
        ("read_notes", json!({ "ids": vec!["x"; 21] }), "More than 20 ids"),
        ("read_notes", json!({ "title": "Nothing" }), "no note called “Nothing”"),
        ("read_notes", json!({ "ids": [GARDEN], "first_line": 3, "last_line": 2 }), "count from 1"),
        ("read_notes", json!({ "ids": ["https://x/y"] }), "not the address of a note"),
        ("find_backlinks", json!({}), "Pass either `id` or `title`"),
    ] {
        let answer = talk.call(tool, arguments).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(answer.to_string().contains(want), "{want}: {answer}");
    }
    // None of these is wrong; they only find nothing.
    let all = json!({ "offset": u64::MAX, "limit": u64::MAX });
    assert!(
        content(&talk.call("search_notes", all).await)[0]["text"].to_string().contains("Found")
    );
    let far = json!({ "ids": [GARDEN], "first_line": u64::MAX });
    assert!(talk.call("read_notes", far).await.to_string().contains("the note has 7."));
    for query in ["' OR 1=1; --", "\"", "NEAR(", "%", "(?:[", "\u{0}", "zzz \u{202e}"] {
        let answer = talk.call("search_notes", json!({ "query": query })).await;
        content(&answer);
    }
    let answer = talk.call("search_notes", json!({ "tags": ["wrok"] })).await;
    assert!(
        answer.to_string().contains("There is no tag `wrok`; list_tags names them."),
        "{answer}"
    );
    talk.end().await;
}

/// A database that is not there, or another one, is an error of each call; it may come later.
#[tokio::test]
async fn the_database_may_come_later() {
    let notes = Notes::new();
    let aside = format!("{}.aside", notes.path());
    std::fs::rename(notes.path(), &aside).unwrap();
    let mut talk = notes.lines(Era::Modern, &[]).await;
    let answer = talk.call("list_tags", json!({})).await;
    assert!(answer.to_string().contains("there is no such file; say where Bear keeps"), "{answer}");
    std::fs::write(notes.path(), "not a database").unwrap();
    let answer = talk.call("list_tags", json!({})).await;
    assert!(answer.to_string().contains("not an SQLite database"), "{answer}");
    std::fs::rename(&aside, notes.path()).unwrap();
    let answer = talk.call("list_tags", json!({})).await;
    assert!(content(&answer)[0]["text"].as_str().unwrap().contains("- home/garden ("), "{answer}");
    talk.end().await;
}

/// Many calls at once take turns, and each gets its answer.
#[tokio::test]
async fn calls_at_once_are_all_answered() {
    let notes = Notes::new();
    let (client, _child) = notes.client(Era::Modern, &[], None).await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..40 {
        let peer = client.peer().clone();
        calls.spawn(async move {
            let asked = peer.call_tool(call("search_notes", &json!({ "query": "tomatoes" })));
            timeout(LIMIT, asked).await.unwrap().unwrap()
        });
    }
    let answers = calls.join_all().await;
    assert!(answers.iter().all(|answer| text(answer).contains("Garden plan")));
}
