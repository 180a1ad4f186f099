//! What a job object on Windows is asked for.
//!
//! A job object ends a process tree and bounds what it uses. It says nothing about files or the
//! network, so a policy is not enforced there: a plan for Windows is one for
//! [`Tier::None`](crate::confinement::Tier::None), with everything that this means for its verdict.
//! This is data only and has not been run on Windows.

use std::{fmt, time::Duration};

use crate::confinement::Limits;

/// The limits of a job object. Sizes are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobLimits {
    /// Processes at the same time.
    pub active_processes: u32,
    /// Memory of each process, if limited.
    pub process_memory: Option<usize>,
    /// Processor time of each process, if limited.
    pub process_time: Option<Duration>,
    /// What the job does beyond counting.
    pub flags: JobFlags,
}

/// The flags of a job object, by their number in the system's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobFlags(u32);

impl JobFlags {
    /// At most so many processes.
    pub const ACTIVE_PROCESS: Self = Self(0x0008);
    /// At most so much processor time for each process.
    pub const PROCESS_TIME: Self = Self(0x0002);
    /// At most so much memory for each process.
    pub const PROCESS_MEMORY: Self = Self(0x0100);
    /// A crash ends the process without a dialog.
    pub const DIE_ON_UNHANDLED_EXCEPTION: Self = Self(0x0400);
    /// When the last handle is closed, by us or because we are gone, all processes end.
    pub const KILL_ON_JOB_CLOSE: Self = Self(0x2000);

    /// The number for the system call.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Whether all of these are set.
    pub fn contains(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    fn and(self, flags: Self) -> Self {
        Self(self.0 | flags.0)
    }
}

impl From<&Limits> for JobLimits {
    fn from(limits: &Limits) -> Self {
        let always = JobFlags::ACTIVE_PROCESS
            .and(JobFlags::DIE_ON_UNHANDLED_EXCEPTION)
            .and(JobFlags::KILL_ON_JOB_CLOSE);
        let memory = limits.memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let mut flags = always;
        if memory.is_some() {
            flags = flags.and(JobFlags::PROCESS_MEMORY);
        }
        if limits.cpu.is_some() {
            flags = flags.and(JobFlags::PROCESS_TIME);
        }
        Self {
            active_processes: u32::try_from(limits.processes).unwrap_or(u32::MAX),
            process_memory: memory,
            process_time: limits.cpu,
            flags,
        }
    }
}

/// As people read it.
impl fmt::Display for JobLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most {} processes", self.active_processes)?;
        if let Some(memory) = self.process_memory {
            write!(f, ", {memory} bytes of memory each")?;
        }
        if let Some(time) = self.process_time {
            write!(f, ", {} s of processor time each", time.as_secs())?;
        }
        f.write_str(", all ended with the job; files and network are not confined")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_ends_its_processes_and_counts_them() {
        let plain = JobLimits::from(&Limits::default());
        assert!(plain.flags.contains(JobFlags::KILL_ON_JOB_CLOSE));
        assert!(!plain.flags.contains(JobFlags::PROCESS_MEMORY));
        assert_eq!(plain.flags.bits(), 0x2408);

        let bounded = Limits {
            memory: Some(1 << 30),
            cpu: Some(Duration::from_mins(1)),
            processes: u64::MAX,
            ..Limits::default()
        };
        let bounded = JobLimits::from(&bounded);
        assert_eq!(bounded.flags.bits(), 0x250a);
        insta::assert_snapshot!(bounded, @"at most 4294967295 processes, 1073741824 bytes of memory each, 60 s of processor time each, all ended with the job; files and network are not confined");
    }
}
