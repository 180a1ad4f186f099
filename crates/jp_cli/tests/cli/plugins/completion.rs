//! Commands of plugins in the completion of a shell.

use std::time::Duration;

use jp_test::{Run, Size, TestEnv};

use super::{bin, jp, on_path, plugin, workspace};

const LIMIT: Duration = Duration::from_secs(30);
const SIZE: Size = Size { rows: 40, cols: 120 };

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
    assert_eq!(words("").success().stdout(), "new\t\nserve\t\n");
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
        let output = shell(&env, "/bin/bash", &["-c", &script]).run().success();
        let found: Vec<&str> = output.stdout().lines().collect();
        assert!(expected.iter().all(|word| found.contains(word)), "{typed}: {output}");
        assert!(!absent.iter().any(|word| found.contains(word)), "{typed}: {output}");
        let mut once = found.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), found.len(), "a word is offered twice, {typed}: {output}");
    };
    check("jp", &["serve", "config", "conversation"], &["export"]);
    check("jp serve", &["web"], &["config"]);
    check("jp conversation", &["export", "ls"], &["serve"]);
}

/// A shell that finds `jp` and the plugins, and nothing of what is built beside `jp`.
fn shell<'a>(env: &'a TestEnv, program: &str, args: &[&str]) -> Run<'a> {
    let bin = bin(env);
    env.command("/bin/ln", ["-sf", env!("CARGO_BIN_EXE_jp"), bin.as_str()]).run().success();
    let search = format!("{bin}:/usr/bin:/bin");
    env.command(program, args.iter().copied()).env("PATH", search)
}

#[test]
fn in_fish() {
    let env = workspace();
    on_path(&env, "jp-serve-web", "");
    on_path(&env, "jp-conversation-export", "");
    jp(&env, "-h").run().success();
    let check = |typed: &str, expected: &[&str], absent: &[&str]| {
        let script = format!("jp completions fish | source; complete -C '{typed}'");
        let output = shell(&env, "/usr/bin/fish", &["--no-config", "-c", &script]).run().success();
        let found: Vec<&str> = output.stdout().lines().collect();
        assert_eq!(output.stderr(), "", "{typed}: {output}");
        for word in expected {
            assert!(found.contains(word), "{typed}: {word} is not in {output}");
        }
        let offered = |word: &str| found.iter().any(|it| it.split('\t').next() == Some(word));
        assert!(!absent.iter().any(|word| offered(word)), "{typed}: {output}");
    };
    check("jp ", &["serve", "config\tLook at the configuration"], &["export", "web"]);
    check("jp ser", &["serve"], &["config"]);
    check("jp serve ", &["web\tAbout serve-web"], &["config", "serve"]);
    check("jp conversation ", &["export\tAbout conversation-export"], &["serve", "config"]);
    check("jp conversation e", &["export\tAbout conversation-export"], &["ls"]);
    check("jp serve --", &[], &["web"]);
    check("jp -C / serve ", &["web\tAbout serve-web"], &["config"]);
}

#[test]
fn in_zsh() {
    let env = workspace();
    on_path(&env, "jp-serve-web", "");
    on_path(&env, "jp-conversation-export", "");
    jp(&env, "-h").run().success();
    env.write("start", "autoload -U compinit && compinit -u -D\nsource <(jp completions zsh)\nPS1='> '\necho started\n");
    let mut terminal = shell(&env, "/usr/bin/zsh", &["-f", "-i"]).pty(SIZE);
    terminal.send("source ./start\r").expect("started", LIMIT);
    // What is completed as far as it can be, and then run by `echo`.
    let mut check = |typed: &str, completed: &str| {
        // The whole line is echoed once the word is completed.
        terminal.send(&format!("{typed}\t")).expect(completed, LIMIT).send("\x15");
    };
    check("jp ser", "jp serve ");
    check("jp serve ", "jp serve web ");
    check("jp conversation exp", "jp conversation export ");
    check("jp -C / serve w", "jp -C / serve web ");
    check("jp conf", "jp config ");
    // Several are listed with what they are about.
    terminal.send("jp conversation \t").expect("About conversation-export", LIMIT).send("\x15");
    terminal.send("exit\r");
    let _ = terminal.wait(LIMIT).success();
}
