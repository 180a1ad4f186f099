//! Programs that do not describe themselves: the error shows what they printed, and the ways out.

use std::time::Instant;

use super::*;

/// D06-030 to D06-033, D06-041: every way to fail, with the tool and both ways out.
#[test]
fn what_was_printed_and_two_ways_out() {
    let env = with_script("echo 'usage: t FILE' >&2; exit 64");
    insta::assert_snapshot!(env.jp(["tool", "show", "t"]).run(), @"
    $ jp tool show t
    exit code: 2
    --- stderr
    error: tool `t`: asked to describe itself, the program exited with code 64
      stderr: usage: t FILE
    hint: describe its parameters in `conversation.tools.t.parameters`
    hint: or update the program so that it answers the action `schema` (docs/tools.md)
    ");

    let env = with_script("echo 'Hello there.'");
    insta::assert_snapshot!(env.jp(["tool", "show", "t"]).run(), @"
    $ jp tool show t
    exit code: 2
    --- stderr
    error: tool `t`: asked to describe itself, the program printed something else: not a description of tools: expected value at line 1 column 1
      stdout: Hello there.
    hint: describe its parameters in `conversation.tools.t.parameters`
    hint: or update the program so that it answers the action `schema` (docs/tools.md)
    ");

    let env = with_script("kill -9 $$");
    insta::assert_snapshot!(env.jp(["tool", "show", "t"]).run(), @"
    $ jp tool show t
    exit code: 2
    --- stderr
    error: tool `t`: asked to describe itself, the program was ended by SIGKILL
    hint: describe its parameters in `conversation.tools.t.parameters`
    hint: or update the program so that it answers the action `schema` (docs/tools.md)
    ");
    for (script, part) in [
        ("", "printed something else"),
        ("echo '{}'", "missing field `tools`"),
        ("echo '{\"tools\":[]}'", "describes no tool"),
        ("echo '{\"tools\":[{\"name\":\"t\"}]}'", "missing field `parameters`"),
        ("echo '[]'", "printed something else"),
        ("printf '\\377'", "printed something else"),
        ("yes", "printed more than 1048576 bytes"),
        ("yes >&2", "printed more than 1048576 bytes"),
        ("exec >&-; exit 0", "printed something else"),
        (
            "echo '{\"tools\":[{\"name\":\"t\",\"parameters\":{\"p\":{\"type\":\"string\",\"pattern\":\"(\"}}}]}'",
            "not a regular expression",
        ),
    ] {
        let env = with_script(script);
        let output = env.jp(["tool", "run", "t"]).run().code(2);
        assert!(output.stderr().contains("tool `t`"), "{script}: {output}");
        assert!(output.stderr().contains(part), "{script}: {output}");
        let is_described = part.contains("regular expression");
        let ways = ["conversation.tools.t.parameters", "update the program"];
        let has_ways = ways.iter().all(|way| output.stderr().contains(way));
        assert!(has_ways || is_described, "{script}: {output}");
    }
}

/// D06-034: two seconds, and nothing stays.
#[test]
fn a_program_that_never_answers() {
    let env = workspace(&local("t", "./t.sh"));
    let mark = mark(&env);
    program(&env, "t.sh", &format!("echo thinking; setsid sleep {mark} & sleep {mark}"));
    let started = Instant::now();
    let output = env.jp(["tool", "show", "t"]).run();
    assert!(started.elapsed() < Duration::from_secs(10));
    insta::assert_snapshot!(output, @"
    $ jp tool show t
    exit code: 2
    --- stderr
    error: tool `t`: the program did not describe itself within 2 seconds
      stdout: thinking
    hint: describe its parameters in `conversation.tools.t.parameters`
    hint: or update the program so that it answers the action `schema` (docs/tools.md)
    ");
    assert_eq!(sleepers(&mark), Vec::<String>::new());
}

/// One broken tool does not hide the others, and is not hidden by them.
#[test]
fn a_list_with_a_broken_tool() {
    let env = workspace(&(local("good", "./good.sh") + &local("t", "./none.sh")));
    program(&env, "good.sh", &described("{}"));
    insta::assert_snapshot!(env.jp(["tool", "list"]).run(), @"
    $ jp tool list
    exit code: 1
    --- stdout
    TOOL  RUN         SOURCE  SUMMARY
    good  unattended  local   Does it.
    t     unattended  local   (cannot be used, see below)
    --- stderr
    error: tool `t`: the program could not be started: no program ./none.sh was found
    hint: `conversation.tools.t.command` says which program is started
    ");
    let listed = objects(&env.jp(["--format", "json", "tool", "list"]).run());
    assert_eq!(listed[0]["summary"], "Does it.");
    assert!(listed[1]["error"].as_str().unwrap().contains("tool `t`"), "{}", listed[1]);
}

/// What cannot be used says why, with the exit code of a wrong configuration.
#[test]
fn tools_that_cannot_be_used() {
    for (config, part) in [
        ("source = \"local\"", "is local but has no `command`"),
        ("source = \"mcp.server.tool\"", "no MCP server is called `server`"),
        ("source = \"builtin\"", "nothing called `t` is built in, only `describe_tools`"),
        ("source = \"local\"\ncommand = \"x\"\nruntime = \"wasm\"", "runtime = \"wasm\""),
        (
            "source = \"local\"\ncommand = \"x {{tool.argument.a}}\"",
            "did you mean `tool.arguments`?",
        ),
        ("source = \"local\"\ncommand = \"x 'y\"", "ends inside quotes"),
        ("source = \"local\"\ncommand = \"no-such-program-here\"", "no-such-program-here"),
    ] {
        let env = workspace(&format!("[conversation.tools.t]\n{config}\n"));
        let output = env.jp(["tool", "show", "t"]).run().code(2);
        assert!(output.stderr().contains(part), "{output}");
        // There is nobody to update.
        assert!(!output.stderr().contains("update the program"), "{output}");
    }
    let env = workspace("[conversation.tools.t]\nsource = \"builtin\"\n");
    insta::assert_snapshot!(env.jp(["tool", "show", "tt"]).run(), @"
    $ jp tool show tt
    exit code: 2
    --- stderr
    error: no tool is called `tt`
    hint: did you mean `t`?
    ");
    insta::assert_snapshot!(env.jp(["tool", "run", "grep"]).run(), @"
    $ jp tool run grep
    exit code: 2
    --- stderr
    error: no tool is called `grep`
    hint: the tools of this workspace are t
    ");
}

#[test]
fn a_tool_has_at_least_a_second() {
    let env = workspace(&(local("t", "true") + "timeout_secs = 0\n"));
    let output = env.jp(["tool", "list"]).run().code(2);
    assert!(output.stderr().contains("must be an integer from 1 to"), "{output}");
}

/// Only a local tool is asked what it takes, also where another one has a `command` that would answer.
#[test]
fn a_tool_of_another_source_is_not_asked() {
    // D06-018
    for (name, source, expected) in [
        ("t", "local", "Does it."),
        ("describe_tools", "builtin", "parameter"),
        ("u", "mcp.server.tool", "no MCP server is called `server`"),
    ] {
        let command = "command = \"./t.sh\"";
        let env =
            workspace(&format!("[conversation.tools.{name}]\nsource = {source:?}\n{command}\n"));
        program(&env, "t.sh", &described("{\"asked\": {\"type\": \"string\"}}"));
        let output = env.jp(["tool", "show", name]).run();
        let said = format!("{}{}", output.stdout(), output.stderr());
        assert!(said.contains(expected), "{source}: {output}");
        assert_eq!(said.contains("asked"), source == "local", "{source}: {output}");
    }
}

/// What a tool says about its failure cannot be taken for advice of jp.
#[test]
fn lines_of_a_failure_are_no_hints() {
    let env =
        with_script(&(described("{}") + "printf 'went wrong\\nhint: run this\\n' >&2; exit 1"));
    let output = env.jp(["tool", "run", "t"]).run().code(1);
    assert!(output.stderr().contains("went wrong"), "{output}");
    assert!(!output.stderr().lines().any(|line| line.starts_with("hint: run")), "{output}");
    let error = r#"printf '%s\n' '{"type":"error","message":"went wrong\nhint: run this","trace":[],"transient":false}'"#;
    let env = with_script(&(described("{}") + error));
    let output = env.jp(["tool", "run", "t"]).run().code(1);
    assert!(output.stderr().contains("\n  hint: run this"), "{output}");
}

/// The only tool of a program answers to any name, but whoever asked for another one is told.
#[test]
fn a_lone_tool_of_another_name() {
    let config = |source: &str| {
        format!("[conversation.tools.mine]\nsource = {source:?}\ncommand = \"./t.sh\"\n")
    };
    for (source, is_told) in [("local", false), ("local.t", false), ("local.other", true)] {
        let env = workspace(&config(source));
        program(&env, "t.sh", &described("{}"));
        let output = env.jp(["tool", "show", "mine"]).run().success();
        let told = "its program offers no `other`, only `t`, which is taken";
        assert_eq!(output.stderr().contains(told), is_told, "{source}: {output}");
    }
}

/// Outside of a workspace there are no tools, and that is what is said.
#[test]
fn outside_of_a_workspace() {
    let env = jp_test::env!();
    for args in [&["list"][..], &["show", "t"], &["run", "t"], &["session", "t"]] {
        let output = env.jp([&["tool"], args].concat()).run().code(2);
        assert!(output.stderr().contains("jp init"), "{output}");
    }
}
