//! From `init` to `exit`, and everything that can come between.

use std::time::{Duration, Instant};

use jp_test::{Output, Signal};
use serde_json::{Value, json};

use super::{add, configure, fake, is_alive, jp, pid, plugin, shown};

#[test]
fn init_says_everything() {
    let env = plugin("show(init)");
    env.write(".jp/config.toml", "[style]\ncolor = 'never'\n[assistant]\nname = 'W'\n");
    configure(&env, "[plugins.command.p.options]\nport = 3141\nnested = { a = ['b'] }\n");
    let words = ["--cfg", "assistant.name=X", "-vv", "p", "--all", "-v", "--", "a b", ""];
    let output = jp(&env, &words).run().success();
    let init: Value = serde_json::from_str(output.stdout()).unwrap();
    // 072-059, 072-060
    assert_eq!((&init["type"], &init["version"]), (&json!("init"), &json!(1)));
    // 072-061, 072-062, 072-063
    assert_eq!(init["workspace"]["root"], env.project().as_str());
    assert_eq!(init["workspace"]["storage"], env.path(".jp").as_str());
    assert_eq!(init["workspace"]["id"], env.read(".jp/id").trim());
    // 072-064: every layer, and what was said on the command line.
    assert_eq!(init["config"]["style"]["color"], "never");
    assert_eq!(init["config"]["assistant"]["name"], "X");
    // 072-092
    assert_eq!(init["config"]["plugins"]["shutdown_timeout_secs"], 5);
    // 072-065
    assert_eq!(init["args"], json!(["--all", "-v", "--", "a b", ""]));
    // 072-067, 072-068
    assert_eq!(init["log_level"], 2);
    // 072-069
    assert_eq!(init["options"], json!({ "port": 3141, "nested": { "a": ["b"] } }));
    // 072-070
    let id = init["workspace"]["id"].as_str().unwrap();
    assert_eq!(
        init["paths"],
        json!({
            "user_data": env.data_home().join("jp"),
            "user_config": env.config_home().join("jp"),
            "user_workspace": env.data_home().join("jp/workspace").join(id),
        })
    );
}

#[test]
fn init_without_words_and_options() {
    let env = plugin("show([init['args'], init['log_level'], init['options']])");
    // 072-066, 072-071
    assert_eq!(shown(&env, &[]), [json!([[], 0, {}])]);
    for (verbose, level) in [("-v", 1), ("-vvv", 3), ("-vvvv", 4), ("-vvvvvv", 4)] {
        let output = jp(&env, &[verbose, "p"]).run().success();
        assert!(output.stdout().starts_with(&format!("[[], {level}")), "{output}");
    }
}

#[test]
fn the_configuration_survives_the_way_to_a_plugin() {
    // 072-326: as JSON it is the same as what `config show` says.
    let env = plugin("show([init['config'], ask(type='read_config')])");
    env.write(
        ".jp/config.toml",
        "[conversation.tools.t]\nsource = 'local'\ncommand = { program = 'x', args = ['{{tool}}'] }\n\
         run = 'ask'\n[conversation.tools.t.parameters.a]\ntype = 'string'\nenum = ['x']\n\
         [[conversation.tools.t.access.fs]]\npath = '.'\nread = true\n\
         [sandbox]\ndefault = 'strict'\npresets = ['rust']\n\
         [providers.mcp.s]\nurl = 'https://example.org/mcp'\n\
         [plugins.command.q]\nrun = 'deny'\n\
         [plugins.command.q.checksum]\nalgorithm = 'sha256'\n\
         value = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'\n",
    );
    let values = shown(&env, &[]);
    let path = format!("{}:/usr/bin:/bin", env.root().join("bin"));
    let shown = env.jp(["config", "show", "--format", "json"]).env("PATH", path).run().success();
    let expected: Value = serde_json::from_str(shown.stdout()).unwrap();
    assert_eq!(values[0][0], expected);
    // 072-178, 072-179, 072-181
    assert_eq!(values[0][1], json!({ "type": "config", "data": expected }));
}

#[test]
fn ready_may_name_a_version() {
    let run = |version: &str| {
        let env = plugin(&format!("line('{{\"type\":\"ready\",\"version\":{version}}}')"));
        jp(&env, &["p"]).run()
    };
    // 072-073, 072-075
    for version in ["0", "1"] {
        run(version).success();
    }
    // 072-074
    let output = run("2").code(1);
    let message = "needs version 2 of the plugin protocol, and this program speaks version 1";
    assert!(output.stderr().contains(message), "{output}");
}

