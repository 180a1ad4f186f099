//! `cargo xtask docs`: the documentation of the code, in which every link leads somewhere.

use crate::cmd::Cmd;
use crate::failure::Result;

/// Builds it with warnings denied.
pub(crate) fn run() -> Result {
    Cmd::cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings").run()
}
