//! Writes that are kept apart: what is made of them, and of whom nothing is.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own files")]

mod support;

use std::{os::unix::fs::MetadataExt as _, time::Duration};

use jp_process::{Bounds, Interrupted, Signal, Stop, Stopped};
use support::{LONG, Run, World, bounds, output};

/// Nothing can be removed, so that writes have to be judged.
const JUDGED: &str = ". rcux";

#[tokio::test]
async fn an_environment_of_python_works_when_its_links_were_judged() {
    let world = World::new();
    let script = "/usr/bin/python3 -m venv --without-pip .venv && .venv/bin/python -c 'print(7)'";
    let (finished, outcome) = world.run(Run::sh(script).under(JUDGED)).await;
    assert_eq!(output(&finished), "7\n");
    let pending = outcome.pending.unwrap();
    assert!(pending.judged().refused().is_empty(), "{:?}", pending.judged().refused());
    let report = pending.commit();
    assert!(report.failed.is_empty(), "{:?}", report.failed);
    let python = world.root().join(".venv/bin/python");
    assert!(std::fs::canonicalize(&python).unwrap().starts_with("/usr"));
    // And the next call finds it.
    let (finished, _) = world.run(Run::sh(".venv/bin/python -c 'print(8)'").under(JUDGED)).await;
    assert_eq!(output(&finished), "8\n");
}

/// A link to what the tool cannot see would be followed by somebody who can.
#[tokio::test]
async fn a_link_to_what_is_hidden_from_the_tool_is_refused() {
    let world = World::new();
    std::fs::create_dir(world.home().join(".ssh")).unwrap();
    let home = world.home();
    for (target, may) in [
        ("/usr/bin/env".to_owned(), true),
        ("/etc/hostname".to_owned(), true),
        ("/dev/null".to_owned(), true),
        (format!("{home}/.ssh/id"), false),
        (format!("{home}/.bashrc"), false),
        ("/tmp/x".to_owned(), false),
        ("/proc/self/environ".to_owned(), false),
        ("/dev/sda".to_owned(), false),
        ("/".to_owned(), false),
    ] {
        let run = Run::sh(&format!("ln -s {target} link; echo x > beside")).under(JUDGED);
        let pending = world.run(run).await.1.pending.unwrap();
        assert_eq!(pending.judged().refused().len(), usize::from(!may), "{target}");
        pending.commit();
        assert!(world.has("beside"));
        assert_eq!(world.has("link"), may, "{target}");
        let _ = std::fs::remove_file(world.root().join("link"));
        std::fs::remove_file(world.root().join("beside")).unwrap();
    }
}

/// A committed link gives a later call nothing that it has not got anyway.
#[tokio::test]
async fn a_link_is_only_as_good_as_the_view_of_who_follows_it() {
    let world = World::new();
    std::fs::write(world.home().join("private"), "SECRET").unwrap();
    std::os::unix::fs::symlink(world.home().join("private"), world.root().join("link")).unwrap();
    world.file(".env", "SECRET");
    std::os::unix::fs::symlink(".env", world.root().join("other")).unwrap();
    for rules in [JUDGED, ". rcudx", ". r"] {
        let (finished, _) = world.run(Run::sh("cat link other").under(rules)).await;
        assert!(!output(&finished).contains("SECRET"), "{}", output(&finished));
    }
}

#[tokio::test]
async fn a_pipe_and_a_socket_are_left_out_and_the_rest_is_made() {
    let world = World::new();
    let socket = "import socket; socket.socket(socket.AF_UNIX).bind('run/socket')";
    let script =
        format!("mkdir run; mkfifo run/pipe; /usr/bin/python3 -c \"{socket}\"; echo x > run/file");
    let (finished, outcome) = world.run(Run::sh(&script).under(JUDGED)).await;
    assert!(finished.exit.is_success(), "{}", output(&finished));
    let pending = outcome.pending.unwrap();
    assert!(pending.judged().refused().is_empty());
    let left: Vec<_> = pending.judged().left_out().iter().map(|change| &change.path).collect();
    assert_eq!(left, ["run/pipe", "run/socket"]);
    assert!(pending.judged().diff().contains("run/pipe"));
    assert!(pending.commit().failed.is_empty());
    assert_eq!(world.read("run/file").as_deref(), Some("x\n"));
    assert!(!world.has("run/pipe") && !world.has("run/socket"));
}

#[tokio::test]
async fn names_of_one_file_stay_names_of_one_file() {
    let world = World::new();
    world.file("old", "old");
    let (_, outcome) = world.run(Run::sh("echo x > a; ln a b; ln old new").under(JUDGED)).await;
    assert!(outcome.pending.unwrap().commit().failed.is_empty());
    let inode = |name: &str| std::fs::metadata(world.root().join(name)).unwrap().ino();
    assert_eq!(inode("a"), inode("b"));
    assert_ne!(inode("old"), inode("new"), "what was there before gets no second name");
}

