//! `cargo xtask bless`: what the program prints now becomes what tests expect.
//!
//! Read the difference before committing it: that reading is the test.

use crate::cmd::Cmd;
use crate::failure::Result;
use crate::{needs, root, suite};

/// Runs all tests, letting snapshots pass, and writes them into the source.
pub(crate) fn run() -> Result {
    needs::meet(needs::BLESS)?;
    // Snapshots that stand in the source are only noted by the tests. The notes are
    // kept away from the source, where they would count as forgotten.
    let pending = root().join("target/pending-snapshots");
    let pending = ("INSTA_PENDING_DIR", pending.as_str());
    // Snapshots do not fail in this run, so that a test with several of them shows
    // all at once. Other assertions fail as ever, but must not keep the snapshots
    // from being accepted; their failure is reported afterwards.
    let pass = [("INSTA_UPDATE", "always"), ("INSTA_FORCE_PASS", "1"), pending];
    let tests = suite::run_with(&[], &pass);
    let accept = ["insta", "accept", "--workspace", "--include-ignored"];
    Cmd::cargo(&accept).env(pending.0, pending.1).run()?;
    tests
}
