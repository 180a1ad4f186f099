//! How a plugin begins and ends: describe, by hand, ready, exit.

use super::*;

fn described(plugin: Plugin) -> (Vec<Value>, u8) {
    let host = Host::start(|reader, writer| {
        plugin.run_on(BufReader::new(reader), writer, |_| panic!("it is not to run"))
    });
    let mut host = host;
    host.say_line(r#"{"type":"describe","new":1}"#);
    (host.hear_all(), host.plugin.join().unwrap())
}

#[test]
fn a_description_is_all_that_is_said() {
    // 072-102, 072-103
    let (said, code) = described(plugin());
    assert_eq!(code, 0);
    assert_eq!(
        said,
        [json!({
            "type": "describe", "name": "probe", "version": "0.1.0", "description": "Tries the SDK"
        })]
    );
    let full = plugin().command("probe it").unwrap().help("H").author("A").repository("R").tty();
    assert_eq!(
        described(full).0,
        [json!({
            "type": "describe", "name": "probe", "version": "0.1.0", "description": "Tries the SDK",
            "command": ["probe", "it"], "author": "A", "help": "H", "repository": "R", "tty": true,
        })]
    );
    assert!(plugin().command("--help").is_err());
}

#[test]
fn somebody_who_starts_it_by_hand_is_told_what_it_is() {
    let mut text = Vec::new();
    plugin().command("probe it").unwrap().help("Tries it.\n").explain(&mut text).unwrap();
    insta::assert_snapshot!(String::from_utf8(text).unwrap(), @"
    Tries it.

    probe 0.1.0 is a plugin of jp: run `jp probe it`.
    ");
}

#[test]
fn what_is_no_host_gets_no_message() {
    for line in ["", "hello", "{}", r#"{"type":"shutdown"}"#] {
        let mut host = Host::start(|reader, writer| {
            plugin().run_on(BufReader::new(reader), writer, |_| panic!("it is not to run"))
        });
        host.say_line(line);
        drop(host.to.take());
        assert_eq!(host.hear_all(), [] as [Value; 0], "{line}");
        assert_eq!(host.plugin.join().unwrap(), 2, "{line}");
    }
}

#[test]
fn the_session_has_what_init_said() {
    let host = Host::run(|session| {
        assert_eq!(session.args(), ["--all", "x y"]);
        assert_eq!(session.init().workspace.id, "ab12c");
        assert_eq!(session.init().config["assistant"]["name"], "JP");
        assert_eq!(session.init().paths, None);
        assert_eq!(session.shutdown(), None);
        Ok(())
    });
    assert_eq!(host.end(), json!({"type": "exit", "code": 0}));
}

#[test]
fn a_failure_is_a_code_and_a_reason() {
    let ends: [(Failure, Value); 4] = [
        (Failure::new("no"), json!({"type": "exit", "code": 1, "reason": "no"})),
        (Failure::new("no").code(7), json!({"type": "exit", "code": 7, "reason": "no"})),
        (Failure::silent(3), json!({"type": "exit", "code": 3})),
        (
            jp_plugin_sdk::RequestError::Write(std::io::Error::other("full")).into(),
            json!({"type": "exit", "code": 1, "reason": "cannot write to the host: full"}),
        ),
    ];
    for (failure, exit) in ends {
        assert_eq!(Host::run(|_| Err(failure)).end(), exit);
    }
}

#[test]
fn a_panic_is_told_to_the_user() {
    let exit = Host::run(|_| panic!("out of cheese")).end();
    assert_eq!(
        exit,
        json!({"type": "exit", "code": 1, "reason": "the plugin panicked: out of cheese"})
    );
}
