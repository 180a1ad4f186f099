//! `cargo xtask tidy`: the rules of the repository that no compiler knows.
//!
//! They run as a test too, so nobody has to remember them. Each check reads the
//! repository and says what is wrong, with the file it is wrong in; each is tested
//! on small repositories that keep and break its rule.

mod crates;
mod documents;
mod sources;
mod test_files;

use camino::Utf8Path;

use crate::failure::{Failure, Result};
use crate::files::Tree;

/// What is wrong; nothing, if the list is empty.
type Problems = Result<Vec<String>>;

/// A rule of the repository.
type Check = fn(&Tree) -> Problems;

const CHECKS: &[Check] = &[
    sources::open_with_their_purpose,
    sources::have_no_leftovers,
    sources::name_no_registry,
    test_files::are_all_compiled,
    test_files::left_no_pending_snapshots,
    crates::are_in_the_architecture,
    crates::depend_as_the_architecture_says,
    crates::use_test_support_in_tests_only,
    documents::explain_every_dependency,
    documents::link_to_files_that_exist,
    documents::announce_the_next_release,
];

/// Runs every check; fails with all that is wrong.
pub(crate) fn run(root: &Utf8Path) -> Result {
    let tree = Tree::read(root)?;
    let mut problems = Vec::new();
    for check in CHECKS {
        // A check that cannot read what it needs has found a problem as well.
        problems.extend(check(&tree).unwrap_or_else(|failure| vec![failure.to_string()]));
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("the repository is not tidy:\n  {}", problems.join("\n  "))))
}

/// For the tests of the checks: the problems found in a repository with these files.
#[cfg(test)]
fn problems(check: Check, files: &[(&str, &str)]) -> Vec<String> {
    let (_dir, tree) = crate::files::tests::tree(files);
    check(&tree).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::tree;

    #[test]
    fn the_repository_is_tidy() {
        if let Err(failure) = run(crate::root()) {
            panic!("{failure}");
        }
    }

    #[test]
    fn every_problem_is_reported() {
        let (_dir, tree) = tree(&[("a.rs", "fn f() { todo!() }")]);
        let failure = run(&tree.root).unwrap_err().to_string();
        for part in ["a.rs: does not open", "a.rs:1: `todo!(`", "cannot read CHANGELOG.md"] {
            assert!(failure.contains(part), "{part} in {failure}");
        }
    }
}
