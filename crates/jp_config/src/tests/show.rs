//! `config show`: what is printed, where each value is said to come from, and which keys exist.

use serde_json::{Value, json};

use super::{config, merged};
use crate::{Config, Layer, ShowFormat};

fn layers() -> Config {
    merged(vec![
        Layer::user("~/.config/jp/config.toml", "[assistant]\ninstructions = ['from user']\n"),
        Layer::workspace(
            ".jp/config.toml",
            "# remark\n[assistant]\nname = 'Ada'\ninstructions = [\n  'one',\n  'two',\n]\n\n\
             [conversation.tools.'*']\nrun = 'skip'\n\n\
             [conversation.tools.count]\nsource = 'local'\ncommand = 'wc -w'\n\
             options = { 'odd key' = [1, 2.5], empty = {} }\n",
        ),
        Layer::assignment("server.web.port=8080"),
    ])
}

#[test]
fn the_file_of_a_value_is_known() {
    let config = layers();
    assert_eq!(config.file("tools.count.source"), Some(".jp/config.toml"));
    assert_eq!(config.file("tools.count.enable"), None);
    assert_eq!(config.file("nothing"), None);
}

fn toml(config: &Config, path: &str, origin: bool) -> String {
    config.show(Some(path), ShowFormat::Toml, origin).unwrap()
}

