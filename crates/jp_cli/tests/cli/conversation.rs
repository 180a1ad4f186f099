//! `jp conversation`.

use insta::assert_snapshot;

use super::{conversation, workspace};

#[test]
fn a_new_conversation_is_listed_renamed_found_and_removed() {
    let env = workspace();
    let id = env.jp(["conversation", "new", "--title", "First"]).run().success();
    let id = id.stdout().trim();
    assert_snapshot!(env.jp(["conversation", "ls"]).run().success().hide_ids(), @"
    $ jp conversation ls
    exit code: 0
    --- stdout
    ID           TITLE  EVENTS  LAST ACTIVE
    <id>  First       0  just now
    ");
    let output = env.jp(["conversation", "rename", "last", "Second"]).run().success().hide_ids();
    assert_snapshot!(output, @"
    $ jp conversation rename last Second
    exit code: 0
    --- stderr
    <id> is now “Second”
    ");
    let output = env.jp(["c", "ls", "--json"]).run().success().hide_ids().hide_times();
    assert_snapshot!(output, @r#"
    $ jp c ls --json
    exit code: 0
    --- stdout
    {"id":"<id>","title":"Second","last_activated_at":"<time>","events_count":0}
    "#);
    let path = env.jp(["conversation", "path", id]).run().success();
    assert_eq!(path.stdout().trim(), env.path(format!(".jp/conversations/{id}")));
    // The beginning of an id is enough where it is the beginning of one only.
    let output = env.jp(["conversation", "rm", "--yes", &id[..8]]).run().success();
    assert_eq!(output.stderr(), format!("removed {id}\n"));
    assert_snapshot!(env.jp(["conversation", "ls"]).run().success(), @"
    $ jp conversation ls
    exit code: 0
    --- stderr
    No conversations yet.
    ");
}

#[test]
fn every_event_type_is_shown() {
    let env = workspace();
    let id = conversation(&env);
    assert_snapshot!(env.jp(["conversation", "show", id]).run().success(), @r#"
    $ jp conversation show 17127583920
    exit code: 0
    --- stdout
    # Where is *main*?

    Conversation 17127583920

    --------------------------------------------------------------------------------

    **You** · 2026-03-18 13:19
      Where is `main`?

      See docs (https://example.org).

    *Reasoning*
      Two places come to mind. Search first.

    **Tool call** `fs_grep_files`
      ```json
      {
        "pattern": "fn main"
      }
      ```

    **Tool result** `fs_grep_files`
      ```
      src/main.rs:1:fn main() {}
      ```

    **Question**
      Apply the change?

    **Answer**
      `true`

    **Tool error**
      ```
      no such file
      ```

    **Assistant** · 2026-03-18 13:19
      It is in **src/main.rs**:

      ```rust
      fn main() {}
      ```

    **Assistant** · 2026-03-18 13:19
      ```json
      {
        "answer": 42
      }
      ```

    *Settings changed*
      ```json
      {
        "assistant": {
          "name": "X"
        }
      }
      ```

    *Unknown event* `hologram`
      ```json
      {
        "type": "hologram",
        "beam": [
          1,
          2
        ]
      }
      ```
    "#);
}

#[test]
fn the_last_events_alone() {
    let env = workspace();
    conversation(&env);
    let output =
        env.jp(["conversation", "show", "--last", "1", "--format", "json"]).run().success();
    assert_snapshot!(output, @r#"
    $ jp conversation show --last 1 --format json
    exit code: 0
    --- stdout
    {"timestamp":"2026-03-18T13:19:11Z","type":"hologram","beam":[1,2]}
    "#);
}

#[test]
fn as_json_the_encoded_strings_are_plain() {
    // 072-173 to 072-175
    let env = workspace();
    let id = conversation(&env);
    let output = env.jp(["conversation", "show", id, "--format=json"]).run().success();
    let events: Vec<serde_json::Value> =
        output.stdout().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.len(), 12);
    assert_eq!(events[3]["arguments"]["pattern"], "fn main");
    assert_eq!(events[4]["content"], "src/main.rs:1:fn main() {}");
    assert_eq!(events[11]["beam"], serde_json::json!([1, 2]));
}

#[test]
fn what_is_not_there_is_named() {
    let env = workspace();
    assert_snapshot!(env.jp(["conversation", "show"]).run().code(1), @"
    $ jp conversation show
    exit code: 1
    --- stderr
    error: there are no conversations yet
    hint: `jp conversation new` makes one
    ");
    conversation(&env);
    assert_snapshot!(env.jp(["conversation", "show", "999"]).run().code(1), @"
    $ jp conversation show 999
    exit code: 1
    --- stderr
    error: conversation not found: 999
    hint: `jp conversation ls` lists the conversations of this workspace
    ");
    assert_snapshot!(env.jp(["conversation", "show", "../../etc"]).run().code(2), @"
    $ jp conversation show ../../etc
    exit code: 2
    --- stderr
    error: `../../etc` is not a conversation id (an id is a number such as 17127583920)
    hint: `jp conversation ls` lists the conversations of this workspace
    ");
    env.write(".jp/conversations/17127583921/metadata.json", "{}");
    assert_snapshot!(env.jp(["conversation", "show", "171275"]).run().code(2), @"
    $ jp conversation show 171275
    exit code: 2
    --- stderr
    error: `171275` is the beginning of 2 ids, 17127583920 and 17127583921 among them
    hint: write more digits
    ");
}

#[test]
fn removing_needs_somebody_to_ask() {
    let env = workspace();
    let id = conversation(&env);
    assert_snapshot!(env.jp(["conversation", "rm", id]).run().code(3), @"
    $ jp conversation rm 17127583920
    exit code: 3
    --- stderr
    error: nobody can be asked: Remove 17127583920, “Where is *main*?”?
    hint: pass --yes to remove it without asking
    ");
    env.jp(["conversation", "show", id]).run().success();
}

#[test]
fn one_wrong_id_removes_nothing() {
    let env = workspace();
    let id = conversation(&env);
    env.jp(["conversation", "rm", "--yes", id, "999"]).run().code(1);
    env.jp(["conversation", "show", id]).run().success();
}

#[test]
fn damage_is_reported_by_name_and_the_rest_is_listed() {
    let env = workspace();
    conversation(&env);
    env.write(".jp/conversations/18000000000/metadata.json", "{\"title\": \"cut");
    env.write(".jp/conversations/18000000000/events.jsonl", "");
    let output = env.jp(["conversation", "ls"]).run().success();
    let listed: Vec<&str> = output.stdout().lines().collect();
    assert_eq!(listed.len(), 3);
    assert_snapshot!(output.normalized_stderr(), @"warning: $PROJECT/.jp/conversations/18000000000/metadata.json: EOF while parsing a string at line 1 column 14");
}

#[test]
fn an_event_that_cannot_be_read_is_reported_and_the_rest_is_shown() {
    let env = workspace();
    let good = r#"{"timestamp":"2026-03-18T13:19:00Z","type":"chat_response","message":"hi"}"#;
    env.write(".jp/conversations/17/events.jsonl", format!("{good}\nnonsense\n{good}\n"));
    let output = env.jp(["conversation", "show", "17", "--format=json"]).run().code(1);
    assert_eq!(output.stdout(), format!("{good}\n{good}\n"));
    assert_snapshot!(env.jp(["conversation", "show", "17"]).run().code(1), @"
    $ jp conversation show 17
    exit code: 1
    --- stdout
    # (untitled)

    Conversation 17

    **Assistant** · 2026-03-18 13:19
      hi

    **Assistant** · 2026-03-18 13:19
      hi
    --- stderr
    warning: an event cannot be read: not a JSON object that describes an event: expected ident at line 1 column 2
    error: 1 event of conversation 17 cannot be read
    hint: the events are in $PROJECT/.jp/conversations/17
    ");
}

#[test]
fn an_array_of_events_opens_and_is_left_alone() {
    // 072-330, 072-331, 072-333
    let env = workspace();
    let array =
        r#"[{"timestamp":"2026-03-18 13:19:13.281973","type":"chat_request","content":"Old"}]"#;
    env.write(".jp/conversations/17127583920-old-store/events.json", array);
    let output = env.jp(["conversation", "ls", "--json"]).run().success();
    assert_snapshot!(output, @r#"
    $ jp conversation ls --json
    exit code: 0
    --- stdout
    {"id":"17127583920","title":null,"last_activated_at":"2026-03-18T13:19:13.281973Z","events_count":1}
    "#);
    assert_snapshot!(env.jp(["conversation", "show"]).run().success(), @"
    $ jp conversation show
    exit code: 0
    --- stdout
    # (untitled)

    Conversation 17127583920

    **You** · 2026-03-18 13:19
      Old
    ");
    assert_eq!(env.read(".jp/conversations/17127583920-old-store/events.json"), array);
}

#[test]
fn a_narrow_terminal_gets_short_titles() {
    let env = workspace();
    let title = "A title that is much longer than any terminal is wide, 漢字 included";
    env.jp(["conversation", "new", "-t", title]).run().success();
    let size = jp_test::Size { rows: 10, cols: 60 };
    let output = env.jp(["conversation", "ls"]).pty(size).wait(std::time::Duration::from_secs(20));
    let screen = output.success().screen().to_owned();
    assert!(screen.contains("A title that is m…"), "{screen}");
}
