//! `jp plugin list`

use super::{bin, installed, jp, on_path, plugin, program, unattended, workspace};

#[test]
fn the_list() {
    let env = workspace();
    on_path(&env, "jp-greet", r#","author":"A","repository":"https://e.org""#);
    plugin(&env, &installed(&env).join("jp-there"), "", "");
    program(&env, &bin(&env).join("jp-silent"), "#!/bin/sh\nexit 3\n");
    let output = jp(&env, &format!("{} plugin list", unattended("there"))).run().success();
    // How wide a column is depends on where the test runs.
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = output.normalized_stdout().lines().map(words).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    COMMAND VERSION SOURCE RUN FILE
    greet 1.2 path ask $ROOT/bin/jp-greet
    silent - path ask $ROOT/bin/jp-silent it said nothing about itself and exited with code 3
    there 1.2 installed unattended $HOME/.local/share/jp/plugins/command/jp-there
    ");
    let output = jp(&env, "--format json plugin list").run().success();
    let first: serde_json::Value =
        serde_json::from_str(output.stdout().lines().next().unwrap()).unwrap();
    assert_eq!(first["id"], "greet");
    assert_eq!(first["command"], serde_json::json!(["greet"]));
    assert_eq!((&first["author"], &first["run"]), (&"A".into(), &"ask".into()));
    assert_eq!(first["sha256"].as_str().unwrap().len(), 64);
}

#[test]
fn an_empty_list() {
    let env = jp_test::env!();
    let output = jp(&env, "plugin list").run().success();
    assert_eq!((output.stdout(), output.stderr()), ("", "No plugins were found.\n"));
}
