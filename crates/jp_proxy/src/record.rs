//! What the proxy has done so far, for the report after a run.
//!
//! A program can ask for a million things that are refused. Refusals of one kind for one host are
//! counted as one, the list has an end, and what does not fit in is only counted.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use crate::Denied;

/// How many different refusals are kept.
const KEPT: usize = 100;

/// What went through the proxy and what did not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Different refusals, in the order in which they first came.
    pub denied: Vec<Refused>,
    /// Refusals that had no place in the list.
    pub not_listed: u64,
    /// Connections that were turned away because there were too many.
    pub turned_away: u64,
    /// Plain requests that were passed on.
    pub requests: u64,
    /// Tunnels that were opened.
    pub tunnels: u64,
    /// Bytes sent to the network.
    pub sent: u64,
    /// Bytes received from the network.
    pub received: u64,
}

/// A refusal, and how many like it there were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The first of its kind.
    pub denied: Denied,
    /// How often that was asked for.
    pub times: u64,
}

/// The living form of a [`Report`].
#[derive(Debug, Default)]
pub(crate) struct Record {
    refused: Mutex<(Vec<Refused>, u64)>,
    pub(crate) turned_away: Counter,
    pub(crate) requests: Counter,
    pub(crate) tunnels: Counter,
    pub(crate) sent: Counter,
    pub(crate) received: Counter,
}

/// A number that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: usize) {
        self.0.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

impl Record {
    /// Notes a refusal.
    pub(crate) fn denied(&self, denied: &Denied) {
        let mut refused = self.refused();
        let (list, not_listed) = &mut *refused;
        let same =
            |it: &Refused| it.denied.origin == denied.origin && it.denied.reason == denied.reason;
        match list.iter().position(same) {
            Some(known) => list[known].times += 1,
            None if list.len() < KEPT => list.push(Refused { denied: denied.clone(), times: 1 }),
            None => *not_listed += 1,
        }
    }

    pub(crate) fn report(&self) -> Report {
        let (denied, not_listed) = self.refused().clone();
        Report {
            denied,
            not_listed,
            turned_away: self.turned_away.get(),
            requests: self.requests.get(),
            tunnels: self.tunnels.get(),
            sent: self.sent.get(),
            received: self.received.get(),
        }
    }

    fn refused(&self) -> MutexGuard<'_, (Vec<Refused>, u64)> {
        // A list with an entry too few is better than none.
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
