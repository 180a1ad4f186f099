//! `process.run` of a sealed tool: real programs, confined, on disks and on copies of what is no disk.
//!
//! The danger is a program that may do more than the tool that wanted it, and one that is still there
//! when nobody waits for it any more. So programs here try what the rules deny, and the table of
//! processes is searched afterwards.

#![expect(clippy::disallowed_methods, reason = "tests look at processes")]

mod changes;
mod copies;

use std::{
    fs,
    net::TcpListener,
    time::{Duration, Instant},
};

use jp_test::TestEnv;
use serde_json::{Value, json};

use super::vfs_client::{Asked, LIMIT, call, configure, hiding, request, workspace};

const SECRET: &str = "s3cr3t/+=%41&\"x y\"";

/// The tool may do everything with the files of the project.
const FILES: &str =
    "[[conversation.tools.ask.access.fs]]\npath = \".\"\nread = true\nwrite = true\n";

/// A rule for a program. `rest` is what stands in it.
fn command(program: &str, rest: &str) -> String {
    format!("[conversation.tools.ask.access.commands.{program}]\n{rest}\n")
}

fn run(program: &str, args: &[&str]) -> Value {
    request("process.run", &json!({ "program": program, "args": args }))
}

fn run_with(program: &str, args: &[&str], envs: &[&str]) -> Value {
    request("process.run", &json!({ "program": program, "args": args, "envs": envs }))
}

/// A script that `python3` runs.
fn python(script: &str) -> Value {
    run("python3", &["-c", script])
}

fn ran(asked: &Asked, number: usize) -> (&str, &str, i64) {
    let result = asked.result(number);
    let text = |name: &str| result[name].as_str().expect("it is a text");
    (text("stdout"), text("stderr"), result["exit_code"].as_i64().expect("it is a number"))
}

/// D11-148, D11-149, D11-150, D11-151, D11-161
#[test]
fn a_program_gets_its_arguments_and_says_how_it_ended() {
    let rules = command("python3", "") + &command("sh", "") + &command("no-such-program", "");
    let env = workspace(&rules);
    let odd =
        ["a b", "", "\"q\" 'r'", "$HOME", ";id", "`id`", "*", "--", "é\n\t\\n", "|cat", "-x=1"];
    let show = "import sys, json; print(json.dumps(sys.argv[1:]))";
    let args: Vec<&str> = ["-c", show].into_iter().chain(odd).collect();
    let requests = [
        run("python3", &args),
        run("sh", &["-c", "echo out; echo err >&2; exit 7"]),
        run("sh", &["-c", "kill -TERM $$"]),
        run("sh", &["-c", "kill -KILL $$"]),
        run("no-such-program", &[]),
        request("process.run", &json!({ "args": [] })),
        request("process.run", &json!({ "program": "sh", "args": "-c" })),
        run("sh", &["-c", "cat; printf '\\377'"]),
    ];
    let asked = Asked::from(call(&env, &requests, &[]).run());
    assert_eq!(asked.codes(), [0, 0, 0, 0, -32002, -32602, -32602, 0], "{:?}", asked.answers);
    let (stdout, stderr, code) = ran(&asked, 0);
    assert_eq!(serde_json::from_str::<Value>(stdout).unwrap(), json!(odd));
    assert_eq!((stderr, code), ("", 0));
    assert_eq!(ran(&asked, 1), ("out\n", "err\n", 7));
    assert_eq!(ran(&asked, 2), ("", "", 143));
    assert_eq!(ran(&asked, 3), ("", "", 137));
    assert!(asked.message(4).contains("no-such-program"), "{}", asked.message(4));
    // There is nothing to read, and what is no text is shown as well as it can be.
    assert_eq!(ran(&asked, 7), ("\u{fffd}", "", 0));
}

