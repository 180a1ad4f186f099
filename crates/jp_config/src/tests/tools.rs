//! Tools: their other name, the defaults of `"*"`, what each must have, and what contradicts.

use serde_json::json;

use super::{config, errors, errors_of, merged, rendered};
use crate::conversation::tool::command::{Command, CommandParts};
use crate::conversation::tool::parameter::{ParameterType, ParameterTypes};
use crate::conversation::tool::source::ToolSource;
use crate::conversation::tool::{QuestionTarget, ResultMode, RunMode, Runtime};
use crate::{Config, Layer};

/// D11-238 among others.
#[test]
fn a_tool_is_read_in_full() {
    let config = config(
        r#"
        [conversation.tools.count]
        source = "local"
        enable = false
        run = "unattended"
        result = "skip"
        command = { program = "wc", args = ["-w", "{{tool.arguments.path}}"], shell = true }
        runtime = "vfs"
        program_files = ["lib/", "/opt/helper.py"]
        summary = "Count words."
        description = "Long."
        examples = "count path=README.md"
        options = { limit = 3, nested = { a = [1] } }
        questions.overwrite = { target = "assistant", answer = true }
        style.show_result = false

        [conversation.tools.count.parameters.path]
        type = "string"
        summary = "Where."

        [conversation.tools.count.parameters.depth]
        type = ["integer", "null"]
        default = 1
        minimum = 0
        enum = [1, 2]

        [conversation.tools.count.parameters.filter]
        type = "array"
        required = false
        items = { type = "object", properties = { a = { type = "string", pattern = "^x" } } }
        oneOf = [{ minItems = 1 }, { maxItems = 0 }]
        "#,
    );
    let tool = config.app.tool("count").unwrap();
    assert_eq!(tool.source, &ToolSource::Local { tool: None });
    assert_eq!(tool.name_at_source(), "count");
    let tool = tool.config;
    assert!(!tool.enable);
    assert_eq!((tool.run, tool.result), (RunMode::Unattended, ResultMode::Skip));
    assert_eq!(tool.runtime, Runtime::Vfs);
    let files: Vec<&str> = tool.program_files.iter().map(|it| &**it).collect();
    assert_eq!(files, ["lib/", "/opt/helper.py"]);
    let args = vec!["-w".to_owned(), "{{tool.arguments.path}}".to_owned()];
    let parts = CommandParts { program: "wc".to_owned(), args, shell: true };
    assert_eq!(tool.command, Some(Command::Parts(parts)));
    assert_eq!(tool.options["nested"], json!({ "a": [1] }));
    assert_eq!(tool.questions["overwrite"].target, QuestionTarget::Assistant);
    assert_eq!(tool.questions["overwrite"].answer, Some(json!(true)));
    assert!(tool.style.show_arguments && !tool.style.show_result);
    let parameters = tool.parameters.as_ref().unwrap();
    let types = vec![ParameterType::Integer, ParameterType::Null];
    assert_eq!(parameters["depth"].kind, Some(ParameterTypes::Many(types)));
    assert_eq!(parameters["depth"].default, Some(json!(1)));
    assert_eq!(parameters["filter"].one_of.as_ref().unwrap().len(), 2);
    let item = parameters["filter"].items.as_ref().unwrap();
    assert_eq!(item.properties.as_ref().unwrap()["a"].pattern.as_deref(), Some("^x"));
}

/// D11-239, D11-253.
#[test]
fn a_tool_needs_little() {
    let config = config("[conversation.tools.x]\nsource = 'local'\ncommand = 'prog --flag'");
    let tool = config.app.tool("x").unwrap().config;
    assert!(tool.enable);
    assert_eq!((tool.run, tool.result), (RunMode::Ask, ResultMode::Unattended));
    assert_eq!(tool.runtime, Runtime::Stdio);
    assert_eq!(tool.command, Some(Command::Line("prog --flag".to_owned())));
    assert_eq!(tool.parameters, None);
}

/// Not giving `parameters` and giving none differ: the first asks the tool for them.
#[test]
fn an_empty_table_of_parameters_is_one() {
    let config = config("[tools.x]\nsource = 'local'\nparameters = {}");
    assert!(config.app.tool("x").unwrap().config.parameters.as_ref().unwrap().is_empty());
}

/// D11-241.
#[test]
fn tools_is_another_name_for_conversation_tools() {
    let body = "source = 'builtin'\nrun = 'edit'\noptions.a = 1";
    let short = config(&format!("[tools.x]\n{body}"));
    let long = config(&format!("[conversation.tools.x]\n{body}"));
    assert_eq!(short.app, long.app);
    assert_eq!(short.get(Some("tools.x")), long.get(Some("conversation.tools.x")));
    assert_eq!(config("[tools.'*']\nrun = 'edit'").app, {
        config("[conversation.tools.'*']\nrun = 'edit'").app
    });
}

