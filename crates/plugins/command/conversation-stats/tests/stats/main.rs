//! `jp conversation stats` through the real program.

use std::time::Duration;

use jp_test::{Run, TestEnv, find_bin};
use serde_json::{Value, json};

/// The conversation with every kind of event.
const EVERY: &str = include_str!("../../../../every_event.jsonl");

const PROGRAM: &str = env!("CARGO_BIN_EXE_jp-conversation-stats");

/// A workspace with so many conversations.
fn workspace(number: u64) -> TestEnv {
    let env = TestEnv::new(find_bin("jp"));
    env.write(".jp/config.toml", "");
    for n in 0..number {
        let directory = format!(".jp/conversations/{}", 17_127_583_920 + n);
        let title = format!(r#"{{"title":"Talk {n}","last_activated_at":"2026-03-18T13:19:00Z"}}"#);
        env.write(format!("{directory}/metadata.json"), title);
        env.write(format!("{directory}/events.jsonl"), EVERY);
    }
    env
}

/// Runs the plugin, which the user trusts. It is alone in its directory, because jp looks at every plugin
/// on `$PATH`.
fn stats<'a>(env: &'a TestEnv, words: &[&str]) -> Run<'a> {
    let bin = env.root().join("bin");
    let here = bin.join("jp-conversation-stats");
    env.write(bin.join("README"), "");
    if !here.exists() {
        std::fs::hard_link(PROGRAM, &here)
            .or_else(|_| std::fs::copy(PROGRAM, &here).map(drop))
            .expect("the program can be put into another directory");
    }
    let trust = ["--cfg", "plugins.command.conversation-stats.run=unattended"];
    let words = [&trust, &["conversation", "stats"], words].concat();
    let run = env.jp(words).env("PATH", format!("{bin}:/usr/bin:/bin"));
    run.timeout(Duration::from_mins(2))
}

/// It keeps to the protocol, whatever a host does.
#[test]
fn the_protocol_is_kept() {
    let env = workspace(1);
    let words = ["plugin", "check", "--timeout", "60", "--arg", "--all", "--", PROGRAM];
    let output = env.jp(words).timeout(Duration::from_mins(5)).run().success();
    assert!(output.stdout().contains(" 0 warnings, 0 failed, 0 skipped"), "{output}");
}

