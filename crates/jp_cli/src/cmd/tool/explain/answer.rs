//! One question about a policy, and its answer with the reasons.

use std::{fmt::Write as _, ptr};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::ToolPolicy;
use jp_tool::access::{
    AccessPolicy, Capability, CommandAccessError, Decision, EnvName, EnvRule, FsAccessError,
    FsRule, NetAccessError, NetRule, NetTarget,
    path::{self, Files, OpenError, Root},
};
use serde_json::{Value, json};

use super::{
    Row, rows,
    suggest::{self, Suggestion, key},
};
use crate::{
    args::Question,
    error::{Error, Result},
};

/// What was asked.
#[derive(Debug)]
pub(super) enum Asked {
    Fs(Capability, Utf8PathBuf),
    Url(String),
    Env(String),
    Command(Vec<String>),
}

impl Asked {
    pub(super) fn from_args(question: &Question) -> Result<Option<Self>> {
        let paths = [
            (Capability::Read, &question.read),
            (Capability::Create, &question.create),
            (Capability::Update, &question.update),
            (Capability::Delete, &question.delete),
            (Capability::Execute, &question.execute),
        ];
        for (capability, path) in paths {
            if let Some(path) = path {
                return Ok(Some(Self::Fs(capability, path.clone())));
            }
        }
        if let Some(command) = &question.command {
            let words = shell_words::split(command)
                .map_err(|error| Error::usage(format!("--command {command}: {error}")))?;
            if words.is_empty() {
                return Err(Error::usage("--command: no program is named"));
            }
            return Ok(Some(Self::Command(words)));
        }
        let url = question.url.clone().map(Self::Url);
        Ok(url.or_else(|| question.env.clone().map(Self::Env)))
    }

    /// The question in words: `create on README.md`.
    fn words(&self) -> String {
        match self {
            Self::Fs(capability, path) => format!("{} on {path}", capability.as_str()),
            Self::Url(url) => format!("fetching {url}"),
            Self::Env(name) => format!("reading the variable {name}"),
            Self::Command(words) => format!("running {}", words.join(" ")),
        }
    }
}

/// The answer to one question.
#[derive(Debug)]
pub(super) struct Answer {
    question: String,
    verdict: Verdict,
    /// The target in the form in which it was compared with the rules.
    canonical: Option<String>,
    /// The rule that decides.
    rule: Option<Row>,
    why: String,
    /// Rules that match too and do not decide.
    others: Vec<Row>,
    /// What to write to allow it.
    to_allow: Option<Suggestion>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Allowed,
    Denied,
    Uncovered,
}

impl Verdict {
    fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Uncovered => "uncovered",
        }
    }

    fn of<R>(decision: Decision<'_, R>) -> Self {
        match decision {
            Decision::Allowed(_) => Self::Allowed,
            Decision::Denied(_) => Self::Denied,
            Decision::Uncovered => Self::Uncovered,
        }
    }
}

impl Answer {
    pub(super) fn new(
        asked: &Asked,
        tool: &str,
        compiled: &ToolPolicy,
        is_vfs: bool,
        root: &Utf8Path,
    ) -> Self {
        let subject = Subject { compiled, is_vfs };
        let answer = match asked {
            Asked::Fs(capability, path) => fs(&subject, *capability, path, root),
            Asked::Url(url) => net(&subject, url),
            Asked::Env(name) => env(&subject, name),
            Asked::Command(words) => command(&subject, words),
        };
        let to_allow = answer.to_allow.filter(|_| answer.verdict != Verdict::Allowed);
        let to_allow = to_allow.map(|it| Suggestion {
            list: format!("conversation.tools.{}.access.{}", key(tool), it.list),
            ..it
        });
        Self { question: asked.words(), to_allow, ..answer }
    }

    pub(super) fn is_allowed(&self) -> bool {
        self.verdict == Verdict::Allowed
    }

    pub(super) fn to_text(&self) -> String {
        let mut text = format!("{}: {}\n", self.verdict.as_str(), self.question);
        let mut line = |label: &str, value: &str| {
            let _ = writeln!(text, "  {label:<11}{value}");
        };
        if let Some(canonical) = &self.canonical {
            line("target", canonical);
        }
        if let Some(rule) = &self.rule {
            line("decided by", &rule_line(rule));
        }
        line("because", &self.why);
        for other in &self.others {
            line("not by", &rule_line(other));
        }
        if let Some(Suggestion { list, rule, how }) = &self.to_allow {
            let _ = write!(
                text,
                "
To allow it, {how} `{list}`:

  {rule}
"
            );
        }
        text
    }

