//! Many requests, large messages, and hosts that say something else or nothing.

use super::*;
use crate::vfs::{FsExists, FsRead, ProjectPath};

fn exists(path: &str) -> FsExists {
    FsExists { path: ProjectPath::new(path).unwrap() }
}

#[test]
fn answers_come_in_any_order() {
    // D11-279
    converse(
        |host| {
            let tickets: Vec<_> =
                ["a", "b", "c"].map(|path| host.send(&exists(path)).unwrap()).into();
            let answers: Vec<bool> =
                tickets.into_iter().map(|ticket| host.wait(ticket).unwrap().exists).collect();
            assert_eq!(answers, [true, false, true]);
        },
        |peer| {
            let requests: Vec<Value> = (0..3).map(|_| peer.hear()).collect();
            for (at, exists) in [(2, true), (0, true), (1, false)] {
                peer.say(&json!({ "id": requests[at]["id"], "result": { "exists": exists } }));
            }
        },
    );
}

#[test]
fn waiting_for_a_person_is_waiting() {
    // D11-282 and what a newer host may say
    converse(
        |host| assert!(host.exists("a").unwrap()),
        |peer| {
            let id = peer.hear()["id"].clone();
            let reason = "awaiting user approval";
            peer.say(
                &json!({ "method": "pending", "params": { "request_id": id, "reason": reason } }),
            );
            peer.say(&json!({ "method": "weather", "params": ["rain"] }));
            peer.say(&json!({ "id": "mine", "result": {} }));
            peer.say(&json!({ "id": 99, "result": {} }));
            peer.say_line("");
            peer.say(&json!({ "id": id, "result": { "exists": true } }));
            peer.say(&json!({ "id": id, "result": { "exists": false } }));
        },
    );
}

#[test]
fn a_cancelled_call_asks_nothing_more() {
    converse(
        |host| {
            assert!(!host.is_cancelled());
            assert!(matches!(host.exists("a"), Err(VfsError::Cancelled)));
            assert!(host.is_cancelled());
            assert!(matches!(host.read("a"), Err(VfsError::Cancelled)));
            assert_eq!(host.next().unwrap(), Told::Cancel);
            host.error("cancelled");
        },
        |peer| {
            peer.hear();
            peer.say(&json!({ "method": "cancel" }));
            assert_eq!(peer.hear()["method"], "error");
        },
    );
}

#[test]
fn an_answer_can_be_given_up() {
    // D11-229 on the side of the tool
    converse(
        |host| {
            let slow = host.send(&exists("slow")).unwrap();
            assert!(host.exists("quick").unwrap());
            host.forget(slow).unwrap();
            assert!(host.exists("quick").unwrap());
        },
        |peer| {
            let slow = peer.hear()["id"].clone();
            peer.serve("fs.exists", &json!({ "path": "quick" }), &json!({ "exists": true }));
            let cancel = peer.hear();
            assert_eq!(cancel, json!({ "method": "cancel", "params": { "request_id": slow } }));
            peer.say(&json!({ "id": slow, "error": { "code": -32005, "message": "" } }));
            peer.serve("fs.exists", &json!({ "path": "quick" }), &json!({ "exists": true }));
        },
    );
}

#[test]
fn a_line_that_the_host_cannot_read_does_not_hang_the_tool() {
    converse(
        |host| {
            let error = host.write("a", "x".repeat(1 << 20)).unwrap_err();
            assert_eq!(error.to_string(), "too long");
            assert!(host.exists("a").unwrap());
        },
        |peer| {
            peer.hear();
            peer.say(&json!({ "id": null, "error": { "code": -32006, "message": "too long" } }));
            peer.serve("fs.exists", &json!({ "path": "a" }), &json!({ "exists": true }));
        },
    );
}

#[test]
fn large_messages_go_both_ways() {
    let text = "let \"x\" = 'é';\n\t\\\u{1}".repeat(100_000);
    let content = text.clone();
    converse(
        move |host| {
            assert_eq!(host.read("big").unwrap(), text);
            host.write("big", &text).unwrap();
            assert_eq!(host.read("big").unwrap(), text);
        },
        |peer| {
            let file = json!({ "content": content, "size": content.len() });
            peer.serve("fs.read", &json!({ "path": "big" }), &file);
            peer.serve("fs.write", &json!({ "path": "big", "content": content }), &json!({}));
            peer.serve("fs.read", &json!({ "path": "big" }), &file);
        },
    );
}

