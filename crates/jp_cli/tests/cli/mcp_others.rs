//! MCP servers that other people wrote, through the real program.
//!
//! `jp_test::mcp` says which servers these are and how they get here. What a test says is kept from a
//! confined server is first shown to be there without the rules.

mod asked;
mod confined;
mod reached;
mod shown;
mod stopped;

use std::{fmt::Write as _, time::Duration};

use jp_test::{Run, TestEnv, mcp::Program};

use super::sandbox::world;

/// A server in Python takes a second to start, and the machine may have more to do.
const LIMIT: Duration = Duration::from_mins(2);

/// One directory of the workspace, for reading, and no network: a rule for it that allows nothing.
const GRANTED: &str = "\
[[providers.mcp.other.access.fs]]
path = \"granted\"
read = true
[[providers.mcp.other.access.net]]
host = \"localhost\"
";

/// A workspace with this server in it, called `other`, and these rules for it.
fn with_server(server: &Program, rules: &str) -> TestEnv {
    let env = world();
    configure(&env, server, rules);
    env
}

fn configure(env: &TestEnv, server: &Program, rules: &str) {
    env.write(".jp/config.toml", format!("{}{rules}", config(server)));
    super::mcp::allow(env, &["other"]);
}

/// The configuration of a server called `other`.
fn config(server: &Program) -> String {
    let quoted = |words: &mut dyn Iterator<Item = &str>| {
        let words: Vec<String> = words.map(|word| format!("{word:?}")).collect();
        format!("[{}]", words.join(", "))
    };
    let arguments = quoted(&mut server.arguments.iter().map(String::as_str));
    let reads = quoted(&mut server.reads.iter().map(|path| path.as_str()));
    let mut config = format!(
        "[providers.mcp.other]\ncommand = {:?}\narguments = {arguments}\nsystem.read = {reads}\n",
        server.program.as_str()
    );
    for (name, value) in &server.variables {
        let _ = writeln!(config, "variables.{name} = {value:?}");
    }
    config
}

/// A call of a tool of the server called `other`.
fn call<'env>(env: &'env TestEnv, tool: &str, arguments: &[&str]) -> Run<'env> {
    env.jp([&["mcp", "call", "other", tool], arguments].concat()).timeout(LIMIT)
}
