//! Whole calls: what comes out, whatever the program does.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

mod common;

use std::time::Duration;

use common::{LONG, TIERS, World};
use jp_process::{Bounds, Finished, Interrupted, RunError, SpawnError, Stop, Stopped, Stream};
use jp_sandbox::{event::Ended, failure::Step};

/// Runs a script under every tier and says how it ended and what it wrote.
async fn check(script: &str, input: &[u8], expected: (Ended, &str, &str)) {
    let world = World::new();
    for tier in TIERS {
        let mut call = world.call(tier, script);
        call.input = input.to_vec();
        let finished = world.run(call).await.unwrap();
        let Finished { exit, stdout, stderr, stopped } = &finished;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let seen = (exit.ended, text(&stdout.bytes), text(&stderr.bytes));
        let (ended, stdout, stderr) = expected;
        assert_eq!(seen, (ended, stdout.into(), stderr.into()), "{tier:?}: {script}");
        assert_eq!(*stopped, None, "{tier:?}: {script}");
    }
    world.assert_no_program();
    world.assert_end();
}

#[tokio::test]
async fn a_program_ends_as_it_wants_to() {
    check("exit 0", b"", (Ended::Code(0), "", "")).await;
    check("echo out; echo err >&2; exit 7", b"", (Ended::Code(7), "out\n", "err\n")).await;
    check("exit 255", b"", (Ended::Code(255), "", "")).await;
    check("kill -TERM $$", b"", (Ended::Signal(15), "", "")).await;
    check("printf before; kill -KILL $$", b"", (Ended::Signal(9), "before", "")).await;
}

#[tokio::test]
async fn a_program_gets_its_input() {
    check("cat", b"hello", (Ended::Code(0), "hello", "")).await;
    check("wc -c", &vec![b'x'; 3 << 20], (Ended::Code(0), "3145728\n", "")).await;
    // Without input there is an end at once.
    check("cat; echo end", b"", (Ended::Code(0), "end\n", "")).await;
    // Nobody has to read.
    check("exit 3", &vec![b'x'; 3 << 20], (Ended::Code(3), "", "")).await;
    check("exec <&-; sleep 0.1; echo late", &vec![b'x'; 3 << 20], (Ended::Code(0), "late\n", ""))
        .await;
}

#[tokio::test]
async fn nobody_waits_for_another_when_all_pipes_are_full() {
    let world = World::new();
    for tier in TIERS {
        let mut call = world.call(tier, "$0 flood both 3000000; cat; $0 flood both 3000000");
        call.input = vec![b'y'; 3_000_000];
        let finished = world.run(call).await.unwrap();
        assert!(finished.exit.is_success());
        assert_eq!(
            (finished.stdout.bytes.len(), finished.stderr.bytes.len()),
            (9_000_000, 6_000_000)
        );
        let stdout = &finished.stdout.bytes;
        assert!(stdout[3_000_000..6_000_000].iter().all(|byte| *byte == b'y'));
    }
}

#[tokio::test]
async fn what_a_program_leaves_behind_ends_with_it() {
    check("$0 daemon x 3; echo done", b"", (Ended::Code(0), "done\n", "")).await;
    check("setsid $0 sleep & (setsid $0 sleep &) ; echo done", b"", (Ended::Code(0), "done\n", ""))
        .await;
    check("$0 swarm x 3 & sleep 0.2; exit 5", b"", (Ended::Code(5), "", "")).await;
    check("trap '' TERM HUP INT; $0 sleep & exit 6", b"", (Ended::Code(6), "", "")).await;
}

#[tokio::test]
async fn that_something_was_left_behind_is_told() {
    let world = World::new();
    for (script, left_behind) in [
        ("true", false),
        ("$0 sleep & exit 0", true),
        ("$0 daemon x 1; exit 3", true),
        ("(true &); sleep 0.3", false),
    ] {
        let finished =
            world.run(world.call(jp_sandbox::confinement::Tier::Namespaces, script)).await.unwrap();
        assert_eq!(finished.exit.left_behind, left_behind, "{script}");
    }
}

#[tokio::test]
async fn a_program_without_output_is_waited_for() {
    check("exec >&- 2>&-; sleep 0.3; exit 9", b"", (Ended::Code(9), "", "")).await;
}

