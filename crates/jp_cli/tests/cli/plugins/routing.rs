//! Which words mean which plugin.

use super::{bin, installed, jp, on_path, plugin, program, registry, unattended, workspace};

#[test]
fn a_file_in_the_search_path_is_a_command() {
    let env = workspace();
    on_path(&env, "jp-greet", "");
    // 072-004, 072-010, 072-012
    let output = jp(&env, &format!("{} greet a --b", unattended("greet"))).run().success();
    assert_eq!(output.stdout(), "greet [\"a\",\"--b\"]\n");
    // 072-011, 072-026
    on_path(&env, "jp-parent-child", "");
    let output =
        jp(&env, &format!("{} parent child x", unattended("parent-child"))).run().success();
    assert_eq!(output.stdout(), "parent-child [\"x\"]\n");
}

#[test]
fn everything_after_the_command_belongs_to_the_plugin() {
    let env = workspace();
    on_path(&env, "jp-greet", "");
    for (line, expected) in [
        ("greet -- x", r#"["--","x"]"#),
        ("greet x -h --help", r#"["x","-h","--help"]"#),
        ("greet --quiet --format json", r#"["--quiet","--format","json"]"#),
        ("-q greet -q", r#"["-q"]"#),
        ("greet help", r#"["help"]"#),
    ] {
        let output = jp(&env, &format!("{} {line}", unattended("greet"))).run().success();
        assert_eq!(output.stdout(), format!("greet {expected}\n"), "{line}");
    }
}

#[test]
fn plugins_below_groups_of_jp() {
    let env = workspace();
    on_path(&env, "jp-conversation-export", "");
    let allow = unattended("conversation-export");
    // 072-005
    for line in ["conversation export --html", "c export --html"] {
        let output = jp(&env, &format!("{allow} {line}")).run().success();
        assert_eq!(output.stdout(), "conversation-export [\"--html\"]\n", "{line}");
    }
}

#[test]
fn commands_of_jp_win() {
    let env = workspace();
    let mark = format!("touch {}", env.root().join("ran"));
    // 072-001, 072-002, 072-003
    for name in ["jp-version", "jp-plugin", "jp-conversation", "jp-conversation-ls", "jp-help"] {
        plugin(&env, &bin(&env).join(name), "", &mark);
        plugin(&env, &installed(&env).join(name), "", "");
    }
    plugin(&env, &bin(&env).join("jp-x"), r#","command":["conversation","ls"]"#, &mark);
    jp(&env, "version").run().success();
    assert_eq!(jp(&env, "conversation ls").run().success().stdout(), "");
    assert!(jp(&env, "plugin").run().code(2).stderr().contains("Usage: jp plugin"));
    assert!(!env.root().join("ran").exists(), "a plugin ran outside of its seal");
    // 072-019
    let list = jp(&env, "plugin list").run().success();
    let losers = list.stdout().lines().filter(|line| line.contains("is a command of jp")).count();
    assert_eq!(losers, 11, "{list}");
}

#[test]
fn installed_first_then_the_registry_then_the_search_path() {
    let env = workspace();
    plugin(&env, &installed(&env).join("jp-greet"), "", "");
    on_path(&env, "jp-other", r#","command":["greet"]"#);
    // 072-006
    let allow = format!("{} {}", unattended("greet"), unattended("other"));
    let output = jp(&env, &format!("{allow} greet")).run().success();
    assert_eq!(output.stdout(), "greet []\n");
    // 072-019
    let list = jp(&env, "plugin list").run().success();
    assert!(list.stdout().contains("never reached: `greet` (installed) comes first"), "{list}");
    // 072-007, 072-018: the registry comes before the search path.
    registry(&env, r#""say": {"id": "say", "description": "Says", "official": true}"#);
    on_path(&env, "jp-mine", r#","command":["say"]"#);
    let allow = unattended("mine");
    jp(&env, &format!("{allow} say")).run().code(1);
    // Where it may not be installed, the search goes on.
    let barred = "--cfg plugins.command.say.install=false";
    let output = jp(&env, &format!("{allow} {barred} say")).run().success();
    assert_eq!(output.stdout(), "mine []\n");
}

#[test]
fn the_longest_command_wins() {
    let env = workspace();
    plugin(&env, &installed(&env).join("jp-serve"), "", "");
    let allow = format!("{} {}", unattended("serve"), unattended("serve-web"));
    // 072-015
    let output = jp(&env, &format!("{allow} serve web")).run().success();
    assert_eq!(output.stdout(), "serve [\"web\"]\n");
    // 072-014, 072-016
    on_path(&env, "jp-serve-web", "");
    let output = jp(&env, &format!("{allow} serve web x")).run().success();
    assert_eq!(output.stdout(), "serve-web [\"x\"]\n");
}

#[test]
fn a_plugin_says_its_own_command() {
    let env = workspace();
    on_path(&env, "jp-odd", r#","command":["serve","http-api"]"#);
    let allow = unattended("odd");
    // 072-024, 072-029, 072-133: nobody has looked at the help before.
    let output = jp(&env, &format!("{allow} serve http-api")).run().success();
    assert_eq!(output.stdout(), "odd []\n");
    // 072-025
    jp(&env, &format!("{allow} odd")).run().code(2);
    // 072-027, 072-028
    on_path(&env, "jp-x-http_api", "");
    on_path(&env, "jp-y-http-api", "");
    jp(&env, &format!("{} x http-api", unattended("x-http_api"))).run().success();
    jp(&env, &format!("{} y http api", unattended("y-http-api"))).run().success();
    jp(&env, &format!("{} y http-api", unattended("y-http-api"))).run().code(2);
}

#[test]
fn unknown_words_start_nothing() {
    let env = workspace();
    on_path(&env, "jp-greet", "");
    // 072-013
    let output = jp(&env, "gret").run().code(2);
    insta::assert_snapshot!(output.stderr(), @"
    error: unrecognized subcommand 'gret'

      tip: a similar subcommand exists: 'greet'

    Usage: jp [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    for line in
        ["nope", "conversation nope", "nope -h", "help nope", "../../bin/sh", "--nope greet"]
    {
        jp(&env, line).run().code(2);
    }
    assert!(jp(&env, "conversaton").run().code(2).stderr().contains("'conversation'"));
}

#[test]
fn names_with_path_parts_are_no_plugins() {
    let env = workspace();
    for name in ["jp-..", "jp-a b", "jp-.x", "jp-", "jp--x", "jp-\u{1b}[2J"] {
        program(&env, &bin(&env).join(name), "#!/bin/sh\n");
    }
    assert_eq!(jp(&env, "plugin list").run().success().stdout(), "");
    // A command with path parts is refused with the description that has it.
    on_path(&env, "jp-evil", r#","command":["..","etc"]"#);
    let list = jp(&env, "plugin list").run().success();
    assert!(list.stdout().contains("did not describe itself"), "{list}");
}

#[test]
fn help_and_lists_need_no_workspace_and_a_run_does() {
    let env = jp_test::env!();
    on_path(&env, "jp-greet", "");
    // 072-020
    assert!(jp(&env, "plugin list").run().success().stdout().contains("greet"));
    assert_eq!(jp(&env, "greet -h").run().success().stdout(), "About greet\n");
    // Nobody is asked about a run that cannot be.
    assert!(jp(&env, "greet").run().code(2).stderr().contains("jp init"));
}

#[test]
fn settings_are_read_by_the_id_whatever_the_command_is() {
    // 072-293: the file is jp-web_ui, so its id is `web_ui`, and its command is another.
    let env = workspace();
    let show = "options=$(jq -c .options <<< \"$line\" | sed 's/\"/\\\\\"/g')";
    let text = format!(
        r#"#!/bin/bash
read -r line
case "$line" in
*'"describe"'*)
    echo '{{"type":"describe","name":"w","version":"1","description":"d","command":["serve","web"]}}'
    exit 0 ;;
esac
{show}
echo '{{"type":"ready"}}'
echo "{{\"type\":\"print\",\"text\":\"$options\\n\"}}"
echo '{{"type":"exit","code":0}}'
"#
    );
    program(&env, &bin(&env).join("jp-web_ui"), &text);
    let settings = |run: &str| {
        let text = format!(
            "[plugins.command.web_ui]\nrun = '{run}'\noptions = {{ port = 1 }}\n\
             [plugins.command.serve-web]\nrun = 'deny'\noptions = {{ port = 2 }}\n\
             [plugins.command.web]\nrun = 'deny'\n"
        );
        env.write(env.config_home().join("jp/config.toml"), text);
    };
    settings("unattended");
    assert_eq!(jp(&env, "serve web").run().success().stdout(), "{\"port\":1}\n");
    settings("ask");
    assert!(jp(&env, "serve web").run().code(3).stderr().contains("web_ui"));
}

#[test]
fn a_store_that_cannot_be_read_does_not_stop_the_list() {
    let env = workspace();
    on_path(&env, "jp-greet", "");
    // 072-023
    env.write(".jp/conversations", "not a directory");
    env.write(".jp/id", "\u{0}");
    assert!(jp(&env, "plugin list").run().success().stdout().contains("greet"));
}

#[test]
fn arguments_that_are_no_text_are_refused() {
    use std::os::unix::ffi::OsStringExt as _;

    let env = workspace();
    on_path(&env, "jp-greet", "");
    let bad = std::ffi::OsString::from_vec(vec![0xff]);
    let words =
        ["--cfg".into(), "plugins.command.greet.run=unattended".into(), "greet".into(), bad];
    let search = format!("{}:/usr/bin:/bin", bin(&env));
    let output = env.jp(words).env("PATH", search).run().code(2);
    assert!(output.stderr().contains("not UTF-8"), "{output}");
}

#[test]
fn what_a_script_lacks_is_said() {
    let env = workspace();
    for (text, hint) in [
        ("#!/no/such/interpreter\n", "its first line asks for `/no/such/interpreter`"),
        ("#!/bin/sh\r\necho\r\n", r"its first line asks for `/bin/sh\r`"),
        ("", "for example `#!/bin/sh`"),
    ] {
        program(&env, &bin(&env).join("jp-greet"), text);
        let line = format!("{} greet", unattended("greet"));
        let output = jp(&env, &line).run().code(1);
        assert!(output.stderr().contains(hint), "{output}");
    }
}
