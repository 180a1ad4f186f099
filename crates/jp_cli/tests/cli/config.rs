//! Layers, errors and `jp config`, as a user meets them.

use insta::assert_snapshot;
use jp_test::TestEnv;

/// An environment in which every layer sets the name of the assistant.
fn layered() -> TestEnv {
    let env = jp_test::env!();
    env.write(env.config_home().join("jp/config.toml"), "[assistant]\nname = \"user\"\n");
    env.write(".jp/config.toml", "[assistant]\nname = \"workspace\"\n");
    env.write(".jp.toml", "[assistant]\nname = \"root\"\n");
    env.write("a/.jp.toml", "[assistant]\nname = \"a\"\n");
    env.write("a/b/.jp.toml", "[assistant]\nname = \"b\"\n");
    env.write("extra.toml", "[assistant]\nname = \"extra\"\n");
    env
}

fn name(env: &TestEnv, cwd: &str, args: &[&str]) -> String {
    let args = ["config", "show", "assistant.name"].iter().chain(args).copied();
    let output = env.jp(args).cwd(cwd).run().success();
    output.stdout().trim().trim_matches('"').to_owned()
}

#[test]
fn later_layers_win() {
    let env = layered();
    let elsewhere = env.root().join("elsewhere");
    env.write(elsewhere.join("file"), "");
    let extra = format!("--cfg={}", env.path("extra.toml"));
    assert_eq!(name(&env, elsewhere.as_str(), &[]), "user");
    assert_eq!(name(&env, "", &[]), "root");
    assert_eq!(name(&env, "a", &[]), "a");
    assert_eq!(name(&env, "a/b", &[]), "b");
    assert_eq!(name(&env, "a/b", &[&extra]), "extra");
    assert_eq!(name(&env, "a/b", &[&extra, "--cfg=assistant.name=last"]), "last");
    assert_eq!(name(&env, "a/b", &["--cfg=assistant.name=last", &extra]), "extra");
    assert_eq!(name(&env, "", &["-C", "a/b"]), "b");
    assert_eq!(name(&env, "a", &["--cfg", "../extra.toml"]), "extra");
    env.write(".jp.toml", "");
    assert_eq!(name(&env, "", &[]), "workspace");
}

#[test]
fn without_a_home_the_defaults_hold() {
    let env = jp_test::env!();
    let run = env.jp(["config", "show", "assistant.name"]);
    let output = run.env_remove("HOME").env_remove("XDG_CONFIG_HOME").run().success();
    assert_eq!(output.stdout(), "\"JP\"\n");
}

