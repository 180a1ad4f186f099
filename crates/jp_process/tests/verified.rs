//! Programs that run only if they are the ones that were agreed to.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "tests make the programs they start")]

mod common;

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use common::{LONG, TIERS, World, confinement};
use jp_process::{Call, Captured, RunError, SpawnError};
use jp_sandbox::{
    confinement::{Program, Tier},
    event::Ended,
    failure::{Failure, Step},
};
use sha2::{Digest as _, Sha256};

/// A directory that every tier of the tests shows.
fn place() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn sum(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

fn call(world: &World, tier: Tier, path: &Path, args: &[&str], sha256: [u8; 32]) -> Call {
    let mut call = world.call(tier, "");
    call.program = Program {
        path: path.to_owned(),
        args: std::iter::once("jp-x").chain(args.iter().copied()).map(Into::into).collect(),
        sha256: Some(sha256),
        ..call.program
    };
    call.confinement = confinement(tier);
    call
}

async fn output(world: &World, call: Call) -> Result<String, Failure> {
    match world.run(call).await {
        Ok(finished) => {
            assert_eq!(finished.exit.ended, Ended::Code(0), "{finished:?}");
            Ok(text(&finished.stdout))
        }
        Err(RunError::Spawn(SpawnError::Failed { failure, .. })) => Err(failure),
        Err(error) => panic!("{error:?}"),
    }
}

fn text(captured: &Captured) -> String {
    String::from_utf8(captured.bytes.clone()).unwrap()
}

/// A binary that prints: a copy of `echo`.
fn echo(directory: &Path) -> (PathBuf, Vec<u8>) {
    let bytes = fs::read("/bin/echo").unwrap();
    let path = directory.join("jp-echo");
    write(&path, &bytes);
    (path, bytes)
}

#[tokio::test]
async fn a_binary_with_the_right_sum_runs() {
    let (world, place) = (World::new(), place());
    let (path, bytes) = echo(place.path());
    for tier in TIERS {
        let said = output(&world, call(&world, tier, &path, &["hello"], sum(&bytes))).await;
        assert_eq!(said.unwrap(), "hello\n", "{tier:?}");
    }
    world.assert_end();
}

#[tokio::test]
async fn scripts_run_in_every_language_that_is_here() {
    let (world, place) = (World::new(), place());
    let scripts = [
        ("#!/bin/sh\necho \"shell $1\"\n", "shell a\n"),
        ("#!/bin/bash\nset -- \"$@\"; echo \"bash ${1}\"\n", "bash a\n"),
        ("#!/usr/bin/env python3\nimport sys\nprint('python', sys.argv[1])\n", "python a\n"),
        ("#!/usr/bin/perl\nprint \"perl $ARGV[0]\\n\";\n", "perl a\n"),
    ];
    let path = place.path().join("jp-script");
    for (script, wanted) in scripts {
        write(&path, script.as_bytes());
        for tier in TIERS {
            let call = call(&world, tier, &path, &["a"], sum(script.as_bytes()));
            assert_eq!(output(&world, call).await.unwrap(), wanted, "{tier:?} {script}");
        }
    }
    world.assert_end();
}

#[tokio::test]
async fn another_sum_is_refused_by_name() {
    let (world, place) = (World::new(), place());
    let path = place.path().join("jp-x");
    for bytes in [&b"#!/bin/sh\necho no\n"[..], &fs::read("/bin/echo").unwrap(), b""] {
        write(&path, bytes);
        for tier in TIERS {
            let refused = output(&world, call(&world, tier, &path, &[], sum(b"another"))).await;
            let failure = refused.unwrap_err();
            assert_eq!(failure.step, Step::Checksum, "{tier:?}");
            let hex: String = sum(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            assert!(failure.reason.contains(&hex), "{failure}");
        }
    }
    world.assert_end();
}

#[tokio::test]
async fn what_is_no_file_is_refused_and_nobody_waits() {
    let (world, place) = (World::new(), place());
    let pipe = place.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::from(0o755)).unwrap();
    for path in [pipe, place.path().to_owned(), place.path().join("none")] {
        let refused = output(&world, call(&world, Tier::None, &path, &[], sum(b""))).await;
        assert_eq!(refused.unwrap_err().step, Step::Checksum);
    }
    world.assert_end();
}

#[tokio::test]
async fn a_file_that_is_being_written_is_refused() {
    let (world, place) = (World::new(), place());
    let (path, bytes) = echo(place.path());
    let writer = fs::OpenOptions::new().write(true).open(&path).unwrap();
    let refused = output(&world, call(&world, Tier::None, &path, &["x"], sum(&bytes))).await;
    assert!(refused.unwrap_err().reason.contains("open for writing"));
    drop(writer);
    output(&world, call(&world, Tier::None, &path, &["x"], sum(&bytes))).await.unwrap();
}

/// Somebody swaps the program for another as fast as he can, by renaming and by writing into it. What
/// runs is the one that was agreed to, or nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_summed_is_what_runs_however_fast_it_is_swapped() {
    // 072-317
    let (world, place) = (World::new(), place());
    let good = b"#!/bin/sh\necho good\n".to_vec();
    let bad = b"#!/bin/sh\necho evil\n".to_vec();
    let path = place.path().join("jp-x");
    write(&path, &good);
    let stop = AtomicBool::new(false);
    let (mut ran, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| swap(&path, [&good, &bad], &stop));
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                let end = std::time::Instant::now() + LONG;
                while (ran < 40 || refused < 40) && std::time::Instant::now() < end {
                    match output(&world, call(&world, Tier::None, &path, &[], sum(&good))).await {
                        Ok(said) => {
                            assert_eq!(said, "good\n");
                            ran += 1;
                        }
                        Err(_) => refused += 1,
                    }
                }
            });
        });
        stop.store(true, Ordering::Relaxed);
    });
    assert!(ran >= 40 && refused >= 40, "{ran} ran, {refused} were refused");
}

fn swap(path: &Path, versions: [&[u8]; 2], stop: &AtomicBool) {
    let other = path.with_extension("other");
    for turn in 0_usize.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let bytes = versions[turn % 2];
        if turn % 4 < 2 {
            write(&other, bytes);
            fs::rename(&other, path).unwrap();
        } else if let Ok(mut file) = fs::OpenOptions::new().write(true).open(path) {
            // Both are of the same length, so there is never a mixture of lengths to be seen.
            let _ = std::io::Write::write_all(&mut file, bytes);
        }
    }
}
