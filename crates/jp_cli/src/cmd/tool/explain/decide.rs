//! How each kind of question is decided. The decisions are `jp_tool`'s; what is found out here is
//! which rules took part, and why the winner won.

use std::ptr;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use jp_tool::access::{
    Capability, CommandAccessError, Decision, EnvRule, FsAccessError, FsRule, NetAccessError,
    NetRule, NetTarget,
    path::{self, Files, OpenError, Root},
};

use super::{
    answer::{Answer, Verdict},
    row::Row,
    subject::{Defaults, Subject},
    suggest,
};

pub(super) fn fs(subject: &Subject<'_>, capability: Capability, input: &Utf8Path) -> Answer {
    let resolved = match path::resolve(subject.root, input) {
        Ok(resolved) => resolved,
        Err(error) => return Answer::without_rule(Verdict::Denied, None, error.to_string()),
    };
    let canonical = resolved.relative();
    let answer = if subject.policy().fs.is_empty() {
        let to_allow = Some(suggest::fs(subject, capability, input, canonical));
        Answer { to_allow, ..fs_without_rules(subject, capability) }
    } else if let Some(reason) = denied_alias(subject, capability, input) {
        Answer::without_rule(Verdict::Denied, None, reason)
    } else {
        let rules = &subject.policy().fs;
        let matches = |rule: &FsRule| rule.matches(canonical);
        let contest = Contest { rules, rows: &subject.rows("fs"), measure: "longest path" };
        Answer {
            to_allow: Some(suggest::fs(subject, capability, input, canonical)),
            ..contest.answer(rules.decide(canonical, capability), matches, FsRule::specificity)
        }
    };
    let answer = Answer { canonical: Some(canonical.to_string()), ..answer };
    let pattern = subject.sensitive(canonical).or_else(|| subject.sensitive(&by_name(input)));
    match pattern {
        Some(pattern) => sensitive(subject, answer, pattern),
        None => answer,
    }
}

/// What holds for files while there are no rules for them.
fn fs_without_rules(subject: &Subject<'_>, capability: Capability) -> Answer {
    if subject.defaults.grants(capability) && !subject.defaults.are_open() {
        let why = "no rules for files, so the workspace can be read";
        return Answer::without_rule(Verdict::Allowed, None, why);
    }
    undeclared(subject, "files")
}

/// The same answer about a path that is sensitive.
fn sensitive(subject: &Subject<'_>, answer: Answer, pattern: String) -> Answer {
    match answer.verdict {
        Verdict::Allowed if subject.policy().fs.is_empty() && subject.defaults == Defaults::Off => {
            answer
        }
        Verdict::Allowed if subject.hides_sensitive() => Answer {
            verdict: Verdict::Denied,
            why: format!(
                "the path is sensitive (`{pattern}`), and without rules for files such paths are \
                 kept from the tool"
            ),
            to_allow: Some(suggest::fs_as_it_is(subject).even_then_asked(&pattern)),
            sensitive: Some(pattern),
            ..answer
        },
        Verdict::Allowed => Answer {
            verdict: Verdict::Asked,
            why: format!(
                "the path is sensitive (`{pattern}`): a person is asked once per run, and with \
                 nobody to ask it is denied"
            ),
            sensitive: Some(pattern),
            ..answer
        },
        Verdict::Asked | Verdict::Denied | Verdict::Uncovered => Answer {
            to_allow: answer.to_allow.map(|it| it.even_then_asked(&pattern)),
            sensitive: Some(pattern),
            ..answer
        },
    }
}

/// A path by its name alone: a link that is called `.env` is sensitive wherever it leads.
fn by_name(input: &Utf8Path) -> Utf8PathBuf {
    let mut path = Utf8PathBuf::new();
    for component in input.components() {
        match component {
            Utf8Component::ParentDir => drop(path.pop()),
            Utf8Component::CurDir => {}
            other => path.push(other),
        }
    }
    path
}

/// Why a file that the rules let be read is not: one of its other names may be one that they deny.
/// What is only asked about changes nothing, so this can be tried; changing a file cannot.
fn denied_alias(subject: &Subject<'_>, capability: Capability, input: &Utf8Path) -> Option<String> {
    if capability != Capability::Read {
        return None;
    }
    let files = Files::new(Root::open(subject.root).ok()?, Some(subject.policy().clone()));
    match files.metadata(input) {
        Err(OpenError::Access(error @ FsAccessError::Denied { .. })) => {
            let resolved = path::resolve(subject.root, input).ok()?;
            let is_alias = subject.policy().can_read(resolved.relative());
            is_alias.then(|| format!("it is another name of a file that a rule denies ({error})"))
        }
        _ => None,
    }
}