/// D11-152, D11-153, D11-207, D11-208, D11-250
#[test]
fn only_what_is_listed_is_started() {
    let lists = "args = [[\"-c\", \"exit 3\"], [\"-c\", \"echo\", \"**\"], []]";
    let env = workspace(&(command("sh", lists) + FILES));
    let requests = [
        run("sh", &["-c", "exit 3"]),
        run("sh", &["-c", "echo", "a", "**", "b"]),
        run("sh", &["-c", "echo"]),
        run("sh", &[]),
        run("sh", &["-c", "touch made"]),
        run("sh", &["-c"]),
        run("sh", &["-c", "exit 3", "more"]),
        run("sh", &["-x", "-c", "echo"]),
        run("/bin/sh", &["-c", "exit 3"]),
        run("./sh", &["-c", "exit 3"]),
        run("touch", &["made"]),
        run("no-such-program", &[]),
        run("", &[]),
        run("sh", &["-c", "echo", "a\0b"]),
        run("s\0h", &[]),
    ];
    let asked = Asked::from(call(&env, &requests, &["--trace", "trace"]).run());
    let codes = asked.codes();
    assert_eq!(codes[..4], [0; 4], "{:?}", asked.answers);
    assert_eq!(codes[4..12], [-32001; 8], "{:?}", asked.answers);
    // What can be no program is nobody's to allow.
    assert_eq!(codes[12..], [-32602; 3], "{:?}", asked.answers);
    assert_eq!(ran(&asked, 0).2, 3);
    assert!(asked.message(4).contains("sh") && asked.message(4).contains("exit 3"));
    assert!(asked.message(10).contains("touch"), "{}", asked.message(10));
    assert!(!env.path("made").exists());
    // Arguments can be secret.
    assert!(!env.read("trace").contains("made"), "{}", env.read("trace"));
    // Without rules nothing is started at all, whatever the rules for other things are.
    for settings in ["", FILES] {
        configure(&env, settings);
        let asked = Asked::from(call(&env, &[run("touch", &["made"])], &[]).run());
        assert_eq!(asked.codes(), [-32001]);
        assert!(!env.path("made").exists());
    }
}

/// D11-154, D11-155, D11-156, D11-159, D11-160
#[test]
fn variables_are_forwarded_by_name_and_come_back_redacted() {
    let env = workspace(&command("python3", "envs = [\"TOKEN\", \"UNNAMED\", \"ABSENT\"]"));
    let script = "import os, sys, json, base64, urllib.parse as u\n\
        t = os.environ.get('TOKEN', '')\n\
        forms = [t, json.dumps(t), u.quote(t, safe=''), base64.b64encode(t.encode()).decode(), t.encode().hex()]\n\
        print('out', *forms, sep='\\n')\n\
        print('err', *forms, sep='\\n', file=sys.stderr)\n\
        print(sorted(set(os.environ) - {'PATH', 'HOME', 'USER', 'LANG', 'TMPDIR', 'LC_CTYPE'}))";
    let names = ["TOKEN", "OTHER", "ABSENT"];
    let requests = [run_with("python3", &["-c", script], &names), python(script)];
    let more = ["--trace", "trace", "-vvvv", "--log-file", "log"];
    let run = hiding(&env, &requests, SECRET, &more);
    let run = run.env("TOKEN", SECRET).env("OTHER", "of others").env("UNNAMED", "unnamed");
    let asked = Asked::from(run.run());
    assert_eq!(asked.codes(), [0, 0], "{:?}", asked.answers);
    assert!(!asked.leaked, "{:?}", asked.answers);
    let (stdout, stderr, _) = ran(&asked, 0);
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines[1], "[REDACTED]");
    assert_eq!(lines[2], "\"[REDACTED]\"");
    assert_eq!(lines[3..6], ["[REDACTED]"; 3], "{stdout}");
    assert_eq!(lines[6], "['TOKEN']");
    assert_eq!(stderr.lines().skip(1).collect::<Vec<_>>(), lines[1..6]);
    assert_eq!(ran(&asked, 1).0.lines().last(), Some("[]"));
    let said = [asked.output.stdout(), asked.output.stderr(), &env.read("trace"), &env.read("log")];
    assert!(said.iter().all(|text| !text.is_empty()), "{said:?}");
    let said = said.concat();
    assert!(!said.contains("s3cr3t") && !said.contains("of others") && !said.contains("unnamed"));
}

