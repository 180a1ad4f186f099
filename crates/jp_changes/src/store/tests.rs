//! The store: who may use it, and what becomes of sets.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{fs, os::unix::fs::PermissionsExt, thread};

use super::*;
use crate::testing::{World, utf8};

#[test]
fn the_directory_is_made_and_private() {
    let temp = tempfile::tempdir().unwrap();
    let path = utf8(temp.path()).join("a/b");
    let store = Store::open(&path).unwrap();
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(), 0o700);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    drop(store);
    Store::open(&path).unwrap();
    assert_eq!(mode(), 0o700);
}

#[test]
fn what_cannot_hold_sets_is_refused() {
    assert!(matches!(Store::open("relative".into()), Err(StoreError::NotAbsolute(_))));
    assert!(matches!(Store::open("/a/../b".into()), Err(StoreError::NotAbsolute(_))));
    assert!(matches!(Store::open("/proc/x".into()), Err(StoreError::Io { .. })));
    let foreign = if rustix::process::geteuid().is_root() {
        let temp = tempfile::tempdir().unwrap();
        std::os::unix::fs::chown(temp.path(), Some(12345), None).unwrap();
        let result = Store::open(&utf8(temp.path()));
        std::os::unix::fs::chown(temp.path(), Some(0), None).unwrap();
        result
    } else {
        Store::open("/usr".into())
    };
    assert!(matches!(foreign, Err(StoreError::NotOurs { .. })));
}

#[test]
fn the_first_on_the_same_file_system_is_taken() {
    let disk = tempfile::tempdir().unwrap();
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let (disk, memory) = (utf8(disk.path()), utf8(memory.path()));
    let candidates = [disk.join("root/inside"), memory.join("s"), disk.join("s"), disk.join("t")];
    for (root, expected) in
        [(disk.join("root"), disk.join("s")), (memory.join("r"), memory.join("s"))]
    {
        fs::create_dir_all(&root).unwrap();
        assert_eq!(Store::open_near(&root, &candidates).unwrap().path(), expected);
    }
    let elsewhere = Store::open_near(&disk.join("root"), &[memory.join("s")]).unwrap();
    assert_eq!(elsewhere.path(), memory.join("s"));
    let nowhere = Store::open_near(&disk.join("root"), &candidates[..1]);
    assert!(matches!(nowhere, Err(StoreError::Nowhere(_))));
    assert!(!disk.join("root/inside").exists());
}

#[test]
fn a_place_and_the_store_do_not_contain_one_another() {
    let world = World::new();
    let store = world.store.path();
    for place in [store.parent().unwrap().to_owned(), store.to_owned(), store.join("x")] {
        assert!(matches!(world.store.begin(&[place]), Err(StoreError::Overlap { .. })));
    }
    let relative = world.store.begin(&["x".into()]);
    assert!(matches!(relative, Err(StoreError::NotAbsolute(_))));
}

#[test]
fn a_set_has_two_directories_for_each_place_and_is_gone_when_dropped() {
    let world = World::new();
    world.host("chmod 751 .; mkdir d");
    let set = world.store.begin(&[world.root(), world.root().join("missing")]).unwrap();
    for (path, mode) in
        [("0/upper", 0o751), ("0/work", 0o700), ("1/upper", 0o755), ("1/work", 0o700)]
    {
        let found = fs::metadata(set.path().join(path)).unwrap().permissions().mode() & 0o7777;
        assert_eq!(found, mode, "{path}");
    }
    world.tool(&set, "mkdir -p x/y; : > x/y/z; chmod 000 x/y; rm -r d; chmod 500 x");
    let changes = set.read(&world.root()).unwrap();
    drop(set);
    assert_eq!(count(&world), 1, "the changes still need it");
    drop(changes);
    assert_eq!(count(&world), 0);
}

#[test]
fn very_deep_directories_are_removed() {
    let world = World::new();
    let set = world.begin();
    world.tool(&set, "python3 -c 'import os\nfor i in range(1500): os.mkdir(\"dddd\"); os.chdir(\"dddd\"); open(\"f\", \"w\")'");
    let error = set.read(&world.root()).unwrap_err().to_string();
    assert!(error.contains("File name too long"), "{error}");
    drop(set);
    assert_eq!(count(&world), 0);
}

#[test]
fn sets_in_use_stay_and_abandoned_ones_go() {
    let world = World::new();
    let used = world.begin();
    let id = "0123456789abcdef0123456789abcdef";
    let abandoned = world.store.path().join(id);
    fs::create_dir_all(abandoned.join("0/upper/a/b")).unwrap();
    fs::write(abandoned.join("0/upper/a/b/c"), "x").unwrap();
    fs::write(world.store.path().join("note"), "not a set").unwrap();
    let expected = Swept { removed: 1, in_use: 1, left: 0 };
    assert_eq!(world.store.sweep().unwrap(), expected);
    assert!(used.path().join("0/upper").exists() && world.store.path().join("note").exists());
    fs::create_dir_all(abandoned.join("0/upper")).unwrap();
    drop(world.begin());
    assert!(!abandoned.exists(), "to begin is to sweep");
}

#[test]
fn a_sweep_ends_and_the_next_goes_on() {
    let temp = tempfile::tempdir().unwrap();
    for index in 0..50 {
        fs::create_dir_all(temp.path().join(format!("d{index}/e/f"))).unwrap();
    }
    fs::write(temp.path().join("lock"), "").unwrap();
    let dir = rustix::fs::open(temp.path(), OFlags::RDONLY, Mode::empty()).unwrap();
    let mut rounds = 0;
    while !remove::empty(&dir, "lock", &mut 10).unwrap() {
        rounds += 1;
        assert!(rounds < 1_000);
    }
    assert!(rounds > 5);
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1);
}

#[test]
fn many_begin_and_sweep_at_once() {
    let world = World::new();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let set = world.begin();
                    fs::write(set.path().join("0/upper/f"), "x").unwrap();
                    world.store.sweep().unwrap();
                    assert!(set.path().join("0/upper/f").exists());
                }
            });
        }
    });
    assert_eq!(count(&world), 0);
}

fn count(world: &World) -> usize {
    fs::read_dir(world.store.path()).unwrap().count()
}
