//! What holds for a program without rules: decision 4 with real programs.

use insta::assert_snapshot;
use jp_test::TestEnv;

use super::{confined, script, world};

/// A home with secrets and other things in it.
fn workspace() -> TestEnv {
    let env = world();
    env.write(".env", "secret in the workspace\n");
    env.write("sub/.env.local", "secret below it\n");
    env.write("old", "as it was\n");
    env.write(env.home().join(".ssh/id_ed25519"), "secret key\n");
    env.write(env.home().join("notes"), "notes\n");
    env
}

const READ: &str = "cat old ~/notes .env sub/.env.local ~/.ssh/id_ed25519; ls -A . sub ~";

/// 076-024
#[test]
fn secrets_cannot_be_read() {
    let env = workspace();
    let open = env.command("/bin/sh", ["-c", READ]).run().success();
    assert_eq!(open.stdout().matches("secret").count(), 3, "they are there: {open}");
    assert_snapshot!(script(&env, &[], &format!("{READ}; exit 1")).run().code(1), @"
    $ jp sandbox run -- /bin/sh -c 'cat old ~/notes .env sub/.env.local ~/.ssh/id_ed25519; ls -A . sub ~; exit 1'
    exit code: 1
    --- stdout
    as it was
    notes
    .:
    .env
    .jp
    old
    sub

    $HOME:
    .cache
    .ssh
    notes

    sub:
    .env.local
    --- stderr
    cat: .env: Permission denied
    cat: sub/.env.local: Permission denied
    cat: $HOME/.ssh/id_ed25519: Permission denied

    The sandbox denied:
      read $PROJECT/.env (sensitive)
        to allow it: --allow-sensitive $PROJECT/.env
      read $PROJECT/sub/.env.local (sensitive)
        to allow it: --allow-sensitive $PROJECT/sub/.env.local
      read $HOME/.ssh/id_ed25519 (sensitive)
    ");
}

/// 076-023
#[test]
fn writes_stay_in_the_workspace_and_a_private_temporary_directory() {
    let env = workspace();
    let temp = format!("/tmp/{}", env.root().file_name().unwrap());
    let write = format!(
        "echo changed > old; echo new > sub/new; echo t > {temp}; cat {temp}; echo t > $TMPDIR/x; \
         cat $TMPDIR/x; echo x > /var/tmp/x; echo x > ~/x; echo x > ../x; echo x > /usr/x; \
         rm ~/notes; mv ~/notes .; ln old ~/link; chmod 777 ~/notes; exit 1"
    );
    let output = script(&env, &[], &write).run().code(1).replace(temp.clone(), "/tmp/$TEMP");
    assert_snapshot!(output, @"
    $ jp sandbox run -- /bin/sh -c 'echo changed > old; echo new > sub/new; echo t > /tmp/$TEMP; cat /tmp/$TEMP; echo t > $TMPDIR/x; cat $TMPDIR/x; echo x > /var/tmp/x; echo x > ~/x; echo x > ../x; echo x > /usr/x; rm ~/notes; mv ~/notes .; ln old ~/link; chmod 777 ~/notes; exit 1'
    exit code: 1
    --- stdout
    t
    t
    --- stderr
    /bin/sh: 1: cannot create $HOME/x: Read-only file system
    /bin/sh: 1: cannot create ../x: Read-only file system
    /bin/sh: 1: cannot create /usr/x: Read-only file system
    rm: cannot remove '$HOME/notes': Read-only file system
    mv: cannot remove '$HOME/notes': Read-only file system
    ln: failed to create hard link '$HOME/link': Read-only file system
    chmod: changing permissions of '$HOME/notes': Read-only file system

    The sandbox denied:
      write $HOME/x (read-only)
        to allow it: make it first, and then --write $HOME/x
      write $ROOT/x (read-only)
        to allow it: --write $ROOT
      write /usr/x (read-only)
        to allow it: --write /usr
      write $HOME/notes (read-only)
        to allow it: --write $HOME/notes
      write $HOME/link (read-only)
        to allow it: make it first, and then --write $HOME/link
    ");
    assert_eq!(env.read("old"), "changed\n");
    assert_eq!(env.read("sub/new"), "new\n");
    let rest = env.command("/bin/ls", ["-A", env.home().as_str(), env.root().as_str()]).run();
    assert!(!rest.stdout().lines().any(|line| matches!(line, "x" | "link")), "{rest}");
    assert!(!camino::Utf8Path::new(&temp).exists() && env.home().join("notes").is_file());
}

/// What says what programs may do is not changed by one of them.
#[test]
fn settings_of_jp_cannot_be_changed() {
    let env = workspace();
    let work = "echo 'sandbox.default = \"off\"' > .jp/config.toml; rm -r .jp; mv .jp away; \
                echo > .jp/new; exit 1";
    let output = script(&env, &[], work).run().code(1);
    assert_eq!(env.read(".jp/config.toml"), "", "{output}");
    assert!(!env.path(".jp/new").exists(), "{output}");
}

/// 076-038: the workspace can be read, and nothing else is there.
#[test]
fn strict() {
    let env = workspace();
    let strict = ["--cfg", "sandbox.default=strict"];
    let shell = "while read line; do echo $line; done < old; echo x > old; \
                 while read line; do echo $line; done < .env; read line < ~/notes; \
                 echo \"${APP_MODE-no variable}\"; exit 1";
    let output = script(&env, &strict, shell).env("APP_MODE", "fast").run().code(1);
    assert_snapshot!(output, @r#"
    $ jp sandbox run --cfg sandbox.default=strict -- /bin/sh -c 'while read line; do echo $line; done < old; echo x > old; while read line; do echo $line; done < .env; read line < ~/notes; echo "${APP_MODE-no variable}"; exit 1'
    exit code: 1
    --- stdout
    as it was
    no variable
    --- stderr
    /bin/sh: 1: cannot create old: Read-only file system
    /bin/sh: 1: cannot open .env: Permission denied
    /bin/sh: 1: cannot open $HOME/notes: No such file

    The sandbox denied:
      write $PROJECT/old (read-only)
        to allow it: --cfg sandbox.default=workspace
      read $PROJECT/.env (sensitive)
        to allow it: --allow-sensitive $PROJECT/.env
      read $HOME/notes (replaced by a private directory)
        to allow it: --read $HOME/notes
    "#);
    // No other program can be started.
    let output = script(&env, &strict, "cat old; exit 1").run().code(1);
    assert!(output.stderr().contains("\n  execute /usr/bin/cat ("), "{output}");
    assert_eq!(env.read("old"), "as it was\n");
}

/// 076-040
#[test]
fn off() {
    let env = workspace();
    let off = ["--cfg", "sandbox.default=off"];
    let output = script(&env, &off, &format!("{READ}; echo x > ~/x; echo $APP_MODE"))
        .env("APP_MODE", "fast");
    let output = output.run().success();
    assert_eq!(output.stdout().matches("secret").count(), 3, "{output}");
    assert_eq!((output.stderr(), env.read(env.home().join("x")).as_str()), ("", "x\n"));
    // Rules are kept all the same.
    env.write("policy.toml", "[[access.fs]]\npath = \"sub\"\nread = true\n");
    let output =
        confined(&env, &[&off[..], &["--policy", "policy.toml"]].concat(), &["cat", "old"]);
    assert_snapshot!(output.run().code(1), @r#"
    $ jp sandbox run --cfg sandbox.default=off --policy policy.toml -- cat old
    exit code: 1
    --- stderr
    warning: sub/.env.local is sensitive and stays hidden, though it is granted by the rule for `sub`; to show it: --allow-sensitive sub/.env.local
    cat: old: No such file or directory

    The sandbox denied:
      read $PROJECT/old (hidden)
        to allow it: add { path = "old", read = true } to `access.fs` in policy.toml
    "#);
}

/// 076-281, 076-272: what the rules deny, the kernel denies, at any nesting.
#[test]
fn rules_hold_for_a_program_that_asks_nobody() {
    let env = workspace();
    env.write("src/lib.rs", "lib\n");
    env.write("src/generated/out.rs", "out\n");
    env.write("private/key", "key\n");
    env.write("private/public/readme", "readme\n");
    env.write("bin/tool", "#!/bin/sh\necho tool runs\n");
    env.command("/bin/chmod", ["+x", "bin/tool"]).run().success();
    env.write(
        "policy.toml",
        "[access]
fs = [
    { path = \".\", read = true, write = true },
    { path = \"src\", read = true },
    { path = \"src/generated\", read = true, write = true },
    { path = \"private\" },
    { path = \"private/public\", read = true },
    { path = \"later\" },
]
",
    );
    let work = "cat src/lib.rs private/public/readme private/key; echo x > src/lib.rs; \
                echo x > src/generated/new; echo x > private/public/readme; mv src away; \
                echo x > new; bin/tool; mkdir later; cat ~/notes; exit 1";
    let output = script(&env, &["--policy", "policy.toml"], work).run().code(1);
    assert_snapshot!(output, @r#"
    $ jp sandbox run --policy policy.toml -- /bin/sh -c 'cat src/lib.rs private/public/readme private/key; echo x > src/lib.rs; echo x > src/generated/new; echo x > private/public/readme; mv src away; echo x > new; bin/tool; mkdir later; cat ~/notes; exit 1'
    exit code: 1
    --- stdout
    lib
    readme
    --- stderr
    warning: sensitive paths stay hidden, though they are granted: .env, sub/.env.local; to show one: --allow-sensitive PATH
    cat: private/key: No such file or directory
    /bin/sh: 1: cannot create src/lib.rs: Read-only file system
    /bin/sh: 1: cannot create private/public/readme: Read-only file system
    mv: cannot move 'src' to 'away': Device or resource busy
    /bin/sh: 1: bin/tool: Permission denied
    cat: $HOME/notes: No such file or directory

    The sandbox denied:
      read $PROJECT/private/key (hidden)
        to allow it: add { path = "private/key", read = true } to `access.fs` in policy.toml
      write $PROJECT/src/lib.rs (read-only)
        to allow it: add { path = "src/lib.rs", read = true, write = true } to `access.fs` in policy.toml
      write $PROJECT/private/public/readme (read-only)
        to allow it: add { path = "private/public/readme", read = true, write = true } to `access.fs` in policy.toml
      execute $PROJECT/bin/tool (not executable)
        to allow it: add { path = "bin/tool", read = true, execute = true } to `access.fs` in policy.toml
      write $PROJECT/later (hidden)
        to allow it: add { path = "later", read = true, write = true } to `access.fs` in policy.toml
      read $HOME/notes (replaced by a private directory)
        to allow it: --read $HOME/notes

    Refused by the policy, and not made:
      later: the rule for `later` does not grant create
    "#);
    assert_eq!(env.read("src/generated/new") + &env.read("new"), "x\nx\n");
    assert!(!env.path("later").exists() && env.read("src/lib.rs") == "lib\n");
}

/// A rule for a link is a rule for what it leads to, for the kernel as for everybody (076-270).
#[test]
fn a_rule_for_a_link_is_about_what_it_leads_to() {
    let env = world();
    env.write("real/old", "as it was\n");
    env.write("other/old", "as it was\n");
    std::os::unix::fs::symlink("real", env.project().join("link")).unwrap();
    env.write(
        "policy.toml",
        "[[access.fs]]\npath = \".\"\nread = true\n\n\
         [[access.fs]]\npath = \"link\"\nread = true\nwrite = true\n",
    );
    let work = "echo new > real/old; echo new > link/new; echo new > other/old";
    let options = ["--policy", "policy.toml"];
    script(&env, &options, work).run().code(2);
    assert_eq!(env.read("real/old"), "new\n");
    assert_eq!(env.read("real/new"), "new\n");
    assert_eq!(env.read("other/old"), "as it was\n");
}

/// A tool cannot grant itself more for the next call.
#[test]
fn settings_cannot_be_changed_from_inside() {
    let env = world();
    let off = "printf '[sandbox]\\ndefault = \"off\"\\n'";
    let before = env.read(".jp/config.toml");
    script(&env, &[], &format!("{off} >> .jp/config.toml")).run().code(2);
    assert_eq!(env.read(".jp/config.toml"), before);
    // What is kept apart until the end can be made, and is refused there.
    let refused = script(&env, &["--dry-run"], &format!("{off} > .jp.toml")).run().code(4);
    assert!(refused.stderr().contains(".jp.toml: it holds settings of jp"), "{refused}");
}

/// A workspace can come from anywhere, so what it loosens is said.
#[test]
fn a_workspace_that_loosens_the_sandbox_is_named() {
    let env = world();
    let settings = env.read(".jp/config.toml");
    env.write(".jp/config.toml", format!("{settings}\n[sandbox]\ndefault = \"off\"\n"));
    let output = script(&env, &[], "true").run().success();
    let warning =
        "warning: `sandbox.default` of this workspace loosens the sandbox (.jp/config.toml:";
    assert!(output.stderr().contains(warning), "{output}");
    let own = script(&env, &["--cfg", "sandbox.default=off"], "true").run().success();
    assert!(!own.stderr().contains("of this workspace"), "{own}");
}

/// Another name of a file that is kept back is kept back too, as by the host (decision 6).
#[test]
fn another_name_of_a_hidden_file_is_hidden() {
    let env = world();
    env.write(".env", "secret\n");
    env.write("denied/key", "secret\n");
    env.write("plain", "plain\n");
    let link = |from: &str, to: &str| {
        std::fs::hard_link(env.project().join(from), env.project().join(to)).unwrap();
    };
    link(".env", "notes.txt");
    link("denied/key", "key.txt");
    link("plain", "plain.txt");
    env.write(
        "policy.toml",
        "[[access.fs]]\npath = \".\"\nread = true\n\n[[access.fs]]\npath = \"denied\"\n",
    );
    let output =
        script(&env, &["--policy", "policy.toml"], "cat notes.txt key.txt plain.txt").run();
    assert_eq!(output.code(1).stdout(), "plain\n");
}

/// What is hidden is not deleted: a commit of everything must not take it for that.
#[test]
fn a_commit_does_not_delete_what_is_hidden() {
    let env = world();
    env.write(".env.example", "TOKEN=\n");
    env.write("plain", "old\n");
    let git = |words: &str| {
        let identity = "git -c user.name=n -c user.email=a@b.c";
        env.command("/bin/sh", ["-c", &format!("{identity} {words}")]).run()
    };
    git("init -q .").success();
    git("add -A").success();
    git("commit -qm first").success();
    env.write("plain", "new\n");
    let commit = "git -c user.name=n -c user.email=a@b.c commit -qam second";
    let output = script(&env, &[], commit).run();
    let files = git("ls-tree --name-only HEAD").success().stdout().to_owned();
    assert!(files.contains(".env.example"), "{files}{output}");
}
