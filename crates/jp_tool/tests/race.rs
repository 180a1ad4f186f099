//! An attacker in a loop: a directory and a symbolic link out of the workspace change places as
//! fast as they can while files are read and made through that name. (076-154, 076-155, 076-156,
//! 076-157)
//!
//! The handle-based calls must never reach the outside. The path-based check is run in the same
//! storm for comparison: it prints how often it was fooled. That number is luck, so nothing is
//! asserted about it.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]
#![expect(clippy::unwrap_used, reason = "a storm that cannot be set up is a failed test")]

use std::{
    fs,
    io::{Write, read_to_string},
    os::unix::fs::symlink,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{
    Action, Context,
    access::path::{Files, OpenError, Root},
};
use rustix::fs::{CWD, RenameFlags};

const STORM: Duration = Duration::from_secs(3);

struct Storm {
    _temp: tempfile::TempDir,
    top: Utf8PathBuf,
}

impl Storm {
    /// `ws/flip` is a directory, `ws/spare` a link to `out`; both have a file `f`.
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let top = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
        for dir in ["ws/flip", "out"] {
            fs::create_dir_all(top.join(dir)).unwrap();
        }
        fs::write(top.join("ws/flip/f"), "inside").unwrap();
        fs::write(top.join("out/f"), "SECRET").unwrap();
        symlink(top.join("out"), top.join("ws/spare")).unwrap();
        Self { _temp: temp, top }
    }

    /// Calls `work` with a running number while the two change places.
    fn rage(&self, mut work: impl FnMut(usize)) {
        let stop = AtomicBool::new(false);
        let (a, b) = (self.top.join("ws/flip"), self.top.join("ws/spare"));
        thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let flags = RenameFlags::EXCHANGE;
                    rustix::fs::renameat_with(CWD, a.as_str(), CWD, b.as_str(), flags).unwrap();
                }
            });
            let end = Instant::now() + STORM;
            let mut number = 0;
            while Instant::now() < end {
                work(number);
                number += 1;
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}

#[derive(Debug, Default)]
struct Count {
    inside: usize,
    refused: usize,
    escaped: usize,
}

#[test]
fn handles_never_lead_outside() {
    let storm = Storm::new();
    let files = Files::new(Root::open(&storm.top.join("ws")).unwrap(), None);
    let (mut reads, mut creates) = (Count::default(), Count::default());
    storm.rage(|number| {
        match files.read(Utf8Path::new("flip/f")).map(|file| read_to_string(file).unwrap()) {
            Ok(text) if text == "inside" => reads.inside += 1,
            Ok(_) => reads.escaped += 1,
            Err(OpenError::Access(_)) => reads.refused += 1,
            Err(error) => panic!("{error}"),
        }
        let name = Utf8PathBuf::from(format!("flip/n{number}"));
        match files.create(&name) {
            Ok(mut file) => {
                file.write_all(b"x").unwrap();
                creates.inside += 1;
            }
            Err(OpenError::Access(_)) => creates.refused += 1,
            Err(error) => panic!("{error}"),
        }
        match files.remove_file(&name) {
            Ok(()) | Err(OpenError::Access(_) | OpenError::Io { .. }) => {}
        }
    });
    creates.escaped = fs::read_dir(storm.top.join("out")).unwrap().count() - 1;
    println!("reads: {reads:?}\ncreates: {creates:?}");
    for count in [&reads, &creates] {
        assert_eq!(count.escaped, 0, "{count:?}");
        assert!(count.inside > 100 && count.refused > 100, "no real race: {count:?}");
    }
    assert_eq!(fs::read_to_string(storm.top.join("out/f")).unwrap(), "SECRET");
}

/// Kept to show what the other test is for.
#[test]
fn a_checked_path_can_be_swapped_before_it_is_used() {
    let storm = Storm::new();
    let context = Context {
        root: storm.top.join("ws"),
        action: Action::Run,
        access: None,
        workspace_id: None,
        conversation_id: None,
    };
    let mut count = Count::default();
    storm.rage(|_| match context.check_read(Utf8Path::new("flip/f")).map(fs::read_to_string) {
        Ok(Ok(text)) if text == "inside" => count.inside += 1,
        Ok(Ok(_)) => count.escaped += 1,
        Ok(Err(_)) | Err(_) => count.refused += 1,
    });
    println!("check, then read: {count:?}");
    assert!(count.inside + count.refused + count.escaped > 100, "it did not run: {count:?}");
}
