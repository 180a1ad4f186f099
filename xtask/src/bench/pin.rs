//! One core for everything that is started while a [`Pinned`] is held.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::failure::{Failure, Result};

/// Dropped, the thread has its cores back. What was started meanwhile keeps the one.
pub(crate) struct Pinned {
    before: CpuSet,
}

/// Leaves this thread one core: the last one, because much else runs on the first.
pub(crate) fn to_one_core() -> Result<Pinned> {
    let before = sched_getaffinity(None).map_err(Failure::because("cannot see the cores"))?;
    let last = (0..CpuSet::MAX_CPU).rev().find(|cpu| before.is_set(*cpu)).unwrap_or(0);
    let mut one = CpuSet::new();
    one.set(last);
    sched_setaffinity(None, &one).map_err(Failure::because("cannot choose a core"))?;
    Ok(Pinned { before })
}

impl Drop for Pinned {
    fn drop(&mut self) {
        let _ = sched_setaffinity(None, &self.before);
    }
}
