//! `find_crates`: crates by name or description.

use std::collections::BTreeMap;

use jp_mcp_server::{
    Call, Item, Reply, Resource, Stop,
    schemars::{self, JsonSchema},
};
use jp_tool::ToolError;
use semver::Version;
use serde::Deserialize;

use crate::{
    cargo::Patience,
    names::CrateName,
    toolbox::Bookworm,
    uri::{CrateUri, Part},
};

pub(crate) const ABOUT: &str = "Find Rust crates by name or description: first those that the \
    workspace uses, then others on this machine. With registry, also what the registry's own search \
    finds.";

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;
/// Nobody looks for a crate with more; what goes to a registry should not be able to carry much away.
const MAX_QUERY: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// Part of a name, or words of a description; 200 letters at most.
    query: String,
    /// Also search the registry, over the network.
    #[serde(default)]
    registry: bool,
    /// At most so many crates; 20 if not given, 100 at most.
    limit: Option<usize>,
}

/// A crate that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hit {
    version: Version,
    description: String,
    place: Place,
}

/// Where a crate is; what is nearer comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Workspace,
    Machine,
    Registry,
}

pub(crate) async fn run(worm: &Bookworm, call: &Call) -> Result<Reply, Stop> {
    let arguments: Arguments = call.arguments()?;
    let words: Vec<String> =
        arguments.query.to_lowercase().split_whitespace().map(ToOwned::to_owned).collect();
    if words.is_empty() || arguments.query.len() > MAX_QUERY {
        let text = format!("The query must have between 1 and {MAX_QUERY} letters.");
        return Err(ToolError::new(text).into());
    }
    let limit = arguments.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
    let mut hits = here(worm, &words).await?;
    let mut notes = Vec::new();
    if arguments.registry {
        match registry(worm, &arguments.query, limit).await {
            Ok(found) => found.into_iter().for_each(|(name, hit)| {
                hits.entry(name).or_insert(hit);
            }),
            Err(note) => notes.push(note),
        }
    }
    Ok(reply(&arguments.query, ranked(hits, &words), limit, &notes))
}

/// What the workspace and this machine have.
async fn here(worm: &Bookworm, words: &[String]) -> Result<BTreeMap<String, Hit>, Stop> {
    let stock = worm.library.stock().await?;
    let mut hits: BTreeMap<String, Hit> = BTreeMap::new();
    let mut add = |name: &str, hit: Hit| {
        let text = format!("{} {}", name.to_lowercase(), hit.description.to_lowercase());
        if !words.iter().all(|word| text.contains(word)) {
            return;
        }
        let known = hits.entry(name.to_owned()).or_insert_with(|| hit.clone());
        let nearer = hit.place < known.place;
        if nearer || (hit.place == known.place && hit.version > known.version) {
            *known = hit;
        }
    };
    for package in &stock.metadata.packages {
        let description = package.description.clone().unwrap_or_default();
        let version = package.version.clone();
        add(&package.name, Hit { version, description, place: Place::Workspace });
    }
    for locked in stock.lock.packages() {
        let version = locked.version.clone();
        add(&locked.name, Hit { version, description: String::new(), place: Place::Workspace });
    }
    for (name, version, _) in stock.unpacked_crates() {
        add(&name, Hit { version, description: String::new(), place: Place::Machine });
    }
    Ok(hits)
}

/// What the registry finds; the error is a note for the reader.
async fn registry(
    worm: &Bookworm,
    query: &str,
    limit: usize,
) -> Result<Vec<(String, Hit)>, String> {
    if worm.offline {
        return Err("The registry was not searched: bookworm runs with --offline.".to_owned());
    }
    let stock = worm.library.stock().await.map_err(|error| error.to_string())?;
    if let Ok(name) = CrateName::parse(query)
        && let Err(error) = stock.public(&name, None)
    {
        return Err(format!("The registry was not searched: {error}."));
    }
    // Cargo takes the words for a query only after `--`.
    let limit = format!("--limit={limit}");
    let searched = worm.library.cargo.run(&["search", &limit, "--", query], Patience::Fetch).await;
    let output = match (searched, CrateName::parse(query)) {
        (Ok(output), _) => output,
        // Not every registry can be searched, but all of them know their names.
        (Err(_), Ok(name)) => {
            let words = ["info", "--color=never", "--", name.as_str()];
            let info = worm.library.cargo.run(&words, Patience::Fetch).await;
            return info.map(|output| from_info(&name, &String::from_utf8_lossy(&output))).map_err(
                |error| format!("The registry did not say anything about `{name}`: {error}"),
            );
        }
        (Err(error), Err(_)) => return Err(format!("The registry was not searched: {error}")),
    };
    Ok(String::from_utf8_lossy(&output).lines().filter_map(from_search).collect())
}

