//! Servers that do not start or do not answer: what a person is told.

use jp_test::mcp::Program;

use super::{call, with_server, world};

/// The server for SQLite does not know the version of the library that it gets.
#[test]
fn a_server_that_dies_at_its_start_is_quoted() {
    let env = world();
    super::configure(&env, &Program::sqlite(&env.path("a.db")), "");
    let output = call(&env, "list_tables", &[]).run().code(1);
    assert!(output.stderr().contains("`other`"), "{output}");
    assert!(
        output.stderr().contains("AttributeError: 'Server' object has no attribute"),
        "{output}"
    );
}

#[test]
fn a_server_that_is_too_slow_is_not_waited_for() {
    let env = with_server(&Program::debug(), "timeout_secs = 3\n");
    let output = call(&env, "debug-tool", &["delayMs=60000"]).run().code(124);
    assert!(output.stderr().contains("within 3 s"), "{output}");
}
