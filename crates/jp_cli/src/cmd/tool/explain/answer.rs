//! The answer to one question, with the reasons, as text and as JSON.

use std::fmt::Write as _;

use jp_tool::access::Decision;
use serde_json::{Value, json};

use super::{asked::Asked, decide, row::Row, subject::Subject, suggest::Suggestion};

/// The answer to one question.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(super) question: String,
    pub(crate) verdict: Verdict,
    /// The target in the form in which it was compared with the rules.
    pub(super) canonical: Option<String>,
    /// The rule that decides.
    pub(super) rule: Option<Row>,
    pub(crate) why: String,
    /// Rules that match too and do not decide.
    pub(super) others: Vec<Row>,
    /// The pattern that makes the path sensitive.
    pub(crate) sensitive: Option<String>,
    /// What to write to allow it.
    pub(crate) to_allow: Option<Suggestion>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Allowed,
    /// It is granted and sensitive: a person has to agree.
    Asked,
    Denied,
    Uncovered,
}

impl Verdict {
    fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Asked => "asked",
            Self::Denied => "denied",
            Self::Uncovered => "uncovered",
        }
    }

    pub(super) fn of<R>(decision: Decision<'_, R>) -> Self {
        match decision {
            Decision::Allowed(_) => Self::Allowed,
            Decision::Denied(_) => Self::Denied,
            Decision::Uncovered => Self::Uncovered,
        }
    }
}

impl Answer {
    pub(crate) fn new(asked: &Asked, subject: &Subject<'_>) -> Self {
        let answer = match asked {
            Asked::Fs(capability, path) => decide::fs(subject, *capability, path),
            Asked::Url(url) => decide::net(subject, url),
            Asked::Env(name) => decide::env(subject, name),
            Asked::Command(words) => decide::command(subject, words),
        };
        let is_refused = matches!(answer.verdict, Verdict::Denied | Verdict::Uncovered);
        let to_allow = answer.to_allow.filter(|_| is_refused);
        Self { question: asked.words(), to_allow, ..answer }
    }

    /// An answer that no rule gives.
    pub(super) fn without_rule(
        verdict: Verdict,
        canonical: Option<String>,
        why: impl Into<String>,
    ) -> Self {
        Self {
            question: String::new(),
            verdict,
            canonical,
            rule: None,
            why: why.into(),
            others: Vec::new(),
            sensitive: None,
            to_allow: None,
        }
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
            let is_asked = self.verdict == Verdict::Asked;
            line(if is_asked { "granted by" } else { "decided by" }, &rule.to_line());
        }
        line("because", &self.why);
        for other in &self.others {
            line("not by", &other.to_line());
        }
        if let Some(suggestion) = &self.to_allow {
            text.push('\n');
            text += &suggestion.to_text();
        }
        text
    }

    pub(super) fn to_json(&self, tool: &str) -> Value {
        json!({
            "tool": tool,
            "question": self.question,
            "decision": self.verdict.as_str(),
            "target": self.canonical,
            "rule": self.rule.as_ref().map(Row::to_json),
            "because": self.why,
            "others": self.others.iter().map(Row::to_json).collect::<Vec<_>>(),
            "sensitive": self.sensitive,
            "to_allow": self.to_allow.as_ref().map(Suggestion::to_json),
        })
    }
}
