//! Programs that use the crate, seen from outside: killed without warning, flooded, and very large.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the parent itself is started by the test, which fails loudly"
)]

mod common;

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use common::{World, assert_nothing_left, processes_with, wait_until};

fn start(world: &World, what: &str) -> Child {
    let fixture = world.fixture.to_str().unwrap();
    // Not the copy, so that it is not taken for a process of its own.
    Command::new(env!("CARGO_BIN_EXE_process_fixture"))
        .args(["parent", what, fixture, "token"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn line(parent: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(parent.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}

#[test]
fn a_killed_parent_leaves_nothing() {
    let world = World::new();
    let mut parent = start(&world, "hold");
    assert_eq!(line(&mut parent), "ready");
    // For each tier two sleepers with a daemon and a swarm of fifteen, besides the parent itself.
    let many =
        || processes_with(&world.fixture).iter().filter(|line| !line.contains("__sandbox")).count();
    wait_until(|| many() > 3 * (2 + 15), || format!("{:?}", world.programs()));
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert_nothing_left(&world.fixture);
}

#[test]
fn a_gigabyte_of_output_needs_little_memory() {
    let world = World::new();
    let mut parent = start(&world, "swallow");
    let kilobytes: u64 = line(&mut parent).parse().unwrap();
    assert!(parent.wait().unwrap().success());
    // Two outputs of ten megabytes, and twice that while they grow.
    assert!(kilobytes < 64 * 1024, "{kilobytes} kB");
}

#[test]
fn a_large_parent_starts_programs_like_any_other() {
    let world = World::new();
    let mut parent = start(&world, "heavy");
    assert_eq!(line(&mut parent), "15 true");
    assert!(parent.wait().unwrap().success());
    assert_nothing_left(&world.fixture);
}