/// Each script has made half of its work when it is told to end, whatever it makes of that.
const HALVES: [&str; 3] = [
    "echo half > half; echo ready; exec sleep 60",
    "trap 'echo other > half; exit 0' TERM INT HUP; echo half > half; echo ready; \
     while :; do sleep 0.05; done",
    "trap '' TERM INT HUP; echo half > half; echo ready; while :; do sleep 0.05; done",
];

#[tokio::test]
async fn what_was_stopped_cannot_be_committed() {
    let world = World::new();
    let stop = Stop { terminate_after: Duration::ZERO, kill_after: Duration::from_millis(300) };
    for script in HALVES {
        for (time, why) in
            [(Some(Duration::from_millis(300)), Stopped::Time), (None, Stopped::Cancelled)]
        {
            let running = world.start(Run::sh(script).under(JUDGED)).await;
            let cancel = async {
                match why {
                    Stopped::Cancelled => tokio::time::sleep(Duration::from_millis(300)).await,
                    _ => std::future::pending().await,
                }
            };
            let bounds = Bounds { time, stop, ..Bounds::default() };
            let (finished, outcome) = running.finish(Vec::new(), bounds, cancel).await.unwrap();
            assert_eq!(finished.stopped, Some(why), "{script}");
            assert!(outcome.pending.is_none(), "{script}");
            let abandoned = outcome.abandoned.unwrap();
            assert_eq!(abandoned.why(), Interrupted::Stopped);
            assert_eq!(abandoned.judged().allowed().len(), 1, "it can be shown");
            drop(abandoned);
            assert!(!world.has("half"), "{script}");
        }
    }
}

/// The host passes on what it is told itself, and says nothing else to anybody.
#[tokio::test]
async fn a_signal_of_the_host_is_the_end_of_the_work() {
    let world = World::new();
    for (script, signal) in [
        (HALVES[0], Signal::Interrupt),
        (HALVES[0], Signal::Terminate),
        (HALVES[1], Signal::Terminate),
        (HALVES[1], Signal::Hangup),
    ] {
        let mut running = world.start(Run::sh(script).under(JUDGED)).await;
        ready(&mut running).await;
        running.child.signal(signal).unwrap();
        let exit = tokio::time::timeout(LONG, running.child.wait()).await.unwrap().unwrap();
        let outcome = running.end(&exit).unwrap();
        assert!(outcome.pending.is_none() && outcome.abandoned.is_some(), "{script}: {exit}");
    }
    let mut running = world.start(Run::sh(HALVES[2]).under(JUDGED)).await;
    ready(&mut running).await;
    let exit = running.child.kill().await.unwrap();
    assert!(running.end(&exit).unwrap().pending.is_none());
    assert!(!world.has("half"));
}

/// The kernel ends a program that uses too much, and somebody else may as well.
#[tokio::test]
async fn who_died_has_not_finished() {
    let world = World::new();
    for number in [9, 11, 15] {
        let script = format!("echo half > half; kill -{number} $$");
        let (_, outcome) = world.run(Run::sh(&script).under(JUDGED)).await;
        assert_eq!(outcome.abandoned.unwrap().why(), Interrupted::Signal(number));
        assert!(outcome.pending.is_none());
    }
    // Who failed has: it is for the program to say what it leaves behind.
    let (_, outcome) = world.run(Run::sh("echo whole > whole; exit 3").under(JUDGED)).await;
    outcome.pending.unwrap().commit();
    assert_eq!(world.read("whole").as_deref(), Some("whole\n"));
    assert!(!world.has("half"));
}

/// Nobody can pass off the end of another process as that of this one.
#[tokio::test]
async fn the_process_itself_says_whether_it_has_ended() {
    let world = World::new();
    let mut whole = world.start(Run::sh("true").under(JUDGED)).await;
    let exit = whole.child.wait().await.unwrap();
    assert_eq!(exit.interrupted(), None);
    let mut running = world.start(Run::sh(HALVES[0]).under(JUDGED)).await;
    ready(&mut running).await;
    assert!(running.end(&exit).unwrap().pending.is_none());
    // One that has ended cannot be stopped any more.
    assert!(whole.child.kill().await.unwrap().interrupted().is_none());
    assert!(whole.end(&exit).unwrap().pending.is_some());
}

#[tokio::test]
async fn too_much_output_is_an_end_too() {
    let world = World::new();
    let script = "echo half > half; yes";
    let running = world.start(Run::sh(script).under(JUDGED)).await;
    let bounds = Bounds { output: 1_000, ..bounds() };
    let (finished, outcome) =
        running.finish(Vec::new(), bounds, std::future::pending()).await.unwrap();
    assert!(matches!(finished.stopped, Some(Stopped::Output(_))));
    assert!(outcome.pending.is_none() && outcome.abandoned.is_some());
}

/// Waits until the script says that it is ready.
async fn ready(running: &mut jp_confine::Running) {
    let mut text = [0; 6];
    let stdout = running.child.stdout.as_mut().unwrap();
    let read = tokio::io::AsyncReadExt::read_exact(stdout, &mut text);
    tokio::time::timeout(LONG, read).await.unwrap().unwrap();
    assert_eq!(&text, b"ready\n");
}
