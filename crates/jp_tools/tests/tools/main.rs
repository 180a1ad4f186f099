//! The bundled tools as the host meets them: the real program, a real directory, an invocation on
//! stdin and one line on stdout.
//!
//! Every call of a tool is made twice: beside the files, and, on a copy of them, sealed off from them and
//! served by jp's host. What is answered and what the files are like afterwards has to be the same, byte
//! for byte (D11-291, D11-289). A call for which that cannot be says why.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]
#![expect(clippy::needless_pass_by_value, reason = "a call with `json!` in it reads better")]

mod both;
mod change;
mod find;
#[cfg(target_os = "linux")]
mod host;
mod hostile;
mod read;
mod rules;
mod schema;
mod support;
mod utils;
