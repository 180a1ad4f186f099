//! jp killed while a plugin works.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::time::{Duration, Instant};

use jp_test::Signal;

use super::{fake, is_alive, jp, pid};

#[test]
fn the_plugin_is_gone_within_a_second() {
    // 072-101: whatever the plugin does at that moment.
    let env = fake();
    for what in ["wait", "polite"] {
        let running = jp(&env, &["fake", what]).spawn();
        running.expect_stdout("pid ");
        let plugin = pid(&running.stdout_so_far());
        running.signal(Signal::KILL);
        let killed = Instant::now();
        while is_alive(plugin) {
            assert!(killed.elapsed() < Duration::from_secs(1), "{what} is still there");
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = running.wait();
    }
}

#[test]
fn a_batch_is_there_whole_or_not_at_all() {
    // 072-335, 072-336: killed at 200 moments while batches of three are pushed.
    let env = fake();
    let id = env.jp(["conversation", "new"]).run().success().stdout().trim().to_owned();
    let path = format!(".jp/conversations/{id}/events.jsonl");
    let mut seed = 0x2545_f491_u32;
    let mut pushed = 0;
    for round in 0..200 {
        let running = jp(&env, &["fake", "push", &id]).spawn();
        running.expect_stdout("pushing");
        // Any number that does not repeat soon.
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        std::thread::sleep(Duration::from_micros((seed % 5_000).into()));
        running.signal(Signal::KILL);
        let _ = running.wait();
        let batches = check(&env, &id, &path);
        if round % 20 == 19 {
            // Writing cuts off what is not finished, and nothing else.
            env.jp(["conversation", "rename", &id, "after"]).run().success();
            assert_eq!(check(&env, &id, &path), batches);
            assert_eq!(env.read(&path).lines().count(), batches * 3);
            pushed += batches;
            env.write(&path, "");
        }
    }
    assert!(pushed >= 100, "only {pushed} batches arrived, so little was tried");
}

/// Whether the store opens, and has only whole batches; how many they are.
fn check(env: &jp_test::TestEnv, id: &str, path: &str) -> usize {
    let listed = env.jp(["conversation", "ls", "--json"]).run().success();
    let listed: serde_json::Value = serde_json::from_str(listed.stdout()).unwrap();
    assert_eq!(listed["id"], id);
    let messages = finished(&env.read(path));
    assert_eq!(listed["events_count"], messages.len());
    for batch in messages.chunks(3) {
        let number = batch[0].split(' ').next().unwrap();
        let expected = ["a", "b", "c"].map(|part| format!("{number} {part} "));
        assert_eq!(batch, expected, "a batch is torn");
    }
    messages.len() / 3
}

/// The messages that every reader sees, by the rule of docs/storage.md: a line that ends in a space is
/// followed by more of its batch, and what stands behind the last line without one does not count.
fn finished(stored: &str) -> Vec<String> {
    let mut lines: Vec<&str> = stored.split_inclusive('\n').collect();
    let closes = |line: &&str| line.ends_with('\n') && !line.ends_with(" \n");
    lines.truncate(lines.iter().rposition(closes).map_or(0, |last| last + 1));
    let message = |line: &&str| {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        event["message"].as_str().unwrap().chars().take_while(|c| *c != 'x').collect()
    };
    lines.iter().map(message).collect()
}
