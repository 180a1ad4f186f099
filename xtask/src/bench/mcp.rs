//! What our client of MCP servers costs, against one that is nothing but the official library.
//!
//! The server is the same program for both ([`bare`] has it), and as in the benchmarks of the VFS protocol
//! client and server share a core.

pub(crate) mod bare;
mod ours;

use std::fs;
use std::rc::Rc;
use std::time::Instant;

use camino::Utf8PathBuf;
use jp_mcp::Era;

use self::bare::{Make, Mcp};
use self::ours::Ours;
use super::Programs;
use super::measure::{Pair, Work};
use super::pin;
use crate::failure::{Failure, Result};

const KIBIBYTE: usize = 1 << 10;
/// How many calls are one sample.
const CALLS: u32 = 200;

pub(super) fn pairs(programs: &Programs) -> Result<Vec<Pair>> {
    let path = programs.dir.join("bench-mcp.txt");
    fs::write(&path, "x".repeat(KIBIBYTE)).map_err(Failure::because("cannot make a file"))?;
    let file = Rc::new(path);
    let mut pairs = Vec::new();
    for era in [Era::Modern, Era::Legacy] {
        pairs.extend([round_trip(&file, era)?, first_answer(&file, era)]);
    }
    Ok(pairs)
}

fn round_trip(file: &Rc<Utf8PathBuf>, era: Era) -> Result<Pair> {
    let _pinned = pin::to_one_core()?;
    let (ours, bare) = (Ours::new(era)?, Mcp::start(era, Make::Tight)?);
    let (subject, peer) = (file.clone(), file.clone());
    Ok(Pair {
        name: format!("MCP call, {} era, against the library alone", era.name()),
        limit: 1.15,
        samples: 60,
        subject: Work::timed(move || ours.read(&subject, KIBIBYTE, CALLS)),
        peer: Work::timed(move || bare.read(&peer, KIBIBYTE, CALLS)),
    })
}

/// From nothing to the first answer, and to the end of the server.
fn first_answer(file: &Rc<Utf8PathBuf>, era: Era) -> Pair {
    let (subject, peer) = (file.clone(), file.clone());
    Pair {
        name: format!("MCP start to first answer, {} era, against the library alone", era.name()),
        limit: 1.5,
        samples: 30,
        subject: Work::timed(move || {
            let _pinned = pin::to_one_core()?;
            let start = Instant::now();
            Ours::new(era)?.read(&subject, KIBIBYTE, 1)?;
            Ok(start.elapsed())
        }),
        peer: Work::timed(move || {
            let _pinned = pin::to_one_core()?;
            let start = Instant::now();
            Mcp::start(era, Make::Tight)?.read(&peer, KIBIBYTE, 1)?;
            Ok(start.elapsed())
        }),
    }
}
