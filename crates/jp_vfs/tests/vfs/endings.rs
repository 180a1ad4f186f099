//! The last word of a tool, and ends without one.

use jp_tool::{Blocks, Content, ContentBlock, vfs::Answer};
use jp_vfs::End;
use serde_json::{Value, json};

use crate::{tool::Tool, world::World};

fn ended_with(method: &str, params: Value) -> (Tool, World) {
    let world = World::on_disk();
    world.put("a", "x");
    let mut tool = world.start();
    tool.notify(method, params);
    (tool, world)
}

fn blocks(content: Value) -> Blocks {
    let (mut tool, _world) = ended_with("result", json!({"content": content}));
    let End::Result(Answer::Content(content)) = tool.end() else { panic!("{:?}", tool.end()) };
    // D11-035: not answered; the input just ends.
    assert_eq!(tool.drained(), [] as [Value; 0]);
    content.into_blocks()
}

// D11-036 D11-037 D11-038
#[test]
fn a_result_is_a_text_or_blocks() {
    let text = blocks(json!("done"));
    assert_eq!(text, blocks(json!([{"type": "text", "text": "done"}])));
    assert_eq!(text, Content::from("done").into_blocks());
    assert_eq!(text.blocks.len(), 1);
    let two = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
    assert_eq!(blocks(two).blocks.len(), 2);
    assert_eq!(blocks(json!([])).blocks.len(), 0);
}

// D11-039: what is malformed is skipped, the rest stays.
#[test]
fn a_malformed_block_is_skipped() {
    let good = json!({"type": "text", "text": "a"});
    for bad in [json!({"type": "text"}), json!({"type": "text", "text": 7}), json!(7), json!({})] {
        let found = blocks(json!([bad, good]));
        assert_eq!(found.blocks, blocks(json!([good])).blocks, "{bad}");
        assert_eq!(found.malformed.len(), 1, "there is something to warn about: {bad}");
    }
}

// D11-043: it comes through; what it means is found out by whoever holds the outcome.
#[test]
fn a_question_is_part_of_a_result() {
    let question = json!({"id": "q", "text": "Really?", "schema": {"type": "boolean"}});
    let found =
        blocks(json!([{"type": "text", "text": "a"}, {"type": "question", "question": question}]));
    assert!(matches!(&found.blocks[1], ContentBlock::Question { .. }), "{found:?}");
}

// D11-170: a description is told apart from content.
#[test]
fn a_description_is_a_result_too() {
    let tools = json!({"tools": [{"name": "t", "summary": "Does it.", "parameters": {}}]});
    let (tool, _world) = ended_with("result", json!({"content": tools}));
    let End::Result(Answer::Schema(schema)) = tool.end() else { panic!("{:?}", tool.end()) };
    assert_eq!(serde_json::to_value(schema).unwrap()["tools"][0]["name"], "t");
}

// D11-040 D11-041 D11-042
#[test]
fn an_error_is_told_as_it_was_said() {
    for (trace, transient) in [(vec!["a", "b"], true), (vec![], false)] {
        let params = json!({"message": "no", "trace": trace, "transient": transient});
        let (mut tool, _world) = ended_with("error", params);
        let End::Failed(error) = tool.end() else { panic!("{:?}", tool.end()) };
        assert_eq!(error.message, "no");
        assert_eq!(
            (error.trace, error.transient),
            (trace.iter().map(ToString::to_string).collect(), transient)
        );
        assert_eq!(tool.drained(), [] as [Value; 0]);
    }
    let (tool, _world) = ended_with("error", json!({"message": "no"}));
    assert!(matches!(tool.end(), End::Failed(_)));
}

#[test]
fn a_last_word_that_makes_no_sense() {
    for (method, params) in [
        ("result", json!({})),
        ("result", json!({"content": 7})),
        ("result", json!({"content": null})),
        ("result", json!({"content": {"nonsense": 1}})),
        ("result", json!([])),
        ("error", json!({})),
        ("error", json!({"message": 7})),
        ("error", json!({"message": "x", "trace": "y"})),
    ] {
        let (tool, _world) = ended_with(method, params.clone());
        assert!(matches!(tool.end(), End::Unreadable(_)), "{method} {params}: {:?}", tool.end());
    }
}

// D11-044: with the last word in one write, so that only the order decides.
#[test]
fn nothing_is_done_after_the_last_word() {
    for last in [
        json!({"jsonrpc": "2.0", "method": "result", "params": {"content": "x"}}),
        json!({"jsonrpc": "2.0", "method": "error", "params": {"message": "x"}}),
        json!({"jsonrpc": "2.0", "method": "state", "params": {"type": "stopped", "result": "x"}}),
    ] {
        let world = World::on_disk();
        let mut tool = world.start();
        let write = |path: &str| json!({"jsonrpc": "2.0", "id": path, "method": "fs.write", "params": {"path": path, "content": "x"}});
        tool.write(format!("{}\n{last}\n{}\n", write("before"), write("after")));
        tool.end();
        tool.write(format!("{}\n", write("later")));
        let answers = tool.drained();
        let ids: Vec<_> = answers.iter().map(|answer| answer["id"].clone()).collect();
        assert_eq!(ids, ["before"]);
        assert!(world.has("before") && !world.has("after") && !world.has("later"));
    }
}

// D11-035: a result with an id would be a request, and there is no such method.
#[test]
fn a_last_word_has_no_id() {
    let world = World::on_disk();
    let mut tool = world.start();
    for method in ["result", "error", "state", "cancel"] {
        assert_eq!(tool.code(method, json!({"content": "x", "message": "x"})), -32601);
    }
    assert!(tool.is_served());
}

// D11-202 D11-203, seen from here: nothing more comes, and nothing was said.
#[test]
fn an_end_without_a_word() {
    let world = World::on_disk();
    let mut tool = world.start();
    assert_eq!(tool.code("fs.exists", json!({"path": "a"})), 0);
    tool.close_output();
    assert_eq!(tool.end(), End::Closed);
}

#[test]
fn unknown_notifications_are_ignored() {
    let world = World::on_disk();
    let mut tool = world.start();
    for method in ["progress", "fs.write", "init", "", "host.register", "state", "cancel"] {
        tool.notify(method, json!({"path": "a", "content": "x"}));
    }
    tool.hears_nothing();
    assert!(tool.is_served() && !world.has("a"));
}
