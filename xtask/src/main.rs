//! What developers run: `cargo xtask test`, `ci`, `bench` and a few more.
//!
//! Everything that has to be remembered about building and checking this
//! repository is a command here, so that a person and CI do the same thing.

#![expect(
    clippy::disallowed_methods,
    reason = "this program is the seam through which the repository is built and checked"
)]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this program talks to developers and has no other output"
)]

mod agree;
mod bench;
mod bless;
mod ci;
mod cmd;
#[cfg(target_os = "linux")]
mod conformance;
mod docs;
mod failure;
mod files;
mod fuzz;
mod needs;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod order;
mod picture;
mod registry;
#[cfg(target_os = "linux")]
mod role;
mod rust;
#[cfg(target_os = "linux")]
mod soak;
mod spec;
mod suite;
mod tidy;

use std::process::ExitCode;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use clap::{Parser, Subcommand};

use crate::failure::{Failure, Result};

/// Developer commands of this repository
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    command: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Run every test there is, and get what they need first
    Test {
        /// Passed on to the test runner, for example a part of a test's name
        #[arg(last = true)]
        extra: Vec<String>,
    },
    /// Run everything that CI runs, in its order
    Ci {
        /// Only these steps
        #[arg(value_enum)]
        steps: Vec<ci::Step>,
    },
    /// Accept the current output of the program as the new snapshots
    Bless,
    /// Find the functions that a start of the program reaches, for the linker
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    Order,
    /// Take the picture of the web view that the documentation shows
    Picture,
    /// Compare the speed of the program with that of something known
    Bench {
        /// Only benchmarks whose name contains this; after a slash, only pairs: plugin/dispatch
        filter: Option<String>,
    },
    /// Throw random input at what strangers write: URLs, paths, policies
    Fuzz {
        /// Only this target
        target: Option<String>,
        /// How long each target runs
        #[arg(long, default_value_t = 60)]
        seconds: u32,
    },
    /// Compare the kernel with the policy: random rules, tried by real confined processes
    Agree {
        /// How many policies
        #[arg(long, default_value_t = 10_000)]
        cases: u64,
        /// Where the random numbers begin; a failure names it
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Serve many sealed tools at once, most of which misbehave
    #[cfg(target_os = "linux")]
    Soak {
        /// For how long
        #[arg(long, default_value_t = 10.0)]
        minutes: f64,
        /// How many at once
        #[arg(long, default_value_t = 50)]
        tools: u64,
        /// Where the random numbers begin
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Let the conformance suite of MCP try our client
    #[cfg(target_os = "linux")]
    Conformance {
        /// Only scenarios whose name contains this
        filter: Option<String>,
    },
    /// Write docs/conformance.md: which tests prove which line of the specification
    Spec {
        /// Only check that the file is up to date
        #[arg(long)]
        check: bool,
    },
    /// Build the plugins of this repository and a registry from which they can be installed
    Registry(registry::Wanted),
    /// Check the rules of the repository that no compiler knows
    Tidy,
    /// Build the documentation of the code, warnings denied
    Docs,
    /// Be the other side of a measurement
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Role {
        #[arg(value_enum)]
        role: role::Role,
        /// Whom to speak with
        url: Option<String>,
    },
}

fn main() -> ExitCode {
    match run(Args::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result {
    match task {
        Task::Test { extra } => suite::run(&extra),
        Task::Ci { steps } => ci::run(&steps),
        Task::Bless => bless::run(),
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        Task::Order => order::run(),
        Task::Picture => picture::run(),
        Task::Bench { filter } => bench::run(filter.as_deref()),
        Task::Fuzz { target, seconds } => fuzz::run(target.as_deref(), seconds),
        Task::Agree { cases, seed } => agree::run(cases, seed),
        #[cfg(target_os = "linux")]
        Task::Soak { minutes, tools, seed } => {
            let time = Duration::try_from_secs_f64(minutes * 60.0);
            let time = time.map_err(Failure::because("`--minutes`"))?;
            soak::run(soak::Plan { time, tools, seed })
        }
        #[cfg(target_os = "linux")]
        Task::Conformance { filter } => conformance::run(filter.as_deref()),
        Task::Spec { check } => spec::run(root(), check),
        Task::Registry(wanted) => registry::run(&wanted),
        Task::Tidy => tidy::run(root()),
        Task::Docs => docs::run(),
        #[cfg(target_os = "linux")]
        Task::Role { role, url } => role.run(url.as_deref()),
    }
}

/// The directory of the repository.
fn root() -> &'static Utf8Path {
    let own = Utf8Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}

/// The directory of this program, in which Cargo puts the others of the same profile.
fn own_dir() -> Result<Utf8PathBuf> {
    let path = std::env::current_exe().map_err(Failure::because("cannot find this program"))?;
    let path =
        Utf8PathBuf::try_from(path).map_err(Failure::because("cannot use the target directory"))?;
    path.parent()
        .map(ToOwned::to_owned)
        .ok_or_else(|| Failure::new("this program has no directory"))
}
