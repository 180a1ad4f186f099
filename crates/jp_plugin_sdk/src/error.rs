//! Why a request failed, and why a plugin did.

use std::{error::Error, io};

/// Why a request has no answer, or a bad one.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// The host said no. The plugin can go on.
    #[error("{message}")]
    Refused {
        /// The `type` of the request.
        request: String,
        /// The conversation it was about, where the host says so.
        conversation: Option<String>,
        /// Why not.
        message: String,
    },
    /// The host is gone, or has stopped listening.
    #[error("the host is gone")]
    Closed,
    /// The message cannot be sent: the host would end the plugin for it.
    #[error("the message has {0} bytes, more than the limit of {limit}", limit = jp_plugin::MAX_LINE)]
    TooLong(usize),
    /// The message cannot be sent: the host would not read it.
    #[error("the message has more than {limit} values", limit = jp_plugin::MAX_VALUES)]
    TooMany,
    /// A lock of this conversation is held by this plugin already, by another guard.
    #[error("this plugin holds the lock of conversation {0} already")]
    AlreadyHeld(String),
    /// What is to be sent has no form in JSON.
    #[error("the message cannot be written as JSON")]
    Json(#[source] serde_json::Error),
    /// Writing to the host failed.
    #[error("cannot write to the host")]
    Write(#[source] io::Error),
    /// The host answered with something else.
    #[error("the host answered `{0}` with something else")]
    Unexpected(&'static str),
}

impl RequestError {
    /// Whether somebody else holds the lock that was asked for.
    pub fn is_locked(&self) -> bool {
        matches!(self, Self::Refused { request, message, .. }
            if request == "lock" && message == "conversation is locked by another process")
    }

    /// Whether there is no conversation of the name that was asked for.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused { message, .. }
            if message.starts_with("conversation not found"))
    }

    /// Whether an event that was pushed breaks a rule; the message says which one, and which rule.
    pub fn is_rejected(&self) -> bool {
        matches!(self, Self::Refused { request, message, .. }
            if request == "push_events" && message.contains("(event at index "))
    }
}

/// Why a plugin ends with another code than 0. Every error can be one, so `?` makes it.
///
/// It is no error itself: it is what the user of the plugin gets to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub(crate) code: u8,
    pub(crate) reason: Option<String>,
}

impl Failure {
    /// Code 1, and this shown to the user.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { code: 1, reason: Some(reason.into()) }
    }

    /// This code and nothing shown: what there is to say was printed.
    pub fn silent(code: u8) -> Self {
        Self { code, reason: None }
    }

    /// The same with another code.
    #[must_use]
    pub fn code(self, code: u8) -> Self {
        Self { code, ..self }
    }
}

impl<E: Error> From<E> for Failure {
    /// The error and what led to it, from the outside in.
    fn from(error: E) -> Self {
        let mut reason = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            let text = inner.to_string();
            if !reason.ends_with(&text) {
                reason = format!("{reason}: {text}");
            }
            cause = inner.source();
        }
        Self::new(reason)
    }
}
