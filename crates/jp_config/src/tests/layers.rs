//! Which layer wins, and how tables, values and lists of several layers come together.

use serde_json::json;

use super::{config, errors, errors_of, merged};
use crate::{Config, Layer, LayerKind, Strategy};

/// 072-325, for every kind of layer and for a setting of plugins.
#[test]
fn later_layers_win_in_the_order_defaults_user_workspace_directories_arguments() {
    let all = [
        Layer::user("user", "plugins.shutdown_timeout_secs = 10"),
        Layer::workspace("workspace", "plugins.shutdown_timeout_secs = 20"),
        Layer::directory("root/.jp.toml", "plugins.shutdown_timeout_secs = 30"),
        Layer::directory("root/a/.jp.toml", "plugins.shutdown_timeout_secs = 40"),
        Layer::file("extra.toml", "plugins.shutdown_timeout_secs = 50"),
        Layer::assignment("plugins.shutdown_timeout_secs=60"),
        Layer::file("more.toml", "plugins.shutdown_timeout_secs = 70"),
    ];
    for count in 0..=all.len() {
        let wanted = if count == 0 { 5 } else { u32::try_from(count).unwrap() * 10 };
        let config = merged(all[..count].to_vec());
        assert_eq!(config.app.plugins.shutdown_timeout_secs, wanted);
    }
}

#[test]
fn a_candidate_becomes_a_layer_of_its_kind() {
    let candidates = crate::layer::candidates(None, Some("/w".into()), "/w".into());
    let layer = Layer::from_candidate(&candidates[0], ".jp/config.toml", "style.color = 'never'");
    assert_eq!((layer.kind, layer.name.as_str()), (LayerKind::Workspace, ".jp/config.toml"));
}

#[test]
fn tables_merge_key_by_key_and_values_are_replaced() {
    let config = merged(vec![
        Layer::user(
            "u",
            "[assistant.model]\nid = { provider = 'a', name = 'x' }\n\
             parameters = { deep = { one = 1, two = 2 }, list = [1, 2] }",
        ),
        Layer::workspace(
            "w",
            "[assistant.model]\nid.name = 'y'\n\
             parameters = { deep = { two = 22, three = 3 }, list = [3], more = true }",
        ),
    ]);
    assert_eq!(
        config.get(Some("assistant.model")).unwrap(),
        json!({
            "id": { "provider": "a", "name": "y" },
            "parameters": {
                "deep": { "one": 1, "two": 22, "three": 3 },
                "list": [3],
                "more": true,
            },
        })
    );
}

#[test]
fn an_ordinary_list_is_replaced() {
    let tool = "[tools.x]\nsource = 'local'\ncommand = { program = 'p', args = ['a', 'b'] }";
    let config = merged(vec![
        Layer::user("u", tool),
        Layer::workspace("w", "[tools.x.command]\nargs = ['c']"),
    ]);
    assert_eq!(
        config.get(Some("tools.x.command")).unwrap(),
        json!({ "program": "p", "args": ["c"], "shell": false })
    );
}

#[test]
fn a_value_of_another_type_replaces_the_whole() {
    let table = "[tools.x]\nsource = 'local'\ncommand = { program = 'p', args = ['a'] }";
    let line = "[tools.x]\ncommand = 'q'";
    let config = merged(vec![Layer::user("u", table), Layer::workspace("w", line)]);
    assert_eq!(config.get(Some("tools.x.command")).unwrap(), json!("q"));
    let config = merged(vec![
        Layer::user("u", "[tools.x]\nsource = 'local'\ncommand = 'q'"),
        Layer::workspace("w", "[tools.x]\ncommand = { program = 'p' }"),
    ]);
    assert_eq!(
        config.get(Some("tools.x.command")).unwrap(),
        json!({ "program": "p", "args": [], "shell": false })
    );
}

