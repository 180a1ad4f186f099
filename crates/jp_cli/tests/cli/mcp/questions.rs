//! A server asks: by an envelope, by a round, in the middle of a call. The same person answers.

use std::time::Duration;

use jp_test::Size;

use super::*;

const WITHIN: Duration = Duration::from_secs(30);

fn envelope(id: &str, kind: &str) -> Value {
    text(&format!(
        r#"{{"type":"needs_input","question":{{"id":"{id}","text":"Really {id}?","answer_type":{kind}}}}}"#
    ))
}

fn form() -> Value {
    json!({
        "message": "Which release?",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "version": { "type": "string", "title": "Version" },
                "yanked": { "type": "boolean", "default": false },
            },
            "required": ["version"],
        },
    })
}

fn round() -> Value {
    json!({
        "resultType": "input_required",
        "inputRequests": { "which": { "method": "elicitation/create", "params": form() } },
        "requestState": "sealed state",
    })
}

/// D31-036, D31-046, D31-054, D31-055, D31-056: each answer goes back by `_meta`, all so far, with the same
/// arguments.
#[test]
fn answers_to_envelopes_come_back_by_meta() {
    both_eras(|era| {
        let steps = json!([envelope("a", "\"Boolean\""), envelope("b", "\"Text\""), text("done")]);
        let env = served(&script(era, &steps), "");
        let words = ["t", "q=x", "--answer", "a=yes", "--answer", "b=two"];
        assert_eq!(run(&env, &words).run().success().stdout(), "done\n");
        let calls = wire(&env, "tools/call");
        let answers: Vec<_> =
            calls.iter().map(|call| call["_meta"]["computer.jp/tool"]["answers"].clone()).collect();
        let wanted = [json!(null), json!({ "a": true }), json!({ "a": true, "b": "two" })];
        assert_eq!(answers, wanted, "{era}");
        assert!(calls.iter().all(|call| call["arguments"] == json!({ "q": "x" })));
    });
}

/// D31-060, D31-061: a round is answered by its form and its state, under a new id.
#[test]
fn a_round_gets_its_answers_and_its_state_back() {
    let env = served(&script("modern", &json!([round(), "echo"])), "");
    let words = ["t", "--answer", "version=1.2"];
    let output = run(&env, &words).run().success();
    let sent: Value = serde_json::from_str(output.stdout()).unwrap();
    assert_eq!(sent["requestState"], "sealed state");
    let filled = json!({ "version": "1.2", "yanked": false });
    assert_eq!(sent["inputResponses"]["which"]["content"], filled);
    assert_eq!(sent["inputResponses"]["which"]["action"], "accept");
    // What was answered in a form is sent as that and not once more.
    assert!(!sent["_meta"].to_string().contains("computer.jp/tool"), "{sent}");
    let log = env.read("wire.log");
    let ids: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["method"] == "tools/call")
        .map(|line| line["id"].clone())
        .collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
}

/// D31-062: in the older era the call waits for the answer.
#[test]
fn a_question_in_the_middle_of_a_call_is_answered() {
    let env = served(&script("legacy", &json!([{ "ask": form() }])), "");
    let words = ["t", "--answer", "version=1.2", "--answer", "yanked=true"];
    let output = run(&env, &words).run().success();
    let answered: Value = serde_json::from_str(output.stdout()).unwrap();
    let filled = json!({ "version": "1.2", "yanked": true });
    assert_eq!(answered, json!({ "action": "accept", "content": filled }));
    assert_eq!(wire(&env, "tools/call").len(), 1);
}

/// D31-058, the last two: where nobody can be asked there is the configured answer, the default, or an end at once.
#[test]
fn nobody_is_waited_for() {
    for (era, step) in [("modern", round()), ("legacy", json!({ "ask": form() }))] {
        let env = served(&script(era, &json!([step.clone(), text("done")])), "");
        let output = run(&env, &["t"]).run().code(3);
        assert!(output.stderr().contains("\"Version\""), "{output}");
        assert!(output.stderr().contains("questions.version.answer"), "{output}");
        // The entry that it takes for this tool alone has to say whose tool it is.
        let source = "conversation.tools.t.source = \"mcp.s.t\"";
        assert!(output.stderr().contains(source), "{output}");
        let more = "[conversation.tools.own]\nsource = 'mcp.s.t'\nrun = 'unattended'\nquestions.version.answer = '3'";
        let env = served(&script(era, &json!([step, text("done")])), more);
        run(&env, &["own"]).run().success();
    }
}

