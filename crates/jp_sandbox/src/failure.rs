//! Why a process could not be confined, told by the helper that tried.

use std::{fmt, io};

use serde::{Deserialize, Serialize};

/// A step that failed, what it was about, and the kernel's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub struct Failure {
    /// What was being done.
    pub step: Step,
    /// What it was done to; empty when the step says it all.
    pub subject: String,
    /// The error number of the system, if it was the system that refused.
    pub errno: Option<i32>,
    /// The error in words.
    pub reason: String,
}

/// What the helper does, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// Reading the request.
    Request,
    /// Making namespaces.
    Namespaces,
    /// Mapping the user and the group.
    Identity,
    /// Mounting a place of the view.
    Mount,
    /// Mounting `/proc`.
    Proc,
    /// Mounting devices.
    Devices,
    /// Changing the root.
    Root,
    /// Preparing the network.
    Network,
    /// Dropping capabilities.
    Capabilities,
    /// Setting limits.
    Limits,
    /// Restricting by Landlock.
    Landlock,
    /// Restricting by seccomp.
    Seccomp,
    /// Going to the directory to start in.
    Directory,
    /// Starting another process of the helper.
    Fork,
    /// Finding out whether the program is the one that was agreed to.
    Checksum,
    /// Executing the program.
    Execute,
}

impl Step {
    /// A failure of this step.
    pub(crate) fn failed(self, subject: impl fmt::Display, error: impl Into<io::Error>) -> Failure {
        let error = error.into();
        Failure {
            step: self,
            subject: subject.to_string(),
            errno: error.raw_os_error(),
            reason: error.to_string(),
        }
    }

    /// Turns the error of this step into a failure that says what it was about.
    pub(crate) fn of<E: Into<io::Error>>(
        self,
        subject: impl fmt::Display,
    ) -> impl FnOnce(E) -> Failure {
        move |error| self.failed(subject, error)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Request => "cannot read the request",
            Self::Namespaces => "cannot make namespaces",
            Self::Identity => "cannot map the user into the namespace",
            Self::Mount => "cannot mount",
            Self::Proc => "cannot mount /proc",
            Self::Devices => "cannot provide devices",
            Self::Root => "cannot change the root directory",
            Self::Network => "cannot prepare the network",
            Self::Capabilities => "cannot drop capabilities",
            Self::Limits => "cannot set limits",
            Self::Landlock => "cannot restrict the process with Landlock",
            Self::Seccomp => "cannot restrict the process with seccomp",
            Self::Directory => "cannot start in the directory",
            Self::Fork => "cannot start a process",
            Self::Checksum => "will not execute",
            Self::Execute => "cannot execute",
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.step)?;
        if !self.subject.is_empty() {
            write!(f, " {}", self.subject)?;
        }
        write!(f, ": {}", self.reason)
    }
}
