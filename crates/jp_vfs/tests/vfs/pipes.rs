//! Full pipes, closed pipes, and floods.

use std::time::{Duration, Instant};

use jp_tool::vfs::Answer;
use jp_vfs::End;
use serde_json::json;

use crate::{
    tool::{LIMIT, code_of},
    world::World,
};

/// The memory that this process holds, in bytes.
pub(crate) fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1_024
}

/// The most that this process has held, in bytes, since it was last reset.
pub(crate) fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1_024
}

/// Runs something and shows that it never takes more than 200 MB.
pub(crate) fn bounded(what: impl FnOnce()) {
    let before = memory();
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    what();
    let grown = most_memory().saturating_sub(before);
    assert!(grown < 200_000_000, "it took {grown} bytes");
}

fn read(id: usize) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"fs.read\",\"params\":{{\"path\":\"a\"}}}}\n"
    )
}

// D11-221 D11-222: neither side has to stop for the other.
#[test]
fn a_large_answer_and_a_large_request_pass_each_other() {
    let world = World::on_disk();
    world.put("large", vec![b'r'; 8_000_000]);
    let mut tool = world.start();
    tool.request(1, "fs.read", json!({"path": "large"}));
    // The answer does not fit into the pipe, and is not read before all of this is written.
    tool.request(2, "fs.write", json!({"path": "b", "content": "w".repeat(8_000_000)}));
    let answer = tool.line();
    assert_eq!(
        (answer["id"].as_i64(), answer["result"]["size"].as_u64()),
        (Some(1), Some(8_000_000))
    );
    assert_eq!(code_of(&tool.line()), 0);
    assert_eq!(world.get("b").unwrap().len(), 8_000_000);
}

// D11-221: while an answer is stuck, further requests are taken and done.
#[test]
fn requests_are_read_while_an_answer_is_stuck() {
    let world = World::on_disk();
    world.put("large", vec![b'r'; 5_000_000]);
    let mut tool = world.start();
    tool.request(1, "fs.read", json!({"path": "large"}));
    for n in 0..100 {
        tool.request(2 + n, "fs.write", json!({"path": format!("f{n}"), "content": "x"}));
    }
    let deadline = Instant::now() + LIMIT;
    while !world.has("f99") {
        assert!(Instant::now() < deadline, "they are not served");
        std::thread::sleep(Duration::from_millis(5));
    }
    for id in 1..=101 {
        assert_eq!(code_of(&tool.answer(id)), 0);
    }
}

// A flood that nobody reads the answers to: it is held up, not kept.
#[test]
fn stress_a_flood_of_requests_without_reading() {
    let mut world = World::on_disk();
    world.limits.request_timeout = Duration::from_secs(3);
    world.put("a", vec![b'a'; 100_000]);
    let all: String = (0..100_000).map(read).collect();
    bounded(|| {
        let mut tool = world.start();
        let mut rest = all.as_bytes();
        while tool.is_served() && !rest.is_empty() {
            rest = &rest[tool.try_write(rest)..];
        }
        assert_eq!(tool.end(), End::Deaf(Duration::from_secs(3)));
        assert!(rest.len() > all.len() / 2, "the host stopped reading");
    });
}

// The same flood from a tool that reads is answered, every single one. D11-174
#[test]
fn stress_a_flood_of_requests_that_is_read() {
    let world = World::on_disk();
    world.put("a", "x".repeat(1_000));
    bounded(|| {
        let mut tool = world.start();
        let line = |id: usize| {
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"fs.read\",\"params\":{{\"path\":\"a\"}}}}\n"
            )
        };
        let all: String = (0..100_000).map(line).collect();
        let (mut rest, mut next) = (all.as_bytes(), 0);
        while next < 100_000 {
            if !rest.is_empty() {
                rest = &rest[tool.try_write(rest)..];
            }
            while next < 100_000
                && let Some(line) =
                    tool.line_within(if rest.is_empty() { LIMIT } else { Duration::ZERO })
            {
                assert_eq!((line["id"].as_u64(), code_of(&line)), (Some(next), 0));
                next += 1;
            }
        }
    });
}

// Requests that take longer, and answers that are large: not more at once than the host can hold.
#[test]
fn stress_many_large_answers_are_not_kept_all_at_once() {
    let mut world = World::on_disk();
    world.limits.request_timeout = Duration::from_secs(3);
    world.put("large", "needle in the hay\n".repeat(500_000));
    for method in ["fs.read", "fs.grep"] {
        bounded(|| {
            let mut tool = world.start();
            // All of them fit into one write, so that only what was answered can hold them up.
            let line = |id: usize| {
                let params = json!({"path": "large", "pattern": "needle", "max_matches": 60_000});
                json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
                    + "\n"
            };
            tool.write((0..200).map(line).collect::<String>());
            assert!(matches!(tool.end(), End::Deaf(_)), "{method}: {:?}", tool.end());
        });
    }
}

