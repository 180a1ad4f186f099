//! `cargo xtask test`: every test there is.

use crate::cmd::Cmd;
use crate::failure::Result;
use crate::needs;

/// Runs all tests; with extra arguments, those of them that the arguments choose.
pub(crate) fn run(extra: &[String]) -> Result {
    run_with(extra, &[])
}

/// The same with variables set for the tests.
pub(crate) fn run_with(extra: &[String], vars: &[(&str, &str)]) -> Result {
    needs::meet(needs::TESTS)?;
    // Tests of one crate may start the programs of another, which Cargo would not
    // build for them.
    Cmd::cargo(&["build", "--workspace", "--bins"]).run()?;
    let with_vars =
        |cmd: Cmd| vars.iter().fold(cmd, |cmd, (name, value)| cmd.env(name, value)).args(extra);
    if !Cmd::cargo(&["nextest", "--version"]).succeeds() {
        return with_vars(Cmd::cargo(&["test", "--workspace"])).run();
    }
    with_vars(Cmd::cargo(&["nextest", "run", "--workspace"])).run()?;
    if extra.is_empty() {
        // The one kind of test that nextest does not know.
        return Cmd::cargo(&["test", "--workspace", "--doc"]).run();
    }
    println!("the examples in the documentation were not run, because only some tests were chosen");
    Ok(())
}
