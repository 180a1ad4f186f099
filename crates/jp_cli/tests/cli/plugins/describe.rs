//! What plugins say of themselves, and what they can do meanwhile.

use std::{
    net::TcpListener,
    time::{Duration, Instant},
};

use camino::Utf8Path;
use jp_test::TestEnv;

use super::{bin, installed, jp, on_path, plugin, program, sum, workspace};

/// A plugin that describes itself by what came of a command.
fn reporting(env: &TestEnv, name: &str, command: &str) {
    let text = format!(
        r#"#!/bin/bash
read -r line
said=$( ( {command} ) 2>&1 | tr '\n' ' ')
printf '{{"type":"describe","name":"x","version":"1","description":"[%s]"}}\n' "$said"
"#
    );
    program(env, &bin(env).join(name), &text);
}

/// All variables of a sealed plugin: the usual ones, the one for its file, and three that the shell adds which shows
/// them.
const VARIABLES: &str = "[HOME JP_PLUGIN_FILE LANG LC_TIME PATH PWD SHLVL USER _ ]";

/// The line about a plugin in the help.
fn line(env: &TestEnv, name: &str) -> String {
    let run = jp(env, "-h").env("SECRET_TOKEN", "leaked").env("USER", "me").env("LC_TIME", "C");
    let output = run.run().success();
    let found = output.stdout().lines().find(|line| line.trim_start().starts_with(name));
    found.unwrap_or_else(|| panic!("no {name}: {output}")).trim().to_owned()
}

#[test]
fn only_describe_is_sent() {
    let env = workspace();
    // 072-102, 072-103: all that it is sent, to the end of its input.
    let text = r#"#!/bin/bash
all=$(cat | tr '"' "'")
printf '{"type":"describe","name":"x","version":"1","description":"%s"}\n' "$all"
"#;
    program(&env, &bin(&env).join("jp-x"), text);
    assert_eq!(line(&env, "x"), "x  {'type':'describe'}");
}

#[test]
fn nobody_has_agreed_to_it_so_it_is_sealed() {
    let env = workspace();
    env.write("secret", "of the workspace");
    env.write(env.home().join("secret"), "of the home");
    let (project, home) = (env.project(), env.home());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect =
        format!("(exec 3<>/dev/tcp/127.0.0.1/{port}) 2> /dev/null && echo connected || echo alone");
    // 072-119 to 072-126
    for (name, command, expected) in [
        ("workspace", format!("cat {project}/secret || echo no"), "No such file"),
        ("home", format!("cat {home}/secret || echo no"), "No such file"),
        ("passwd", "cat /etc/passwd || echo no".to_owned(), "No such file"),
        ("other", format!("cat {}/jp-home || echo no", bin(&env)), "No such file"),
        ("network", connect, "[alone ]"),
        // Nothing but the way to the plugin itself.
        ("tmp", "ls -A /tmp".to_owned(), &format!("[{} ]", env.root().file_name().unwrap())),
        ("program", "jq -n 1+1".to_owned(), "[2 ]"),
        ("env", "env | cut -d= -f1 | LC_ALL=C sort".to_owned(), VARIABLES),
        ("write", format!("touch {home}/made && echo made"), "No such file"),
    ] {
        reporting(&env, &format!("jp-{name}"), &command);
        let line = line(&env, name);
        assert!(line.contains(expected), "{line}");
        assert!(!line.contains("SECRET_TOKEN") && !line.contains("of the"), "{line}");
    }
    assert!(!env.home().join("made").exists());
    // 072-125: what it brings along is not executed.
    program(&env, &bin(&env).join("helper"), "#!/bin/sh\necho ran\n");
    reporting(&env, "jp-runs", &format!("{}/helper || echo no", bin(&env)));
    assert!(!line(&env, "runs").contains("ran"));
}

#[test]
fn without_a_sandbox_it_is_not_asked() {
    let env = workspace();
    let mark = env.root().join("ran");
    plugin(&env, &bin(&env).join("jp-x"), "", &format!("touch {mark}"));
    let hide = "namespaces,landlock,seccomp";
    // 072-128, 072-129
    let output = jp(&env, "-h").env("JP_SANDBOX_HIDE", hide).run().success();
    assert!(output.stdout().contains("  x  (unverified)\n"), "{output}");
    assert!(!mark.exists());
    let output = jp(&env, "x -h").env("JP_SANDBOX_HIDE", hide).run().success();
    assert!(output.stdout().contains("not approved"), "{output}");
    // 072-115: an installed one was wanted here.
    let file = env.root().join("jp-there");
    plugin(&env, &file, "", "");
    install(&env, &file);
    let output = jp(&env, "-h").env("JP_SANDBOX_HIDE", hide).run().success();
    assert!(output.stdout().contains("  there  About there\n"), "{output}");
    // It can still be run by the name of its file.
    let allow = super::unattended("x");
    jp(&env, &format!("{allow} x")).env("JP_SANDBOX_HIDE", hide).run().success();
    assert!(mark.exists());
}

/// Nobody wanted what lies where an installed file was.
#[test]
fn without_a_sandbox_only_what_was_installed_is_asked() {
    let env = workspace();
    let (file, mark) = (env.root().join("jp-there"), env.root().join("ran"));
    plugin(&env, &file, "", "");
    install(&env, &file);
    let listed = |what: &str| {
        let run = jp(&env, "plugin list --refresh --format json");
        let run = run.env("JP_SANDBOX_HIDE", "namespaces,landlock,seccomp");
        let output = run.run().success();
        assert!(output.stdout().contains(what), "{what}: {output}");
    };
    listed("About there");
    // Bytes that another has put there, in its place or beside it.
    let touch = format!("touch {mark}");
    for name in ["jp-there", "jp-more"] {
        plugin(&env, &installed(&env).join(name), "", &touch);
    }
    listed("unverified");
    assert!(!mark.exists());
    // What was installed and is not what is pinned would not run either.
    plugin(&env, &file, "", &touch);
    install(&env, &file);
    let pin = format!("plugin pin there --sha256 {}", "ab".repeat(32));
    jp(&env, &pin).run().success();
    listed("unverified");
    assert!(!mark.exists());
    jp(&env, "plugin pin there --remove").run().success();
    listed("About there");
    assert!(mark.exists());
}

