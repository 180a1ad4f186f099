//! Which tests name which ids.
//!
//! An id counts inside a test function (its name, its comments, the table it runs
//! through) and anywhere else in a file or module of tests, where it is put down to
//! the file. In other code it counts for nothing: a comment is no proof.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::Named;
use super::ids;
use crate::failure::Result;
use crate::files::Tree;
use crate::rust::{self, Regions};

/// Tests in other languages, which count in a directory called `tests`.
const OTHER_TESTS: &[&str] = &["sh", "py", "js", "ts", "toml", "json", "jsonl", "ndjson"];

/// The tests of the tree that name an id of these documents.
pub(crate) fn collect(tree: &Tree, documents: &[String]) -> Result<Named> {
    let mut named = Named::new();
    let mut note = |found: Vec<(ids::Id, usize)>, test: &dyn Fn(usize) -> Option<String>| {
        for (id, at) in found {
            if let Some(test) = test(at) {
                named.entry(id).or_default().insert(test);
            }
        }
    };
    let mut sources = Vec::new();
    for path in tree.with_extension("rs") {
        let text = tree.text(path)?;
        sources.push((path, rust::regions(&text), ids::find(&text, documents)));
    }
    let declared: BTreeSet<_> =
        sources.iter().flat_map(|(path, regions, _)| test_files(path, regions)).collect();
    for (path, regions, found) in sources {
        let whole_file = is_test_file(path) || declared.contains(path);
        let file = module_path(tree, path);
        note(found, &|at| match regions.test_at(at) {
            Some(name) => Some(format!("{file}::{name}")),
            None => (whole_file || regions.in_test_module(at)).then(|| file.clone()),
        });
    }
    for path in &tree.files {
        let other = path.extension().is_some_and(|extension| OTHER_TESTS.contains(&extension));
        if other && in_tests_dir(path) {
            let text = tree.text(path)?;
            note(ids::find(&text, documents), &|_| Some(path.to_string()));
        }
    }
    Ok(named)
}

fn is_test_file(path: &Utf8Path) -> bool {
    in_tests_dir(path) || path.file_name().is_some_and(|name| name.ends_with("tests.rs"))
}

fn in_tests_dir(path: &Utf8Path) -> bool {
    path.parent().is_some_and(|dir| dir.components().any(|part| part.as_str() == "tests"))
}

/// The files that a source declares with `#[cfg(test)] mod name;`.
fn test_files(path: &Utf8Path, regions: &Regions) -> Vec<Utf8PathBuf> {
    let dir = path.parent().unwrap_or(Utf8Path::new(""));
    let dir = match path.file_stem() {
        Some("lib" | "main" | "mod") | None => dir.to_owned(),
        Some(stem) => dir.join(stem),
    };
    let names = regions.test_module_files.iter();
    names.flat_map(|name| [dir.join(format!("{name}.rs")), dir.join(name).join("mod.rs")]).collect()
}

/// `jp_config::load::tests` for `crates/jp_config/src/load/tests.rs`.
fn module_path(tree: &Tree, path: &Utf8Path) -> String {
    let package = path.ancestors().skip(1).find(|dir| tree.has(&dir.join("Cargo.toml")));
    let inside = package.and_then(|dir| path.strip_prefix(dir).ok()).unwrap_or(path);
    let inside = inside.strip_prefix("src").unwrap_or(inside).with_extension("");
    let name = package.and_then(Utf8Path::file_name).unwrap_or("root");
    let mut parts: Vec<_> =
        [name].into_iter().chain(inside.components().map(|part| part.as_str())).collect();
    if matches!(parts.last(), Some(&("lib" | "main" | "mod"))) {
        parts.pop();
    }
    parts.join("::")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::tree;

    /// Which test the id `901-001` is put down to when it stands in this file.
    fn check(path: &str, text: &str, want: &str) {
        let (_dir, tree) = tree(&[("crates/a/Cargo.toml", ""), (path, text)]);
        let named = collect(&tree, &["901".to_owned()]).unwrap();
        let tests: Vec<_> = named.into_values().flatten().collect();
        assert_eq!(tests.join(" "), want, "{path}: {text}");
    }

    #[test]
    fn an_id_belongs_to_the_test_around_it() {
        let source = "fn f() {}\n#[cfg(test)]\nmod tests {\n#[test]\nfn t() { /* 901-001 */ }\n}\n";
        check("crates/a/src/b/c.rs", source, "a::b::c::t");
        check("crates/a/src/lib.rs", "#[test]\nfn t901_001() {}", "a::t901_001");
        check("crates/a/src/b/mod.rs", "// 901-001\n#[test]\nfn t() {}", "a::b::t");
        check("crates/a/tests/x.rs", "#[test]\nfn t() { [\"901-001\"]; }", "a::tests::x::t");
    }

    #[test]
    fn elsewhere_among_tests_it_belongs_to_the_file() {
        let table = "const CASES: &[&str] = &[\"901-001\"];";
        check("crates/a/tests/x.rs", table, "a::tests::x");
        check("crates/a/tests/x/y.rs", table, "a::tests::x::y");
        check("crates/a/src/b/tests.rs", table, "a::b::tests");
        check("crates/a/src/b_tests.rs", table, "a::b_tests");
        check("crates/a/src/b.rs", &format!("#[cfg(test)]\nmod tests {{ {table} }}"), "a::b");
        check("crates/a/tests/run.sh", "# 901-001", "crates/a/tests/run.sh");
    }

    #[test]
    fn other_code_proves_nothing() {
        check("crates/a/src/b.rs", "// 901-001\nfn f() {}\n#[test]\nfn t() {}", "");
        check("crates/a/src/latests/b.rs", "// 901-001", "");
        check("crates/a/tests/notes.md", "901-001", "");
        check("crates/a/run.sh", "# 901-001", "");
    }

    #[test]
    fn a_file_declared_for_tests_is_one() {
        let check = |path: &str, declares: &str, file: &str, want: bool| {
            let declaration = format!("#[cfg(test)]\nmod {declares};");
            let (_dir, tree) = tree(&[(path, &declaration), (file, "// 901-001")]);
            let named = collect(&tree, &["901".to_owned()]).unwrap();
            assert_eq!(!named.is_empty(), want, "{path} {file}");
        };
        check("src/lib.rs", "suite", "src/suite.rs", true);
        check("src/store.rs", "suite", "src/store/suite.rs", true);
        check("src/store/mod.rs", "suite", "src/store/suite/mod.rs", true);
        check("src/store.rs", "suite", "src/suite.rs", false);
    }
}