#[test]
fn a_mergeable_list_follows_its_strategy() {
    let check = |over: &str, wanted: &[&str]| {
        let config = merged(vec![
            Layer::user("u", "assistant.instructions = ['a', 'b', 'a']"),
            Layer::workspace("w", format!("assistant.instructions = {over}")),
        ]);
        assert_eq!(*config.app.assistant.instructions, *wanted, "{over}");
    };
    check("['c', 'b']", &["a", "b", "a", "c", "b"]);
    check("{ strategy = 'append', value = ['c', 'b'] }", &["a", "b", "a", "c", "b"]);
    check("{ strategy = 'replace', value = ['c', 'b'] }", &["c", "b"]);
    check("{ strategy = 'prepend', value = ['c', 'b'] }", &["c", "b", "a", "b", "a"]);
    check("{ strategy = 'dedup', value = ['c', 'b', 'c'] }", &["a", "b", "c"]);
    check("[]", &["a", "b", "a"]);
    check("{ strategy = 'replace', value = [] }", &[]);
}

#[test]
fn a_strategy_works_on_the_first_layer_that_has_the_list() {
    for strategy in Strategy::ALL {
        let text = format!(
            "assistant.instructions = {{ strategy = '{}', value = ['a', 'b'] }}",
            strategy.name()
        );
        assert_eq!(*config(&text).app.assistant.instructions, ["a", "b"]);
    }
}

#[test]
fn every_layer_has_its_own_strategy() {
    let config = merged(vec![
        Layer::user("u", "assistant.instructions = ['a']"),
        Layer::workspace("w", "assistant.instructions = ['b']"),
        Layer::directory("d", "assistant.instructions = { strategy = 'prepend', value = ['c'] }"),
        Layer::assignment("assistant.instructions=['d']"),
    ]);
    assert_eq!(*config.app.assistant.instructions, ["c", "a", "b", "d"]);
}

#[test]
fn a_list_with_a_strategy_is_checked() {
    insta::assert_snapshot!(
        errors("assistant.instructions = { strategy = 'apend', value = ['a'] }"),
        @r#"w.toml:1:39: `assistant.instructions.strategy` must be one of "append", "replace", "prepend", "dedup", found "apend"; did you mean `append`?"#
    );
    insta::assert_snapshot!(
        errors("assistant.instructions = { strategy = 1, value = 'a', vlaue = 2 }"),
        @r"
    w.toml:1:39: `assistant.instructions.strategy` must be a string, found an integer
    w.toml:1:50: `assistant.instructions.value` must be a list, found a string
    w.toml:1:55: unknown key `vlaue` in `assistant.instructions`; did you mean `value`?
    "
    );
    insta::assert_snapshot!(
        errors("assistant.instructions = { value = ['a'] }"),
        @"w.toml:1:26: `assistant.instructions` has no `strategy`"
    );
    insta::assert_snapshot!(
        errors("assistant.instructions = { strategy = 'append', value = ['a', 2] }"),
        @"w.toml:1:63: `assistant.instructions.value[1]` must be a string, found an integer"
    );
    insta::assert_snapshot!(
        errors_of(vec![Layer::assignment("assistant.instructions.strategy=replace")]),
        @"--cfg assistant.instructions.strategy=replace:1:24: `assistant.instructions` has no `value`"
    );
}

#[test]
fn the_rules_of_a_plugin_are_the_users() {
    let rules = "[[plugins.command.x.access.fs]]\npath = 'src'\nread = true\n";
    Config::load(vec![Layer::user("user", rules)]).unwrap();
    Config::load(vec![Layer::assignment("plugins.command.x.access.fs=[{path='.'}]")]).unwrap();
    for layer in [Layer::workspace("w.toml", rules), Layer::directory(".jp.toml", rules)] {
        for below in [vec![], vec![Layer::user("user", rules)]] {
            let layers = below.into_iter().chain([layer.clone()]).collect();
            let errors = Config::load(layers).unwrap_err().render(false);
            let message = "`plugins.command.x.access` cannot be set by a workspace";
            assert!(errors.contains(message), "{errors}");
        }
    }
}
