//! Whether a plugin may run.

use std::time::{Duration, Instant};

use jp_test::{Size, TestEnv};

use super::{bin, installed, jp, on_path, plugin, program, registry, sum, unattended, workspace};

const LIMIT: Duration = Duration::from_secs(30);
const SIZE: Size = Size { rows: 40, cols: 200 };

/// Runs a plugin on a terminal and answers the question about it.
fn answer(env: &TestEnv, line: &str, letter: &str) -> jp_test::PtyOutput {
    let mut terminal = jp(env, line).pty(SIZE);
    terminal.expect("[n/o/a]", LIMIT).send(&format!("{letter}\r"));
    terminal.wait(LIMIT)
}

/// Runs a plugin on a terminal where nothing should be asked.
fn unasked(env: &TestEnv, line: &str) -> jp_test::PtyOutput {
    let output = jp(env, line).pty(SIZE).wait(LIMIT);
    assert!(!output.raw().contains("[n/o/a]"), "{}", output.raw());
    output
}

#[test]
fn a_file_in_the_search_path_is_asked_about() {
    let env = workspace();
    let file = on_path(&env, "jp-greet", "");
    // 072-308, 072-313
    let output = answer(&env, "greet", "o").success();
    let sum = sum(&env, &file);
    for shown in [
        "$ROOT/bin/jp-greet",
        sum.as_str(),
        "unknown: found in the search path",
        "everything that you can do",
        "About greet (1.2)",
    ] {
        assert!(output.screen().contains(shown), "{shown}: {}", output.screen());
    }
    assert!(output.screen().contains("greet []"), "{}", output.screen());
    // Once was once.
    let output = answer(&env, "greet", "n").code(5);
    assert!(!output.screen().contains("greet []"), "{}", output.screen());
    answer(&env, "greet", "").code(5);
}

#[test]
fn an_agreement_is_about_bytes_in_a_place() {
    let env = workspace();
    let file = on_path(&env, "jp-greet", "");
    answer(&env, "greet", "a").success();
    assert!(unasked(&env, "greet").success().screen().contains("greet []"));
    jp(&env, "--no-interaction greet").run().success();
    assert!(jp(&env, "plugin list").run().success().stdout().contains("approved"));
    // 072-316
    env.command("/bin/cp", ["-p", file.as_str(), bin(&env).join("jp-copy").as_str()])
        .run()
        .success();
    jp(&env, "copy").run().code(3);
    // 072-315: and it is said that this is another file now.
    let before = sum(&env, &file);
    plugin(&env, &file, "", "# changed");
    let output = jp(&env, "greet").run().code(3);
    let hint = format!("it has changed since somebody agreed to it: its sha256 was {before}");
    assert!(output.stderr().contains(&hint), "{output}");
    let output = answer(&env, "greet", "n").code(5);
    let (now, before) = (sum(&env, &file), format!("agreed to  sha256 {before}"));
    for shown in ["`jp greet` has changed since somebody agreed to it.", &now, &before] {
        assert!(output.screen().contains(shown), "{shown}: {}", output.screen());
    }
    assert!(!output.screen().contains("nobody has agreed"), "{}", output.screen());
}

#[test]
fn an_agreement_can_be_taken_back() {
    let env = workspace();
    on_path(&env, "jp-greet", "");
    answer(&env, "greet", "a").success();
    jp(&env, "greet").run().success();
    let output = jp(&env, "plugin run-policy greet ask").run().success();
    assert!(output.stderr().contains("That it may always run is taken back."), "{output}");
    jp(&env, "greet").run().code(3);
    answer(&env, "greet", "a").success();
    jp(&env, "greet").run().success();
    assert!(!jp(&env, "plugin run-policy greet deny").run().success().stderr().contains("back"));
}

#[test]
fn who_was_agreed_to_is_asked_openly() {
    let env = workspace();
    env.write("secret", "seen");
    let text = format!(
        r#"#!/bin/bash
read -r line
case "$line" in
*'"describe"'*)
    printf '{{"type":"describe","name":"x","version":"1","description":"[%s]"}}\n' "$(cat {}/secret 2>/dev/null)"
    exit 0 ;;
esac
echo '{{"type":"exit","code":0}}'
"#,
        env.project()
    );
    let file = bin(&env).join("jp-x");
    let about = |expected: &str| {
        let output = jp(&env, "plugin list --refresh --format json").run().success();
        assert!(output.stdout().contains(expected), "{output}");
    };
    program(&env, &file, &text);
    about("\"[]\"");
    answer(&env, "x", "a").success();
    about("\"[seen]\"");
    // 072-130
    program(&env, &file, &(text + "# changed\n"));
    about("\"[]\"");
}

