//! Where the programs of the workspace are, for tests that Cargo does not tell.
//!
//! Cargo names a binary only to the integration tests of its own package. Tests
//! of other packages find it beside themselves, in the same target directory and
//! profile. Nothing builds it for them, so a missing one must be a loud failure
//! rather than a skipped test.

use camino::{Utf8Path, Utf8PathBuf};

use crate::server::tools_dir;

/// The path of a program of this workspace, by its name without extension.
///
/// Panics with the command that builds it when it is not there.
#[track_caller]
pub fn find_bin(name: &str) -> Utf8PathBuf {
    let test = std::env::current_exe().expect("the running test knows its own path");
    let test = Utf8PathBuf::try_from(test).expect("the target directory has a UTF-8 path");
    let dir = profile_dir(&test);
    let path = dir.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.is_file(),
        "the program `{name}` is not in {dir}: run `cargo build --workspace --bins` first"
    );
    path
}

/// The path of a program that `cargo xtask test` installs, from the directory in which it does.
///
/// Panics with the command that installs it when it is not there.
#[track_caller]
pub fn find_tool(path: &str) -> Utf8PathBuf {
    let tool = Utf8PathBuf::try_from(tools_dir().join(path)).expect("the cache has a UTF-8 path");
    assert!(tool.is_file(), "{tool} is not there: run `cargo xtask test` once");
    tool
}

/// `target/debug` for a test at `target/debug/deps/name-hash`.
fn profile_dir(test: &Utf8Path) -> &Utf8Path {
    let dir = test.parent().unwrap_or(test);
    match dir.file_name() {
        Some("deps" | "examples") => dir.parent().unwrap_or(dir),
        _ => dir,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_beside_the_directory_of_the_tests() {
        let check = |test: &str, dir: &str| assert_eq!(profile_dir(test.into()), dir);
        check("/t/debug/deps/env-1f", "/t/debug");
        check("/t/debug/examples/show", "/t/debug");
        check("/t/release/jp", "/t/release");
    }

    #[test]
    #[should_panic(expected = "cargo build --workspace --bins")]
    fn a_missing_program_says_how_to_build_it() {
        find_bin("no_such_program");
    }
}
