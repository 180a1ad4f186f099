//! The plugins of this repository as their users get them: `cargo xtask registry` makes a registry, `jp`
//! installs from it into a home that has nothing yet, and the command works.
//!
//! What a single plugin does is tried in its own package.

#![expect(clippy::disallowed_methods, reason = "tests build their own files")]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod install;
mod run;
mod shop;
