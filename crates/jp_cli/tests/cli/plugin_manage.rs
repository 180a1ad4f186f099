//! `jp plugin`: the registry, installing, and the settings that decide about it.
//!
//! The danger is a file that gets to be executed and should not, so most of these tests look at what lies in
//! the directory of plugins afterwards, and at what was fetched at all.

mod given;
mod on_demand;
mod settings;
mod shop;
mod trust;

use jp_test::Answer;
use serde_json::Value;

use self::shop::{Shop, official, other};

/// 072-021, 072-022, 072-292, 072-294, 072-299, 072-300, 072-301, 072-302, 072-304, 072-307
#[test]
fn what_is_required_is_installed_with_a_plugin() {
    let shop = Shop::new();
    shop.offer(
        "serve",
        &serde_json::json!({
            "id": "serve", "kind": "command_group", "description": "Server parts",
            "suggests": ["serve api"],
        }),
    );
    shop.offer("serve web", &official("serve-web", &["serve", "base"]));
    shop.offer("serve api", &official("serve-api", &[]));
    shop.offer("base", &official("base", &[]));
    let output = shop.jp(["plugin", "update"]).run().success();
    assert!(output.stderr().contains("Fetched the registry: 4 commands."), "{output}");
    let cache = shop.env.data_home().join("jp/registry.json");
    assert_eq!(shop.env.read(cache), shop.registry_text());
    let output = shop.jp(["plugin", "install", "serve web"]).run().success();
    assert_eq!(shop.files(), ["installed.json", "jp-base", "jp-serve-web"], "{output}");
    assert_eq!(shop.requests(), ["/plugins.json", "/jp-base", "/jp-serve-web"]);
    let file = shop.dir().join("jp-serve-web");
    assert_eq!(shop.env.read(&file), "#!/bin/sh\necho serve-web\n");
    assert_eq!(shop.mode(&file), 0o755);
    let record: Value =
        serde_json::from_str(&shop.env.read(shop.dir().join("installed.json"))).unwrap();
    let record = &record["plugins"]["serve-web"];
    assert_eq!(record["command"], serde_json::json!(["serve", "web"]));
    assert_eq!(record["official"], true);
    assert_eq!(record["origin"], "registry");
    // Again there is nothing to do.
    let output = shop.jp(["plugin", "install", "serve-web"]).run().success();
    assert!(output.stderr().contains("is installed already"), "{output}");
    let output = shop.jp(["plugin", "install", "serve"]).run().success();
    assert!(output.stderr().contains("there is nothing to install"), "{output}");
    assert_eq!(shop.requests().len(), 3);
    // Without a record it would never be updated, so it is installed once more.
    let record = shop.env.read(shop.dir().join("installed.json"));
    shop.env.write(shop.dir().join("installed.json"), "{}");
    let output = shop.jp(["plugin", "install", "serve-web"]).run().success();
    assert!(output.stderr().contains("Installed `jp serve web`"), "{output}");
    assert_eq!(shop.requests().len(), 4);
    assert!(shop.env.read(shop.dir().join("installed.json")).contains("\"serve-web\""));
    shop.env.write(shop.dir().join("installed.json"), record);
    // What others need stays.
    let output = shop.jp(["plugin", "remove", "base"]).run().code(1);
    assert!(output.stderr().contains("required by `serve-web`"), "{output}");
    shop.jp(["plugin", "remove", "base", "serve web"]).run().success();
    assert_eq!(shop.files(), ["installed.json"]);
    shop.jp(["plugin", "remove", "base"]).run().code(2);
}

