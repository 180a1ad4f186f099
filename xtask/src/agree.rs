//! `cargo xtask agree`: the test that compares the kernel with the policy, for longer.
//!
//! CI runs it with a fixed seed. Here it runs with as many cases as wanted, and with another seed each
//! time, which is printed so that a failure can be repeated.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::cmd::Cmd;
use crate::failure::Result;

/// Runs the test with these many cases.
pub(crate) fn run(cases: u64, seed: Option<u64>) -> Result {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let seed = seed.unwrap_or_else(now);
    println!("{cases} policies, seed {seed}");
    let mut arguments = vec!["test", "--release", "--package", "jp_confine", "--test", "agreement"];
    arguments.extend(["--", "--nocapture"]);
    Cmd::cargo(&arguments)
        .env("JP_AGREE_CASES", &cases.to_string())
        .env("JP_AGREE_SEED", &seed.to_string())
        .run()
}
