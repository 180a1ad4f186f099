//! What a person is shown, and what their answers mean.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{fs, time::Duration};

use camino::Utf8PathBuf;
use insta::assert_snapshot;
use jp_tool::access::{Capability, NetRule};

use super::*;
use crate::ctx::Origins;

struct World {
    _temp: tempfile::TempDir,
    root: Utf8PathBuf,
    keeper: Keeper,
}

fn world(rules: &str) -> World {
    let temp = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::try_from(temp.path().canonicalize().unwrap()).unwrap();
    fs::create_dir(root.join(".jp")).unwrap();
    let text = format!("[tools.x]\nsource = 'local'\nruntime = 'vfs'\n{rules}");
    fs::write(root.join(".jp/config.toml"), text).unwrap();
    let keeper = Keeper::new(Origins::at(None, Some(&root), &root, Vec::new()), None);
    World { _temp: temp, root, keeper }
}

fn ask(what: Wanted) -> Ask {
    Ask { tool: "x".to_owned(), key: "tools.x".to_owned(), what }
}

fn create(path: &str) -> Ask {
    ask(Wanted::Fs { capability: Capability::Create, path: path.into() })
}

fn command(args: &[&str]) -> Ask {
    let args = args.iter().map(|it| (*it).to_owned()).collect();
    ask(Wanted::Command { program: "cargo".to_owned(), args })
}

/// The first text that is shown.
fn shown(world: &World, question: &Ask) -> String {
    let mut texts = Vec::new();
    answer(&world.keeper, question, &mut |text| {
        texts.push(text.to_owned());
        None
    });
    texts.into_iter().next().unwrap_or_default()
}

/// What these lines mean, one after the other.
fn said(world: &World, question: &Ask, typed: &[&str]) -> Said {
    let mut typed = typed.iter();
    answer(&world.keeper, question, &mut |_| typed.next().map(|it| format!("{it}\n")))
}

/// Whatever a terminal would swallow is what somebody would agree to without having seen it.
#[test]
fn nothing_that_is_agreed_to_is_hidden() {
    let world = world("");
    let text = shown(&world, &command(&["hi #\u{1b}]0;\nrm -rf src\n#\u{7}"]));
    assert!(text.contains(r"hi #\u{1b}]0;\nrm -rf src\n#\u{7}"), "{text}");
    let text = shown(&world, &create("a\u{1b}[2Jb\n.txt"));
    assert!(text.contains(r"create a\u{1b}[2Jb\n.txt"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn a_question_says_who_wants_what_and_what_always_means() {
    let world = world("");
    assert_snapshot!(shown(&world, &create("src/new.rs")), @r#"
    x wants to create src/new.rs
      n  no
      o  yes, once
      r  yes, until jp ends
      a  always: adds to `tools.x.access.fs` in .jp/config.toml
           { path = ".", read = true }
           { path = "src/new.rs", read = true, create = true }
           It covers everything below `src/new.rs` as well.
           What is covered then and not granted is denied, and no longer asked about.
    [n/o/r/a]
    "#);
    let rule = NetRule::new("api.example.com", true);
    let url = "https://api.example.com/v1".to_owned();
    assert_snapshot!(shown(&world, &ask(Wanted::Net { url, rule })), @r#"
    x wants to talk to https://api.example.com/v1 (what is allowed: `api.example.com`)
      n  no
      o  yes, once
      r  yes, until jp ends
      a  always: adds to `tools.x.access.net` in .jp/config.toml
           { host = "api.example.com", allow = true }
           It covers every path of api.example.com, over http and https.
    [n/o/r/a]
    "#);
    assert_snapshot!(shown(&world, &command(&["check", "a b"])), @r#"
    x wants to run cargo check 'a b'
      n  no
      o  yes, once
      r  yes, until jp ends
      a  always: adds to `tools.x.access.commands.cargo.args` in .jp/config.toml
           [["check", "a b"]]
           Other arguments of `cargo` are denied then, and no longer asked about.
    [n/o/r/a]
    "#);
}

#[test]
fn nothing_is_offered_that_cannot_be_written() {
    let short = world("sandbox.filesystem.allow = ['src']\n");
    assert_snapshot!(shown(&short, &create("doc")), @"
    x wants to create doc
      n  no
      o  yes, once
      r  yes, until jp ends
      (`jp tool explain x` says how to allow it always)
    [n/o/r]
    ");
    let secret = Wanted::Sensitive { path: ".env".into(), pattern: "**/.env".to_owned() };
    let secret = ask(secret);
    assert_snapshot!(shown(&short, &secret), @"
    x wants to use .env, which is sensitive (`**/.env`)
      n  no
      r  yes, until jp ends
    [n/r]
    ");
    // Nor is it taken from somebody who knows the letter.
    for (question, letter) in [(&create("doc"), "a"), (&secret, "a"), (&secret, "o")] {
        let said = said(&short, question, &[letter, "n"]);
        assert!(matches!(said, Said::Approval(Approval::No)), "{said:?}");
    }
    // While somebody edits the settings.
    let broken = world("");
    fs::write(broken.root.join(".jp/config.toml"), "broken =").unwrap();
    assert!(shown(&broken, &create("doc")).ends_with("[n/o/r] "));
}

#[test]
fn answers_mean_what_they_say_and_everything_else_is_no() {
    let world = world("");
    let question = create("a");
    let check = |typed: &[&str], wanted: Approval| {
        let said = said(&world, &question, typed);
        assert!(matches!(&said, Said::Approval(it) if *it == wanted), "{typed:?}: {said:?}");
    };
    check(&["n"], Approval::No);
    check(&[""], Approval::No);
    check(&[], Approval::No);
    check(&["o"], Approval::Once);
    check(&["O "], Approval::Once);
    check(&["run"], Approval::Run);
    check(&["y", "yes", "r"], Approval::Run);
    check(&["y"; 9], Approval::No);
    assert!(matches!(said(&world, &question, &["a"]), Said::Keep(..)));
}

/// How many threads ask.
fn askers() -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.trim_end() == THREAD).count()
}

/// While somebody else asks, a tool asks and thinks better of it, over and over.
#[test]
fn questions_that_were_taken_back_leave_no_threads_behind() {
    let world = world("");
    let progress = Arc::new(Progress::new(true));
    let approver = TerminalApprover::new(Terminal::new(false), world.keeper.clone(), progress);
    let question = create("a");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let turn = Terminal::turn();
    runtime.block_on(async {
        for _ in 0..50 {
            let asked = tokio::time::timeout(Duration::from_millis(2), approver.ask(&question));
            assert!(asked.await.is_err());
        }
    });
    assert_eq!(askers(), 1);
    drop(turn);
    for _ in 0..1_000 {
        if askers() == 0 {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("it still asks");
}

#[test]
fn text_of_a_tool_cannot_change_the_question() {
    let world = world("");
    let evil = "a\u{1b}[2Jb\n  r  yes\r\u{202e}c";
    let text = shown(&world, &command(&[evil]));
    assert_eq!(text.lines().next().unwrap().matches("cargo").count(), 1);
    assert!(!text.contains(['\u{1b}', '\r', '\u{202e}']), "{text:?}");
    assert_eq!(text.matches("\n  r  ").count(), 1, "{text}");
    // What cannot be read whole is refused without a question.
    let long = "x".repeat(LONGEST);
    assert_eq!(described(&command(&[&long]).what), None);
    assert_eq!(shown(&world, &command(&[&long])), "");
    assert!(matches!(said(&world, &command(&[&long]), &["r"]), Said::Approval(Approval::No)));
}
