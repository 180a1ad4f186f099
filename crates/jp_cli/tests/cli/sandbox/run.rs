//! What a program is started with, and what is said when it is not.

use std::{ffi::OsString, os::unix::ffi::OsStringExt as _};

use insta::assert_snapshot;
use jp_test::TestEnv;

use super::{confined, script, world};

#[test]
fn the_code_is_that_of_the_program() {
    let env = world();
    let check = |text: &str, code: i32| {
        let output = script(&env, &[], text).run().code(code);
        assert_eq!(output.stderr(), "", "{text}");
    };
    check("exit 0", 0);
    check("exit 7", 7);
    check("exit 255", 255);
    // A signal is told as shells do.
    check("kill -TERM $$", 128 + 15);
    check("kill -KILL $$", 128 + 9);
}

#[test]
fn programs_that_cannot_be_found() {
    let env = world();
    env.write("text", "no program");
    let run = |program: &str| confined(&env, &[], &[program]).run().code(2);
    assert_snapshot!(run("no-such-program"), @"
    $ jp sandbox run -- no-such-program
    exit code: 2
    --- stderr
    error: no program no-such-program was found
    ");
    assert_snapshot!(run("./no-such-program"), @"
    $ jp sandbox run -- ./no-such-program
    exit code: 2
    --- stderr
    error: no program ./no-such-program was found
    ");
    assert_snapshot!(run("./text"), @"
    $ jp sandbox run -- ./text
    exit code: 2
    --- stderr
    error: $PROJECT/./text is not an executable file
    ");
    assert_snapshot!(env.jp(["sandbox", "run"]).run().code(2), @"
    $ jp sandbox run
    exit code: 2
    --- stderr
    error: the following required arguments were not provided:
      <COMMAND>...

    Usage: jp sandbox run <COMMAND>...

    For more information, try '--help'.
    ");
}

/// A link that the rules hide, to a program that they show.
#[test]
fn a_program_that_is_out_of_sight() {
    let env = world();
    env.write("policy.toml", "[[access.fs]]\npath = \".\"\nread = true\n");
    env.command("/bin/ln", ["-s", "/bin/true", "../home/link"]).run().success();
    let link = env.home().join("link");
    let output = confined(&env, &["--policy", "policy.toml"], &[link.as_str()]).run().code(4);
    assert_snapshot!(output, @"
    $ jp sandbox run --policy policy.toml -- $HOME/link
    exit code: 4
    --- stderr
    error: cannot start $HOME/link: cannot execute $HOME/link: No such file or directory (os error 2)
    hint: $HOME/link is replaced by a private directory: with rules for files, places outside of the root are hidden
    hint: it is a link to /usr/bin/true; name that instead
    ");
}

/// Where a mistake in a policy is.
#[test]
fn policies_that_are_wrong() {
    let env = world();
    let check = |policy: &str| {
        env.write("policy.toml", policy);
        confined(&env, &["--policy", "policy.toml"], &["true"]).run().code(2).normalized_stderr()
    };
    assert_snapshot!(check("[[access.fs]]\npath = \".\"\nred = true\n"), @"
    error: unknown key `red` in `access.fs[0]`
     --> policy.toml:3:1
      |
    3 | red = true
      | ^^^
      |
      = help: did you mean `read`?
    ");
    assert_snapshot!(check("# outside\n[[access.fs]]\npath = \"../x\"\nread = true\n"), @"
    error: `access.fs[0]`: path escapes the workspace: ../x
     --> policy.toml:2:1
      |
    2 | [[access.fs]]
      | ^^^^^^^^^^^^^
    ");
    assert_snapshot!(check("[[access.fs]]\npath = \"/etc\"\nread = true\n"), @"
    error: `access.fs[0]`: path is outside the workspace: /etc
     --> policy.toml:1:1
      |
    1 | [[access.fs]]
      | ^^^^^^^^^^^^^
    ");
    assert_snapshot!(check("source = \"builtin\"\n[[access.fs]]\npath = \".\"\n"), @r#"
    error: `access` on a tool whose source is `builtin`: only local tools can be restricted
     --> policy.toml:2:3
      |
    2 | [[access.fs]]
      |   ^^^^^^
      |
     ::: policy.toml:1:10
      |
    1 | source = "builtin"
      |          --------- this source is not local
    "#);
    assert_snapshot!(check("[[access.net]]\nhost = \"*.example.org\"\nallow = true\n"), @"
    error: `access.net[0]`: wildcards are not supported in a host: *.example.org; write one rule for each host
     --> policy.toml:1:1
      |
    1 | [[access.net]]
      | ^^^^^^^^^^^^^^
    ");
    assert_snapshot!(check("[system]\npresets = [\"perl\"]\n"), @r#"
    error: `system.presets[0]` must be one of "rust", "node", "python", "go", "java", "git", found "perl"
     --> policy.toml:2:12
      |
    2 | presets = ["perl"]
      |            ^^^^^^
    "#);
    assert_snapshot!(check("[access\n"), @"
    error: unclosed table, expected `]`
     --> policy.toml:1:8
      |
    1 | [access
      |        ^ not valid TOML
    ");
}

#[test]
fn options_that_are_wrong() {
    let env = world();
    env.write("file", "");
    let check =
        |options: &[&str]| confined(&env, options, &["true"]).run().code(2).normalized_stderr();
    assert_snapshot!(check(&["--policy", "none.toml"]), @"error: --policy none.toml: no such file");
    assert_snapshot!(check(&["--root", "none"]), @"error: --root $PROJECT/none: No such file or directory (os error 2)");
    assert_snapshot!(check(&["--root", "file"]), @"error: --root $PROJECT/file: not a directory");
    assert_snapshot!(check(&["--preset", "perl"]), @"
    error: invalid value 'perl' for '--preset <NAME>'
      [possible values: rust, node, python, go, java, git]

    For more information, try '--help'.
    ");
    assert_snapshot!(check(&["--dry-run", "--review"]), @"
    error: the argument '--dry-run' cannot be used with '--review'

    Usage: jp sandbox run --dry-run <COMMAND>...

    For more information, try '--help'.
    ");
}

#[test]
fn input_and_output_pass_byte_for_byte() {
    let env = world();
    // Every byte, in an order that does not repeat.
    let bytes: Vec<u8> =
        (0_u32..1 << 18).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let output = script(&env, &[], "cat; echo told >&2").stdin(bytes.clone()).run().success();
    assert!(output.stdout_bytes() == bytes, "{} bytes", output.stdout_bytes().len());
    assert_eq!(output.stderr(), "told\n");
}

#[test]
fn arguments_pass_byte_for_byte() {
    let env = world();
    let odd = OsString::from_vec(b"\xff \xfe'\"\n$HOME*".to_vec());
    let args = ["sandbox", "run", "--", "printf", "%s|", "", "--dry-run", "--"].map(OsString::from);
    let output = env.jp(args.into_iter().chain([odd])).run().success();
    assert_eq!(output.stdout_bytes(), b"|--dry-run|--|\xff \xfe'\"\n$HOME*|");
}

/// 076-282
#[test]
fn variables_are_the_minimal_and_the_granted_ones() {
    let env = world();
    env.write(
        "policy.toml",
        "[access]\nenv = [{ name = \"APP_*\", read = true }, { name = \"APP_SECRET\" }]\n",
    );
    let variables = |options: &[&str]| {
        let run = confined(&env, options, &["env"]).env_remove("TMPDIR");
        let run =
            run.env("APP_MODE", "fast").env("APP_SECRET", "x").env("TOKEN", "x").env("USER", "me");
        let output = run.run().success();
        let mut lines: Vec<_> = output.normalized_stdout().lines().map(str::to_owned).collect();
        lines.sort();
        lines.join("\n")
    };
    assert_snapshot!(variables(&["--policy", "policy.toml"]), @"
    APP_MODE=fast
    HOME=$HOME
    LANG=C.UTF-8
    PATH=/usr/bin:/bin
    USER=me
    ");
    // Without rules for them they are left alone, 076-025.
    assert_snapshot!(variables(&[]), @"
    APP_MODE=fast
    APP_SECRET=x
    HOME=$HOME
    LANG=C.UTF-8
    PATH=/usr/bin:/bin
    TOKEN=x
    TZ=UTC
    USER=me
    XDG_CACHE_HOME=$HOME/.cache
    XDG_CONFIG_HOME=$HOME/.config
    XDG_DATA_HOME=$HOME/.local/share
    XDG_STATE_HOME=$HOME/.local/state
    ");
}

#[test]
fn the_directory_is_the_current_one_where_the_program_sees_it() {
    let env = world();
    env.write("a/b/file", "");
    env.write(env.home().join("other/file"), "");
    let directory = |env: &TestEnv, options: &[&str], cwd: &str| {
        let output = confined(env, options, &["pwd"]).cwd(cwd).run().success();
        output.normalized_stdout().trim_end().to_owned()
    };
    let other = env.home().join("other");
    let policy = env.path("policy.toml");
    assert_eq!(directory(&env, &[], "."), "$PROJECT");
    assert_eq!(directory(&env, &[], "a/b"), "$PROJECT/a/b");
    assert_eq!(directory(&env, &["--root", "."], "a/b"), "$PROJECT/a/b");
    assert_eq!(directory(&env, &["--root", other.as_str()], "a"), "$HOME/other");
    env.write(
        "policy.toml",
        "[[access.fs]]\npath = \".\"\nread = true\n[[access.fs]]\npath = \"a\"\n",
    );
    assert_eq!(directory(&env, &["--policy", policy.as_str()], "a/b"), "$PROJECT");
    env.write("policy.toml", "[[access.fs]]\npath = \".\"\n");
    assert_eq!(directory(&env, &["--policy", policy.as_str()], "a/b"), "/");
}

/// What the rules are about is the root, wherever the workspace is.
#[test]
fn the_root_is_what_the_rules_are_about() {
    let env = world();
    env.write("a/inside", "");
    env.write("outside", "");
    env.write("policy.toml", "[[access.fs]]\npath = \".\"\nread = true\n");
    let output = script(&env, &["--root", "a", "--policy", "policy.toml"], "pwd; ls -A . ..").run();
    assert_snapshot!(output.success(), @"
    $ jp sandbox run --root a --policy policy.toml -- /bin/sh -c 'pwd; ls -A . ..'
    exit code: 0
    --- stdout
    $PROJECT/a
    .:
    inside

    ..:
    a
    ");
    let output = script(&env, &["--root", "a"], "echo > x; echo > ../x").run().code(2);
    assert_snapshot!(output, @"
    $ jp sandbox run --root a -- /bin/sh -c 'echo > x; echo > ../x'
    exit code: 2
    --- stderr
    /bin/sh: 1: cannot create ../x: Read-only file system

    The sandbox denied:
      write $PROJECT/x (read-only)
        to allow it: --write $PROJECT
    ");
    assert!(env.path("a/x").is_file() && !env.path("x").exists());
}

/// The plan is printed and nothing is run.
#[test]
fn the_plan() {
    let env = world();
    env.write("src/lib.rs", "");
    env.write(".env", "TOKEN=1");
    env.write(
        "policy.toml",
        "[access]
fs = [{ path = \".\", read = true, write = true }, { path = \"src\", read = true }]
net = [{ host = \"example.org\", allow = true }]
env = [{ name = \"APP_*\", read = true }]
",
    );
    let output =
        script(&env, &["--plan", "--policy", "policy.toml"], "echo > made").run().success();
    let of_workspace = |line: &&str| !line.starts_with("  /") || line.contains("$PROJECT");
    let text = output.normalized_stdout();
    let lines: Vec<_> = text.lines().filter(of_workspace).collect();
    assert_snapshot!(lines.join("\n"), @"
    namespaces, network proxy, starts what it sees, variables minimal, transactional
      $HOME          private
      $PROJECT       judged
      $PROJECT/.env  hidden
      $PROJECT/.jp   read
      $PROJECT/src   read
    . [read] exact
    . [create update delete] exact: judged when the call ends
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    src [read create update delete] exact
    src [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    example.org [net] exact: through the proxy, for programs that use HTTP_PROXY and HTTPS_PROXY
    APP_* [env] exact
    outside the workspace sees only the system and its toolchains [profile] exact
    $HOME/.aws/credentials [profile] exact: hidden
    $HOME/.config/gcloud [profile] exact: hidden
    $HOME/.docker/config.json [profile] exact: hidden
    $HOME/.gnupg [profile] exact: hidden
    $HOME/.kube/config [profile] exact: hidden
    $HOME/.ssh [profile] exact: hidden
    $PROJECT/.env [profile] exact: hidden
    ");
    assert!(text.ends_with('\n'), "{text:?}");
    assert!(!env.path("made").exists());
}
