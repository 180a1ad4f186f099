//! Words and options.

use serde_json::json;

use super::*;

fn listen(words: &[&str], options: Value) -> Result<Listen, Failure> {
    let words: Vec<_> = words.iter().map(ToString::to_string).collect();
    let Value::Object(options) = options else { panic!("options are an object") };
    match read(&words, Some(options))? {
        Task::Listen(listen) => Ok(listen),
        other => panic!("{other:?}"),
    }
}

#[test]
fn words_win_over_options() {
    let check = |words: &[&str], options: Value, address: &str, names: &[&str]| {
        let listen = listen(words, options).unwrap();
        assert_eq!(listen.address.to_string(), address, "{words:?}");
        assert_eq!(listen.names, names, "{words:?}");
    };
    check(&[], json!({}), "127.0.0.1:3142", &[]);
    check(&[], json!({ "port": 80, "bind": "::1" }), "[::1]:80", &[]);
    check(
        &["-p", "0", "--bind", "127.0.0.2"],
        json!({ "port": 80, "bind": "::1" }),
        "127.0.0.2:0",
        &[],
    );
    check(&["--allow-host", "a"], json!({}), "127.0.0.1:3142", &["a"]);
}

#[test]
fn a_token_is_made_or_chosen() {
    assert!(listen(&[], json!({})).unwrap().token.is_new());
    let chosen = listen(&[], json!({ "token": "0123456789abcdef" })).unwrap().token;
    assert_eq!((chosen.reveal(), chosen.is_new()), ("0123456789abcdef", false));
}

#[test]
fn what_is_refused() {
    let check = |words: &[&str], options: Value, want: &str| {
        let failure = format!("{:?}", listen(words, options).unwrap_err());
        assert!(failure.contains("code: 2") && failure.contains(want), "{failure}");
    };
    check(&["--port", "x"], json!({}), "invalid value 'x' for '--port");
    check(&["web"], json!({}), "unexpected argument 'web'");
    check(&[], json!({ "prot": 1 }), "options`: unknown field `prot`");
    check(&[], json!({ "port": 65_536 }), "options`: invalid value");
    check(&[], json!({ "token": "short" }), "16 to 512 characters");
    check(&["--token-file", "/no/such/file"], json!({}), "cannot read the token in /no/such/file");
    check(&["--bind", "0.0.0.0"], json!({}), "choose a token for it");
    let token = json!({ "token": "0123456789abcdef", "bind": "0.0.0.0" });
    check(&[], token.clone(), "say `--bind 0.0.0.0`");
    // A token of the settings may be known to whoever wrote them.
    check(&["--bind", "0.0.0.0"], token, "choose a token for it");
    check(&[], json!({ "allow_host": ["evil.example"] }), "unknown field `allow_host`");
}

#[test]
fn help_and_document_are_tasks() {
    assert!(
        matches!(read(&["-h".to_owned()], None), Ok(Task::Print(text)) if text.contains("Usage: jp serve http-api"))
    );
    assert!(matches!(read(&["--openapi".to_owned()], None), Ok(Task::Document)));
}
