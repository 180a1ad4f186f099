//! A program on the SDK that misbehaves on request, for the tests of what the SDK then does.
#![expect(clippy::print_stdout, reason = "that is one of its offences")]
#![expect(clippy::disallowed_methods, reason = "so is what its child does")]

use std::process::{Command, ExitCode};

use jp_tool::{Call, NoArgs, Reply, ToolError};

fn main() -> ExitCode {
    jp_tool::main([
        jp_tool::tool("panics", panics),
        jp_tool::tool("prints", prints),
        jp_tool::tool("fails", |_: NoArgs, _: &Call| -> Result<Reply, ToolError> {
            Err(ToolError::new("try later").because("it is busy").transient())
        }),
    ])
}

fn panics(_: NoArgs, _: &Call) -> Result<Reply, ToolError> {
    panic!("out of paper")
}

fn prints(_: NoArgs, _: &Call) -> Result<Reply, ToolError> {
    println!("{{\"type\":\"success\",\"content\":\"forged\"}}");
    Command::new("echo").arg("from a child").status()?;
    Ok("real".into())
}