#[test]
fn different_tools_may_use_different_names() {
    let config = config(
        "[tools.x]\nsource = 'local'\n[conversation.tools.y]\nsource = 'local'\n\
         [tools.'*']\nrun = 'skip'",
    );
    let names: Vec<&str> = config.app.conversation.tools.iter().map(|it| it.name).collect();
    assert_eq!(names, ["y", "x"]);
    let skipped = |name| config.app.tool(name).unwrap().config.run == RunMode::Skip;
    assert!(skipped("x") && skipped("y"));
}

/// 076-010, D11-242: in one file, and in two layers.
#[test]
fn the_same_tool_under_both_names_is_an_error_that_names_both_places() {
    insta::assert_snapshot!(
        rendered("[tools.x]\nsource = 'local'\n\n[conversation.tools.x]\nrun = 'skip'\n"),
        @r"
    error: `tools.x` and `conversation.tools.x` are the same tool
     --> .jp/config.toml:1:8
      |
    1 | [tools.x]
      |        ^ here as `tools.x`
      |
     ::: .jp/config.toml:4:21
      |
    4 | [conversation.tools.x]
      |                     - here as `conversation.tools.x`
      |
      = help: `tools` is another way to write `conversation.tools`; use one of them for a tool, in all layers
    "
    );
    let layers = vec![
        Layer::workspace("w", "[conversation.tools.x]\nsource = 'local'"),
        Layer::assignment("tools.x.run=skip"),
    ];
    let errors = Config::load(layers).unwrap_err().render(false);
    assert!(errors.contains("--cfg tools.x.run=skip:1:7"), "{errors}");
    assert!(errors.contains("w:1:21"), "{errors}");
    assert_eq!(
        super::errors("[tools.'*']\nrun='ask'\n[conversation.tools.'*']\nrun='ask'"),
        "w.toml:1:8: `tools.\"*\"` and `conversation.tools.\"*\"` are the same tool"
    );
}

#[test]
fn defaults_for_all_tools_reach_each_that_does_not_say_otherwise() {
    let config = merged(vec![
        Layer::user("u", "[conversation.tools.'*']\nrun = 'skip'\nstyle.show_result = false"),
        Layer::workspace(
            "w",
            "[conversation.tools.a]\nsource = 'local'\nrun = 'edit'\nstyle.show_arguments = false\n\
             [conversation.tools.b]\nsource = 'builtin'\n\
             [conversation.tools.'*'.questions]\nsure.answer = true",
        ),
    ]);
    let (a, b) = (config.app.tool("a").unwrap().config, config.app.tool("b").unwrap().config);
    assert_eq!((a.run, b.run), (RunMode::Edit, RunMode::Skip));
    assert_eq!((a.style.show_arguments, a.style.show_result), (false, false));
    assert_eq!((b.style.show_arguments, b.style.show_result), (true, false));
    assert_eq!(a.questions["sure"].answer, Some(json!(true)));
    assert_eq!(config.app.conversation.tools.defaults().run, RunMode::Skip);
    assert_eq!(config.app.tool("*"), None);
    assert_eq!(config.app.tool("c"), None);
}

/// Half of one command and half of another make none.
#[test]
fn a_default_command_is_taken_whole_or_not_at_all() {
    let config = config(
        "[tools.'*']\nsource = 'local'\ncommand = { program = 'all', args = ['x'] }\n\
         [tools.a]\ncommand = { program = 'own' }\n[tools.b]\nenable = true",
    );
    assert_eq!(config.get(Some("tools.a.command.args")).unwrap(), json!([]));
    assert_eq!(config.get(Some("tools.b.command.args")).unwrap(), json!(["x"]));
    assert_eq!(config.get(Some("tools.b.source")).unwrap(), json!("local"));
}