#[test]
fn with_nobody_to_ask_it_does_not_run() {
    let env = workspace();
    on_path(&env, "jp-greet", "");
    // 072-314
    for line in ["greet", "--no-interaction greet", "--cfg plugins.command.greet.run=ask greet"] {
        let output = jp(&env, line).run().code(3);
        assert_eq!(output.stdout(), "");
        assert!(output.stderr().contains("--cfg plugins.command.greet.run=unattended"), "{output}");
    }
    // 072-309
    jp(&env, &format!("{} greet", unattended("greet"))).run().success();
}

#[test]
fn what_is_denied_is_not_even_described() {
    let env = workspace();
    let mark = env.root().join("ran");
    plugin(&env, &installed(&env).join("jp-greet"), "", &format!("touch {mark}"));
    env.write(".jp/config.toml", "[plugins.command.greet]\nrun = \"deny\"\n");
    // 072-310
    let output = jp(&env, "greet").run().code(4);
    assert!(output.stderr().contains("`plugins.command.greet.run` is \"deny\""), "{output}");
    jp(&env, "greet -h").run().code(4);
    assert!(!jp(&env, "-h").run().success().stdout().contains("greet"));
    assert!(jp(&env, "plugin list").run().success().stdout().contains("deny"));
    assert!(!mark.exists());
    // 072-311: before anything is fetched.
    registry(&env, r#""say": {"id": "say", "description": "Says", "official": true}"#);
    let output = jp(&env, "--cfg plugins.command.say.run=deny say").run().code(4);
    assert!(output.stderr().contains("plugins.command.say.run"), "{output}");
}

#[test]
fn a_pinned_file_is_checked_before_every_run() {
    let env = workspace();
    let file = on_path(&env, "jp-greet", "");
    let pin = |value: &str| {
        let config = format!(
            "[plugins.command.greet]\nrun = \"unattended\"\nchecksum = {{ algorithm = \"sha256\", \
             value = \"{value}\" }}\n"
        );
        env.write(env.config_home().join("jp/config.toml"), config);
    };
    let right = sum(&env, &file);
    pin(&right.to_uppercase());
    // 072-318
    jp(&env, "greet").run().success();
    plugin(&env, &file, "", &format!("touch {}", env.root().join("ran")));
    let output = jp(&env, "greet").run().code(4);
    // 072-320
    let changes = "`jp plugin pin greet` changes `plugins.command.greet.checksum.value`";
    for shown in [&right, &sum(&env, &file), changes] {
        assert!(output.stderr().contains(shown), "{output}");
    }
    assert!(!env.root().join("ran").exists());
    assert!(jp(&env, "plugin list").run().success().stdout().contains("wrong checksum"));
    // A pin of the workspace is not changed by that command.
    jp(&env, "plugin pin greet").run().success();
    env.write(
        ".jp/config.toml",
        format!("[plugins.command.greet.checksum]\nalgorithm = \"sha256\"\nvalue = \"{right}\"\n"),
    );
    let output = jp(&env, "greet").run().code(4);
    assert!(
        output.stderr().contains("now, change `plugins.command.greet.checksum.value`"),
        "{output}"
    );
}

/// What would not run is not let loose to describe itself either.
#[test]
fn a_pin_is_heeded_before_a_file_is_asked_openly() {
    let env = workspace();
    let mark = env.root().join("ran");
    let file = bin(&env).join("jp-greet");
    plugin(&env, &file, "", &format!("touch {mark}"));
    answer(&env, "greet", "a").success();
    let refreshed = || {
        env.command("/bin/rm", ["-f", mark.as_str()]).run().success();
        let output = jp(&env, "plugin list --refresh --format json").run().success();
        assert!(output.stdout().contains("About greet"), "{output}");
        mark.exists()
    };
    assert!(refreshed());
    let pin = |sum: &str| {
        jp(&env, &format!("plugin pin greet --sha256 {sum}")).run().success();
    };
    pin(&"ab".repeat(32));
    assert!(!refreshed());
    pin(&sum(&env, &file));
    assert!(refreshed());
    // A workspace can pin it as well.
    env.write(
        ".jp.toml",
        format!(
            "[plugins.command.greet.checksum]\nalgorithm = 'sha256'\nvalue = '{}'\n",
            "cd".repeat(32)
        ),
    );
    assert!(!refreshed());
}

#[test]
fn official_plugins_run_and_those_of_others_are_asked_about() {
    let env = workspace();
    for name in ["jp-ours", "jp-theirs", "jp-changed"] {
        plugin(&env, &installed(&env).join(name), "", "");
    }
    let entry = |name: &str, official: bool, sum: &str| {
        format!(
            r#""{name}": {{"id": "{name}", "description": "X", "official": {official},
               "repository": "https://e.org/{name}",
               "binaries": {{"any": {{"url": "https://e.org", "sha256": "{sum}"}}}}}}"#
        )
    };
    let sum_of = |name: &str| sum(&env, &installed(&env).join(format!("jp-{name}")));
    let entries = [
        entry("ours", true, &sum_of("ours")),
        entry("theirs", false, &sum_of("theirs")),
        entry("changed", true, &"0".repeat(64)),
    ];
    registry(&env, &entries.join(","));
    // 072-312
    jp(&env, "ours").run().success();
    jp(&env, "theirs").run().code(3);
    jp(&env, "changed").run().code(3);
    let output = answer(&env, "theirs", "n").code(5);
    assert!(output.screen().contains("somebody in the registry (https://e.org/theirs)"));
}

