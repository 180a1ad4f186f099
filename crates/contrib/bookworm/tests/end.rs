//! How the server ends: with its input, by a signal, and with nothing left running.

use std::{
    os::unix::fs::PermissionsExt,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::json;

use crate::{
    session::{ERAS, Era, Session},
    studio::Studio,
};

const LIMIT: Duration = Duration::from_secs(30);

#[test]
fn the_end_of_the_input_is_the_end() {
    let studio = Studio::new();
    for era in ERAS {
        let mut session = Session::start(&mut studio.command(), era, false);
        session.request("tools/list", json!({}));
        assert!(session.finish(LIMIT).success(), "{era:?}");
    }
    let silent = Session::start(&mut studio.command(), Era::Modern, false);
    assert!(silent.finish(LIMIT).success());
}

/// A cargo that hangs, with a child of its own, is gone when the server is told to stop.
#[test]
fn a_signal_ends_the_server_and_what_it_started() {
    let studio = Studio::new();
    let cargo = "#!/bin/sh\nsleep 600 &\necho $! > \"$PID_FILE\"\nwait\n";
    studio.write("bin/cargo", cargo);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(studio.path("bin/cargo"), executable).unwrap();
    let path = format!("{}:{}", studio.path("bin").display(), std::env::var("PATH").unwrap());
    let pid_file = studio.path("pid");
    let mut command = studio.command();
    command.env("PATH", path).env("PID_FILE", &pid_file);
    let mut session = Session::start(&mut command, Era::Modern, false);
    session.ask(
        "tools/call",
        json!({ "name": "crate_info", "arguments": { "name": "paint", "version": "2" } }),
    );
    let pid = wait_for(|| {
        let text = std::fs::read_to_string(&pid_file).ok()?;
        Pid::from_raw(text.trim().parse().ok()?)
    });
    let server = Pid::from_raw(session.child.id().try_into().unwrap()).unwrap();
    kill_process(server, Signal::TERM).unwrap();
    assert!(session.wait(LIMIT).success());
    wait_for(|| (test_kill_process(pid).is_err() || is_zombie(pid)).then_some(()));
}

/// In a container without an init nobody waits for an orphan.
fn is_zombie(pid: Pid) -> bool {
    let path = format!("/proc/{}/stat", pid.as_raw_nonzero());
    std::fs::read_to_string(path).is_ok_and(|stat| stat.contains(") Z "))
}

fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + LIMIT;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "nothing happened");
        std::thread::sleep(Duration::from_millis(10));
    }
}
