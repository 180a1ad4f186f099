//! What runs beside what.

use std::fmt::Write as _;

use jp_plugin::{PluginToHost, to_host};

use super::*;

/// A schedule of these lines: a type, a conversation or `-`, an id or `-`.
fn schedule(lines: &[&str]) -> Schedule {
    let mut schedule = Schedule::default();
    for line in lines {
        let words: Vec<_> = line.split(' ').collect();
        let mut message = format!("{{\"type\":\"{}\",\"events\":[]", words[0]);
        for (key, word) in ["conversation", "id"].iter().zip(&words[1..]) {
            if *word != "-" {
                let _ = write!(message, ",\"{key}\":\"{word}\"");
            }
        }
        let Ok(PluginToHost::Request(asked)) = to_host::parse(format!("{message}}}").as_bytes())
        else {
            panic!("{message}")
        };
        schedule.add(Task::Serve(asked), 1);
    }
    schedule
}

/// What starts before anything has ended, by the position in the list.
fn starts(lines: &[&str]) -> Vec<usize> {
    let mut schedule = schedule(lines);
    let kinds: Vec<_> = lines.iter().map(ToString::to_string).collect();
    let mut started = Vec::new();
    while let Some(Begun { task: Task::Serve(asked), .. }) = schedule.next(|_| true) {
        let id = asked.id.as_ref().map_or("-", |id| id.as_str());
        let matches = |line: &&String| {
            line.starts_with(asked.request.kind()) && line.ends_with(&format!(" {id}"))
        };
        let found = kinds.iter().position(|line| matches(&line)).unwrap();
        started.push(found);
    }
    started
}

#[test]
fn requests_with_ids_run_side_by_side_and_others_in_turn() {
    let cases: &[(&[&str], &[usize])] = &[
        // 072-056: each has an id and touches something else.
        (&["read_events 1 a", "read_events 2 b", "list_conversations - c"], &[0, 1, 2]),
        // Readers of one conversation do not mind each other.
        (&["read_events 1 a", "read_events 1 b"], &[0, 1]),
        // 072-055: without ids one after the other.
        (&["read_events 1 -", "lock 2 -"], &[0]),
        (&["read_events 1 -", "lock 2 a"], &[0, 1]),
        // Who changes a conversation has it to himself, in the order asked for.
        (&["lock 1 a", "push_events 1 b", "read_events 1 c", "lock 2 d"], &[0, 3]),
        (&["read_events 1 a", "push_events 1 b", "read_events 1 c"], &[0]),
        (&["list_conversations - a", "list_conversations - b", "read_config - c"], &[0, 2]),
    ];
    for (lines, expected) in cases {
        assert_eq!(starts(lines), *expected, "{lines:?}");
    }
}

#[test]
fn what_ends_makes_way_in_order() {
    let mut schedule = schedule(&["lock 1 a", "push_events 1 b", "read_events 1 c"]);
    let mut order = Vec::new();
    while let Some(Begun { task: Task::Serve(asked), claims, cost: _ }) = schedule.next(|_| true) {
        order.push(asked.request.kind());
        assert!(schedule.next(|_| true).is_none(), "only one at a time");
        schedule.give_back(&claims);
    }
    assert_eq!(order, ["lock", "push_events", "read_events"]);
    assert_eq!((schedule.bytes(), schedule.is_empty()), (0, true));
}

#[test]
fn what_does_not_fit_keeps_its_place() {
    let mut schedule = schedule(&["push_events 1 a", "push_events 1 b", "lock 2 c"]);
    let is_lock =
        |task: &Task| matches!(task, Task::Serve(asked) if asked.request.kind() == "lock");
    let Begun { task, .. } = schedule.next(is_lock).unwrap();
    assert!(is_lock(&task));
    assert!(schedule.next(is_lock).is_none());
    let Some(Begun { task: Task::Serve(first), .. }) = schedule.next(|_| true) else { panic!() };
    assert_eq!(first.id.unwrap().as_str(), "a");
}

#[test]
fn at_the_end_only_changes_are_still_made() {
    let mut schedule = schedule(&["list_conversations - -", "push_events 1 -", "read_events 1 -"]);
    schedule.keep_changes();
    let Some(Begun { task: Task::Serve(kept), .. }) = schedule.next(|_| true) else { panic!() };
    assert_eq!(kept.request.kind(), "push_events");
    assert!(schedule.is_empty());
}

#[test]
fn what_runs_is_paid_for_until_it_has_ended() {
    let mut schedule = schedule(&["push_events 1 a", "push_events 2 b", "read_events 3 c"]);
    let first = schedule.next(|_| true).unwrap();
    let second = schedule.next(|_| true).unwrap();
    assert_eq!(schedule.bytes(), 3);
    drop(first);
    assert_eq!(schedule.bytes(), 2);
    schedule.keep_changes();
    assert_eq!(schedule.bytes(), 1);
    drop(second);
    assert_eq!(schedule.bytes(), 0);
}