/// `name = "1.2.3"    # What it is`
fn from_search(line: &str) -> Option<(String, Hit)> {
    let (name, rest) = line.split_once(" = \"")?;
    let (version, rest) = rest.split_once('"')?;
    let description = rest.split_once('#').map(|(_, text)| text.trim()).unwrap_or_default();
    let name = CrateName::parse(name).ok()?;
    let hit = Hit {
        version: Version::parse(version).ok()?,
        description: description.to_owned(),
        place: Place::Registry,
    };
    Some((name.to_string(), hit))
}

/// The name with keywords, a line that says what it is, and `version: 1.2.3`.
fn from_info(name: &CrateName, text: &str) -> Vec<(String, Hit)> {
    let version = text.lines().find_map(|line| line.strip_prefix("version: "));
    let version = version.and_then(|text| Version::parse(text.split_whitespace().next()?).ok());
    let description = text.lines().nth(1).filter(|line| !line.contains(": ")).unwrap_or_default();
    let hit =
        |version| Hit { version, description: description.to_owned(), place: Place::Registry };
    version.map(|version| (name.to_string(), hit(version))).into_iter().collect()
}

/// The name itself, then names that begin with the query, then what is nearest.
fn ranked(hits: BTreeMap<String, Hit>, words: &[String]) -> Vec<(String, Hit)> {
    let rank = |(name, hit): &(String, Hit)| {
        let lower = name.to_lowercase().replace('-', "_");
        let query = words.join("_").replace('-', "_");
        (
            lower != query,
            !lower.starts_with(&query),
            !lower.contains(&query),
            hit.place,
            name.len(),
            name.clone(),
        )
    };
    let mut hits: Vec<_> = hits.into_iter().collect();
    hits.sort_by_cached_key(rank);
    hits
}

fn reply(query: &str, hits: Vec<(String, Hit)>, limit: usize, notes: &[String]) -> Reply {
    let total = hits.len();
    let shown = hits.into_iter().take(limit);
    let links: Vec<Item> = shown.filter_map(|(name, hit)| link(&name, &hit)).collect();
    let text = match (total, links.len()) {
        (0, _) => format!("No crate matches `{query}`."),
        (total, shown) if shown < total => {
            format!("{shown} of {total} crates that match `{query}`:")
        }
        (1, _) => format!("1 crate matches `{query}`:"),
        (total, _) => format!("{total} crates match `{query}`:"),
    };
    let head = Item::Text(text + &notes.iter().map(|note| format!("\n{note}")).collect::<String>());
    Reply::new([head].into_iter().chain(links))
}

fn link(name: &str, hit: &Hit) -> Option<Item> {
    let uri = CrateUri::Of(CrateName::parse(name).ok()?, hit.version.clone(), Part::Info);
    let place = match hit.place {
        Place::Workspace => "in the workspace",
        Place::Machine => "on this machine",
        Place::Registry => "in the registry",
    };
    let description = if hit.description.is_empty() {
        place.to_owned()
    } else {
        format!("{} ({place})", hit.description.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let resource = Resource::new(uri.to_string(), format!("{name} {}", hit.version));
    let resource = resource.with_description(description).with_mime_type("text/markdown");
    Some(Item::Link(Box::new(resource)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_says_about_crates() {
        let (name, hit) = from_search("camino = \"1.2.6\"    # UTF-8 paths").unwrap();
        assert_eq!((name.as_str(), hit.version.to_string().as_str()), ("camino", "1.2.6"));
        assert_eq!(hit.description, "UTF-8 paths");
        for other in
            ["... and 300 crates more (use --limit N to see more)", "", "a = 1", "-x = \"1.0.0\""]
        {
            assert_eq!(from_search(other), None, "{other}");
        }
        let name = CrateName::parse("camino").unwrap();
        let info = "camino #paths\nUTF-8 paths\nversion: 1.2.6 (latest 2.0.0)\nlicense: MIT\n";
        let found = from_info(&name, info);
        assert_eq!(found[0].1.version, Version::new(1, 2, 6));
        assert_eq!(found[0].1.description, "UTF-8 paths");
        assert_eq!(from_info(&name, "nothing"), []);
    }

    #[test]
    fn the_name_itself_comes_first() {
        let hit = |place| Hit { version: Version::new(1, 0, 0), description: String::new(), place };
        let hits = [
            ("serde_json", Place::Workspace),
            ("my-serde", Place::Workspace),
            ("serde", Place::Registry),
            ("serde-x", Place::Machine),
        ];
        let hits = hits.into_iter().map(|(name, place)| (name.to_owned(), hit(place))).collect();
        let names: Vec<_> =
            ranked(hits, &["serde".to_owned()]).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["serde", "serde_json", "serde-x", "my-serde"]);
    }
}
