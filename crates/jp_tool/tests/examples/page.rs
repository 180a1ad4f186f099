//! What `docs/tools.md` shows is what works: its tools are run, its lines are read.

use jp_tool::Invocation;

use super::*;

const PAGE: &str = include_str!("../../../../docs/tools.md");

/// The blocks of code in this language.
fn blocks(language: &str) -> Vec<&'static str> {
    let opening = format!("```{language}\n");
    PAGE.split(&*opening).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn the_tool_in_rust_is_the_example() {
    let file = include_str!("../../../../examples/tools/count_lines.rs");
    assert!(
        blocks("rust").contains(&file),
        "docs/tools.md shows another examples/tools/count_lines.rs"
    );
}

#[test]
fn the_tool_in_shell_runs() {
    find("jq", "install the package jq");
    let env = workspace();
    env.write("disk_usage", blocks("sh")[0]);
    let run = |action, arguments| {
        let line = invocation(&env, action, arguments, "{}");
        env.command("sh", ["disk_usage"]).env("PATH", path()).stdin(line).run()
    };
    let schema = run("schema", "{}").success();
    assert_eq!(SchemaResponse::parse(line(&schema)).unwrap().tools[0].name, "disk_usage");
    let shown = run("format_arguments", r#"{"path":"a b"}"#).success();
    assert_eq!(text(&shown), "how much room a b takes");
    let result = run("run", r#"{"path":"sub"}"#).success();
    assert!(text(&result).ends_with("\tsub"), "{result}");
    for arguments in ["{}", r#"{"path":7}"#] {
        assert_eq!(error(&run("run", arguments)), "argument `path`: expected a string");
    }
    assert_eq!(error(&run("run", r#"{"path":"-x\""}"#)), "cannot look at -x\"");
}

#[test]
fn the_lines_are_messages() {
    let lines = blocks("json");
    assert_eq!(lines.len(), 3);
    Invocation::parse(lines[0]).unwrap();
    Outcome::parse(lines[1]).unwrap();
    SchemaResponse::parse(lines[2]).unwrap();
}
