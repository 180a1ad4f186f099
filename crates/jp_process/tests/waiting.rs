//! A copy of a program that carries out its first order: what it hands on, and that it is never left behind.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the parent itself is started by the test, which fails loudly"
)]

mod common;

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
};

use common::{World, assert_nothing_left};

fn start(world: &World, what: &str, script: &str) -> Child {
    start_by("umask 0077; exec", world, what, script)
}

/// A parent that is what a shell executes by these words.
fn start_by(words: &str, world: &World, what: &str, script: &str) -> Child {
    let fixture = world.fixture.to_str().unwrap();
    Command::new("/bin/sh")
        .args(["-c", &format!("{words} \"$0\" waiting \"$@\"")])
        .args([env!("CARGO_BIN_EXE_process_fixture"), what, fixture, script])
        .env("SECRET", "of whoever started it")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What a parent says, and that nothing is left of it.
fn said(what: &str, script: &str) -> Vec<String> {
    let world = World::new();
    said_by(start(&world, what, script), &world)
}

fn said_by(parent: Child, world: &World) -> Vec<String> {
    let output = parent.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_nothing_left(&world.fixture);
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// The same program sees the same, whoever started it.
#[track_caller]
fn check_both(script: &str, expected: &str) {
    let lines = said("twice", &format!("echo $PPID $({script})"));
    let seen: Vec<(&str, &str)> = lines
        .iter()
        .map(|line| {
            let mut words = line.splitn(3, ' ');
            let by = words.next().unwrap();
            (by, words.nth(1).unwrap_or_default())
        })
        .collect();
    assert_eq!(seen, [("copy", expected), ("helper", expected)], "{script}");
}

#[test]
fn the_first_order_is_for_the_copy_and_the_others_for_the_helper() {
    check_both("echo hello", "hello");
}

/// Longer than what is sent in one piece.
#[test]
fn an_order_may_be_long() {
    check_both(&format!(": {}; echo hello", "x".repeat(100_000)), "hello");
}

#[test]
fn no_descriptor_is_handed_on() {
    // The fourth is the directory that is listed.
    check_both("cd /proc/self/fd; echo *", "0 1 2 3");
}

#[test]
fn no_variable_is_handed_on() {
    check_both("echo ${SECRET-none}; tr '\\0' '\\n' </proc/$$/environ", "none PATH=/usr/bin:/bin");
}

#[test]
fn no_signal_is_ignored_or_blocked() {
    // But for the two that the C library keeps to itself and lets nobody set.
    let script = "for set in $(sed -n 's/^Sig\\(Ign\\|Blk\\):.//p' /proc/$$/status); \
                  do echo $((0x$set & ~0x180000000)); done";
    check_both(script, "0 0");
}

/// The kernel reaps the children of whoever ignores their ends, and a program inherits that.
#[test]
fn the_end_is_heard_although_whoever_started_this_ignores_children() {
    let world = World::new();
    let parent = start_by("exec env --ignore-signal=CHLD", &world, "twice", "echo $PPID; exit 7");
    let lines = said_by(parent, &world);
    assert_eq!(lines.len(), 2, "{lines:?}");
    for (line, by) in lines.iter().zip(["copy", "helper"]) {
        assert!(line.starts_with(by) && line.ends_with(" exited with code 7"), "{lines:?}");
    }
}

#[test]
fn it_has_a_session_and_a_group_of_its_own() {
    check_both("set -- $(cat /proc/$$/stat); [ $5 = $$ ] && [ $6 = $$ ] && echo own", "own");
}

#[test]
fn new_files_are_as_private_as_the_user_wants_them() {
    check_both("umask", "0077");
}

#[test]
fn a_copy_that_is_not_needed_leaves_nothing() {
    assert_eq!(said("drop", ""), ["0 left"]);
}

#[test]
fn a_copy_ends_with_its_parent_even_if_it_was_stopped() {
    for what in ["hold", "hold stopped", "hold stopping"] {
        let world = World::new();
        let mut parent = start(&world, what, "");
        let mut line = String::new();
        BufReader::new(parent.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("ready "), "{line}");
        parent.kill().unwrap();
        parent.wait().unwrap();
        assert_nothing_left(&world.fixture);
    }
}

/// The order that was given up is not carried out by anybody, now or later; the next one is.
#[test]
fn an_order_that_was_given_up_is_not_carried_out() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mark = directory.path().join("mark");
    let script = format!("echo $PPID; echo ran >>{}", mark.display());
    let lines = said("late", &script);
    assert!(lines[0].starts_with("/bin/sh did not start within"), "{lines:?}");
    assert_eq!(lines[1], "0 left");
    assert!(lines[2].starts_with("helper "), "{lines:?}");
    assert_eq!(std::fs::read_to_string(&mark).unwrap(), "ran\n");
}

#[test]
fn an_order_that_nobody_waits_for_any_more_is_not_carried_out() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mark = directory.path().join("mark");
    let lines = said("cancel", &format!("echo ran >>{}", mark.display()));
    assert_eq!(lines, ["cancelled", "gone"]);
    assert!(!mark.exists());
}

#[test]
fn a_program_that_stops_its_supervisor_is_killed_all_the_same() {
    let lines = said("kill", "sleep 0.3; kill -STOP $PPID; exec sleep 97.53");
    assert_eq!(lines, ["stopped", "was ended by SIGKILL"]);
}

#[test]
fn a_program_that_stops_its_supervisor_ends_with_its_parent() {
    let world = World::new();
    let mark = world.fixture.with_file_name("mark");
    let script =
        format!("sleep 0.3; kill -STOP $PPID; echo >{}; exec sleep 97.531", mark.display());
    let mut parent = start(&world, "twice", &script);
    common::wait_until(|| mark.exists(), || "it never ran".to_owned());
    parent.kill().unwrap();
    parent.wait().unwrap();
    common::wait_until(
        || common::processes_with("sleep 97.531".as_ref()).is_empty(),
        || "it is still there".to_owned(),
    );
    assert_nothing_left(&world.fixture);
}

/// It may do so before anybody has heard that it runs, and is then given up.
#[test]
fn what_is_given_up_after_it_began_leaves_nothing() {
    let lines = said("begin", "setsid sleep 97.532 & kill -STOP $PPID; wait");
    assert!(lines[0] == "started" || lines[0].contains("did not start within"), "{lines:?}");
    common::wait_until(
        || common::processes_with("sleep 97.532".as_ref()).is_empty(),
        || "it is still there".to_owned(),
    );
}
