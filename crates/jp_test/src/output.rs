//! What a finished run left: how it ended and what it printed.

use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use crate::normalize::Normalizer;

/// The result of a run. Its `Display` is made for snapshots: the command, the exit
/// code and both streams, with the paths of the environment replaced by names.
#[derive(Debug, Clone)]
pub struct Output {
    title: String,
    status: Option<ExitStatus>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    stdout_text: String,
    stderr_text: String,
    normalizer: Normalizer,
}

impl Output {
    pub(crate) fn new(
        title: String,
        status: Option<ExitStatus>,
        stdout: Vec<u8>,
        stderr: Vec<u8>,
        normalizer: Normalizer,
    ) -> Self {
        Self {
            title,
            status,
            stdout_text: String::from_utf8_lossy(&stdout).into_owned(),
            stderr_text: String::from_utf8_lossy(&stderr).into_owned(),
            stdout,
            stderr,
            normalizer,
        }
    }

    /// Panics unless the exit code is 0.
    #[track_caller]
    #[expect(clippy::return_self_not_must_use, reason = "a checked output has served its purpose")]
    pub fn success(self) -> Self {
        self.code(0)
    }

    /// Panics unless the exit code is this one.
    #[track_caller]
    #[expect(clippy::return_self_not_must_use, reason = "a checked output has served its purpose")]
    pub fn code(self, code: i32) -> Self {
        assert!(self.exit_code() == Some(code), "expected exit code {code}:\n{self}");
        self
    }

    /// The exit code; `None` when a signal ended the program.
    pub fn exit_code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    /// The signal that ended the program, if one did.
    pub fn signal(&self) -> Option<i32> {
        self.status.and_then(|status| status.signal())
    }

    /// Standard output as it was printed, paths included.
    pub fn stdout(&self) -> &str {
        &self.stdout_text
    }

    /// Standard error as it was printed, paths included.
    pub fn stderr(&self) -> &str {
        &self.stderr_text
    }

    /// The bytes of standard output.
    pub fn stdout_bytes(&self) -> &[u8] {
        &self.stdout
    }

    /// The bytes of standard error.
    pub fn stderr_bytes(&self) -> &[u8] {
        &self.stderr
    }

    /// Standard output with paths, and whatever else the test hides, replaced.
    pub fn normalized_stdout(&self) -> String {
        self.normalizer.apply(&self.stdout_text)
    }

    /// Standard error with paths, and whatever else the test hides, replaced.
    pub fn normalized_stderr(&self) -> String {
        self.normalizer.apply(&self.stderr_text)
    }

    /// Replaces one more text in everything that is normalised.
    #[must_use]
    pub fn replace(mut self, from: impl AsRef<str>, to: impl Into<String>) -> Self {
        self.normalizer = self.normalizer.replace(from, to);
        self
    }

    /// Replaces conversation ids by `<id>` in everything that is normalised.
    #[must_use]
    pub fn hide_ids(mut self) -> Self {
        self.normalizer = self.normalizer.hide_ids();
        self
    }

    /// Replaces times by `<time>` in everything that is normalised.
    #[must_use]
    pub fn hide_times(mut self) -> Self {
        self.normalizer = self.normalizer.hide_times();
        self
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.normalizer.apply(&self.title), Ending(self.status))?;
        write_stream(f, "stdout", &self.normalized_stdout())?;
        write_stream(f, "stderr", &self.normalized_stderr())
    }
}

/// How a program ended, in words.
pub(crate) struct Ending(pub(crate) Option<ExitStatus>);

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.map(|status| (status.code(), status.signal())) {
            Some((Some(code), _)) => write!(f, "exit code: {code}"),
            Some((None, Some(signal))) => write!(f, "ended by signal {signal}"),
            Some((None, None)) | None => f.write_str("not finished"),
        }
    }
}

/// An empty stream is left out, and a missing end of line is shown: both matter to
/// whoever reads the output with a program.
fn write_stream(f: &mut fmt::Formatter<'_>, name: &str, text: &str) -> fmt::Result {
    match text.strip_suffix('\n') {
        Some(lines) => write!(f, "\n--- {name}\n{lines}"),
        None if text.is_empty() => Ok(()),
        None => write!(f, "\n--- {name}\n{text}\n[no newline at end]"),
    }
}
