//! The same work for many conversations, a few side by side.
//!
//! Memory holds a few conversations and not all of them. The workers are not waited for when the plugin is
//! to end: one may be busy for longer than the host has patience.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use jp_plugin::to_plugin::Summary;

use super::Session;
use crate::{error::Failure, progress::Progress};

/// How many are worked on at the same time. The host reads at most 48 MiB of events at once.
const AT_ONCE: usize = 4;

/// How soon it is noticed that the plugin is to end.
const SOON: Duration = Duration::from_millis(50);

/// What programs end with that were told to stop.
const STOPPED: u8 = 130;

impl Session {
    /// Does this for each conversation, a few at the same time, with a bar under the name of `what` if
    /// there are many. The results are in the order of the conversations; the first failure ends it, and so
    /// does the end of the plugin, with code 130.
    pub fn each_conversation<T: Send + 'static>(
        &self,
        what: &str,
        conversations: Vec<Summary>,
        work: impl Fn(&Self, &Summary) -> Result<T, Failure> + Send + Sync + 'static,
    ) -> Result<Vec<T>, Failure> {
        let number = conversations.len();
        let mut progress = Progress::begin(self, what, number)?;
        let results = self.start(conversations, &Arc::new(work));
        let mut done = Vec::with_capacity(number);
        let ended = loop {
            if done.len() == number {
                break Ok(());
            }
            match results.recv_timeout(SOON) {
                Ok((position, Ok(result))) => {
                    done.push((position, result));
                    progress.step(self)?;
                }
                Ok((_, Err(failure))) => break Err(failure),
                Err(RecvTimeoutError::Timeout) if self.shutdown().is_none() => {}
                Err(_) if self.shutdown().is_some() => {
                    break Err(Failure::new("stopped before everything was done").code(STOPPED));
                }
                Err(_) => break Err(Failure::new("a worker panicked")),
            }
        };
        progress.end(self)?;
        ended?;
        done.sort_by_key(|(position, _)| *position);
        Ok(done.into_iter().map(|(_, result)| result).collect())
    }

    /// Workers that take one after the other until nothing is left, or nobody wants to know.
    fn start<T: Send + 'static>(
        &self,
        conversations: Vec<Summary>,
        work: &Arc<impl Fn(&Self, &Summary) -> Result<T, Failure> + Send + Sync + 'static>,
    ) -> mpsc::Receiver<(usize, Result<T, Failure>)> {
        let workers = thread::available_parallelism().map_or(1, |cores| AT_ONCE.min(cores.get()));
        let left: VecDeque<_> = conversations.into_iter().enumerate().collect();
        let left = Arc::new(Mutex::new(left));
        // None is ahead of whoever takes the results by more than one each.
        let (sender, results) = mpsc::sync_channel(workers);
        for _ in 0..workers {
            let (session, left) = (self.clone(), Arc::clone(&left));
            let (work, sender) = (Arc::clone(work), sender.clone());
            thread::spawn(move || {
                while session.shutdown().is_none() {
                    let next = left.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some((position, summary)) = next else { break };
                    if sender.send((position, work(&session, &summary))).is_err() {
                        break;
                    }
                }
            });
        }
        results
    }
}
