//! Flags, options and configuration, and what is refused.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{fs, os::unix::fs::PermissionsExt as _};

use jp_plugin_sdk::{Failure, args};
use serde_json::json;
use tempfile::TempDir;

use super::*;

const TOKEN: &str = "0123456789abcdef";

#[derive(clap::Parser)]
struct Args {
    #[command(flatten)]
    flags: Flags,
}

fn decide(words: &[&str], word: Word, options: &Value, web: &Value) -> Result<Listen, String> {
    let init = json!({
        "version": 1, "workspace": { "root": "/w", "storage": "/w/.jp", "id": "a" },
        "config": {}, "args": [], "log_level": 0, "options": options,
    });
    let init: Init = serde_json::from_value(init).unwrap();
    let args: Args =
        args::parse("serve", words.iter().copied()).map_err(|stop| format!("{stop:?}"))?;
    let policy = Policy {
        plugin: "serve-x",
        port: 3141,
        token_flag: "`--token-file FILE`",
        section: Some(web),
    };
    let listen = Listen::decide(&init, &policy, args.flags, word);
    listen.map_err(|error| format!("{:?}", Failure::from(error)))
}

#[test]
fn the_nearest_wins() {
    let web = json!({ "bind": "127.0.0.2", "port": 2 });
    let check = |words: &[&str], options: &Value, web: &Value, want: &str| {
        let listen = decide(words, Word::Nothing, options, web).unwrap();
        assert_eq!(listen.address.to_string(), want, "{words:?}");
    };
    check(&[], &json!({}), &json!({}), "127.0.0.1:3141");
    check(&[], &json!({}), &web, "127.0.0.2:2");
    check(&[], &json!({ "port": 3, "bind": "localhost" }), &web, "127.0.0.1:3");
    check(&["--port", "4"], &json!({ "port": 3 }), &web, "127.0.0.2:4");
    check(&["-p4", "--bind=[::1]"], &json!({ "bind": "127.0.0.3" }), &web, "[::1]:4");
}

#[test]
fn there_is_a_token_unless_the_user_wants_none() {
    let token = |word| decide(&[], word, &json!({}), &json!({})).unwrap().token;
    assert!(token(Word::Nothing).unwrap().is_new());
    assert!(token(Word::New).unwrap().is_new());
    assert!(token(Word::Text(TOKEN.to_owned())).unwrap().is(TOKEN));
    assert!(token(Word::Without).is_none());
}

/// The settings of a workspace are no word of the user, and nothing tells them apart.
#[test]
fn settings_say_no_token() {
    let refused = |options: &Value, want: &str| {
        let error = decide(&[], Word::Nothing, options, &json!({})).unwrap_err();
        assert!(error.contains(want), "{error}");
    };
    refused(&json!({ "token": TOKEN }), "serve-x.options.token` is not used");
    refused(&json!({ "token": TOKEN }), "`token_file` in the options or `--token-file`");
    refused(&json!({ "token": false }), "is not used");
    refused(&json!({ "token_file": "token" }), "has to begin with `/`");
    refused(&json!({ "no_token": true }), "unknown field `no_token`");
    refused(&json!({ "allow_host": ["evil.example"] }), "unknown field `allow_host`");
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("token");
    fs::write(&file, TOKEN).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    refused(&json!({ "token_file": file }), "chmod 600");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let options = json!({ "token_file": file });
    let listen = decide(&[], Word::Nothing, &options, &json!({})).unwrap();
    assert!(listen.token.unwrap().is(TOKEN));
    // What the command line says counts more.
    let listen = decide(&[], Word::New, &options, &json!({})).unwrap();
    assert!(listen.token.unwrap().is_new());
}

#[test]
fn others_need_a_token() {
    let refused = |words: &[&str], word: Word, options: &Value, want: &str| {
        let error = decide(words, word, options, &json!({})).unwrap_err();
        assert!(error.contains(want), "{words:?}: {error}");
    };
    for bind in ["0.0.0.0", "::", "192.168.0.7", "::ffff:127.0.0.1"] {
        let words = ["--bind", bind];
        refused(&words, Word::Nothing, &json!({}), "no token is given: add `--token-file FILE`");
        refused(&words, Word::Without, &json!({}), "leave `--no-token` out");
        refused(&[], Word::New, &json!({ "bind": bind }), "has to be said on the command line");
        assert!(decide(&words, Word::New, &json!({}), &json!({})).is_ok(), "{bind}");
    }
    let open = json!({ "bind": "0.0.0.0" });
    let error = decide(&[], Word::New, &json!({}), &open).unwrap_err();
    assert!(error.contains("has to be said on the command line"), "{error}");
}

#[test]
fn what_cannot_be_read_is_said() {
    let refused = |words: &[&str], options: &Value, want: &str| {
        let error = decide(words, Word::Nothing, options, &json!({})).unwrap_err();
        assert!(error.contains(want), "{words:?}: {error}");
    };
    refused(
        &["--token-file=/proc/self/nonexistent"],
        &json!({}),
        "cannot read a token from /proc/self/nonexistent",
    );
    refused(&["--bind", "example.org"], &json!({}), "this is no address");
    refused(&[], &json!({ "bind": "example.org" }), "`example.org`: this is no address");
    refused(&["--allow-host", "a:80"], &json!({}), "no name of a host");
    refused(&["--port", "99999"], &json!({}), "99999 is not in 0..=65535");
    refused(&[], &json!({ "prot": 1 }), "serve-x.options` cannot be used: unknown field `prot`");
    refused(&[], &json!({ "port": 65_536 }), "invalid value");
    let short = decide(&[], Word::Text("short".to_owned()), &json!({}), &json!({})).unwrap_err();
    assert!(short.contains("`--token`: a token has 16 to 512 characters"), "{short}");
}
