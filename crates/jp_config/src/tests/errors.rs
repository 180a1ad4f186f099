//! Every way to be wrong: named with file, line, column and key, and with the nearest right thing.

use super::{errors, errors_of, rendered};
use crate::{Config, Layer};

#[test]
fn a_wrong_key_is_shown_with_the_nearest_one() {
    insta::assert_snapshot!(rendered("[assistant]\nname = 'x'\nmodle = 1\n"), @r"
    error: unknown key `modle` in `assistant`
     --> .jp/config.toml:3:1
      |
    3 | modle = 1
      | ^^^^^
      |
      = help: did you mean `model`?
    ");
}

#[test]
fn a_wrong_key_that_is_near_to_none_is_shown_with_those_there_are() {
    insta::assert_snapshot!(rendered("[server.web]\ntimeout = 1\n"), @r"
    error: unknown key `timeout` in `server.web`
     --> .jp/config.toml:2:1
      |
    2 | timeout = 1
      | ^^^^^^^
      |
      = help: known keys are `bind`, `port`
    ");
}

#[test]
fn a_right_key_in_the_wrong_table_is_shown_with_its_own() {
    insta::assert_snapshot!(
        errors("[web]\nport = 1\n"),
        @"w.toml:1:2: unknown key `web`; did you mean `server.web`?"
    );
}

#[test]
fn a_wrong_type_says_what_was_found_and_what_is_expected() {
    let check = |text: &str, wanted: &str| assert_eq!(errors(text), wanted, "{text}");
    check("assistant = 1", "w.toml:1:13: `assistant` must be a table, found an integer");
    check("assistant.name = 1", "w.toml:1:18: `assistant.name` must be a string, found an integer");
    check(
        "assistant.instructions = 'x'",
        "w.toml:1:26: `assistant.instructions` must be a list of strings, found a string",
    );
    check(
        "assistant.instructions = ['a', true]",
        "w.toml:1:32: `assistant.instructions[1]` must be a string, found a boolean",
    );
    check(
        "plugins.auto_install = 'true'",
        "w.toml:1:24: `plugins.auto_install` must be a boolean, found a string",
    );
    check(
        "server.web.port = 1.5",
        "w.toml:1:19: `server.web.port` must be an integer from 0 to 65535, found a float",
    );
    check(
        "tools.x = { source = 'local', command = [] }",
        "w.toml:1:41: `tools.x.command` must be a string or a table, found a list",
    );
    check(
        "tools.x = { source = 'local', parameters.p.minimum = 'a' }",
        "w.toml:1:54: `tools.x.parameters.p.minimum` must be a number, found a string",
    );
}

#[test]
fn an_easy_slip_comes_with_the_way_out() {
    let help = |text: &str| {
        let errors = Config::load(vec![Layer::workspace("w", text)]).unwrap_err();
        let help = errors.report().problems().flat_map(|it| it.help).collect::<Vec<_>>();
        help.join("; ")
    };
    assert_eq!(help("server.web.port = '80'"), "remove the quotes: `80`");
    assert_eq!(help("plugins.auto_install = 'false'"), "remove the quotes: `false`");
    assert_eq!(help("assistant.name = 7"), "put it in quotes: `\"7\"`");
    assert_eq!(help("assistant.name = true"), "put it in quotes: `\"true\"`");
    assert_eq!(help("style.color_depth = 256"), "put it in quotes: `\"256\"`");
    assert_eq!(help("assistant.instructions = 'x'"), "put it in brackets: `[…]`");
    assert_eq!(help("server.web.bind = '0.0.0.0:80'"), "the port has its own key, `port`");
}

#[test]
fn a_wrong_word_is_shown_with_the_right_ones_and_the_nearest() {
    insta::assert_snapshot!(rendered("style.color = 'alwyas'\n"), @r#"
    error: `style.color` must be one of "auto", "always", "never", found "alwyas"
     --> .jp/config.toml:1:15
      |
    1 | style.color = 'alwyas'
      |               ^^^^^^^^
      |
      = help: did you mean `always`?
    "#);
}

#[test]
fn a_number_out_of_range_says_the_range() {
    let check = |text: &str, wanted: &str| assert_eq!(errors(text), wanted, "{text}");
    check(
        "server.web.port = 65536",
        "w.toml:1:19: `server.web.port` must be an integer from 0 to 65535, found 65536",
    );
    check(
        "server.web.port = -1",
        "w.toml:1:19: `server.web.port` must be an integer from 0 to 65535, found -1",
    );
    check(
        "style.markdown.width = 19",
        "w.toml:1:24: `style.markdown.width` must be an integer from 20 to 65535, found 19",
    );
    check(
        "plugins.shutdown_timeout_secs = 3601",
        concat!(
            "w.toml:1:33: `plugins.shutdown_timeout_secs` must be an integer from 0 to 3600, ",
            "found 3601",
        ),
    );
}

/// Decision 22, and the forms of names, checksums and addresses.
#[test]
fn a_string_without_its_form_says_what_is_wrong() {
    let check = |text: &str, wanted: &str| assert_eq!(errors(text), wanted, "{text}");
    check(
        "plugins.registry = 'http://jp.computer/x'",
        concat!(
            "w.toml:1:20: `plugins.registry`: \"http://jp.computer/x\" is not an `https://` or ",
            "`file://` URL",
        ),
    );
    check(
        "plugins.registry = 'https://'",
        "w.toml:1:20: `plugins.registry`: \"https://\" is not a URL that can be fetched",
    );
    check(
        "plugins.command.x.checksum = { algorithm = 'sha256', value = 'abc' }",
        concat!(
            "w.toml:1:62: `plugins.command.x.checksum.value`: \"abc\" is not a SHA-256 checksum: ",
            "64 hexadecimal digits are needed, these are 3 characters",
        ),
    );
    check(
        "server.web.bind = '127.0.0.1:80'",
        "w.toml:1:19: `server.web.bind`: \"127.0.0.1:80\" is not an address or a host name",
    );
    check("plugins.command.'a b'.run = 'ask'", "w.toml:1:17: `\"a b\"` is not a usable name");
    check("plugins.command.'*'.run = 'ask'", "w.toml:1:17: `\"*\"` is not a usable name");
    check(
        "plugins.command.''.run = 'ask'",
        "w.toml:1:17: `\"\"` is not a usable name: it is empty",
    );
    let long = "x".repeat(65);
    check(
        &format!("plugins.command.{long}.run = 'ask'"),
        &format!(
            "w.toml:1:17: `{}…` is not a usable name: it is longer than 64 characters",
            "x".repeat(60)
        ),
    );
}

#[test]
fn a_mistake_in_the_toml_is_shown_like_any_other() {
    insta::assert_snapshot!(rendered("[style]\ncolor = never\n\n[server\nweb.port = 1\n"), @r"
    error: `never` is not a value
     --> .jp/config.toml:2:9
      |
    2 | color = never
      |         ^^^^^
      |
      = help: put it in quotes to make it a string

    error: unclosed table, expected `]`
     --> .jp/config.toml:4:8
      |
    4 | [server
      |        ^ not valid TOML
    ");
    insta::assert_snapshot!(
        errors("assistant.name = 'a'\nassistant.name = 'b'\n"),
        @"w.toml:2:11: duplicate key"
    );
}

#[test]
fn what_toml_can_say_and_a_setting_cannot_is_refused() {
    let check = |text: &str, wanted: &str| assert_eq!(errors(text), wanted, "{text}");
    check(
        "assistant.model.parameters = { a = [2026-01-01] }",
        "w.toml:1:37: `assistant.model.parameters.a[0]` is a date, which no setting takes",
    );
    check(
        "assistant.model.parameters.a = nan",
        "w.toml:1:32: `assistant.model.parameters.a` is not a finite number",
    );
    check(
        "assistant.model.parameters.a = 9223372036854775808",
        "w.toml:1:32: `assistant.model.parameters.a` is an integer of more than 64 bits",
    );
}

#[test]
fn all_problems_of_all_layers_are_reported_in_order() {
    let errors = errors_of(vec![
        Layer::user("user", "asistant = 1\n[style]\ncolor = 1\n"),
        Layer::workspace("workspace", "[tools.x]\nrun = 'skip'\n"),
        Layer::directory("dir", "[tools.y]\nsource = 'local.a'\ntool = 'b'\nsumary = ''"),
        Layer::assignment("server.web.port=x"),
    ]);
    insta::assert_snapshot!(errors, @r#"
    user:1:1: unknown key `asistant`; did you mean `assistant`?
    user:3:9: `style.color` must be one of "auto", "always", "never", found an integer
    workspace:1:8: `conversation.tools.x` has no `source`
    dir:3:8: `conversation.tools.y.tool` is "b", but `source` already picks "a"
    dir:4:1: unknown key `sumary` in `tools.y`; did you mean `summary`?
    --cfg server.web.port=x:1:17: `server.web.port` must be an integer from 0 to 65535, found a string
    "#);
}

/// A missing key may be the misspelled one, or in the file that could not be read.
#[test]
fn one_mistake_is_not_reported_twice() {
    assert_eq!(
        errors("[tools.x]\nsorce = 'local'\n"),
        "w.toml:2:1: unknown key `sorce` in `tools.x`; did you mean `source`?"
    );
    let broken = vec![
        Layer::user("u", "[conversation.tools.x\n"),
        Layer::workspace("w", "[conversation.tools.x]\nrun = 'ask'"),
    ];
    assert_eq!(errors_of(broken), "u:1:22: unclosed table, expected `]`");
}

#[test]
fn a_problem_has_its_parts_for_programs() {
    let text = "# remark\n[assistant]\n\"näme\" = 'x'\n";
    let errors = Config::load(vec![Layer::user("~/config.toml", text)]).unwrap_err();
    let problems: Vec<_> = errors.report().problems().collect();
    assert_eq!(problems.len(), 1);
    let problem = &problems[0];
    assert_eq!((problem.file.as_str(), problem.line, problem.column), ("~/config.toml", 3, 1));
    assert_eq!(problem.key, "assistant.\"näme\"");
    assert_eq!(problem.suggestion.as_deref(), Some("name"));
}

#[test]
fn columns_are_counted_in_characters() {
    let text = "assistant.model.parameters = { 'ключ' = 'значение', b = nan }";
    assert_eq!(errors(text), "w.toml:1:57: `assistant.model.parameters.b` is not a finite number");
}

#[test]
fn color_is_there_only_if_wanted() {
    let errors = Config::load(vec![Layer::user("u", "x = 1")]).unwrap_err();
    assert!(errors.render(true).contains('\u{1b}'));
    assert!(!errors.render(false).contains('\u{1b}'));
}
