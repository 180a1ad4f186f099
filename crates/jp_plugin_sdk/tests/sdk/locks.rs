//! Locks are given back, once, and in an order that frees nobody else's.

use jp_plugin_sdk::RequestError;

use super::*;

fn locked() -> Value {
    json!({"type": "locked", "conversation": "1"})
}

fn unlocked() -> Value {
    json!({"type": "unlocked", "conversation": "1"})
}

#[test]
fn a_lock_is_for_pushing_and_is_given_back() {
    let mut host = Host::run(|session| {
        let guard = session.lock("1")?;
        assert_eq!(guard.conversation(), "1");
        assert_eq!(guard.push_events(vec![json!({"type": "turn_start"})])?, 1);
        let error = guard.push_events(vec![json!(3)]).unwrap_err();
        assert_eq!(error.to_string(), "an event must be an object (event at index 0)");
        guard.unlock()?;
        drop(session.lock("1")?);
        Ok(())
    });
    let asked = host.answer("lock", locked());
    assert_eq!(asked.get("id"), None, "locks are answered in their order");
    let asked =
        host.answer("push_events", json!({"type": "pushed", "conversation": "1", "count": 1}));
    assert_eq!(
        (&asked["conversation"], &asked["events"]),
        (&json!("1"), &json!([{"type": "turn_start"}]))
    );
    let message = "an event must be an object (event at index 0)";
    host.answer(
        "push_events",
        json!({"type": "error", "request": "push_events", "message": message}),
    );
    for _ in 0..2 {
        assert_eq!(host.answer("unlock", unlocked()).get("id"), None);
        if let Ok(line) = host.lines.recv_timeout(Duration::from_millis(500)) {
            let asked: Value = serde_json::from_str(&line).unwrap();
            if asked["type"] == "exit" {
                assert_eq!(asked["code"], 0);
                return;
            }
            assert_eq!(asked["type"], "lock");
            host.reply(&asked, locked());
        }
    }
    assert_eq!(host.end()["code"], 0);
}

#[test]
fn a_lock_of_somebody_else_is_an_error_and_can_be_tried_again() {
    let mut host = Host::run(|session| {
        let error = session.lock("1").unwrap_err();
        assert!(error.is_locked(), "{error}");
        let guard = session.lock("1")?;
        let again = session.lock("1").unwrap_err();
        assert!(matches!(again, RequestError::AlreadyHeld(_)), "{again}");
        drop(guard);
        Ok(())
    });
    let message = "conversation is locked by another process";
    host.answer(
        "lock",
        json!({"type": "error", "request": "lock", "conversation": "1", "message": message}),
    );
    host.answer("lock", locked());
    // The second guard asked nothing: the next thing is the end of the first.
    host.answer("unlock", unlocked());
    assert_eq!(host.end()["code"], 0);
}

#[test]
fn a_log_that_is_refused_is_not_taken_for_the_answer_to_a_lock() {
    let mut host = Host::run(|session| {
        let guard = session.lock("1")?;
        guard.unlock()?;
        Ok(())
    });
    let refused = json!({"type": "error", "request": "log", "message": "recursion limit exceeded"});
    for answer in [locked(), unlocked()] {
        host.say(&refused);
        let asked = host.hear();
        host.say(&refused);
        host.reply(&asked, answer);
    }
    assert_eq!(host.end()["code"], 0);
}

#[test]
fn a_new_conversation_is_locked() {
    let mut host = Host::run(|session| {
        let guard = session.create_conversation(Some("Notes"))?;
        assert_eq!(guard.conversation(), "2");
        assert!(matches!(session.lock("2"), Err(RequestError::AlreadyHeld(_))));
        drop(guard);
        drop(session.create_conversation(None)?);
        Ok(())
    });
    let asked = host.answer("create_conversation", json!({"type": "created", "conversation": "2"}));
    assert_eq!(asked["title"], "Notes");
    host.answer("unlock", json!({"type": "unlocked", "conversation": "2"}));
    let asked = host.answer("create_conversation", json!({"type": "created", "conversation": "2"}));
    assert_eq!(asked.get("title"), None);
    host.answer("unlock", json!({"type": "unlocked", "conversation": "2"}));
    assert_eq!(host.end()["code"], 0);
}

/// Threads that fight for one conversation: never two locks without an unlock between them.
#[test]
fn no_unlock_overtakes_a_lock() {
    const TIMES: usize = 50;
    let mut host = Host::run(|session| {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut got = 0;
                    while got < TIMES {
                        match session.lock("1") {
                            Ok(guard) => got += usize::from(guard.conversation() == "1"),
                            Err(RequestError::AlreadyHeld(_)) => thread::yield_now(),
                            Err(error) => panic!("{error}"),
                        }
                    }
                });
            }
        });
        Ok(())
    });
    let mut is_locked = false;
    for _ in 0..4 * TIMES * 2 {
        let asked = host.hear();
        assert_eq!(asked["type"], if is_locked { "unlock" } else { "lock" });
        host.reply(&asked, if is_locked { unlocked() } else { locked() });
        is_locked = !is_locked;
    }
    assert_eq!(host.end()["code"], 0);
}

/// The host would refuse it, and would have to read all of it to find that out.
#[test]
fn no_message_has_more_values_than_the_host_reads() {
    let mut host = Host::run(|session| {
        let guard = session.lock("1")?;
        let many = json!({"type": "chat_response", "data": vec![0; 200_000]});
        let error = guard.push_events(vec![many]).unwrap_err();
        assert!(matches!(error, RequestError::TooMany), "{error}");
        guard.unlock()?;
        Ok(())
    });
    host.answer("lock", json!({"type": "locked", "conversation": "1"}));
    host.answer("unlock", json!({"type": "unlocked", "conversation": "1"}));
    assert_eq!(host.end()["code"], 0);
}