#[test]
fn options_cannot_be_set_for_all_tools() {
    insta::assert_snapshot!(rendered("[conversation.tools.'*']\noptions = { a = 1 }\n"), @r#"
    error: `conversation.tools."*".options` cannot be set
     --> .jp/config.toml:2:1
      |
    2 | options = { a = 1 }
      | ^^^^^^^
      |
      = help: `options` belongs to one tool; set it under the tool's own name
    "#);
}

#[test]
fn a_source_is_needed_and_its_absence_points_at_the_layer_that_began_the_tool() {
    let layers = vec![
        Layer::user("u", "[style]\ncolor = 'never'"),
        Layer::workspace("w", "\n[conversation.tools.x]\nrun = 'ask'"),
        Layer::directory("d", "[conversation.tools.x]\nenable = false"),
    ];
    assert_eq!(errors_of(layers.clone()), "w:2:21: `conversation.tools.x` has no `source`");
    // Any layer may bring it.
    let source = Layer::assignment("conversation.tools.x.source=local");
    merged([layers, vec![source]].concat());
    config("[conversation.tools.'*']\nrun = 'ask'");
}

#[test]
fn a_command_needs_a_program_and_a_checksum_both_parts() {
    assert_eq!(
        errors("[tools.x]\nsource = 'local'\ncommand = { args = ['a'] }"),
        "w.toml:3:1: `conversation.tools.x.command` has no `program`"
    );
    assert_eq!(
        errors("plugins.command.x.checksum.algorithm = 'sha256'"),
        "w.toml:1:19: `plugins.command.x.checksum` has no `value`"
    );
}

#[test]
fn sources_are_these() {
    let check = |text: &str, wanted: Result<ToolSource, &str>| {
        let found = text.parse::<ToolSource>();
        if let Ok(source) = &found {
            assert_eq!(source.to_string(), text);
        }
        assert_eq!(found.map_err(|it| it.to_string()), wanted.map_err(str::to_owned), "{text}");
    };
    let tool = || Some("a.b".to_owned());
    check("local", Ok(ToolSource::Local { tool: None }));
    check("local.a.b", Ok(ToolSource::Local { tool: tool() }));
    check("builtin", Ok(ToolSource::Builtin { tool: None }));
    check("builtin.a.b", Ok(ToolSource::Builtin { tool: tool() }));
    let (server, mcp_tool) = ("s".to_owned(), "a.b".to_owned());
    check("mcp.s.a.b", Ok(ToolSource::Mcp { server, tool: mcp_tool }));
    check("mcp", Err("does not name both the server and the tool"));
    check("mcp.s", Err("does not name both the server and the tool"));
    check("mcp..t", Err("does not name both the server and the tool"));
    check("local.", Err("is not a tool source: no tool is named after the dot"));
    check("Local", Err("is not a tool source"));
    check("", Err("is not a tool source"));
}

#[test]
fn a_wrong_source_comes_with_the_right_ones() {
    insta::assert_snapshot!(rendered("[tools.x]\nsource = 'bultin.y'\n"), @r#"
    error: `tools.x.source`: "bultin.y" is not a tool source
     --> .jp/config.toml:2:10
      |
    2 | source = 'bultin.y'
      |          ^^^^^^^^^^
      |
      = help: did you mean `builtin.y`?
      = help: a source is `local`, `local.<tool>`, `builtin`, `builtin.<tool>` or `mcp.<server>.<tool>`
    "#);
}

#[test]
fn a_tool_of_a_source_is_picked_by_source_or_by_key_or_by_name() {
    let check = |body: &str, wanted: &str| {
        let config = config(&format!("[tools.x]\n{body}"));
        assert_eq!(config.app.tool("x").unwrap().name_at_source(), wanted, "{body}");
    };
    check("source = 'local'", "x");
    check("source = 'local.y'", "y");
    check("source = 'local'\ntool = 'z'", "z");
    check("source = 'local.y'\ntool = 'y'", "y");
    check("source = 'mcp.server.w'", "w");
    assert_eq!(
        errors("[tools.x]\nsource = 'local.y'\ntool = 'z'"),
        "w.toml:3:8: `conversation.tools.x.tool` is \"z\", but `source` already picks \"y\""
    );
}

/// D11-240.
#[test]
fn a_runtime_of_a_tool_that_is_not_local_is_warned_of() {
    let config = config("[tools.x]\nsource = 'builtin'\nruntime = 'vfs'\n");
    insta::assert_snapshot!(config.warnings().render(false), @r"
    warning: `conversation.tools.x.runtime` has no effect: only local tools have a runtime
     --> w.toml:3:1
      |
    3 | runtime = 'vfs'
      | ^^^^^^^
      |
     ::: w.toml:2:10
      |
    2 | source = 'builtin'
      |          --------- this source is not local
    ");
    let quiet = super::config("[tools.x]\nsource = 'local'\nruntime = 'vfs'");
    assert!(quiet.warnings().is_empty());
    let quiet = super::config("[tools.'*']\nruntime = 'vfs'\n[tools.x]\nsource = 'builtin'");
    assert!(quiet.warnings().is_empty());
}

/// 072-324.
#[test]
fn a_plugin_takes_install_run_checksum_and_options() {
    let digits = "0123456789abcdefABCDEF".repeat(3)[..64].to_owned();
    let config = config(&format!(
        "[plugins.command.web]\ninstall = false\nrun = 'deny'\noptions = {{ a = 1 }}\n\
         checksum = {{ algorithm = 'sha256', value = '{digits}' }}"
    ));
    let plugin = &config.app.plugins.command["web"];
    assert_eq!(plugin.install, Some(false));
    assert_eq!(plugin.run, Some(crate::plugins::PluginRun::Deny));
    assert_eq!(plugin.options["a"], json!(1));
    let checksum = plugin.checksum.as_ref().unwrap();
    assert!(checksum.value.matches(&digits.to_lowercase()));
    assert!(!checksum.value.matches(&digits[1..]));
}

#[test]
fn tools_from_json_keep_their_rules() {
    let read = |json| serde_json::from_value::<crate::AppConfig>(json).map_err(|it| it.to_string());
    let tools = |tools| json!({ "conversation": { "tools": tools } });
    assert!(read(tools(json!({ "x": { "source": "local" } }))).is_ok());
    assert_eq!(read(tools(json!({ "x": {} }))).unwrap_err(), "tool `x` has no `source`");
    assert_eq!(
        read(tools(json!({ "*": { "options": { "a": 1 } } }))).unwrap_err(),
        "`\"*\"` cannot hold `options`, `access`, `sandbox`, `system`, `program_files`"
    );
}
