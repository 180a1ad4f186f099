//! A rule as a person reads it: of what kind, for what, what it grants, where it was written.

use comfy_table::{Table, presets};
use jp_config::ToolPolicy;
use jp_tool::access::{Capability, CommandRule, FsRule};
use serde_json::{Value, json};

/// What a rule grants that denies.
const NOTHING: &str = "nothing";

/// One rule.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) kind: &'static str,
    pub(crate) target: String,
    pub(crate) grants: String,
    place: String,
}

impl Row {
    /// The rule within a sentence.
    pub(super) fn to_line(&self) -> String {
        let Self { kind, target, grants, place } = self;
        format!("{kind} `{target}` ({grants}, {place})")
    }

    /// Whether it allows anything.
    pub(crate) fn is_grant(&self) -> bool {
        self.grants != NOTHING
    }

    pub(super) fn to_json(&self) -> Value {
        let Self { kind, target, grants, place } = self;
        json!({ "kind": kind, "target": target, "grants": grants, "origin": place })
    }
}

/// Every rule of a policy, kind by kind.
pub(crate) fn rows(compiled: &ToolPolicy) -> Vec<Row> {
    let ToolPolicy { policy, fs_places, net_places, env_places, command_places } = compiled;
    let row = |kind, target: String, grants: String, place: &String| Row {
        kind,
        target,
        grants,
        place: place.clone(),
    };
    let fs = policy.fs.iter().zip(fs_places);
    let fs = fs.map(|(rule, place)| row("fs", rule.path().to_string(), fs_grants(rule), place));
    let net = policy.net.iter().zip(net_places);
    let net = net.map(|(rule, at)| row("net", rule.to_string(), granted(rule.allow, "allow"), at));
    let env = policy.env.iter().zip(env_places);
    let env = env.map(|(rule, at)| row("env", rule.name.clone(), granted(rule.read, "read"), at));
    let commands = policy.commands.iter().flat_map(|commands| commands.iter()).zip(command_places);
    let commands = commands
        .map(|((program, rule), at)| row("command", program.clone(), command_grants(rule), at));
    fs.chain(net).chain(env).chain(commands).collect()
}

/// The rules as a table with a header.
pub(super) fn table(rows: &[Row]) -> String {
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

fn fs_grants(rule: &FsRule) -> String {
    let granted = Capability::ALL.into_iter().filter(|capability| rule.grants(*capability));
    let granted: Vec<&str> = granted.map(Capability::as_str).collect();
    if granted.is_empty() { NOTHING.to_owned() } else { granted.join(" ") }
}

fn granted(allowed: bool, word: &str) -> String {
    if allowed { word.to_owned() } else { NOTHING.to_owned() }
}

fn command_grants(rule: &CommandRule) -> String {
    let Some(lists) = &rule.args else {
        return "any arguments".to_owned();
    };
    let lists: Vec<String> = lists.iter().map(|list| arguments(list)).collect();
    if lists.is_empty() { "no arguments".to_owned() } else { lists.join(", ") }
}

/// A list of arguments as one would type it, but for the `**` that stands for any rest.
fn arguments(list: &[String]) -> String {
    let word = |word: &String| match word.as_str() {
        "**" => "**".to_owned(),
        word => shell_words::quote(word).into_owned(),
    };
    let words: Vec<String> = list.iter().map(word).collect();
    if words.is_empty() { "no arguments".to_owned() } else { words.join(" ") }
}
