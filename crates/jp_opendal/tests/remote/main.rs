//! The backend against real servers, which each test starts for itself on this machine.
//!
//! A server that is missing fails the test: what was not run proves nothing. `cargo xtask test` gets them.

#![expect(clippy::unwrap_used, reason = "helpers of tests have nobody to hand an error to")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests start servers and build their own files; where the servers are is in the environment"
)]

mod conformance;
mod faults;
mod projects;
