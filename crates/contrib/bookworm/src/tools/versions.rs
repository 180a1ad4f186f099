//! `crate_versions`: which versions there are, and which of them are here.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jp_mcp_server::{
    Call, Document, Reply, Stop,
    schemars::{self, JsonSchema},
};
use jp_tool::ToolError;
use semver::Version;
use serde::Deserialize;

use super::markdown;
use crate::{
    cargo::Patience, names::CrateName, public::PrivateError, toolbox::Bookworm, uri::CrateUri,
};

pub(crate) const ABOUT: &str = "List the versions of a Rust crate: those in the workspace's \
    Cargo.lock, those on this machine, and those that the registry is known to have.";

/// Older ones are only counted.
const MAX_VERSIONS: usize = 100;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The name of the crate.
    name: String,
    /// Ask the registry for new versions first, over the network.
    #[serde(default)]
    registry: bool,
}

/// What is known of one version.
#[derive(Debug, Default)]
struct Row {
    locked: bool,
    here: bool,
    yanked: bool,
    rust_version: Option<String>,
}

pub(crate) async fn run(worm: &Bookworm, call: &Call) -> Result<Reply, Stop> {
    let arguments: Arguments = call.arguments()?;
    let name = CrateName::parse(&arguments.name)?;
    if arguments.registry {
        if worm.offline {
            let text = "The registry was not asked: bookworm runs with --offline.";
            return Err(ToolError::new(text).into());
        }
        worm.library.stock().await?.public(&name, None)?;
        // Cargo refreshes its copy of the index on the way.
        let words = ["info", "--color=never", "--", name.as_str()];
        worm.library.cargo.run(&words, Patience::Fetch).await?;
    }
    Ok(document(worm, &name).await?.into())
}

pub(crate) async fn document(worm: &Bookworm, name: &CrateName) -> Result<Document, Stop> {
    let stock = worm.library.stock().await?;
    let mut rows: BTreeMap<Version, Row> = BTreeMap::new();
    // What a registry has by the name of a crate of the workspace is another crate.
    if !matches!(stock.public(name, None), Err(PrivateError::Own(_))) {
        for indexed in stock.indexed(name) {
            let row = rows.entry(indexed.version).or_default();
            (row.yanked, row.rust_version) = (indexed.yanked, indexed.rust_version);
        }
        for (version, _) in stock.unpacked(name) {
            rows.entry(version).or_default().here = true;
        }
    }
    let locked = stock.lock.versions(name);
    for version in stock.used(name) {
        let here = stock.metadata.find(name, &version).is_some();
        let is_locked = locked.contains(&version);
        let row = rows.entry(version).or_default();
        (row.locked, row.here) = (is_locked, row.here || here);
    }
    if rows.is_empty() {
        let text = format!(
            "{name} is not known on this machine. Pass `registry` to ask the registry for it."
        );
        return Err(ToolError::new(text).into());
    }
    Ok(markdown(&CrateUri::Versions(name.clone()), table(name, &rows)))
}

fn table(name: &CrateName, rows: &BTreeMap<Version, Row>) -> String {
    let mut text = format!("# Versions of {name}\n\n| version | Rust | |\n|---|---|---|\n");
    // What is used or here is never left off, however old it is.
    let matters = |row: &Row| row.locked || row.here;
    let mut left_off = 0;
    for (index, (version, row)) in rows.iter().rev().enumerate() {
        if index >= MAX_VERSIONS && !matters(row) {
            left_off += 1;
            continue;
        }
        let rust = row.rust_version.as_deref().unwrap_or_default();
        let marks =
            [(row.locked, "in Cargo.lock"), (row.here, "on this machine"), (row.yanked, "yanked")];
        let marks: Vec<&str> = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
        let _ = writeln!(text, "| {version} | {rust} | {} |", marks.join(", "));
    }
    if left_off > 0 {
        let _ = writeln!(text, "\n{left_off} older versions are not shown.");
    }
    text
}
