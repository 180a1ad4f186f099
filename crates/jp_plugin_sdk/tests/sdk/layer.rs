//! The layer for `tracing`: in order, bounded, and never in the way.

use std::io::{self, Write};

use jp_plugin_sdk::LogLayer;
use tracing::{debug, info, subscriber::with_default, warn};
use tracing_subscriber::{Registry, layer::SubscriberExt as _};

use super::*;

/// Runs a plugin with a layer; what it logs is logged on its thread only.
fn with_layer(
    layer: LogLayer,
    before: impl FnOnce() + Send + 'static,
    plugin: impl FnOnce(&Session) -> Result<(), Failure> + Send + 'static,
) -> Host {
    Host::start(move |reader, writer| {
        with_default(Registry::default().with(layer.clone()), || {
            before();
            let subject = self::plugin().logs(&layer);
            subject.run_on(BufReader::new(reader), writer, plugin)
        })
    })
}

#[test]
fn an_event_is_a_line_with_its_fields() {
    // 072-156
    let mut host = with_layer(
        LogLayer::new(),
        || (),
        |_| {
            info!(target: "probe", addr = "127.0.0.1", port = 3141_u16, ok = true, ratio = 0.5, other = ?Some(1), "listening on {}", "it");
            Ok(())
        },
    );
    host.greet(2);
    assert_eq!(
        host.hear(),
        json!({"type": "log", "level": "info", "message": "listening on it", "fields": {
            "addr": "127.0.0.1", "port": 3141, "ok": true, "ratio": 0.5, "other": "Some(1)", "target": "probe"
        }})
    );
    assert_eq!(host.end()["code"], 0);
}

#[test]
fn what_is_logged_before_there_is_a_host_comes_first_and_in_order() {
    // 072-157
    let before = || (0..100).for_each(|n| warn!(n, "early"));
    let mut host = with_layer(LogLayer::new(), before, |session| {
        warn!("late");
        session.print("done")?;
        Ok(())
    });
    host.say(&init(1));
    let said: Vec<Value> = (0..103).map(|_| host.hear()).collect();
    // `ready` may be anywhere among them; the order of the log is what counts.
    let logs: Vec<&Value> = said.iter().filter(|line| line["type"] == "log").collect();
    assert_eq!(logs.len(), 101);
    for (n, log) in logs[..100].iter().enumerate() {
        assert_eq!(log["fields"]["n"], n, "{log}");
    }
    assert_eq!(logs[100]["message"], "late");
    assert_eq!(said[102]["text"], "done", "what was logged first is written first");
    assert_eq!(host.end()["code"], 0);
}

#[test]
fn only_what_the_user_wants_is_sent_unless_everything_is_asked_for() {
    for (layer, wanted) in [(LogLayer::new(), 1), (LogLayer::new().everything(), 4)] {
        let before = || {
            debug!("early");
            warn!("early");
        };
        let mut host = with_layer(layer, before, |_| {
            debug!("late");
            info!("late");
            Ok(())
        });
        host.say(&init(1));
        let said = host.hear_all();
        let logs = said.iter().filter(|line| line["type"] == "log").count();
        assert_eq!(logs, wanted, "{said:?}");
    }
}

/// A writer that logs while it writes, as a library would that is used by one.
struct Chatty<W>(W);

impl<W: Write> Write for Chatty<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !bytes.starts_with(br#"{"type":"log""#) {
            warn!("writing");
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[test]
fn an_event_while_the_writer_is_held_waits_for_nobody() {
    // 072-158
    let layer = LogLayer::new();
    let mut host = Host::start(move |reader, writer| {
        with_default(Registry::default().with(layer.clone()), || {
            let subject = plugin().logs(&layer);
            subject.run_on(BufReader::new(reader), Chatty(writer), |session| {
                for n in 0..10 {
                    session.print(&n.to_string())?;
                }
                Ok(())
            })
        })
    });
    host.say(&init(1));
    let said = host.hear_all();
    let count = |kind: &str| said.iter().filter(|line| line["type"] == kind).count();
    assert_eq!((count("print"), count("exit")), (10, 1));
    // One for each line that is no log: ready, the prints, exit.
    // What is logged while the last line is written may come after it, where nobody hears it.
    assert!((11..=12).contains(&count("log")), "{said:?}");
}

/// Many threads log and print at once: nothing is lost, nothing is torn.
#[test]
fn nothing_is_lost_between_threads() {
    const EACH: usize = 200;
    let layer = LogLayer::new();
    let mut host = Host::start(move |reader, writer| {
        let subject = plugin().logs(&layer);
        subject.run_on(BufReader::new(reader), writer, move |session| {
            thread::scope(|scope| {
                for thread in 0..4 {
                    let (session, layer) = (session.clone(), layer.clone());
                    scope.spawn(move || {
                        with_default(Registry::default().with(layer), || {
                            for n in 0..EACH {
                                warn!(thread, n, "x");
                                session.print("y").unwrap();
                            }
                        });
                    });
                }
            });
            Ok(())
        })
    });
    host.say(&init(1));
    let said = host.hear_all();
    let count = |kind: &str| said.iter().filter(|line| line["type"] == kind).count();
    assert_eq!((count("log"), count("print")), (4 * EACH, 4 * EACH));
    for thread in 0..4 {
        let of_one = said.iter().filter(|line| line["fields"]["thread"] == thread);
        let order: Vec<_> = of_one.map(|line| line["fields"]["n"].as_u64().unwrap()).collect();
        assert!(order.is_sorted(), "{order:?}");
    }
}

/// Before there is a host, a flood is cut off and counted.
#[test]
fn the_queue_has_an_end() {
    let before = || {
        let long = "x".repeat(1000);
        (0..5000).for_each(|_| warn!("{long}"));
    };
    let mut host = with_layer(LogLayer::new(), before, |_| Ok(()));
    host.say(&init(1));
    let said = host.hear_all();
    let logs: Vec<_> = said.iter().filter(|line| line["type"] == "log").collect();
    assert!((900..1100).contains(&logs.len()), "{}", logs.len());
    let last = logs.last().unwrap()["message"].as_str().unwrap();
    assert_eq!(last, format!("{} messages of the log were dropped", 5000 - (logs.len() - 1)));
    assert_eq!(host.plugin.join().unwrap(), 0);
}