pub(super) fn net(subject: &Subject<'_>, url: &str) -> Answer {
    let target = match NetTarget::parse(url) {
        Ok(target) => target,
        Err(error) => return Answer::without_rule(Verdict::Denied, None, error.to_string()),
    };
    let canonical = Some(target.to_string());
    let policy = subject.policy();
    let to_allow = suggest::net(subject, &target);
    if policy.net.is_empty() {
        return Answer { canonical, to_allow, ..undeclared(subject, "hosts") };
    }
    // A path that can be read in two ways is refused before any rule is asked.
    if let Err(error @ NetAccessError::Ambiguous { .. }) = policy.check_net(url) {
        return Answer::without_rule(Verdict::Denied, canonical, error.to_string());
    }
    let matches = |rule: &NetRule| rule.matches(&target);
    let measure = "most of scheme, port and path segments";
    let contest = Contest { rules: &policy.net, rows: &subject.rows("net"), measure };
    let decision = policy.decide_net(&target);
    Answer { canonical, to_allow, ..contest.answer(decision, matches, NetRule::specificity) }
}

pub(super) fn env(subject: &Subject<'_>, name: &str) -> Answer {
    let policy = subject.policy();
    let (canonical, to_allow) = (Some(name.to_owned()), suggest::env(subject, name));
    if policy.env.is_empty() {
        return Answer { canonical, to_allow, ..undeclared(subject, "variables") };
    }
    let matches = |rule: &EnvRule| rule.matches(name);
    let contest =
        Contest { rules: &policy.env, rows: &subject.rows("env"), measure: "longest name" };
    let decision = policy.decide_env(name);
    Answer { canonical, to_allow, ..contest.answer(decision, matches, EnvRule::specificity) }
}

pub(super) fn command(subject: &Subject<'_>, words: &[String]) -> Answer {
    let policy = subject.policy();
    let Some((program, arguments)) = words.split_first() else {
        return Answer::without_rule(Verdict::Denied, None, "no program is named");
    };
    let (canonical, to_allow) = (Some(shell_words::join(words)), suggest::command(subject, words));
    if policy.commands.is_none() {
        return Answer { canonical, to_allow, ..undeclared(subject, "programs") };
    }
    let why = match policy.check_command(program, arguments) {
        Ok(()) => "these arguments are listed",
        Err(CommandAccessError::Program { .. }) => "the program is not listed",
        Err(CommandAccessError::Arguments { .. }) => "these arguments are not listed",
    };
    let verdict = Verdict::of(policy.decide_command(program, arguments));
    Answer {
        rule: subject.rows("command").into_iter().find(|row| row.target == *program),
        to_allow,
        ..Answer::without_rule(verdict, canonical, why)
    }
}

/// The answer while a kind of resource has no rules.
fn undeclared(subject: &Subject<'_>, kind: &str) -> Answer {
    let (verdict, so) = match subject.defaults {
        Defaults::Off | Defaults::Workspace => (Verdict::Allowed, "none are restricted"),
        Defaults::Strict => (Verdict::Uncovered, "it is denied: `sandbox.default` is `strict`"),
        Defaults::Mediated => {
            (Verdict::Uncovered, "a person is asked; with nobody to ask it is denied")
        }
    };
    Answer::without_rule(verdict, None, format!("no rules for {kind}, so {so}"))
}

/// Rules that compete for a target, and how they are shown.
struct Contest<'a, R> {
    rules: &'a [R],
    rows: &'a [Row],
    /// In words, what makes a rule more specific.
    measure: &'a str,
}

impl<R> Contest<'_, R> {
    fn answer<S: PartialEq>(
        &self,
        decision: Decision<'_, R>,
        matches: impl Fn(&R) -> bool,
        specificity: impl Fn(&R) -> S,
    ) -> Answer {
        let winner = match decision {
            Decision::Allowed(rule) | Decision::Denied(rule) => Some(rule),
            Decision::Uncovered => None,
        };
        let is_winner = |rule: &R| winner.is_some_and(|winner| ptr::eq(winner, rule));
        let pairs = || self.rules.iter().zip(self.rows);
        let losers: Vec<(&R, &Row)> =
            pairs().filter(|(rule, _)| matches(rule) && !is_winner(rule)).collect();
        let why = match winner {
            None => "no rule matches, and what no rule covers is denied".to_owned(),
            Some(_) if losers.is_empty() => "it is the only rule that matches".to_owned(),
            Some(winner) => {
                let best = specificity(winner);
                if losers.iter().any(|(rule, _)| specificity(rule) == best) {
                    "it comes last of the rules that match and are equally specific".to_owned()
                } else {
                    let count = losers.len() + 1;
                    format!("of the {count} rules that match it has the {}", self.measure)
                }
            }
        };
        Answer {
            rule: pairs().find(|(rule, _)| is_winner(rule)).map(|(_, row)| row.clone()),
            others: losers.into_iter().map(|(_, row)| row.clone()).collect(),
            ..Answer::without_rule(Verdict::of(decision), None, why)
        }
    }
}
