//! What holds, and what makes it hold no longer.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{fs, time::Duration};

use super::*;
use crate::catalog::scan::open;

/// A time at which everything that a test makes has long settled.
const LATER: u64 = 32_503_680_000;

struct World {
    _directory: tempfile::TempDir,
    root: Utf8PathBuf,
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(directory.path()).unwrap().canonicalize_utf8().unwrap();
        fs::create_dir(root.join("bin")).unwrap();
        Self { _directory: directory, root }
    }

    fn bin(&self) -> Utf8PathBuf {
        self.root.join("bin")
    }

    fn add(&self, name: &str) {
        fs::write(self.bin().join(name), "").unwrap();
    }

    fn listings(&self, now: u64) -> Listings {
        Listings::read(self.root.join("cache/listings.json"), now)
    }

    /// The names that are found at a time, and whether the directory was read for them.
    fn find(&self, now: u64) -> (Vec<String>, bool) {
        let mut listings = self.listings(now);
        let (opened, found) = open(&self.bin()).unwrap();
        let names = listings.names(&self.bin(), &opened, &found, "jp-");
        // A directory that was read stands at its end.
        let was_read = rustix::fs::seek(&opened, rustix::fs::SeekFrom::Current(0)).unwrap() != 0;
        listings.keep();
        (names, was_read)
    }
}

#[test]
fn a_directory_is_read_once_and_again_when_a_name_comes_goes_or_changes() {
    let world = World::new();
    world.add("jp-b");
    world.add("other");
    let pause = || std::thread::sleep(Duration::from_millis(20));
    assert_eq!(world.find(LATER), (vec!["jp-b".to_owned()], true));
    assert_eq!(world.find(LATER), (vec!["jp-b".to_owned()], false));
    pause();
    world.add("jp-a");
    assert_eq!(world.find(LATER), (vec!["jp-a".to_owned(), "jp-b".to_owned()], true));
    pause();
    fs::remove_file(world.bin().join("jp-b")).unwrap();
    assert_eq!(world.find(LATER), (vec!["jp-a".to_owned()], true));
    pause();
    fs::rename(world.bin().join("jp-a"), world.bin().join("jp-c")).unwrap();
    assert_eq!(world.find(LATER), (vec!["jp-c".to_owned()], true));
    assert_eq!(world.find(LATER), (vec!["jp-c".to_owned()], false));
}

#[test]
fn another_directory_of_the_same_name_is_another() {
    let world = World::new();
    world.add("jp-a");
    world.find(LATER);
    fs::rename(world.bin(), world.root.join("old")).unwrap();
    fs::create_dir(world.bin()).unwrap();
    world.add("jp-b");
    assert_eq!(world.find(LATER), (vec!["jp-b".to_owned()], true));
}

#[test]
fn what_has_just_changed_is_not_remembered() {
    let world = World::new();
    world.add("jp-a");
    let changed = Listing::of(&open(&world.bin()).unwrap().1).last_change().unwrap();
    let changed = u64::try_from(changed).unwrap();
    for now in [changed, changed + 2] {
        assert!(world.find(now).1);
        assert!(world.find(now).1);
    }
    assert!(world.find(changed + 3).1);
    assert!(!world.find(changed).1, "what is known holds at any time");
}

#[test]
fn a_filesystem_without_such_times_is_read_each_time() {
    let proc = open(Utf8Path::new("/proc/self")).unwrap().0;
    assert!(!keeps_times(&proc));
    assert!(keeps_times(&open(&World::new().root).unwrap().0));
}

#[test]
fn a_damaged_file_is_as_good_as_none() {
    let world = World::new();
    world.add("jp-a");
    fs::create_dir(world.root.join("cache")).unwrap();
    for damage in ["", "{", "{\"version\":2,\"entries\":{}}", "{\"version\":1,\"entries\":[]}"] {
        fs::write(world.root.join("cache/listings.json"), damage).unwrap();
        assert_eq!(world.find(LATER), (vec!["jp-a".to_owned()], true), "{damage}");
        assert_eq!(world.find(LATER), (vec!["jp-a".to_owned()], false), "{damage}");
    }
}
