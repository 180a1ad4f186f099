//! The same work for many conversations.

use jp_plugin_sdk::Summary;

use super::*;

fn conversations(number: u64) -> Vec<Summary> {
    let summary = |n| Summary {
        id: format!("{n}"),
        title: None,
        last_activated_at: "2025-07-20T10:30:00Z".to_owned(),
        events_count: n,
    };
    (0..number).map(summary).collect()
}

fn said(messages: &[Value]) -> String {
    messages.iter().filter_map(|message| message["text"].as_str()).collect()
}

#[test]
fn results_are_in_order_and_a_bar_is_there_for_many() {
    for (number, bar) in
        [(0, String::new()), (19, String::new()), (30, format!("Looking {}\n", "━".repeat(40)))]
    {
        let host = Host::run(move |session| {
            let counts =
                session.each_conversation("Looking", conversations(number), |_, summary| {
                    // The first takes the longest.
                    thread::sleep(Duration::from_millis(u64::from(summary.events_count == 0) * 50));
                    Ok(summary.events_count)
                })?;
            assert_eq!(counts, (0..number).collect::<Vec<_>>());
            Ok(())
        });
        let all = host.hear_all();
        assert_eq!(said(&all), bar);
        assert_eq!(all.last().unwrap()["code"], 0);
    }
}

#[test]
fn a_failure_and_a_panic_end_it() {
    let host = Host::run(|session| {
        session.each_conversation("Looking", conversations(100), |_, summary| {
            match summary.events_count {
                3 => Err(Failure::new("no room").code(7)),
                _ => Ok(()),
            }
        })?;
        Ok(())
    });
    let all = host.hear_all();
    assert_eq!(
        (&all.last().unwrap()["code"], &all.last().unwrap()["reason"]),
        (&json!(7), &json!("no room"))
    );
    let host = Host::run(|session| {
        session.each_conversation("Looking", conversations(3), |_, _| -> Result<(), Failure> {
            panic!("oh")
        })?;
        Ok(())
    });
    assert_eq!(host.hear_all().last().unwrap()["reason"], "a worker panicked");
}

/// Nobody waits for a worker that is busy.
#[test]
fn the_end_of_the_plugin_ends_it() {
    let mut host = Host::run(|session| {
        session.each_conversation("Looking", conversations(2), |session, _| {
            session.print("busy")?;
            thread::sleep(PATIENCE * 2);
            Ok(())
        })?;
        Ok(())
    });
    assert_eq!(host.hear()["text"], "busy");
    host.say(&json!({"type": "shutdown"}));
    let all = host.hear_all();
    assert_eq!(all.last().unwrap()["code"], 130);
    assert_eq!(all.last().unwrap()["reason"], "stopped before everything was done");
}