#[tokio::test]
async fn a_pipe_in_other_hands_does_not_hold_the_call() {
    // This process itself has a copy of the writing end, which nobody ends.
    let world = World::new();
    for tier in TIERS {
        let (reads, writes) = rustix::pipe::pipe().unwrap();
        let kept = writes.try_clone().unwrap();
        let mut spawn = world.spawn(tier, "echo said");
        spawn.stdout = jp_process::Output::Descriptor(writes);
        let mut child = world.host.spawn(spawn).await.unwrap();
        child.stdout = Some(tokio::net::unix::pipe::Receiver::from_owned_fd(reads).unwrap());
        let bounds = Bounds { time: Some(LONG), ..Bounds::default() };
        let finished =
            jp_process::finish(child, Vec::new(), bounds, std::future::pending()).await.unwrap();
        assert_eq!((finished.stdout.bytes.as_slice(), finished.stopped), (&b"said\n"[..], None));
        drop(kept);
    }
}

#[tokio::test]
async fn too_much_output_stops_a_program() {
    let world = World::new();
    for tier in TIERS {
        for (stream, which) in [("stdout", Stream::Stdout), ("stderr", Stream::Stderr)] {
            let mut call = world.call(tier, &format!("exec $0 flood {stream} 100000000000"));
            call.bounds.output = 100_000;
            let finished = world.run(call).await.unwrap();
            let (full, empty) = match which {
                Stream::Stdout => (finished.stdout, finished.stderr),
                Stream::Stderr => (finished.stderr, finished.stdout),
            };
            assert_eq!(finished.stopped, Some(Stopped::Output(which)));
            assert_eq!(finished.exit.ended, Ended::Signal(15));
            assert_eq!((full.bytes.len(), full.truncated), (100_000, true));
            assert_eq!((empty.bytes.len(), empty.truncated), (0, false));
        }
    }
    world.assert_no_program();
}

#[tokio::test]
async fn exactly_the_limit_is_not_too_much() {
    let world = World::new();
    for (bytes, truncated) in [(99_999, false), (100_000, false), (100_001, true)] {
        let mut call = world.call(TIERS[0], &format!("exec $0 flood stdout {bytes}"));
        call.bounds.output = 100_000;
        let finished = world.run(call).await.unwrap();
        assert_eq!(finished.stdout.truncated, truncated, "{bytes}");
        assert_eq!(finished.stdout.bytes.len(), bytes.min(100_000));
    }
}

#[tokio::test]
async fn nothing_kept_is_a_limit_too() {
    let world = World::new();
    let mut call = world.call(TIERS[0], "echo x; exec $0 sleep");
    call.bounds.output = 0;
    let finished = world.run(call).await.unwrap();
    assert_eq!(finished.stopped, Some(Stopped::Output(Stream::Stdout)));
    assert!(finished.stdout.truncated && finished.stdout.bytes.is_empty());
}

#[tokio::test]
async fn a_program_has_time_to_end_properly() {
    let world = World::new();
    for tier in TIERS {
        let script = "trap 'echo bye; exit 4' TERM; echo begun; while :; do sleep 0.05; done";
        let mut call = world.call(tier, script);
        call.bounds.time = Some(Duration::from_millis(500));
        let finished = world.run(call).await.unwrap();
        assert_eq!(finished.stopped, Some(Stopped::Time));
        assert_eq!(finished.exit.ended, Ended::Code(4));
        assert_eq!(finished.stdout.bytes, b"begun\nbye\n");
    }
    world.assert_no_program();
}

#[tokio::test]
async fn a_program_that_does_not_want_to_end_is_killed() {
    let world = World::new();
    for tier in TIERS {
        // Also one that never reads, with its input still to be written.
        let mut call = world.call(tier, "trap '' TERM HUP INT; $0 daemon x 2; exec $0 sleep");
        call.input = vec![0; 1 << 20];
        call.bounds.stop =
            Stop { terminate_after: Duration::ZERO, kill_after: Duration::from_millis(100) };
        let cancel = tokio::time::sleep(Duration::from_millis(300));
        let finished = jp_process::run(&world.host, call, cancel).await.unwrap();
        assert_eq!(finished.stopped, Some(Stopped::Cancelled));
        assert_eq!(finished.exit.ended, Ended::Signal(9));
        assert_eq!(finished.exit.to_string(), "was ended by SIGKILL");
    }
    world.assert_no_program();
}

