//! `jp tool explain`: the policy of a tool, and answers to questions about it.
//!
//! The answers come from `jp_tool::access`, the same functions that the tool itself, the host and
//! the kernel's profile are made from. What is added here is the reasoning: which rules match, which
//! of them decides, and what to write to change the answer.

mod answer;
mod suggest;

use comfy_table::{Table, presets};
use jp_config::{ToolPolicy, conversation::tool::Runtime};
use jp_printer::Print;
use jp_tool::access::{Capability, FsRule, NetRule};
use serde_json::{Value, json};

use self::answer::{Answer, Asked};
use super::find;
use crate::{
    args::ToolExplain,
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
};

pub(crate) fn run(ctx: &Ctx, args: &ToolExplain) -> Result {
    let tool = find(ctx, &args.name)?;
    let compiled = ctx.policies().get(tool.name).cloned().unwrap_or_default();
    let is_vfs = tool.config.runtime == Runtime::Vfs;
    let Some(asked) = Asked::from_args(&args.question)? else {
        return print_rules(ctx, tool.name, &compiled, is_vfs);
    };
    let answer = Answer::new(&asked, tool.name, &compiled, is_vfs, ctx.root()?);
    if ctx.is_json() {
        ctx.print_json(&answer.to_json(tool.name))?;
    } else {
        ctx.printer().print(Print::content(&answer.to_text()))?;
    }
    if answer.is_allowed() { Ok(()) } else { Err(Error::said(Exit::Refused)) }
}

/// One rule as a person reads it.
#[derive(Debug, Clone)]
struct Row {
    kind: &'static str,
    target: String,
    grants: String,
    place: String,
}

fn print_rules(ctx: &Ctx, name: &str, compiled: &ToolPolicy, is_vfs: bool) -> Result {
    let rows = rows(compiled);
    if ctx.is_json() {
        let rules: Vec<Value> = rows
            .iter()
            .map(|row| json!({ "kind": row.kind, "target": row.target, "grants": row.grants, "origin": row.place }))
            .collect();
        let line = json!({ "tool": name, "policy": compiled.policy, "rules": rules });
        return ctx.print_json(&line);
    }
    let mut text = format!("What `{name}` may touch:\n\n");
    if compiled.policy.commands.as_ref().is_some_and(|commands| commands.is_empty()) {
        text.push_str("No program can be started.\n\n");
    }
    if !rows.is_empty() {
        text += &table(&rows);
        text.push('\n');
    }
    let undeclared = undeclared(compiled, is_vfs).into_iter().filter(|(_, rules, _)| *rules == 0);
    text.extend(undeclared.map(|(kind, _, default)| format!("No rules for {kind}: {default}.\n")));
    Ok(ctx.printer().print(Print::content(&text))?)
}

/// What holds for each kind of resource while it has no rules.
fn undeclared(compiled: &ToolPolicy, is_vfs: bool) -> [(&'static str, usize, &'static str); 4] {
    let policy = &compiled.policy;
    let commands = usize::from(policy.commands.is_some());
    let (files, others) = if is_vfs {
        ("the workspace can be read, anything else is asked about", "each is asked about")
    } else {
        ("everything in the workspace is allowed", "all are allowed")
    };
    [
        ("files", policy.fs.len(), files),
        ("hosts", policy.net.len(), others),
        ("variables", policy.env.len(), others),
        ("programs", commands, others),
    ]
}

fn rows(compiled: &ToolPolicy) -> Vec<Row> {
    let ToolPolicy { policy, fs_places, net_places, env_places } = compiled;
    let fs = policy.fs.iter().zip(fs_places).map(|(rule, place)| fs_row(rule, place));
    let net = policy.net.iter().zip(net_places).map(|(rule, place)| net_row(rule, place));
    let env = policy.env.iter().zip(env_places).map(|(rule, place)| Row {
        kind: "env",
        target: rule.name.clone(),
        grants: granted(rule.read, "read"),
        place: place.clone(),
    });
    let commands = policy.commands.iter().flat_map(|commands| commands.iter());
    let commands = commands.map(|(program, rule)| Row {
        kind: "command",
        target: program.clone(),
        grants: rule.args.as_ref().map_or_else(
            || "any arguments".to_owned(),
            |args| match args.len() {
                0 => "no arguments".to_owned(),
                _ => args.iter().map(|args| args.join(" ")).collect::<Vec<_>>().join(", "),
            },
        ),
        place: String::new(),
    });
    fs.chain(net).chain(env).chain(commands).collect()
}

fn fs_row(rule: &FsRule, place: &str) -> Row {
    let granted: Vec<&str> = Capability::ALL
        .into_iter()
        .filter(|capability| rule.grants(*capability))
        .map(Capability::as_str)
        .collect();
    let grants = if granted.is_empty() { "nothing".to_owned() } else { granted.join(" ") };
    Row { kind: "fs", target: rule.path().to_string(), grants, place: place.to_owned() }
}

fn net_row(rule: &NetRule, place: &str) -> Row {
    let scheme = rule.scheme.as_ref().map(|scheme| format!("{scheme}://")).unwrap_or_default();
    let port = rule.port.map(|port| format!(":{port}")).unwrap_or_default();
    let path = rule.path_prefix.as_deref().unwrap_or_default();
    Row {
        kind: "net",
        target: format!("{scheme}{}{port}{path}", rule.host),
        grants: granted(rule.allow, "allow"),
        place: place.to_owned(),
    }
}

fn granted(allowed: bool, word: &str) -> String {
    if allowed { word.to_owned() } else { "nothing".to_owned() }
}

fn table(rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["KIND", "TARGET", "GRANTS", "FROM"]);
    for row in rows {
        table.add_row([row.kind, &row.target, &row.grants, &row.place]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    lines.concat()
}
