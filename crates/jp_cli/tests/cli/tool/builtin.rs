//! `describe_tools`: what is not sent with every request is given on request.

use super::*;

/// D06-013, D06-022
#[test]
fn tools_are_explained() {
    let builtin =
        "[conversation.tools.describe_tools]\nsource = \"builtin\"\nrun = \"unattended\"\n";
    let renamed = "[conversation.tools.explain]\nsource = \"builtin.describe_tools\"\nrun = \"unattended\"\nsummary = \"Mine.\"\n";
    let env = workspace(&(local("t", "./t.sh") + "examples = \"t path=x\"\n" + builtin + renamed));
    program(
        &env,
        "t.sh",
        &described(
            r#"{"path":{"type":"string","summary":"Short.","description":"A long story."}}"#,
        ),
    );
    insta::assert_snapshot!(run(&env, &["describe_tools", "tools=t", "tools=nothing"]).run(), @"
    $ jp tool run describe_tools tools=t tools=nothing
    exit code: 0
    --- stdout
    # t

    Does it.

    At length.

    ## Parameters

    - `path`: A long story.

    ## Examples

    t path=x

    # nothing

    there is no tool `nothing`
    ");
    insta::assert_snapshot!(env.jp(["tool", "show", "describe_tools"]).run().success().stdout(), @"
    # describe_tools

    Explain tools: their long descriptions, examples and parameters.

    ## Parameters

    - `tools` (array of string, required): The names of the tools to explain.

    ## How it runs

    - source: `builtin`, configured in .jp/config.toml:6
    - before a call: `unattended`
    ");
    let output = run(&env, &["explain", "explain"]).run().success();
    assert!(output.stdout().starts_with("# explain\n\nMine."), "{output}");
    run(&env, &["describe_tools"]).run().code(2);
    run(&env, &["describe_tools", "tools:=[]"]).run().code(2);
    run(&env, &["describe_tools", "tools:=[7]"]).run().code(2);
}