    pub(super) fn to_json(&self, tool: &str) -> Value {
        let row = |row: &Row| json!({ "kind": row.kind, "target": row.target, "grants": row.grants, "origin": row.place });
        json!({
            "tool": tool,
            "question": self.question,
            "decision": self.verdict.as_str(),
            "target": self.canonical,
            "rule": self.rule.as_ref().map(row),
            "because": self.why,
            "others": self.others.iter().map(row).collect::<Vec<_>>(),
            "to_allow": self.to_allow.as_ref().map(|it| json!({ "list": it.list, "rule": it.rule })),
        })
    }
}

fn rule_line(row: &Row) -> String {
    let place = if row.place.is_empty() { String::new() } else { format!(", {}", row.place) };
    format!("{} `{}` ({}{place})", row.kind, row.target, row.grants)
}

/// An answer that no rule gives.
fn without_rule(verdict: Verdict, canonical: Option<String>, why: impl Into<String>) -> Answer {
    Answer {
        question: String::new(),
        verdict,
        canonical,
        rule: None,
        why: why.into(),
        others: Vec::new(),
        to_allow: None,
    }
}

/// The answer while a kind of resource has no rules.
fn undeclared(is_vfs: bool, canonical: Option<String>, kind: &str) -> Answer {
    if is_vfs {
        let why =
            format!("no rules for {kind}, so a person is asked; with nobody to ask it is denied");
        without_rule(Verdict::Uncovered, canonical, why)
    } else {
        let why = format!("no rules for {kind}, so none are restricted");
        without_rule(Verdict::Allowed, canonical, why)
    }
}

/// What the questions are about.
struct Subject<'a> {
    compiled: &'a ToolPolicy,
    is_vfs: bool,
}

impl Subject<'_> {
    fn policy(&self) -> &AccessPolicy {
        &self.compiled.policy
    }

    fn rows(&self, kind: &str) -> Vec<Row> {
        rows(self.compiled).into_iter().filter(|row| row.kind == kind).collect()
    }
}

/// The answer of the rules. `specificity` is `None` for a rule that does not match; `measure` says
/// in words what it measures.
fn by_rules<R>(
    decision: Decision<'_, R>,
    rules: &[R],
    rows: &[Row],
    specificity: impl Fn(&R) -> Option<usize>,
    measure: &str,
) -> Answer {
    let winner = match decision {
        Decision::Allowed(rule) | Decision::Denied(rule) => Some(rule),
        Decision::Uncovered => None,
    };
    let is_winner = |rule: &R| winner.is_some_and(|winner| ptr::eq(winner, rule));
    let losers: Vec<(&R, &Row)> = rules
        .iter()
        .zip(rows)
        .filter(|(rule, _)| specificity(rule).is_some() && !is_winner(rule))
        .collect();
    let why = match winner {
        None => "no rule matches, and what no rule covers is denied".to_owned(),
        Some(_) if losers.is_empty() => "it is the only rule that matches".to_owned(),
        Some(winner) => {
            let is_equal = |(rule, _): &(&R, &Row)| specificity(rule) == specificity(winner);
            if losers.iter().any(is_equal) {
                "it comes last of the rules that match and are equally specific".to_owned()
            } else {
                format!("of the {} rules that match it has the {measure}", losers.len() + 1)
            }
        }
    };
    Answer {
        rule: rules.iter().zip(rows).find(|(rule, _)| is_winner(rule)).map(|(_, row)| row.clone()),
        others: losers.into_iter().map(|(_, row)| row.clone()).collect(),
        ..without_rule(Verdict::of(decision), None, why)
    }
}

fn fs(subject: &Subject<'_>, capability: Capability, input: &Utf8Path, root: &Utf8Path) -> Answer {
    let resolved = match path::resolve(root, input) {
        Ok(resolved) => resolved,
        Err(error) => return without_rule(Verdict::Denied, None, error.to_string()),
    };
    let canonical = resolved.relative();
    let target = Some(canonical.to_string());
    let rules = &subject.policy().fs;
    if rules.is_empty() {
        return match (subject.is_vfs, capability) {
            (true, Capability::Read) => {
                let why = "no rules for files, so the workspace can be read";
                without_rule(Verdict::Allowed, target, why)
            }
            _ => undeclared(subject.is_vfs, target, "files"),
        };
    }
    if let Some(reason) = denied_alias(subject, capability, input, root) {
        return without_rule(Verdict::Denied, target, reason);
    }
    let specificity = |rule: &FsRule| match rule.path() {
        root if root == "." => Some(0),
        path => canonical.starts_with(path).then(|| path.components().count()),
    };
    let decision = rules.decide(canonical, capability);
    Answer {
        canonical: target,
        to_allow: Some(suggest::fs(subject.policy(), capability, canonical)),
        ..by_rules(decision, rules, &subject.rows("fs"), specificity, "longest path")
    }
}

