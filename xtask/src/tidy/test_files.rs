//! Rules for the files of tests.

use std::collections::BTreeSet;

use camino::Utf8Path;
use toml::{Table, Value};

use super::Problems;
use super::crates::manifest;
use crate::failure::Result;
use crate::files::Tree;
use crate::rust;

/// A file of tests that nobody compiles passes for ever. Cargo finds those in `tests/`
/// by itself; a crate that says `autotests = false` to have one test program must name
/// each in its manifest or as a module of `tests/main.rs`.
pub(super) fn are_all_compiled(tree: &Tree) -> Problems {
    let mut problems = Vec::new();
    for path in tree.files.iter().filter(|path| path.file_name() == Some("Cargo.toml")) {
        let dir = path.parent().unwrap_or(Utf8Path::new(""));
        let manifest = manifest(tree, path)?;
        let modules = modules(tree, &dir.join("tests/main.rs"))?;
        let auto = manifest
            .get("package")
            .and_then(|package| package.get("autotests"))
            .is_none_or(|value| value.as_bool() == Some(true));
        for file in
            tree.with_extension("rs").filter(|file| file.parent() == Some(&dir.join("tests")))
        {
            let target = auto || is_target(&manifest, dir, file);
            let module = file.file_stem().is_some_and(|stem| modules.contains(stem));
            match (target, module) {
                (false, false) => problems.push(format!("{file}: no test program contains it")),
                (true, true) => problems.push(format!(
                    "{file}: compiled twice, as its own program and in tests/main.rs; \
                     set `autotests = false` in {path}"
                )),
                (true, false) | (false, true) => {}
            }
        }
    }
    Ok(problems)
}

/// New snapshots are accepted with `cargo xtask bless`, or not at all.
#[expect(clippy::unnecessary_wraps, reason = "every check has this form")]
pub(super) fn left_no_pending_snapshots(tree: &Tree) -> Problems {
    let pending = tree.files.iter().filter(|path| {
        let name = path.file_name().unwrap_or_default();
        name.ends_with(".snap.new") || name.ends_with(".pending-snap")
    });
    Ok(pending.map(|path| format!("{path}: a snapshot that nobody accepted")).collect())
}

/// The names in `mod name;` lines, if the file exists.
fn modules(tree: &Tree, main: &Utf8Path) -> Result<BTreeSet<String>> {
    if !tree.has(main) {
        return Ok(BTreeSet::new());
    }
    let code = rust::blank(&tree.text(main)?);
    let names = code.lines().filter_map(|line| {
        let (_, name) = line.trim().strip_suffix(';')?.rsplit_once("mod ")?;
        Some(name.trim().to_owned())
    });
    Ok(names.collect())
}

fn is_target(manifest: &Table, dir: &Utf8Path, file: &Utf8Path) -> bool {
    let targets = manifest.get("test").and_then(Value::as_array).into_iter().flatten();
    let mut paths = targets.filter_map(|target| target.get("path")?.as_str());
    paths.any(|path| dir.join(path) == file)
}

#[cfg(test)]
mod tests {
    use super::super::problems;
    use super::*;

    const ONE_PROGRAM: &str =
        "[package]\nautotests = false\n[[test]]\nname = \"main\"\npath = \"tests/main.rs\"";

    #[test]
    fn compiled() {
        let check = |manifest: &str, main: &str, want: &[&str]| {
            let files = [
                ("crates/a/Cargo.toml", manifest),
                ("crates/a/tests/main.rs", main),
                ("crates/a/tests/b.rs", ""),
                ("crates/a/tests/common/mod.rs", ""),
            ];
            assert_eq!(problems(are_all_compiled, &files), want, "{manifest} {main}");
        };
        check("[package]", "", &[]);
        check(ONE_PROGRAM, "mod b;", &[]);
        check(ONE_PROGRAM, "#[cfg(unix)] mod b;", &[]);
        check(ONE_PROGRAM, "// mod b;", &["crates/a/tests/b.rs: no test program contains it"]);
        check(
            "[package]",
            "mod b;",
            &["crates/a/tests/b.rs: compiled twice, as its own program and in tests/main.rs; \
               set `autotests = false` in crates/a/Cargo.toml"],
        );
    }

    #[test]
    fn pending_snapshots() {
        let check = |file: &str, fine: bool| {
            let found = problems(left_no_pending_snapshots, &[(file, "")]);
            assert_eq!(found.is_empty(), fine, "{file}");
        };
        check("a/snapshots/x.snap", true);
        check("a/snapshots/x.snap.new", false);
        check("a/src/.x.rs.pending-snap", false);
    }
}
