//! `jp plugin check`: real programs, played with.

use std::time::Duration;

use jp_test::{Output, TestEnv};

const DESCRIPTION: &str =
    r#"{"type":"describe","name":"t","version":"1","description":"Does nothing","help":"h"}"#;

/// A plugin in shell: what it does when it describes itself, and when it runs.
fn script(describe: &str, run: &str) -> String {
    format!(
        "if [ -t 0 ]; then echo 'A plugin.' >&2; exit 2; fi\n\
         IFS= read -r first\ncase $first in\n*'\"describe\"'*) {describe}; exit 0 ;;\nesac\n\
         echo '{{\"type\":\"ready\"}}'\n{run}\n"
    )
}

fn good() -> String {
    script(&format!("echo '{DESCRIPTION}'"), r#"echo '{"type":"exit","code":0}'"#)
}

#[track_caller]
fn check(env: &TestEnv, options: &[&str], command: &[&str]) -> Output {
    let words = [&["plugin", "check"], options, &["--"], command].concat();
    env.jp(words).timeout(Duration::from_mins(2)).run()
}

#[test]
fn the_examples_pass() {
    let env = jp_test::env!();
    let directory = format!("{}/../../examples/plugins", env!("CARGO_MANIFEST_DIR"));
    let stats = super::plugin_examples::stats();
    for (program, words) in [
        (format!("{directory}/jp-titles"), &[][..]),
        (format!("{directory}/jp-note"), &["--arg", "a b", "--arg", "\"c\""]),
        (format!("{directory}/jp-search"), &["--arg", "todo"]),
        (stats.into_string(), &["--arg", "--json"]),
    ] {
        let output = check(&env, words, &[&program]).success();
        assert!(output.stdout().contains(" 0 warnings, 0 failed"), "{output}");
    }
}

#[test]
fn what_is_wrong_is_shown_with_what_was_said() {
    let env = jp_test::env!();
    let bad = script(&format!("echo '{DESCRIPTION}'"), "echo hello");
    env.write("jp-t", bad);
    let output = check(&env, &[], &["/bin/sh", "jp-t"]).code(1);
    let stdout = output.stdout();
    let at = stdout.find("FAIL     writes nothing").unwrap_or_else(|| panic!("{output}"));
    let lines: Vec<&str> = stdout[at..].lines().take(5).collect();
    assert!(lines[0].contains("it is not one JSON object"), "{output}");
    assert!(lines[0].ends_with(": hello"), "{output}");
    assert_eq!(
        lines[1].trim(),
        "to do     write everything else to stderr; a stray line ends the plugin"
    );
    assert!(lines[2].trim().starts_with("# run"), "{output}");
    assert!(lines[3].trim().starts_with(r#"> {"type":"init""#), "{output}");
    assert_eq!(lines[4].trim(), r#"< {"type":"ready"}"#);
    let json = check(&env, &["--format", "json"], &["/bin/sh", "jp-t"]).code(1);
    let failed = json.stdout().lines().find(|line| line.contains(r#""check":"messages""#));
    let failed: serde_json::Value =
        serde_json::from_str(failed.expect("a line for it")).expect("JSON");
    assert_eq!(failed["status"], "fail");
}

/// It describes itself where nothing but the script can be read, and runs where nothing is kept.
#[test]
fn the_program_is_sealed_and_confined() {
    let env = jp_test::env!();
    let home = env.home().to_owned();
    env.write("beside", "x");
    let describe = format!("[ -e {}/beside ] || echo '{DESCRIPTION}'", env.project());
    let run = format!(
        "touch {home}/canary canary 2>/dev/null\n\
         [ -e {home}/canary ] && exit 9\necho '{{\"type\":\"exit\",\"code\":0}}'"
    );
    env.write("jp-t", script(&describe, &run));
    let output = check(&env, &[], &["/bin/sh", "jp-t"]).success();
    assert!(output.stdout().starts_with("ok       describes itself\n"), "{output}");
    assert!(!env.path("canary").exists() && !home.join("canary").exists());
}

/// What a workspace opens for tools is nothing that a program may read which is only tried there.
#[test]
fn the_workspace_opens_nothing_for_it() {
    // A program has a temporary directory of its own, so that this one is hidden from it.
    let env = TestEnv::new_in(env!("CARGO_BIN_EXE_jp"), "/tmp");
    let diary = env.root().join("diary");
    env.write(&diary, "x");
    let run =
        format!("cat {diary} >/dev/null 2>&1 && exit 9\necho '{{\"type\":\"exit\",\"code\":0}}'");
    env.write("jp-t", script(&format!("echo '{DESCRIPTION}'"), &run));
    for opened in [env.root().as_str(), diary.as_str(), "/tmp"] {
        env.write(".jp/config.toml", format!("[sandbox]\nread = ['{opened}']\n"));
        drop(check(&env, &[], &["/bin/sh", "jp-t"]).success());
    }
    // The user may.
    env.write(env.config_home().join("jp/config.toml"), format!("[sandbox]\nread = ['{diary}']\n"));
    let output = check(&env, &[], &["/bin/sh", "jp-t"]).code(1);
    assert!(output.stdout().contains("code 9"), "{output}");
}

/// Whoever builds something later trusts what is in a cache.
#[test]
fn caches_of_toolchains_stay_as_they_are() {
    let env = jp_test::env!();
    let registry = env.home().join(".cargo/registry");
    env.write(registry.join("src/lib.rs"), "fn good() {}\n");
    let run = format!(
        "grep -q good {registry}/src/lib.rs || exit 8\n\
         {{ echo bad > {registry}/src/lib.rs; touch {registry}/new; rm {registry}/src/lib.rs; }} 2>/dev/null\n\
         echo '{{\"type\":\"exit\",\"code\":0}}'"
    );
    env.write("jp-t", script(&format!("echo '{DESCRIPTION}'"), &run));
    // The user may open them to tools.
    let settings = "[sandbox]\npresets = ['rust']\nwrite = ['~/.cargo/registry']\n";
    env.write(env.config_home().join("jp/config.toml"), settings);
    drop(check(&env, &[], &["/bin/sh", "jp-t"]).success());
    assert_eq!(env.read(registry.join("src/lib.rs")), "fn good() {}\n");
    assert!(!registry.join("new").exists());
}

#[test]
fn a_record_can_be_played_again() {
    let env = jp_test::env!();
    env.write("jp-t", good());
    drop(check(&env, &["--record", "said.txt"], &["/bin/sh", "jp-t"]).success());
    let said = env.read("said.txt");
    // One that was there is written over, and not longer for it.
    env.write("said.txt", format!("hello\n{said}{said}"));
    drop(check(&env, &["--record", "said.txt"], &["/bin/sh", "jp-t"]).success());
    let said = env.read("said.txt");
    assert_eq!(said.matches("# describe\n").count(), 1, "{said}");
    assert!(
        said.starts_with("# describe\n> {\"type\":\"describe\"}\n< {\"type\":\"describe\","),
        "{said}"
    );
    let output = check(&env, &["--replay", "said.txt"], &["/bin/sh", "jp-t"]).success();
    assert!(output.stdout().contains(" 0 warnings, 0 failed"), "{output}");
    env.write("jp-t", good().replace("\"code\":0", "\"code\":3"));
    let output = check(&env, &["--replay", "said.txt"], &["/bin/sh", "jp-t"]).code(1);
    assert!(output.stdout().contains(r#"it said {"type":"exit","code":3} instead of"#), "{output}");
    env.write("said.txt", "hello\n");
    let output = check(&env, &["--replay", "said.txt"], &["/bin/sh", "jp-t"]).code(2);
    assert!(output.stderr().contains("line 1 is no line of a transcript"), "{output}");
}

/// What a plugin does when it is started by hand, and when nobody reads what it says, is tried for real.
#[test]
fn people_and_closed_pipes() {
    let env = jp_test::env!();
    let line = |output: &Output, title: &str| {
        let line = output.stdout().lines().find(|line| line.contains(title));
        line.unwrap_or_else(|| panic!("{output}")).to_owned()
    };
    let (by_hand, unread) = ("somebody who starts it by hand", "nobody reads its output");
    env.write("jp-t", good());
    let output = check(&env, &[], &["/bin/sh", "jp-t"]).success();
    assert!(line(&output, by_hand).starts_with("ok "), "{output}");
    assert!(line(&output, unread).starts_with("ok "), "{output}");
    // It waits at the keyboard for a message, and does not mind that nobody hears it.
    let run = "echo '{\"type\":\"exit\",\"code\":0}' || exec sleep 50";
    let deaf = format!("trap '' PIPE\n{}", script(&format!("echo '{DESCRIPTION}'"), run));
    env.write("jp-t", deaf.replace("[ -t 0 ]", "false"));
    let output = check(&env, &[], &["/bin/sh", "jp-t"]).code(1);
    for title in [by_hand, unread] {
        let line = line(&output, title);
        assert!(
            line.starts_with("FAIL ") && line.ends_with("still there 5 seconds later"),
            "{output}"
        );
    }
}

#[test]
fn usage() {
    let env = jp_test::env!();
    insta::assert_snapshot!(check(&env, &[], &["no-such-plugin"]).code(2), @"
    $ jp plugin check -- no-such-plugin
    exit code: 2
    --- stderr
    error: no program no-such-plugin was found
    ");
    drop(env.jp(["plugin", "check"]).run().code(2));
    // A command needs no mark before it, and what follows it is its own.
    let output = env.jp(["plugin", "check", "no-such-plugin", "--timeout", "x"]).run().code(2);
    assert!(output.stderr().contains("no program no-such-plugin was found"), "{output}");
    drop(env.jp(["plugin", "check", "--tiemout", "1", "/bin/true"]).run().code(2));
    let run = env.jp(["plugin", "check", "--", "/bin/true"]).env("JP_SANDBOX_HIDE", "overlay");
    assert_eq!(run.run().code(4).stdout(), "");
}