#[test]
fn the_whole_is_a_configuration() {
    insta::assert_snapshot!(layers().show(None, ShowFormat::Toml, false).unwrap(), @r#"
    [assistant]
    name = "Ada"
    instructions = ["from user", "one", "two"]

    [assistant.model]
    id = {}
    parameters = {}

    [conversation.tools."*"]
    enable = true
    run = "skip"
    result = "unattended"
    retries = 3
    timeout_secs = 600
    runtime = "stdio"

    [conversation.tools."*".style]
    show_arguments = true
    show_result = true

    [conversation.tools.count]
    source = "local"
    enable = true
    run = "skip"
    result = "unattended"
    retries = 3
    timeout_secs = 600
    command = "wc -w"
    runtime = "stdio"

    [conversation.tools.count.options]
    "odd key" = [1, 2.5]
    empty = {}

    [conversation.tools.count.style]
    show_arguments = true
    show_result = true

    [plugins]
    auto_install = true
    shutdown_timeout_secs = 5
    registry = "https://jp.computer/plugins.json"
    command = {}

    [project]
    backend = "fs"

    [sandbox]
    default = "workspace"
    allow_degraded = false
    presets = []
    read = []
    write = []
    sensitive_paths = []

    [server.web]
    bind = "127.0.0.1"
    port = 8080

    [style]
    color = "auto"
    color_depth = "auto"
    markdown = {}
    control_sequences = "strip"

    [vfs]
    file_bytes = 10000000
    message_bytes = 16777216
    request_timeout_secs = 60
    cancel_grace_secs = 5
    kill_after_secs = 2
    http_timeout_secs = 30
    process_timeout_secs = 600
    "#);
}

#[test]
fn every_value_says_the_layer_and_line_it_comes_from() {
    let config = layers();
    insta::assert_snapshot!(toml(&config, "assistant", true), @r#"
    [assistant]
    name = "Ada"      # .jp/config.toml:3
    instructions = [
        "from user",  # ~/.config/jp/config.toml:2
        "one",        # .jp/config.toml:5
        "two",        # .jp/config.toml:6
    ]

    [assistant.model]
    id = {}          # default
    parameters = {}  # default
    "#);
    insta::assert_snapshot!(toml(&config, "conversation.tools.count", true), @r#"
    [conversation.tools.count]
    source = "local"       # .jp/config.toml:13
    enable = true          # default
    run = "skip"           # .jp/config.toml:10
    result = "unattended"  # default
    retries = 3            # default
    timeout_secs = 600     # default
    command = "wc -w"      # .jp/config.toml:14
    runtime = "stdio"      # default

    [conversation.tools.count.options]
    "odd key" = [1, 2.5]  # .jp/config.toml:15
    empty = {}            # .jp/config.toml:15

    [conversation.tools.count.style]
    show_arguments = true  # default
    show_result = true     # default
    "#);
    insta::assert_snapshot!(toml(&config, "server", true), @r#"
    [server.web]
    bind = "127.0.0.1"  # default
    port = 8080         # --cfg server.web.port=8080
    "#);
}

#[test]
fn a_single_value_is_just_that() {
    let config = layers();
    let check = |path: &str, origin: bool, wanted: &str| {
        assert_eq!(toml(&config, path, origin), wanted, "{path}");
    };
    check("assistant.name", false, "\"Ada\"\n");
    check("assistant.name", true, "\"Ada\"  # .jp/config.toml:3\n");
    check("server.web.port", true, "8080  # --cfg server.web.port=8080\n");
    check("assistant.instructions", false, "[\"from user\", \"one\", \"two\"]\n");
    check("tools.count.options.\"odd key\"", false, "[1, 2.5]\n");
    check("style.markdown", false, "[style.markdown]\n");
    check("tools.count.questions", false, "[conversation.tools.count.questions]\n");
}

#[test]
fn a_long_list_takes_a_line_for_each_element() {
    let text = format!("assistant.instructions = ['{}', 'b']", "a".repeat(90));
    let shown = toml(&config(&text), "assistant.instructions", false);
    assert_eq!(shown, format!("[\n    \"{}\",\n    \"b\",\n]\n", "a".repeat(90)));
}

#[test]
fn json_is_the_value_or_every_leaf_with_its_origin() {
    let config = layers();
    let json = |path: Option<&str>, origin: bool| -> Value {
        serde_json::from_str(&config.show(path, ShowFormat::Json, origin).unwrap()).unwrap()
    };
    assert_eq!(json(Some("server"), false), json!({"web": {"bind": "127.0.0.1", "port": 8080}}));
    assert_eq!(json(Some("server.web.port"), false), json!(8080));
    assert_eq!(json(None, false), serde_json::to_value(&config.app).unwrap());
    assert_eq!(
        json(Some("server"), true),
        json!({
            "server.web.bind": { "value": "127.0.0.1", "origin": { "layer": "default" } },
            "server.web.port": {
                "value": 8080,
                "origin": {
                    "layer": "assignment", "path": "--cfg server.web.port=8080", "line": 1,
                },
            },
        })
    );
    let workspace =
        |line: u32| json!({ "layer": "workspace", "path": ".jp/config.toml", "line": line });
    assert_eq!(
        json(Some("assistant.instructions"), true),
        json!({
            "assistant.instructions": {
                "value": ["from user", "one", "two"],
                "origin": workspace(4),
                "elements": [
                    { "layer": "user", "path": "~/.config/jp/config.toml", "line": 1 + 1 },
                    workspace(5),
                    workspace(6),
                ],
            },
        })
    );
}

#[test]
fn a_wrong_path_names_the_wrong_part_and_the_nearest_right_one() {
    let config = layers();
    let check = |path: &str, wanted: &str| {
        let error = config.show(Some(path), ShowFormat::Toml, false).unwrap_err();
        assert_eq!(error.to_string(), wanted);
        assert_eq!(config.get(Some(path)).unwrap_err(), error);
    };
    check(
        "assistant.modle",
        "`assistant.modle`: no key `modle` in `assistant`; did you mean `model`?",
    );
    check("asistant.model.id", "`asistant.model.id`: no key `asistant`; did you mean `assistant`?");
    check(
        "server.web.timeout",
        "`server.web.timeout`: no key `timeout` in `server.web`; known keys are `bind`, `port`",
    );
    check(
        "tools.cuont.run",
        "`tools.cuont.run`: no key `cuont` in `conversation.tools`; did you mean `count`?",
    );
    check(
        "assistant.name.first",
        "`assistant.name.first`: no key `first` in `assistant.name`, which is a string",
    );
    check("assistant.model.id.provider", "`assistant.model.id.provider` is not set");
    check("style.theme", "`style.theme` is not set");
    check(
        "tools.count.questions.sure",
        "`tools.count.questions.sure`: no key `sure` in `conversation.tools.count.questions`",
    );
    check("tools.*.command.args", "`tools.*.command.args` is not set");
    check(
        "tools.*.command.agrs",
        "`tools.*.command.agrs`: no key `agrs` in `conversation.tools.\"*\".command`; did you mean `args`?",
    );
    check(
        "assistant.model.parameters.x",
        "`assistant.model.parameters.x`: no key `x` in `assistant.model.parameters`",
    );
    check(
        "conversation.tools.*.options",
        "`conversation.tools.*.options`: no key `options` in `conversation.tools.\"*\"`; \
         known keys are `source`, `tool`, `enable`, `run`, `result`, `retries`, `timeout_secs`, `command`, `runtime`, \
         `summary`, `description`, `examples`, `parameters`, `questions`, `style`",
    );
    check("", "`` is not a key: a part of the key is empty");
    check("a..b", "`a..b` is not a key: a part of the key is empty");
}
