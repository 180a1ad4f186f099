//! What the options grant: given, or refused with the reason, and never passed over in silence.

use insta::assert_snapshot;
use jp_test::TestEnv;

use super::{confined, script, world};

fn workspace() -> TestEnv {
    let env = world();
    env.write("policy.toml", "[[access.fs]]\npath = \".\"\nread = true\n");
    env.write(env.home().join("notes/today"), "milk\n");
    env
}

#[test]
fn a_place_outside_of_the_root_can_be_read_or_written() {
    let env = workspace();
    let notes = env.home().join("notes");
    let (read, write) = (format!("cat {notes}/today"), format!("echo bread > {notes}/today"));
    script(&env, &["--policy", "policy.toml"], &read).run().code(1);
    let options = ["--policy", "policy.toml", "--read", notes.as_str()];
    assert_eq!(script(&env, &options, &read).run().success().stdout(), "milk\n");
    script(&env, &options, &write).run().code(2);
    // A relative path is one of the current directory, also of one that -C chose.
    let options = ["-C", env.home().as_str(), "--root", env.project().as_str(), "--write", "notes"];
    script(&env, &options, &write).run().success();
    assert_eq!(env.read(notes.join("today")), "bread\n");
}

#[test]
fn what_cannot_be_granted_is_an_error() {
    let env = workspace();
    env.write(env.home().join(".ssh/id"), "key\n");
    let check = |options: &[&str]| {
        let output = script(&env, options, "touch ran").run().code(2);
        assert!(!env.path("ran").exists());
        output.normalized_stderr()
    };
    assert_snapshot!(check(&["--read", "none"]), @"error: --read none: No such file or directory (os error 2)");
    assert_snapshot!(check(&["--write", "none"]), @"
    error: --write none: No such file or directory (os error 2)
    hint: what is granted has to exist; make it first, or grant the directory
    ");
    assert_snapshot!(check(&["--policy", "policy.toml", "--write", "policy.toml"]), @"
    error: --write $PROJECT/policy.toml: it is in the root, where the rules decide
    hint: add a rule for it to `access.fs` of the policy
    ");
    assert_snapshot!(check(&["--cfg", "sandbox.default=strict", "--write", "."]), @r#"
    error: --write $PROJECT: it is in the root, where the rules decide
    hint: grant it in `access.fs` of a policy, or do without `sandbox.default = "strict"`
    "#);
    assert_snapshot!(check(&["--write", "/"]), @"
    error: --write /: the whole machine cannot be granted
    hint: name a directory
    ");
    assert_snapshot!(check(&["--write", env.home().as_str()]), @"
    error: --write $HOME: it holds something sensitive, so it cannot be written as a whole
    hint: name a directory in it
    ");
    // What is so already is no mistake.
    script(&env, &["--write", ".", "--read", "policy.toml"], "true").run().success();
}

#[test]
fn hosts_that_are_none() {
    let env = world();
    let check =
        |host: &str| confined(&env, &["--net", host], &["true"]).run().code(2).normalized_stderr();
    assert_snapshot!(check("a.com:x"), @"error: --net a.com:x: `x` is no port");
    assert_snapshot!(check("*.a.com"), @"error: --net *.a.com: wildcards are not supported in a host: *.a.com; write one rule for each host");
    assert_snapshot!(check("https://a.com/x"), @"error: --net https://a.com/x: it is about a whole host; rules for paths stand in a policy");
    for host in ["a.com", "a.com:80", "https://a.com:8443", "::1", "[::1]:80", "192.0.2.1"] {
        confined(&env, &["--net", host], &["true"]).run().success();
    }
}