#[test]
fn origins_name_layer_and_line() {
    let env = layered();
    env.write(".jp/config.toml", "[assistant]\nname = \"x\"\ninstructions = [\"one\"]\n");
    env.write("a/.jp.toml", "\n\n[assistant]\ninstructions = [\"two\"]\n");
    let args = ["config", "show", "assistant", "--origin", "--cfg", "assistant.model.id.name=m"];
    assert_snapshot!(env.jp(args).cwd("a").run().success(), @r#"
    $ jp config show assistant --origin --cfg assistant.model.id.name=m
    exit code: 0
    --- stdout
    [assistant]
    name = "root"  # $PROJECT/.jp.toml:2
    instructions = [
        "one",     # $PROJECT/.jp/config.toml:3
        "two",     # .jp.toml:4
    ]

    [assistant.model]
    parameters = {}  # default

    [assistant.model.id]
    name = "m"  # --cfg assistant.model.id.name=m
    "#);
    let args = args.into_iter().chain(["--format", "json"]);
    assert_snapshot!(env.jp(args).cwd("a").run().success(), @r#"
    $ jp config show assistant --origin --cfg assistant.model.id.name=m --format json
    exit code: 0
    --- stdout
    {
      "assistant.name": {
        "value": "root",
        "origin": {
          "layer": "directory",
          "path": "$PROJECT/.jp.toml",
          "line": 2
        }
      },
      "assistant.instructions": {
        "value": [
          "one",
          "two"
        ],
        "origin": {
          "layer": "directory",
          "path": ".jp.toml",
          "line": 4
        },
        "elements": [
          {
            "layer": "workspace",
            "path": "$PROJECT/.jp/config.toml",
            "line": 3
          },
          {
            "layer": "directory",
            "path": ".jp.toml",
            "line": 4
          }
        ]
      },
      "assistant.model.id.name": {
        "value": "m",
        "origin": {
          "layer": "assignment",
          "path": "--cfg assistant.model.id.name=m",
          "line": 1
        }
      },
      "assistant.model.parameters": {
        "value": {},
        "origin": {
          "layer": "default"
        }
      }
    }
    "#);
}

#[test]
fn lists_can_be_merged_in_four_ways() {
    let env = jp_test::env!();
    env.write(".jp/config.toml", "[assistant]\ninstructions = [\"a\", \"b\"]\n");
    let merged = |value: &str| {
        env.write(".jp.toml", format!("[assistant]\ninstructions = {value}\n"));
        let args = ["config", "show", "assistant.instructions", "--format=json"];
        let output = env.jp(args).run().success();
        let list: Vec<String> = serde_json::from_str(output.stdout()).unwrap();
        list.concat()
    };
    assert_eq!(merged("[\"b\", \"c\"]"), "abbc");
    assert_eq!(merged("{strategy = \"append\", value = [\"b\", \"c\"]}"), "abbc");
    assert_eq!(merged("{strategy = \"prepend\", value = [\"b\", \"c\"]}"), "bcab");
    assert_eq!(merged("{strategy = \"replace\", value = [\"b\", \"c\"]}"), "bc");
    assert_eq!(merged("{strategy = \"dedup\", value = [\"b\", \"c\"]}"), "abc");
}

#[test]
fn mistakes_are_all_shown_with_their_place() {
    let env = jp_test::env!();
    env.write(
        ".jp/config.toml",
        "[style]\ncolr = \"never\"\nmarkdown.width = \"wide\"\n\n[plugins]\nauto_install = 1\n",
    );
    env.write("a/.jp.toml", "[style]\ncolor = \"sometimes\"\n");
    let output = env.jp(["conversation", "ls"]).cwd("a").run().code(2);
    assert_snapshot!(output, @r#"
    $ jp conversation ls
    exit code: 2
    --- stderr
    error: unknown key `colr` in `style`
     --> $PROJECT/.jp/config.toml:2:1
      |
    2 | colr = "never"
      | ^^^^
      |
      = help: did you mean `color`?

    error: `style.markdown.width` must be an integer from 20 to 65535, found a string
     --> $PROJECT/.jp/config.toml:3:18
      |
    3 | markdown.width = "wide"
      |                  ^^^^^^

    error: `plugins.auto_install` must be a boolean, found an integer
     --> $PROJECT/.jp/config.toml:6:16
      |
    6 | auto_install = 1
      |                ^

    error: `style.color` must be one of "auto", "always", "never", found "sometimes"
     --> .jp.toml:2:9
      |
    2 | color = "sometimes"
      |         ^^^^^^^^^^^
    "#);
}

#[test]
fn a_syntax_error_is_shown_with_its_place() {
    let env = jp_test::env!();
    env.write(".jp/config.toml", "[style\ncolor = 1\n");
    assert_snapshot!(env.jp(["config", "show"]).run().code(2), @"
    $ jp config show
    exit code: 2
    --- stderr
    error: unclosed table, expected `]`
     --> .jp/config.toml:1:7
      |
    1 | [style
      |       ^ not valid TOML
    ");
}

#[test]
fn a_wrong_cfg_argument_says_what_is_wrong_with_it() {
    let env = jp_test::env!();
    let run = |argument: &str| env.jp(["config", "show", "--cfg", argument]).run().code(2);
    assert_snapshot!(run("style.colour=never"), @"
    $ jp config show --cfg style.colour=never
    exit code: 2
    --- stderr
    error: unknown key `colour` in `style`
     --> --cfg style.colour=never:1:7
      |
    1 | style.colour=never
      |       ^^^^^^
      |
      = help: did you mean `color`?
    ");
    assert_snapshot!(run("missing.toml"), @"
    $ jp config show --cfg missing.toml
    exit code: 2
    --- stderr
    error: --cfg missing.toml: no such file
    hint: to set a value, write `--cfg key.path=value`
    ");
    assert_snapshot!(run("style..color=never"), @"
    $ jp config show --cfg style..color=never
    exit code: 2
    --- stderr
    error: a part of the key is empty
     --> --cfg style..color=never:1:7
      |
    1 | style..color=never
      |       ^
    ");
}

#[test]
fn a_file_that_cannot_be_read_is_not_passed_over() {
    let env = jp_test::env!();
    env.write(".jp/config.toml/file", "");
    assert_snapshot!(env.jp(["config", "show"]).run().code(2), @"
    $ jp config show
    exit code: 2
    --- stderr
    error: cannot read $PROJECT/.jp/config.toml: not a regular file
    ");
    let env = jp_test::env!();
    env.write(".jp/config.toml", [0xff, 0xfe]);
    assert_snapshot!(env.jp(["config", "show"]).run().code(2), @"
    $ jp config show
    exit code: 2
    --- stderr
    error: $PROJECT/.jp/config.toml is not UTF-8 text: invalid utf-8 sequence of 1 bytes from index 0
    ");
}

#[test]
fn an_unknown_theme_is_a_mistake_in_the_configuration() {
    let env = jp_test::env!();
    env.write(".jp/config.toml", "[style]\ntheme = \"nope\"\n");
    let output = env.jp(["conversation", "ls"]).run().code(2);
    assert_eq!(
        output.stderr().lines().next().unwrap(),
        "error: .jp/config.toml:2: `style.theme`: unknown theme \"nope\"",
    );
}

#[test]
fn a_wrong_path_names_the_wrong_segment() {
    let env = jp_test::env!();
    assert_snapshot!(env.jp(["config", "show", "assistant.modle.id"]).run().code(2), @"
    $ jp config show assistant.modle.id
    exit code: 2
    --- stderr
    error: `assistant.modle.id`: no key `modle` in `assistant`; did you mean `model`?
    hint: `jp config schema` describes every key
    ");
}

#[test]
fn what_show_prints_loads_again_as_the_same_configuration() {
    let env = jp_test::env!();
    env.jp(["init"]).run().success();
    let first = env.jp(["config", "show"]).run().success().stdout().to_owned();
    env.write("copy.toml", &first);
    env.write(".jp/config.toml", "");
    let second = env.jp(["config", "show", "--cfg", "copy.toml"]).run().success();
    assert_eq!(second.stdout(), first);
}

#[test]
fn the_schema_is_json_and_describes_every_key() {
    let env = jp_test::env!();
    let schema = env.jp(["config", "schema"]).run().success();
    let schema: serde_json::Value = serde_json::from_str(schema.stdout()).unwrap();
    for key in ["assistant", "conversation", "plugins", "server", "style", "tools"] {
        assert!(schema["properties"][key].is_object(), "{key}");
    }
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let env = jp_test::env!();
    env.write(".jp/config.toml", "");
    env.command("/usr/bin/mkfifo", [".jp.toml"]).run().success();
    let output = env.jp(["conversation", "ls"]).run().code(2);
    assert!(output.stderr().contains("not a regular file"), "{output}");
    // What the user names can be a pipe.
    let jp = env!("CARGO_BIN_EXE_jp");
    let script = format!(
        "rm .jp.toml; {jp} config show assistant.name --cfg <(echo 'assistant.name = \"piped\"')"
    );
    let output = env.command("/bin/bash", ["-c", &script]).run().success();
    assert_eq!(output.stdout(), "\"piped\"\n");
}

#[test]
fn settings_of_another_user_are_not_obeyed() {
    let env = jp_test::env!();
    env.write(".jp/config.toml", "[assistant]\nname = \"theirs\"\n");
    env.write("mine/file", "");
    let jp = env!("CARGO_BIN_EXE_jp");
    // Only root can give a file away; everybody else has no such directory to test with.
    if env.command("/bin/chown", ["-R", "12345", "."]).run().exit_code() != Some(0) {
        return;
    }
    let nobody = ["--reuid=65534", "--clear-groups", jp, "config", "show"];
    env.command("/bin/chmod", ["-R", "a+rX", env.root().as_str()]).run().success();
    let output = env.command("/usr/bin/setpriv", nobody).run().code(1);
    assert!(output.stderr().contains("belongs to another user (uid 12345)"), "{output}");
}
