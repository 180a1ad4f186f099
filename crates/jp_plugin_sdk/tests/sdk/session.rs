//! What a session asks, prints and learns.

use jp_plugin_sdk::{Channel, Level, Print, RequestError, Why};
use serde_json::Map;

use super::*;

const EVENTS: &str = r#"[{"timestamp":"2025-07-20T10:30:00Z","type":"turn_start"}]"#;

#[test]
fn every_request_is_answered_with_what_is_in_the_answer() {
    let mut host = Host::run(|session| {
        let all = session.list_conversations()?;
        assert_eq!((&*all[0].id, all[0].title.as_deref(), all[0].events_count), ("1", None, 7));
        assert_eq!(session.read_events("1")?[0]["type"], "turn_start");
        assert_eq!(session.read_raw_events("1")?[0].get(), &EVENTS[1..EVENTS.len() - 1]);
        assert_eq!(session.read_config(None)?, json!({"a": 1}));
        assert_eq!(session.read_config(Some("a"))?, json!(1));
        Ok(())
    });
    let one = json!({"id": "1", "title": null, "last_activated_at": "2025-07-20T10:30:00Z", "events_count": 7});
    let asked = host.answer("list_conversations", json!({"type": "conversations", "data": [one]}));
    assert!(asked["id"].is_string());
    let events: Value = serde_json::from_str(EVENTS).unwrap();
    for _ in 0..2 {
        let events = json!({"type": "events", "conversation": "1", "data": events});
        assert_eq!(host.answer("read_events", events)["conversation"], "1");
    }
    let asked = host.answer("read_config", json!({"type": "config", "data": {"a": 1}}));
    assert_eq!(asked.get("path"), None);
    let asked = host.answer("read_config", json!({"type": "config", "path": "a", "data": 1}));
    assert_eq!(asked["path"], "a");
    assert_eq!(host.end()["code"], 0);
}

