//! Sensitive paths that something grants: asked about once, and hidden where nobody says yes.

use std::time::Duration;

use insta::assert_snapshot;
use jp_test::{Size, TestEnv};

use super::{EVERYTHING, confined, script, world};

const LIMIT: Duration = Duration::from_secs(20);
const SIZE: Size = Size { rows: 40, cols: 100 };

/// A workspace with secrets that the rules grant.
fn workspace() -> TestEnv {
    let env = world();
    env.write("policy.toml", EVERYTHING);
    env.write(".env", "TOKEN=1\n");
    env.write(env.home().join(".ssh/config"), "Host *\n");
    env.write(env.home().join(".ssh/id"), "key\n");
    env
}

const RULES: [&str; 2] = ["--policy", "policy.toml"];

/// Decision 8.
#[test]
fn one_question_names_the_paths_and_what_grants_them() {
    let env = workspace();
    env.write("sub/.env.local", "TOKEN=2\n");
    let read = "cat .env sub/.env.local";
    let mut terminal = script(&env, &RULES, read).pty(SIZE);
    terminal.expect("Show this to the program?", LIMIT);
    let screen = terminal.screen();
    let (question, _) = screen.split_once("[y/N]").unwrap();
    assert_snapshot!(question, @"
    Sensitive, and granted:
      .env: sensitive by `**/.env`, granted by the rule for `.`
      sub/.env.local: sensitive by `**/.env.*`, granted by the rule for `.`
    Show this to the program?
    ");
    terminal.send("y\r").expect("TOKEN=1", LIMIT).expect("TOKEN=2", LIMIT);
    terminal.wait(LIMIT).success();
}

#[test]
fn no_is_what_happens_by_default() {
    let env = workspace();
    let mut terminal = script(&env, &RULES, "cat .env || echo hidden").pty(SIZE);
    terminal.expect("Show this to the program?", LIMIT).send("\r").expect("hidden", LIMIT);
    let output = terminal.wait(LIMIT).success();
    assert!(!output.raw().contains("TOKEN"), "{}", output.raw());
    // Nothing runs if the question is left.
    let mut terminal = script(&env, &RULES, "touch ran").pty(SIZE);
    terminal.expect("Show this to the program?", LIMIT).send("\u{3}");
    terminal.wait(LIMIT).code(130);
    assert!(!env.path("ran").exists());
}

#[test]
fn with_nobody_to_ask_they_stay_hidden_and_one_line_says_so() {
    let env = workspace();
    assert_snapshot!(script(&env, &RULES, "cat .env").run().code(1), @"
    $ jp sandbox run --policy policy.toml -- /bin/sh -c 'cat .env'
    exit code: 1
    --- stderr
    warning: .env is sensitive and stays hidden, though it is granted by the rule for `.`; to show it: --allow-sensitive .env
    cat: .env: Permission denied

    The sandbox denied:
      read $PROJECT/.env (sensitive)
        to allow it: --allow-sensitive $PROJECT/.env
    ");
    let options = [&RULES[..], &["--no-interaction"]].concat();
    let output = script(&env, &options, "cat .env || true").pty(SIZE).wait(LIMIT).success();
    assert!(output.screen().contains("warning: .env is sensitive"), "{}", output.screen());
}

#[test]
fn the_option_says_yes() {
    let env = workspace();
    let options = [&RULES[..], &["--allow-sensitive", ".env"]].concat();
    let output = script(&env, &options, "cat .env; echo TOKEN=2 > .env").run().success();
    assert_eq!((output.stdout(), output.stderr()), ("TOKEN=1\n", ""));
    assert_eq!(env.read(".env"), "TOKEN=2\n");
    // Without rules as well: then nobody is asked, because nothing grants it.
    let output = script(&env, &["--allow-sensitive", ".env"], "cat .env").run().success();
    assert_eq!(output.stdout(), "TOKEN=2\n");
}

#[test]
fn an_option_that_changes_nothing_is_told() {
    let env = workspace();
    let keys = env.home().join(".ssh");
    let options = [
        &RULES[..],
        &["--allow-sensitive", "none", "--allow-sensitive", "policy.toml"],
        &["--allow-sensitive", keys.as_str(), "--allow-sensitive", ".env"],
    ];
    let output = confined(&env, &options.concat(), &["true"]).run().success();
    assert_snapshot!(output.normalized_stderr(), @"
    warning: --allow-sensitive $PROJECT/none: there is no such file
    warning: --allow-sensitive $PROJECT/policy.toml: nothing there is sensitive, so it changes nothing
    warning: --allow-sensitive $HOME/.ssh: no rule and no option grants it, so it stays hidden
    ");
}

/// One file of a sensitive directory, granted by name.
#[test]
fn places_outside_of_the_root_are_asked_about_too() {
    let env = workspace();
    let (config, key) = (env.home().join(".ssh/config"), env.home().join(".ssh/id"));
    let read = format!("cat {config}; cat {key}");
    let options = ["--read", config.as_str()];
    let output = script(&env, &options, &read).run().code(1);
    assert_eq!(output.stdout(), "");
    let (first, _) = output.stderr().split_once('\n').unwrap();
    let expected = format!(
        "warning: {config} is sensitive and stays hidden, though it is granted by name; to show it: --allow-sensitive {config}"
    );
    assert_eq!(first, expected);
    let options = [&options[..], &["--allow-sensitive", config.as_str()]].concat();
    let output = script(&env, &options, &read).run().code(1);
    assert_eq!(output.stdout(), "Host *\n");
    // For a key that nobody granted there is no advice.
    assert!(!output.stderr().contains(&format!("--allow-sensitive {key}")), "{output}");
}

/// A name cannot put words into the question.
#[test]
fn a_path_with_a_line_break_stays_in_its_line() {
    let env = workspace();
    env.write("a\nShow nothing? yes/.env", "TOKEN=3\n");
    let mut terminal = script(&env, &RULES, "true").pty(SIZE);
    terminal.expect("Show this to the program?", LIMIT);
    let screen = terminal.screen();
    assert!(screen.contains("  a Show nothing? yes/.env: sensitive by `**/.env`"), "{screen}");
    terminal.send("\r");
    terminal.wait(LIMIT).success();
    let output = script(&env, &RULES, "true").run().success();
    assert_eq!(output.stderr().lines().count(), 1, "{output}");
}