#[test]
fn requests_are_served_before_ready() {
    // 072-072, 072-076: this one never says it.
    let env = plugin("");
    add(
        &env,
        "jp-early",
        "#!/bin/bash\nread -r init\necho '{\"type\":\"read_config\",\"path\":\"style.color\"}'\n\
         read -r answer\n[[ $answer == *auto* ]] && echo '{\"type\":\"exit\",\"code\":9}'\n",
    );
    let _ = jp(&env, &["early"]).run().code(9);
}

#[test]
fn exit_says_how_jp_ends() {
    let run = |exit: &str| jp(&plugin(&format!("line(r'{exit}')")), &["p"]).run();
    // 072-077, 072-079
    for code in [0, 1, 42, 255] {
        let output = run(&format!("{{\"type\":\"exit\",\"code\":{code}}}")).code(code);
        assert_eq!(output.stderr(), "");
    }
    // 072-078
    for code in ["-1", "256", "99999999999999999999", "\"x\"", "1.5"] {
        let _ = run(&format!("{{\"type\":\"exit\",\"code\":{code}}}")).code(1);
    }
    // 072-080, 072-251: shown like every other error, without what a terminal would act on.
    let output = run("{\"type\":\"exit\",\"code\":3,\"reason\":\"use `--web`\\u001b[2J\"}").code(3);
    assert_eq!(output.stderr(), "error: use `--web`\n");
    let output = run("{\"type\":\"exit\",\"code\":0,\"reason\":\"all is well\"}").success();
    assert_eq!(output.stderr(), "");
}

#[test]
fn an_end_without_exit_is_an_error_that_names_it() {
    let env = fake();
    for (words, message) in [
        (&["die", "6"][..], "was ended by SIGABRT before it said `exit`"), // 072-082, 072-083
        (&["die", "9"], "was ended by SIGKILL before it said `exit`"),
        (&["end", "0"], "exited with code 0 before it said `exit`"), // 072-081
        (&["end", "5"], "exited with code 5 before it said `exit`"),
        (&["orphan"], "was ended by SIGKILL before it said `exit`"),
    ] {
        let output = jp(&env, &[&["fake"], words].concat()).run().code(1);
        assert!(output.stderr().contains(message), "{output}");
    }
    // Also one that does not even read what it is told.
    add(&env, "jp-hasty", "#!/bin/sh\nexit 0\n");
    let output = jp(&env, &["hasty"]).run().code(1);
    assert!(output.stderr().contains("exited with code 0 before"), "{output}");
}

#[test]
fn a_plugin_that_crashed_may_have_said_why() {
    let env = plugin("raise ValueError('the reason')");
    let output = jp(&env, &["p"]).run().code(1);
    assert!(!output.stderr().contains("the reason"), "{output}");
    let file = env.root().join("bin/jp-p");
    let check = format!("`jp plugin check -- {file}` tries it");
    let hint = format!("hint: `jp -vvvv p` shows what it writes to stderr; {check}\n");
    assert!(output.stderr().contains(&hint), "{output}");
    let output = jp(&env, &["-vvvv", "p"]).run().code(1);
    assert!(output.stderr().contains("ValueError: the reason"), "{output}");
    assert!(!output.stderr().contains("hint: `jp -vvvv"), "{output}");
    // Who closes its output has not said `exit` either.
    let env = plugin("os.close(1)\ntime.sleep(100)");
    configure(&env, "[plugins]\nshutdown_timeout_secs = 1\n");
    let output = jp(&env, &["p"]).run().code(1);
    assert!(output.stderr().contains("hint: `jp -vvvv p`"), "{output}");
}

#[test]
fn nothing_counts_after_exit() {
    // 072-084, 072-085
    let env = plugin(
        r#"
made = ask(type="create_conversation")["conversation"]
line('{"type":"exit","code":4}\n{"type":"print","text":"late"}\n' + json.dumps(
    dict(type="push_events", conversation=made, events=[{"type": "turn_start"}])))
"#,
    );
    assert_eq!(jp(&env, &["p"]).run().code(4).stdout(), "");
    let listed = env.jp(["conversation", "ls", "--json"]).run().success();
    let listed: Value = serde_json::from_str(listed.stdout()).unwrap();
    assert_eq!(listed["events_count"], 0);
}

