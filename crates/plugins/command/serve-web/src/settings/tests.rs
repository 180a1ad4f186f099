//! Flags, options and configuration, and what is refused.

use jp_plugin_sdk::Failure;
use serde_json::{Map, json};

use super::*;

fn init(args: &[&str], options: Value, config: &Value) -> Init {
    let options: Map<String, Value> = serde_json::from_value(options).unwrap();
    let init = json!({
        "version": 1, "workspace": { "root": "/w", "storage": "/w/.jp", "id": "a" },
        "config": config, "args": args, "log_level": 0, "options": options,
    });
    serde_json::from_value(init).unwrap()
}

fn read(args: &[&str], options: Value, config: &Value) -> Result<Settings, String> {
    let settings = Settings::read(&init(args, options, config));
    settings.map_err(|error| format!("{:?}", Failure::from(error)))
}

#[test]
fn the_nearest_wins() {
    let web = json!({ "server": { "web": { "bind": "127.0.0.2", "port": 2 } } });
    let check = |args: &[&str], options: Value, config: &Value, want: &str| {
        let settings = read(args, options, config).unwrap();
        assert_eq!(settings.address.to_string(), want, "{args:?}");
    };
    check(&[], json!({}), &json!({}), "127.0.0.1:3141");
    check(&[], json!({}), &web, "127.0.0.2:2");
    check(&[], json!({ "port": 3, "bind": "localhost" }), &web, "127.0.0.1:3");
    check(&["--port", "4"], json!({ "port": 3 }), &web, "127.0.0.2:4");
    check(&["-p4", "--bind=[::1]"], json!({ "bind": "127.0.0.3" }), &web, "[::1]:4");
}

#[test]
fn others_need_a_token() {
    let refused = |args: &[&str], options: Value, want: &str| {
        let error = read(args, options, &json!({})).unwrap_err();
        assert!(error.contains(want), "{args:?}: {error}");
    };
    for bind in ["0.0.0.0", "::", "192.168.0.7", "::ffff:127.0.0.1"] {
        refused(&["--bind", bind], json!({}), "no token is given");
        // The settings of a workspace are no word of the user.
        let token = "0123456789abcdef";
        refused(&["--bind", bind], json!({ "token": token }), "no token is given");
        refused(&["--token"], json!({ "bind": bind }), "has to be said on the command line");
    }
    refused(&["--bind=0.0.0.0", "--token=short"], json!({}), "at least 16");
    refused(&["--token=0123456789abcdef/"], json!({}), "at least 16");
    refused(&["--token-file=/nonexistent"], json!({}), "cannot read a token from /nonexistent");
    refused(&["--bind", "example.org"], json!({}), "no address");
    refused(&["--allow-host", "a:80"], json!({}), "no name of a host");
    refused(&[], json!({ "allow_host": ["a"] }), "unknown field `allow_host`");
    refused(&[], json!({ "prot": 1 }), "unknown field `prot`");
    refused(&["--prot", "1"], json!({}), "unexpected argument '--prot'");
    refused(&["--port", "65536"], json!({}), "65536");
    let open = json!({ "server": { "web": { "bind": "0.0.0.0" } } });
    let error = read(&["--token"], json!({}), &open).unwrap_err();
    assert!(error.contains("has to be said on the command line"), "{error}");
}

#[test]
fn tokens() {
    let settings = read(&["--bind", "0.0.0.0", "--token"], json!({}), &json!({})).unwrap();
    assert!(settings.token_is_new && settings.token.unwrap().reveal().len() == 64);
    let options = json!({ "token": "0123456789abcdef" });
    let settings = read(&[], options.clone(), &json!({})).unwrap();
    assert!(!settings.token_is_new && settings.token.unwrap().is("0123456789abcdef"));
    let settings = read(&["--token=fedcba9876543210"], options, &json!({})).unwrap();
    assert!(settings.token.unwrap().is("fedcba9876543210"));
}

#[test]
fn names_of_hosts() {
    let settings = read(&["--allow-host", "Box.Local."], json!({}), &json!({})).unwrap();
    assert_eq!(settings.hosts, ["box.local"]);
}
