//! An attacker in a loop, with both ends inside: a granted directory and a link to a denied one change
//! places. The question is not whether a path escapes but whether the rules saw what was used.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use rustix::fs::RenameFlags;

use super::*;

/// How often each operation has to succeed and to be refused, so that there was a race at all.
const ENOUGH: usize = 200;
const PATIENCE: Duration = Duration::from_secs(45);

#[derive(Debug, Default)]
struct Count {
    done: usize,
    refused: usize,
}

impl Count {
    /// Anything but these outcomes is a finding.
    fn add<T>(&mut self, what: &str, result: Result<T, OpenError>) -> Option<T> {
        match result {
            Ok(value) => {
                self.done += 1;
                return Some(value);
            }
            // The walk gives up on a tree that never holds still.
            Err(OpenError::Access(FsAccessError::Escape(_) | FsAccessError::Denied { .. })) => {
                self.refused += 1;
            }
            // What the step before this one should have made, it could not make.
            Err(OpenError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {}
            Err(error) => panic!("{what}: {error}"),
        }
        None
    }

    fn is_enough(&self) -> bool {
        self.done >= ENOUGH && self.refused >= ENOUGH
    }
}

/// What is done in each round. `flip` leads to itself or to `secret`.
#[derive(Debug, Default)]
struct Counts {
    read: Count,
    update: Count,
    create: Count,
    rename: Count,
    remove: Count,
}

impl Counts {
    fn round(&mut self, files: &Files, number: usize) {
        if let Some(file) = self.read.add("read", files.read("flip/f".into())) {
            assert_eq!(read_to_string(file).unwrap(), "flip/f");
        }
        if let Some(mut file) = self.update.add("update", files.update("flip/f".into())) {
            file.write_all(b"flip").unwrap();
        }
        let new = Utf8PathBuf::from(format!("flip/n{number}"));
        if let Some(mut file) = self.create.add("create", files.create(&new)) {
            file.write_all(b"new").unwrap();
        }
        for (from, to) in [(new.as_path(), "flip/m"), ("flip/m".into(), "flip/k")] {
            self.rename.add("rename", files.rename(from, to.into(), Existing::Replace));
        }
        self.remove.add("remove", files.remove_file("flip/k".into()));
    }

    fn is_enough(&self) -> bool {
        [&self.read, &self.update, &self.create, &self.rename, &self.remove]
            .into_iter()
            .all(Count::is_enough)
    }
}

#[test]
fn a_swapped_link_to_a_denied_directory_is_always_seen() {
    // 076-155, 076-156, 076-157: every operation, each on what was judged.
    both_ways(&[(".", &ALL), ("secret", &[])], |way, tree, files| {
        for file in ["flip/f", "secret/m", "secret/k"] {
            tree.file(file);
        }
        tree.link("spare", "secret");
        let root = files.root().clone();
        let stop = AtomicBool::new(false);
        let mut counts = Counts::default();
        thread::scope(|scope| {
            let attacker = scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let (dir, flags) = (root.dir(), RenameFlags::EXCHANGE);
                    rustix::fs::renameat_with(dir, "flip", dir, "spare", flags).unwrap();
                }
            });
            let stop = StopOnDrop(&stop);
            let end = Instant::now() + PATIENCE;
            let mut number = 0;
            while !counts.is_enough() && Instant::now() < end && !attacker.is_finished() {
                counts.round(&files, number);
                number += 1;
            }
            drop(stop);
        });
        assert!(counts.is_enough(), "{way}: no race: {counts:?}");
        let mut names: Vec<_> = fs::read_dir(tree.ws().join("secret")).unwrap().flatten().collect();
        names.sort_by_key(fs::DirEntry::file_name);
        let found: Vec<_> =
            names.iter().map(|entry| fs::read_to_string(entry.path()).unwrap()).collect();
        assert_eq!(found, ["secret/f", "secret/k", "secret/m"], "{way}");
    });
}

/// A finding is a panic, and must not leave the attacker running.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