#[test]
fn what_was_asked_before_exit_is_done() {
    let env = plugin(
        r#"
made = ask(type="create_conversation")["conversation"]
for _ in range(50):
    say(type="push_events", conversation=made, events=[{"type": "turn_start"}])
"#,
    );
    jp(&env, &["p"]).run().success();
    let listed = env.jp(["conversation", "ls", "--json"]).run().success();
    let listed: Value = serde_json::from_str(listed.stdout()).unwrap();
    assert_eq!(listed["events_count"], 50);
}

#[test]
fn a_plugin_that_lingers_is_ended_and_its_word_counts() {
    let env = fake();
    configure(&env, "[plugins]\nshutdown_timeout_secs = 1\n");
    for what in ["exit-silence", "exit-flood", "exit-stop"] {
        // 072-086, 072-087, 072-093
        let start = Instant::now();
        let output = jp(&env, &["fake", what]).run().code(7);
        let took = start.elapsed();
        assert!(took >= Duration::from_secs(1) && took < Duration::from_secs(5), "{took:?}");
        assert_eq!((output.stdout(), output.stderr()), ("", ""), "{output}");
    }
}

#[test]
fn what_a_plugin_leaves_behind_ends_with_it() {
    // 072-100: 100 of them, and one that holds all pipes.
    let env = fake();
    for what in ["grandchild", "fork"] {
        let start = Instant::now();
        let _ = jp(&env, &["fake", what]).run().code(7);
        assert!(start.elapsed() < Duration::from_secs(5));
    }
    let env = plugin(
        r#"
import subprocess
child = subprocess.Popen(["setsid", "sleep", "1000"])
say(type="print", text="pid %d\n" % child.pid)
"#,
    );
    let output = jp(&env, &["p"]).run().success();
    assert!(!is_alive(pid(output.stdout())), "{output}");
}

/// A process that is none of its own has both pipes of a plugin, and neither reads nor ends.
#[test]
fn whoever_else_has_the_pipes_of_a_plugin_holds_nobody_up() {
    let output = held("os._exit(9)", None);
    assert!(output.stderr().contains("exited with code 9 before it said `exit`"), "{output}");
}

/// The same, and the plugin does not end by itself.
#[test]
fn what_a_plugin_asked_that_is_killed_is_done_whoever_has_its_pipes() {
    let output = held("time.sleep(100)", Some(Signal::INT));
    assert!(output.stderr().contains("did not end within 1 seconds"), "{output}");
}

/// What comes of a plugin whose pipes somebody else has. All that it asked to be changed is.
#[track_caller]
fn held(end: &str, signal: Option<Signal>) -> Output {
    let body = r#"
made = ask(type="create_conversation")["conversation"]
answer = {"type": "chat_response", "message": "x" * (8 << 20)}
ask(type="push_events", conversation=made, events=[answer])
say(type="print", text="pid %d\n" % os.getpid())
while not os.path.exists("go"):
    time.sleep(0.01)
for n in range(12):
    say(type="read_events", conversation=made, id="r%d" % n)
for n in range(3):
    say(type="push_events", conversation=made, id="p%d" % n, events=[{"type": "turn_start"}])
time.sleep(0.5)
open("sent", "w").close()
"#;
    let env = plugin(&format!("{body}{end}\n"));
    configure(&env, "[plugins]\nshutdown_timeout_secs = 1\n");
    let running = jp(&env, &["p"]).timeout(Duration::from_secs(30)).spawn();
    running.expect_stdout("pid ");
    let plugin = pid(&running.stdout_so_far());
    let pipe = |number: u8| format!("/proc/{plugin}/fd/{number}");
    let _held = std::fs::File::open(pipe(0)).unwrap();
    let _open = std::fs::File::options().write(true).open(pipe(1)).unwrap();
    env.write("go", "");
    if let Some(signal) = signal {
        while !env.path("sent").exists() {
            std::thread::sleep(Duration::from_millis(20));
        }
        running.signal(signal);
    }
    let output = running.wait().code(1);
    let listed = env.jp(["conversation", "ls", "--format", "json"]).run().success();
    let listed: Value = serde_json::from_str(listed.stdout()).unwrap();
    assert_eq!(listed["events_count"], 4);
    output
}

