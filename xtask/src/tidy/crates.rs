//! Rules for the crates: `docs/architecture.md` is their map, and the map is true.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use toml::{Table, Value};

use super::Problems;
use super::documents::{Block, blocks, has_word};
use crate::failure::{Failure, Result};
use crate::files::Tree;

const ARCHITECTURE: &str = "docs/architecture.md";

/// Only tests may use it, so it is no edge of the map.
const TEST_SUPPORT: &str = "jp_test";
/// The name of the package that this file is in.
const OURS: &str = env!("CARGO_PKG_NAME");

/// For every crate the crates of the workspace it depends on.
type Edges = BTreeMap<String, BTreeSet<String>>;

/// Every crate has a place on the map.
pub(super) fn are_in_the_architecture(tree: &Tree) -> Problems {
    let map = tree.text(ARCHITECTURE)?;
    let missing = members(tree)?.into_keys().filter(|name| !has_word(&map, name));
    Ok(missing.map(|name| format!("{ARCHITECTURE}: does not mention `{name}`")).collect())
}

/// The edges on the map are those of the manifests. Dependencies of tests are not edges.
pub(super) fn depend_as_the_architecture_says(tree: &Tree) -> Problems {
    let (real, listed) = (edges(tree)?, listed_edges(&tree.text(ARCHITECTURE)?)?);
    let mut problems = Vec::new();
    for name in real.keys().chain(listed.keys()).collect::<BTreeSet<_>>() {
        let line = |edges: &Edges| edges.get(name).map(|to| show(name, to));
        match (line(&real), line(&listed)) {
            (Some(real), Some(listed)) if real != listed => {
                problems.push(format!("{ARCHITECTURE}: says `{listed}`, the manifest `{real}`"));
            }
            (Some(real), None) => {
                problems.push(format!("{ARCHITECTURE}: lacks the edge line `{real}`"));
            }
            (None, _) => {
                problems.push(format!("{ARCHITECTURE}: `{name}` is no crate of the workspace"));
            }
            (Some(_), Some(_)) => {}
        }
    }
    Ok(problems)
}

/// Test support starts programs and panics; the product must not contain it. This program is no part of
/// the product, and installs what test support looks for.
pub(super) fn use_test_support_in_tests_only(tree: &Tree) -> Problems {
    let users = edges(tree)?.into_iter();
    let users = users.filter(|(name, to)| to.contains(TEST_SUPPORT) && name != OURS);
    Ok(users.map(|(name, _)| format!("{name}: `{TEST_SUPPORT}` is for dev-dependencies")).collect())
}

/// Reads a manifest; an error names the file.
pub(super) fn manifest(tree: &Tree, path: &Utf8Path) -> Result<Table> {
    tree.text(path)?.parse().map_err(Failure::because(format!("cannot read {path}")))
}

/// The manifests of the workspace by the name of their package.
fn members(tree: &Tree) -> Result<BTreeMap<String, Table>> {
    let root = manifest(tree, "Cargo.toml".into())?;
    let patterns = root
        .get("workspace")
        .and_then(|workspace| workspace.get("members")?.as_array())
        .ok_or_else(|| Failure::new("Cargo.toml has no list `workspace.members`"))?;
    let mut members = BTreeMap::new();
    for pattern in patterns.iter().filter_map(Value::as_str) {
        for path in expand(tree, pattern) {
            let manifest = manifest(tree, &path)?;
            let name = manifest.get("package").and_then(|package| package.get("name")?.as_str());
            let name =
                name.ok_or_else(|| Failure::new(format!("{path}: the package has no name")))?;
            members.insert(name.to_owned(), manifest);
        }
    }
    Ok(members)
}

/// The manifests that a member of the workspace stands for; a last part `*` or `name*` is every
/// directory so called that has one.
fn expand(tree: &Tree, pattern: &str) -> Vec<Utf8PathBuf> {
    let parts = pattern.strip_suffix('*').and_then(|start| start.rsplit_once('/'));
    let Some((parent, prefix)) = parts else {
        return vec![Utf8Path::new(pattern).join("Cargo.toml")];
    };
    let manifests = tree.files.iter().filter(|file| file.file_name() == Some("Cargo.toml"));
    let matches = manifests.filter(|file| {
        let directory = file.parent().and_then(Utf8Path::file_name).unwrap_or_default();
        file.ancestors().nth(2) == Some(parent.into()) && directory.starts_with(prefix)
    });
    matches.cloned().collect()
}

fn edges(tree: &Tree) -> Result<Edges> {
    let members = members(tree)?;
    let edge = |name: &String, manifest: &Table| {
        let to = dependencies(manifest).into_iter().filter(|to| members.contains_key(to));
        (name.clone(), to.collect())
    };
    Ok(members.iter().map(|(name, manifest)| edge(name, manifest)).collect())
}

/// What a package needs to be built, on any platform.
fn dependencies(manifest: &Table) -> BTreeSet<String> {
    let platforms = manifest.get("target").and_then(Value::as_table).into_iter().flatten();
    let tables = platforms.filter_map(|(_, table)| table.as_table()).chain([manifest]);
    let lists = tables.flat_map(|table| {
        ["dependencies", "build-dependencies"].map(|key| table.get(key).and_then(Value::as_table))
    });
    let renamed = |value: &Value| value.get("package").and_then(Value::as_str).map(str::to_owned);
    let all = lists.flatten().flatten();
    all.map(|(name, value)| renamed(value).unwrap_or_else(|| name.clone())).collect()
}

