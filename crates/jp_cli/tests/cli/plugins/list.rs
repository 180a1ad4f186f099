//! `jp plugin list`

use super::{bin, installed, jp, on_path, plugin, program, registry, unattended, workspace};

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
fn who_lost_a_command_is_listed() {
    // 072-019
    let env = workspace();
    let said = r#","command":["say"]"#;
    plugin(&env, &installed(&env).join("jp-mine"), said, "");
    on_path(&env, "jp-theirs", said);
    registry(
        &env,
        r#""say": {"id": "official", "description": "Says", "official": true},
           "other": {"id": "other", "description": "Not here", "official": true}"#,
    );
    let output = jp(&env, "plugin list").run().success();
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = output.normalized_stdout().lines().map(words).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    COMMAND VERSION SOURCE RUN FILE
    say 1.2 installed ask $HOME/.local/share/jp/plugins/command/jp-mine
    say - registry - - never reached: `mine` (installed) comes first
    say 1.2 path ask $ROOT/bin/jp-theirs never reached: `mine` (installed) comes first
    ");
    let output = jp(&env, "--format json plugin list").run().success();
    let lost: serde_json::Value =
        serde_json::from_str(output.stdout().lines().nth(1).unwrap()).unwrap();
    let none = serde_json::Value::Null;
    assert_eq!((&lost["id"], &lost["description"]), (&"official".into(), &"Says".into()));
    assert_eq!((&lost["path"], &lost["sha256"], &lost["run"]), (&none, &none, &none));
    assert_eq!(lost["active"], false);
}

#[test]
fn an_empty_list() {
    let env = jp_test::env!();
    let output = jp(&env, "plugin list").run().success();
    assert_eq!((output.stdout(), output.stderr()), ("", "No plugins were found.\n"));
}

#[test]
fn what_is_known_of_a_plugin_in_the_search_path() {
    let env = workspace();
    let fields = r#","author":"A","command":["say","hello"]"#;
    let file = on_path(&env, "jp-greet", fields);
    let sum = super::sum(&env, &file);
    for name in ["greet", "say hello"] {
        let output = jp(&env, &format!("plugin info {name}")).run().success();
        let text = output.normalized_stdout().replace(&sum, "$SUM");
        for part in [
            "found        $ROOT/bin/jp-greet\n",
            "is           sha256 $SUM\n",
            "run          ask\n",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        for part in
            ["command      jp say hello\n", "says         About greet\n", "author       A\n"]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
    let output = jp(&env, "plugin info greet --format json").run().success();
    let object: serde_json::Value = serde_json::from_str(output.stdout()).unwrap();
    assert_eq!((&object["id"], &object["path"]["sha256"]), (&"greet".into(), &sum.into()));
    assert_eq!((&object["installed"], &object["registry"]), (&().into(), &().into()));
    jp(&env, "plugin info hello").run().code(2);
}

#[test]
fn a_pin_is_taken_away_again() {
    let env = workspace();
    let file = on_path(&env, "jp-greet", "");
    let run = format!("{} greet", unattended("greet"));
    jp(&env, "plugin pin greet").run().success();
    jp(&env, &run).run().success();
    plugin(&env, &file, "", "# other bytes");
    jp(&env, &run).run().code(4);
    let output = jp(&env, "plugin pin greet --remove").run().success();
    assert!(output.stderr().contains("`greet` is pinned no more"), "{output}");
    jp(&env, &run).run().success();
    let output = jp(&env, "plugin pin greet --remove").run().success();
    assert!(output.stderr().contains("`greet` is not pinned in your settings"), "{output}");
    // What a workspace pins is not ours to take away.
    let pin = format!("checksum = {{ algorithm = 'sha256', value = '{}' }}", "a".repeat(64));
    env.write(".jp/config.toml", format!("[plugins.command.greet]\n{pin}\n"));
    let output = jp(&env, "plugin pin greet --remove").run().success();
    assert!(output.stderr().contains(".jp/config.toml:2 still pins it"), "{output}");
    jp(&env, "plugin pin greet --remove --sha256 aa").run().code(2);
}

#[test]
fn what_is_installed_is_told_as_the_list_tells_it() {
    let env = workspace();
    let file = installed(&env).join("jp-greet");
    plugin(&env, &file, r#","command":["say","hello"],"author":"A""#, "");
    for name in ["greet", "say hello"] {
        let output = jp(&env, &format!("plugin info {name}")).run().success();
        for part in [
            format!("file         {file}\n"),
            "command      jp say hello\n".to_owned(),
            "says         About greet\n".to_owned(),
            "version      1.2\n".to_owned(),
            "author       A\n".to_owned(),
            "run          ask\n".to_owned(),
        ] {
            assert!(output.stdout().contains(&part), "{part} in {output}");
        }
    }
    let output = jp(&env, "plugin info greet --format json").run().success();
    let object: serde_json::Value = serde_json::from_str(output.stdout()).unwrap();
    let listed = jp(&env, "plugin list --format json").run().success();
    let listed: serde_json::Value = serde_json::from_str(listed.stdout()).unwrap();
    assert_eq!(object["plugin"], listed);
}