/// 072-303
#[test]
fn the_registry_that_is_there_survives_a_failure() {
    let shop = Shop::new();
    shop.offer("a", &official("a", &[]));
    let output = shop.jp(["plugin", "search"]).run().code(1);
    assert!(output.stderr().contains("`jp plugin update` fetches it"), "{output}");
    // Before there is one, none is still in use.
    shop.answer("/plugins.json", Answer::Status(500));
    let output = shop.jp(["plugin", "update"]).run().code(1);
    assert!(output.stderr().contains("`plugins.registry` says where"), "{output}");
    assert!(!output.stderr().contains("still in use"), "{output}");
    shop.offer("a", &official("a", &[]));
    shop.jp(["plugin", "update"]).run().success();
    for broken in [
        Answer::Status(500),
        Answer::File(b"<html>".to_vec()),
        Answer::Half(shop.registry_text().into()),
        Answer::Redirect("http://localhost:1/plugins.json".to_owned()),
    ] {
        shop.answer("/plugins.json", broken);
        let output = shop.jp(["plugin", "update"]).run().code(1);
        assert!(output.stderr().contains("is still in use"), "{output}");
        let output = shop.jp(["plugin", "search", "--format", "json"]).run().success();
        assert!(output.stdout().contains(r#""id":"a""#), "{output}");
    }
}

/// 072-278
#[test]
fn the_registry_comes_over_https_or_from_a_file() {
    let shop = Shop::new();
    for url in ["http://localhost/plugins.json", "ftp://x/y", "/etc/passwd"] {
        let cfg = format!("plugins.registry={url}");
        shop.jp(["plugin", "update", "--cfg", &cfg]).run().code(2);
    }
    // 072-277
    shop.offer("a", &official("a", &[]));
    shop.env.write("of a file.json", shop.registry_text());
    let cfg = format!("plugins.registry=file://{}/of%20a%20file.json", shop.env.project());
    shop.jp(["plugin", "update", "--cfg", &cfg]).run().success();
    assert_eq!(shop.requests(), [""; 0]);
    shop.jp(["plugin", "info", "a"]).run().success();
}

/// 072-305
#[test]
fn a_bad_download_installs_nothing() {
    let shop = Shop::new();
    shop.offer("a", &official("a", &[]));
    shop.offer("b", &official("b", &["a"]));
    shop.jp(["plugin", "update"]).run().success();
    shop.jp(["plugin", "install", "a"]).run().success();
    shop.jp(["plugin", "remove", "a"]).run().success();
    let good = Answer::File(b"#!/bin/sh\necho b\n".to_vec());
    for bad in [
        Answer::File(b"something else".to_vec()),
        Answer::Half(vec![b'x'; 10_000]),
        Answer::Redirect("http://localhost:1/jp-b".to_owned()),
        Answer::Status(404),
    ] {
        shop.answer("/jp-b", bad);
        let output = shop.jp(["plugin", "install", "b"]).run().code(1);
        assert!(output.stderr().contains("`b` was not installed"), "{output}");
        assert_eq!(shop.files(), ["installed.json"]);
    }
    shop.answer("/jp-b", good);
    shop.jp(["plugin", "install", "b"]).run().success();
    assert_eq!(shop.files(), ["installed.json", "jp-a", "jp-b"]);
    // An update that goes wrong leaves what is there.
    shop.offer_bytes("b", &official("b", &["a"]), b"new");
    shop.answer("/jp-b", Answer::File(b"neither".to_vec()));
    let output = shop.jp(["plugin", "update"]).run().code(1);
    assert!(output.stderr().contains("expected sha256"), "{output}");
    assert_eq!(shop.env.read(shop.dir().join("jp-b")), "#!/bin/sh\necho b\n");
}

/// 072-282, 072-298
#[test]
fn entries_that_cannot_be_used_are_named() {
    let shop = Shop::new();
    shop.offer("up", &official("../up", &[]));
    shop.offer("a", &official("a", &["b"]));
    shop.offer("b", &official("b", &["a"]));
    shop.offer("far", &serde_json::json!({ "id": "far", "official": true }));
    shop.jp(["plugin", "update"]).run().success();
    for (name, reason) in [
        ("up", "cannot be the id of a plugin"),
        ("a", "in a circle: `a` → `b` → `a`"),
        // 072-291
        ("far", "the registry has no binary of `far` for "),
        ("ab", "the registry has no plugin `ab`"),
        ("../up", "there is no file `../up`"),
    ] {
        let output = shop.jp(["plugin", "install", "--", name]).run();
        assert!(output.stderr().contains(reason) && output.exit_code() != Some(0), "{output}");
    }
    assert_eq!(shop.requests(), ["/plugins.json"]);
}

/// 072-306
#[test]
fn whoever_is_killed_leaves_nothing_behind_that_could_run() {
    let shop = Shop::new();
    shop.offer("a", &official("a", &[]));
    shop.jp(["plugin", "update"]).run().success();
    shop.answer("/jp-a", Answer::Stuck(vec![b'x'; 100_000]));
    let running = shop.jp(["plugin", "install", "a"]).spawn();
    let unfinished = || shop.files().iter().filter(|it| it.starts_with(".unfinished-")).count();
    shop::wait_until(|| unfinished() == 1);
    running.signal(jp_test::Signal::KILL);
    assert_eq!(running.wait().exit_code(), None);
    assert_eq!(shop.files().len(), 1, "{:?}", shop.files());
    shop.answer("/jp-a", Answer::File(b"#!/bin/sh\necho a\n".to_vec()));
    shop.jp(["plugin", "install", "a"]).run().success();
    assert_eq!(shop.files(), ["installed.json", "jp-a"]);
}

/// 072-287, 072-288
#[test]
fn plugins_are_searched_and_looked_at() {
    let shop = Shop::new();
    shop.offer("serve web", &official("serve-web", &[]));
    shop.offer("stats", &other("stats", &["serve web"]));
    shop.jp(["plugin", "update"]).run().success();
    shop.jp(["plugin", "install", "serve-web"]).run().success();
    let output = shop.jp(["plugin", "search"]).run().success();
    insta::assert_snapshot!(output.stdout(), @"
    COMMAND    ID         STATE          PUBLISHER  DESCRIPTION
    serve web  serve-web  installed      official   Does serve-web
    stats      stats      not installed  other      Does stats
    ");
    let output = shop.jp(["plugin", "search", "STATS", "--format", "json"]).run().success();
    insta::assert_snapshot!(output.stdout(), @r#"{"command":["stats"],"id":"stats","state":"not installed","official":false,"description":"Does stats"}"#);
    let output = shop.jp(["plugin", "search", "nothing"]).run().success();
    assert_eq!(output.stdout(), "");
    let output = shop.jp(["plugin", "info", "stats"]).run().success();
    for part in ["jp stats", "not official", "serve web", "sha256", "installed    no"] {
        assert!(output.stdout().contains(part), "{part}: {output}");
    }
    let output = shop.jp(["plugin", "info", "serve", "web", "--format", "json"]).run().success();
    let object: Value = serde_json::from_str(output.stdout()).unwrap();
    assert_eq!(object["installed"]["sha256"], object["sha256"]);
    assert_eq!(object["plugin"]["run"], "unattended");
    assert_eq!(object["registry"]["official"], true);
    shop.jp(["plugin", "info", "nothing"]).run().code(2);
}

/// 072-020: outside of a workspace everything works, and none is made.
#[test]
fn no_workspace_is_no_hindrance() {
    let shop = Shop::new();
    assert!(!shop.env.path(".jp").exists());
    shop.env.jp(["conversation", "ls"]).run().code(2);
    everything_works(&shop);
    assert!(!shop.env.path(".jp").exists());
}

/// 072-023
#[test]
fn a_broken_workspace_is_no_hindrance() {
    let shop = Shop::new();
    shop.env.write(".jp/config.toml", "");
    shop.env.write(".jp/conversations", "not a directory");
    shop.env.write(".jp/id", "\0");
    everything_works(&shop);
}

fn everything_works(shop: &Shop) {
    shop.offer("a", &official("a", &[]));
    let listed = |shop: &Shop| shop.jp(["plugin", "list"]).run().success().stdout().to_owned();
    assert_eq!(listed(shop), "");
    shop.jp(["plugin", "update"]).run().success();
    shop.jp(["plugin", "install", "a"]).run().success();
    let list = listed(shop);
    let row = list.lines().nth(1).unwrap_or_default();
    let row: Vec<&str> = row.split_whitespace().take(4).collect();
    assert_eq!(row, ["a", "-", "installed", "unattended"], "{list}");
    shop.jp(["plugin", "search"]).run().success();
    shop.jp(["plugin", "info", "a"]).run().success();
    shop.jp(["plugin", "pin", "a"]).run().success();
    shop.jp(["plugin", "run-policy", "a", "ask"]).run().success();
    shop.jp(["plugin", "remove", "a"]).run().success();
    assert_eq!(listed(shop), "");
}

#[test]
fn a_pipe_in_the_place_of_a_file_holds_nobody_up() {
    let shop = Shop::new();
    shop.offer("a", &official("a", &[]));
    shop.jp(["plugin", "update"]).run().success();
    shop.jp(["plugin", "install", "a"]).run().success();
    let data = shop.env.data_home().join("jp");
    let below =
        ["installed.json", "jp-a", ".lock"].map(|file| data.join("plugins/command").join(file));
    for file in below.into_iter().chain([data.join("registry.json")]) {
        let (name, kept) = (file.as_str(), format!("{file}.kept"));
        let swap = "mv \"$1\" \"$2\" && mkfifo \"$1\"";
        shop.env.command("/bin/sh", ["-c", swap, "sh", name, &kept]).run().success();
        // None of them waits; whether they can do without it is another question.
        for output in [
            shop.jp(["-h"]).run(),
            shop.jp(["plugin", "list"]).run(),
            shop.jp(["plugin", "info", "a"]).run(),
            shop.jp(["plugin", "install", "a"]).run(),
        ] {
            assert!(output.exit_code().is_some(), "{file}: {output}");
        }
        shop.env.command("/bin/mv", [&kept, name]).run().success();
    }
}

#[test]
fn an_author_is_told_what_is_wrong() {
    let shop = Shop::new();
    shop.offer("fine", &official("fine", &[]));
    shop.env.write("good.json", shop.registry_text());
    let output = shop.jp(["plugin", "registry", "check", "good.json"]).run().success();
    assert_eq!(output.stderr(), "good.json is fine.\n");
    shop.offer("config show", &official("Bad", &[]));
    shop.offer("tool run", &official("tool-run", &["fine", "missing"]));
    shop.env.write("bad.json", shop.registry_text().replace("https://", "http://"));
    let output = shop.jp(["plugin", "registry", "check", "bad.json"]).run().code(1);
    for part in ["`Bad`", "command of jp itself", "`missing`", "neither an https"] {
        assert!(output.stdout().contains(part), "{part}: {output}");
    }
    let output =
        shop.jp(["plugin", "registry", "check", "bad.json", "--format", "json"]).run().code(1);
    assert!(output.stdout().lines().all(|it| serde_json::from_str::<Value>(it).is_ok()));
    shop.env.write("none.json", "{}");
    shop.jp(["plugin", "registry", "check", "none.json"]).run().code(1);
    shop.jp(["plugin", "registry", "check", "absent.json"]).run().code(2);
}

/// 072-003: no plugin can be reached by a command of jp, and whoever installs one is told so.
#[test]
fn a_plugin_that_jp_shadows_is_told_when_it_is_installed() {
    let shop = Shop::new();
    shop.offer("plugin", &official("plugin", &[]));
    shop.offer("conversation export", &official("export", &[]));
    shop.jp(["plugin", "update"]).run().success();
    let output = shop.jp(["plugin", "install", "plugin"]).run().success();
    assert!(output.stderr().contains("never reached: `jp plugin` is a command of jp"), "{output}");
    let output = shop.jp(["plugin", "install", "export"]).run().success();
    assert!(!output.stderr().contains("never reached"), "{output}");
}

/// 072-023: what has nothing to do with a workspace does not read its settings.
#[test]
fn a_mistake_in_a_workspace_is_not_in_the_way() {
    let env = jp_test::env!();
    env.write(".jp/config.toml", "no such key = ");
    env.write("registry.json", r#"{"version": 1, "plugins": {}}"#);
    env.jp(["config", "show"]).run().code(2);
    env.jp(["plugin", "registry", "check", "registry.json"]).run().success();
    env.jp(["plugin", "new", "hello", "--lang", "shell"]).run().success();
    assert!(env.path("jp-hello").exists());
    // The user's own settings count, and so does what is said on the command line.
    env.jp(["--cfg", "no_such_key=1", "plugin", "new", "other", "--lang", "shell"]).run().code(2);
    env.write(env.config_home().join("jp/config.toml"), "no_such_key = 1\n");
    env.jp(["plugin", "new", "other", "--lang", "shell"]).run().code(2);
    assert!(!env.path("jp-other").exists());
}

#[test]
fn a_registry_is_checked_for_commands_that_nobody_could_reach() {
    let env = jp_test::env!();
    let entry = |command: &str, id: &str| {
        format!(r#""{command}": {{"id": "{id}", "kind": "command_group", "description": "d"}}"#)
    };
    let commands =
        ["init", "init x", "c export", "help", "conversation list", "conversation export"];
    let entries: Vec<String> =
        commands.iter().enumerate().map(|(at, it)| entry(it, &format!("id{at}"))).collect();
    env.write("reg.json", format!(r#"{{"version": 1, "plugins": {{ {} }} }}"#, entries.join(", ")));
    let output = env.jp(["plugin", "registry", "check", "reg.json"]).run().code(1);
    for command in commands {
        let told = output.stdout().contains(&format!("{command:?}: it is a command of jp itself"));
        assert_eq!(told, command != "conversation export", "{command}: {output}");
    }
}
