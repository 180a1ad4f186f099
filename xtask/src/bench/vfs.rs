//! The VFS protocol: what it costs to have the host read a file instead of reading it.
//!
//! The tool is this program in another role ([`worker`]), which talks to the host with the client of the
//! SDK, as a tool of anybody would. It reads files both ways and says how long it took by its own clock, so
//! both halves of a pair come from the same process. The policy has twenty rules.
//!
//! One request at a time goes back and forth between two processes. On several cores that measures how
//! fast an idle core wakes up, so host and tool share one here.

mod memory;
mod tool;
mod worker;

use std::fs;
use std::rc::Rc;

use camino::Utf8PathBuf;
use jp_mcp::Era;

pub(crate) use self::memory::host as memory_host;
use self::tool::Tool;
pub(crate) use self::worker::run as work;
use self::worker::{Order, Way};
use super::Programs;
use super::mcp::bare::{Make, Mcp};
use super::measure::{Pair, Work};
use super::tools::{NEEDLE, ripgrep, searched_tree};
use super::{pin, plugin};
use crate::failure::{Failure, Result};

/// How many files are read together.
const MANY: usize = 1_000;
const KIBIBYTE: usize = 1 << 10;
const MEBIBYTE: usize = 1 << 20;

/// Single files, their size, how often each is read for one sample, and how much longer than in the
/// process that wants them it may take.
const FILES: &[(&str, usize, u32, f64)] = &[
    ("1KiB.txt", KIBIBYTE, 400, 4.0),
    ("1MiB.txt", MEBIBYTE, 4, 50.0),
    ("10MiB.txt", 10 * MEBIBYTE, 1, 25.0),
];

pub(super) fn pairs(programs: &Programs) -> Result<Vec<Pair>> {
    let dir = Rc::new(Dir::new(programs)?);
    let _pinned = pin::to_one_core()?;
    let tool = Rc::new(Tool::start(&dir.0)?);
    let server = |make| Mcp::start(Era::Legacy, make).map(Rc::new);
    let (usual, tight) = (server(Make::Usual)?, server(Make::Tight)?);
    let mut pairs = Vec::new();
    for (file, size, times, limit) in FILES {
        pairs.push(against_direct(&tool, &dir, (file, Way::Host), *times, *limit));
        // Five times as many round trips, or 1.4 times as many bytes. What a short answer takes a server that is made
        // for speed is told, and has no limit: a line that comes back as it is takes nearly a fifth of that.
        let (limit, tight_limit) = match *size {
            KIBIBYTE => (0.2, f64::INFINITY),
            _ => (1.0 / 1.4, 1.0 / 1.4),
        };
        let file = (*file, *size, *times);
        pairs.push(against_mcp(&tool, &dir, file, (&usual, "MCP", limit)));
        pairs.push(against_mcp(&tool, &dir, file, (&tight, "tight MCP", tight_limit)));
    }
    pairs.push(floor(&tight, &dir));
    // How much base64 costs is told, and nobody has said how much it may.
    let binary = ("1MiB.bin", Way::HostBytes);
    pairs.push(against_direct(&tool, &dir, binary, 4, f64::INFINITY));
    pairs.push(many(&tool, &dir));
    pairs.push(memory::pair(&dir));
    Ok(pairs)
}

/// Searching needs all cores.
pub(super) fn search(programs: &Programs) -> Result<Vec<Pair>> {
    let tree = searched_tree(programs)?;
    let tool = Tool::start(&tree)?;
    let order = Order::Grep { pattern: NEEDLE.to_owned() };
    Ok(vec![Pair {
        name: "fs.grep, large tree, against rg -n".to_owned(),
        limit: 1.0,
        samples: 12,
        subject: Work::timed(move || tool.ask(&order)),
        peer: ripgrep(&["-n"], &tree),
    }])
}

