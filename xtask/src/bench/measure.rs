//! Two pieces of work, measured in turns.

use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};

/// The subject and its peer.
pub(crate) struct Pair {
    /// What is measured, unique among all pairs.
    pub(crate) name: String,
    /// The most that subject divided by peer may be.
    pub(crate) limit: f64,
    /// How many samples are taken of each.
    pub(crate) samples: usize,
    /// Ours.
    pub(crate) subject: Work,
    /// What it is compared with.
    pub(crate) peer: Work,
}

/// Something that takes time.
pub(crate) struct Work(Box<dyn FnMut() -> Result<Duration>>);

impl Work {
    /// Work that says itself how long the part of it took that counts, because it has
    /// to prepare something first.
    pub(crate) fn timed(run: impl FnMut() -> Result<Duration> + 'static) -> Self {
        Self(Box::new(run))
    }

    /// Work that is timed from outside. `times` runs are one sample, for work that is
    /// too short for the clock.
    pub(crate) fn repeat(times: u32, mut run: impl FnMut() -> Result + 'static) -> Self {
        Self::timed(move || {
            let start = Instant::now();
            for _ in 0..times {
                run()?;
            }
            Ok(start.elapsed() / times.max(1))
        })
    }

    /// The time of one run, as one sample sees it.
    fn sample(&mut self) -> Result<Duration> {
        (self.0)()
    }
}

/// The medians of a pair.
#[derive(Debug, Clone)]
pub(crate) struct Measurement {
    pub(crate) name: String,
    pub(crate) subject: Duration,
    pub(crate) peer: Duration,
    pub(crate) limit: f64,
}

impl Measurement {
    pub(crate) fn ratio(&self) -> f64 {
        self.subject.as_secs_f64() / self.peer.as_secs_f64()
    }

    /// A ratio that is no number, because nothing took any time, is not ok.
    pub(crate) fn is_ok(&self) -> bool {
        self.ratio() <= self.limit
    }

    pub(crate) fn verdict(&self) -> &'static str {
        if self.is_ok() { "ok" } else { "over" }
    }
}

/// Measures both in turns, after a few turns that do not count.
pub(crate) fn measure(pair: &mut Pair) -> Result<Measurement> {
    let context = format!("cannot measure {}", pair.name);
    let (mut subject, mut peer) = (Vec::new(), Vec::new());
    let mut turns = || -> Result {
        for _ in 0..pair.samples.div_ceil(10) {
            pair.subject.sample()?;
            pair.peer.sample()?;
        }
        for _ in 0..pair.samples {
            subject.push(pair.subject.sample()?);
            peer.push(pair.peer.sample()?);
        }
        Ok(())
    };
    turns().map_err(Failure::because(&context))?;
    let (Some(subject), Some(peer)) = (median(subject), median(peer)) else {
        return Err(Failure::new(format!("{context}: it takes no samples")));
    };
    Ok(Measurement { name: pair.name.clone(), subject, peer, limit: pair.limit })
}

fn median(mut samples: Vec<Duration>) -> Option<Duration> {
    samples.sort_unstable();
    let middle = samples.len() / 2;
    match samples.len() % 2 {
        0 if samples.is_empty() => None,
        0 => Some((samples[middle - 1] + samples[middle]) / 2),
        _ => Some(samples[middle]),
    }
}
