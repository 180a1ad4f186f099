//! Why a request was refused, as a number that programs can act on.
//!
//! The numbers are a closed set: a host can make an [`ErrorObject`] only from an [`ErrorCode`], so it
//! cannot send one that the protocol does not have. A tool may be older than its host, so it reads
//! any number and keeps the message, which says more than the number anyway.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::bounded::shortened;

/// The longest message, in bytes. It can repeat what a tool wrote and what is granted to it, and becomes longer as
/// JSON.
const LONGEST_MESSAGE: usize = 8 << 10;

/// The kinds of refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// The line is not JSON.
    ParseError,
    /// The line is JSON, but no message.
    InvalidRequest,
    /// There is no such method.
    MethodNotFound,
    /// A parameter is missing, or is not what the method takes.
    InvalidParams,
    /// The host failed; the request may have been fine.
    InternalError,
    /// The policy does not allow it, or a person said no.
    AccessDenied,
    /// The file or the program does not exist.
    NotFound,
    /// The target exists, and the request asked not to replace it.
    AlreadyExists,
    /// It took too long.
    Timeout,
    /// The host, the tool or a person called it off.
    Cancelled,
    /// The file or the message is over the limit.
    TooLarge,
}

impl ErrorCode {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::ParseError,
        Self::InvalidRequest,
        Self::MethodNotFound,
        Self::InvalidParams,
        Self::InternalError,
        Self::AccessDenied,
        Self::NotFound,
        Self::AlreadyExists,
        Self::Timeout,
        Self::Cancelled,
        Self::TooLarge,
    ];

    /// The number on the wire.
    pub fn number(self) -> i64 {
        match self {
            Self::ParseError => -32700,
            Self::InvalidRequest => -32600,
            Self::MethodNotFound => -32601,
            Self::InvalidParams => -32602,
            Self::InternalError => -32603,
            Self::AccessDenied => -32001,
            Self::NotFound => -32002,
            Self::AlreadyExists => -32003,
            Self::Timeout => -32004,
            Self::Cancelled => -32005,
            Self::TooLarge => -32006,
        }
    }

    /// The code with this number.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.number() == number)
    }

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::ParseError => "Parse Error",
            Self::InvalidRequest => "Invalid Request",
            Self::MethodNotFound => "Method Not Found",
            Self::InvalidParams => "Invalid Params",
            Self::InternalError => "Internal Error",
            Self::AccessDenied => "Access Denied",
            Self::NotFound => "Not Found",
            Self::AlreadyExists => "Already Exists",
            Self::Timeout => "Timeout",
            Self::Cancelled => "Cancelled",
            Self::TooLarge => "Too Large",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A refusal as it is written: the number, and a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{message} ({code})")]
pub struct ErrorObject {
    code: i64,
    message: String,
}

impl ErrorObject {
    /// A refusal for this reason. Of a long message the middle is left out.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code: code.number(), message: shortened(message.into(), LONGEST_MESSAGE) }
    }

    /// The reason. `None`: one that only a newer host knows.
    pub fn code(&self) -> Option<ErrorCode> {
        ErrorCode::from_number(self.code)
    }

    /// The reason as the number that was sent.
    pub fn number(&self) -> i64 {
        self.code
    }

    /// What happened, to what.
    pub fn message(&self) -> &str {
        &self.message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_documented_one() {
        // D11-236, D11-034
        let table: Vec<(i64, &str)> =
            ErrorCode::ALL.into_iter().map(|code| (code.number(), code.name())).collect();
        assert_eq!(
            table,
            [
                (-32700, "Parse Error"),
                (-32600, "Invalid Request"),
                (-32601, "Method Not Found"),
                (-32602, "Invalid Params"),
                (-32603, "Internal Error"),
                (-32001, "Access Denied"),
                (-32002, "Not Found"),
                (-32003, "Already Exists"),
                (-32004, "Timeout"),
                (-32005, "Cancelled"),
                (-32006, "Too Large"),
            ]
        );
        for code in ErrorCode::ALL {
            assert_eq!(ErrorCode::from_number(code.number()), Some(code));
            let object = ErrorObject::new(code, "no");
            let text = format!(r#"{{"code":{},"message":"no"}}"#, code.number());
            assert_eq!(serde_json::to_string(&object).unwrap(), text);
            assert_eq!(serde_json::from_str::<ErrorObject>(&text).unwrap(), object);
        }
        assert_eq!(ErrorCode::from_number(-32099), None);
    }

    #[test]
    fn a_message_is_not_longer_than_somebody_reads() {
        let message = |text: &str| ErrorObject::new(ErrorCode::NotFound, text).message().to_owned();
        let whole = "é".repeat(4 << 10);
        assert_eq!(message(&whole), whole);
        // 3 bytes each, so that no half ends between two of them.
        for letter in ["€", "é", "a"] {
            let text = message(&format!("run {}: not found", letter.repeat(100_000)));
            assert!(text.len() <= 8 << 10 && text.len() > 8_180, "{}", text.len());
            assert!(text.starts_with("run ") && text.ends_with(&format!("{letter}: not found")));
            assert!(text.contains(&format!("{letter} […] {letter}")));
        }
    }

    #[test]
    fn a_code_of_a_newer_host_keeps_its_message() {
        // D11-276
        let text = r#"{"code":-32042,"message":"out of ink","data":{"color":"blue"}}"#;
        let object: ErrorObject = serde_json::from_str(text).unwrap();
        assert_eq!((object.code(), object.number()), (None, -32042));
        assert_eq!(object.to_string(), "out of ink (-32042)");
    }
}
