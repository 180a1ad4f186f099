//! The difference between two configurations, by example; `any` has the property.

use serde_json::json;

use super::{config, merged};
use crate::{Config, Delta, Layer, LayerKind};

const TOOL: &str = "[conversation.tools.t]\nsource = 'local'\n";

fn difference(first: &str, second: &str) -> String {
    let delta = config(&format!("{TOOL}{first}")).difference(&config(&format!("{TOOL}{second}")));
    serde_json::to_string(&delta).unwrap()
}

fn delta(json: &serde_json::Value) -> Delta {
    serde_json::from_value(json.clone()).unwrap()
}

/// What is wrong with a difference when it is laid over a configuration.
fn refusal(config: &Config, json: &serde_json::Value) -> String {
    config.with(&delta(json), "change").unwrap_err().to_string()
}

/// 076-256.
#[test]
fn changed_rules_are_carried_and_nothing_when_they_are_equal() {
    let fs = "access.fs = [{ path = 'a', read = true }]\n";
    assert_eq!(difference(fs, fs), "{}");
    // The way they are written makes no difference.
    let other = "[[conversation.tools.t.access.fs]]\nread = true\npath = 'a'";
    assert_eq!(difference(fs, other), "{}");
    let more = "access.fs = [{ path = 'a', read = true }, { path = 'b' }]\n";
    insta::assert_snapshot!(
        difference(fs, more),
        @r#"{"conversation":{"tools":{"t":{"access":{"fs":{"strategy":"replace","value":[{"path":"a","read":true},{"path":"b"}]}}}}}}"#
    );
    insta::assert_snapshot!(
        difference("", fs),
        @r#"{"conversation":{"tools":{"t":{"access":{"fs":{"strategy":"replace","value":[{"path":"a","read":true}]}}}}}}"#
    );
    // Only the kind that changed is there.
    let net = "access.net = [{ host = 'h' }]\n";
    insta::assert_snapshot!(
        difference(&format!("{fs}{net}"), fs),
        @r#"{"conversation":{"tools":{"t":{"access":{"net":null}}}}}"#
    );
    insta::assert_snapshot!(difference(fs, ""), @r#"{"conversation":{"tools":{"t":{"access":null}}}}"#);
}

#[test]
fn only_what_differs_is_carried() {
    let first = "run = 'skip'\noptions = { a = { x = 1, y = 2 }, b = [1] }\ncommand = 'x'";
    let second =
        "run = 'edit'\noptions = { a = { y = 2, z = 3 }, b = [1] }\n[style]\ncolor='never'";
    insta::assert_snapshot!(
        difference(first, second),
        @r#"{"conversation":{"tools":{"t":{"run":"edit","options":{"a":{"z":3,"x":null}},"command":null}}},"style":{"color":"never"}}"#
    );
    let tool = config(TOOL);
    let gone = serde_json::to_value(tool.difference(&config(""))).unwrap();
    assert_eq!(gone, json!({ "conversation": { "tools": { "t": null } } }));
    assert_eq!(tool.with(&delta(&gone), "change").unwrap().app, config("").app);
}

#[test]
fn what_a_difference_sets_has_its_place() {
    let changed = delta(&json!({ "style": { "color": "never" } }));
    let first = merged(vec![Layer::user("u.toml", "\nassistant.name = 'A'")]);
    let config = first.with(&changed, "change 3").unwrap();
    assert_eq!(config.place("style.color").unwrap(), "change 3:2");
    assert_eq!(config.layer("style.color"), Some(LayerKind::Delta));
    assert_eq!(config.place("assistant.name").unwrap(), "u.toml:2");
}

#[test]
fn a_tool_keeps_its_other_name() {
    let config = config("[tools.t]\nsource = 'local'\n");
    let config = config.with(&delta(&json!({ "style": { "color": "never" } })), "c").unwrap();
    assert_eq!(config.tool_key("t"), "tools.t");
}

/// A stored difference is somebody else's text.
#[test]
fn a_difference_is_checked_like_a_layer() {
    let config = config(TOOL);
    insta::assert_snapshot!(
        refusal(&config, &json!({ "style": { "colour": "never" }, "server": { "web": 3 } })),
        @"
    change:2:1: unknown key `colour` in `style`; did you mean `color`?
    change:5:7: `server.web` must be a table, found an integer
    "
    );
    insta::assert_snapshot!(
        refusal(&config, &json!({ "conversation": { "tools": { "t": { "source": null } } } })),
        @"w.toml:1:21: `conversation.tools.t` has no `source`"
    );
    let null = serde_json::from_value::<Delta>(json!({ "a": { "b": [1, { "c": null }] } }));
    insta::assert_snapshot!(null.unwrap_err(), @"`a.b` holds a list with `null` in it, which no setting takes");
    // A key that is not there is gone already, and nothing is made on the way to it.
    let nothing = json!({ "conversation": { "tools": { "x": { "access": null } } } });
    assert_eq!(config.with(&delta(&nothing), "c").unwrap().app, config.app);
}

/// 076-163: neither by a list that is shorter nor by the absence of one.
#[test]
fn a_difference_uncovers_nothing() {
    let first = config("sandbox.sensitive_paths = ['~/.netrc', '**/x']");
    let second = config("sandbox.sensitive_paths = ['**/x', '**/y']");
    let delta = first.difference(&second);
    let json = serde_json::to_value(&delta).unwrap();
    assert_eq!(json, json!({ "sandbox": { "sensitive_paths": ["**/y"] } }));
    let patterns = first.with(&delta, "c").unwrap().app.sandbox.sensitive_paths.len();
    assert_eq!(patterns, 3);
    assert!(first.difference(&config("")).is_empty());
    for changes in [
        json!({ "sandbox": null }),
        json!({ "sandbox": { "sensitive_paths": null } }),
        json!({ "sandbox": { "sensitive_paths": { "strategy": "replace", "value": [] } } }),
    ] {
        let refusal = refusal(&first, &changes);
        assert!(refusal.contains("can only be extended"), "{refusal}");
    }
}