/// D11-157, and the rules of the tool hold for its programs.
#[test]
fn a_program_is_confined_by_the_rules_of_the_tool() {
    let rules = "\
        [[conversation.tools.ask.access.fs]]\npath = \".\"\nread = true\n\
        [[conversation.tools.ask.access.fs]]\npath = \"out\"\nread = true\nwrite = true\n\
        [[conversation.tools.ask.access.fs]]\npath = \"private\"\n";
    let env = workspace(&(rules.to_owned() + &command("python3", "")));
    env.write("out/old", "old");
    env.write("private/key", "classified");
    env.write(env.home().join("notes"), "mine");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let write = |path: &str| python(&format!("open({path:?}, 'w').write('new')"));
    let requests = [
        python("import os; print(os.getcwd())"),
        write("out/new"),
        write("beside"),
        python("print(open('private/key').read())"),
        python(&format!("print(open({:?}).read())", env.home().join("notes").as_str())),
        write(env.home().join("made").as_str()),
        python(&format!(
            "import socket; socket.create_connection(('127.0.0.1', {}), 5)",
            address.port()
        )),
        python("print(open('out/old').read())"),
        write(".jp/config.toml"),
    ];
    let config = env.read(".jp/config.toml");
    let asked = Asked::from(call(&env, &requests, &[]).run());
    assert_eq!(ran(&asked, 0).0.trim_end(), env.project());
    assert_eq!(ran(&asked, 1).2, 0);
    assert_eq!(env.read("out/new"), "new");
    assert!(!env.path("beside").exists());
    for number in [3, 4, 6] {
        let (stdout, _, code) = ran(&asked, number);
        assert!(code != 0 && stdout.is_empty(), "{number}: {:?}", asked.answers[number]);
    }
    assert!(!env.home().join("made").exists());
    assert!(listener.accept().is_err(), "there was a connection");
    assert_eq!(ran(&asked, 7), ("old\n", "", 0));
    assert_eq!(env.read(".jp/config.toml"), config);
}

/// D11-219: what is sensitive is not for programs either, and neither are the settings of jp.
#[test]
fn a_program_gets_nothing_sensitive() {
    let env = workspace(&(FILES.to_owned() + &command("sh", "")));
    env.write(".env", "KEY=classified\n");
    env.write("sub/.env.local", "KEY=classified\n");
    let config = env.read(".jp/config.toml");
    let requests = [
        run("sh", &["-c", "cat .env sub/.env.local"]),
        run("sh", &["-c", "echo mine > .env"]),
        run("sh", &["-c", "rm -f sub/.env.local"]),
        run("sh", &["-c", "mv .env env; cat env"]),
        run("sh", &["-c", "echo >> .jp/config.toml"]),
        run("sh", &["-c", "echo on"]),
    ];
    for more in [&[][..], &["--dry-run"]] {
        let output = call(&env, &requests, more).run().success();
        assert!(!output.stdout().contains("classified"), "{output}");
        assert!(output.stdout().contains("\"stdout\": \"on\\n\""), "{output}");
        assert_eq!(env.read(".env"), "KEY=classified\n", "{output}");
        assert_eq!(env.read("sub/.env.local"), "KEY=classified\n", "{output}");
        assert_eq!(env.read(".jp/config.toml"), config, "{output}");
    }
}

/// D11-206: the short form says the same.
#[test]
fn the_short_form_of_rules_means_the_same() {
    let settings = "\
        [conversation.tools.ask.sandbox]\nfilesystem.allow = [\".\"]\nfilesystem.writable = true\n\
        [conversation.tools.ask.sandbox.commands.sh]\nargs = [[\"-c\", \"**\"]]\nenvs = [\"TOKEN\"]\n";
    let env = workspace(settings);
    let requests = [
        run_with("sh", &["-c", "echo \"$TOKEN,$OTHER\" | tee made"], &["TOKEN", "OTHER"]),
        run("sh", &["-x", "-c", "exit"]),
        run("ls", &[]),
    ];
    let asked =
        Asked::from(call(&env, &requests, &[]).env("TOKEN", SECRET).env("OTHER", "o").run());
    assert_eq!(asked.codes(), [0, -32001, -32001], "{:?}", asked.answers);
    assert_eq!(ran(&asked, 0), ("[REDACTED],\n", "", 0));
    assert_eq!(env.read("made"), format!("{SECRET},\n"));
}

/// What a program leaves on the disk is met by the requests after it.
#[test]
fn what_a_program_leaves_behind_hangs_nobody() {
    let env = workspace(&(FILES.to_owned() + &command("python3", "")));
    env.write(env.home().join("notes"), "mine");
    let notes = env.home().join("notes");
    let script = format!(
        "import os, socket\nos.mkfifo('fifo')\nos.symlink({:?}, 'out')\nos.symlink('loop', 'loop')\n\
         os.symlink('.', 'self')\nsocket.socket(socket.AF_UNIX).bind('socket')",
        notes.as_str()
    );
    let on = |method: &str, path: &str| request(method, &json!({ "path": path }));
    let write = |path: &str| request("fs.write", &json!({ "path": path, "content": "x" }));
    let requests = [
        python(&script),
        on("fs.read", "fifo"),
        write("fifo"),
        on("fs.read", "socket"),
        on("fs.read", "out"),
        write("out"),
        on("fs.read", "loop"),
        write("loop"),
        on("fs.metadata", "fifo"),
        request("fs.grep", &json!({ "pattern": "mine" })),
        on("fs.list_dir", "."),
    ];
    let asked = Asked::from(call(&env, &requests, &[]).run());
    let codes = asked.codes();
    assert_eq!((codes[0], &codes[9..]), (0, &[0, 0][..]), "{:?}", asked.answers);
    assert!(codes[1..9].iter().all(|code| *code != 0), "{:?}", asked.answers);
    assert_eq!(asked.result(9)["matches"], json!([]));
    assert_eq!(env.read(notes), "mine");
}

