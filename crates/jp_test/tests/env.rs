//! The environment is sealed, and its paths stay inside it.

use jp_test::TestEnv;

#[test]
fn nothing_of_the_machine_is_left() {
    let env = TestEnv::new("/bin/true");
    let output = env.command("/usr/bin/env", [] as [&str; 0]).run().success();
    let mut variables: Vec<_> = output.normalized_stdout().lines().map(str::to_owned).collect();
    variables.sort();
    insta::assert_snapshot!(variables.join("\n"), @r"
    HOME=$HOME
    LANG=C.UTF-8
    PATH=/usr/bin:/bin
    TMPDIR=$ROOT/tmp
    TZ=UTC
    XDG_CACHE_HOME=$HOME/.cache
    XDG_CONFIG_HOME=$HOME/.config
    XDG_DATA_HOME=$HOME/.local/share
    XDG_STATE_HOME=$HOME/.local/state
    ");
}

#[test]
fn files_are_relative_to_the_project() {
    let env = TestEnv::new("/bin/true");
    env.write("a/b.txt", "text");
    assert_eq!(env.read("a/b.txt"), "text");
    assert_eq!(env.path("a/b.txt"), env.project().join("a/b.txt"));
    env.write(env.config_home().join("jp/config.toml"), "x = 1");
    assert_eq!(env.read(env.home().join(".config/jp/config.toml")), "x = 1");
}

#[test]
#[should_panic(expected = "outside the test environment")]
fn other_places_are_refused() {
    TestEnv::new("/bin/true").write("/etc/hosts", "");
}

#[test]
#[should_panic(expected = "outside the test environment")]
fn climbing_out_is_refused() {
    TestEnv::new("/bin/true").write("../../x", "");
}

#[test]
fn the_directory_goes_away() {
    let env = TestEnv::new("/bin/true");
    let root = env.root().to_owned();
    env.write("file", "");
    assert!(root.exists());
    drop(env);
    assert!(!root.exists());
}
