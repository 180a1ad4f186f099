//! A call that is interrupted: the tool is told, then asked, then made to end.
//!
//! The steps are told apart by time: each tool takes notice of one of them only, and the others are
//! set so far away that a call which needed them would be noticed. Between the two is room for a machine that
//! stands still for some seconds because others write to its disk.

use jp_test::{Signal, Size};

use super::*;

const SIZE: Size = Size { rows: 24, cols: 100 };

fn settings(grace: u32, kill: u32) -> String {
    format!("{EVERYTHING}[vfs]\ncancel_grace_secs = {grace}\nkill_after_secs = {kill}\n")
}

/// Interrupts the tool when it is at work, and gives the time until everything was over.
fn interrupted(settings: &str, body: &str) -> Duration {
    let env = with_tool(settings, &format!("call('fs.write', path='ready', content='')\n{body}"));
    let running = run(&env, &[]).spawn();
    until_there(&env, "ready");
    assert!(!processes(&env).is_empty());
    let started = Instant::now();
    running.signal(Signal::INT);
    // D11-183
    let output = running.wait().code(130);
    let took = started.elapsed();
    assert!(output.stderr().contains("cancelled"), "{body}: {output}");
    assert_eq!(output.stdout(), "", "{body}");
    assert_gone(&env);
    took
}

/// Reads until it is told to end, and ignores signals.
const LISTENS: &str = r#"
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    message = heard()
    if message is None or message == {"jsonrpc": "2.0", "method": "cancel"}: sys.exit()
"#;

/// D11-177, D11-178: no signal is needed, and none would help.
#[test]
fn a_tool_that_listens_ends_by_itself() {
    let took = interrupted(&settings(60, 60), LISTENS);
    assert!(took < Duration::from_secs(25), "{took:?}");
}

/// D11-183: also when it says at the end that all is well.
#[test]
fn a_result_after_the_cancellation_is_too_late() {
    let body = "while heard().get('method') != 'cancel': pass\nresult('all is well')";
    interrupted(&settings(60, 60), body);
}

/// D11-180
#[test]
fn a_tool_that_does_not_listen_is_terminated() {
    let took = interrupted(&settings(1, 60), "while True: time.sleep(0.05)");
    assert!(took > Duration::from_secs(1) && took < Duration::from_secs(25), "{took:?}");
}

/// D11-181, D11-182
#[test]
fn a_tool_that_does_not_want_to_is_killed() {
    let body = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(0.05)";
    let took = interrupted(&settings(1, 1), body);
    assert!(took > Duration::from_secs(2) && took < Duration::from_secs(25), "{took:?}");
}

/// D11-182: with pipes that are full on both sides.
#[test]
fn a_tool_that_floods_and_never_reads_is_ended() {
    let body = "while True: say(id=next(ids), method='fs.read', params={'path': 'ready'})";
    let took = interrupted(&settings(1, 1), body);
    assert!(took < Duration::from_secs(25), "{took:?}");
}

/// D11-179
#[test]
fn the_grace_is_five_seconds() {
    let took = interrupted(EVERYTHING, "while True: time.sleep(0.05)");
    assert!(took > Duration::from_secs(5) && took < Duration::from_secs(25), "{took:?}");
}

/// D11-177: control-C at a terminal reaches jp, which tells the tool; the tool gets no signal of it.
#[test]
fn control_c_at_a_terminal() {
    let body = format!("import signal\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\n{LISTENS}");
    let env = with_tool(
        &settings(60, 60),
        &format!("call('fs.write', path='ready', content='')\n{body}"),
    );
    let mut terminal = run(&env, &[]).pty(SIZE);
    until_there(&env, "ready");
    let started = Instant::now();
    terminal.send("\u{3}");
    let output = terminal.wait(LIMIT).code(130);
    assert!(output.screen().contains("t was cancelled"), "{output}");
    assert!(started.elapsed() < Duration::from_secs(25));
    assert_gone(&env);
}

/// D11-176: a jp that is killed takes the tool along.
#[test]
fn a_killed_jp_takes_its_tool_along() {
    let env = with_tool(
        EVERYTHING,
        "call('fs.write', path='ready', content='')\nos.fork()\ntime.sleep(300)",
    );
    let running = run(&env, &[]).spawn();
    until_there(&env, "ready");
    running.signal(Signal::KILL);
    assert_eq!(running.wait().signal(), Some(9));
    assert_gone(&env);
}
