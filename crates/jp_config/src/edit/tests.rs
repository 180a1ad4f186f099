//! What is added to a file a person has written, and that everything else stays.

use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;
use crate::{Config, Layer};

const RULE: &str = r#"{ path = "src", read = true }"#;

fn append(text: &str, key: &str, elements: &[&str]) -> String {
    let elements: Vec<String> = elements.iter().map(|it| (*it).to_owned()).collect();
    let edited = Edit::Append { key, elements: &elements }.apply(text);
    let edited = edited.unwrap_or_else(|it| panic!("{it}\n{text}"));
    Config::load(vec![Layer::workspace("w", &*edited)])
        .unwrap_or_else(|it| panic!("{it}\n{edited}"));
    edited
}

fn fs(text: &str) -> String {
    append(text, "conversation.tools.x.access.fs", &[RULE])
}

#[test]
fn the_first_rule_of_a_tool_stands_behind_it() {
    assert_snapshot!(fs("# mine\n[conversation.tools.x] # x\nsource = 'local'   # why\n\n[conversation.tools.y]\nsource = 'local'\n# end\n"), @r#"
    # mine
    [conversation.tools.x] # x
    source = 'local'   # why

    [[conversation.tools.x.access.fs]]
    path = "src"
    read = true

    [conversation.tools.y]
    source = 'local'
    # end
    "#);
    // A tool that another layer defines.
    assert_snapshot!(fs_alone(), @r#"
    [style]
    color = 'never'

    [[conversation.tools.x.access.fs]]
    path = "src"
    read = true
    # end
    "#);
}

fn fs_alone() -> String {
    let text = "[style]\ncolor = 'never'\n# end\n";
    Edit::Append { key: "conversation.tools.x.access.fs", elements: &[RULE.to_owned()] }
        .apply(text)
        .unwrap()
}

#[test]
fn a_rule_takes_the_form_of_the_others() {
    let sections = "[conversation.tools.x]\nsource = 'local'\n\n[[conversation.tools.x.access.fs]]\npath = 'a' # first\n\n[style]\ncolor = 'never'\n";
    assert_snapshot!(fs(sections), @r#"
    [conversation.tools.x]
    source = 'local'

    [[conversation.tools.x.access.fs]]
    path = 'a' # first

    [[conversation.tools.x.access.fs]]
    path = "src"
    read = true

    [style]
    color = 'never'
    "#);
    let line = "[conversation.tools.x]\nsource = 'local'\naccess.fs = [{ path = 'a' }] # all\n";
    assert_snapshot!(fs(line), @r#"
    [conversation.tools.x]
    source = 'local'
    access.fs = [{ path = 'a' }, { path = "src", read = true }] # all
    "#);
    let lines = "[conversation.tools.x]\nsource = 'local'\naccess.fs = [\n  # first\n  { path = 'a' }, # a\n  { path = 'b' }, # b\n  # last\n]\n";
    assert_snapshot!(fs(lines), @r#"
    [conversation.tools.x]
    source = 'local'
    access.fs = [
      # first
      { path = 'a' }, # a
      { path = 'b' }, # b
      # last
      { path = "src", read = true },
    ]
    "#);
    let bare =
        "[conversation.tools.x]\nsource = 'local'\naccess.fs = [\n    { path = 'a' } # a\n]\n";
    assert_snapshot!(fs(bare), @r#"
    [conversation.tools.x]
    source = 'local'
    access.fs = [
        { path = 'a' }, # a
        { path = "src", read = true },
    ]
    "#);
    let strategy = "[conversation.tools.x]\nsource = 'local'\naccess.fs = { strategy = 'replace', value = [{ path = 'a' }] }\n";
    assert_snapshot!(fs(strategy), @r#"
    [conversation.tools.x]
    source = 'local'
    access.fs = { strategy = 'replace', value = [{ path = 'a' }, { path = "src", read = true }] }
    "#);
    let table = "[conversation.tools.x]\nsource = 'local'\n[conversation.tools.x.access.fs]\nstrategy = 'replace'\nvalue = []\n";
    assert_snapshot!(fs(table), @r#"
    [conversation.tools.x]
    source = 'local'
    [conversation.tools.x.access.fs]
    strategy = 'replace'
    value = [{ path = "src", read = true }]
    "#);
    let inline = "conversation.tools = { x = { source = 'local' } }\n";
    assert_snapshot!(fs(inline), @r#"conversation.tools = { x = { source = 'local' , access = { fs = [{ path = "src", read = true }] } } }"#);
    let dotted = "[conversation.tools.x]\nsource = 'local'\naccess.net = []\n";
    assert_snapshot!(fs(dotted), @r#"
    [conversation.tools.x]
    source = 'local'
    access.net = []
    access.fs = [{ path = "src", read = true }]
    "#);
}

#[test]
fn a_list_of_strings_grows() {
    let key = "tools.x.sandbox.filesystem.allow";
    let text = "[tools.x]\nsource = 'local'\nsandbox.filesystem.allow = ['a']\n";
    assert_snapshot!(append(text, key, &["\"b\"", "\"c\""]), @r#"
    [tools.x]
    source = 'local'
    sandbox.filesystem.allow = ['a', "b", "c"]
    "#);
    let text = "[tools.x]\nsource = 'local'\n[tools.x.sandbox]\n";
    assert_snapshot!(append(text, key, &["\"b\""]), @r#"
    [tools.x]
    source = 'local'
    [tools.x.sandbox]

    [tools.x.sandbox.filesystem]
    allow = ["b"]
    "#);
}

#[test]
fn a_list_of_arguments_is_extended_and_another_value_replaced() {
    let set = |text: &str, value: &str| {
        Edit::Set { key: "tools.x.access.commands.\"a b\".args", value }.apply(text).unwrap()
    };
    let text = "[tools.x.access.commands.'a b']\nargs = [\n  ['check'], # always\n]\n";
    assert_snapshot!(set(text, "[[\"check\"], [\"test\", \"**\"]]"), @r#"
    [tools.x.access.commands.'a b']
    args = [
      ['check'], # always
      ["test", "**"],
    ]
    "#);
    assert_snapshot!(set("[tools.x.access.commands.'a b']\nargs = [['x']] # y\n", "[[\"z\"]]"), @r#"
    [tools.x.access.commands.'a b']
    args = [["z"]] # y
    "#);
    assert_snapshot!(set("[tools.x]\nsource = 'local'\n", "[[]]"), @r#"
    [tools.x]
    source = 'local'

    [tools.x.access.commands."a b"]
    args = [[]]
    "#);
    assert_snapshot!(set("[tools.x]\naccess.commands.c = {}\n", "[[]]"), @r#"
    [tools.x]
    access.commands.c = {}
    access.commands."a b".args = [[]]
    "#);
}

#[test]
fn what_cannot_be_extended_is_refused() {
    let check = |text: &str, key: &str, element: &str, wanted: &str| {
        let elements = [element.to_owned()];
        let error = Edit::Append { key, elements: &elements }.apply(text).unwrap_err();
        assert_eq!(error.to_string(), wanted);
    };
    check("a = 1", "a.b", "1", "`a.b` is written in a way that cannot be extended");
    check("a.b = 1", "a.b", "1", "`a.b` is written in a way that cannot be extended");
    check("[[a.b]]\n", "a.b", "1", "`a.b` is written in a way that cannot be extended");
    check("[[a]]\n", "a.b", "1", "`a.b` is written in a way that cannot be extended");
    check("a.b = {}", "a.b", "1", "`a.b` is written in a way that cannot be extended");
    check("", "a..b", "1", "not a key: a part of the key is empty");
    assert!(Edit::Set { key: "a", value: "=" }.apply("").is_err());
    assert!(Edit::Set { key: "a", value: "1" }.apply("a =").is_err());
    assert!(Edit::Set { key: "a", value: "1" }.apply("[a]").is_err());
}

proptest! {
    /// Every line of a file is in the new one, in the same order, but for the one that was extended.
    #[test]
    fn nothing_else_is_touched(order in Just(BLOCKS.to_vec()).prop_shuffle(), at in 0..BLOCKS.len()) {
        let blocks = &order[..=at];
        let text = blocks.concat();
        let edited = Edit::Append { key: "tools.x.access.fs", elements: &[RULE.to_owned()] }.apply(&text);
        let edited = edited.unwrap();
        let mut left = edited.lines();
        for line in text.lines() {
            prop_assert!(left.any(|it| it == line), "{line}\n---\n{text}\n---\n{edited}");
        }
        prop_assert!(edited.lines().count() > text.lines().count());
    }
}

/// Tables that can stand in any order.
const BLOCKS: [&str; 7] = [
    "# one\n[style]   # s\ncolor = 'never'\n\n",
    "[tools.x]\nsource = 'local'\n",
    "\n# two\n[[tools.x.access.fs]] # three\n  path = 'a'\n",
    "[tools.x.access.commands.c]\n\n\n",
    "[conversation.tools.y]\nsource = 'local' # y\naccess.fs = [ ]\n",
    "[tools.x.style]\n# four\nshow_result=false\n",
    "[ assistant ]\nname = \"\"\"a\nb\"\"\"\n",
];

/// What a person wrote at the top of a new file stays there.
#[test]
fn remarks_of_an_empty_file_stay_at_its_top() {
    let set = Edit::Set { key: "a.b", value: "1" };
    for (before, after) in [
        ("", "[a]\nb = 1\n"),
        ("\n\n", "[a]\nb = 1\n"),
        ("# mine\n", "# mine\n\n[a]\nb = 1\n"),
        ("#:schema x\n\n# mine", "#:schema x\n\n# mine\n\n[a]\nb = 1\n"),
    ] {
        assert_eq!(set.apply(before).unwrap(), after);
    }
}

#[test]
fn what_is_taken_away_leaves_the_rest_as_it_is() {
    let check = |text: &str, want: &str| {
        let edit = Edit::Remove { key: "plugins.command.a.checksum" };
        assert_eq!(edit.apply(text).as_deref(), Ok(want), "{text}");
    };
    let rest = "# Mine.\n[plugins.command.a]\nrun = 'ask' # why\n";
    check(&format!("{rest}checksum = {{ algorithm = 'sha256', value = 'x' }}\n"), rest);
    check(&format!("{rest}checksum.algorithm = 'sha256'\nchecksum.value = 'x'\n"), rest);
    check(&format!("{rest}[plugins.command.a.checksum]\nvalue = 'x'\n"), rest);
    // What is not there, and what is something else, stays as it is to the letter.
    for text in [rest, "", "# Remarks alone.", "plugins = 1\n", "[plugins.command]\na = 'x'   \n"] {
        check(text, text);
    }
    assert!(Edit::Remove { key: "a" }.apply("=").is_err());
    assert!(Edit::Remove { key: "" }.apply("").is_err());
}
