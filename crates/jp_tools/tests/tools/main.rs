//! The bundled tools as the host meets them: the real program, a real directory, an invocation on
//! stdin and one line on stdout.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]
#![expect(clippy::needless_pass_by_value, reason = "a call with `json!` in it reads better")]

mod change;
mod find;
mod hostile;
mod read;
mod rules;
mod schema;
mod support;
mod utils;
