//! `cargo xtask fuzz`: random and mutated input for what strangers write.
//!
//! The targets are in `fuzz/`, a workspace of its own, because the fuzzer builds with
//! other flags. What it finds worth keeping goes into `fuzz/corpus`.

use crate::cmd::Cmd;
use crate::failure::{Failure, Result};
use crate::needs;

const TARGETS: [&str; 4] = ["url", "path", "policy", "vfs"];

/// Runs one target or all of them, each for so many seconds.
pub(crate) fn run(target: Option<&str>, seconds: u32) -> Result {
    needs::meet(needs::FUZZ)?;
    let chosen: Vec<&str> =
        TARGETS.into_iter().filter(|name| target.is_none_or(|target| target == *name)).collect();
    if chosen.is_empty() {
        return Err(Failure::new(format!("the targets are {}", TARGETS.join(", "))));
    }
    let limit = format!("-max_total_time={seconds}");
    for name in chosen {
        // Without a sanitizer: there is no unsafe code to watch, and the stable
        // toolchain is enough.
        let args = ["fuzz", "run", "--fuzz-dir", "fuzz", "-s", "none", name, "--"];
        Cmd::cargo(&args).args(&[limit.clone(), "-max_len=400".to_owned()]).run()?;
    }
    Ok(())
}
