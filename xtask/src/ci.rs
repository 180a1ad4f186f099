//! `cargo xtask ci`: everything that must hold before a change goes in.
//!
//! A person runs exactly what CI runs. Each step can be repeated alone, and a
//! failure says how.

use std::time::Instant;

use clap::ValueEnum;

use crate::cmd::Cmd;
use crate::failure::{Failure, Result};
use crate::needs::Need;
use crate::{docs, needs, registry, root, spec, suite};

/// The steps, in the order in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Step {
    /// Every test
    Test,
    /// The plugins built, registered, installed and used, as their documentation says
    Registry,
    /// The format of the code
    Fmt,
    /// Clippy, warnings denied
    Clippy,
    /// Licences, sources and bans of dependencies
    Deny,
    /// Documentation without warnings
    Docs,
    /// The table of the specification is up to date
    Spec,
    /// Many sealed tools that misbehave, for a few seconds
    Soak,
    /// The conformance suite of MCP against our client
    Conformance,
}

/// Runs the chosen steps, or all, up to the first that fails.
pub(crate) fn run(chosen: &[Step]) -> Result {
    let all = Step::value_variants();
    let steps = || all.iter().filter(|step| chosen.is_empty() || chosen.contains(step));
    // Before the first step, because the tests take long and what is missing is known now.
    steps().try_for_each(|step| needs::meet(step.needs()))?;
    for step in steps() {
        let name = step.name();
        println!("\n=== {name}");
        let start = Instant::now();
        let outcome = step.run();
        println!("=== {name}: {:.1} s", start.elapsed().as_secs_f64());
        outcome.map_err(|failure| {
            Failure::new(format!(
                "step `{name}` failed: {failure}\nrepeat it with: cargo xtask ci {name}"
            ))
        })?;
    }
    Ok(())
}

impl Step {
    fn run(self) -> Result {
        match self {
            Self::Test => suite::run(&[]),
            Self::Registry => registry::try_out(),
            Self::Fmt => Cmd::cargo(&["fmt", "--all", "--check"]).run(),
            Self::Clippy => {
                let args = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
                Cmd::cargo(&args).run()
            }
            Self::Deny => {
                // It looks at every package of the lock file, also at those of other
                // platforms, which no build has downloaded.
                Cmd::cargo(&["fetch", "--locked"]).run()?;
                // Advisories come from a database that CI does not fetch; see deny.toml.
                Cmd::cargo(&["deny", "--offline", "check", "bans", "licenses", "sources"]).run()
            }
            Self::Docs => docs::run(),
            Self::Spec => spec::run(root(), true),
            Self::Soak => soak(),
            Self::Conformance => conformance(),
        }
    }

    fn needs(self) -> &'static [Need] {
        match self {
            Self::Test => needs::TESTS,
            Self::Fmt => needs::FMT,
            Self::Clippy => needs::CLIPPY,
            Self::Deny => needs::DENY,
            Self::Conformance => needs::CONFORMANCE,
            Self::Registry | Self::Docs | Self::Spec | Self::Soak => &[],
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Long enough that each fault happens a few times. In a process of its own: what earlier steps had in memory
/// changes how much of it the allocator keeps, and that would look like a leak.
#[cfg(target_os = "linux")]
fn soak() -> Result {
    Cmd::new("/proc/self/exe", &["soak", "--minutes", "0.2"]).run()
}

/// Sealed tools are served on Linux.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "the form of the other platforms")]
fn soak() -> Result {
    Ok(())
}

#[cfg(target_os = "linux")]
fn conformance() -> Result {
    crate::conformance::run(None)
}

/// The suite comes with a program for Linux.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "the form of the other platforms")]
fn conformance() -> Result {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_have_the_names_that_people_type() {
        let names: Vec<_> = Step::value_variants().iter().map(|step| step.name()).collect();
        assert_eq!(
            names,
            ["test", "registry", "fmt", "clippy", "deny", "docs", "spec", "soak", "conformance"]
        );
    }
}