// Held up is not forgotten: once the tool reads, everything is answered.
#[test]
fn what_was_held_up_goes_on() {
    let world = World::on_disk();
    world.put("a", vec![b'r'; 2_000_000]);
    bounded(|| {
        let mut tool = world.start();
        tool.write((0..50).map(read).collect::<String>());
        std::thread::sleep(Duration::from_millis(500));
        for _ in 0..50 {
            assert!(tool.skip_line() > 2_000_000);
        }
        tool.notify("result", json!({"content": "x"}));
        assert!(matches!(tool.end(), End::Result(_)));
    });
}

// The last word after a flood that nobody read is heard all the same.
#[test]
fn a_tool_that_never_reads_can_say_its_last_word() {
    let world = World::on_disk();
    world.put("a", vec![b'r'; 2_000_000]);
    let mut tool = world.start_unread(crate::world::init());
    for id in 0..5 {
        tool.request(id, "fs.read", json!({"path": "a"}));
    }
    tool.notify("result", json!({"content": "x"}));
    assert!(matches!(tool.end(), End::Result(_)));
}

// A tool that closes its input can still write.
#[test]
fn a_tool_that_closes_its_input() {
    let world = World::on_disk();
    world.put("a", vec![b'r'; 200_000]);
    let mut tool = world.start();
    tool.request(0, "fs.read", json!({"path": "a"}));
    tool.close_input();
    for id in 1..50 {
        tool.request(id, "fs.write", json!({"path": format!("f{id}"), "content": "x"}));
    }
    tool.notify("result", json!({"content": "x"}));
    assert!(matches!(tool.end(), End::Result(_)));
    assert!(world.has("f49"));
}

// D11-204 D11-176: nobody wants the tool any more, so its input ends and its output is not read.
#[test]
fn a_session_that_is_given_up() {
    let world = World::on_disk();
    let mut tool = world.start();
    tool.give_up();
    tool.drained();
    let deadline = Instant::now() + LIMIT;
    loop {
        assert!(Instant::now() < deadline, "the pipe stays open");
        let written =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tool.try_write(b"x\n")));
        if written.is_err() {
            return;
        }
    }
}

// After the last word a tool may write on, so that it can end; nobody keeps it.
#[test]
fn what_comes_after_the_last_word_is_read_over() {
    let world = World::on_disk();
    bounded(|| {
        let mut tool = world.start();
        tool.notify("result", json!({"content": "x"}));
        tool.end();
        for _ in 0..300 {
            tool.write(vec![b'x'; 1_000_000]);
        }
        tool.write("\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fs.write\",\"params\":{\"path\":\"a\",\"content\":\"\"}}\n");
        assert_eq!(tool.drained(), [] as [serde_json::Value; 0]);
        assert!(!world.has("a"));
    });
}

/// A line nearly as long as one may be, with as many elements in its list as fit.
fn filled(before: &str, element: &str, after: &str) -> String {
    let room = (16 << 20) - before.len() - after.len() - 1;
    let mut line = String::with_capacity(16 << 20);
    line.push_str(before);
    for _ in 0..room / (element.len() + 1) - 1 {
        line.push_str(element);
        line.push(',');
    }
    line + element + after + "\n"
}

