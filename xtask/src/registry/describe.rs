//! What a program of ours says of itself.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use camino::Utf8Path;
use jp_plugin::{Describe, PluginToHost, to_host};

use crate::failure::{Failure, Result};

/// Asks a plugin what it is, as a host does.
pub(super) fn describe(program: &Utf8Path) -> Result<Describe> {
    let failed = |what: &str| Failure::because(format!("{program}: {what}"));
    let mut command = Command::new(program);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(failed("cannot be started"))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(b"{\"type\":\"describe\"}\n").map_err(failed("does not listen"))?;
    }
    let output = child.wait_with_output().map_err(failed("does not end"))?;
    let line = output.stdout.trim_ascii();
    match to_host::parse(line) {
        Ok(PluginToHost::Describe(said)) if output.status.success() => Ok(said),
        _ => {
            let text = String::from_utf8_lossy(line);
            Err(Failure::new(format!("{program}: it does not describe itself but says `{text}`")))
        }
    }
}