#[test]
fn one_conversation() {
    let env = workspace(1);
    let output = stats(&env, &[]).run().success();
    insta::assert_snapshot!(output.stdout(), @"
    Talk 0
    conversation 17127583920 · 2026-03-18 13:19 to 13:20 UTC

      turns              3  median 21 s, longest 27 s
      time            51 s  in turns
      events            22  2 of unknown types, 2 damaged
      words            128  18 asked, 99 answered, 11 thought
      tokens         1,545  1,200 in, 345 out, known of 1 event
      calls              2  1 failed (50%)
      questions          1

      tool             calls   failed                 time
      fs_grep_files        1        0                3.0 s  ▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪
      fs_read_file         1        1   100%         3.0 s  ▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪

      events, a bar for each 10 seconds
      █▆▆█▆▆▂

      time of each turn
      ▆█▂
    ");
    assert_eq!(output.stderr(), "");
    for name in ["last", "17127583920", "1712", "920"] {
        assert_eq!(stats(&env, &[name]).run().success().stdout(), output.stdout(), "{name}");
    }
}

#[test]
fn several_conversations() {
    let env = workspace(3);
    let output = stats(&env, &["--all"]).run().success();
    insta::assert_snapshot!(output.stdout(), @"
    3 conversations · 2026-03-18 13:19 to 13:20 UTC

      turns              9  median 21 s, longest 27 s
      time      2 min 33 s  in turns
      events            66  6 of unknown types, 6 damaged
      words            384  54 asked, 297 answered, 33 thought
      tokens         4,635  3,600 in, 1,035 out, known of 3 events
      calls              6  3 failed (50%)
      questions          3

      tool             calls   failed                 time
      fs_grep_files        3        0                9.0 s  ▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪
      fs_read_file         3        3   100%         9.0 s  ▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪

      events, a bar for each 10 seconds
      █▆▆█▆▆▂

       turns   events   calls  failed  conversation
           3       22       2       1  17127583922  Talk 2
           3       22       2       1  17127583921  Talk 1
           3       22       2       1  17127583920  Talk 0
    ");
    let some = stats(&env, &["3920", "3921", "3920"]).run().success();
    assert!(some.stdout().starts_with("2 conversations · "), "{some}");
}

#[test]
fn numbers_as_json() {
    let env = workspace(2);
    let output = stats(&env, &["--all", "--json"]).run().success();
    let report: Value = serde_json::from_str(output.stdout()).unwrap();
    assert_eq!(report["conversations"].as_array().unwrap().len(), 2);
    let one = &report["conversations"][0];
    assert_eq!(one["turns"], 3);
    assert_eq!(one["tokens"], json!({ "input": 1_200, "output": 345, "known_in": 1 }));
    assert_eq!(
        one["tools"][1],
        json!({ "name": "fs_read_file", "calls": 1, "failures": 1, "failure_rate": 1.0, "unanswered": 0, "seconds": 3.0 })
    );
    assert_eq!((&one["unknown_events"], &one["damaged_events"]), (&json!(2), &json!(2)));
    assert_eq!(report["total"]["tool_calls"]["calls"], 4);
    assert_eq!(report["total"]["tool_calls"]["failure_rate"], 0.5);
    assert_eq!(report["unread"], json!([]));
}

#[test]
fn many_have_a_bar() {
    let env = workspace(45);
    let output = stats(&env, &["--all"]).run().success();
    assert_eq!(output.stderr(), format!("Counting 45 conversations {}\n", "━".repeat(40)));
    assert!(output.stdout().contains("… and 25 more; `--json` has all"), "{output}");
}

#[test]
fn what_cannot_be_read_is_named_and_the_others_are_counted() {
    let env = workspace(2);
    let line = format!("{{\"type\":\"chat_request\",\"content\":\"{}\"}}\n", "x".repeat(1 << 20));
    env.write(".jp/conversations/17127583930/events.jsonl", line.repeat(49));
    let output = stats(&env, &["--all"]).run().code(1);
    assert!(output.stdout().starts_with("2 conversations · "), "{output}");
    assert!(
        output.stderr().contains("some conversations could not be read\n17127583930: "),
        "{output}"
    );
}

/// The plugin is asked for help as the host asks it, without the two seconds that the host has for that.
#[test]
fn help_and_what_is_wrong() {
    let env = workspace(1);
    let asked = env.command(PROGRAM, [""; 0]).stdin("{\"type\":\"describe\"}\n").run().success();
    let description: Value = serde_json::from_str(asked.stdout()).unwrap();
    assert_eq!(description["command"], json!(["conversation", "stats"]));
    insta::assert_snapshot!(description["help"].as_str().unwrap(), @"
    Count turns, words, tokens, tool calls and time of conversations

    Usage: jp conversation stats [OPTIONS] [CONVERSATION]...

    Arguments:
      [CONVERSATION]...  Ids, or the beginning or end of one; `last` and nothing at all mean the last
                         one

    Options:
      -a, --all              Count all conversations
          --json             Print the numbers as JSON
      -f, --format <FORMAT>  The same by name [possible values: text, json]
      -h, --help             Print help

    Tokens are known where the metadata of an answer has them. A call counts as failed if its result
    is an error. Time is what passed between the first and the last event of a turn.
    ");
    let wrong = stats(&env, &["--jsn"]).run().code(2);
    assert!(wrong.stderr().contains("a similar argument exists: '--json'"), "{wrong}");
    env.write(".jp/config.toml", "[plugins.command.conversation-stats.options]\nformat = 'json'\n");
    assert!(stats(&env, &[]).run().success().stdout().starts_with('{'));
    assert!(!stats(&env, &["--format", "text"]).run().success().stdout().starts_with('{'));
    let empty = workspace(0);
    for words in [&[][..], &["--all"]] {
        let output = stats(&empty, words).run().code(1);
        assert!(output.stderr().contains("there are no conversations yet"), "{output}");
    }
}