/// The lines `name → name name` of the first block under a heading with "Edges".
fn listed_edges(document: &str) -> Result<Edges> {
    let mut under_edges = false;
    let block = blocks(document).into_iter().find_map(|block| match block {
        Block::Heading(text) => {
            under_edges = text.to_lowercase().contains("edges");
            None
        }
        Block::Code { language, text } => (under_edges && language == "text").then_some(text),
        Block::Link(_) => None,
    });
    let block = block.ok_or_else(|| {
        Failure::new(format!("{ARCHITECTURE}: has no ```text block under a heading with \"Edges\""))
    })?;
    block.lines().filter(|line| !line.trim().is_empty()).map(parse_edge).collect()
}

/// `name → name name (remark)`, with `–` for no dependency at all.
fn parse_edge(line: &str) -> Result<(String, BTreeSet<String>)> {
    let (name, to) = line.split_once('→').ok_or_else(|| {
        Failure::new(format!("{ARCHITECTURE}: `{line}` is no line `name → name`"))
    })?;
    let to = to.split('(').next().unwrap_or_default().split_whitespace();
    let to = to.filter(|name| *name != "–").map(str::to_owned).collect();
    Ok((name.trim().to_owned(), to))
}

fn show(name: &str, to: &BTreeSet<String>) -> String {
    let to: Vec<_> = to.iter().map(String::as_str).collect();
    format!("{name} → {}", if to.is_empty() { "–".to_owned() } else { to.join(" ") })
}

#[cfg(test)]
mod tests {
    use super::super::{Check, problems};
    use super::*;

    /// Two crates and a tool, where `b` needs `a` on one platform, and tests need more.
    fn check(rule: Check, architecture: &str, want: &[&str]) {
        let files = [
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\", \"tool\"]"),
            (
                "crates/a/Cargo.toml",
                "[package]\nname = \"a\"\n[dev-dependencies]\nb.workspace = true",
            ),
            (
                "crates/b/Cargo.toml",
                "[package]\nname = \"b\"\n[dependencies]\nserde = \"1\"\n\
                 [target.'cfg(unix)'.dependencies]\nx = { package = \"a\", workspace = true }",
            ),
            ("crates/empty/README.md", ""),
            (
                "tool/Cargo.toml",
                "[package]\nname = \"tool\"\n[build-dependencies]\nb.workspace = true",
            ),
            ("docs/architecture.md", architecture),
        ];
        assert_eq!(problems(rule, &files), want, "{architecture}");
    }

    #[test]
    fn mentioned() {
        check(are_in_the_architecture, "`a`, `b` and the tool", &[]);
        let want = ["docs/architecture.md: does not mention `b`"];
        check(are_in_the_architecture, "`a`, ab, b_c, jp-b and the tool", &want);
    }

    #[test]
    fn members_by_the_start_of_their_name() {
        let package = |name: &str| format!("[package]\nname = \"{name}\"");
        let files = [
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/jp_*\"]"),
            ("crates/jp_a/Cargo.toml", &package("jp_a")),
            ("crates/jp_a/deeper/Cargo.toml", &package("deeper")),
            ("crates/other/Cargo.toml", &package("other")),
            ("docs/architecture.md", ""),
        ];
        let want = ["docs/architecture.md: does not mention `jp_a`"];
        assert_eq!(problems(are_in_the_architecture, &files), want);
    }

    #[test]
    fn edges_match() {
        let text =
            |lines: &str| format!("```text\nno\n```\n## Edges in full\n\n```text\n{lines}\n```\n");
        let rule = depend_as_the_architecture_says;
        check(rule, &text("a    → –\nb → a  (a remark)\n\ntool → b"), &[]);
        let want = ["docs/architecture.md: says `b → –`, the manifest `b → a`"];
        check(rule, &text("a → –\nb → –\ntool → b"), &want);
        let want = [
            "docs/architecture.md: `c` is no crate of the workspace",
            "docs/architecture.md: lacks the edge line `tool → b`",
        ];
        check(rule, &text("a → –\nb → a\nc → a"), &want);
    }

    /// Whoever writes a tool uses the contract alone (076-234).
    #[test]
    fn the_contract_with_tools_does_not_know_the_configuration() {
        let edges = edges(&Tree::read(crate::root()).unwrap()).unwrap();
        assert!(!edges["jp_tool"].contains("jp_config"), "{:?}", edges["jp_tool"]);
    }

    #[test]
    fn a_map_that_cannot_be_read_is_an_error() {
        let check = |text: &str, want: &str| {
            assert!(listed_edges(text).unwrap_err().to_string().contains(want), "{text}");
        };
        check("## Other\n```text\na → –\n```", "has no ```text block");
        check("## Edges\n```text\na: b\n```", "`a: b` is no line");
    }

    #[test]
    fn test_support() {
        let manifest =
            |kind: &str| format!("[package]\nname = \"a\"\n[{kind}]\njp_test.workspace = true");
        let problems = |kind: &str| {
            let files = [
                ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]"),
                ("crates/a/Cargo.toml", &manifest(kind)),
                ("crates/jp_test/Cargo.toml", "[package]\nname = \"jp_test\""),
            ];
            problems(use_test_support_in_tests_only, &files)
        };
        assert!(problems("dev-dependencies").is_empty());
        assert_eq!(problems("dependencies"), ["a: `jp_test` is for dev-dependencies"]);
        let ours = "[package]\nname = \"xtask\"\n[dependencies]\njp_test.workspace = true";
        let files = [
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]"),
            ("crates/xtask/Cargo.toml", ours),
            ("crates/jp_test/Cargo.toml", "[package]\nname = \"jp_test\""),
        ];
        assert!(super::super::problems(use_test_support_in_tests_only, &files).is_empty());
    }
}
