//! Starting a program, as the caller does it.

use std::fmt;

use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::BoxFuture;

/// Somebody who starts the program of a server. Called again after a crash, and once more where the
/// program did not understand the first handshake.
pub trait Launch: fmt::Debug + Send + Sync {
    /// Starts the program.
    fn launch(&self) -> BoxFuture<'_, Result<Launched, LaunchError>>;
}

/// A program that was started.
pub struct Launched {
    /// What it reads.
    pub stdin: Box<dyn AsyncWrite + Send + Unpin>,
    /// What it says.
    pub stdout: Box<dyn AsyncRead + Send + Unpin>,
    /// What it complains about.
    pub stderr: Box<dyn AsyncRead + Send + Unpin>,
    /// Itself.
    pub process: Box<dyn Process>,
    /// What its user should know; shown once, by whoever asks for the status.
    pub warnings: Vec<String>,
}

/// A program that runs. Dropping it kills it.
pub trait Process: Send {
    /// Ends it and everything that it has started, and waits until they are gone.
    fn stop(self: Box<Self>) -> BoxFuture<'static, ()>;
}

/// A program that could not be started. Says what to do where that is known.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct LaunchError {
    message: String,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl LaunchError {
    /// With what happened, and to what.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }

    /// And why.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Debug for Launched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launched").field("warnings", &self.warnings).finish_non_exhaustive()
    }
}
