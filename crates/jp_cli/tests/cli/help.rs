//! All help text in one snapshot, so that a change of words is seen where it is read.

use std::fmt::Write as _;

/// Every command, with the words that lead to it.
const COMMANDS: [&str; 50] = [
    "",
    "init",
    "config",
    "config show",
    "config schema",
    "conversation",
    "conversation ls",
    "conversation show",
    "conversation new",
    "conversation rm",
    "conversation rename",
    "conversation path",
    "tool",
    "tool list",
    "tool show",
    "tool run",
    "tool session",
    "tool explain",
    "tool allow",
    "tool check",
    "tool new",
    "tool trace",
    "mcp",
    "mcp list",
    "mcp inspect",
    "mcp add",
    "mcp allow",
    "mcp call",
    "mcp pin",
    "mcp login",
    "mcp logout",
    "plugin",
    "plugin list",
    "plugin search",
    "plugin info",
    "plugin install",
    "plugin update",
    "plugin remove",
    "plugin pin",
    "plugin run-policy",
    "plugin registry",
    "plugin registry check",
    "plugin new",
    "plugin check",
    "sandbox",
    "sandbox doctor",
    "sandbox run",
    "completions",
    "man",
    "version",
];

#[test]
fn help_of_every_command() {
    let env = jp_test::env!();
    let mut text = String::new();
    for command in COMMANDS {
        let words = command.split_whitespace().chain(["--help"]);
        let output = env.jp(words).run().success();
        let _ = write!(text, "# jp {command}\n\n{}\n", output.stdout());
    }
    insta::assert_snapshot!("help", text);
}

#[test]
fn the_list_above_is_complete() {
    let env = jp_test::env!();
    for command in COMMANDS {
        let words = command.split_whitespace().chain(["--help"]);
        let help = env.jp(words).run().success().stdout().to_owned();
        let listed = help
            .lines()
            .skip_while(|line| *line != "Commands:")
            .skip(1)
            .take_while(|line| !line.is_empty())
            .filter_map(|line| line.split_whitespace().next())
            .filter(|name| *name != "help");
        for name in listed {
            let full = format!("{command} {name}");
            assert!(COMMANDS.contains(&full.trim()), "no snapshot of `jp {full}`");
        }
    }
}

#[test]
fn help_and_version_need_no_working_configuration() {
    let env = super::workspace();
    env.write(".jp/config.toml", "broken =");
    for words in [
        vec!["--help"],
        vec!["help", "conversation"],
        vec!["--version"],
        vec!["version"],
        vec!["completions", "bash"],
        vec!["man"],
        vec!["config", "schema"],
    ] {
        env.jp(words).run().success();
    }
    env.jp(["conversation", "ls"]).run().code(2);
}
