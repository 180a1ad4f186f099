//! Words and options.

use serde_json::{Value, json};

use super::*;

fn read_words(words: &[&str], options: &Value) -> Result<Task, Failure> {
    let init = json!({
        "version": 1, "workspace": { "root": "/w", "storage": "/w/.jp", "id": "a" },
        "config": {}, "args": words, "log_level": 0, "options": options,
    });
    read(&serde_json::from_value(init).unwrap())
}

#[test]
fn there_always_is_a_token() {
    let Ok(Task::Listen(listen)) = read_words(&["--port", "0"], &json!({ "bind": "::1" })) else {
        panic!("it does not listen");
    };
    assert_eq!(listen.address.to_string(), "[::1]:0");
    assert!(listen.token.unwrap().is_new());
}

#[test]
fn what_is_refused() {
    let check = |words: &[&str], options: &Value, want: &str| {
        let failure = format!("{:?}", read_words(words, options).unwrap_err());
        assert!(failure.contains("code: 2") && failure.contains(want), "{failure}");
    };
    check(&["--port", "x"], &json!({}), "invalid value 'x' for '--port");
    check(&["web"], &json!({}), "unexpected argument 'web'");
    check(&["--no-token"], &json!({}), "unexpected argument '--no-token'");
    check(&[], &json!({ "prot": 1 }), "cannot be used: unknown field `prot`");
    check(&["--bind", "0.0.0.0"], &json!({}), "add `--token-file FILE`");
    // Whoever wrote the settings of a workspace would know it.
    check(
        &[],
        &json!({ "token": "0123456789abcdef" }),
        "serve-http-api.options.token` is not used",
    );
    check(&[], &json!({ "bind": "0.0.0.0" }), "with `--bind 0.0.0.0` and `--token-file FILE`");
}

#[test]
fn help_and_document_are_tasks() {
    let help = read_words(&["-h"], &json!({}));
    assert!(matches!(help, Ok(Task::Print(text)) if text.contains("Usage: jp serve http-api")));
    assert!(matches!(read_words(&["--openapi"], &json!({})), Ok(Task::Document)));
}
