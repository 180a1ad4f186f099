//! How much memory the host needs for a large file, in a process that has done nothing else.

use std::fs;
use std::process::Stdio;
use std::rc::Rc;

use camino::Utf8PathBuf;

use super::tool::Tool;
use super::worker::{Order, Way};
use super::{Dir, MEBIBYTE};
use crate::bench::measure::{Pair, Work};
use crate::failure::{Failure, Result};
use crate::role::Role;

/// The growth of the host, against the size of the file.
pub(super) fn pair(dir: &Rc<Dir>) -> Pair {
    let mut command = Role::VfsMemory.command();
    command.current_dir(&dir.0);
    let dir = dir.clone();
    Pair {
        name: "memory of the host for a file of 10 MiB".to_owned(),
        limit: 4.0,
        samples: 3,
        subject: Work::bytes(move || {
            let _dir = &dir;
            let output = command.stderr(Stdio::inherit()).output();
            let output = output.map_err(Failure::because("cannot start a host"))?;
            let text = String::from_utf8_lossy(&output.stdout);
            text.trim().parse().map_err(Failure::because("the host failed"))
        }),
        peer: Work::bytes(|| Ok(10 * MEBIBYTE as u64)),
    }
}

/// The host: reads a small file first, so that everything is there that every host has, and prints by how
/// many bytes its largest size grew with the large one.
pub(crate) fn host() -> Result {
    let dir = std::env::current_dir().and_then(|dir| dir.canonicalize());
    let dir = dir.map_err(Failure::because("cannot find the files"))?;
    let dir = Utf8PathBuf::try_from(dir).map_err(Failure::because("cannot use the files"))?;
    let tool = Tool::start(&dir)?;
    let read =
        |file: &str| tool.ask(&Order::Read { path: file.to_owned(), way: Way::Host, times: 1 });
    read("1KiB.txt")?;
    let before = largest_size()?;
    read("10MiB.txt")?;
    println!("{}", largest_size()?.saturating_sub(before));
    Ok(())
}

/// The most memory that this process has had at once.
fn largest_size() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status");
    let status = status.map_err(Failure::because("cannot see the memory"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kibibytes.map(|size| size * 1024).ok_or_else(|| Failure::new("the system tells no VmHWM"))
}