/// jp looks through the files for minutes, and nobody is there any more who wants to know.
#[test]
fn what_was_only_asked_to_be_known_is_not_waited_for() {
    let env = plugin(
        r#"
made = ask(type="create_conversation")["conversation"]
for n in range(400):
    os.makedirs(init["workspace"]["storage"] + "/conversations/%d" % (100 + n))
    with open(init["workspace"]["storage"] + "/conversations/%d/events.jsonl" % (100 + n), "w") as file:
        file.truncate(511 << 20)
say(type="list_conversations")
say(type="push_events", conversation=made, events=[{"type": "turn_start"}])
time.sleep(0.2)
"#,
    );
    let start = Instant::now();
    jp(&env, &["p"]).timeout(Duration::from_mins(1)).run().success();
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    for n in 0..400 {
        std::fs::remove_dir_all(env.path(format!(".jp/conversations/{}", 100 + n))).unwrap();
    }
    let listed = env.jp(["conversation", "ls", "--format", "json"]).run().success();
    let listed: Value = serde_json::from_str(listed.stdout()).unwrap();
    assert_eq!(listed["events_count"], 1);
}

/// What the polite plugin makes of a signal to jp.
fn signalled(signal: Signal) {
    let env = fake();
    let running = jp(&env, &["fake", "polite"]).spawn();
    running.expect_stdout("pid ");
    let plugin = pid(&running.stdout_so_far());
    assert!(is_alive(plugin));
    running.signal(signal);
    // 072-090: its own code; one `shutdown`, and time to say something.
    let output = running.wait().code(42);
    assert!(output.stdout().ends_with("shutting down\n"), "{output}");
    assert!(!is_alive(plugin));
}

#[test]
fn a_signal_is_passed_on_as_shutdown() {
    // 072-088, 072-089
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        signalled(signal);
    }
}

#[test]
fn requests_are_served_after_shutdown() {
    // 072-091
    let env = plugin(
        r#"
say(type="print", text="waiting\n")
assert hear() == {"type": "shutdown"}
made = ask(type="create_conversation", title="late")
say(type="exit", code=6 if made["type"] == "created" else 1)
"#,
    );
    let running = jp(&env, &["p"]).spawn();
    running.expect_stdout("waiting");
    running.signal(Signal::TERM);
    let _ = running.wait().code(6);
}

#[test]
fn a_plugin_that_does_not_end_is_killed() {
    let env = fake();
    configure(&env, "[plugins]\nshutdown_timeout_secs = 1\n");
    // 072-093, 072-094, 072-099
    for what in ["wait", "deaf", "stop", "unread"] {
        let running = jp(&env, &["fake", what]).spawn();
        if what != "unread" {
            running.expect_stdout(if what == "wait" {
                "pid"
            } else if what == "deaf" {
                "deaf"
            } else {
                "stopping"
            });
        }
        std::thread::sleep(Duration::from_millis(300));
        let start = Instant::now();
        running.signal(Signal::INT);
        let output = running.wait();
        let took = start.elapsed();
        assert!(took < Duration::from_secs(6), "{what}: {took:?}\n{output}");
        if what == "unread" {
            continue;
        }
        assert!(took >= Duration::from_secs(1), "{what}: {took:?}\n{output}");
        let output = output.code(1);
        assert!(output.stderr().contains("did not end within 1 seconds"), "{output}");
    }
}

#[test]
fn a_second_signal_kills_at_once() {
    // 072-098
    let env = fake();
    let running = jp(&env, &["fake", "wait"]).spawn();
    running.expect_stdout("pid ");
    let plugin = pid(&running.stdout_so_far());
    running.signal(Signal::INT);
    std::thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    running.signal(Signal::INT);
    let output = running.wait().code(1);
    assert!(start.elapsed() < Duration::from_secs(3), "{output}");
    assert!(output.stderr().contains("was killed"), "{output}");
    assert!(!is_alive(plugin));
}

#[test]
fn a_plugin_has_a_process_group_and_pipes_of_its_own() {
    // 072-030, 072-031, 072-032, 072-096
    let env = plugin(
        r#"
import stat
pipes = [stat.S_ISFIFO(os.fstat(number).st_mode) for number in range(3)]
show([pipes, os.getpgrp() == os.getpid(), os.environ["JP_PLUGIN_FILE"]])
"#,
    );
    let file = env.root().join("bin/jp-p");
    assert_eq!(shown(&env, &[]), [json!([[true, true, true], true, file])]);
}
