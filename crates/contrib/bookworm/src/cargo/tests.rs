//! Tests of running cargo, with programs that misbehave in its place.

#![expect(clippy::unwrap_used, reason = "tests may fail")]

use std::{os::unix::fs::PermissionsExt, time::Instant};

use super::*;

/// A program in place of cargo.
struct Fake {
    dir: tempfile::TempDir,
}

impl Fake {
    fn new(script: &str) -> (Self, Cargo) {
        let dir = tempfile::tempdir().unwrap();
        let here = Utf8PathBuf::from_path_buf(dir.path().to_owned()).unwrap();
        let program = here.join("cargo");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        (Self { dir }, Cargo::new(program, here))
    }
}

#[tokio::test]
async fn output_and_errors() {
    let (_fake, cargo) = Fake::new("echo \"$@\"");
    assert_eq!(cargo.run(&["info", "--", "x"], Patience::Look).await.unwrap(), b"info -- x\n");
    let (_fake, cargo) = Fake::new("echo '   Compiling x' >&2; echo 'error: no' >&2; exit 101");
    let error = cargo.run(&["doc"], Patience::Look).await.unwrap_err();
    assert_eq!(error.to_string(), "`cargo doc` failed: error: no");
    let cargo = Cargo::new("/nowhere/cargo".into(), "/".into());
    assert!(matches!(cargo.run(&["doc"], Patience::Look).await, Err(CargoError::Start(..))));
}

#[tokio::test]
async fn a_flood_is_ended() {
    let (_fake, cargo) = Fake::new("exec yes");
    let error = cargo.run(&["metadata"], Patience::Look).await.unwrap_err();
    assert!(matches!(error, CargoError::TooMuch(..)), "{error}");
}

/// Whatever a run has started ends with it, also what cargo itself has started.
#[tokio::test]
async fn a_run_that_is_given_up_leaves_nothing() {
    let (fake, cargo) = Fake::new("(sleep 600 & echo $! > pid; wait) & wait");
    let pid = fake.dir.path().join("pid");
    let given_up = timeout(Duration::from_secs(20), async {
        tokio::select! {
            end = cargo.run(&["doc"], Patience::Build) => panic!("{end:?}"),
            () = async { while !pid.exists() { tokio::time::sleep(Duration::from_millis(5)).await } } => {}
        }
    });
    given_up.await.unwrap();
    let pid: i32 = std::fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    // A child that nobody waits for stays as a zombie in a container without an init.
    while rustix::process::test_kill_process(pid).is_ok() && !is_zombie(pid) {
        assert!(Instant::now() < deadline, "{pid:?} is still there");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn is_zombie(pid: rustix::process::Pid) -> bool {
    let path = format!("/proc/{}/stat", pid.as_raw_nonzero());
    std::fs::read_to_string(path).is_ok_and(|stat| stat.contains(") Z "))
}