/// The simplest host there is: it reads a request, writes the whole answer, and reads on. The answers
/// are more than a pipe holds, and so are the requests, so a tool that writes without reading stands still.
#[test]
fn many_requests_never_lock_up() {
    const COUNT: usize = 300;
    let long = "d/".repeat(400);
    converse(
        move |host| {
            // More requests than a pipe holds, of which only some fit into the window.
            let paths: Vec<String> = (0..COUNT).map(|n| format!("{long}{n}")).collect();
            let read = host.read_many(&paths);
            assert_eq!(read.len(), COUNT);
            assert!(
                read.iter().enumerate().all(|(n, text)| {
                    text.as_ref().unwrap().starts_with(&format!("{long}{n} "))
                })
            );
            // All sent, none waited for.
            let request = |path: &String| FsRead::new(ProjectPath::new(path.as_str()).unwrap());
            let tickets: Vec<_> = paths.iter().map(|p| host.send(&request(p)).unwrap()).collect();
            for ticket in tickets.into_iter().rev() {
                host.wait(ticket).unwrap();
            }
            let all = host.call_all(paths.iter().map(request));
            assert!(all.iter().all(Result::is_ok));
        },
        |peer| {
            for _ in 0..3 * COUNT {
                let request = peer.hear();
                let path = request["params"]["path"].as_str().unwrap();
                let content = format!("{path} {}", "x".repeat(4000));
                peer.say(
                    &json!({ "id": request["id"], "result": { "content": content, "size": 1 } }),
                );
            }
        },
    );
}

#[test]
fn many_requests_share_a_write() {
    use std::io::{self, Cursor};
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Counted(Arc<AtomicUsize>);
    impl Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut init = init("run", &json!({}));
    init["jsonrpc"] = json!("2.0");
    let answer = |id: i64| {
        let result = json!({ "content": id.to_string(), "size": 1 });
        json!({ "jsonrpc": "2.0", "id": id, "result": result })
    };
    let lines: Vec<String> = std::iter::once(init)
        .chain((1..=1000).map(answer))
        .map(|line| format!("{line}\n"))
        .collect();
    let writes = Arc::new(AtomicUsize::new(0));
    let input = Cursor::new(lines.concat());
    let host = VfsHost::over(input, Counted(writes.clone())).unwrap();
    let read = host.read_many((0..1000).map(|n| format!("src/{n}")));
    assert_eq!(read[999].as_ref().unwrap(), "1000");
    assert!(writes.load(Ordering::Relaxed) <= 60, "{writes:?}");
}

#[test]
fn a_host_that_goes_away_is_an_error() {
    converse(
        |host| {
            assert!(matches!(host.exists("a"), Err(VfsError::Closed)));
            // Nobody hears it, and nothing comes of it.
            host.result("done");
        },
        |peer| {
            peer.hear();
        },
    );
    converse(
        |host| {
            let results = host.read_many(["a", "b", "c"]);
            assert!(results[0].is_ok());
            assert!(results[1..].iter().all(Result::is_err));
            assert!(matches!(host.next(), Err(VfsError::Closed)));
        },
        |peer| {
            peer.serve("fs.read", &json!({ "path": "a" }), &json!({ "content": "", "size": 0 }));
            (0..2).for_each(|_| drop(peer.hear()));
        },
    );
}

#[test]
fn a_host_that_talks_nonsense_is_an_error() {
    for line in ["hello", "[]", r#"{"jsonrpc":"2.0","id":1,"method":"fs.read"}"#, r#"{"id":1}"#] {
        converse(
            |host| assert!(matches!(host.exists("a"), Err(VfsError::Message(_)))),
            |peer| {
                peer.hear();
                peer.say_line(line);
            },
        );
    }
}

#[test]
fn without_init_there_is_no_host() {
    let connect = |input: &'static str| VfsHost::over(input.as_bytes(), std::io::sink());
    assert!(matches!(connect(""), Err(ConnectError::Empty)));
    assert!(matches!(connect("\n\n"), Err(ConnectError::Empty)));
    for input in [
        "hello\n",
        r#"{"tool":{"name":"t"},"context":{"root":"/w"}}"#,
        r#"{"jsonrpc":"2.0","method":"cancel"}"#,
        r#"{"jsonrpc":"2.0","method":"init"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ] {
        assert!(matches!(connect(input), Err(ConnectError::NotInit(_))), "{input}");
    }
    // The last line need not have an end, and fields may be missing or new.
    let short = r#"{"jsonrpc":"2.0","method":"init","params":{"tool":{"name":"t"},"protocol_version":"9"}}"#;
    assert_eq!(connect(short).unwrap().action(), Action::Run);
}

#[test]
fn input_that_comes_early_is_kept() {
    converse(
        |host| {
            assert!(host.exists("a").unwrap());
            assert_eq!(host.next().unwrap(), Told::Apply(json!("y")));
            assert_eq!(host.next().unwrap(), Told::Apply(json!({ "n": 1 })));
        },
        |peer| {
            let id = peer.hear()["id"].clone();
            peer.say(&json!({ "method": "apply", "params": { "input": "y" } }));
            peer.say(&json!({ "id": id, "result": { "exists": true } }));
            peer.say(&json!({ "method": "apply", "params": { "input": { "n": 1 } } }));
        },
    );
}

#[test]
fn threads_take_turns() {
    converse(
        |host| {
            thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| (0..50).for_each(|_| assert!(host.exists("a").unwrap())));
                }
            });
        },
        |peer| {
            for _ in 0..200 {
                peer.serve("fs.exists", &json!({ "path": "a" }), &json!({ "exists": true }));
            }
        },
    );
}
