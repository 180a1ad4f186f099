//! Words about the token, and where the configuration is.

use jp_plugin_sdk::Failure;
use serde_json::{Value, json};

use super::*;

fn read_words(args: &[&str], options: &Value, config: &Value) -> Result<Listen, String> {
    let init = json!({
        "version": 1, "workspace": { "root": "/w", "storage": "/w/.jp", "id": "a" },
        "config": config, "args": args, "log_level": 0, "options": options,
    });
    let listen = read(&serde_json::from_value(init).unwrap());
    listen.map_err(|error| format!("{:?}", Failure::from(error)))
}

#[test]
fn the_configuration_has_a_place_of_its_own() {
    let web = json!({ "server": { "web": { "bind": "127.0.0.2", "port": 2 } } });
    let address = |args: &[&str], config: &Value| {
        read_words(args, &json!({}), config).unwrap().address.to_string()
    };
    assert_eq!(address(&[], &json!({})), "127.0.0.1:3141");
    assert_eq!(address(&[], &web), "127.0.0.2:2");
    assert_eq!(address(&["-p4", "--bind=::1"], &web), "[::1]:4");
}

#[test]
fn tokens() {
    let token = |args: &[&str]| read_words(args, &json!({}), &json!({})).unwrap().token;
    // Nobody has to ask for one.
    assert!(token(&[]).unwrap().is_new());
    assert!(token(&["--bind=127.0.0.2"]).unwrap().is_new());
    assert!(token(&["--bind=0.0.0.0", "--token"]).unwrap().is_new());
    assert!(token(&["--token=0123456789abcdef"]).unwrap().is("0123456789abcdef"));
    assert!(token(&["--no-token"]).is_none());
}

#[test]
fn what_is_refused() {
    let refused = |args: &[&str], options: &Value, want: &str| {
        let error = read_words(args, options, &json!({})).unwrap_err();
        assert!(error.contains(want), "{args:?}: {error}");
    };
    refused(&["--bind=0.0.0.0"], &json!({}), "add `--token` to have one made");
    refused(&["--bind=0.0.0.0", "--no-token"], &json!({}), "leave `--no-token` out");
    refused(&["--no-token", "--token"], &json!({}), "cannot be used with");
    refused(&["--token=short"], &json!({}), "16 to 512 characters");
    refused(&["--prot", "1"], &json!({}), "unexpected argument '--prot'");
    refused(&[], &json!({ "token": "0123456789abcdef" }), "serve-web.options.token` is not used");
    refused(&[], &json!({ "no_token": true }), "unknown field `no_token`");
    let open = json!({ "server": { "web": { "bind": "0.0.0.0" } } });
    let error = read_words(&["--token"], &json!({}), &open).unwrap_err();
    assert!(error.contains("has to be said on the command line"), "{error}");
}
