//! Lines: how messages are cut out of a stream of bytes, and what happens with those that are none.

use serde_json::json;

use crate::{
    tool::{LIMIT, code_of},
    world::World,
};

fn read(id: i64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"fs.read","params":{{"path":"a"}}}}"#)
}

// D11-016 D11-021: answers come on the other pipe, each on one line, whatever the file holds.
#[test]
fn content_with_line_ends_stays_on_one_line() {
    let world = World::on_disk();
    world.put("a", "one\ntwo\r\nthree\u{2028}\u{85}");
    let mut tool = world.start();
    tool.write(read(1) + "\n");
    let line = tool.raw_within(LIMIT).unwrap();
    let inner = &line[..line.len() - 1];
    assert!(!inner.contains(&b'\n') && !inner.contains(&b'\r'));
    let value: serde_json::Value = serde_json::from_slice(inner).unwrap();
    assert_eq!(value["result"]["content"], "one\ntwo\r\nthree\u{2028}\u{85}");
}

// D11-022
#[test]
fn text_survives_the_way_there_and_back() {
    for world in [World::on_disk(), World::in_memory()] {
        let mut tool = world.start();
        let texts =
            ["", "\n", "a\r\nb\n", "\"quoted\" \\ back", "é 語 🦀 \u{1}\u{7f}\0", "\u{feff}x"];
        for text in texts {
            assert_eq!(tool.code("fs.write", json!({"path": "t", "content": text})), 0);
            assert_eq!(world.text("t"), text);
            let back = tool.call("fs.read", json!({"path": "t"}));
            assert_eq!(back["result"]["content"], text);
            assert_eq!(back["result"]["size"], text.len());
        }
    }
}

// D11-024
#[test]
fn a_message_in_pieces_is_answered_once() {
    let world = World::on_disk();
    world.put("a", "é");
    let mut tool = world.start();
    for byte in read(1).as_bytes() {
        tool.write([*byte]);
        std::thread::sleep(std::time::Duration::from_micros(200));
    }
    tool.hears_nothing();
    tool.write("\n");
    assert_eq!(tool.line()["id"], 1);
    tool.hears_nothing();
}

// D11-025
#[test]
fn messages_in_one_write_are_each_answered() {
    let world = World::on_disk();
    world.put("a", "x");
    let mut tool = world.start();
    let many: String = (0..200).map(|id| read(id) + "\n").collect();
    tool.write(many);
    for id in 0..200 {
        let line = tool.line();
        assert_eq!((line["id"].as_i64(), code_of(&line)), (Some(id), 0));
    }
}

// A last line without an end counts, when nothing more comes.
#[test]
fn the_end_of_the_output_ends_a_line() {
    let world = World::on_disk();
    let mut tool = world.start();
    tool.write(r#"{"jsonrpc":"2.0","method":"result","params":{"content":"x"}}"#);
    assert!(tool.is_served());
    tool.close_output();
    assert!(matches!(tool.end(), jp_vfs::End::Result(_)));
}

// D11-023 D11-026 D11-237: not JSON, and the next line is served all the same.
#[test]
fn what_is_not_json_is_refused_and_forgotten() {
    let world = World::on_disk();
    world.put("a", "x");
    let mut tool = world.start();
    let deep = "[".repeat(10_000);
    for line in [
        &b"Content-Length: 42"[..],
        b"hello",
        b"{",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fs.read\"",
        b"{} {}",
        b"\xff\xfe",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fs.read\",\"params\":{\"path\":\"\xff\"}}",
        b"\0",
        b"nan",
        deep.as_bytes(),
    ] {
        tool.write(line);
        tool.write("\n");
        let answer = tool.line();
        let shown = String::from_utf8_lossy(&line[..line.len().min(60)]);
        assert_eq!((code_of(&answer), &answer["id"]), (-32700, &json!(null)), "{shown}: {answer}");
        tool.write(read(7) + "\n");
        assert_eq!(tool.line()["result"]["content"], "x", "{shown}");
    }
}

// Empty lines, and those that end like on other systems.
#[test]
fn empty_lines_are_nothing() {
    let world = World::on_disk();
    world.put("a", "x");
    let mut tool = world.start();
    tool.write("\n\r\n  \n\t\n");
    tool.hears_nothing();
    tool.write(read(1) + "\r\n");
    assert_eq!(tool.line()["result"]["content"], "x");
}

// D11-027: one byte decides.
#[test]
fn a_line_over_the_limit_is_too_large() {
    let mut world = World::on_disk();
    world.limits.message_bytes = 1_000;
    let mut tool = world.start();
    for (length, code) in [(999, 0), (1_000, 0), (1_001, -32006), (50_000, -32006)] {
        let empty = json!({"jsonrpc": "2.0", "id": 1, "method": "fs.write", "params": {"path": "a", "content": ""}});
        let content = "x".repeat(length - empty.to_string().len());
        let line =
            empty.to_string().replace(r#""content":"""#, &format!(r#""content":"{content}""#));
        assert_eq!(line.len(), length);
        tool.write(line + "\n");
        let answer = tool.line();
        assert_eq!(code_of(&answer), code, "{length}");
        tool.hears_nothing();
    }
    assert_eq!(world.text("a").len(), 921, "only the last that fitted was written");
}
