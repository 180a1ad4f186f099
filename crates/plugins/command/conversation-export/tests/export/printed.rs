//! What is printed, in each form, and what is said when it is not.

use scraper::{Html, Selector};
use serde_json::Value;

use super::*;

/// Both names are one plugin (072-005), and it is for one conversation or the last.
#[test]
fn both_names_print_the_same() {
    let env = workspace();
    let long = jp(&env, &["conversation", "export", ID]).run().success();
    for words in [
        &["export", "last"][..],
        &["export"],
        &["export", "1712"],
        &["export", "3920"],
        &["export", "--format", "markdown"],
        &["export", "-o", "-", "--md"],
    ] {
        let short = jp(&env, words).run().success();
        assert_eq!(short.stdout(), long.stdout(), "{words:?}");
    }
    assert_eq!(long.stderr(), LEFT_OUT);
}

#[test]
fn every_event_as_markdown() {
    let env = workspace();
    let output = jp(&env, &["conversation", "export", "--markdown"]).run().success();
    insta::assert_snapshot!(output.stdout());
}

#[test]
fn every_event_as_html() {
    let env = workspace();
    let output = jp(&env, &["export", "--format", "html"]).run().success();
    let page = Html::parse_document(output.stdout());
    let all = |selector: &str| {
        let selector = Selector::parse(selector).unwrap();
        page.select(&selector).map(|found| found.text().collect::<String>()).collect::<Vec<_>>()
    };
    assert_eq!(all("title"), ["Where is *main*?"]);
    assert_eq!(all(".turn").len(), 4);
    // Every event but the beginnings of turns, in order, with what is in it.
    insta::assert_snapshot!(all(".event").join("\n---\n"));
    for loads in ["script", "img", "link", "iframe", "[src]", "[style]", "[onerror]", "b"] {
        assert_eq!(all(loads), [""; 0], "{loads}");
    }
    assert!(output.stdout().contains("<span class=\"hk\">let</span>"), "code is highlighted");
}

#[test]
fn every_event_as_json() {
    let env = workspace();
    let output = jp(&env, &["export", "--json"]).run().success();
    let document: Value = serde_json::from_str(output.stdout()).unwrap();
    assert_eq!(document["id"], ID);
    assert_eq!(document["title"], "Where is *main*?");
    let events = document["events"].as_array().unwrap();
    // All lines but the one that is no JSON.
    assert_eq!(events.len(), EVERY.lines().count() - 1);
    assert_eq!(events[4]["arguments"]["pattern"], "fn main", "encoded texts are decoded");
    assert_eq!(events[14]["beam"], serde_json::json!([1, 2]), "unknown fields are kept");
}

/// What `jp conversation export -h` prints. The plugin is asked as the host asks it, without the two
/// seconds that the host has for that.
#[test]
fn help_says_everything() {
    let env = workspace();
    let asked =
        env.command(PROGRAMS[0], [""; 0]).stdin("{\"type\":\"describe\"}\n").run().success();
    let description: Value = serde_json::from_str(asked.stdout()).unwrap();
    assert_eq!(description["command"], serde_json::json!(["conversation", "export"]));
    insta::assert_snapshot!(description["help"].as_str().unwrap(), @"
    Export conversations as HTML, Markdown or JSON

    Usage: jp conversation export [OPTIONS] [CONVERSATION]...

    Arguments:
      [CONVERSATION]...  Ids, or the beginning or end of one; `last` and nothing at all mean the last
                         one

    Options:
      -a, --all              Export all conversations
          --html             One page without any reference to the outside
          --markdown         Text to read, and for other programs [alias: --md]
          --json             Everything, as it is stored
      -f, --format <FORMAT>  The same by name; without any, the name of the output decides, and then it
                             is markdown [possible values: html, markdown, json]
      -o, --output <PATH>    A file, a directory for several conversations, or `-` to print
          --force            Replace files that exist
      -h, --help             Print help

    Examples:
      jp conversation export last                   print the last conversation as Markdown
      jp conversation export 1773 -o talk.html      write one page
      jp conversation export --all --html -o talks  write all, with an index
    ");
}

#[test]
fn what_is_wrong_is_said() {
    let env = workspace();
    let check = |words: &[&str], code: i32, want: &str| {
        let output = jp(&env, words).run().code(code);
        assert!(output.stderr().contains(want), "{want}: {output}");
        assert_eq!(output.stdout(), "");
    };
    check(&["export", "9"], 1, "conversation not found: 9; `jp conversation ls` lists all");
    check(&["export", "--htm"], 2, "a similar argument exists: '--html'");
    check(&["export", "--html", "--json"], 2, "cannot be used with");
    check(&["export", "--format", "pdf"], 2, "[possible values: html, markdown, json]");
    check(
        &["export", "--all"],
        2,
        "1 conversation goes to a directory: name one with `--output DIR`",
    );
    conversation(&env, "17127583921", "null", "");
    check(&["export", "1712"], 1, "`1712` fits 2 conversations, ");
}

#[test]
fn an_empty_workspace_says_so() {
    let env = TestEnv::new(find_bin("jp"));
    env.write(".jp/config.toml", "");
    for words in [&["export"][..], &["export", "--all", "-o", "out"]] {
        let output = jp(&env, words).run().code(1);
        assert!(output.stderr().contains("there are no conversations yet"), "{output}");
    }
}
