//! What is said when the policy cannot be kept, or keeps the program itself from being started.

use insta::assert_snapshot;

use super::{confined, script, world};

/// A plan of what would not be run says so, and ends as the run would.
#[test]
fn a_plan_says_that_a_run_would_be_refused() {
    let env = world();
    env.write("policy.toml", "[access.commands.git]\n");
    let options = ["--plan", "--policy", "policy.toml"];
    let output = confined(&env, &options, &["true"]).run().code(4);
    let (_, verdict) = output.stdout().split_once("\n\n").unwrap();
    assert_snapshot!(verdict, @r#"
    A run would be refused, with exit code 4: the sandbox cannot keep the policy: `commands` (commands): the kernel does not see which arguments a program is given, so the process can start any that it can see; a tool with `runtime = "vfs"` has them started and judged by the host
    hint: Remove `commands` to let it start what it sees, or write `commands = {}` to let it start nothing. A tool with `runtime = "vfs"` can have the list.
    hint: `[sandbox] allow_degraded = true`, or `--cfg sandbox.allow_degraded=true`, runs it anyway, with a warning.
    "#);
    let options = [&options[..], &["--cfg", "sandbox.allow_degraded=true"]].concat();
    let output = confined(&env, &options, &["true"]).run().success();
    let (_, verdict) = output.stdout().split_once("\n\n").unwrap();
    assert_snapshot!(verdict, @r#"A run would warn: not everything is enforced: `commands` (commands): the kernel does not see which arguments a program is given, so the process can start any that it can see; a tool with `runtime = "vfs"` has them started and judged by the host"#);
}

/// The kernel sees no arguments, so a list of commands is either empty or not kept.
#[test]
fn commands_in_a_policy() {
    let env = world();
    env.write("policy.toml", "[access.commands.ls]\n");
    assert_snapshot!(script(&env, &["--policy", "policy.toml"], "ls").run().code(4), @r#"
    $ jp sandbox run --policy policy.toml -- /bin/sh -c ls
    exit code: 4
    --- stderr
    error: the sandbox cannot keep the policy: `commands` (commands): the kernel does not see which arguments a program is given, so the process can start any that it can see; a tool with `runtime = "vfs"` has them started and judged by the host
    hint: Remove `commands` to let it start what it sees, or write `commands = {}` to let it start nothing. A tool with `runtime = "vfs"` can have the list.
    hint: `[sandbox] allow_degraded = true`, or `--cfg sandbox.allow_degraded=true`, runs it anyway, with a warning.
    "#);
    env.write("policy.toml", "[access]\ncommands = {}\n");
    assert_snapshot!(script(&env, &["--policy", "policy.toml"], "echo mine; ls").run().code(126), @"
    $ jp sandbox run --policy policy.toml -- /bin/sh -c 'echo mine; ls'
    exit code: 126
    --- stdout
    mine
    --- stderr
    /bin/sh: 1: ls: Permission denied

    The sandbox denied:
      execute /usr/bin/ls (it may start no other program)
    ");
}

/// What is on the way to a program and cannot be seen.
#[test]
fn programs_on_the_way_to_which_something_is_hidden() {
    let env = world();
    env.write(
        "policy.toml",
        "[access]\nfs = [{ path = \".\", read = true }, { path = \"private\" }]\n",
    );
    env.write("private/keep", "");
    let make = "cp /bin/sh ../home/shell; printf '#!%s/shell\\necho ran\\n' \"$HOME\" > script; chmod +x script; ln -s /bin/true private/link";
    env.command("/bin/sh", ["-c", make]).run().success();
    let run = |program: &str| {
        confined(&env, &["--policy", "policy.toml"], &[program]).run().code(4).normalized_stderr()
    };
    assert_snapshot!(run("private/link"), @"
    error: cannot start $PROJECT/private/link: cannot execute $PROJECT/private/link: Permission denied (os error 13)
    hint: the rule for `private` hides $PROJECT/private/link
    hint: it is a link to /usr/bin/true; name that instead
    ");
    assert_snapshot!(run("./script"), @"
    error: cannot start $PROJECT/./script: cannot execute $PROJECT/./script: No such file or directory (os error 2)
    hint: it is a script for $HOME/shell, and $HOME/shell is replaced by a private directory: with rules for files, places outside of the root are hidden
    hint: to allow it: --read $HOME/shell
    ");
    let shell = env.home().join("shell");
    let options = ["--policy", "policy.toml", "--read", shell.as_str()];
    assert_eq!(confined(&env, &options, &["./script"]).run().success().stdout(), "ran\n");
}

#[test]
fn names_of_programs_that_are_none() {
    let env = world();
    env.write("tool", "#!/bin/sh\n");
    let run = |program: &str| confined(&env, &[], &[program]).run().code(2).normalized_stderr();
    assert_snapshot!(run(""), @"error: the name of the program is empty");
    assert_snapshot!(run("tool"), @"
    error: no program tool was found
    hint: the file in this directory is ./tool
    ");
}

/// `strict`: the workspace can be read, and no other program starts.
#[test]
fn strict_starts_nothing_else() {
    let env = world();
    let strict = ["--cfg", "sandbox.default=strict"];
    assert_snapshot!(script(&env, &strict, "echo mine; ls").run().code(126), @"
    $ jp sandbox run --cfg sandbox.default=strict -- /bin/sh -c 'echo mine; ls'
    exit code: 126
    --- stdout
    mine
    --- stderr
    /bin/sh: 1: ls: Permission denied

    The sandbox denied:
      execute /usr/bin/ls (it may start no other program)
    ");
    // A script is started with its interpreter, which is no other program.
    env.write("script", "#!/bin/sh\necho ran\n");
    env.command("/bin/chmod", ["+x", "script"]).run().success();
    assert_eq!(confined(&env, &strict, &["./script"]).run().success().stdout(), "ran\n");
}
