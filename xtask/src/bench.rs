//! `cargo xtask bench`: how fast, compared with something everybody knows.
//!
//! A time says little on a noisy machine, a ratio a lot: each benchmark is a *pair*,
//! the subject and a peer that does the least one could do. Both are measured in
//! turns, A B A B, so that whatever slows the machine slows both, and the median of the
//! ratios of all turns is taken. One over its limit is measured again before it counts.
//!
//! To add one, write a function that makes its [`Pair`]s and list it in
//! [`BENCHMARKS`].

mod access;
#[cfg(target_os = "linux")]
pub(crate) mod mcp;
mod measure;
#[cfg(target_os = "linux")]
mod pin;
#[cfg(target_os = "linux")]
pub(crate) mod plugin;
#[cfg(target_os = "linux")]
mod sandbox;
mod startup;
mod store;
mod tools;
#[cfg(target_os = "linux")]
pub(crate) mod vfs;

use std::cell::OnceCell;
use std::fmt::Write as _;
use std::fs;
#[cfg(target_os = "linux")]
use std::time::Duration;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
use camino::Utf8Path;
use camino::Utf8PathBuf;
use serde_json::json;

use self::measure::{Measurement, Pair, measure};
use crate::cmd::Cmd;
use crate::failure::{Failure, Result};
use crate::own_dir;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
use crate::{needs, order};

/// How often a pair is measured before its ratio counts as over the limit.
const TRIES: u32 = 3;

/// The longest that one piece of work may take.
#[cfg(target_os = "linux")]
const PATIENCE: Duration = Duration::from_mins(1);

/// A named source of pairs. It is only asked for them when it was chosen, because
/// making them may take long.
struct Benchmark {
    name: &'static str,
    pairs: fn(&Programs) -> Result<Vec<Pair>>,
}

const BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "startup", pairs: startup::pairs },
    Benchmark { name: "store", pairs: store::pairs },
    Benchmark { name: "access", pairs: access::pairs },
    #[cfg(target_os = "linux")]
    Benchmark { name: "sandbox", pairs: sandbox::pairs },
    Benchmark { name: "tools", pairs: tools::pairs },
    #[cfg(target_os = "linux")]
    Benchmark { name: "vfs-protocol", pairs: vfs::pairs },
    #[cfg(target_os = "linux")]
    Benchmark { name: "vfs-grep", pairs: vfs::search },
    #[cfg(target_os = "linux")]
    Benchmark { name: "vfs-tools", pairs: tools::sealed },
    #[cfg(target_os = "linux")]
    Benchmark { name: "mcp", pairs: mcp::pairs },
    #[cfg(target_os = "linux")]
    Benchmark { name: "plugin", pairs: plugin::pairs },
];

/// The packages of our programs, and the programs.
const PROGRAMS: [(&str, &str); 2] = [("jp_cli", "jp"), ("jp_tools", "jp-tools")];

/// Where the optimised programs are.
struct Programs {
    dir: Utf8PathBuf,
    installed: OnceCell<Utf8PathBuf>,
}

impl Programs {
    fn in_dir(dir: Utf8PathBuf) -> Self {
        Self { dir, installed: OnceCell::new() }
    }

    /// The path of one of our programs, which are built when the first of them is asked for: it takes
    /// minutes, and not every benchmark needs them.
    fn path(&self, name: &str) -> Result<Utf8PathBuf> {
        if self.installed.get().is_none() {
            let _ = self.installed.set(self.install()?);
        }
        let installed = self.installed.get().map_or(self.dir.as_path(), |it| it.as_path());
        let path = installed.join(name);
        let missing = || Failure::new(format!("the program {path} was not built"));
        path.is_file().then(|| path.clone()).ok_or_else(missing)
    }

    /// Builds the programs as `cargo run --release` does, and copies them as an installation would. Where a linker
    /// has just written a file, each of its pages lies in memory by itself; where it was copied or read from the
    /// disk, many lie together, and it starts faster by some percent. People run the latter.
    fn install(&self) -> Result<Utf8PathBuf> {
        let packages = PROGRAMS.map(|(package, _)| ["--package".to_owned(), package.to_owned()]);
        Cmd::cargo(&["build", "--release"]).args(&packages.concat()).run()?;
        let installed = self.dir.join("bench-installed");
        let copy = |(_, name): (&str, &str)| {
            fs::create_dir_all(&installed)?;
            // A program that still runs cannot be written to.
            let _ = fs::remove_file(installed.join(name));
            fs::copy(self.dir.join(name), installed.join(name)).map(drop)
        };
        PROGRAMS.into_iter().try_for_each(copy).map_err(Failure::because("cannot install"))?;
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        check_order(&installed.join("jp"))?;
        Ok(installed)
    }
}