fn notification(method: &str, list: [&str; 3]) -> String {
    let [before, element, after] = list;
    let before = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{{before}"#);
    filled(&before, element, &format!("{after}}}}}"))
}

// A line that could become a gigabyte of values, as the last word of a tool.
#[test]
fn the_last_word_of_many_values() {
    let block = r#""content":[{"type":"text","text":"a","annotations":["#;
    let question = r#""type":"waiting","question":{"id":"a","text":"a","answer_type":"#;
    let control = "\u{7f}".repeat(1 << 20);
    for (method, list, is_word) in [
        ("result", [r#""content":["#, "1", "]"], true),
        ("result", [r#""content":["#, "{}", "]"], true),
        ("result", [r#""content":["#, "[]", "]"], true),
        ("result", [r#""content":[""#, &control, r#""]"#], true),
        ("result", [block, "1", "]}]"], true),
        ("result", [r#""content":{"tools":["#, "{}", "]}"], true),
        ("result", [r#""content":{"tools":""#, &control, r#""}"#], true),
        ("state", [r#""type":"stopped","result":["#, "1", "]"], false),
        ("state", [r#""content":["#, "{}", r#"],"type":"running""#], false),
        ("state", [question, "1", "}"], false),
        ("error", [r#""message":"m","trace":["#, r#""a""#, "]"], true),
        ("error", [r#""message":"m","trace":["#, r#""""#, r#"],"x":[1]"#], true),
    ] {
        let line = notification(method, list);
        let world = World::on_disk();
        bounded(|| {
            let mut tool = world.start();
            tool.write(&line);
            if is_word {
                match tool.end() {
                    End::Unreadable(reason) => assert!(reason.len() < 1_000, "{reason}"),
                    End::Failed(error) => assert_eq!(error.trace.len(), 100),
                    End::Result(Answer::Content(content)) => {
                        let blocks = content.into_blocks();
                        assert_eq!((blocks.blocks.len(), blocks.malformed.len()), (0, 1));
                        assert!(blocks.malformed[0].reason.len() < 1_000);
                    }
                    end => panic!("{method} {list:?}: {end:?}"),
                }
            } else {
                // A state that makes no sense is none.
                assert_eq!(tool.code("fs.exists", json!({"path": "a"})), 0);
            }
        });
    }
}

// As many values as there can be, each as heavy as it can be, while somebody waits for them. What comes is kept and
// handed out.
#[test]
fn the_last_word_of_as_many_values_as_there_can_be() {
    let nested = format!("{}1{}", r#"{"a":"#.repeat(99), "}".repeat(99));
    for (objects, is_read) in [(490, true), (1_900, false)] {
        let block = format!(
            r#"[{{"type":"text","text":"a","annotations":[{}]}}]"#,
            vec![nested.as_str(); objects].join(",")
        );
        for (method, before) in
            [("result", r#""content":"#), ("state", r#""type":"stopped","result":"#)]
        {
            let line = format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{{{before}{block}}}}}\n"
            );
            let world = World::on_disk();
            bounded(|| {
                let mut tool = world.start();
                tool.write(&line);
                if !is_read && method == "state" {
                    assert_eq!(tool.code("fs.exists", json!({"path": "a"})), 0);
                    return;
                }
                let (end, again) = (tool.end(), tool.end());
                assert_eq!(end, again);
                let is_word = matches!(end, End::Result(_) | End::Stopped(_));
                assert_eq!(is_word, is_read, "{method}");
            });
        }
    }
}

// The same of requests: what is too much is refused while it is read, also where requests are written down.
#[test]
fn requests_of_many_values() {
    let mut world = World::on_disk();
    let records = world.recorded();
    let control = "\u{7f}".repeat(1 << 20);
    for (method, before, element, after) in [
        ("process.run", r#""program":""#, control.as_str(), "\""),
        ("process.run", r#""program":"a","args":["#, r#""a""#, "]"),
        ("process.run", r#""program":"a","envs":["#, r#""a""#, "]"),
        ("fs.grep", r#""pattern":"a","paths":["#, r#""a""#, "]"),
        ("fs.grep", r#""pattern":"a","extensions":["#, r#""a""#, "]"),
        ("http.get", r#""url":"a","headers":["#, r#"{"name":"","value":""}"#, "]"),
        ("fs.read", r#""path":["#, "[1,2]", "]"),
        ("fs.read", r#""path":"a","offset":""#, &control, "\""),
        ("fs.read", r#""path":"/"#, &control, "\""),
    ] {
        let before = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{before}"#);
        let line = filled(&before, element, &format!("{after}}}}}"));
        bounded(|| {
            let mut tool = world.start();
            tool.write(&line);
            assert_eq!(code_of(&tool.line()), -32602, "{method} {element}");
        });
    }
    assert_eq!(records.all().len(), 9);
}

// Many requests of as many arguments as one may have: not more at once than the host can hold.
#[test]
fn requests_of_many_arguments_are_held_up() {
    let mut world = World::on_disk();
    // Nothing is answered before the person is.
    let _person = world.person();
    let args = vec![r#""a""#; 9_999].join(",");
    let line = |id: usize| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"process.run\",\"params\":{{\"program\":\"x\",\"args\":[{args}]}}}}\n"
        )
    };
    let all: String = (0..400).map(line).collect();
    bounded(|| {
        let mut tool = world.start();
        let mut rest = all.as_bytes();
        loop {
            match tool.try_write(rest) {
                0 => break,
                taken => rest = &rest[taken..],
            }
        }
        assert!(rest.len() > all.len() / 2, "the host stopped reading");
    });
}
