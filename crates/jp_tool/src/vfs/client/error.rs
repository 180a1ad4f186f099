//! What can go wrong between a tool and its host.

use std::io;

use thiserror::Error;

use super::lines::LineError;
use crate::ToolError;
use crate::vfs::{
    ErrorCode, ErrorObject, InvalidMessage, InvalidNotification, InvalidPath, InvalidResult,
};

/// Why a request has no result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VfsError {
    /// The host refused it, and says why. The tool may go on.
    #[error("{}", .0.message())]
    Refused(ErrorObject),
    /// The host called off the whole call: the tool has to end, and no request is made any more.
    #[error("the call was cancelled")]
    Cancelled,
    /// The path is none that a request can name. Nothing was asked.
    #[error(transparent)]
    Path(#[from] InvalidPath),
    /// The file is not UTF-8. [`read_bytes`](super::VfsHost::read_bytes) reads it.
    #[error("{path} is not text")]
    NotText {
        /// The file.
        path: String,
    },
    /// The result or an error was reported already. Nothing was asked.
    #[error("the call is over: a request after its result is not served")]
    Ended,
    /// The host is gone.
    #[error("the host has closed the channel")]
    Closed,
    /// The host sent more in one line than is read.
    #[error("a message of the host is longer than {} MiB", super::MAX_MESSAGE >> 20)]
    TooLong,
    /// The channel is broken.
    #[error("cannot talk to the host")]
    Io(#[from] io::Error),
    /// The host sent a line that is no message.
    #[error(transparent)]
    Message(#[from] InvalidMessage),
    /// The host sent a notification that cannot be acted on.
    #[error("the host sent something that cannot be acted on")]
    Notification(#[from] InvalidNotification),
    /// The host answered with something else than the method gives.
    #[error(transparent)]
    Result(#[from] InvalidResult),
    /// The host said base64 and sent something else.
    #[error("the host sent bytes that are not base64")]
    NotBase64,
}

impl VfsError {
    /// The reason for which the host refused the request. `None` where it did not, or for a reason
    /// that only a newer host knows.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Refused(error) => error.code(),
            Self::Cancelled => Some(ErrorCode::Cancelled),
            _ => None,
        }
    }

    /// Whether there is no such file or program.
    pub fn is_not_found(&self) -> bool {
        self.code() == Some(ErrorCode::NotFound)
    }

    /// Whether the policy, or a person, does not allow it.
    pub fn is_denied(&self) -> bool {
        self.code() == Some(ErrorCode::AccessDenied)
    }
}

impl From<LineError> for VfsError {
    fn from(error: LineError) -> Self {
        match error {
            LineError::TooLong => Self::TooLong,
            LineError::Io(error) => Self::Io(error),
        }
    }
}

/// The sentence of the host is the sentence of the tool.
impl From<VfsError> for ToolError {
    fn from(error: VfsError) -> Self {
        Self::from_error(&error)
    }
}

impl From<InvalidPath> for ToolError {
    fn from(error: InvalidPath) -> Self {
        Self::from_error(&error)
    }
}

/// Why a tool has no host.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// A person started the program.
    #[error("stdin is a terminal")]
    Terminal,
    /// Nothing came.
    #[error("stdin is empty")]
    Empty,
    /// Something else came first, or `init` without what it has to have.
    #[error("the first line on stdin is not `init`")]
    NotInit(#[source] Box<VfsError>),
    /// The streams are broken.
    #[error("cannot use stdin and stdout")]
    Io(#[from] io::Error),
}
