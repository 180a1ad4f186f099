//! Plugins in help.

use super::{bin, installed, jp, on_path, plugin, program, registry, workspace};

#[test]
fn plugins_are_listed_after_the_commands() {
    let env = workspace();
    on_path(&env, "jp-odd", r#","command":["conversation","export"]"#);
    plugin(&env, &installed(&env).join("jp-greet"), "", "");
    // 072-108, 072-114 to 072-117
    for line in ["-h", "--help", "help"] {
        let output = jp(&env, line).run().success();
        let commands = output.stdout().find("\nCommands:").unwrap();
        let plugins = output.stdout().find("\nPlugins:").unwrap();
        let options = output.stdout().find("\nOptions:").unwrap();
        assert!(commands < plugins && plugins < options, "{output}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(output.stdout()[plugins..options].trim(), @"
            Plugins:
              conversation export  About odd
              greet                About greet
            ");
        }
    }
    // 072-118
    let output = jp(&env, "conversation -h").run().success();
    assert!(output.stdout().contains("Plugins:\n  export  About odd\n"), "{output}");
    let output = jp(&env, "conversation").run().code(2);
    assert!(output.stderr().contains("  export  About odd\n"), "{output}");
    assert!(!jp(&env, "conversation ls -h").run().success().stdout().contains("Plugins:"));
    // Without any there is no section.
    assert!(!env.jp(["tool", "-h"]).run().success().stdout().contains("Plugins:"));
}

/// A version that was put beside another, or a link.
#[test]
fn the_name_of_the_program_does_not_matter() {
    let env = workspace();
    on_path(&env, "jp-greet", "");
    let other = env.path("jp-next");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_jp"), &other).unwrap();
    let expected = jp(&env, "-h").run().success();
    assert!(expected.stdout().contains("About greet"), "{expected}");
    let search = format!("{}:/usr/bin:/bin", bin(&env));
    let output = env.command(other, ["-h"]).env("PATH", search).run().success();
    assert_eq!(output.stdout(), expected.stdout());
}

#[test]
fn a_plugin_gives_its_own_help() {
    let env = workspace();
    on_path(&env, "jp-greet", r#","help":"Help of greet\n\nUsage: jp greet\n""#);
    // 072-109, 072-110: it is not allowed to run, and nobody is asked.
    for line in
        ["greet -h", "greet --help", "help greet", "greet -h x", "--no-interaction greet -h"]
    {
        let output = jp(&env, line).run().success();
        assert_eq!(output.stdout(), "Help of greet\n\nUsage: jp greet\n", "{line}");
    }
    // 072-111
    on_path(&env, "jp-short", "");
    assert_eq!(jp(&env, "short -h").run().success().stdout(), "About short\n");
}

#[test]
fn a_plugin_that_cannot_be_asked_for_its_help_is_a_failure() {
    let env = workspace();
    program(&env, &bin(&env).join("jp-dos"), "#!/bin/sh\r\nexit 0\r\n");
    for line in ["dos -h", "help dos"] {
        let output = jp(&env, line).run().code(1);
        assert_eq!(output.stdout(), "");
        // The name that is not there is shown as it is.
        for part in ["`jp dos` has no help: it cannot be started", r"/bin/sh\r"] {
            assert!(output.stderr().contains(part), "{part}: {output}");
        }
    }
    assert!(jp(&env, "plugin list").run().success().stdout().contains(r"/bin/sh\r"));
}

#[test]
fn text_of_plugins_cannot_act_on_the_terminal() {
    let env = workspace();
    // 072-251
    let fields = r#","help":"a\u001b[2Jb\u001b]0;x\u0007c\n","command":["x"]"#;
    plugin(&env, &bin(&env).join("jp-evil"), fields, "");
    // Not every shell's `echo` leaves what it is given as it is.
    let text = r#"#!/bin/bash
echo '{"type":"describe","name":"f","version":"\u001b[2J","description":"one\u001b[2J\n  init  fake\u001b]0;x\u0007"}'
"#;
    program(&env, &bin(&env).join("jp-forged"), text);
    assert_eq!(jp(&env, "x -h").run().success().stdout(), "abc\n");
    for line in ["-h", "plugin list", "__complete-plugins", "forged -h"] {
        let output = jp(&env, line).run().success();
        assert!(!output.stdout().contains(['\u{1b}', '\u{7}']), "{output}");
        let forged = output.stdout().lines().any(|line| line == "  init  fake");
        assert!(!forged || line == "forged -h", "{output}");
    }
}

const SERVE: &str = r#"
    "serve": {"id": "serve", "kind": "command_group", "description": "JP server components",
              "official": true, "suggests": ["serve web", "serve http-api"]},
    "serve web": {"id": "serve-web", "description": "Read-only web UI", "official": true},
    "serve http-api": {"id": "serve-http-api", "description": "HTTP API for conversations"}"#;

#[test]
fn groups_of_the_registry() {
    let env = workspace();
    registry(&env, SERVE);
    plugin(&env, &installed(&env).join("jp-serve-web"), "", "");
    // 072-136 to 072-146
    let help = jp(&env, "serve -h").run().success();
    insta::assert_snapshot!(help.stdout(), @"
    JP server components

    Usage: jp serve <COMMAND>

    Commands:
      web         About serve-web
      http-api    HTTP API for conversations (not installed)

    Run `jp serve <command> -h` for more information.
    ");
    assert_eq!(jp(&env, "help serve").run().success().stdout(), help.stdout());
    // 072-148, 072-149
    let bare = jp(&env, "serve").run().code(2);
    assert_eq!(bare.stderr(), help.stdout());
    // 072-147
    let missing = jp(&env, "serve http-api").run().code(1);
    assert!(missing.stderr().contains("has no binary of `serve http-api`"), "{missing}");
    assert!(jp(&env, "serve http-api -h").run().success().stdout().contains("HTTP API"));
    let wrong = jp(&env, "serve webb").run().code(2);
    assert!(wrong.stderr().contains("'web'"), "{wrong}");
    jp(&env, "serve --port").run().code(2);
}

#[test]
fn a_plugin_with_others_below_it() {
    let env = workspace();
    registry(&env, r#""serve http-api": {"id": "api", "description": "HTTP API"}"#);
    on_path(&env, "jp-serve", r#","help":"Serves.""#);
    on_path(&env, "jp-serve-web", "");
    // 072-150, 072-151
    insta::assert_snapshot!(jp(&env, "serve -h").run().success().stdout(), @"
    Serves.

    Commands:
      http-api    HTTP API (not installed)
      web         About serve-web

    Run `jp serve <command> -h` for more information.
    ");
}

#[test]
fn help_is_there_when_the_configuration_is_broken() {
    let env = workspace();
    on_path(&env, "jp-known", "");
    jp(&env, "-h").run().success();
    plugin(&env, &installed(&env).join("jp-new"), "", &format!("touch {}", env.root().join("ran")));
    env.write(".jp/config.toml", "broken =");
    let output = jp(&env, "-h").run().success();
    assert!(output.stdout().contains("known  About known"), "{output}");
    // Nobody knows whether it is denied, so it is not asked.
    assert!(output.stdout().contains("new    (unverified)"), "{output}");
    assert!(!env.root().join("ran").exists());
}
