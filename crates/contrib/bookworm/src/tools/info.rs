//! `crate_info`: what a crate is, its features and dependencies, and its readme.

use std::fmt::Write as _;

use jp_mcp_server::{
    Call, Document, Item, Reply, Stop,
    schemars::{self, JsonSchema},
};
use jp_tool::ToolError;
use serde::Deserialize;

use super::{markdown, remarked};
use crate::{
    cargo::Package,
    files,
    names::CrateName,
    resolve::{Asking, Request},
    toolbox::Bookworm,
    uri::{CrateUri, Part},
};

pub(crate) const ABOUT: &str = "Read the readme of a Rust crate with its features, dependencies, \
    license and minimum Rust version.";

/// Where a readme is looked for if the manifest names none.
const READMES: [&str; 4] = ["README.md", "readme.md", "Readme.md", "README"];

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The name of the crate.
    name: String,
    /// A version like `1.2.3`, or a requirement like `1`; that of the workspace if not given.
    version: Option<String>,
    /// Whether to fetch the crate if it is not on this machine. A yes is asked for where somebody can be.
    fetch: Option<bool>,
}

pub(crate) async fn run(worm: &Bookworm, call: &Call) -> Result<Reply, Stop> {
    let arguments: Arguments = call.arguments()?;
    let request = Request::new(&arguments.name, arguments.version.as_deref(), arguments.fetch)?;
    let package = worm.package(&request, Asking::Call(call)).await?;
    let documents = [Some(document(&package)?), readme(&package)?];
    let reply = Reply::new(documents.into_iter().flatten().map(Item::Document));
    remarked(worm, &request, reply)
}

/// What the manifest says.
pub(crate) fn document(package: &Package) -> Result<Document, Stop> {
    let mut text = format!("# {} {}\n\n", package.name, package.version);
    if let Some(description) = &package.description {
        let _ = writeln!(text, "{}\n", description.trim());
    }
    let facts = [
        ("library", package.library().as_ref()),
        ("license", package.license.as_ref()),
        ("Rust", package.rust_version.as_ref()),
        ("repository", package.repository.as_ref()),
        ("documentation", package.documentation.as_ref()),
    ]
    .map(|(what, value)| value.map(|value| format!("- {what}: {value}\n")));
    text += &facts.into_iter().flatten().collect::<String>();
    text += &features(package);
    text += &dependencies(package);
    Ok(markdown(&uri(package, Part::Info)?, text))
}

/// The readme, if the crate has one; below its own directory only.
pub(crate) fn readme(package: &Package) -> Result<Option<Document>, Stop> {
    let named = package.readme.iter().map(camino::Utf8PathBuf::as_path);
    for path in named.chain(READMES.iter().map(|name| (*name).into())) {
        // One that is outside, or a link, is as good as none.
        if let Ok(Some(text)) = files::read(package.root(), path) {
            return Ok(Some(markdown(&uri(package, Part::Readme)?, text)));
        }
    }
    Ok(None)
}

fn features(package: &Package) -> String {
    if package.features.is_empty() {
        return "\n## Features\n\nNone.\n".to_owned();
    }
    let mut text = "\n## Features\n\n".to_owned();
    for (feature, enables) in &package.features {
        // Writing to a string does not fail.
        let _ = match enables.as_slice() {
            [] => writeln!(text, "- `{feature}`"),
            enables => writeln!(text, "- `{feature}` = {}", enables.join(", ")),
        };
    }
    text
}

fn dependencies(package: &Package) -> String {
    let needed = package.dependencies.iter().filter(|dependency| dependency.kind.is_none());
    let mut lines: Vec<String> = needed
        .map(|dependency| {
            let optional = if dependency.optional { ", optional" } else { "" };
            format!("- {} {}{optional}\n", dependency.name, dependency.req)
        })
        .collect();
    lines.sort();
    lines.dedup();
    if lines.is_empty() {
        String::new()
    } else {
        format!("\n## Dependencies\n\n{}", lines.concat())
    }
}

fn uri(package: &Package, part: Part) -> Result<CrateUri, ToolError> {
    let name = CrateName::parse(&package.name)?;
    Ok(CrateUri::Of(name, package.version.clone(), part))
}
