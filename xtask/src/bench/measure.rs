//! Two pieces of work, measured in turns.

use std::cmp::Ordering;
use std::fmt;
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

/// Something that takes time, or memory.
pub(crate) struct Work(Box<dyn FnMut() -> Result<Amount>>);

/// What a piece of work took. Both halves of a pair take the same kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Amount {
    /// Time.
    Time(Duration),
    /// Memory.
    Bytes(u64),
}

impl Amount {
    /// As a number, in nanoseconds or bytes.
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Time(time) => u64::try_from(time.as_nanos()).unwrap_or(u64::MAX),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// How many times the other one this is.
    fn over(self, other: Self) -> f64 {
        let number = |amount: Self| Duration::from_nanos(amount.number()).as_secs_f64();
        number(self) / number(other)
    }

    /// Between this and another of the same kind.
    fn middle(self, other: Self) -> Self {
        let middle = self.number().midpoint(other.number());
        match self {
            Self::Time(_) => Self::Time(Duration::from_nanos(middle)),
            Self::Bytes(_) => Self::Bytes(middle),
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Time(time) => format!("{time:.1?}"),
            Self::Bytes(bytes) => format!("{}KiB", bytes / 1024),
        };
        f.pad(&text)
    }
}

impl Work {
    /// Work of which it counts how much memory it took.
    pub(crate) fn bytes(mut run: impl FnMut() -> Result<u64> + 'static) -> Self {
        Self(Box::new(move || run().map(Amount::Bytes)))
    }

    /// Work that says itself how long the part of it took that counts, because it has
    /// to prepare something first.
    pub(crate) fn timed(mut run: impl FnMut() -> Result<Duration> + 'static) -> Self {
        Self(Box::new(move || run().map(Amount::Time)))
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

    /// What one run took, as one sample sees it.
    fn sample(&mut self) -> Result<Amount> {
        (self.0)()
    }
}

/// What came of a pair.
#[derive(Debug, Clone)]
pub(crate) struct Measurement {
    pub(crate) name: String,
    pub(crate) subject: Amount,
    pub(crate) peer: Amount,
    /// The median of what each turn gave. A machine that others use is faster at one moment and slower at the next:
    /// the two halves of a turn see the same one, and the medians of all halves need not.
    pub(crate) ratio: f64,
    pub(crate) limit: f64,
    /// How often it was measured; the best counts.
    pub(crate) tries: u32,
}

impl Measurement {
    /// In what both are counted.
    pub(crate) fn unit(&self) -> &'static str {
        match self.subject {
            Amount::Time(_) => "ns",
            Amount::Bytes(_) => "bytes",
        }
    }

    /// A ratio that is no number, because nothing took any time, is not ok.
    pub(crate) fn is_ok(&self) -> bool {
        self.ratio <= self.limit
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
    let ratios = subject.iter().zip(&peer).map(|(subject, peer)| subject.over(*peer)).collect();
    let ratio = median(ratios, f64::total_cmp, f64::midpoint);
    let amount = |samples| median(samples, Amount::cmp, Amount::middle);
    let (Some(subject), Some(peer), Some(ratio)) = (amount(subject), amount(peer), ratio) else {
        return Err(Failure::new(format!("{context}: it takes no samples")));
    };
    Ok(Measurement { name: pair.name.clone(), subject, peer, ratio, limit: pair.limit, tries: 1 })
}

fn median<T: Copy>(
    mut samples: Vec<T>,
    compare: fn(&T, &T) -> Ordering,
    between: fn(T, T) -> T,
) -> Option<T> {
    samples.sort_unstable_by(compare);
    let middle = samples.len() / 2;
    match samples.len() % 2 {
        0 if samples.is_empty() => None,
        0 => Some(between(samples[middle - 1], samples[middle])),
        _ => Some(samples[middle]),
    }
}
