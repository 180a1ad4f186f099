//! The client of MCP servers.
//!
//! A [`Client`] is one configured server. It is started when it is first needed, through a [`Launch`] that
//! the caller provides, or reached over HTTP; it is spoken to in the era of the protocol that it
//! understands ([`Era`]), and whatever it says is taken with care: the good tools and blocks are kept and
//! the bad ones named, nothing that is kept grows beyond the numbers in `limits.rs`, and every wait has an
//! end.
//!
//! A server is a program of somebody else. It may be silent, die in the middle of a call, print garbage,
//! send a gigabyte, ask questions for ever or change its mind about its tools. Each of these is an
//! [`McpError`] that says what happened, with the last words of the server, and the next call finds the
//! server started again. A call that was under way when a server died is not sent again, unless the tool
//! says that this does no harm.
//!
//! The crate knows nothing of configuration, confinement or terminals: who starts programs and who asks
//! people is behind [`Launch`] and [`Elicitor`]; who lets us in at a server on the network is behind
//! [`Authorizer`], of which [`oauth`] is the usual one. What the bridge to jp's own tools puts into `_meta` is in
//! [`meta`], and is handed in by the caller.

mod authorize;
mod call;
mod client;
mod clock;
mod connect;
mod connection;
mod decode;
mod elicit;
mod era;
mod error;
mod handler;
mod launch;
mod limits;
pub mod meta;
pub mod oauth;
mod request;
mod server_spec;
mod shared;
mod status;
mod stderr;
mod tools;
mod transport;
mod words;

use std::pin::Pin;

pub use self::{
    authorize::{Authorizer, Challenge, LoginError, Token},
    call::{Call, CallResult, Called, Progress, Resume, Round},
    client::Client,
    elicit::{ElicitAnswer, Elicitor, Form},
    error::{Answered, McpError, StartError},
    launch::{Launch, LaunchError, Launched, Process},
    limits::{MAX_MESSAGE, MAX_PAGES, MAX_QUESTIONS, MAX_TOOLS},
    server_spec::{Connect, Era, Http, ServerSpec},
    status::{State, Status},
    tools::{Annotations, MalformedTool, Tool, Tools},
};

/// A future in a box, for traits whose implementor is chosen at run time.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