/// Why a file that the rules let be read is not: one of its other names may be one that they deny.
/// What is only asked about changes nothing, so this can be tried; changing a file cannot.
fn denied_alias(
    subject: &Subject<'_>,
    capability: Capability,
    input: &Utf8Path,
    root: &Utf8Path,
) -> Option<String> {
    if capability != Capability::Read {
        return None;
    }
    let files = Files::new(Root::open(root).ok()?, Some(subject.policy().clone()));
    match files.metadata(input) {
        Err(OpenError::Access(error @ FsAccessError::Denied { .. })) => {
            let is_alias = subject.policy().can_read(path::resolve(root, input).ok()?.relative());
            is_alias.then(|| format!("it is another name of a file that a rule denies ({error})"))
        }
        _ => None,
    }
}

fn net(subject: &Subject<'_>, url: &str) -> Answer {
    let target = match NetTarget::parse(url) {
        Ok(target) => target,
        Err(error) => return without_rule(Verdict::Denied, None, error.to_string()),
    };
    let canonical = Some(target.to_string());
    let policy = subject.policy();
    if policy.net.is_empty() {
        return undeclared(subject.is_vfs, canonical, "hosts");
    }
    // A path that can be read in two ways is refused before any rule is asked.
    if let Err(error @ NetAccessError::Ambiguous { .. }) = policy.check_net(url) {
        return without_rule(Verdict::Denied, canonical, error.to_string());
    }
    let specificity = |rule: &NetRule| {
        let alone = AccessPolicy { net: vec![rule.clone()], ..AccessPolicy::default() };
        let matches = !matches!(alone.decide_net(&target), Decision::Uncovered);
        let segments = rule.path_prefix.iter().flat_map(|path| path.split('/'));
        let segments = segments.filter(|segment| !segment.is_empty()).count();
        matches.then(|| {
            usize::from(rule.scheme.is_some()) + usize::from(rule.port.is_some()) + segments
        })
    };
    let measure = "most of scheme, port and path segments";
    Answer {
        canonical,
        to_allow: suggest::net(policy, &target),
        ..by_rules(
            policy.decide_net(&target),
            &policy.net,
            &subject.rows("net"),
            specificity,
            measure,
        )
    }
}

fn env(subject: &Subject<'_>, name: &str) -> Answer {
    let policy = subject.policy();
    if policy.env.is_empty() {
        return undeclared(subject.is_vfs, None, "variables");
    }
    let specificity = |rule: &EnvRule| {
        let parsed = EnvName::parse(&rule.name).ok().filter(|it| it.matches(name))?;
        // An exact name beats a beginning of the same length.
        Some(2 * parsed.literal().len() + usize::from(matches!(parsed, EnvName::Exact(_))))
    };
    let decision = policy.decide_env(name);
    Answer {
        canonical: Some(name.to_owned()),
        to_allow: suggest::env(name),
        ..by_rules(decision, &policy.env, &subject.rows("env"), specificity, "longest name")
    }
}

fn command(subject: &Subject<'_>, words: &[String]) -> Answer {
    let policy = subject.policy();
    let Some((program, arguments)) = words.split_first() else {
        return without_rule(Verdict::Denied, None, "no program is named");
    };
    if policy.commands.is_none() {
        return undeclared(subject.is_vfs, None, "programs");
    }
    let why = match policy.check_command(program, arguments) {
        Ok(()) => "these arguments are listed".to_owned(),
        Err(CommandAccessError::Program { .. }) => "the program is not listed".to_owned(),
        Err(CommandAccessError::Arguments { .. }) => "these arguments are not listed".to_owned(),
    };
    let verdict = Verdict::of(policy.decide_command(program, arguments));
    Answer {
        rule: subject.rows("command").into_iter().find(|row| row.target == *program),
        to_allow: suggest::command(policy, words),
        ..without_rule(verdict, Some(words.join(" ")), why)
    }
}
