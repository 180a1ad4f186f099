//! A helper that is there and does nothing: nobody waits for it without an end.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "tests make their own files")]

mod common;

use std::{
    os::unix::fs::PermissionsExt as _,
    time::{Duration, Instant},
};

use common::{LONG, World, assert_nothing_left, children_of, confinement, wait_until};
use jp_process::{Host, Spawn, SpawnError};
use jp_sandbox::confinement::Tier;
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::timeout;

/// Long enough for a helper that works, on a machine with much to do.
const PATIENCE: Duration = Duration::from_secs(2);

/// A world in which a helper has less time.
fn world() -> World {
    let mut world = World::new();
    world.host = Host::new(&world.fixture).patience(PATIENCE);
    world
}

fn stop(pid: i32) {
    kill_process(Pid::from_raw(pid).unwrap(), Signal::STOP).unwrap();
    let state = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    wait_until(|| state().contains(") T "), state);
}

/// Stops the helper and the supervisor that waits for an order.
fn stop_all(world: &World) -> i32 {
    let helper = world.helper();
    // One that has done its work is still there for a moment, and gone in the next.
    let stays = || {
        let children = children_of(helper);
        std::thread::sleep(Duration::from_millis(100));
        children.len() == 1 && children_of(helper) == children
    };
    wait_until(stays, || format!("{:?}", children_of(helper)));
    let waiting = children_of(helper)[0];
    stop(helper);
    stop(waiting);
    helper
}

async fn says_hello(world: &World) {
    let finished = timeout(LONG, world.run(world.call(Tier::None, "echo hello"))).await;
    assert_eq!(finished.unwrap().unwrap().stdout.bytes, b"hello\n");
}

#[tokio::test]
async fn a_helper_that_was_stopped_is_replaced() {
    let world = world();
    says_hello(&world).await;
    let helper = world.helper();
    stop(helper);
    // The supervisor that waits takes one more order; there is none for the next.
    for _ in 0..3 {
        says_hello(&world).await;
    }
    assert_ne!(world.helper(), helper);
    world.assert_end();
}

#[tokio::test]
async fn many_orders_of_a_stopped_helper_go_to_another() {
    let world = world();
    says_hello(&world).await;
    let helper = stop_all(&world);
    let started = Instant::now();
    tokio::join!(says_hello(&world), says_hello(&world), says_hello(&world), says_hello(&world));
    assert!(started.elapsed() >= PATIENCE, "it was really stopped");
    assert_ne!(world.helper(), helper);
    assert_eq!(common::children().len(), 1, "the old one was waited for");
    world.assert_end();
}

#[tokio::test]
async fn the_machine_is_asked_again_when_nobody_answers() {
    let world = world();
    let machine = world.host.machine().await.unwrap();
    stop_all(&world);
    assert_eq!(timeout(LONG, world.host.machine()).await.unwrap().unwrap(), machine);
    world.assert_end();
}

#[tokio::test]
async fn what_runs_does_not_notice() {
    let world = world();
    let mut child = world.host.spawn(world.spawn(Tier::None, "exec cat")).await.unwrap();
    let helper = world.helper();
    wait_until(|| children_of(helper).len() == 2, || format!("{:?}", children_of(helper)));
    stop(helper);
    for _ in 0..2 {
        says_hello(&world).await;
    }
    assert_ne!(world.helper(), helper);
    assert!(timeout(Duration::from_millis(50), child.wait()).await.is_err());
    child.stdin = None;
    assert!(timeout(LONG, child.wait()).await.unwrap().unwrap().is_success());
    world.assert_end();
}

#[tokio::test]
async fn helpers_that_never_do_anything_are_an_error() {
    let world = World::new();
    let broken = world.fixture.with_file_name("broken");
    std::fs::write(&broken, "#!/bin/sh\nkill -STOP $$\n").unwrap();
    std::fs::set_permissions(&broken, std::fs::Permissions::from_mode(0o755)).unwrap();
    let patience = Duration::from_millis(500);
    let host = Host::new(&broken).patience(patience);
    let order = || Spawn::new(world.shell("echo hello"), confinement(Tier::None)).piped();
    let error = timeout(LONG, host.spawn(order())).await.unwrap().unwrap_err();
    assert!(matches!(error, SpawnError::Helper { .. }), "{error:?}");
    let error = timeout(LONG, host.machine()).await.unwrap().unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("no answer"), "{cause}");
    // Orders that nobody wants any more pile up, and still nobody is blocked by them.
    for _ in 0..500 {
        let _ = timeout(Duration::from_millis(1), host.spawn(order())).await;
    }
    drop(host);
    assert_nothing_left(&broken);
}

#[tokio::test]
async fn a_host_ends_though_its_helper_does_nothing() {
    let world = world();
    says_hello(&world).await;
    stop_all(&world);
    let started = Instant::now();
    world.assert_end();
    assert!(started.elapsed() < Duration::from_secs(20));
}
