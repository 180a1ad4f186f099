//! What the program says about itself: version, completions, manual, logs.

use insta::assert_snapshot;

use super::workspace;

#[test]
fn version() {
    let env = jp_test::env!();
    assert_snapshot!(env.jp(["version"]).run().success(), @"");
    assert_snapshot!(env.jp(["--version"]).run().success(), @"");
    assert_snapshot!(env.jp(["version", "--format=json"]).run().success(), @"");
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
    assert_snapshot!(env.jp(["completions", "tcsh"]).run().code(2), @"");
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
    assert_snapshot!(output, @"");
}

#[test]
fn wrong_usage_suggests_what_was_meant() {
    let env = jp_test::env!();
    assert_snapshot!(env.jp(["conversaton", "ls"]).run().code(2), @"");
    env.jp([""; 0]).run().code(2);
}
