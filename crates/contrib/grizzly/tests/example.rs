//! The settings in `examples/mcp/grizzly.toml`, as they are, with jp itself: the server is confined by them,
//! finds the notes where Bear keeps them, and what it says reaches the terminal.

#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]
#![expect(clippy::unwrap_used, reason = "tests may fail")]

use camino::Utf8Path;
use grizzly::fixture::Fixture;
use jp_test::{TestEnv, find_bin};

const BEAR: &str = "Library/Group Containers/9K33E3U3T4.net.shinyfrog.bear/Application Data";
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../examples/mcp/grizzly.toml");

/// A workspace with the settings of the example, a home with notes in it, and the server in `PATH`.
fn world() -> TestEnv {
    let env = TestEnv::new(find_bin("jp"));
    env.jp(["init"]).run().success();
    let example = std::fs::read_to_string(EXAMPLE).unwrap();
    env.write(".jp/config.toml", example);
    let dir = env.home().join(BEAR);
    std::fs::create_dir_all(&dir).unwrap();
    let path = dir.join("database.sqlite");
    drop(Fixture { notes: 5, ..Fixture::default() }.create(&path).unwrap());
    env
}

fn run(env: &TestEnv, words: &[&str]) -> String {
    let bin = Utf8Path::new(env!("CARGO_BIN_EXE_grizzly")).parent().unwrap();
    let path = format!("{bin}:/usr/bin:/bin");
    // The settings are those of a workspace, so they are agreed to first.
    env.jp(["mcp", "allow", "grizzly", "--yes"]).env("PATH", &path).run().success();
    let words = [&["tool", "run"], words, &["--yes", "--no-interaction"]].concat();
    env.jp(words).env("PATH", path).env("TZ", "UTC").run().to_string()
}

/// D31-074: the host unwraps the envelope: what is printed is the content of a success, not JSON, and
/// neither is a failure or a question.
#[test]
fn the_example_works() {
    let env = world();
    let found = run(&env, &["search_notes", "query=wheelbarrow"]);
    assert!(found.contains("exit code: 0"), "{found}");
    assert!(found.contains("The wheelbarrow needs a new tyre."), "{found}");
    assert!(!found.contains(r#""type""#), "{found}");

    let failed = run(&env, &["read_notes", "title=Nothing"]);
    assert!(failed.contains("There is no note called “Nothing”"), "{failed}");
    assert!(!failed.contains("exit code: 0") && !failed.contains(r#""type""#), "{failed}");

    let asked = run(&env, &["read_notes", "title=Groceries"]);
    assert!(asked.contains("2 notes are called “Groceries”"), "{asked}");
    assert!(!asked.contains("exit code: 0"), "{asked}");
    let home = "which-note=A0000003-0000-4000-8000-000000000003 (made 2025-01-31 07:06; home)";
    let answered = run(&env, &["read_notes", "title=Groceries", "--answer", home]);
    assert!(answered.contains("Flour, oranges, tea."), "{answered}");
}

/// The same without the flag: content blocks and native questions, through the same settings.
#[test]
fn it_works_without_the_flag() {
    let env = world();
    let settings = std::fs::read_to_string(env.project().join(".jp/config.toml")).unwrap();
    let native = settings.replace("arguments = [\"--jp\"]\n", "");
    assert_ne!(native, settings);
    env.write(".jp/config.toml", native);
    let found = run(&env, &["search_notes", "query=wheelbarrow"]);
    assert!(found.contains("exit code: 0"), "{found}");
    assert!(found.contains("The wheelbarrow needs a new tyre."), "{found}");
    let home = "which-note=A0000003-0000-4000-8000-000000000003 (made 2025-01-31 07:06; home)";
    let answered = run(&env, &["read_notes", "title=Groceries", "--answer", home]);
    assert!(answered.contains("Flour, oranges, tea."), "{answered}");
}
