//! How much of the system the host uses, before and after.

use std::fmt;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};

/// How many bytes more are no leak: an allocator does not give everything back, and how much it keeps
/// depends on how threads took turns.
const MEMORY: u64 = 96 << 20;

/// What a process uses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Footprint {
    files: usize,
    threads: usize,
    bytes: u64,
    children: usize,
}

impl Footprint {
    /// What this process uses once that does not shrink any more: threads take a moment to end.
    pub(super) fn settled(aim: Option<&Self>) -> Result<Self> {
        let deadline = Instant::now() + Duration::from_secs(10);
        let mut last = Self::now()?;
        loop {
            thread::sleep(Duration::from_millis(300));
            let now = Self::now()?;
            let shrinks = now.threads < last.threads || now.files < last.files;
            let is_there = aim.is_none_or(|aim| now.compare(aim).is_ok());
            if (is_there && !shrinks) || Instant::now() > deadline {
                return Ok(now);
            }
            last = now;
        }
    }

    /// Whether nothing was leaked since.
    pub(super) fn compare(&self, before: &Self) -> Result {
        let more = |what: &str| Err(Failure::new(format!("{what}: {before} before, {self} after")));
        if self.files > before.files {
            return more("files are left open");
        }
        if self.threads > before.threads {
            return more("threads are left");
        }
        if self.children > 0 {
            return more("processes are left");
        }
        if self.bytes > before.bytes + MEMORY {
            return more("memory is left");
        }
        Ok(())
    }

    fn now() -> Result<Self> {
        let count = |path| fs::read_dir(path).map(Iterator::count);
        let read = || {
            let status = fs::read_to_string("/proc/self/status")?;
            let size = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
            let size = size.and_then(|size| size.trim().strip_suffix(" kB")?.parse::<u64>().ok());
            let children = fs::read_dir("/proc/self/task")?.map(|task| {
                let children = fs::read_to_string(task?.path().join("children"));
                // A thread that has just ended has no children.
                Ok(children.map_or(0, |children| children.split_whitespace().count()))
            });
            Ok(Self {
                files: count("/proc/self/fd")?,
                threads: count("/proc/self/task")?,
                bytes: size.unwrap_or(0) << 10,
                children: children.sum::<std::io::Result<usize>>()?,
            })
        };
        read().map_err(Failure::because::<std::io::Error>("cannot see what this process uses"))
    }
}

impl fmt::Display for Footprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { files, threads, bytes, children } = self;
        write!(f, "{files} files, {threads} threads, {} MiB, {children} processes", bytes >> 20)
    }
}
