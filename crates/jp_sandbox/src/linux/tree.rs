//! Ends all descendants of this process, for where there is no namespace that ends them.
//!
//! A daemon leaves its session and its parent, but not this process: as the reaper of its descendants
//! it becomes their parent when theirs ends. So it is enough to end its children until there are none.
//! They are stopped before they are ended: what is stopped starts nothing new.

use std::{
    os::fd::{AsRawFd, BorrowedFd},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait, waitpid};

/// How long this tries. Whatever is still left then is not ended by a signal: it is stuck in the
/// kernel.
const LONGEST: Duration = Duration::from_secs(5);

/// Ends and reaps every descendant.
pub(super) fn end_all() {
    let until = Instant::now() + LONGEST;
    // Most programs leave nothing.
    while !is_childless() && Instant::now() < until {
        let mut found = Vec::new();
        collect(rustix::process::getpid(), &mut found);
        for signal in [Signal::STOP, Signal::KILL] {
            for pid in &found {
                let _ = kill_process(*pid, signal);
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Reaps the orphans that have ended. How the first child ended is for somebody else to hear.
pub(super) fn reap_all_but(first: Pid) {
    for child in children(rustix::process::getpid()).into_iter().filter(|child| *child != first) {
        let _ = waitpid(Some(child), WaitOptions::NOHANG);
    }
}

/// Reaps what has ended, a while: processes that end as fast as they are made would keep this busy
/// while they are left alive.
fn is_childless() -> bool {
    for _ in 0..1_000 {
        match wait(WaitOptions::NOHANG) {
            Err(rustix::io::Errno::CHILD) => return true,
            Ok(None) => return false,
            Ok(Some(_)) | Err(_) => {}
        }
    }
    false
}

/// The children of a process and theirs, as many as there are at this moment.
fn collect(of: Pid, found: &mut Vec<Pid>) {
    for child in children(of) {
        found.push(child);
        collect(child, found);
    }
}

fn children(of: Pid) -> Vec<Pid> {
    let of = of.as_raw_nonzero();
    #[expect(
        clippy::disallowed_methods,
        reason = "the kernel lists the children of a process there"
    )]
    let tasks = std::fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| {
        #[expect(
            clippy::disallowed_methods,
            reason = "the kernel lists the children of a task there"
        )]
        std::fs::read_to_string(task.path().join("children")).ok()
    });
    let text: Vec<String> = lists.collect();
    let pids = text.iter().flat_map(|list| list.split_whitespace());
    pids.filter_map(|pid| pid.parse().ok().and_then(Pid::from_raw)).collect()
}

/// The number that the process behind a descriptor has here.
pub(super) fn pid_of(process: BorrowedFd<'_>) -> Option<Pid> {
    #[expect(clippy::disallowed_methods, reason = "the kernel tells the number there")]
    let text =
        std::fs::read_to_string(format!("/proc/self/fdinfo/{}", process.as_raw_fd())).ok()?;
    let number = text.lines().find_map(|line| line.strip_prefix("Pid:"))?;
    number.trim().parse().ok().filter(|pid| *pid > 0).and_then(Pid::from_raw)
}
