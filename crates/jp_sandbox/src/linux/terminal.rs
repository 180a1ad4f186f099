//! The terminal of jp, lent to a process that draws on it.
//!
//! A terminal belongs to a session, and inside of it to one process group: that one gets the keys, and control-C.
//! So such a process stays in the session of jp, in a group of its own, and the terminal is given to that group.
//! The danger is a terminal that nobody has any more, or that is left in the modes of a program that was killed:
//! whoever watches the process puts both back, however it ended.

use std::os::fd::OwnedFd;

use rustix::{
    fs::{Mode, OFlags},
    io::Errno,
    process::{Pid, getpid, setpgid, test_kill_process_group},
    termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr, tcsetpgrp},
};

use super::sys;

/// What is put back when the process has ended.
pub(super) struct Lent {
    device: OwnedFd,
    lender: Pid,
    modes: Termios,
}

/// Puts this process into a group of its own, and takes the terminal for it if its lender has it. All other
/// signals are reset. Job control is not lent with it: whoever waits for jp would not hear that this process
/// was stopped. If it stops itself, its supervisor lets it go on.
pub(super) fn take(lender: Pid) {
    let _ = setpgid(None, None);
    if let Some(device) = open()
        && tcgetpgrp(&device) == Ok(lender)
    {
        // Asked from the background, the kernel would stop this process.
        sys::ignore_signal(libc::SIGTTOU, true);
        let _ = tcsetpgrp(&device, getpid());
    }
    sys::reset_signals();
    sys::ignore_signal(libc::SIGTSTP, true);
}

impl Lent {
    /// What the terminal is like now; `None` if its lender does not have it, and so cannot lend it.
    pub(super) fn by(lender: Option<i32>) -> Option<Self> {
        let lender = Pid::from_raw(lender?)?;
        let device = open()?;
        let modes = tcgetattr(&device).ok()?;
        (tcgetpgrp(&device) == Ok(lender)).then_some(Self { device, lender, modes })
    }

    /// Gives it back, if nobody has it any more but the process, which was this group, or what it started. That
    /// may have passed it on to a group of its own, which has ended with everything else. A group that has a
    /// process is somebody's to whom a shell has given the terminal.
    pub(super) fn give_back(self, group: Pid) {
        let Ok(found) = tcgetpgrp(&self.device) else { return };
        // Whoever may not be sent a signal is there as well.
        if found != group && test_kill_process_group(found) != Err(Errno::SRCH) {
            return;
        }
        sys::ignore_signal(libc::SIGTTOU, true);
        // If the lender is gone, whoever started it sees to the terminal.
        let _ = tcsetattr(&self.device, OptionalActions::Drain, &self.modes);
        let _ = tcsetpgrp(&self.device, self.lender);
    }
}

fn open() -> Option<OwnedFd> {
    rustix::fs::open("/dev/tty", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).ok()
}
