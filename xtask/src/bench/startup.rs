//! How long it takes until the program can do anything at all: `jp --version`
//! against `/bin/true`, a program that does nothing.

use std::process::{Command, Stdio};

use camino::{Utf8Path, Utf8PathBuf};

use super::Programs;
use super::measure::{Pair, Work};
use crate::failure::{Failure, Result};

pub(super) fn pairs(programs: &Programs) -> Result<Vec<Pair>> {
    Ok(vec![Pair {
        name: "startup".to_owned(),
        limit: 2.5,
        samples: 200,
        subject: spawn(programs.path("jp")?, &["--version"]),
        peer: spawn("/bin/true".into(), &[]),
    }])
}

/// Starts a program and waits for it. Without anything to do between fork and exec,
/// the standard library uses `posix_spawn`, whose cost does not depend on us.
fn spawn(program: Utf8PathBuf, args: &'static [&str]) -> Work {
    Work::repeat(1, move || run(&program, args))
}

fn run(program: &Utf8Path, args: &[&str]) -> Result {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::new(format!("{program} failed ({status})"))),
        Err(error) => Err(Failure::new(format!("cannot start {program}: {error}"))),
    }
}
