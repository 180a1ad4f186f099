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