/// Says when the list by which functions are put side by side has become one of another program.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn check_order(jp: &Utf8Path) -> Result {
    needs::meet(needs::STARTUP)?;
    let (known, all) = order::known(jp)?;
    if known * 10 < all * 9 {
        println!(
            "jp has {known} of {all} functions that were put first: `cargo xtask order` finds them anew"
        );
    }
    Ok(())
}

/// Measures the benchmarks whose name contains the filter; what follows a slash in it is part of the name of a pair.
pub(crate) fn run(filter: Option<&str>) -> Result {
    let filter = filter.unwrap_or_default();
    let (part, of_pair) = filter.split_once('/').unwrap_or((filter, ""));
    let chosen: Vec<_> = BENCHMARKS.iter().filter(|bench| bench.name.contains(part)).collect();
    if chosen.is_empty() {
        return Err(Failure::new(format!("no benchmark has `{part}` in its name")));
    }
    if cfg!(debug_assertions) {
        // Some subjects are functions in this very program, which must be optimised
        // like the product is.
        let again = ["run", "--quiet", "--release", "--package", "xtask", "--", "bench", filter];
        return Cmd::cargo(&again).run();
    }
    let programs = Programs::in_dir(own_dir()?);
    let mut results = Vec::new();
    for benchmark in chosen {
        let pairs = (benchmark.pairs)(&programs)?;
        for mut pair in pairs.into_iter().filter(|pair| pair.name.contains(of_pair)) {
            println!("measuring {}", pair.name);
            results.push(patiently(&mut pair)?);
        }
    }
    if results.is_empty() {
        return Err(Failure::new(format!("no pair of `{part}` has `{of_pair}` in its name")));
    }
    print!("\n{}", table(&results));
    save(&programs, &results)?;
    judge(&results)
}

/// Measures again while the ratio is over its limit; the best try counts, because
/// noise only ever makes things slower.
fn patiently(pair: &mut Pair) -> Result<Measurement> {
    let mut best: Option<Measurement> = None;
    let mut tries = 0;
    while tries < TRIES && !best.as_ref().is_some_and(Measurement::is_ok) {
        tries += 1;
        let this = measure(pair)?;
        if best.as_ref().is_none_or(|best| this.ratio < best.ratio) {
            best = Some(this);
        }
    }
    let best = best.map(|best| Measurement { tries, ..best });
    best.ok_or_else(|| Failure::new("nothing was measured"))
}

fn table(results: &[Measurement]) -> String {
    let width = results.iter().map(|result| result.name.chars().count()).max().unwrap_or(0).max(4);
    let head = ("subject", "peer", "ratio", "limit");
    let mut text =
        format!("{:width$} {:>12} {:>12} {:>7} {:>7}\n", "name", head.0, head.1, head.2, head.3);
    for result in results {
        // Who reads a ratio close to its limit wants to know.
        let tries =
            if result.tries > 1 { format!(" (best of {})", result.tries) } else { String::new() };
        let _ = writeln!(
            text,
            "{:width$} {:>12} {:>12} {:>7.2} {:>7.2}  {}{tries}",
            result.name,
            result.subject,
            result.peer,
            result.ratio,
            result.limit,
            result.verdict(),
        );
    }
    text
}

/// Writes the numbers to `bench.json` in the target directory.
fn save(programs: &Programs, results: &[Measurement]) -> Result {
    let rows: Vec<_> = results
        .iter()
        .map(|result| {
            json!({
                "name": result.name,
                "unit": result.unit(),
                "subject": result.subject.number(),
                "peer": result.peer.number(),
                "ratio": result.ratio,
                "limit": result.limit,
                "verdict": result.verdict(),
                "tries": result.tries,
            })
        })
        .collect();
    let path = programs.dir.with_file_name("bench.json");
    fs::write(&path, format!("{:#}\n", json!(rows)))
        .map_err(Failure::because(format!("cannot write {path}")))
}

fn judge(results: &[Measurement]) -> Result {
    let over: Vec<_> = results
        .iter()
        .filter(|result| !result.is_ok())
        .map(|result| result.name.as_str())
        .collect();
    if over.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("over the limit in {TRIES} tries: {}", over.join(", "))))
}

#[cfg(test)]
mod tests;