/// D11-235, D11-176: what takes too long is ended, with all that it started.
#[test]
fn a_program_that_does_not_end_is_ended() {
    let env = workspace(&(command("sh", "") + "[vfs]\nprocess_timeout_secs = 1\n"));
    let mark = mark(&env);
    let script =
        format!("sh -c 'sleep 60; : {mark}' & (setsid sh -c 'sleep 60; : {mark}' &) ; sleep 60");
    let requests = [run("sh", &["-c", &script]), run("sh", &["-c", "echo on"])];
    let began = Instant::now();
    let asked = Asked::from(call(&env, &requests, &[]).run());
    assert_eq!(asked.codes(), [-32004, 0], "{:?}", asked.answers);
    assert!(began.elapsed() < Duration::from_secs(40), "{:?}", began.elapsed());
    assert_gone(&env);
    // Nor is anything left of one that ended by itself.
    let script = format!("(setsid sh -c 'sleep 60; : {mark}' &) ; exit 0");
    let asked = Asked::from(call(&env, &[run("sh", &["-c", &script])], &[]).run());
    assert_eq!(ran(&asked, 0), ("", "", 0));
    assert_gone(&env);
}

/// What is printed has a limit of its own, and a program that prints for ever an end.
#[test]
fn a_program_that_prints_too_much_is_ended() {
    let env =
        workspace(&(command("sh", "") + &command("yes", "") + "[vfs]\nfile_bytes = 100000\n"));
    let print = |count: u32| format!("head -c {count} /dev/zero | tr '\\0' x");
    let requests = [
        run("sh", &["-c", &print(100_000)]),
        run("sh", &["-c", &print(100_001)]),
        run("sh", &["-c", &format!("{{ {}; }} >&2", print(100_001))]),
        run("yes", &[]),
        run("sh", &["-c", "echo on"]),
    ];
    let asked = Asked::from(call(&env, &requests, &[]).run());
    assert_eq!(asked.codes(), [0, -32006, -32006, -32006, 0], "{:?}", asked.answers);
    assert_eq!(ran(&asked, 0).0, "(100000 characters)");
}

/// D11-211, D11-213, D11-214
#[test]
fn a_person_is_asked_about_a_program() {
    let env = workspace(FILES);
    let size = jp_test::Size { rows: 50, cols: 200 };
    let touch = |name: &str| run("touch", &[name]);
    let requests = [touch("a"), touch("b"), touch("a"), touch("a")];
    let mut terminal = call(&env, &requests, &[]).pty(size);
    terminal.expect("ask wants to run", LIMIT).expect("touch a", LIMIT).expect("[n/o/r/a]", LIMIT);
    assert!(!env.path("a").exists());
    terminal.send("o\r");
    terminal.expect("touch b", LIMIT).expect("[n/o/r/a]", LIMIT).send("n\r");
    terminal.expect("touch a", LIMIT).expect("[n/o/r/a]", LIMIT).send("r\r");
    terminal.expect("answers", LIMIT);
    terminal.wait(LIMIT).success();
    assert!(env.path("a").exists() && !env.path("b").exists());
}

/// A word that is among the arguments of the programs of one test only.
fn mark(env: &TestEnv) -> String {
    format!("mark-{}", env.root().file_name().unwrap_or_default())
}

/// D11-176
fn assert_gone(env: &TestEnv) {
    let deadline = Instant::now() + Duration::from_secs(5);
    let found = || {
        let entries = fs::read_dir("/proc").expect("there is a /proc").flatten();
        let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
        let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
        lines.filter(|line| line.contains(&mark(env))).collect::<Vec<_>>()
    };
    while !found().is_empty() {
        assert!(Instant::now() < deadline, "{:?}", found());
        std::thread::sleep(Duration::from_millis(20));
    }
}