#[test]
fn settings_follow_the_layers_and_a_workspace_loosens_nothing() {
    let env = workspace();
    on_path(&env, "jp-greet", "");
    let user = |run: &str| {
        let text = format!("[plugins.command.greet]\nrun = \"{run}\"\n");
        env.write(env.config_home().join("jp/config.toml"), text);
    };
    let layer = |path: &str, run: &str| {
        env.write(path, format!("[plugins.command.greet]\nrun = \"{run}\"\n"));
    };
    let check = |line: &str, code: i32| {
        jp(&env, line).run().code(code);
    };
    // 072-325
    user("unattended");
    check("greet", 0);
    layer(".jp/config.toml", "ask");
    check("greet", 3);
    layer(".jp.toml", "deny");
    check("greet", 4);
    check("--cfg plugins.command.greet.run=unattended greet", 0);
    // What comes with a workspace is not a reason to trust it.
    user("deny");
    layer(".jp/config.toml", "unattended");
    layer(".jp.toml", "unattended");
    check("greet", 4);
    user("ask");
    check("greet", 3);
    env.write(env.config_home().join("jp/config.toml"), "");
    let output = jp(&env, "greet").run().code(3);
    assert!(output.stderr().contains("only your own settings can"), "{output}");
}

#[test]
fn what_was_checked_is_what_runs() {
    let env = workspace();
    let file = bin(&env).join("jp-greet");
    // A loop puts another file in its place again and again. Only the first is agreed to.
    plugin(&env, &file, "", "");
    let right = sum(&env, &file);
    env.command("/bin/cp", ["-p", file.as_str(), bin(&env).join("good").as_str()]).run().success();
    let mark = env.root().join("ran");
    plugin(&env, &bin(&env).join("evil"), "", &format!("touch {mark}"));
    env.write(
        env.config_home().join("jp/config.toml"),
        format!(
            "[plugins.command.greet]\nrun = \"unattended\"\nchecksum = {{ algorithm = \"sha256\", \
             value = \"{right}\" }}\n"
        ),
    );
    let swap = format!(
        "cd {}; while [ ! -e {} ]; do for x in good evil; do cp -p $x n && mv n jp-greet; done; done",
        bin(&env),
        env.root().join("stop"),
    );
    let swapping = env.command("/bin/sh", ["-c", &swap]).spawn();
    // 072-317: it runs as often as the right bytes are there, and is refused otherwise.
    let (mut ran, mut refused) = (0, 0);
    let end = Instant::now() + Duration::from_mins(2);
    while (ran < 10 || refused < 10) && Instant::now() < end {
        let output = jp(&env, "greet").run();
        match output.exit_code() {
            Some(0) => {
                assert_eq!(output.stdout(), "greet []\n", "{output}");
                ran += 1;
            }
            code => {
                assert!(matches!(code, Some(1 | 2 | 4)) && output.stdout().is_empty(), "{output}");
                refused += 1;
            }
        }
        assert!(!mark.exists(), "other bytes ran: {output}");
    }
    assert!(ran >= 10 && refused >= 10, "{ran} ran, {refused} were refused");
    env.write(env.root().join("stop"), "");
    drop(swapping);
}

#[test]
fn what_somebody_said_yes_to_is_what_runs() {
    // 072-317: the file becomes another one while somebody reads the question about it.
    for letter in ["o", "a"] {
        let env = workspace();
        let file = on_path(&env, "jp-greet", "");
        let mark = env.root().join("ran");
        let other = bin(&env).join("other");
        plugin(&env, &other, "", &format!("touch {mark}"));
        let mut terminal = jp(&env, "greet").pty(SIZE);
        terminal.expect("[n/o/a]", LIMIT);
        env.command("/bin/mv", [other.as_str(), file.as_str()]).run().success();
        terminal.send(&format!("{letter}\r"));
        let output = terminal.wait(LIMIT).code(1);
        assert!(!mark.exists(), "other bytes ran: {}", output.screen());
        // What was agreed to is not what is there.
        jp(&env, "greet").run().code(3);
        assert!(!mark.exists());
    }
}

