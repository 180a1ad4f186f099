//! What a plugin shows and logs, and where it arrives.

use serde_json::{Value, json};

use super::{fake, jp, plugin, shown};

const CHANNELS: [&str; 6] = ["content", "chrome", "tool_call", "tool_result", "reasoning", "error"];

/// Prints its own name on every channel.
fn channels() -> jp_test::TestEnv {
    plugin(
        r#"
for channel in ["content", "chrome", "tool_call", "tool_result", "reasoning", "error"]:
    say(type="print", channel=channel, text="<" + channel + ">")
"#,
    )
}

#[test]
fn every_channel_has_its_stream() {
    let env = channels();
    // 072-232, 072-234 to 072-239, 072-243: nothing is added to plain text.
    let output = jp(&env, &["p"]).run().success();
    assert_eq!(output.stdout(), "<content>");
    assert_eq!(output.stderr(), "<chrome><tool_call><tool_result><reasoning><error>");
    // 072-240, 072-241
    let output = jp(&env, &["--quiet", "p"]).run().success();
    assert_eq!((output.stdout(), output.stderr()), ("<content>", "<error>"));
    // 072-242
    let output = jp(&env, &["--format", "json", "p"]).run().success();
    let lines = output.stdout().lines().chain(output.stderr().lines());
    let objects: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected = CHANNELS.map(
        |channel| json!({ "channel": channel, "format": "plain", "text": format!("<{channel}>") }),
    );
    assert_eq!(objects, expected);
}

#[test]
fn a_print_needs_nothing_but_its_text_and_has_no_answer() {
    // 072-230, 072-231, 072-233, 072-037
    let env = plugin(
        r#"
line('{"type":"print","text":"hello\\n"}')
say(type="print", channel="nonsense", format="nonsense", text="fallback\n")
show(ask(type="read_config", path="style.color")["type"])
show(ask(type="print")["request"])
"#,
    );
    let output = jp(&env, &["p"]).run().success();
    assert_eq!(output.stdout(), "hello\nfallback\n\"config\"\n\"print\"\n");
}

#[test]
fn formats_are_rendered() {
    let env = plugin(
        r##"
say(type="print", format="markdown", text="# Head\n\n" + "word " * 30 + "\n")
say(type="print", format="json", text='{"a":[1]}')
say(type="print", format="json", text="no json\n")
say(type="print", format="code", language="rust", text="fn main() {}\n")
say(type="print", format="code", text="plain code\n")
"##,
    );
    let run = |more: &[&str]| {
        let words = [more, &["--cfg", "style.markdown.width=40", "p"]].concat();
        jp(&env, &words).run().success()
    };
    let output = run(&[]);
    // 072-244, 072-245, 072-248
    assert!(output.stdout().contains("# Head"), "{output}");
    assert!(output.stdout().lines().all(|line| line.len() <= 40), "{output}");
    assert!(output.stdout().contains("{\n  \"a\": [\n    1\n  ]\n}"), "{output}");
    assert!(output.stdout().contains("no json\nfn main() {}\nplain code\n"), "{output}");
    // 072-246, 072-247
    let colored = run(&["--cfg", "style.color=always"]);
    assert!(!colored.stdout().contains("fn main() {}"), "{colored}");
    let number = colored.stdout().lines().find(|line| line.contains('1') && line.len() > 5);
    assert!(number.is_some_and(|line| line.contains('\u{1b}')), "{colored}");
}

#[test]
fn a_text_is_not_lost_for_a_channel_or_a_format_that_is_none() {
    // 072-231
    let env = plugin(
        r#"
for other in [None, 5, -5, 1.5, True, [1, {"a": 2}], {"a": [1]}, "loud"]:
    say(type="print", channel=other, format=other, text=json.dumps(other) + "\n")
# There is no other answer before this one.
show(ask(type="read_config", path="style.color"))
"#,
    );
    let mut values = shown(&env, &[]);
    assert_eq!(values.pop().unwrap()["type"], "config");
    let expected = json!([null, 5, -5, 1.5, true, [1, { "a": 2 }], { "a": [1] }, "loud"]);
    assert_eq!(Value::Array(values), expected);
}

