//! The script of the specification, as it stands there.

use super::{add, jp};
use crate::workspace;

/// Printed in the document; nothing of it is changed.
const TITLES: &str = include_str!("titles.sh");

#[test]
fn the_script_of_the_document_runs_unchanged() {
    // 072-262: asked what it is, it answers and ends.
    let env = workspace();
    add(&env, "jp-titles", TITLES);
    let script = env.root().join("bin/jp-titles");
    let output = env.command(script, [""; 0]).stdin("{\"type\":\"describe\"}\n").run().success();
    let described: serde_json::Value = serde_json::from_str(output.stdout()).unwrap();
    assert_eq!((&described["type"], &described["name"]), (&"describe".into(), &"titles".into()));
    // 072-263 to 072-265: it reads `init` and then its answer, line by line.
    for title in ["one", "two", "three"] {
        env.jp(["conversation", "new", "-t", title]).run().success();
    }
    let output = jp(&env, &["titles"]).run().success();
    let mut titles: Vec<_> = output.stdout().lines().collect();
    titles.sort_unstable();
    assert_eq!(titles, ["one", "three", "two"]);
    assert_eq!(output.stderr(), "");
}

#[test]
fn a_plugin_needs_a_workspace() {
    let env = jp_test::env!();
    add(&env, "jp-titles", TITLES);
    let output = jp(&env, &["titles"]).run().code(2);
    assert!(output.stderr().contains("no workspace"), "{output}");
}
