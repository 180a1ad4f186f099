//! The tool that is measured: it takes orders, does the work and says how long it took.

use std::fs;
use std::hint::black_box;
use std::time::Instant;

use jp_tool::vfs::{self, FsGrep, Told, VfsHost};
use jp_tool::{Content, ToolState};
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, Result};

/// What the tool is to do.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Order {
    /// Read a file so often. The time is that of one.
    Read { path: String, way: Way, times: u32 },
    /// Read all these files.
    ReadMany { paths: Vec<String>, way: Way },
    /// Search all files.
    Grep { pattern: String },
}

/// How the tool reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Way {
    /// Itself.
    Direct,
    /// Through the host, as text.
    Host,
    /// Through the host, whatever it is.
    HostBytes,
}

/// Serves orders until the host is gone.
pub(crate) fn run() -> Result {
    let host = vfs::try_connect().map_err(Failure::because("no host"))?;
    let mut say = String::new();
    loop {
        let state = ToolState::Running { content: Some(Content::Text(say)) };
        host.state(state).map_err(Failure::because("cannot talk to the host"))?;
        let Ok(Told::Apply(input)) = host.next() else { return Ok(()) };
        let order = serde_json::from_value(input).map_err(Failure::because("not an order"))?;
        let start = Instant::now();
        let times = obey(&host, &order)?;
        say = (start.elapsed() / times).as_nanos().to_string();
    }
}

/// Does it, and returns how often.
fn obey(host: &VfsHost, order: &Order) -> Result<u32> {
    match order {
        Order::Read { path, way, times } => {
            for _ in 0..*times {
                black_box(read(host, path, *way)?);
            }
            return Ok((*times).max(1));
        }
        Order::ReadMany { paths, way: Way::Direct } => {
            let files = paths.iter().map(|path| read(host, path, Way::Direct));
            black_box(files.collect::<Result<Vec<_>>>()?);
        }
        Order::ReadMany { paths, .. } => {
            let files: std::result::Result<Vec<_>, _> = host.read_many(paths).into_iter().collect();
            black_box(files.map_err(Failure::because("cannot read"))?);
        }
        Order::Grep { pattern } => {
            let found = host.call(&FsGrep::new(pattern.clone()));
            let found = found.map_err(Failure::because("cannot search"))?;
            if found.matches.is_empty() {
                return Err(Failure::new("nothing was found"));
            }
        }
    }
    Ok(1)
}

fn read(host: &VfsHost, path: &str, way: Way) -> Result<Vec<u8>> {
    match way {
        Way::Direct => fs::read(path).map_err(Failure::because("cannot read")),
        Way::Host => {
            host.read(path).map(String::into_bytes).map_err(Failure::because("cannot read"))
        }
        Way::HostBytes => host.read_bytes(path).map_err(Failure::because("cannot read")),
    }
}
