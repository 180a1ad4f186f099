//! Questions of a server of the older era, which waits for the answer inside the call.

use jp_test::mcp::Program;

use super::{call, with_server};

const TOOL: &str = "trigger-elicitation-request";

/// A form of many fields is many questions; those with a default need no answer.
#[test]
fn a_form_is_answered_on_the_command_line() {
    let env = with_server(&Program::everything(), "");
    let answers = ["--answer", "name=Ada", "--answer", "integer=7"];
    let output = call(&env, TOOL, &answers).run().success();
    assert!(output.stdout().contains("- Name: Ada\n- Favorite Integer: 7\n"), "{output}");
    assert!(output.stdout().contains("It was a dark and stormy night."), "a default: {output}");
}

#[test]
fn a_form_that_nobody_can_answer_is_refused_at_once() {
    let env = with_server(&Program::everything(), "");
    let output = call(&env, TOOL, &[]).run().code(3);
    assert!(output.stderr().contains("`name`") && output.stderr().contains("--answer"), "{output}");
}