#[test]
fn a_person_answers_in_the_terminal() {
    for (era, step) in [
        ("modern", round()),
        ("legacy", json!({ "ask": form() })),
        ("modern", envelope("version", "\"Text\"")),
        ("legacy", envelope("version", "\"Text\"")),
    ] {
        let env = served(&script(era, &json!([step, "echo"])), "");
        let mut pty = run(&env, &["t"]).pty(Size::default());
        pty.expect("t of the MCP server s asks:", WITHIN);
        pty.expect("ersion", WITHIN).expect_keys(WITHIN).send("1.2\r");
        if step.get("type").is_none() && !step.to_string().contains("needs_input") {
            pty.expect("yanked", WITHIN).expect_keys(WITHIN).send("y\r");
        }
        let output = pty.wait(WITHIN).success();
        assert!(output.screen().contains("1.2"), "{era}: {output}");
    }
}

/// A form without fields that is answered by no is declined, and the server goes on.
#[test]
fn no_declines() {
    let ask = json!({ "ask": { "message": "Fetch it?", "requestedSchema": { "type": "object", "properties": {} } } });
    let env = served(&script("legacy", &json!([ask])), "");
    let output = run(&env, &["t", "--answer", "accept=no"]).run().success();
    let answered: Value = serde_json::from_str(output.stdout()).unwrap();
    assert_eq!(answered["action"], "decline");
}

#[test]
fn a_server_that_asks_for_ever_is_ended() {
    let env = served(
        &script(
            "modern",
            &json!([{
                "resultType": "input_required",
                "inputRequests": { "a": { "method": "elicitation/create", "params": { "message": "Again?", "requestedSchema": { "type": "object", "properties": { "x": { "type": "string", "default": "y" } } } } } },
            }]),
        ),
        "",
    );
    let output = run(&env, &["t"]).run().code(1);
    assert!(output.stderr().contains("more than 20"), "{output}");
}

/// D31-050, D31-051, D31-059: whoever asks, the same loop answers, and the tool gets the same: what a program
/// reads on its stdin and what a server of the same name reads in `_meta` is equal, letter by letter.
#[test]
fn a_program_and_a_server_ask_in_the_same_way() {
    let question = envelope("go", "{\"Select\":{\"options\":[\"left\",\"right\"]}}");
    let body = question["content"][0]["text"].as_str().unwrap();
    both_eras(|era| {
        let env = served(&script(era, &json!([question, "echo"])), "");
        let with_tool = |of: &str| {
            let server = "[providers.mcp.s]\ncommand = 'python3'\narguments = ['server.py']\n";
            let tool = "[conversation.tools.t]\nrun = 'unattended'\noptions = { depth = 3, way = ['a'] }\n";
            env.write(".jp/config.toml", format!("{server}{tool}{of}"));
            let words = ["t", "q=a \"b\" ä", "--answer", "go=right"];
            let output = run(&env, &words).run().success();
            serde_json::from_str::<Value>(output.stdout()).unwrap()
        };
        env.write(
            "local.sh",
            format!("read -r line\ncase $line in *'\"answers\":{{}}'*) echo '{body}';;\n*) printf '%s' \"$line\";; esac\n"),
        );
        let program = with_tool(
            "source = 'local'\ncommand = 'sh local.sh'\nparameters.q = { type = 'string' }\n",
        );
        let server = with_tool("source = 'mcp.s.t'\n");
        let meta = &server["_meta"];
        assert_eq!(program["tool"].to_string(), meta["computer.jp/tool"].to_string(), "{era}");
        assert_eq!(
            program["context"].to_string(),
            meta["computer.jp/context"].to_string(),
            "{era}"
        );
        let told = json!({ "name": "t", "arguments": { "q": "a \"b\" ä" },
            "answers": { "go": "right" }, "options": { "depth": 3, "way": ["a"] } });
        assert_eq!(program["tool"], told, "{era}");
    });
    let more = "[conversation.tools.local]\nsource = 'local'\ncommand = 'sh local.sh'\nrun = 'unattended'\nparameters = {}";
    for name in ["local", "t"] {
        let env = served(&script("modern", &json!([question])), more);
        env.write("local.sh", format!("echo '{body}'"));
        let output = run(&env, &[name]).run().code(3);
        assert!(output.stderr().contains("Really go?"), "{output}");
        let output = run(&env, &[name, "--answer", "go=up"]).run().code(2);
        assert!(output.stderr().contains("expected one of `left`, `right`"), "{output}");
    }
}