/// Whoever has something to lose by half-done work asks the end of the process, not the caller.
#[tokio::test]
async fn an_end_says_whether_the_work_is_whole() {
    let world = World::new();
    for tier in TIERS {
        let script = "trap 'exit 0' TERM; echo begun; while :; do sleep 0.05; done";
        let mut call = world.call(tier, script);
        call.bounds.time = Some(Duration::from_millis(300));
        let finished = world.run(call).await.unwrap();
        assert!(finished.exit.is_success(), "it ended politely: {}", finished.exit);
        assert_eq!(finished.exit.interrupted(), Some(Interrupted::Stopped), "{tier:?}");
        for (script, expected) in [
            ("exit 0", None),
            ("exit 7", None),
            ("kill -SEGV $$", Some(Interrupted::Signal(11))),
            ("sleep 60 & kill -KILL $$", Some(Interrupted::Signal(9))),
        ] {
            let finished = world.run(world.call(tier, script)).await.unwrap();
            assert_eq!(finished.exit.interrupted(), expected, "{tier:?}: {script}");
        }
        // What has ended cannot be stopped.
        let mut child = world.host.spawn(world.spawn(tier, "exit 0")).await.unwrap();
        assert_eq!(child.exit(), None);
        child.wait().await.unwrap();
        assert_eq!(child.kill().await.unwrap().interrupted(), None, "{tier:?}");
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_ends() {
    let world = World::new();
    for tier in TIERS {
        let call = world.call(tier, "trap '' TERM; $0 daemon x 2; exec $0 sleep");
        let running = tokio::time::timeout(Duration::from_millis(300), world.run(call));
        assert!(running.await.is_err());
        world.assert_no_program();
    }
    world.assert_end();
}

#[tokio::test]
async fn a_call_cancelled_before_it_began_does_not_run() {
    let world = World::new();
    let call = world.call(TIERS[0], "exec $0 sleep");
    let ended = jp_process::run(&world.host, call, async {}).await;
    // It may have begun before the cancellation was looked at.
    match ended {
        Err(RunError::Stopped { why, .. }) => assert_eq!(why, Stopped::Cancelled),
        Ok(finished) => assert_eq!(finished.stopped, Some(Stopped::Cancelled)),
        Err(error) => panic!("{error}"),
    }
    world.assert_no_program();
}

#[tokio::test]
async fn what_cannot_be_executed_is_told() {
    let world = World::new();
    for tier in TIERS {
        for (path, directory, step) in [
            ("/no/such/program", "/", Step::Execute),
            ("/etc/passwd", "/", Step::Execute),
            ("/etc", "/", Step::Execute),
            ("/bin/sh", "/no/such/directory", Step::Directory),
        ] {
            let mut call = world.call(tier, "");
            call.program.path = path.into();
            call.program.directory = directory.into();
            match world.run(call).await {
                Err(RunError::Spawn(SpawnError::Failed { program, failure })) => {
                    assert_eq!((program.to_str(), failure.step), (Some(path), step), "{tier:?}");
                }
                other => panic!("{tier:?} {path}: {other:?}"),
            }
        }
    }
    world.assert_end();
}

#[tokio::test]
async fn a_helper_that_is_none_is_told() {
    let world = World::new();
    let call = |program: &str| (jp_process::Host::new(program), world.call(TIERS[0], "exit 0"));
    let (host, first) = call("/no/such/helper");
    let error = jp_process::run(&host, first, std::future::pending()).await.unwrap_err();
    assert!(matches!(error, RunError::Spawn(SpawnError::Helper { .. })), "{error:?}");
    let (host, first) = call("/bin/true");
    let error = jp_process::run(&host, first, std::future::pending()).await.unwrap_err();
    // It may be gone before the order, with it, or after it.
    let RunError::Spawn(error) = error else { panic!("{error:?}") };
    let is_told = matches!(
        error,
        SpawnError::Helper { .. } | SpawnError::Lost { .. } | SpawnError::Order { .. }
    );
    assert!(is_told, "{error:?}");
}