#[test]
fn sequences_for_the_terminal_are_taken_out() {
    let env = plugin(r#"say(type="print", text="a\u001b[2J\u001b]0;title\u0007\u001b[31mred\n")"#);
    // 072-249
    let output = jp(&env, &["--cfg", "style.color=always", "p"]).run().success();
    assert!(!output.stdout().contains("\u{1b}[2J") && !output.stdout().contains("title"));
    assert!(output.stdout().contains("\u{1b}[31mred"), "colours stay: {output}");
    // 072-250
    super::configure(&env, "[style]\ncontrol_sequences = 'keep'\n");
    let output = jp(&env, &["p"]).run().success();
    assert!(output.stdout().contains("\u{1b}[2J"), "{output}");
}

#[test]
fn logs_reach_the_log_at_their_level() {
    let env = plugin(
        r#"
for level in ["error", "warn", "info", "debug", "trace"]:
    say(type="log", level=level, message="at " + level, fields={"addr": "127.0.0.1"})
say(type="log", level="warn", message="esc\u001b[2J", fields={"k": "\u001b[2J\u009b"})
say(type="log", level="info", message="without fields")
show(ask(type="log", level="loud", message="x"))
"#,
    );
    // 072-256, 072-257
    let output = jp(&env, &["p"]).run().success();
    let refused: Value = serde_json::from_str(output.stdout()).unwrap();
    assert_eq!((&refused["type"], &refused["request"]), (&json!("error"), &json!("log")));
    assert_eq!(output.stderr(), "");
    // 072-152 to 072-154, 072-252 to 072-255
    let output = jp(&env, &["-v", "p"]).run().success();
    let logged = |text: &str| output.stderr().lines().find(|line| line.contains(text));
    let error = logged("at error").unwrap();
    assert!(error.contains("ERROR plugin:") && error.contains("127.0.0.1"), "{error}");
    assert!(error.contains("plugin=\"p\""), "{error}");
    assert!(logged("at warn").unwrap().contains("WARN plugin:"));
    assert!(logged("at info").is_none(), "{output}");
    assert!(!output.stderr().contains('\u{1b}') && !output.stderr().contains('\u{9b}'));
    // 072-155
    let _ = jp(&env, &["--log-file", "log", "p"]).run().success();
    let log = env.read("log");
    for level in ["ERROR", "WARN", "INFO", "DEBUG", "TRACE"] {
        let line = log.lines().find(|line| line.contains(&format!("at {}", level.to_lowercase())));
        assert!(line.is_some_and(|line| line.contains(&format!("{level} plugin:"))), "{log}");
    }
    assert!(log.contains("without fields"));
}

#[test]
fn stderr_is_for_the_log() {
    let env = plugin("sys.stderr.write('one\\ntwo\\x1b[2J\\nlast')\nsys.stderr.flush()");
    // 072-032, 072-035
    let output = jp(&env, &["-vvv", "p"]).run().success();
    assert!(!output.stderr().contains("two"), "{output}");
    // 072-033, 072-034
    let _ = jp(&env, &["--log-file", "log", "p"]).run().success();
    let log = env.read("log");
    let lines: Vec<_> = log.lines().filter(|line| line.contains("stderr=true")).collect();
    assert_eq!(lines.len(), 3, "{log}");
    for (line, text) in lines.iter().zip(["one", "two", "last"]) {
        assert!(line.contains("TRACE plugin:") && line.contains("plugin=\"p\""), "{line}");
        assert!(line.contains(text) && !line.contains('\u{1b}'), "{line}");
    }
}

#[test]
fn a_loud_plugin_does_not_stall() {
    // 072-036
    let output = jp(&fake(), &["fake", "loud"]).run().code(7);
    assert_eq!((output.stdout(), output.stderr()), ("done\n", ""));
}

#[test]
fn a_reader_that_goes_away_ends_the_plugin() {
    let env = plugin(
        r#"
import threading
def prints():
    while True:
        say(type="print", text="again\n")
threading.Thread(target=prints, daemon=True).start()
assert hear() == {"type": "shutdown"}
os._exit(0)
"#,
    );
    let jp = env!("CARGO_BIN_EXE_jp");
    let path = format!("{}:/usr/bin:/bin", env.root().join("bin"));
    let output = env
        .command("/bin/sh", ["-c", &format!("{jp} p | head -n 1")])
        .env("PATH", path)
        .run()
        .success();
    assert_eq!(output.stdout(), "again\n");
}

/// A pager may be paused for as long as somebody reads, also when the plugin has long ended.
#[test]
fn a_reader_that_pauses_loses_nothing() {
    let env = plugin(
        r#"
text = "".join(json.dumps({"type": "print", "text": "line %06d xxxxxx\n" % n}) + "\n" for n in range(8500))
sys.stdout.write(text)
"#,
    );
    super::configure(&env, "[plugins]\nshutdown_timeout_secs = 1\n");
    let jp = env!("CARGO_BIN_EXE_jp");
    let path = format!("{}:/usr/bin:/bin", env.root().join("bin"));
    let pauses = format!("{{ {jp} p; echo end $? >&2; }} | {{ sleep 6; wc -l; }}");
    let output = env.command("/bin/sh", ["-c", &pauses]).env("PATH", path).run().success();
    assert_eq!((output.stdout().trim(), output.stderr()), ("8500", "end 0\n"));
}

/// Nobody reads stderr, which gets more than a pipe holds.
#[test]
fn a_full_log_keeps_nobody_from_ending_it() {
    let env = plugin(
        r#"
say(type="print", text="begun\n")
while True:
    say(type="log", level="warn", message="x" * 100)
"#,
    );
    super::configure(&env, "[plugins]\nshutdown_timeout_secs = 1\n");
    let _ = env.command("/usr/bin/mkfifo", ["full"]).run().success();
    let full = env.path("full");
    let _reader = std::fs::OpenOptions::new().read(true).write(true).open(&full).unwrap();
    let jp = env!("CARGO_BIN_EXE_jp");
    let path = format!("{}:/usr/bin:/bin", env.root().join("bin"));
    let shell = format!("exec {jp} -v p 2>{full}");
    let running = env.command("/bin/sh", ["-c", &shell]).env("PATH", path).spawn();
    running.expect_stdout("begun");
    std::thread::sleep(std::time::Duration::from_secs(1));
    let began = std::time::Instant::now();
    running.signal(jp_test::Signal::TERM);
    let output = running.wait().code(1);
    assert!(began.elapsed() < std::time::Duration::from_secs(15), "{output}");
}

/// What was logged is there at the end, however much it is.
#[test]
fn a_log_that_is_read_is_whole() {
    let env =
        plugin("for n in range(20000):\n    say(type='log', level='warn', message='%05d' % n)");
    let output = jp(&env, &["-v", "p"]).run().success();
    let lines: Vec<_> = output.stderr().lines().collect();
    assert_eq!(lines.len(), 20000);
    assert!(lines[19999].contains("19999"), "{}", lines[19999]);
}
