//! A plugin whose rules say what it may touch.

use std::time::Duration;

use jp_test::{Signal, Size, TestEnv};
use serde_json::json;

use super::{HEAD, add, configure, copies, jp, pid, values};

#[test]
fn a_plugin_with_rules_touches_what_they_allow() {
    // Not in the temporary directory, which a confined program has for itself.
    let env = TestEnv::new_in(env!("CARGO_BIN_EXE_jp"), env!("CARGO_TARGET_TMPDIR"));
    env.write(".jp/config.toml", "");
    env.write("src/main.rs", "fn main() {}\n");
    env.write("secret", "s");
    let body = r#"
def attempt(path, mode):
    try:
        open(path, mode).close()
        return True
    except OSError:
        return False
root = init["workspace"]["root"]
show([attempt(root + "/src/main.rs", "r"), attempt(root + "/src/main.rs", "a"),
      attempt(root + "/secret", "r"), attempt(root + "/.jp/id", "r"),
      ask(type="list_conversations")["type"], ask(type="create_conversation")["type"]])
say(type="exit", code=0)
"#;
    add(&env, "jp-p", format!("{HEAD}{body}"));
    let free = values(&jp(&env, &["p"]).run().success());
    assert_eq!(free, [json!([true, true, true, true, "conversations", "created"])]);
    configure(&env, "[[plugins.command.p.access.fs]]\npath = 'src'\nread = true\n");
    let output = jp(&env, &["p"]).run().success();
    // What it asks the host for is not a matter of its own rules.
    assert_eq!(
        values(&output),
        [json!([true, false, false, false, "conversations", "created"])],
        "{output}"
    );
}

/// What starts a plugin without rules is there before anybody knows whether it has some, and would stay.
#[test]
fn nobody_waits_while_a_plugin_with_rules_runs() {
    let env = TestEnv::new_in(env!("CARGO_BIN_EXE_jp"), env!("CARGO_TARGET_TMPDIR"));
    env.write(".jp/config.toml", "");
    let body = "say(type='print', text='running\\n')\nhear()\nsay(type='exit', code=0)\n";
    add(&env, "jp-p", format!("{HEAD}{body}"));
    configure(&env, "[[plugins.command.p.access.fs]]\npath = '.'\nread = true\n");
    let running = jp(&env, &["p"]).spawn();
    running.expect_stdout("running");
    assert_eq!(copies(running.id()), [0; 0]);
    running.signal(Signal::TERM);
    running.wait().success();
}

/// The same while a person thinks about it.
#[test]
fn nobody_waits_while_a_person_is_asked() {
    let env = crate::workspace();
    add(&env, "jp-p", format!("{HEAD}say(type='exit', code=0)\n"));
    env.write(env.config_home().join("jp/config.toml"), "");
    let program = jp_test::find_bin("jp");
    let path = format!("{}:/usr/bin:/bin", env.root().join("bin"));
    let shell = format!("echo pid $$; exec {program} p");
    let mut pty = env.command("/bin/sh", ["-c", &shell]).env("PATH", path).pty(Size::default());
    let soon = Duration::from_secs(20);
    pty.expect("[n/o/a]", soon);
    assert_eq!(copies(pid(&pty.screen())), [0; 0]);
    // It is started all the same.
    pty.send("o\r");
    let _ = pty.wait(soon).success();
}

/// A workspace can come from anywhere, and a plugin with rules sees many workspaces.
#[test]
fn a_workspace_adds_nothing_to_what_a_plugin_may_touch() {
    let env = TestEnv::new_in(env!("CARGO_BIN_EXE_jp"), env!("CARGO_TARGET_TMPDIR"));
    env.write("src/main.rs", "fn main() {}\n");
    let home = env.home().to_owned();
    env.write(home.join("Documents/letter"), "private");
    env.write(home.join(".local/bin/other"), "");
    env.write(home.join(".cargo/registry/index"), "");
    let body = r#"
def attempt(path, mode):
    try:
        open(path, mode).close()
        return True
    except OSError:
        return False
home = os.environ["HOME"]
show([attempt(init["workspace"]["root"] + "/src/main.rs", "r"),
      attempt(init["workspace"]["root"] + "/.jp/config.toml", "r"),
      attempt(home + "/Documents/letter", "r"),
      attempt(home + "/.local/bin/other", "a"),
      attempt(home + "/.cargo/registry/index", "a")])
say(type="exit", code=0)
"#;
    add(&env, "jp-p", format!("{HEAD}{body}"));
    configure(&env, "[[plugins.command.p.access.fs]]\npath = 'src'\nread = true\n");
    let wide = "[sandbox]\nread = ['~/Documents']\nwrite = ['~/.local/bin']\npresets = ['rust']\n";
    for default in ["workspace", "strict", "off"] {
        let text = format!("{wide}default = '{default}'\nallow_degraded = true\n");
        env.write(".jp/config.toml", text);
        let output = jp(&env, &["p"]).run().success();
        assert_eq!(values(&output), [json!([true, false, false, false, false])], "{output}");
    }
    // What the user says is heeded, and a workspace that says less takes nothing away.
    env.write(".jp/config.toml", "");
    configure(&env, wide);
    let output = jp(&env, &["p"]).run().success();
    assert_eq!(values(&output), [json!([true, false, true, true, true])], "{output}");
}
