//! Somebody exchanges what a path goes through while it is used.
//!
//! A loop swaps a directory with a link that leads out, as fast as it can, while requests go through
//! that name. Each request may fail. None may read or write what is behind the link.

use std::{
    fs,
    os::unix::fs::symlink,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use camino::Utf8PathBuf;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;

use crate::world::World;

/// Swaps two names until it is dropped.
struct Swapper {
    stop: Arc<AtomicBool>,
    swaps: Arc<AtomicU64>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Swapper {
    fn new(one: Utf8PathBuf, other: Utf8PathBuf) -> Self {
        let (stop, swaps) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (seen, count) = (stop.clone(), swaps.clone());
        let thread = std::thread::spawn(move || {
            while !seen.load(Ordering::Relaxed) {
                let flags = RenameFlags::EXCHANGE;
                renameat_with(CWD, one.as_std_path(), CWD, other.as_std_path(), flags).unwrap();
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        Self { stop, swaps, thread: Some(thread) }
    }
}

impl Drop for Swapper {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
        assert!(self.swaps.load(Ordering::Relaxed) > 100, "it was a race");
    }
}

fn race(target: &str, rules: &str) {
    let world = World::on_disk().rules(rules);
    world.put("d/file", "mine");
    world.put("private/file", "secret");
    fs::create_dir(world.outside("away")).unwrap();
    fs::write(world.outside("away/file"), "secret").unwrap();
    symlink(target, world.root().join("swap")).unwrap();
    let behind = world.root().join(target);
    let mut tool = world.start();
    let (mut read, mut refused) = (0, 0);
    {
        let _swapper = Swapper::new(world.root().join("d"), world.root().join("swap"));
        let deadline = Instant::now() + Duration::from_secs(2);
        while Instant::now() < deadline {
            let answer = tool.call("fs.read", json!({"path": "d/file"}));
            assert!(!answer.to_string().contains("secret"), "{answer}");
            if answer.get("result").is_some() {
                read += 1;
            } else {
                refused += 1;
            }
            tool.call("fs.write", json!({"path": "d/file", "content": "mine"}));
            tool.call("fs.write", json!({"path": "d/new", "content": "mine", "create_new": true}));
            tool.call("fs.delete", json!({"path": "d/new"}));
            tool.call("fs.rename", json!({"from": "d/file", "to": "d/other"}));
            tool.call("fs.rename", json!({"from": "d/other", "to": "d/file"}));
            tool.call("fs.create_dir", json!({"path": "d/dir"}));
            tool.call("fs.delete", json!({"path": "d/dir", "recursive": true}));
            let found = tool.call("fs.grep", json!({"pattern": "secret", "paths": ["d"]}));
            assert!(!found.to_string().contains("line_number"), "{found}");
        }
    }
    assert!(read > 0 && refused > 0, "both sides were seen: {read} and {refused}");
    assert_eq!(fs::read_to_string(behind.join("file")).unwrap(), "secret", "it is as it was");
    assert_eq!(fs::read_dir(behind).unwrap().count(), 1, "nothing came, nothing went");
}

// D11-060
#[test]
fn stress_a_directory_that_turns_into_a_way_out() {
    race("../away", ".=rcud");
}

// D11-060 D11-059
#[test]
fn stress_a_directory_that_turns_into_what_is_denied() {
    race("private", ".=rcud private=");
}
