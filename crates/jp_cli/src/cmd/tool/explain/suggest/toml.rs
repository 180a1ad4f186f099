//! Rules as they are written in a configuration file.

use jp_tool::access::{AccessPolicy, Capability, CommandRule, EnvRule, FsRule, NetRule};

pub(super) fn fs(rule: &FsRule) -> String {
    let granted = Capability::ALL.into_iter().filter(|it| rule.grants(*it));
    let grants: String = granted.map(|it| format!(", {} = true", it.as_str())).collect();
    format!("{{ path = {}{grants} }}", text(rule.path().as_str()))
}

pub(super) fn net(rule: &NetRule) -> String {
    let scheme = rule.scheme.iter().map(|it| format!(", scheme = {}", text(it)));
    let port = rule.port.iter().map(|it| format!(", port = {it}"));
    let path = rule.path_prefix.iter().map(|it| format!(", path_prefix = {}", text(it)));
    let allow = rule.allow.then(|| ", allow = true".to_owned());
    let details: String = scheme.chain(port).chain(path).chain(allow).collect();
    format!("{{ host = {}{details} }}", text(&rule.host))
}

pub(super) fn env(rule: &EnvRule) -> String {
    let read = if rule.read { ", read = true" } else { "" };
    format!("{{ name = {}{read} }}", text(&rule.name))
}

/// The lines of an `access` table.
pub(super) fn policy(policy: &AccessPolicy) -> Vec<String> {
    let mut lines = Vec::new();
    list(&mut lines, "fs", policy.fs.iter().map(fs));
    list(&mut lines, "net", policy.net.iter().map(net));
    list(&mut lines, "env", policy.env.iter().map(env));
    match &policy.commands {
        Some(commands) if commands.is_empty() => lines.push("commands = {}".to_owned()),
        Some(commands) => lines.extend(
            commands.iter().map(|(program, rule)| format!("commands.{}", command(program, rule))),
        ),
        None => {}
    }
    lines
}

fn list(lines: &mut Vec<String>, name: &str, rules: impl Iterator<Item = String>) {
    let rules: Vec<String> = rules.map(|rule| format!("  {rule},")).collect();
    if !rules.is_empty() {
        lines.push(format!("{name} = ["));
        lines.extend(rules);
        lines.push("]".to_owned());
    }
}

fn command(program: &str, rule: &CommandRule) -> String {
    let args = rule.args.iter().map(|it| format!("args = {}", lists(it)));
    let envs =
        Some(&rule.envs).filter(|it| !it.is_empty()).map(|it| format!("envs = {}", texts(it)));
    let parts: Vec<String> = args.chain(envs).collect();
    let table =
        if parts.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", parts.join(", ")) };
    format!("{} = {table}", key(program))
}

/// Lists of arguments.
pub(super) fn lists(lists: &[Vec<String>]) -> String {
    let lists: Vec<String> = lists.iter().map(|it| texts(it)).collect();
    format!("[{}]", lists.join(", "))
}

/// Strings in a list.
pub(super) fn texts(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| text(word)).collect();
    format!("[{}]", words.join(", "))
}

/// A key of a dotted path, in quotes where TOML needs them.
pub(super) fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { text(name) }
}

/// A TOML string. JSON's escapes are TOML's too, but for one character that JSON leaves alone.
pub(super) fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