/// A question that is too long to be read is cut, and whoever is asked sees that it was.
#[test]
fn a_long_question_is_cut() {
    let long = format!("Really? {}", "x".repeat(20_000));
    let body = json!({ "type": "needs_input", "question": { "id": "a", "text": long, "answer_type": "Boolean" } });
    let env = served(&script("modern", &json!([text(&body.to_string()), text("done")])), "");
    let mut pty = run(&env, &["t"]).pty(Size { rows: 40, cols: 200 });
    pty.expect("more bytes]", WITHIN).expect_keys(WITHIN).send("y\r");
    let output = pty.wait(WITHIN).success();
    assert!(output.raw().len() < 10_000, "{}", output.raw().len());
}

/// D31-073: what the page about this protocol shows as a request, and as a question before it, is what goes
/// over the wire, letter by letter but for the places that are those of a test.
#[test]
fn the_page_shows_what_is_sent() {
    const PAGE: &str = include_str!("../../../../../docs/architecture/jp-aware-mcp-tools.md");
    let examples = |kind: &str| -> Vec<Value> {
        let fence = format!("```json {kind}\n");
        let fences = PAGE.split(&fence).skip(1);
        fences
            .map(|rest| serde_json::from_str(rest.split("\n```").next().unwrap()).unwrap())
            .collect()
    };
    let [mut request] = examples("request").try_into().unwrap();
    let question =
        examples("outcome").into_iter().find(|one| one["type"] == "needs_input").unwrap();
    let tool = request["name"].as_str().unwrap().to_owned();
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" }, "item": { "type": "string" } } });
    let script = json!({
        "era": "legacy",
        "tools": [{ "name": tool, "description": "Reads.", "inputSchema": schema }],
        "calls": { &tool: [text(&question.to_string()), text("done")] },
    });
    let options = &request["_meta"]["computer.jp/tool"]["options"];
    assert_eq!(*options, json!({ "site": false }));
    let more = format!(
        "[conversation.tools.own]\nsource = 'mcp.s.{tool}'\nrun = 'unattended'\noptions = {{ site = false }}"
    );
    let env = served(&script, &more);
    let arguments = request["arguments"].as_object().unwrap().clone();
    let mut words = vec!["own".to_owned()];
    words.extend(arguments.iter().map(|(key, value)| format!("{key}={}", value.as_str().unwrap())));
    words.extend(["--answer".to_owned(), "fetch=yes".to_owned()]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    run(&env, &words).run().success();
    let [_, sent] = wire(&env, "tools/call").try_into().unwrap();
    let context = &mut request["_meta"]["computer.jp/context"];
    context["root"] = env.project().as_str().into();
    context["workspace_id"] = sent["_meta"]["computer.jp/context"]["workspace_id"].clone();
    assert!(context["workspace_id"].is_string(), "{sent}");
    // The two halves as they are written; the order of the rest is that of the library.
    for key in ["computer.jp/tool", "computer.jp/context"] {
        assert_eq!(sent["_meta"][key].to_string(), request["_meta"][key].to_string());
    }
    assert_eq!(sent, request);
}
