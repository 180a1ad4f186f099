//! Signals by name.

use rustix::process::Signal as System;

/// What a running process can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// Its terminal is gone: `SIGHUP`.
    Hangup,
    /// The user wants it to stop what it does: `SIGINT`.
    Interrupt,
    /// It should end: `SIGTERM`.
    Terminate,
}

impl Signal {
    pub(crate) fn number(self) -> i32 {
        match self {
            Self::Hangup => System::HUP,
            Self::Interrupt => System::INT,
            Self::Terminate => System::TERM,
        }
        .as_raw()
    }
}

/// The name of a signal, as `SIGKILL`; none for a number that has none.
pub fn signal_name(number: i32) -> Option<&'static str> {
    NAMES.iter().find(|(signal, _)| signal.as_raw() == number).map(|(_, name)| *name)
}

const NAMES: &[(System, &str)] = &[
    (System::HUP, "SIGHUP"),
    (System::INT, "SIGINT"),
    (System::QUIT, "SIGQUIT"),
    (System::ILL, "SIGILL"),
    (System::TRAP, "SIGTRAP"),
    (System::ABORT, "SIGABRT"),
    (System::BUS, "SIGBUS"),
    (System::FPE, "SIGFPE"),
    (System::KILL, "SIGKILL"),
    (System::USR1, "SIGUSR1"),
    (System::SEGV, "SIGSEGV"),
    (System::USR2, "SIGUSR2"),
    (System::PIPE, "SIGPIPE"),
    (System::ALARM, "SIGALRM"),
    (System::TERM, "SIGTERM"),
    (System::CHILD, "SIGCHLD"),
    (System::CONT, "SIGCONT"),
    (System::STOP, "SIGSTOP"),
    (System::TSTP, "SIGTSTP"),
    (System::TTIN, "SIGTTIN"),
    (System::TTOU, "SIGTTOU"),
    (System::URG, "SIGURG"),
    (System::XCPU, "SIGXCPU"),
    (System::XFSZ, "SIGXFSZ"),
    (System::VTALARM, "SIGVTALRM"),
    (System::PROF, "SIGPROF"),
    (System::WINCH, "SIGWINCH"),
    (System::IO, "SIGIO"),
    (System::SYS, "SIGSYS"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_their_names() {
        for (number, name) in [(1, "SIGHUP"), (9, "SIGKILL"), (11, "SIGSEGV"), (15, "SIGTERM")] {
            assert_eq!(signal_name(number), Some(name));
        }
        for number in [-1, 0, 64, 1000] {
            assert_eq!(signal_name(number), None);
        }
    }
}
