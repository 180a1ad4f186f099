//! What can go wrong between us and a server.
//!
//! Each error names the server, says what happened, and carries the last words of the server where they
//! may say why, short and plain (`words.rs`). Hints beyond that belong to whoever prints the error.

use std::{sync::Arc, time::Duration};

use thiserror::Error;

use crate::{authorize::LoginError, launch::LaunchError, words::said};

/// Why a server did not do what it was asked.
#[derive(Debug, Error)]
pub enum McpError {
    /// It could not be started, or reached.
    #[error("cannot start the MCP server `{server}`")]
    Start {
        /// The server.
        server: String,
        /// Why.
        #[source]
        source: StartError,
    },
    /// It did not let us in.
    #[error("the MCP server `{server}` did not let us in{}", advice(source, server))]
    Login {
        /// The server.
        server: String,
        /// Why.
        #[source]
        source: Arc<LoginError>,
    },
    /// It did not answer in time.
    #[error("the MCP server `{server}` did not answer `{request}` within {}{}", seconds(*within), said(stderr))]
    Timeout {
        /// The server.
        server: String,
        /// What was asked.
        request: String,
        /// How long was waited, without the time in which a person was asked.
        within: Duration,
        /// The last lines of its stderr.
        stderr: String,
    },
    /// It ended, or closed the connection, before it answered.
    #[error("the MCP server `{server}` ended before it answered `{request}`{}{}", again(*repeated), said(stderr))]
    Died {
        /// The server.
        server: String,
        /// What was asked.
        request: String,
        /// Whether this was the second try.
        repeated: bool,
        /// The last lines of its stderr.
        stderr: String,
    },
    /// It could not be reached over the network.
    #[error("the MCP server `{server}` could not be asked `{request}`: {reason}")]
    Unreachable {
        /// The server.
        server: String,
        /// What was asked.
        request: String,
        /// What happened.
        reason: String,
    },
    /// A message of it was too large.
    #[error("the answer of the MCP server `{server}` to `{request}` is larger than {} MiB", limit / 1_048_576)]
    TooLarge {
        /// The server.
        server: String,
        /// What was asked.
        request: String,
        /// The largest message that is read, in bytes.
        limit: usize,
    },
    /// It refused with an error of the protocol.
    #[error("the MCP server `{server}` refused `{request}`: {answer}")]
    Refused {
        /// The server.
        server: String,
        /// What was asked.
        request: String,
        /// What it said.
        answer: Answered,
    },
    /// Its answer is not what the protocol says.
    #[error(
        "the MCP server `{server}` gave an answer to `{request}` that cannot be understood: {reason}"
    )]
    Malformed {
        /// The server.
        server: String,
        /// What was asked.
        request: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It wants something of us that we do not do.
    #[error(
        "the MCP server `{server}` wants {wanted} to answer `{request}`, which is not supported"
    )]
    Unsupported {
        /// The server.
        server: String,
        /// What was asked.
        request: String,
        /// What it wants.
        wanted: String,
    },
    /// It asked too many questions.
    #[error(
        "the MCP server `{server}` asked more than {limit} questions in one call of `{request}`; the call was ended"
    )]
    TooManyQuestions {
        /// The server.
        server: String,
        /// What was asked.
        request: String,
        /// How many are answered.
        limit: usize,
    },
    /// The caller did not want to wait any longer.
    #[error("the call of `{request}` on the MCP server `{server}` was cancelled")]
    Cancelled {
        /// The server.
        server: String,
        /// What was asked.
        request: String,
    },
}

/// An error of JSON-RPC.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{message} (code {code})")]
pub struct Answered {
    /// The number of the error.
    pub code: i64,
    /// What it says, in the words of the server; short and plain.
    pub message: String,
    /// What it adds.
    pub data: Option<serde_json::Value>,
}

/// Why a server could not be started.
#[derive(Debug, Error)]
pub enum StartError {
    /// The program could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// It did not say hello in time.
    #[error("it did not answer within {}{}", seconds(*within), said(stderr))]
    Silent {
        /// How long was waited.
        within: Duration,
        /// The last lines of its stderr.
        stderr: String,
    },
    /// It ended before it said hello.
    #[error("it ended before it answered{}", said(stderr))]
    Exited {
        /// The last lines of its stderr.
        stderr: String,
    },
    /// It answered, but not with what opens a connection.
    #[error("{reason}{}", said(stderr))]
    Handshake {
        /// What happened.
        reason: String,
        /// The last lines of its stderr.
        stderr: String,
    },
    /// The network or the address is the problem.
    #[error("{0}")]
    Http(String),
    /// It did not let us in.
    #[error(transparent)]
    Login(Arc<LoginError>),
}

/// What to do, where a person can do something.
fn advice(error: &LoginError, server: &str) -> String {
    match error {
        LoginError::Needed | LoginError::MoreRights(_) => format!("; run `jp mcp login {server}`"),
        _ => String::new(),
    }
}

fn seconds(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{} s", time.as_secs_f64())
    }
}

fn again(repeated: bool) -> &'static str {
    if repeated { ", and once more after it was started again" } else { "" }
}
