//! What a plugin will be able to do, in a line for each kind of thing: for whoever is to agree to it.
//!
//! The rules are those of `jp tool explain`, read by the same code. Only what is granted is shown, and of that
//! no more than a line: who wants every rule has the file that they are in.

use jp_config::{
    ToolPolicy,
    plugins::CommandPluginConfig,
    sandbox::{SandboxDefault, SandboxSettings, SystemConfig},
};
use jp_plugin_host::help::one_line;
use jp_tool::access::AccessPolicy;

use crate::{
    cmd::tool::explain::{Row, rows},
    confine::plugin_sandbox,
    ctx::Ctx,
    error::Result,
};

/// What a plugin may do, as lines with a name.
pub(crate) fn rights(ctx: &Ctx, id: &str) -> Result<Vec<(&'static str, String)>> {
    let settings = ctx.config().app.plugins.command.get(id);
    let Some(settings) = settings.filter(|it| it.access.is_some()) else {
        let all = "everything that you can do: it has no `access` rules";
        return Ok(vec![("may do", all.to_owned())]);
    };
    let mut lines = vec![("may do", "only what its `access` rules grant".to_owned())];
    if let Some(policy) = policy(ctx, id) {
        let sandbox = plugin_sandbox(&*ctx.own_config()?, ctx.config());
        lines.extend(kinds(&sandbox, settings, &policy));
    }
    Ok(lines)
}

/// The rules of a plugin. Outside of a workspace there is none that they are about, and it is enough to read them
/// as they are written.
fn policy(ctx: &Ctx, id: &str) -> Option<ToolPolicy> {
    let here = ctx.policies().plugin(id).cloned();
    here.or_else(|| ctx.config().policies(ctx.cwd()).ok()?.plugin(id).cloned())
}

/// A line for each kind. One without rules is as for a tool without any.
fn kinds(
    sandbox: &SandboxSettings,
    settings: &CommandPluginConfig,
    compiled: &ToolPolicy,
) -> [(&'static str, String); 4] {
    let rows = rows(compiled);
    let is_strict = sandbox.default == SandboxDefault::Strict;
    let line = |kind: &str, has_rules: bool, open: &str, strict: &str| {
        let of_kind = rows.iter().filter(|row| row.kind == kind && row.is_grant());
        match (has_rules, is_strict) {
            (true, _) => of_kind.map(granted).collect(),
            (false, true) => vec![strict.to_owned()],
            (false, false) => vec![open.to_owned()],
        }
    };
    let AccessPolicy { fs, net, env, commands } = &compiled.policy;
    let everything = "everything in the workspace";
    let mut files: Vec<String> = line("fs", !fs.is_empty(), everything, "the workspace (read)");
    files.extend(outside(sandbox, settings.system.as_ref()));
    let network = line("net", !net.is_empty(), "all", "none");
    let variables = line("env", !env.is_empty(), "all", "the usual few");
    let programs = line("command", commands.is_some(), "all", "none");
    [("files", files), ("network", network), ("variables", variables), ("programs", programs)]
        .map(|(name, list)| (name, shown(&list)))
}

/// A rule in a list. That a host or a variable is granted says it all.
fn granted(row: &Row) -> String {
    match row.kind {
        "fs" | "command" => format!("{} ({})", row.target, row.grants),
        _ => row.target.clone(),
    }
}

/// What it may use outside of the workspace, beside what every program needs.
fn outside(all: &SandboxSettings, own: Option<&SystemConfig>) -> Vec<String> {
    let read = all.read.0.iter().chain(own.iter().flat_map(|own| own.read.0.iter()));
    let write = all.write.0.iter().chain(own.iter().flat_map(|own| own.write.0.iter()));
    let read = read.map(|path| format!("{} (read)", &**path));
    read.chain(write.map(|path| format!("{} (read write)", &**path))).collect()
}

fn shown(list: &[String]) -> String {
    if list.is_empty() { "none".to_owned() } else { one_line(&list.join(", ")) }
}
