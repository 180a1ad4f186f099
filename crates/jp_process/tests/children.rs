//! Children that are talked to: pipes, signals, the ways to end, and a helper that dies.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "the state of a process is a file")]

mod common;

use std::{future::pending, time::Duration};

use common::{LONG, TIERS, World, confinement, processes_with, wait_until};
use jp_process::{Bounds, Child, Signal, Spawn, Stop, finish};
use jp_sandbox::{
    confinement::{Network, Tier},
    event::{Blocked, Ended, Wanted},
    view::{What, Write},
};
use tokio::time::timeout;

/// Writes all bytes, reads as many.
async fn echo(child: &mut Child, bytes: &[u8]) -> Vec<u8> {
    let stdin = child.stdin.as_ref().unwrap();
    let mut written = 0;
    while written < bytes.len() {
        stdin.writable().await.unwrap();
        written += stdin.try_write(&bytes[written..]).unwrap_or(0);
    }
    read(child, bytes.len()).await
}

async fn read(child: &mut Child, length: usize) -> Vec<u8> {
    let stdout = child.stdout.as_ref().unwrap();
    let mut read = Vec::new();
    while read.len() < length {
        let mut piece = [0; 1024];
        stdout.readable().await.unwrap();
        match stdout.try_read(&mut piece) {
            Ok(0) => break,
            Ok(length) => read.extend_from_slice(&piece[..length]),
            Err(_) => {}
        }
    }
    read
}

#[tokio::test]
async fn a_child_is_talked_to() {
    let world = World::new();
    for tier in TIERS {
        let mut child = world.host.spawn(world.spawn(tier, "exec cat")).await.unwrap();
        for line in ["one\n", "two\n", "three\n"] {
            assert_eq!(echo(&mut child, line.as_bytes()).await, line.as_bytes());
        }
        // The wait can be given up and taken up again.
        assert!(timeout(Duration::from_millis(50), child.wait()).await.is_err());
        child.stdin = None;
        let exit = child.wait().await.unwrap();
        assert_eq!(exit.ended, Ended::Code(0));
        assert_eq!(child.wait().await.unwrap(), exit);
    }
    world.assert_end();
}

#[tokio::test]
async fn each_step_of_a_stop_is_enough_for_somebody() {
    let long = Stop { terminate_after: LONG, kill_after: LONG };
    let ask = Stop { terminate_after: Duration::from_millis(50), kill_after: LONG };
    let make = Stop { terminate_after: Duration::ZERO, kill_after: Duration::from_millis(50) };
    let world = World::new();
    for tier in TIERS {
        for (script, stop, ended) in [
            ("echo; cat; exit 1", long, Ended::Code(1)),
            ("trap 'exit 2' TERM; echo; while :; do sleep 0.05; done", ask, Ended::Code(2)),
            ("echo; exec $0 sleep", ask, Ended::Signal(15)),
            ("trap '' TERM; echo; exec $0 sleep", make, Ended::Signal(9)),
            ("trap '' TERM; echo; kill -STOP $$", make, Ended::Signal(9)),
        ] {
            let mut child = world.host.spawn(world.spawn(tier, script)).await.unwrap();
            assert_eq!(read(&mut child, 1).await, b"\n");
            child.stdin = None;
            assert_eq!(child.stop(stop).await.unwrap().ended, ended, "{tier:?}: {script}");
        }
    }
    world.assert_no_program();
}

#[tokio::test]
async fn a_stop_can_be_overtaken_by_a_kill() {
    let world = World::new();
    for tier in TIERS {
        let script = "trap '' TERM; echo; exec $0 sleep";
        let mut child = world.host.spawn(world.spawn(tier, script)).await.unwrap();
        assert_eq!(read(&mut child, 1).await, b"\n");
        let patient = Stop { terminate_after: Duration::ZERO, kill_after: LONG };
        assert!(timeout(Duration::from_millis(50), child.stop(patient)).await.is_err());
        assert_eq!(child.kill().await.unwrap().ended, Ended::Signal(9));
    }
}

#[tokio::test]
async fn signals_reach_the_whole_group() {
    let world = World::new();
    for tier in TIERS {
        for (signal, code) in [(Signal::Hangup, 11), (Signal::Terminate, 12)] {
            // The shell ends only when what it started has ended too.
            let script =
                "trap 'wait; exit 11' HUP; trap 'wait; exit 12' TERM; (echo; exec $0 sleep) & wait";
            let mut child = world.host.spawn(world.spawn(tier, script)).await.unwrap();
            assert_eq!(read(&mut child, 1).await, b"\n");
            child.signal(signal).unwrap();
            let exit = timeout(LONG, child.wait()).await.unwrap().unwrap();
            assert_eq!(exit.ended, Ended::Code(code));
        }
    }
}

#[tokio::test]
async fn a_signal_that_comes_too_late_hides_no_end() {
    let world = World::new();
    for tier in TIERS {
        for _ in 0..20 {
            let mut child = world.host.spawn(world.spawn(tier, "exec $0 sleep")).await.unwrap();
            // Only sent, not waited for.
            tokio::select! {
                biased;
                _ = child.kill() => {}
                () = async {} => {}
            }
            // The supervisor has heard that it is over when this arrives, and leaves it unread.
            for _ in 0..5 {
                let _ = child.signal(Signal::Terminate);
            }
            let ended = child.wait().await.unwrap().ended;
            assert!(matches!(ended, Ended::Signal(9 | 15)), "{ended:?}");
        }
    }
}