/// A file through the host, against the same file read by the tool itself.
fn against_direct(
    tool: &Rc<Tool>,
    dir: &Rc<Dir>,
    (file, way): (&str, Way),
    times: u32,
    limit: f64,
) -> Pair {
    let read = |way| {
        let (tool, dir, file) = (tool.clone(), dir.clone(), file.to_owned());
        Work::timed(move || tool.ask(&Order::Read { path: dir.path(&file, way), way, times }))
    };
    Pair {
        name: format!("fs.read, {file}, against std::fs::read"),
        limit,
        samples: 60,
        subject: read(way),
        peer: read(Way::Direct),
    }
}

/// The same against a server that somebody else's library makes of a function that reads a file.
fn against_mcp(
    tool: &Rc<Tool>,
    dir: &Rc<Dir>,
    (file, size, times): (&str, usize, u32),
    (mcp, called, limit): (&Rc<Mcp>, &str, f64),
) -> Pair {
    let (tool, mcp, path) = (tool.clone(), mcp.clone(), dir.0.join(file));
    let order = Order::Read { path: file.to_owned(), way: Way::Host, times };
    Pair {
        name: format!("fs.read, {file}, against {called}"),
        limit,
        samples: 30,
        subject: Work::timed(move || tool.ask(&order)),
        peer: Work::timed(move || mcp.read(&path, size, times)),
    }
}

/// What no host can be faster than: a line to another process and back, without a file or a policy.
fn floor(mcp: &Rc<Mcp>, dir: &Rc<Dir>) -> Pair {
    let (mcp, (file, size, times, _)) = (mcp.clone(), FILES[0]);
    let path = dir.0.join(file);
    Pair {
        name: format!("a bare pipe echo, against reading {file} by tight MCP"),
        limit: f64::INFINITY,
        samples: 30,
        subject: Work::timed(|| {
            let _pinned = pin::to_one_core()?;
            plugin::echo()
        }),
        peer: Work::timed(move || mcp.read(&path, size, times)),
    }
}

/// Many files, of which the next is asked for before the last one is there.
fn many(tool: &Rc<Tool>, dir: &Rc<Dir>) -> Pair {
    let read = |way| {
        let (tool, dir) = (tool.clone(), dir.clone());
        Work::timed(move || {
            let paths = (0..MANY).map(|number| dir.path(&format!("many/{number}.txt"), way));
            tool.ask(&Order::ReadMany { paths: paths.collect(), way })
        })
    };
    Pair {
        name: "read_many, 1,000 files, against std::fs::read".to_owned(),
        limit: 3.0,
        samples: 60,
        subject: read(Way::Host),
        peer: read(Way::Direct),
    }
}

/// What is read.
struct Dir(Utf8PathBuf);

impl Dir {
    fn new(programs: &Programs) -> Result<Self> {
        let dir = Self(programs.dir.join("bench-vfs"));
        let _ = fs::remove_dir_all(&dir.0);
        let make = || {
            fs::create_dir_all(dir.0.join("many"))?;
            for (file, size, ..) in FILES {
                fs::write(dir.0.join(file), text(*size))?;
            }
            let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(MEBIBYTE).collect();
            fs::write(dir.0.join("1MiB.bin"), bytes)?;
            (0..MANY).try_for_each(|number| {
                fs::write(dir.0.join(format!("many/{number}.txt")), text(KIBIBYTE))
            })
        };
        make().map_err(Failure::because("cannot make files"))?;
        Ok(dir)
    }

    /// How a file is called, by the project or by the system.
    fn path(&self, file: &str, way: Way) -> String {
        match way {
            Way::Direct => self.0.join(file).into_string(),
            Way::Host | Way::HostBytes => file.to_owned(),
        }
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Text as source code is: short lines, some quotes.
fn text(size: usize) -> String {
    let line = "        let name = object.get(\"name\").map_or(0, |name| name.len());\n";
    line.chars().cycle().take(size).collect()
}
