//! Pins and policies: what `jp plugin` writes, and that updates heed it.

use jp_plugin_registry::Sha256;

use super::shop::{Shop, official, other};

/// 072-319, 072-320
#[test]
fn an_update_never_passes_a_pin() {
    let shop = Shop::new();
    shop.offer("a", &official("a", &[]));
    shop.offer("b", &official("b", &[]));
    shop.jp(["plugin", "update"]).run().success();
    shop.jp(["plugin", "install", "a", "b"]).run().success();
    let output = shop.jp(["plugin", "pin", "a"]).run().success();
    let sum = Sha256::of(&b"#!/bin/sh\necho a\n"[..]).unwrap().to_string();
    assert!(output.stderr().contains(&sum), "{output}");
    let text = shop.env.read(shop.settings());
    assert!(text.starts_with("# Mine.\n") && text.contains(&sum), "{text}");
    let output = shop.jp(["config", "show", "plugins.command.a"]).run().success();
    assert!(output.stdout().contains("algorithm = \"sha256\""), "{output}");
    for id in ["a", "b"] {
        shop.offer_bytes(id, &official(id, &[]), b"#!/bin/sh\necho new\n");
    }
    let output = shop.jp(["plugin", "update"]).run().success();
    assert!(output.stderr().contains("`a` is left as it is: it is pinned to"), "{output}");
    assert!(output.stderr().contains("Updated `b`."), "{output}");
    assert_eq!(shop.env.read(shop.dir().join("jp-a")), "#!/bin/sh\necho a\n");
    assert_eq!(shop.env.read(shop.dir().join("jp-b")), "#!/bin/sh\necho new\n");
    for words in [["plugin", "update", "a"], ["plugin", "install", "a"]] {
        let output = shop.jp(words).run().code(4);
        let new = Sha256::of(&b"#!/bin/sh\necho new\n"[..]).unwrap().to_string();
        for part in [sum.as_str(), &new, "plugins.command.a.checksum"] {
            assert!(output.stderr().contains(part), "{part}: {output}");
        }
    }
    let new = Sha256::of(&b"#!/bin/sh\necho new\n"[..]).unwrap().to_string();
    shop.jp(["plugin", "pin", "a", "--sha256", &new]).run().success();
    shop.jp(["plugin", "update", "a"]).run().success();
    assert_eq!(shop.env.read(shop.dir().join("jp-a")), "#!/bin/sh\necho new\n");
    let output = shop.jp(["plugin", "update", "--format", "json"]).run().success();
    assert_eq!(output.stdout().lines().count(), 2, "{output}");
    assert!(output.stdout().contains(r#""state":"current""#), "{output}");
}

#[test]
fn updates_of_others_are_asked_about_and_do_not_stop_the_rest() {
    let shop = Shop::new();
    shop.offer("mine", &official("mine", &[]));
    shop.offer("theirs", &other("theirs", &[]));
    shop.jp(["plugin", "update"]).run().success();
    shop.jp(["plugin", "install", "mine", "theirs", "--yes"]).run().success();
    shop.offer_bytes("mine", &official("mine", &[]), b"new");
    shop.offer_bytes("theirs", &other("theirs", &[]), b"new");
    shop.jp(["plugin", "update", "--no-interaction"]).run().code(3);
    assert_eq!(shop.env.read(shop.dir().join("jp-mine")), "new");
    assert_ne!(shop.env.read(shop.dir().join("jp-theirs")), "new");
    shop.jp(["plugin", "update", "theirs", "--yes"]).run().success();
    assert_eq!(shop.env.read(shop.dir().join("jp-theirs")), "new");
    shop.jp(["plugin", "update", "nothing"]).run().code(2);
}

#[test]
fn a_policy_is_written_to_the_users_settings() {
    let shop = Shop::new();
    for policy in ["ask", "unattended", "deny"] {
        let output = shop.jp(["plugin", "run-policy", "stats", policy]).run().success();
        assert!(output.stderr().contains(policy), "{output}");
        let output = shop.jp(["config", "show", "plugins.command.stats.run"]).run().success();
        assert!(output.stdout().contains(policy), "{output}");
    }
    let text = shop.env.read(shop.settings());
    assert!(text.starts_with("# Mine.\n"), "{text}");
    shop.jp(["plugin", "run-policy", "stats", "maybe"]).run().code(2);
    shop.jp(["plugin", "run-policy", "../stats", "deny"]).run().code(2);
    // A command stands for the file that would be run for it; that there is none yet is said.
    let output = shop.jp(["plugin", "run-policy", "serve http-api", "deny"]).run().success();
    let warning = "warning: no plugin has the command or the id `serve http-api`; this is for one with \
        the id `serve-http_api`, should it come\n";
    assert!(output.stderr().starts_with(warning), "{output}");
    let output = shop.jp(["config", "show", "plugins.command"]).run().success();
    assert!(output.stdout().contains("serve-http_api"), "{output}");
}

#[test]
fn settings_are_made_where_there_are_none() {
    let env = jp_test::env!();
    env.jp(["plugin", "run-policy", "stats", "deny"]).run().success();
    let text = env.read(env.config_home().join("jp/config.toml"));
    assert!(text.contains("run = \"deny\""), "{text}");
    // Nothing is installed or found that could be pinned.
    env.jp(["plugin", "pin", "stats"]).run().code(2);
}

#[test]
fn what_the_search_path_has_can_be_pinned() {
    let env = jp_test::env!();
    env.write("bin/jp-stats", "#!/bin/sh\n");
    let script = "chmod +x bin/jp-stats";
    env.command("/bin/sh", ["-c", script]).run().success();
    let path = format!("{}:/usr/bin:/bin", env.path("bin"));
    env.jp(["plugin", "pin", "stats"]).env("PATH", path).run().success();
    let sum = Sha256::of(&b"#!/bin/sh\n"[..]).unwrap().to_string();
    assert!(env.read(env.config_home().join("jp/config.toml")).contains(&sum));
}

/// What a plugin says its command is need not be what its file is called.
#[test]
fn a_command_means_the_plugin_that_claims_it() {
    let env = jp_test::env!();
    let describe = r#"{"type":"describe","name":"x","version":"1","description":"d","command":["hello","world"]}"#;
    let text = format!("#!/bin/sh\nread -r line\necho '{describe}'\n");
    env.write("bin/jp-x", &text);
    env.command("/bin/sh", ["-c", "chmod +x bin/jp-x"]).run().success();
    let path = format!("{}:/usr/bin:/bin", env.path("bin"));
    let jp = |words: &[&str]| env.jp(words.iter().copied()).env("PATH", &path).run();
    let settings = || env.read(env.config_home().join("jp/config.toml"));
    for name in ["hello world", "x"] {
        let output = jp(&["plugin", "run-policy", name, "ask"]).success();
        assert!(output.stderr().starts_with("`plugins.command.x.run` is `ask`"), "{output}");
    }
    let output = jp(&["plugin", "pin", "hello world"]).success();
    assert!(output.stderr().starts_with("`x` is pinned"), "{output}");
    assert!(settings().contains(&Sha256::of(text.as_bytes()).unwrap().to_string()));
    let output = jp(&["plugin", "pin", "hello world", "--remove"]).success();
    assert!(output.stderr().starts_with("`x` is pinned no more"), "{output}");
    let output = jp(&["plugin", "info", "hello world"]).success();
    assert!(output.stdout().starts_with("id           x\n"), "{output}");
    let output = jp(&["plugin", "remove", "hello world"]).code(2);
    assert!(output.stderr().contains("the plugin `x` is not installed"), "{output}");
    let output = jp(&["plugin", "run-policy", "--format", "json", "hello", "deny"]).success();
    assert!(output.stdout().contains(r#""known":false"#), "{output}");
    assert!(!settings().contains("hello.run"), "{}", settings());
}

/// Anything in the search path can say that its command is what another is called.
#[test]
fn an_id_is_not_lost_to_a_command() {
    let env = jp_test::env!();
    let describe = |name: &str, command: &str| {
        let said = format!(
            r#"{{"type":"describe","name":"x","version":"1","description":"d","command":["{command}"]}}"#
        );
        env.write(name, format!("#!/bin/sh\nread -r line\necho '{said}'\n"));
        env.command("/bin/chmod", ["+x", name]).run().success();
        Sha256::of(env.read(name).as_bytes()).unwrap().to_string()
    };
    let mine = describe("jp-serve-web", "web");
    let stranger = describe("bin/jp-evil", "serve-web");
    let path = format!("{}:/usr/bin:/bin", env.path("bin"));
    let jp = |words: &[&str]| env.jp(words.iter().copied()).env("PATH", &path).run();
    let settings = || env.read(env.config_home().join("jp/config.toml"));
    jp(&["plugin", "install", "./jp-serve-web", "--sha256", &mine]).success();
    let note = "`serve-web` is this id; `jp serve-web` runs `evil`\n";
    for policy in ["ask", "deny", "unattended"] {
        let output = jp(&["plugin", "run-policy", "serve-web", policy]).success();
        assert!(output.stderr().starts_with(note), "{output}");
        assert!(output.stderr().contains("`plugins.command.serve-web.run`"), "{output}");
    }
    let output = jp(&["plugin", "pin", "serve-web"]).success();
    assert!(output.stderr().contains("`serve-web` is pinned"), "{output}");
    assert!(settings().contains(&mine) && !settings().contains(&stranger), "{}", settings());
    assert!(!settings().contains("evil"), "{}", settings());
    let output = jp(&["plugin", "info", "serve-web"]).success();
    assert!(output.stdout().starts_with("id           serve-web\n"), "{output}");
    jp(&["plugin", "pin", "serve-web", "--remove"]).success();
    let output = jp(&["plugin", "remove", "serve-web"]).success();
    assert!(output.stderr().contains("Removed `serve-web`."), "{output}");
    // Now only the settings know it, and what was said about it is not said about another.
    let output = jp(&["plugin", "run-policy", "serve-web", "unattended"]).code(2);
    let both = "`serve-web` is the id of one plugin, and the command of another, `evil`";
    assert!(output.stderr().contains(both), "{output}");
    // Two of the search path have the same right to a name.
    describe("bin/jp-a", "b");
    describe("bin/jp-b", "c");
    for words in [&["plugin", "run-policy", "b", "unattended"][..], &["plugin", "pin", "b"]] {
        let output = jp(words).code(2);
        assert!(output.stderr().contains("command of another, `a`"), "{output}");
    }
    for (name, id) in [("a", "a"), ("c", "b"), ("evil", "evil")] {
        let output = jp(&["plugin", "run-policy", name, "deny"]).success();
        assert!(output.stderr().starts_with(&format!("`plugins.command.{id}.run`")), "{output}");
    }
}

/// The registry may have a plugin no more, and another with the command that was its id.
#[test]
fn what_is_installed_keeps_its_id() {
    let shop = Shop::new();
    shop.offer("web", &official("web", &[]));
    shop.jp(["plugin", "update"]).run().success();
    shop.jp(["plugin", "install", "web"]).run().success();
    shop.offer("web", &official("other", &[]));
    shop.jp(["plugin", "update"]).run().success();
    shop.jp(["plugin", "install", "other"]).run().success();
    shop.offer_bytes("web", &official("other", &[]), b"#!/bin/sh\necho new\n");
    let output = shop.jp(["plugin", "update", "web"]).run().success();
    let left = "`web` is left as it is: the registry does not have it any more";
    assert!(output.stderr().contains(left), "{output}");
    assert_eq!(shop.env.read(shop.dir().join("jp-other")), "#!/bin/sh\necho other\n");
    let output = shop.jp(["plugin", "info", "web"]).run().success();
    assert!(output.stdout().starts_with("id           web\n"), "{output}");
    assert!(!output.stdout().contains("Does other"), "{output}");
    let output = shop.jp(["plugin", "remove", "web"]).run().success();
    assert!(output.stderr().contains("Removed `web`."), "{output}");
    // Nobody else has the name now.
    let output = shop.jp(["plugin", "update", "web"]).run().success();
    assert!(output.stderr().contains("Updated `other`."), "{output}");
}

/// With a group there is nothing to be done, so its id is the name of nothing else.
#[test]
fn the_id_of_a_group_takes_the_place_of_no_command() {
    let shop = Shop::new();
    let group = serde_json::json!({ "id": "serve", "kind": "command_group", "description": "d" });
    shop.offer("parts", &group);
    shop.offer("serve", &official("server", &[]));
    shop.jp(["plugin", "update"]).run().success();
    shop.jp(["plugin", "install", "serve"]).run().success();
    assert_eq!(shop.files(), ["installed.json", "jp-server"]);
}

#[test]
fn a_pin_that_was_taken_away_is_gone() {
    let shop = Shop::new();
    let sum = "ab".repeat(32);
    // With something else said about the plugin, so that it is known either way.
    shop.jp(["plugin", "run-policy", "stats", "ask"]).run().success();
    shop.jp(["plugin", "pin", "stats", "--sha256", &sum]).run().success();
    let output = shop.jp(["plugin", "pin", "stats", "--remove"]).run().success();
    assert!(output.stderr().contains("is pinned no more"), "{output}");
    assert!(!output.stderr().contains("still pins it"), "{output}");
    let output = shop.jp(["plugin", "pin", "stats", "--remove", "--format", "json"]).run();
    assert!(output.success().stdout().contains(r#""still":null"#));
    // A workspace may pin it as well, and that counts.
    shop.env.jp(["init"]).run().success();
    let checksum = format!("checksum = {{ algorithm = \"sha256\", value = \"{sum}\" }}");
    shop.env.write(".jp.toml", format!("[plugins.command.stats]\n{checksum}\n"));
    let output = shop.jp(["plugin", "pin", "stats", "--remove"]).run().success();
    assert!(output.stderr().contains(".jp.toml"), "{output}");
    assert!(output.stderr().contains("still pins it"), "{output}");
}
