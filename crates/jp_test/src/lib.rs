//! Test support: run the real program in a world of its own.
//!
//! A test starts the program with [`TestEnv`]: its own home, its own project
//! directory, and an environment in which nothing of the developer's machine is
//! left. What comes back is an [`Output`] that prints as a readable snapshot.
//! Prompts are tested on a real terminal device with [`Pty`].
//!
//! ```no_run
//! # let env = jp_test::TestEnv::new(jp_test::find_bin("jp"));
//! env.write(".jp.toml", "");
//! let output = env.jp(["config", "show"]).run().success();
//! println!("{output}");
//! ```
//!
//! The danger in such tests is the one that hangs, so every wait in this crate
//! has a limit. When it passes, the child is killed with everything it started
//! and the test fails with what was printed until then.
//!
//! This crate is a development dependency only, and helpers panic instead of
//! returning errors: a test has nobody to hand an error to. Programs that
//! misbehave on request belong in `src/bin`.

#![expect(
    clippy::disallowed_methods,
    reason = "tests start programs and build files through this crate so that they need not do it themselves"
)]

mod bins;
mod env;
mod group;
mod https;
pub mod mcp;
mod normalize;
mod output;
mod pty;
mod pump;
#[cfg(feature = "rmcp")]
pub mod rmcp_client;
mod run;
mod running;
mod screen;
mod server;

pub use rustix::process::Signal;

pub use crate::bins::{find_bin, find_tool};
pub use crate::env::TestEnv;
pub use crate::https::{Answer, Https};
pub use crate::normalize::Normalizer;
pub use crate::output::Output;
pub use crate::pty::{Pty, PtyOutput, Size};
pub use crate::run::Run;
pub use crate::running::Running;
pub use crate::server::Server;

/// A [`TestEnv`] around the `jp` that Cargo built for this very test run.
///
/// Works in the integration tests of the package that has the `jp` binary.
/// Elsewhere use `TestEnv::new(find_bin("jp"))`.
#[macro_export]
macro_rules! env {
    () => {
        $crate::TestEnv::new(::core::env!("CARGO_BIN_EXE_jp"))
    };
}
