//! What tools write: content that shows whether it is whole, and how new it is.

use std::collections::BTreeMap;
use std::fs;

use camino::Utf8Path;

use super::random::Random;
use crate::failure::{Failure, Result};

/// The content of a version: its number, some lines, and its number again.
pub(super) fn of(version: u64) -> String {
    let mut random = Random::new(version);
    // Mostly short, sometimes more than a pipe holds.
    let lines = if random.below(8) == 0 { random.below(20_000) } else { random.below(200) };
    let line = format!("\"line\"\tof\\{version} é\n");
    format!("{version}\n{}{version}\n", line.repeat(usize::try_from(lines).unwrap_or(0)))
}

/// That every file is whole and as new as the newest version that was acknowledged. Returns how many
/// files there are.
pub(super) fn check(root: &Utf8Path, logs: &Utf8Path) -> Result<usize> {
    let mut newest = BTreeMap::<String, u64>::new();
    for log in entries(logs)? {
        let text = fs::read_to_string(logs.join(&log)).map_err(Failure::because(&log))?;
        // A tool may have been killed while it wrote its last line.
        for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let Some((path, version)) = line.trim_end().split_once(' ') else { continue };
            let version: u64 = version.parse().map_err(Failure::because("a note is broken"))?;
            let known = newest.entry(path.to_owned()).or_default();
            *known = version.max(*known);
        }
    }
    if newest.is_empty() {
        return Err(Failure::new("no tool has written anything"));
    }
    for (path, acknowledged) in &newest {
        let text = fs::read_to_string(root.join(path));
        let text = text.map_err(Failure::because(format!("{path} was acknowledged")))?;
        let version = text.lines().next().and_then(|line| line.parse().ok());
        let version = version.ok_or_else(|| Failure::new(format!("{path} has no version")))?;
        if version < *acknowledged {
            return Err(Failure::new(format!(
                "{path}: {acknowledged} was lost, {version} is there"
            )));
        }
        if text != of(version) {
            return Err(Failure::new(format!("{path}: version {version} is not whole")));
        }
    }
    Ok(newest.len())
}

fn entries(dir: &Utf8Path) -> Result<Vec<String>> {
    let names = || -> std::io::Result<Vec<String>> {
        fs::read_dir(dir)?.map(|one| Ok(one?.file_name().to_string_lossy().into_owned())).collect()
    };
    names().map_err(Failure::because(format!("cannot list {dir}")))
}
