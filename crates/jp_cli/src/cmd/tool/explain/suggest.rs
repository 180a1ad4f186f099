//! What to write so that the answer becomes yes: one rule, as narrow as the question, and tried
//! before it is shown.
//!
//! A rule that allows more than was asked is worse than none, because people paste it. So it names
//! exactly the target, keeps what is allowed there already, and is left out where no rule of that
//! form would do: a question with a `*` in it, a path that is refused before any rule is asked.

use camino::Utf8Path;
use jp_tool::access::{AccessPolicy, Capability, NetRule, NetTarget};

/// A rule to add, and the list to add it to.
#[derive(Debug)]
pub(super) struct Suggestion {
    /// The dotted key of the list, below the tool's `access`.
    pub(super) list: String,
    /// The rule as TOML.
    pub(super) rule: String,
    /// What to do with the list.
    pub(super) how: &'static str,
}

impl Suggestion {
    fn new(list: &str, rule: String) -> Self {
        Self { list: list.to_owned(), rule, how: "add behind the other rules of" }
    }
}

/// A rule takes nothing from less specific ones, so it says what is granted already.
pub(super) fn fs(policy: &AccessPolicy, capability: Capability, path: &Utf8Path) -> Suggestion {
    let grants: String = Capability::ALL
        .into_iter()
        .filter(|it| *it == capability || policy.fs.decide(path, *it).is_allowed())
        .map(|it| format!(", {} = true", it.as_str()))
        .collect();
    Suggestion::new("fs", format!("{{ path = {}{grants} }}", quoted(path.as_str())))
}

/// Only this path and what is below it where something is denied; the host where nothing is said of
/// it yet.
pub(super) fn net(policy: &AccessPolicy, target: &NetTarget) -> Option<Suggestion> {
    let is_known = policy.net.iter().any(|rule| rule.host == target.host());
    let path = Some(target.url().path().to_owned()).filter(|path| is_known && path != "/");
    let host = NetRule { path_prefix: path, ..NetRule::new(target.host(), true) };
    let with_port = NetRule { port: target.port(), ..host.clone() };
    let exact = NetRule { scheme: Some(target.scheme().to_owned()), ..with_port.clone() };
    let rule = [host, with_port, exact].into_iter().find(|rule| {
        let mut after = policy.clone();
        after.net.push(rule.clone());
        after.decide_net(target).is_allowed()
    })?;
    let scheme = rule.scheme.iter().map(|it| format!(", scheme = {}", quoted(it)));
    let port = rule.port.iter().map(|it| format!(", port = {it}"));
    let path = rule.path_prefix.iter().map(|it| format!(", path_prefix = {}", quoted(it)));
    let details: String = scheme.chain(port).chain(path).collect();
    let text = format!("{{ host = {}{details}, allow = true }}", quoted(&rule.host));
    Some(Suggestion::new("net", text))
}

pub(super) fn env(name: &str) -> Option<Suggestion> {
    // As a rule, a star would mean more than this variable.
    let is_plain = !name.is_empty() && !name.contains(['*', '=', '\0']);
    is_plain.then(|| Suggestion::new("env", format!("{{ name = {}, read = true }}", quoted(name))))
}

/// The lists of arguments that are there, and this one.
pub(super) fn command(policy: &AccessPolicy, words: &[String]) -> Option<Suggestion> {
    let (program, arguments) = words.split_first()?;
    if program.is_empty() || arguments.iter().any(|argument| argument == "**") {
        return None;
    }
    let rule = policy.commands.as_ref().and_then(|commands| commands.get(program));
    let before = rule.and_then(|rule| rule.args.clone()).unwrap_or_default();
    let lists: Vec<String> = before
        .iter()
        .map(Vec::as_slice)
        .chain([arguments])
        .map(|list| {
            let words: Vec<String> = list.iter().map(|word| quoted(word)).collect();
            format!("[{}]", words.join(", "))
        })
        .collect();
    let list = format!("commands.{}.args", key(program));
    Some(Suggestion { list, rule: format!("[{}]", lists.join(", ")), how: "set" })
}

/// A key of a dotted path, in quotes where TOML needs them.
pub(super) fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { quoted(name) }
}

/// A TOML string. JSON's escapes are TOML's too, but for one character that JSON leaves alone.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
