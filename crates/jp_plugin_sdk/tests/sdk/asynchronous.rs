//! The same session, awaited.

use jp_plugin_sdk::{RequestError, Why, asynchronous::Session};
use tokio::{runtime::Builder, task::JoinSet, time::timeout};

use super::*;

/// Starts an async plugin and greets it.
fn run<F: Future<Output = Result<(), Failure>>>(
    plugin: impl FnOnce(Session) -> F + Send + 'static,
) -> Host {
    let mut host = Host::start(|reader, writer| {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        self::plugin().run_async_on(&runtime, BufReader::new(reader), writer, plugin)
    });
    host.greet(1);
    host
}

#[test]
fn every_request_is_awaited() {
    let mut host = run(|session| async move {
        assert_eq!(session.args(), ["--all", "x y"]);
        assert_eq!(session.init().workspace.id, "ab12c");
        assert!(session.list_conversations().await?.is_empty());
        assert!(session.read_events("1").await?.is_empty());
        assert!(session.read_raw_events("1").await?.is_empty());
        assert_eq!(session.read_config(Some("a")).await?, json!(1));
        let error = session.read_config(None).await.unwrap_err();
        assert_eq!(error.to_string(), "no");
        session.print("x").await?;
        Ok(())
    });
    host.answer("list_conversations", json!({"type": "conversations", "data": []}));
    for _ in 0..2 {
        host.answer("read_events", json!({"type": "events", "conversation": "1", "data": []}));
    }
    host.answer("read_config", json!({"type": "config", "path": "a", "data": 1}));
    host.answer("read_config", json!({"type": "error", "request": "read_config", "message": "no"}));
    assert_eq!(host.hear()["text"], "x");
    assert_eq!(host.end()["code"], 0);
}

#[test]
fn json_of_any_length_is_printed() {
    let words = vec!["\"ä\u{1}".repeat(64 << 10); 40];
    let expected = json!(words).to_string() + "\n";
    let host = run(|session| async move {
        session.print_json(&[1]).await?;
        Ok(session.print_json(&words).await?)
    });
    assert_eq!(host.hear()["format"], "json");
    assert!(host.printed(expected.len()) == expected);
    assert_eq!(host.end()["code"], 0);
}

#[test]
fn answers_find_the_task_that_asked() {
    const TASKS: usize = 8;
    let mut host = run(|session| async move {
        let mut tasks = JoinSet::new();
        for n in 0..TASKS {
            let session = session.clone();
            tasks.spawn(async move {
                let path = format!("k{n}");
                assert_eq!(session.read_config(Some(&path)).await.unwrap(), json!(path));
            });
        }
        while let Some(done) = tasks.join_next().await {
            done?;
        }
        Ok(())
    });
    let asked: Vec<Value> = (0..TASKS).map(|_| host.hear()).collect();
    for asked in asked.iter().rev() {
        let path = asked["path"].clone();
        host.reply(asked, json!({"type": "config", "path": path, "data": path}));
    }
    assert_eq!(host.end()["code"], 0);
}

#[test]
fn locks_are_given_back_also_by_a_task_that_is_dropped() {
    let mut host = run(|session| async move {
        let guard = session.lock("1").await?;
        assert!(matches!(session.lock("1").await, Err(RequestError::AlreadyHeld(_))));
        assert_eq!(guard.push_events(vec![]).await?, 0);
        guard.unlock().await?;
        // Dropped, and locked again at once: the unlock comes first.
        drop(session.lock("1").await?);
        drop(session.lock("1").await?);
        // Given up while it waits: whatever the host says later, the lock is not kept.
        let waiting = timeout(Duration::from_millis(50), session.lock("1")).await;
        assert!(waiting.is_err());
        drop(session.create_conversation(None).await?);
        Ok(())
    });
    let locked = || json!({"type": "locked", "conversation": "1"});
    let unlocked = || json!({"type": "unlocked", "conversation": "1"});
    host.answer("lock", locked());
    host.answer("push_events", json!({"type": "pushed", "conversation": "1", "count": 0}));
    host.answer("unlock", unlocked());
    for _ in 0..2 {
        host.answer("lock", locked());
        host.answer("unlock", unlocked());
    }
    let late = host.hear();
    assert_eq!(late["type"], "lock");
    host.answer("unlock", locked());
    host.say(&unlocked());
    host.answer("create_conversation", json!({"type": "created", "conversation": "2"}));
    host.answer("unlock", json!({"type": "unlocked", "conversation": "2"}));
    assert_eq!(host.end()["code"], 0);
}

#[test]
fn a_shutdown_is_awaited_beside_the_work() {
    let mut host = run(|session| async move {
        let why = tokio::select! {
            why = session.wait_for_shutdown() => why,
            _ = session.read_config(None) => return Err(Failure::new("nobody answers that")),
        };
        assert_eq!((why, session.shutdown()), (Why::Asked, Some(Why::Asked)));
        session.print_chrome("bye").await?;
        Err(Failure::silent(5))
    });
    assert_eq!(host.hear()["type"], "read_config");
    host.say(&json!({"type": "shutdown"}));
    assert_eq!(host.hear()["text"], "bye");
    assert_eq!(host.end()["code"], 5);
}

#[test]
fn a_host_that_is_gone_leaves_no_task_waiting() {
    let mut host = run(|session| async move {
        assert!(matches!(session.read_config(None).await, Err(RequestError::Closed)));
        assert_eq!(session.wait_for_shutdown().await, Why::HostGone);
        Ok(())
    });
    assert_eq!(host.hear()["type"], "read_config");
    drop(host.to.take());
    assert_eq!(host.end()["code"], 0);
}

/// What was printed by a task that nobody waited for comes before the end.
#[test]
fn nothing_that_was_printed_comes_after_the_end() {
    let host = run(|session| async move {
        let other = session.clone();
        let task = tokio::spawn(async move { other.print("last").await });
        task.await??;
        Ok(())
    });
    assert_eq!(host.hear()["text"], "last");
    assert!(!host.is_silent() || host.plugin.is_finished());
}
