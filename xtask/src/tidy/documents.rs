//! Rules for the documentation.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use toml::Value;

use super::Problems;
use super::crates::manifest;
use crate::failure::Failure;
use crate::files::Tree;

const DEPENDENCIES: &str = "docs/dependencies.md";

/// Each dependency was a decision, and its reason is written down.
pub(super) fn explain_every_dependency(tree: &Tree) -> Problems {
    let text = tree.text(DEPENDENCIES)?;
    let root = manifest(tree, "Cargo.toml".into())?;
    let dependencies = root
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies")?.as_table())
        .ok_or_else(|| Failure::new("Cargo.toml has no table `workspace.dependencies`"))?;
    let external = dependencies.iter().filter(|(_, value)| value.get("path").is_none());
    let name = |(key, value): (&String, &Value)| {
        let renamed = value.get("package").and_then(Value::as_str);
        renamed.unwrap_or(key).to_owned()
    };
    let missing = external.map(name).filter(|name| !has_word(&text, name));
    Ok(missing.map(|name| format!("{DEPENDENCIES}: does not explain `{name}`")).collect())
}

/// Links between our own files lead to files, and not out of the repository.
pub(super) fn link_to_files_that_exist(tree: &Tree) -> Problems {
    let mut problems = Vec::new();
    for path in tree.with_extension("md").filter(|path| is_document(path)) {
        for block in blocks(&tree.text(path)?) {
            let Block::Link(target) = block else { continue };
            let target = target.split(['#', '?']).next().unwrap_or_default();
            let elsewhere = target.contains("://") || target.starts_with("mailto:");
            if target.is_empty() || elsewhere {
                continue;
            }
            let dir = path.parent().unwrap_or(Utf8Path::new(""));
            if resolve(dir, target).is_none_or(|file| !tree.root.join(file).exists()) {
                problems.push(format!("{path}: the link to `{target}` leads nowhere"));
            }
        }
    }
    Ok(problems)
}

/// What changed is written down with the change.
pub(super) fn announce_the_next_release(tree: &Tree) -> Problems {
    let text = tree.text("CHANGELOG.md")?;
    let found = text.lines().any(|line| matches!(line.trim(), "## Unreleased" | "## [Unreleased]"));
    let problem = "CHANGELOG.md: has no section `## Unreleased`".to_owned();
    Ok(if found { Vec::new() } else { vec![problem] })
}

/// A part of a Markdown document that some check looks at.
#[derive(Debug, PartialEq)]
pub(super) enum Block {
    Heading(String),
    Code { language: String, text: String },
    Link(String),
}

/// The headings, fenced code and links of a document, in order.
pub(super) fn blocks(document: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, Option<String>)> = None;
    for event in Parser::new(document) {
        match event {
            Event::Start(Tag::Heading { .. }) => open = Some((String::new(), None)),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                open = Some((String::new(), Some(language.to_string())));
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                blocks.push(Block::Link(dest_url.to_string()));
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some((all, _)) = &mut open {
                    all.push_str(&text);
                }
            }
            Event::End(TagEnd::Heading(_) | TagEnd::CodeBlock) => {
                blocks.extend(open.take().map(|(text, language)| match language {
                    Some(language) => Block::Code { language, text },
                    None => Block::Heading(text),
                }));
            }
            _ => {}
        }
    }
    blocks
}

/// Whether a text has this name, and not just as a part of a longer one.
pub(super) fn has_word(text: &str, name: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(joins) && !text[at + name.len()..].starts_with(joins))
}

/// The pages that people read: those at the top and everything under `docs`.
fn is_document(path: &Utf8Path) -> bool {
    path.starts_with("docs") || path.components().count() == 1
}

/// A relative path without `..`; `None` if it would leave the repository.
fn resolve(dir: &Utf8Path, target: &str) -> Option<Utf8PathBuf> {
    let mut resolved = Utf8PathBuf::new();
    for part in dir.join(target).components() {
        match part {
            Utf8Component::Normal(name) => resolved.push(name),
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => {
                resolved.pop().then_some(())?;
            }
            Utf8Component::RootDir | Utf8Component::Prefix(_) => return None,
        }
    }
    Some(resolved)
}

#[cfg(test)]
mod tests {
    use super::super::problems;
    use super::*;

    #[test]
    fn dependencies() {
        let manifest = "[workspace.dependencies]\nours = { path = \"x\" }\ntoml = \"1\"\nc = { package = \"clap\" }";
        let check = |text: &str, want: &[&str]| {
            let files = [("Cargo.toml", manifest), (DEPENDENCIES, text)];
            assert_eq!(problems(explain_every_dependency, &files), want, "{text}");
        };
        check("| `toml` | reads |\n| `clap` | parses |", &[]);
        check("toml-span and clap", &["docs/dependencies.md: does not explain `toml`"]);
    }

    #[test]
    fn links() {
        let check = |path: &str, text: &str, want: &[&str]| {
            let files = [(path, text), ("docs/a.md", ""), ("b.md", "")];
            assert_eq!(problems(link_to_files_that_exist, &files), want, "{path}: {text}");
        };
        check("README.md", "[a](docs/a.md#part) [b](b.md) [dir](docs) [top](#here)", &[]);
        check("README.md", "[web](https://example.org/x) `[no](link)`\n```\n[no](link)\n```", &[]);
        check("docs/x/y.md", "[a](../a.md) [b](../../b.md)", &[]);
        check("README.md", "[a](a.md)", &["README.md: the link to `a.md` leads nowhere"]);
        check(
            "README.md",
            "![a][r]\n\n[r]: x.png",
            &["README.md: the link to `x.png` leads nowhere"],
        );
        check(
            "docs/y.md",
            "[x](../../b.md)",
            &["docs/y.md: the link to `../../b.md` leads nowhere"],
        );
        check("docs/y.md", "[x](/etc)", &["docs/y.md: the link to `/etc` leads nowhere"]);
        check("crates/a/tests/data/z.md", "[x](nowhere)", &[]);
    }

    #[test]
    fn unreleased() {
        let check = |text: &str, fine: bool| {
            let found = problems(announce_the_next_release, &[("CHANGELOG.md", text)]);
            assert_eq!(found.is_empty(), fine, "{text}");
        };
        check("# Changes\n\n## Unreleased\n\n- a\n", true);
        check("## [Unreleased]", true);
        check("# Unreleased\n## 1.0", false);
    }

    #[test]
    fn parts_of_a_document() {
        let text = "# A `b`\n\n```text\none\ntwo\n```\n[x](y)\n";
        let code = Block::Code { language: "text".to_owned(), text: "one\ntwo\n".to_owned() };
        let want = [Block::Heading("A b".to_owned()), code, Block::Link("y".to_owned())];
        assert_eq!(blocks(text), want);
    }
}