/// Installs a file, and agrees to it.
fn install(env: &TestEnv, file: &Utf8Path) {
    jp(env, &format!("plugin install {file} --sha256 {}", sum(env, file))).run().success();
}

#[test]
fn an_answer_is_remembered_as_long_as_the_file_is_the_same() {
    let env = workspace();
    // Each time it is asked it says something else.
    reporting(&env, "jp-x", "date +%N");
    let first = line(&env, "x");
    // 072-131, 072-133
    assert_eq!(line(&env, "x"), first);
    assert!(jp(&env, "x -h").run().success().stdout().contains(first.trim_start_matches("x  ")));
    // 072-132: another time, other bytes of the same size, another path.
    let file = bin(&env).join("jp-x");
    env.command("/bin/touch", ["-d", "2001-01-01", file.as_str()]).run().success();
    let touched = line(&env, "x");
    assert_ne!(touched, first);
    let text = env.read(&file).replace("date +%N", "date +%M");
    let swap = format!(
        "cp -p {file} {file}.old; printf '%s' \"$1\" > {file}; touch -r {file}.old {file}; rm {file}.old"
    );
    env.command("/bin/sh", ["-c", &swap, "sh", &text]).run().success();
    let swapped = line(&env, "x");
    assert_ne!(swapped, touched);
    env.command("/bin/mv", [file.as_str(), bin(&env).join("jp-y").as_str()]).run().success();
    assert!(line(&env, "y").starts_with("y  ["));
}

#[test]
fn the_list_asks_again_when_it_is_told_to() {
    let env = workspace();
    reporting(&env, "jp-x", "date +%N");
    let first = line(&env, "x");
    jp(&env, "plugin list --refresh").run().success();
    assert_ne!(line(&env, "x"), first);
}

/// Four plugins that only answer when all four have been asked. One after the other, the first would wait
/// for the others until its time is over.
#[test]
fn they_are_asked_side_by_side() {
    // 072-134
    let env = workspace();
    let marks = env.root().join("marks");
    env.write(marks.join("here"), "");
    let names = ["one", "two", "three", "four"];
    let approval = |name: &&str| {
        let file = bin(&env).join(format!("jp-{name}"));
        let wait = format!(
            "touch {marks}/{name}; while [ $(ls {marks} | wc -l) -lt 5 ]; do sleep 0.01; done"
        );
        plugin(&env, &file, "", &wait);
        let sum = sum(&env, &file);
        format!("{{\"path\":\"{file}\",\"sha256\":\"{sum}\",\"by\":\"person\"}}")
    };
    // What somebody has agreed to is asked where it can see the others.
    let approvals = names.iter().map(approval).collect::<Vec<_>>().join(",");
    let list = format!("{{\"version\":1,\"approvals\":[{approvals}]}}");
    env.write(env.state_home().join("jp/plugins/approvals.json"), list);
    let output = jp(&env, "-h").run().success();
    for name in names {
        assert!(output.stdout().contains(&format!("About {name}\n")), "{output}");
    }
}

#[test]
fn one_that_misbehaves_hides_nobody_and_delays_nobody() {
    let env = workspace();
    on_path(&env, "jp-good", "");
    // Nobody else sleeps for so long.
    let nap = format!("sleep 60.{}", std::process::id());
    for (name, text) in [
        ("hangs", "NAP"),
        ("hangs-too", "NAP & NAP"),
        ("deaf", "exec NAP < /dev/null"),
        ("crashes", "kill -SEGV $$"),
        ("floods", "exec yes"),
        ("endless", "exec tr '\\0' x < /dev/zero"),
        ("lies", "echo '{\"type\":\"describe\",\"name\":\"x\"}'"),
        ("binary", "head -c 100 /dev/urandom"),
        ("closes", "exec 0<&- 1>&- 2>&-; exec NAP"),
        ("forks", "for i in 1 2 3 4 5 6 7 8 9; do NAP & done"),
        ("silent", "exit 0"),
    ] {
        let text = format!("#!/bin/bash\n{}\n", text.replace("NAP", &nap));
        program(&env, &bin(&env).join(format!("jp-{name}")), &text);
    }
    program(&env, &bin(&env).join("jp-empty"), "");
    program(&env, &bin(&env).join("jp-nowhere"), "#!/no/such/interpreter\n");
    // 072-107, 072-127, 072-135
    let start = Instant::now();
    let output = jp(&env, "-h").run().success();
    let took = start.elapsed();
    assert!(output.stdout().contains("  good       About good\n"), "{output}");
    let bad = output.stdout().matches("(does not describe itself)").count();
    assert_eq!(bad, 13, "{output}");
    // Five of them use up their two seconds; one after the other that would be ten.
    assert!(took < Duration::from_secs(9), "{took:?}");
    let count = format!("ps -eo args | grep -c '^{nap}$' || true");
    let left = env.command("/bin/sh", ["-c", &count]).run();
    assert_eq!(left.stdout().trim(), "0", "something is left of them");
    // What they did is remembered too.
    let start = Instant::now();
    assert_eq!(jp(&env, "-h").run().success().stdout(), output.stdout());
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}