#[tokio::test]
async fn a_child_that_is_dropped_ends_with_all_it_started() {
    let world = World::new();
    for tier in TIERS {
        let script = "trap '' TERM; $0 daemon x 2; $0 swarm x 2 & echo; exec $0 sleep";
        let mut child = world.host.spawn(world.spawn(tier, script)).await.unwrap();
        assert_eq!(read(&mut child, 1).await, b"\n");
        wait_until(|| world.programs().len() >= 9, || format!("{:?}", world.programs()));
        drop(child);
        world.assert_no_program();
    }
    world.assert_end();
}

#[tokio::test]
async fn a_child_does_not_need_its_host() {
    let world = World::new();
    let fixture = world.fixture.clone();
    let mut child = world.host.spawn(world.spawn(Tier::None, "exec cat")).await.unwrap();
    drop(world);
    assert_eq!(echo(&mut child, b"still there").await, b"still there");
    child.stdin = None;
    assert!(child.wait().await.unwrap().is_success());
    common::assert_nothing_left(&fixture);
}

#[tokio::test]
async fn orphans_that_end_are_gone_while_the_program_runs() {
    let world = World::new();
    for tier in TIERS {
        let script = "for i in 1 2 3 4 5; do (setsid true &); done; echo; exec cat";
        let mut child = world.host.spawn(world.spawn(tier, script)).await.unwrap();
        assert_eq!(read(&mut child, 1).await, b"\n");
        let zombies = || common::zombies_below(world.helper());
        wait_until(|| zombies() == 0, || format!("{tier:?}: {} zombies", zombies()));
        child.kill().await.unwrap();
    }
}

#[tokio::test]
async fn the_machine_is_asked_through_the_helper() {
    let world = World::new();
    let machine = world.host.machine().await.unwrap();
    assert!(!machine.kernel.is_empty());
    assert_eq!(world.host.machine().await.unwrap(), machine);
    world.assert_end();
}

#[tokio::test]
async fn a_helper_that_died_is_replaced() {
    let world = World::new();
    for round in 0..3 {
        let mut child = world.host.spawn(world.spawn(Tier::None, "exec cat")).await.unwrap();
        let helper = rustix::process::Pid::from_raw(world.helper()).unwrap();
        rustix::process::kill_process(helper, rustix::process::Signal::KILL).unwrap();
        // An order that is sent while it dies can be lost with it, which is an error of its own.
        let state = || std::fs::read_to_string(format!("/proc/{}/stat", helper.as_raw_nonzero()));
        while state().is_ok_and(|state| !state.contains(") Z ")) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // The next order may still be taken by the supervisor that waited for it.
        for _ in 0..3 {
            let finished = world.run(world.call(Tier::None, "echo again")).await.unwrap();
            assert_eq!(finished.stdout.bytes, b"again\n", "{round}");
        }
        // What ran then has not noticed.
        assert_eq!(echo(&mut child, b"x").await, b"x");
    }
    world.assert_end();
}

#[tokio::test]
async fn a_supervisor_that_died_before_its_order_is_replaced() {
    let world = World::new();
    for round in 0..3 {
        let finished = world.run(world.call(Tier::None, "echo again")).await.unwrap();
        assert_eq!(finished.stdout.bytes, b"again\n", "{round}");
        let helper = world.helper();
        // The supervisor of the call is gone soon; the one that waits for the next is left.
        let waiting = || common::children_of(helper);
        wait_until(|| waiting().len() == 1, || format!("{:?}", waiting()));
        let killed = waiting()[0];
        let pid = rustix::process::Pid::from_raw(killed).unwrap();
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        // An order that is sent while it dies can be lost with it, which is an error of its own.
        wait_until(|| !waiting().contains(&killed), || format!("{killed} does not end"));
    }
    world.assert_end();
}

#[tokio::test]
async fn a_proxy_gets_its_listener() {
    let world = World::new();
    let script = "exec 3<>/dev/tcp/127.0.0.1/3128; echo hello >&3";
    let mut program = world.shell(script);
    program.path = "/bin/bash".into();
    let mut confinement = confinement(Tier::Namespaces);
    confinement.network = Network::Proxy;
    let mut child = world.host.spawn(Spawn::new(program, confinement).piped()).await.unwrap();
    let listener = std::net::TcpListener::from(child.listener.take().unwrap());
    listener.set_nonblocking(true).unwrap();
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    let (connection, _) = timeout(LONG, listener.accept()).await.unwrap().unwrap();
    let mut text = [0; 100];
    let length = loop {
        connection.readable().await.unwrap();
        if let Ok(length) = connection.try_read(&mut text) {
            break length;
        }
    };
    assert_eq!(&text[..length], b"hello\n");
    drop(listener);
    let bounds = Bounds { time: Some(LONG), ..Bounds::default() };
    let finished = finish(child, Vec::new(), bounds, pending()).await.unwrap();
    assert!(finished.exit.is_success(), "{finished:?}");
}

#[tokio::test]
async fn what_was_denied_comes_with_the_end() {
    let world = World::new();
    let directory = world.fixture.parent().unwrap().canonicalize().unwrap();
    let directory = directory.to_str().unwrap();
    let mut call = world.call(Tier::Namespaces, &format!("cat {directory}/fixture"));
    let view = &mut call.confinement.view;
    view.set(directory, What::Host { write: Write::No, execute: true });
    view.set(format!("{directory}/fixture"), What::Hidden);
    call.confinement.observe = true;
    let finished = world.run(call).await.unwrap();
    assert_eq!(finished.exit.ended, Ended::Code(1));
    let blocked =
        Blocked::Path { path: format!("{directory}/fixture").into(), wanted: Wanted::Read };
    assert_eq!(finished.exit.blocked, [blocked]);
    assert!(processes_with(&world.fixture).iter().all(|command| command.ends_with("__sandbox")));
}
