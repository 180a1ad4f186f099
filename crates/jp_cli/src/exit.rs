//! The exit codes: a contract with scripts, in one list.

use std::process::ExitCode;

/// How the program ends. The numbers never change their meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Success = 0,
    /// The thing that ran failed.
    Failure = 1,
    /// The command line or the configuration is wrong; nothing ran.
    Usage = 2,
    /// Input was needed and nobody could be asked.
    NeedsInput = 3,
    /// The policy does not allow it.
    Refused = 4,
    /// The person did not want to go on.
    Interrupted = 130,
}

/// Shown by `jp --help` and `jp man`. Codes that no command of this version ends with yet are part
/// of the contract all the same.
pub(crate) const HELP: &str = "\
Exit codes:
    0  success
    1  the thing that ran failed
    2  wrong usage or configuration
    3  input was needed and nobody could be asked
    4  refused by policy
  124  timed out
  130  interrupted";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
