//! What the host does meanwhile: an attempt asks for it with a line `@host …` and waits for the answer.
//!
//! That stands for an editor that saves a file, a `git checkout`, a build in another window: things
//! that happen on their own, at the moment that is worst. Paths are below the directory of the run.

use std::{
    fs,
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::fixture::{SECRET, User, give};

/// Does what attempts ask for. What goes on in the background stops with it.
#[derive(Debug)]
pub(crate) struct Host {
    root: Utf8PathBuf,
    user: User,
    stop: Arc<AtomicBool>,
    background: Vec<thread::JoinHandle<()>>,
    /// Whether it has done anything.
    pub(crate) was_asked: bool,
}

impl Host {
    pub(crate) fn new(root: &Utf8Path, user: User) -> Self {
        let (stop, background) = (Arc::new(AtomicBool::new(false)), Vec::new());
        Self { root: root.to_owned(), user, stop, background, was_asked: false }
    }

    /// Does what a line asks for; the answer is one word.
    pub(crate) fn serve(&mut self, line: &str) -> &'static str {
        self.was_asked = true;
        let words: Vec<&str> = line.split_whitespace().collect();
        let path = |index: usize| self.root.join(words[index]);
        match words.as_slice() {
            // Saves as an editor does: beside the file, then over it.
            ["save", _] => save(&path(1)),
            ["make", _] => {
                make(&path(1));
                give(path(1).as_std_path(), self.user);
            }
            ["mkdir", _] => fs::create_dir_all(path(1)).expect("a directory can be made"),
            ["rename", ..] => fs::rename(path(1), path(2)).expect("a file can be renamed"),
            ["exchange", ..] => exchange(&path(1), &path(2)),
            ["copy", ..] => {
                fs::copy(path(1), path(2)).expect("a file can be copied");
            }
            ["remove", _] => remove(&path(1)),
            ["link", target, _] => {
                std::os::unix::fs::symlink(target, path(2)).expect("a link can be made");
            }
            ["exists", _] => return if path(1).exists() { "yes" } else { "no" },
            ["connect", port] => {
                let port = port.parse().unwrap_or_default();
                return if TcpStream::connect(("127.0.0.1", port)).is_ok() { "yes" } else { "no" };
            }
            ["keep-saving", _] => self.go_on(path(1), Utf8PathBuf::new(), |path, _| save(path)),
            ["keep-exchanging", ..] => self.go_on(path(1), path(2), |one, other| {
                exchange(one, other);
            }),
            _ => panic!("the host does not know how to `{line}`"),
        }
        "done"
    }

    fn go_on(&mut self, one: Utf8PathBuf, other: Utf8PathBuf, act: fn(&Utf8Path, &Utf8Path)) {
        let stop = Arc::clone(&self.stop);
        self.background.push(thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                act(&one, &other);
                thread::sleep(Duration::from_micros(50));
            }
        }));
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.background.drain(..) {
            let _ = thread.join();
        }
    }
}

fn make(path: &Utf8Path) {
    fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("a directory");
    fs::write(path, SECRET).expect("a file can be written");
}

fn save(path: &Utf8Path) {
    let beside = path.with_extension("new");
    fs::write(&beside, SECRET).expect("a file can be written");
    fs::rename(&beside, path).expect("a file can be renamed");
}

fn exchange(one: &Utf8Path, other: &Utf8Path) {
    renameat_with(CWD, one.as_std_path(), CWD, other.as_std_path(), RenameFlags::EXCHANGE)
        .expect("files can be exchanged");
}

fn remove(path: &Utf8Path) {
    if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        fs::remove_dir_all(path).expect("a directory can be removed");
    } else {
        fs::remove_file(path).expect("a file can be removed");
    }
}
