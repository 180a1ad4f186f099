//! What is on the screen.

use std::time::Duration;

use insta::assert_snapshot;
use jp_test::Size;

use crate::{SOON, dashboard, jp, workspace};

const SMALLEST: Size = Size { rows: 10, cols: 40 };

#[test]
fn list_and_preview_then_the_conversation() {
    let env = workspace();
    let mut pty = dashboard(&env, Size { rows: 14, cols: 92 });
    pty.expect_screen("Shorter still.", SOON);
    assert_snapshot!(pty.screen(), @r"
    jp dashboard  project                                                      3 conversations
    Refactor the configur…  2025-03-18 │ Refactor the configuration                        all
    A question about locks  2025-03-17 │
    <b>␛[2J␛]0;owned␇       2025-03-16 │ ── Turn 1 ────────────────────────── 2025-03-18 13:19
                                       │
                                       │ You
                                       │   Make it shorter.
                                       │
                                       │ ── Turn 2 ────────────────────────── 2025-03-18 13:19
                                       │
                                       │ You
                                       │   Shorter still.
                                       │
    ↑↓ select  enter open  ? help  q quit  / search
    ");
    pty.send("\x1b[B");
    pty.expect_screen("Who holds it?", SOON);
    pty.send("\r");
    pty.expect_screen("esc back", SOON);
    assert_snapshot!(pty.screen(), @r"
    jp dashboard  project                                                      3 conversations
    A question about locks                                                                 all

    ── Turn 1 ─────────────────────────────────────────────────────────────── 2025-03-17 13:19

    You
      Who holds it?






    ↑↓ scroll  esc back  ? help  q quit  / find  e expand  [ ] turns
    ");
    pty.send("\x1b");
    pty.expect_screen("enter open", SOON);
    pty.send("q");
    let _ = pty.wait(SOON).success();
}

#[test]
fn searching() {
    let env = workspace();
    let mut pty = dashboard(&env, SMALLEST);
    pty.send("/locks");
    pty.expect_screen("/locks", SOON);
    assert_snapshot!(pty.screen(), @r"
    jp dashboard  pr…  1 of 3 with `locks`
    A question about locks      2025-03-17







    /locks
    ");
    pty.send("\r\r");
    pty.expect_screen("Who holds it?", SOON);
    pty.send("/HOLDS\r");
    pty.expect_screen("esc back", SOON);
    pty.send("q");
    let _ = pty.wait(SOON).success();
}

#[test]
fn words_on_the_command_line() {
    let env = workspace();
    let check = |words: &[&str], want: &str| {
        let mut pty = jp(&env, words).pty(Size { rows: 24, cols: 92 });
        pty.expect_screen(want, SOON);
        pty.send("q");
        let _ = pty.wait(SOON).success();
    };
    check(&["dashboard", "921"], "Who holds it?");
    check(&["dashboard", "last"], "Shorter still.");
    check(&["dashboard", "--search", "question"], "1 of 3");
    // What is wrong is said before anything is drawn.
    let refused = |words: &[&str], code, want: &str| {
        let output = jp(&env, words).pty(Size::default()).wait(SOON).code(code);
        assert!(output.screen().contains(want), "{output}");
        assert!(!output.raw().contains("\x1b[?1049h"), "{output}");
    };
    refused(&["dashboard", "999"], 1, "conversation not found: 999");
    refused(&["dashboard", "171"], 1, "`171` fits 3 conversations");
    refused(&["dashboard", "--nothing"], 2, "unexpected argument '--nothing'");
}

#[test]
fn live_while_others_write() {
    let env = workspace();
    let pty = dashboard(&env, Size { rows: 20, cols: 92 });
    pty.expect_screen("Shorter still.", SOON);
    jp(&env, &["append", "17127583920", "Short enough."]).run().success();
    pty.expect_screen("Short enough.", SOON);
    // Another one has news: it comes to the top with a mark, and the selection stays where it was.
    jp(&env, &["append", "17127583921", "I do."]).run().success();
    let screen = pty.expect_screen("•A question", SOON);
    assert!(screen.contains("Short enough.") && !screen.contains("I do."), "{screen}");
    jp(&env, &["conversation", "new", "-t", "A new one"]).run().success();
    pty.expect_screen("•A new one", SOON);
    pty.expect_screen("4 conversations", SOON);
}

#[test]
fn an_idle_dashboard_writes_nothing() {
    let env = workspace();
    let pty = dashboard(&env, Size { rows: 20, cols: 92 });
    pty.expect_screen("Shorter still.", SOON);
    std::thread::sleep(Duration::from_secs(1));
    let before = pty.written();
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(pty.written(), before);
}

#[test]
fn only_what_changes_is_drawn() {
    let env = workspace();
    let mut pty = dashboard(&env, Size { rows: 40, cols: 92 });
    pty.expect_screen("Shorter still.", SOON);
    let before = pty.written();
    pty.send("?");
    pty.expect_screen("Keys", SOON);
    pty.send("x/loc");
    pty.expect_screen("1 of 3", SOON);
    pty.send("\x1b");
    pty.expect_screen("3 conversations", SOON);
    let written = pty.written() - before;
    assert!(written < 40 * 92 * 2, "{written} bytes");
    pty.send("q");
    let output = pty.wait(SOON).success();
    // Erased once, and every picture is shown at once.
    let erased = output.raw().matches("\x1b[2J").count();
    assert!(erased <= 1, "erased {erased} times");
    let (begun, ended) =
        (output.raw().matches("\x1b[?2026h").count(), output.raw().matches("\x1b[?2026l").count());
    assert!(begun > 3 && ended == begun + 1, "{begun} begun, {ended} ended");
}

#[test]
fn the_size_can_change() {
    let env = workspace();
    let mut pty = dashboard(&env, Size { rows: 14, cols: 92 });
    pty.expect_screen("Shorter still.", SOON);
    pty.resize(SMALLEST);
    pty.expect_screen_where("the list alone", SOON, |screen| {
        screen.contains("q quit") && !screen.contains("Shorter still.") && !screen.contains('│')
    });
    assert_snapshot!(pty.screen(), @r"
    jp dashboard  project  3 conversations
    Refactor the configuration  2025-03-18
    A question about locks      2025-03-17
    <b>␛[2J␛]0;owned␇           2025-03-16





    ↑↓ select  enter open  ? help  q quit
    ");
    pty.resize(Size { rows: 5, cols: 30 });
    pty.expect_screen("too small", SOON);
    pty.resize(Size { rows: 24, cols: 60 });
    let screen = pty.expect_screen("Shorter still.", SOON);
    assert!(screen.contains("────") && screen.contains("A question"), "{screen}");
    pty.send("q");
    let _ = pty.wait(SOON).success();
}

#[test]
fn what_others_wrote_is_text() {
    let env = workspace();
    let mut pty = dashboard(&env, Size { rows: 14, cols: 92 });
    pty.send("G");
    let screen = pty.expect_screen("␛[2Jgone", SOON);
    assert!(screen.contains("<b>␛[2J␛]0;owned␇") && screen.contains("Refactor"), "{screen}");
    pty.send("q");
    let output = pty.wait(SOON).success();
    assert!(!output.raw().contains("\x1b]0;"), "{:?}", output.raw());
}

#[test]
fn colors_are_an_offer() {
    let env = workspace();
    let colored = |run: jp_test::Run<'_>| {
        let mut pty = run.pty(Size { rows: 14, cols: 92 });
        pty.expect_screen("Shorter still.", SOON);
        pty.send("q");
        let output = pty.wait(SOON).success();
        // The numbers of colors: 38;5;n and 48;5;n.
        output.raw().contains("\x1b[38;5;")
    };
    assert!(colored(jp(&env, &["dashboard"])));
    assert!(!colored(jp(&env, &["dashboard"]).env("NO_COLOR", "1")));
    assert!(!colored(jp(&env, &["--cfg", "style.color=never", "dashboard"])));
}

#[test]
fn it_says_what_it_is() {
    let env = workspace();
    assert_snapshot!(jp(&env, &["dashboard", "-h"]).run().success().stdout(), @r"
    Browse the conversations of this workspace on the whole terminal

    Usage: jp dashboard [OPTIONS] [CONVERSATION]

    Arguments:
      [CONVERSATION]  Begin with this one: an id, the beginning or end of one, or `last`

    Options:
      -s, --search <TEXT>  Show only conversations with this in their title or id
      -h, --help           Print help
    ");
    let list = jp(&env, &["-h"]).run().success();
    assert!(list.stdout().contains("Browse conversations on the whole terminal, live"), "{list}");
}

#[test]
fn every_kind_of_event_is_shown() {
    let env = workspace();
    let events = include_str!("../../../every_event.jsonl");
    env.write(".jp/conversations/17127583920/events.jsonl", events);
    let mut pty = dashboard(&env, Size { rows: 78, cols: 92 });
    pty.send("\r");
    pty.expect_screen("esc back", SOON);
    // The last thing that is drawn.
    pty.expect_screen("& \"thanks\"", SOON);
    assert_snapshot!(pty.screen(), @r#"
    jp dashboard  project                                                      3 conversations
    Refactor the configuration                                                             all

      = settings  {"assistant":{"name":"JP","model":{"id":"anthropic/claude"}}}

    ── Turn 1 ─────────────────────────────────────────────────────────────── 2026-03-18 13:19

    Ada
      Where is *main*, and what does it do?

      ~ thought  I look for `fn main` first. Then I read the file.
      → fs_grep_files  pattern: fn main paths: ["src","<script>alert('argument')</script>"] c…
      ← fs_grep_files
        src/main.rs:1:fn main() {
        src/main.rs:2:    println!("<script>alert('result')</script>");
      → fs_read_file  path: src/missing.rs
      × fs_read_file  src/missing.rs: no such file

    JP
      ## It is in `src/main.rs`

      Here is **all** of it, ~~two~~ one function:

      ```rust
      /// Says hello.
      fn main() {
          let name = "world";
          println!("Hello, {name}! {}", 40 + 2);
      }
      ```

      | part | lines | what |
      |:-----|------:|:----:|
      | `main` | 4 | greets |
      | test | 0 | – |

      1. Build it with [cargo](https://doc.rust-lang.org/cargo/).
      2. Run it:
         - in *debug*
         - in release

      - [x] read
      - [ ] tested

      > A quote, with an image: ![a diagram](https://example.org/diagram.png)

      <script>alert('message')</script> and [a trap](javascript:alert('link')) stay text.

    ── Turn 2 ─────────────────────────────────────────────────────────────── 2026-03-18 13:19

    You
      How many functions? Answer in JSON.

      to be answered as: {"type":"object","properties":{"functions":{"type":"integer"}}}

      ? fs_modify_file  Apply it?
      ! answer  true

    JP
      {
        "functions": 1
      }

      · hologram  {"beam":[1,2],"note":"<img src=x onerror=alert('unknown')>"}
      · tool_call_request  {"id":"tc_3","arguments":{}}
      · chat_response  {"message":42}
      ← tc_9  not base64, and nobody asked
      · event without a type  {"mystery":"an event without a type"}

    JP
      A word without a time, and an odd end: ␀␛[31m

    ── Turn 3 ─────────────────────────────────────────────────────────────── 2026-03-18 13:19

    Bob <b>
      <script>alert('request')</script> & "thanks" 😀

    ↑↓ scroll  esc back  ? help  q quit  / find  e expand  [ ] turns
    "#);
    pty.send("q");
    let _ = pty.wait(SOON).success();
}
