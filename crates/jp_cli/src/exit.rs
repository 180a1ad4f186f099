//! The exit codes: a contract with scripts, in one list.

use std::process::ExitCode;

/// How the program ends. The numbers never change their meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Success,
    /// The thing that ran failed.
    Failure,
    /// The command line or the configuration is wrong; nothing ran.
    Usage,
    /// Input was needed and nobody could be asked.
    NeedsInput,
    /// The policy does not allow it.
    Refused,
    /// The person looked at what was to be changed and said no.
    Declined,
    /// It took too long.
    TimedOut,
    /// The person did not want to go on.
    Interrupted,
    /// As the program ended that was run in our place.
    Program(u8),
}

/// Shown by `jp --help` and `jp man`.
pub(crate) const HELP: &str = "\
Exit codes:
    0  success
    1  the thing that ran failed
    2  wrong usage or configuration
    3  input was needed and nobody could be asked
    4  refused by policy
    5  reviewed and declined
  124  timed out
  130  interrupted";

impl Exit {
    /// The number.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            Self::NeedsInput => 3,
            Self::Refused => 4,
            Self::Declined => 5,
            Self::TimedOut => 124,
            Self::Interrupted => 130,
            Self::Program(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
