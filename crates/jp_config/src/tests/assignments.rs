//! `--cfg key.path=value`: how the value is read, and what is said when it is wrong.

use serde_json::{Value, json};

use super::{errors_of, merged};
use crate::Layer;

/// The value at `path` after the assignment.
fn assigned(argument: &str, path: &str) -> Value {
    let tool = Layer::workspace("w.toml", "[tools.x]\nsource = 'local'");
    merged(vec![tool, Layer::assignment(argument)]).get(Some(path)).unwrap()
}

fn error(argument: &str) -> String {
    errors_of(vec![Layer::assignment(argument)]).replace(&format!("--cfg {argument}:"), "")
}

#[test]
fn a_key_that_takes_a_string_takes_the_text_as_it_is() {
    let check = |value: &str, wanted: &str| {
        let argument = format!("assistant.name={value}");
        assert_eq!(assigned(&argument, "assistant.name"), json!(wanted), "{argument}");
    };
    check("JP", "JP");
    check("007", "007");
    check("true", "true");
    check("", "");
    check("a = b", "a = b");
    check("[x", "[x");
    check("2026-01-01", "2026-01-01");
    check(r#""quoted \u0041""#, "quoted A");
    check("'literal'", "literal");
    check(" around ", "around");
    check("Mr. Ünïcode", "Mr. Ünïcode");
}

#[test]
fn other_values_are_toml() {
    let check = |argument: &str, wanted: Value| {
        let (path, _) = argument.split_once('=').unwrap();
        assert_eq!(assigned(argument, path), wanted, "{argument}");
    };
    check("server.web.port=8080", json!(8080));
    check("plugins.auto_install=false", json!(false));
    check(r#"assistant.instructions=["a", 'b']"#, json!(["a", "b"]));
    check(r#"assistant.instructions={strategy="replace", value=["a"]}"#, json!(["a"]));
    check("assistant.model.id={provider='p', name='n'}", json!({"provider": "p", "name": "n"}));
    check("style.color=never", json!("never"));
    check("style.color_depth=256", json!("256"));
}

/// Free values: TOML if it is TOML, otherwise a word.
#[test]
fn a_free_value_is_toml_or_a_word() {
    let check = |value: &str, wanted: Value| {
        let argument = format!("assistant.model.parameters.x={value}");
        assert_eq!(assigned(&argument, "assistant.model.parameters.x"), wanted, "{argument}");
    };
    check("0.5", json!(0.5));
    check("3", json!(3));
    check("true", json!(true));
    check("high", json!("high"));
    check("a b", json!("a b"));
    check("{a=[1]}", json!({"a": [1]}));
    check(r#""3""#, json!("3"));
}

#[test]
fn a_key_that_takes_a_string_or_more_takes_toml_where_it_fits() {
    let check = |value: &str, wanted: Value| {
        let argument = format!("tools.x.command={value}");
        assert_eq!(assigned(&argument, "tools.x.command"), wanted, "{argument}");
    };
    check("wc -w", json!("wc -w"));
    check("3", json!("3"));
    check("2026-01-01", json!("2026-01-01"));
    check("'wc -w'", json!("wc -w"));
    check("{program='wc'}", json!({"program": "wc", "args": [], "shell": false}));
}

#[test]
fn keys_may_be_quoted_and_a_star_need_not_be() {
    let check = |argument: &str, path: &str, wanted: Value| {
        assert_eq!(assigned(argument, path), wanted, "{argument}");
    };
    check(r#"tools."x".run=skip"#, "conversation.tools.x.run", json!("skip"));
    check(" tools . x . run = skip", "tools.x.run", json!("skip"));
    check("conversation.tools.*.run=edit", "tools.x.run", json!("edit"));
    check(
        r#"assistant.model.parameters."a.b=c"=1"#,
        r#"assistant.model.parameters."a.b=c""#,
        json!(1),
    );
}

#[test]
fn a_wrong_assignment_is_explained_at_its_place() {
    let check = |argument: &str, wanted: &str| assert_eq!(error(argument), wanted, "{argument}");
    check("server.web.prt=1", "1:12: unknown key `prt` in `server.web`; did you mean `port`?");
    check(
        "server.web.port=eighty",
        "1:17: `server.web.port` must be an integer from 0 to 65535, found a string",
    );
    check(
        "server.web.port=70000",
        "1:17: `server.web.port` must be an integer from 0 to 65535, found 70000",
    );
    check("server.web.port=", "1:17: `server.web.port` is given no value");
    check("assistant..name=x", "1:11: a part of the key is empty");
    check("=x", "1:1: a part of the key is empty");
    check("assistant.name", "1:1: there is no `=` after the key");
    check(
        "assistant.instructions=[a",
        "1:26: `assistant.instructions`: unclosed array, expected `]`",
    );
    check("assistant.name=\"x", "1:18: `assistant.name`: invalid basic string, expected `\"`");
    check("assistant.name.first=x", "1:16: `assistant.name` must be a string, found a table");
    check(
        "style.color=alway",
        concat!(
            r#"1:13: `style.color` must be one of "auto", "always", "never", found "alway"; "#,
            "did you mean `always`?",
        ),
    );
}

#[test]
fn an_assignment_is_shown_like_a_file() {
    let errors = crate::Config::load(vec![Layer::assignment("server.web.port = x")]).unwrap_err();
    insta::assert_snapshot!(errors.render(false), @r"
    error: `server.web.port` must be an integer from 0 to 65535, found a string
     --> --cfg server.web.port = x:1:19
      |
    1 | server.web.port = x
      |                   ^
    ");
}
