//! What the program says about itself: version, completions, manual, logs.

use insta::assert_snapshot;

use super::workspace;

#[test]
fn version() {
    let env = jp_test::env!();
    assert_snapshot!(env.jp(["version"]).run().success(), @"
    $ jp version
    exit code: 0
    --- stdout
    jp 0.1.0
    ");
    assert_snapshot!(env.jp(["--version"]).run().success(), @"
    $ jp --version
    exit code: 0
    --- stdout
    jp 0.1.0
    ");
    assert_snapshot!(env.jp(["version", "--format=json"]).run().success(), @r#"
    $ jp version --format=json
    exit code: 0
    --- stdout
    {"name":"jp","version":"0.1.0"}
    "#);
}

#[test]
fn completions_for_every_shell_are_accepted_by_it() {
    let env = jp_test::env!();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = env.jp(["completions", shell]).run().success();
        assert!(output.stdout().contains("conversation"), "{shell}");
    }
    let script = env.jp(["completions", "bash"]).run().success();
    env.write("jp.bash", script.stdout());
    env.command("/bin/bash", ["-n", "jp.bash"]).run().success();
    assert_snapshot!(env.jp(["completions", "tcsh"]).run().code(2), @"
    $ jp completions tcsh
    exit code: 2
    --- stderr
    error: invalid value 'tcsh' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

      tip: a similar value exists: 'zsh'

    For more information, try '--help'.
    ");
}

#[test]
fn manual_pages() {
    let env = jp_test::env!();
    let page = env.jp(["man"]).run().success();
    assert!(page.stdout().contains(".TH jp 1"), "{page}");
    assert!(page.stdout().contains("nobody could be asked"), "{page}");
    env.jp(["man", "--dir", "pages"]).run().success();
    assert!(env.read("pages/jp-conversation-ls.1").contains(".TH"));
}

#[test]
fn a_log_file_gets_everything_and_the_terminal_what_was_asked_for() {
    let env = workspace();
    // A log that cannot be read is mentioned at the level of details.
    env.write(".jp/conversations/17/metadata.json", "{}");
    env.write(".jp/cache/conversations.log", "nonsense\n");
    let output = env.jp(["conversation", "ls", "--log-file", "log"]).run().success();
    assert_eq!(output.stderr(), "");
    assert!(env.read("log").contains("built again"), "{}", env.read("log"));
    env.write(".jp/cache/conversations.log", "nonsense\n");
    let output = env.jp(["conversation", "ls", "-vvv"]).run().success();
    assert!(output.stderr().contains("built again"), "{output}");
    let output = env.jp(["version", "--log-file", "no/such/dir/log"]).run().code(2);
    assert_snapshot!(output, @"
    $ jp version --log-file no/such/dir/log
    exit code: 2
    --- stderr
    error: --log-file no/such/dir/log: No such file or directory (os error 2)
    ");
}

#[test]
fn wrong_usage_suggests_what_was_meant() {
    let env = jp_test::env!();
    assert_snapshot!(env.jp(["conversaton", "ls"]).run().code(2), @"
    $ jp conversaton ls
    exit code: 2
    --- stderr
    error: unrecognized subcommand 'conversaton'

      tip: a similar subcommand exists: 'conversation'

    Usage: jp [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    env.jp([""; 0]).run().code(2);
}

#[test]
fn this_repository_is_a_workspace_with_a_schema_that_is_up_to_date() {
    let env = jp_test::env!();
    env.write(".jp/config.toml", include_str!("../../../../.jp/config.toml"));
    env.jp(["config", "show"]).run().success();
    let schema = env.jp(["config", "schema"]).run().success();
    let committed = include_str!("../../../../.jp/config.schema.json");
    assert!(
        schema.stdout() == committed,
        "run `jp init` to bring .jp/config.schema.json up to date"
    );
}
