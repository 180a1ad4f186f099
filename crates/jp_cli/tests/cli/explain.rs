//! `jp tool explain`: questions a person asks about a policy.

mod listing;
mod questions;
mod sensitive;
mod suggestions;

use jp_test::TestEnv;

/// A workspace with one tool that has rules of every kind, and one without any.
fn workspace() -> TestEnv {
    let env = jp_test::env!();
    env.write(
        ".jp/config.toml",
        r#"
[conversation.tools.edit]
source = "local"
command = "edit"

[conversation.tools.edit.access]
fs = [{ path = ".", read = true }, { path = "docs", read = true, write = true }, { path = ".env" }]
net = [{ host = "api.github.com", allow = true }, { host = "api.github.com", path_prefix = "/admin" }]
env = [{ name = "AWS_*", read = true }, { name = "AWS_SECRET_ACCESS_KEY" }]
commands.cargo.args = [["check", "**"]]

[conversation.tools.free]
source = "local"
command = "free"

[conversation.tools.mediated]
source = "local"
command = "mediated"
runtime = "vfs"
"#,
    );
    env
}