#[test]
fn an_event_that_cannot_be_read_hides_no_other() {
    let mut host = Host::run(|session| {
        assert_eq!(session.read_events("1")?, [json!({"type": "a"}), json!({"type": "b"})]);
        assert_eq!(session.read_raw_events("1")?.len(), 4);
        Ok(())
    });
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let events = format!(r#"{{"type":"a"}},{{"x":{deep}}},{{"type":"b"}},{{"x":1e999}}"#);
    for is_told in [true, false] {
        let asked = host.hear();
        let id = &asked["id"];
        host.say_line(&format!(
            r#"{{"type":"events","id":{id},"conversation":"1","data":[{events}]}}"#
        ));
        if is_told {
            let log = host.hear();
            let expected = (&json!("log"), &json!("warn"), &json!(2));
            assert_eq!((&log["type"], &log["level"], &log["fields"]["count"]), expected, "{log}");
        }
    }
    assert_eq!(host.end()["code"], 0);
}

#[test]
fn an_error_is_an_error_and_the_session_goes_on() {
    let mut host = Host::run(|session| {
        let error = session.read_events("999").unwrap_err();
        assert_eq!(error.to_string(), "conversation not found: 999");
        let error = session.list_conversations().unwrap_err();
        assert!(matches!(error, RequestError::Unexpected("list_conversations")), "{error}");
        session.read_config(None)?;
        Ok(())
    });
    let not_found = json!({"type": "error", "request": "read_events", "message": "conversation not found: 999"});
    host.answer("read_events", not_found);
    host.answer("list_conversations", json!({"type": "config", "data": {}}));
    host.answer("read_config", json!({"type": "config", "data": {}}));
    assert_eq!(host.end()["code"], 0);
}

/// Eight threads ask at the same time, and the answers come in the opposite order.
#[test]
fn answers_find_whoever_asked() {
    const THREADS: usize = 8;
    let mut host = Host::run(|session| {
        thread::scope(|scope| {
            for n in 0..THREADS {
                scope.spawn(move || {
                    let path = format!("k{n}");
                    assert_eq!(session.read_config(Some(&path)).unwrap(), json!(path));
                });
            }
        });
        Ok(())
    });
    let asked: Vec<Value> = (0..THREADS).map(|_| host.hear()).collect();
    for asked in asked.iter().rev() {
        let path = asked["path"].clone();
        host.reply(asked, json!({"type": "config", "path": path, "data": path}));
    }
    assert_eq!(host.end()["code"], 0);
}

#[test]
fn what_nobody_knows_or_asked_for_is_skipped() {
    let mut host = Host::run(|session| {
        session.read_config(None)?;
        Ok(())
    });
    let asked = host.hear();
    host.say_line("");
    host.say_line(r#"{"type":"weather","id":"1","data":"rain"}"#);
    host.say_line(r#"{"type":"config","id":"nobody's","data":1}"#);
    host.say_line(r#"{"type":"config","data":1}"#);
    host.reply(&asked, json!({"type": "config", "data": {}, "new": true}));
    assert_eq!(host.end()["code"], 0);
}

#[test]
fn prints_and_logs_are_sent_as_they_are() {
    let host = Host::run(|session| {
        session.print("a \"b\"\nc")?;
        session.print_markdown("# x")?;
        session.print_json(&[1, 2])?;
        session.print_code("rust", "fn main() {}")?;
        session.print_chrome("…")?;
        session.print_with(Print {
            channel: Channel::Error,
            format: jp_plugin_sdk::Format::Plain,
            language: None,
            text: "bad".to_owned(),
        })?;
        session.log(Level::Info, "m", Map::new())?;
        Ok(())
    });
    let said: Vec<String> = (0..7).map(|_| host.hear().to_string()).collect();
    insta::assert_snapshot!(said.join("\n"), @r##"
    {"type":"print","text":"a \"b\"\nc"}
    {"type":"print","format":"markdown","text":"# x"}
    {"type":"print","format":"json","text":"[1,2]"}
    {"type":"print","format":"code","language":"rust","text":"fn main() {}"}
    {"type":"print","channel":"chrome","text":"…"}
    {"type":"print","channel":"error","text":"bad"}
    {"type":"log","level":"info","message":"m"}
    "##);
    assert_eq!(host.end()["code"], 0);
}

/// A text of any length is printed; another message that is too long is not sent at all.
#[test]
fn no_line_is_longer_than_the_host_reads() {
    let text = "ä\u{1}".repeat(3 << 20);
    let expected = text.clone();
    let host = Host::run(move |session| {
        session.print(&text)?;
        let error = session.print_markdown(&text).unwrap_err();
        assert!(matches!(error, RequestError::TooLong(n) if n > 16 << 20), "{error}");
        Ok(())
    });
    assert!(host.printed(expected.len()) == expected);
    assert_eq!(host.end()["code"], 0);
}

/// The same JSON arrives, on a line of its own, whatever its length.
#[test]
fn json_of_any_length_is_printed() {
    let words = vec!["\"ä\u{1}".repeat(64 << 10); 40];
    let expected = json!(words).to_string() + "\n";
    let host = Host::run(move |session| Ok(session.print_json(&words)?));
    assert!(host.printed(expected.len()) == expected);
    assert_eq!(host.end()["code"], 0);
}

#[test]
fn a_shutdown_is_noticed_in_every_way() {
    let mut host = Host::run(|session| {
        let (sender, receiver) = mpsc::channel();
        let asking = session.clone();
        // A callback may ask the host: requests are still answered.
        session.on_shutdown(move |why| {
            let config = asking.read_config(None).unwrap();
            sender.send((why, config)).unwrap();
        });
        assert_eq!(session.wait_for_shutdown_at_most(Duration::from_millis(10)), None);
        session.print("running")?;
        assert_eq!(session.wait_for_shutdown(), Why::Asked);
        assert_eq!(session.wait_for_shutdown_at_most(Duration::ZERO), Some(Why::Asked));
        assert_eq!(session.shutdown(), Some(Why::Asked));
        assert_eq!(receiver.recv_timeout(PATIENCE).unwrap(), (Why::Asked, json!(5)));
        let (sender, receiver) = mpsc::channel();
        session.on_shutdown(move |why| sender.send(why).unwrap());
        assert_eq!(receiver.recv_timeout(PATIENCE).unwrap(), Why::Asked);
        Ok(())
    });
    assert_eq!(host.hear()["text"], "running");
    host.say(&json!({"type": "shutdown"}));
    host.answer("read_config", json!({"type": "config", "data": 5}));
    assert_eq!(host.end()["code"], 0);
}

/// A host that is gone answers nobody: who waits learns that, and so does who asks later.
#[test]
fn a_host_that_is_gone_leaves_nobody_waiting() {
    for goodbye in [None, Some("this is no message")] {
        let mut host = Host::run(|session| {
            assert!(matches!(session.read_config(None), Err(RequestError::Closed)));
            assert_eq!(session.wait_for_shutdown(), Why::HostGone);
            assert!(matches!(session.read_config(None), Err(RequestError::Closed)));
            assert!(matches!(session.lock("1"), Err(RequestError::Closed)));
            Ok(())
        });
        assert_eq!(host.hear()["type"], "read_config");
        if let Some(line) = goodbye {
            host.say_line(line);
        } else {
            drop(host.to.take());
        }
        assert_eq!(host.end()["code"], 0);
    }
}
