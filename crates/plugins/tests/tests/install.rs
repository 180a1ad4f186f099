//! From the registry to the home of a user.

use crate::shop::{User, listed, registry};

/// What is there says what it is and where it came from.
#[test]
fn everything_is_found_and_known() {
    let user = User::new();
    let found = user.jp("plugin search --format json").run().success();
    for plugin in listed() {
        assert!(found.stdout().contains(&plugin.description), "{}: {found}", plugin.command);
        let info = user.jp(&format!("plugin info {}", plugin.id)).run().success();
        assert!(info.stdout().contains("file://"), "{info}");
    }
    assert_eq!(user.installed(), [""; 0], "looking installs nothing");
}

/// What strangers are asked to keep to, our own do.
#[test]
fn everything_keeps_to_the_protocol() {
    for plugin in listed() {
        let user = User::with(&plugin);
        let file = user.env.data_home().join(format!("jp/plugins/command/jp-{}", plugin.id));
        let output = user.jp(&format!("plugin check -- {file}")).run();
        assert_eq!(output.exit_code(), Some(0), "{output}");
        assert!(output.stdout().contains("0 warnings, 0 failed"), "{output}");
    }
}

/// 072-273: without a plugin there is no such command.
#[test]
fn serve_is_no_command_of_jp_itself() {
    let env = jp_test::TestEnv::new(jp_test::find_bin("jp"));
    env.write(".jp/config.toml", "");
    let help = env.jp(["-h"]).run().success();
    let is_serve = |line: &str| line.trim_start().starts_with("serve ");
    assert!(!help.stdout().lines().any(is_serve), "{help}");
    let output = env.jp(["serve", "web"]).run().code(2);
    assert!(output.stderr().contains("serve"), "{output}");
}

/// The members of a group are shown before anybody has installed one.
#[test]
fn a_group_shows_its_members() {
    let user = User::new();
    let help = user.jp("serve -h").run().success();
    for word in ["web", "http-api"] {
        assert!(help.stdout().contains(word), "{help}");
    }
    assert_eq!(user.installed(), [""; 0]);
}

/// The first use of a command installs its plugin: it is one of ours.
#[test]
fn a_command_that_is_used_installs_its_plugin() {
    let user = User::new();
    let output = user.jp("serve http-api --openapi").run().success();
    assert!(output.stdout().contains("\"openapi\""), "{output}");
    assert!(user.installed().contains(&"jp-serve-http-api".to_owned()));
    user.jp("plugin remove serve-http-api").run().success();
    assert!(!user.installed().contains(&"jp-serve-http-api".to_owned()));
}

/// A registry of files is not one to publish.
#[test]
fn the_registry_stays_on_this_machine() {
    let user = User::new();
    let words = |more: &str| format!("plugin registry check {}{more}", registry());
    let output = user.jp(&words("")).run().code(1);
    assert!(output.stdout().contains("only works for a registry that is one"), "{output}");
    user.jp(&words(" --local")).run().success();
}
