//! `cargo xtask spec`: which tests prove which line of the specification.
//!
//! The specification lies beside the checkout as a list of short assertions, each
//! with an id such as `072-001`. A test that proves one names its id. This command
//! turns that round: for every assertion the tests that name it, written to
//! `docs/conformance.md`, so that what nobody tests can be seen.

mod checklist;
mod ids;
mod mentions;
mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use camino::Utf8Path;

use self::checklist::Checklist;
use self::ids::Id;
use crate::failure::{Failure, Result};
use crate::files::Tree;

/// Where the specification is, seen from the repository.
const SPECIFICATION: &str = "../shared/spec";

/// The file that is written.
const REPORT: &str = "docs/conformance.md";

/// The tests that name an id, for every id that is named.
type Named = BTreeMap<Id, BTreeSet<String>>;

/// Writes the table, or with `check` fails when the written one is out of date.
pub(crate) fn run(root: &Utf8Path, check: bool) -> Result {
    let specification = root.join(SPECIFICATION);
    if !specification.exists() {
        println!("no specification beside this checkout: {REPORT} was neither written nor checked");
        return Ok(());
    }
    let documents = checklist::read(&specification.join("checklist"))?;
    let named = mentions::collect(&Tree::read(root)?, &prefixes(&documents))?;
    refuse_unknown(&documents, &named)?;
    print!("{}", report::summary(&documents, &named));

    let (path, text) = (root.join(REPORT), report::render(&documents, &named));
    if !check {
        return fs::write(&path, text).map_err(Failure::because(format!("cannot write {REPORT}")));
    }
    let written = fs::read_to_string(&path)
        .map_err(Failure::because(format!("cannot read {REPORT}, run `cargo xtask spec`")))?;
    if written == text {
        return Ok(());
    }
    Err(Failure::new(format!("{REPORT} is out of date: run `cargo xtask spec`")))
}

fn prefixes(documents: &[Checklist]) -> Vec<String> {
    let ids = documents.iter().flat_map(|document| &document.lines).map(|(id, _)| &id.document);
    ids.cloned().collect::<BTreeSet<_>>().into_iter().collect()
}

/// An id that no document has is a slip of the pen, and would prove nothing.
fn refuse_unknown(documents: &[Checklist], named: &Named) -> Result {
    let known: BTreeSet<_> =
        documents.iter().flat_map(|doc| &doc.lines).map(|(id, _)| id).collect();
    let unknown: Vec<_> = named
        .iter()
        .filter(|(id, _)| !known.contains(id))
        .map(|(id, tests)| {
            let tests: Vec<_> = tests.iter().map(String::as_str).collect();
            format!("{id} in {}", tests.join(", "))
        })
        .collect();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("tests name ids that do not exist:\n{}", unknown.join("\n"))))
}

#[cfg(test)]
mod tests {
    use camino::Utf8PathBuf;
    use tempfile::TempDir;

    use super::*;

    /// A repository with a specification beside it. Its ids are of no real document.
    fn workplace(test: &str) -> (TempDir, Utf8PathBuf) {
        let dir = TempDir::new().unwrap();
        let base = Utf8Path::from_path(dir.path()).unwrap().to_owned();
        let write = |path: &str, text: &str| {
            let path = base.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "shared/spec/checklist/x90.md",
            "# X90: things\n- **X90-001** One.\n- **X90-002** Two.\n",
        );
        write("main/crates/a/Cargo.toml", "");
        write("main/crates/a/tests/a.rs", test);
        write("main/docs/x", "");
        (dir, base.join("main"))
    }

    #[test]
    fn the_table_is_written_and_then_checked() {
        let (_dir, root) = workplace("#[test]\nfn one() { /* X90-001 */ }\n");
        let failure = run(&root, true).unwrap_err().to_string();
        assert!(failure.contains("run `cargo xtask spec`"), "{failure}");
        run(&root, false).unwrap();
        run(&root, true).unwrap();
        let table = fs::read_to_string(root.join(REPORT)).unwrap();
        assert!(table.contains("| X90-001 | One. | `a::tests::a::one` |"), "{table}");

        fs::write(root.join(REPORT), table + "x").unwrap();
        let failure = run(&root, true).unwrap_err().to_string();
        assert!(failure.contains("out of date"), "{failure}");
    }

    #[test]
    fn an_id_that_does_not_exist_is_refused() {
        let (_dir, root) = workplace("#[test]\nfn one() { /* X90-003 */ }\n");
        let failure = run(&root, false).unwrap_err().to_string();
        assert!(failure.contains("X90-003 in a::tests::a::one"), "{failure}");
    }

    #[test]
    fn without_a_specification_nothing_is_checked() {
        let (_dir, root) = workplace("");
        fs::remove_dir_all(root.join("../shared")).unwrap();
        run(&root, true).unwrap();
        assert!(!root.join(REPORT).exists());
        // One without assertions is a fault, not a reason to check nothing.
        fs::create_dir_all(root.join("../shared/spec")).unwrap();
        let failure = run(&root, true).unwrap_err().to_string();
        assert!(failure.contains("cannot list"), "{failure}");
    }
}
