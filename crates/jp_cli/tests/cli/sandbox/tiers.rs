//! Machines that offer less: confined or refused, never open.

use insta::assert_snapshot;
use jp_test::{Run, TestEnv};

use super::{script, world};

const NO_NAMESPACES: &str = "namespaces";
const NOTHING: &str = "namespaces,landlock";

/// Each rule grants more than the one around it.
const WIDENING: &str = "[access]
fs = [{ path = \".\", read = true }, { path = \"out\", read = true, write = true }]
";

/// A rule takes back what the one around it grants.
const NARROWING: &str = "[access]
fs = [{ path = \".\", read = true, write = true }, { path = \"src\", read = true }]
";

fn workspace(policy: &str) -> TestEnv {
    let env = world();
    env.write("policy.toml", policy);
    env.write("src/lib.rs", "lib\n");
    env.write("out/old", "old\n");
    env.write(env.home().join("notes"), "notes\n");
    env
}

fn on<'env>(hide: &str, run: Run<'env>) -> Run<'env> {
    run.env("JP_SANDBOX_HIDE", hide)
}

const WORK: &str =
    "cat src/lib.rs; echo x > out/new; echo x > new; echo x > src/lib.rs; cat ~/notes; exit 1";

#[test]
fn landlock_keeps_rules_that_widen() {
    let env = workspace(WIDENING);
    let output = on(NO_NAMESPACES, script(&env, &["--policy", "policy.toml"], WORK)).run().code(1);
    assert_snapshot!(output, @r#"
    $ jp sandbox run --policy policy.toml -- /bin/sh -c 'cat src/lib.rs; echo x > out/new; echo x > new; echo x > src/lib.rs; cat ~/notes; exit 1'
    exit code: 1
    --- stdout
    lib
    --- stderr
    /bin/sh: 1: cannot create new: Permission denied
    /bin/sh: 1: cannot create src/lib.rs: Permission denied
    cat: $HOME/notes: Permission denied

    The sandbox denied:
      write $PROJECT/new (read-only)
        to allow it: add { path = "new", read = true, write = true } to `access.fs` in policy.toml
      write $PROJECT/src/lib.rs (read-only)
        to allow it: add { path = "src/lib.rs", read = true, write = true } to `access.fs` in policy.toml
      read $HOME/notes (hidden)
        to allow it: --read $HOME/notes
    "#);
    assert_eq!(env.read("out/new") + &env.read("src/lib.rs"), "x\nlib\n");
    assert!(!env.path("new").exists());
}

#[test]
fn landlock_refuses_rules_that_narrow() {
    let env = workspace(NARROWING);
    let output = on(NO_NAMESPACES, script(&env, &["--policy", "policy.toml"], WORK)).run().code(4);
    assert_snapshot!(output, @"
    $ jp sandbox run --policy policy.toml -- /bin/sh -c 'cat src/lib.rs; echo x > out/new; echo x > new; echo x > src/lib.rs; cat ~/notes; exit 1'
    exit code: 4
    --- stderr
    error: the sandbox cannot keep the policy: `src` (create, update, delete): Landlock cannot take back what the rule around it grants; that needs user namespaces
    hint: This machine offers Landlock only. User namespaces are allowed by `sysctl user.max_user_namespaces` above 0, on Ubuntu also by an AppArmor profile or `sysctl kernel.apparmor_restrict_unprivileged_userns=0`, and in a container by a seccomp profile that lets `unshare` and `clone` make them.
    hint: `jp sandbox doctor` shows what is missing.
    hint: `[sandbox] allow_degraded = true`, or `--cfg sandbox.allow_degraded=true`, runs it anyway, with a warning.
    ");
    assert!(!env.path("out/new").exists(), "it did not run");
}

/// 076-280, D11-011
#[test]
fn degraded_is_said_once() {
    let env = workspace(NARROWING);
    let options = ["--policy", "policy.toml", "--cfg", "sandbox.allow_degraded=true"];
    let output = on(NO_NAMESPACES, script(&env, &options, WORK)).run().code(1);
    assert_snapshot!(output, @"
    $ jp sandbox run --policy policy.toml --cfg sandbox.allow_degraded=true -- /bin/sh -c 'cat src/lib.rs; echo x > out/new; echo x > new; echo x > src/lib.rs; cat ~/notes; exit 1'
    exit code: 1
    --- stdout
    lib
    --- stderr
    warning: not everything is enforced: `src` (create, update, delete): Landlock cannot take back what the rule around it grants; that needs user namespaces
    cat: $HOME/notes: Permission denied

    The sandbox denied:
      read $HOME/notes (hidden)
        to allow it: --read $HOME/notes
    ");
    assert_eq!(env.read("src/lib.rs"), "x\n", "which is what was warned about");
}

/// Without rules: the default keeps writes inside also by Landlock, unless there is a secret to hide.
#[test]
fn landlock_without_rules() {
    let env = workspace(WIDENING);
    let output = on(NO_NAMESPACES, script(&env, &[], "echo x > new; echo x > ~/x; exit 1")).run();
    assert_snapshot!(output.code(1), @"
    $ jp sandbox run -- /bin/sh -c 'echo x > new; echo x > ~/x; exit 1'
    exit code: 1
    --- stderr
    /bin/sh: 1: cannot create $HOME/x: Permission denied

    The sandbox denied:
      write $HOME/x (hidden)
        to allow it: make it first, and then --write $HOME/x
    ");
    assert!(env.path("new").is_file() && !env.home().join("x").exists());
    env.write(".env", "TOKEN=1\n");
    let output = on(NO_NAMESPACES, script(&env, &[], "cat .env")).run().code(4);
    assert_eq!(output.stdout(), "");
}

/// Who asks to see changes first never gets a run that makes them.
#[test]
fn without_overlays_there_is_no_dry_run() {
    let env = workspace(WIDENING);
    let run = |hide: &str, options: &[&str]| {
        let output = on(hide, script(&env, options, "echo x > new")).run().code(4);
        assert!(!env.path("new").exists(), "{output}");
        output.normalized_stderr()
    };
    assert_snapshot!(run(NO_NAMESPACES, &["--dry-run"]), @"
    error: changes cannot be kept apart, so they cannot be shown before they are made
    hint: `jp sandbox doctor` shows what is missing
    ");
    assert_eq!(run(NO_NAMESPACES, &["--dry-run"]), run("overlay", &["--dry-run"]));
    assert_snapshot!(run("", &["--dry-run", "--cfg", "sandbox.default=off"]), @r#"
    error: changes cannot be kept apart, so they cannot be shown before they are made
    hint: the sandbox is turned off: `[sandbox] default = "off"`
    "#);
    assert_eq!(
        run(NOTHING, &["--dry-run", "--cfg", "sandbox.default=off"]),
        run("", &["--dry-run", "--cfg", "sandbox.default=off"])
    );
}

#[test]
fn nothing_to_confine_with() {
    let env = workspace(WIDENING);
    let run = |options: &[&str]| on(NOTHING, script(&env, options, "echo ran")).run();
    assert_snapshot!(run(&[]).code(4), @"
    $ jp sandbox run -- /bin/sh -c 'echo ran'
    exit code: 4
    --- stderr
    error: the sandbox cannot keep the policy: `writes only to the workspace, caches and a private temporary directory` (profile): the kernel offers nothing to enforce it with
    hint: This machine offers neither user namespaces nor Landlock. User namespaces are allowed by `sysctl user.max_user_namespaces` above 0, on Ubuntu also by an AppArmor profile or `sysctl kernel.apparmor_restrict_unprivileged_userns=0`, and in a container by a seccomp profile that lets `unshare` and `clone` make them. Landlock needs Linux 5.13 or newer with `landlock` in /sys/kernel/security/lsm.
    hint: `jp sandbox doctor` shows what is missing.
    hint: `[sandbox] allow_degraded = true`, or `--cfg sandbox.allow_degraded=true`, runs it anyway, with a warning.
    ");
    assert_snapshot!(run(&["--cfg", "sandbox.default=off"]).success(), @"
    $ jp sandbox run --cfg sandbox.default=off -- /bin/sh -c 'echo ran'
    exit code: 0
    --- stdout
    ran
    ");
    assert_snapshot!(run(&["--cfg", "sandbox.allow_degraded=true"]).success(), @"
    $ jp sandbox run --cfg sandbox.allow_degraded=true -- /bin/sh -c 'echo ran'
    exit code: 0
    --- stdout
    ran
    --- stderr
    warning: not everything is enforced: `writes only to the workspace, caches and a private temporary directory` (profile): the kernel offers nothing to enforce it with
    ");
    assert_snapshot!(run(&["--cfg", "sandbox.default=off", "--policy", "policy.toml"]).success(), @"
    $ jp sandbox run --cfg sandbox.default=off --policy policy.toml -- /bin/sh -c 'echo ran'
    exit code: 0
    --- stdout
    ran
    --- stderr
    warning: not everything is enforced: `.` (create, update, delete, execute): confinement is turned off; `out` (execute): confinement is turned off
    ");
    let strict = run(&["--cfg", "sandbox.default=strict"]).code(4);
    assert_eq!(strict.stdout(), "");
}
