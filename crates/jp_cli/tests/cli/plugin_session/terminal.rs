//! A plugin in a terminal: control-C is for jp.

use std::time::Duration;

use jp_test::Size;

use super::{fake, jp, plugin};

const SOON: Duration = Duration::from_secs(20);

#[test]
fn control_c_is_one_shutdown_and_its_code_is_kept() {
    // 072-097
    let env = fake();
    let mut pty = jp(&env, &["fake", "polite"]).pty(Size::default());
    pty.expect("pid ", SOON).send("\x03").expect("shutting down", SOON);
    let output = pty.wait(SOON).code(42);
    assert_eq!(output.screen().matches("shutting down").count(), 1, "{output}");
}

#[test]
fn the_plugin_itself_gets_no_signal() {
    // 072-097: it would say so.
    let env = plugin(
        r#"
got = []
for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
    signal.signal(number, lambda number, frame: got.append(number))
say(type="print", text="waiting\n")
assert hear() == {"type": "shutdown"}
time.sleep(0.3)
say(type="exit", code=50 + len(got))
"#,
    );
    let mut pty = jp(&env, &["p"]).pty(Size::default());
    pty.expect("waiting", SOON).send("\x03");
    let _ = pty.wait(SOON).code(50);
}

#[test]
fn a_second_control_c_does_not_wait() {
    // 072-098
    let env = fake();
    let mut pty = jp(&env, &["fake", "wait"]).pty(Size::default());
    pty.expect("pid ", SOON).send("\x03");
    std::thread::sleep(Duration::from_millis(300));
    pty.send("\x03");
    let output = pty.wait(Duration::from_secs(3)).code(1);
    assert!(output.screen().contains("was killed"), "{output}");
}

#[test]
fn whoever_waits_is_told_about_the_second_control_c() {
    let env = fake();
    let told = "`jp fake` has 5 seconds to end; a second Ctrl-C ends it at once.";
    let mut pty = jp(&env, &["fake", "wait"]).pty(Size::default());
    pty.expect("pid ", SOON).send("\x03").expect(told, SOON).send("\x03");
    let output = pty.wait(Duration::from_secs(3)).code(1);
    assert!(output.screen().contains("was killed"), "{output}");
    // One that ends soon is not talked about.
    let mut pty = jp(&env, &["fake", "polite"]).pty(Size::default());
    pty.expect("pid ", SOON).send("\x03");
    let output = pty.wait(SOON).code(42);
    assert!(!output.screen().contains("Ctrl-C"), "{output}");
}

/// Draws on the terminal until a key is pressed. Meanwhile it prints and logs.
const DRAWS: &str = r#"#!/usr/bin/python3
import json, os, sys
def say(**message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
if json.loads(sys.stdin.readline())["type"] == "describe":
    say(type="describe", name="p", version="1", description="draws", tty=True)
    sys.exit(0)
say(type="ready")
import tty
terminal = open("/dev/tty", "r+b", buffering=0)
tty.setraw(terminal)
terminal.write(b"\x1b[?1049h\x1b[Hpicture")
say(type="print", text="a result\n")
say(type="print", channel="chrome", text="a remark\n")
say(type="log", level="warn", message="a warning")
# Once this is answered, everything before it was heard.
say(type="read_config", path="assistant")
sys.stdin.readline()
terminal.write(b" drawn")
terminal.read(1)
terminal.write(b"\x1b[?1049l")
say(type="exit", code=0)
"#;

#[test]
fn nothing_is_written_over_a_plugin_that_draws() {
    let env = crate::workspace();
    super::add(&env, "jp-p", DRAWS);
    let mut pty = jp(&env, &["-v", "p"]).pty(Size::default());
    let drawn = pty.expect_screen("picture drawn", SOON);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!((drawn.as_str(), pty.screen().as_str()), ("picture drawn", "picture drawn"));
    pty.send("x");
    let output = pty.wait(SOON).success();
    // Afterwards everything is there, on the screen on which it stays.
    let screen = output.screen();
    for part in ["a result", "a remark", "a warning"] {
        assert!(screen.contains(part), "{part}: {output}");
    }
    assert!(!screen.contains("picture"), "{output}");
}

#[test]
fn a_plugin_that_stops_itself_does_not_keep_the_terminal() {
    let env = crate::workspace();
    let stop = "import signal\nos.kill(os.getpid(), signal.SIGSTOP)\n";
    let stops = DRAWS.replace(
        "say(type=\"print\", text=\"a result",
        &format!("{stop}say(type=\"print\", text=\"a result"),
    );
    super::add(&env, "jp-p", stops);
    let mut pty = jp(&env, &["p"]).pty(Size::default());
    pty.expect_screen("picture drawn", SOON);
    pty.send("x");
    let _ = pty.wait(SOON).success();
}

#[test]
fn a_terminal_that_was_passed_on_comes_back() {
    let env = crate::workspace();
    let pass_on = r"terminal.read(1)
import signal, time
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
other = os.fork()
if other == 0:
    time.sleep(60)
os.setpgid(other, other)
os.tcsetpgrp(terminal.fileno(), other)
";
    super::add(&env, "jp-p", DRAWS.replace("terminal.read(1)\n", pass_on));
    let program = jp_test::find_bin("jp");
    // A shell that is not in the foreground could not read, and without its modes the line would have no end.
    let shell = format!("{program} p; read line < /dev/tty && echo \"got $line\"");
    let path = format!("{}:/usr/bin:/bin", env.root().join("bin"));
    let run = env.command("/bin/sh", ["-c", &shell]).env("PATH", path);
    let mut pty = run.pty(Size::default());
    pty.expect_screen("picture drawn", SOON);
    pty.send("x");
    pty.expect("a remark", SOON).send("all of it\r").expect("got all of it", SOON);
    let _ = pty.wait(SOON).success();
}

#[test]
fn what_goes_into_a_file_is_written_while_a_plugin_draws() {
    let env = crate::workspace();
    super::add(&env, "jp-p", DRAWS);
    let program = jp_test::find_bin("jp");
    let shell = format!("{program} p > out.txt");
    let path = format!("{}:/usr/bin:/bin", env.root().join("bin"));
    let run = env.command("/bin/sh", ["-c", &shell]).env("PATH", path);
    let mut pty = run.pty(Size::default());
    pty.expect_screen("picture drawn", SOON);
    let began = std::time::Instant::now();
    while env.read("out.txt") != "a result\n" {
        assert!(began.elapsed() < SOON, "{}", env.read("out.txt"));
        std::thread::sleep(Duration::from_millis(10));
    }
    pty.send("x");
    let _ = pty.wait(SOON).success();
}
