//! Commands of plugins in the completion of a shell.

use super::{bin, jp, on_path, plugin, workspace};

#[test]
fn the_remembered_commands() {
    let env = workspace();
    on_path(&env, "jp-serve-web", "");
    on_path(&env, "jp-odd", r#","command":["conversation","export"]"#);
    jp(&env, "-h").run().success();
    // One that nobody has asked yet is not started for this.
    let mark = env.root().join("ran");
    plugin(&env, &bin(&env).join("jp-new"), "", &format!("touch {mark}"));
    let words = |line: &str| jp(&env, &format!("__complete-plugins {line}")).run();
    assert_eq!(words("").success().stdout(), "conversation\t\nnew\t\nserve\t\n");
    assert_eq!(words("-C / c").success().stdout(), "export\tAbout odd\n");
    assert_eq!(words("serve").code(3).stdout(), "web\tAbout serve-web\n");
    assert!(!mark.exists());
}

#[test]
fn in_bash() {
    let env = workspace();
    on_path(&env, "jp-serve-web", "");
    on_path(&env, "jp-conversation-export", "");
    jp(&env, "-h").run().success();
    let check = |typed: &str, expected: &[&str], absent: &[&str]| {
        let words: Vec<&str> = typed.split(' ').collect();
        let script = format!(
            "source <(jp completions bash)\nCOMP_WORDS=({typed} '')\nCOMP_CWORD={}\n\
             _jp_with_plugins jp '' {}\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.len(),
            words.last().unwrap(),
        );
        let jp = camino::Utf8Path::new(env!("CARGO_BIN_EXE_jp")).parent().unwrap();
        let search = format!("{jp}:{}:/usr/bin:/bin", bin(&env));
        let output = env.command("/bin/bash", ["-c", &script]).env("PATH", search).run().success();
        let found: Vec<&str> = output.stdout().lines().collect();
        assert!(expected.iter().all(|word| found.contains(word)), "{typed}: {output}");
        assert!(!absent.iter().any(|word| found.contains(word)), "{typed}: {output}");
    };
    check("jp", &["serve", "config"], &["export"]);
    check("jp serve", &["web"], &["config"]);
    check("jp conversation", &["export", "ls"], &["serve"]);
}

#[test]
fn the_scripts_of_other_shells_ask_too() {
    let env = workspace();
    for shell in ["zsh", "fish"] {
        let output = env.jp(["completions", shell]).run().success();
        assert!(output.stdout().contains("jp __complete-plugins"), "{shell}");
    }
}
