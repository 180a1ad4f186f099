//! A plan as text, for people and for tests.

use std::fmt;

use super::{Environment, Plan, Row};
use crate::{
    confinement::{Execute, Network, Tier},
    view::{Place, What, Write},
};

/// One line for what the kernel is asked to do, one for each place, one for each group of rows.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}, network {}, starts {}, variables {}{}",
            tier(self.tier),
            network(self.network),
            execute(self.execute),
            environment(self.environment),
            if self.transactional { ", transactional" } else { "" },
        )?;
        let width = self.view.places().iter().map(|place| place.path.as_str().len()).max();
        for Place { path, what } in self.view.places() {
            writeln!(
                f,
                "  {path:<width$}  {what}",
                path = path.as_str(),
                width = width.unwrap_or(0)
            )?;
        }
        for link in &self.links {
            writeln!(f, "  {} -> {}", link.path, link.target)?;
        }
        rows(f, &self.rows)
    }
}

/// A few words for what is found at a place.
impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, runs) = match self {
            Self::Hidden => ("hidden", false),
            Self::Host { write: Write::No, execute } => ("read", *execute),
            Self::Host { write: Write::Direct, execute } => ("write", *execute),
            Self::Host { write: Write::Judged, execute } => ("judged", *execute),
            Self::Private { execute } => ("private", *execute),
            Self::Blank => ("blank", false),
        };
        f.write_str(word)?;
        f.write_str(if runs { ", execute" } else { "" })
    }
}

/// Rows that say the same about one subject are one line.
fn rows(f: &mut fmt::Formatter<'_>, rows: &[Row]) -> fmt::Result {
    let alike = |a: &Row, b: &Row| {
        a.subject == b.subject && a.fidelity == b.fidelity && a.reason == b.reason
    };
    for group in rows.chunk_by(alike) {
        let [first, ..] = group else { continue };
        let aspects: Vec<_> = group.iter().map(|row| row.aspect.as_str()).collect();
        write!(f, "{} [{}] {}", first.subject, aspects.join(" "), first.fidelity)?;
        let reason = &first.reason;
        writeln!(f, "{}{reason}", if reason.is_empty() { "" } else { ": " })?;
    }
    Ok(())
}

fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Namespaces => "namespaces",
        Tier::Landlock => "landlock",
        Tier::None => "nothing",
    }
}

fn network(network: Network) -> &'static str {
    match network {
        Network::Shared => "shared",
        Network::None | Network::Sealed => "none",
        Network::Proxy => "proxy",
    }
}

fn execute(execute: Execute) -> &'static str {
    match execute {
        Execute::View => "what it sees",
        Execute::Itself => "nothing",
    }
}

fn environment(environment: Environment) -> &'static str {
    match environment {
        Environment::Host => "of the host",
        Environment::Minimal => "minimal",
    }
}