#[test]
fn who_is_asked_sees_what_rules_grant() {
    let env = workspace();
    on_path(&env, "jp-greet", "");
    let shown = |rules: &str, expected: &[&str]| {
        let text = format!("[plugins.command.greet.access]\n{rules}\n");
        env.write(env.config_home().join("jp/config.toml"), text);
        let output = answer(&env, "greet", "n").code(5);
        for line in ["  may do     only what its `access` rules grant"].iter().chain(expected) {
            assert!(output.screen().contains(line), "{line}: {}", output.screen());
        }
    };
    shown(
        "fs = [{ path = 'src', read = true, write = true }, { path = 'src/gen', read = true }, { path = 'old' }]\n\
         net = [{ host = 'example.org', allow = true }, { host = 'example.com' }]\n\
         env = [{ name = 'TOKEN_*', read = true }]\n\
         commands.git.args = [['status'], ['log', '**']]",
        &[
            "  files      src (read create update delete), src/gen (read)",
            "  network    example.org",
            "  variables  TOKEN_*",
            "  programs   git (status, log **)",
        ],
    );
    let many: String =
        (0..50).map(|n| format!("{{ name = 'VARIABLE_{n}', read = true }},")).collect();
    shown(
        &format!("env = [{many}]\ncommands = {{}}"),
        &[
            "  files      everything in the workspace",
            "  network    all",
            "  programs   none",
            "VARIABLE_2, V",
        ],
    );
}

#[test]
fn a_plugin_has_four_settings_that_all_count() {
    // 072-324
    let env = workspace();
    let file = bin(&env).join("jp-greet");
    let show = "line=$(jq -c '{type, args: [.options.who]}' <<< \"$line\")";
    plugin(&env, &file, "", "");
    let text = env
        .read(&file)
        .replace("echo '{\"type\":\"ready\"}'", &format!("{show}\necho '{{\"type\":\"ready\"}}'"));
    program(&env, &file, &text);
    let right = sum(&env, &file);
    let settings = |install: &str, run: &str, sum: &str, more: &str| {
        let text = format!(
            "[plugins.command.greet]\ninstall = {install}\nrun = '{run}'\n\
             checksum = {{ algorithm = 'sha256', value = '{sum}' }}\noptions = {{ who = 'Ada' }}\n{more}"
        );
        env.write(env.config_home().join("jp/config.toml"), text);
    };
    let check = |code: i32| jp(&env, "greet").run().code(code);
    settings("true", "unattended", &right, "");
    assert_eq!(check(0).stdout(), "greet [\"Ada\"]\n");
    settings("true", "deny", &right, "");
    check(4);
    settings("true", "unattended", &"a".repeat(64), "");
    assert!(check(4).stderr().contains(&right));
    settings("true", "unattended", &right, "chekcsum = 1\n");
    assert!(check(2).stderr().contains("checksum"));
    // What is there is not installed, so `install` is about what is not there.
    settings("false", "unattended", &right, "");
    check(0);
    let refused = jp(&env, "plugin install greet").run();
    assert_eq!(refused.exit_code(), Some(1), "{refused}");
    registry(
        &env,
        &format!(
            r#""greet": {{"kind":"command","id":"greet","description":"d","official":true,"binaries":{{"x86_64-unknown-linux-gnu":{{"url":"https://localhost:1/x","sha256":"{right}"}},"aarch64-unknown-linux-gnu":{{"url":"https://localhost:1/x","sha256":"{right}"}}}}}}"#
        ),
    );
    let refused = jp(&env, "plugin install greet").run().code(4);
    assert!(refused.stderr().contains("`plugins.command.greet.install` denies it"), "{refused}");
}

#[test]
fn who_is_asked_sees_nothing_that_a_workspace_would_grant() {
    let env = workspace();
    on_path(&env, "jp-greet", "");
    let rules = "[plugins.command.greet.access]\nfs = [{ path = 'src', read = true }]\n";
    env.write(env.config_home().join("jp/config.toml"), format!("sandbox.read = ['~/a']\n{rules}"));
    env.write(".jp.toml", "[sandbox]\nread = ['~/b']\nwrite = ['~/c']\n");
    let output = answer(&env, "greet", "n").code(5);
    let screen = output.screen();
    assert!(screen.contains("  files      src (read), ~/a (read)\n"), "{screen}");
}
