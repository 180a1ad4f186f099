//! What came of one check, and how it is told: in the words and columns of `jp tool check`.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// How many characters of a line are shown.
const SHOWN: usize = 160;

/// How many lines of what was said are shown.
const LINES: usize = 12;

/// What came of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// A name that does not change: `shutdown.exit`.
    pub check: String,
    /// What was tried, in words.
    pub title: String,
    pub status: Status,
    pub reasons: Vec<String>,
    /// What its author has to do about it.
    pub fix: Option<&'static str>,
    /// The last of what was said, one line for each message.
    pub exchange: Vec<String>,
}

/// How a check ended, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Skipped,
    Ok,
    Warning,
    Failed,
}

impl Status {
    pub const ALL: [Self; 4] = [Self::Ok, Self::Warning, Self::Failed, Self::Skipped];

    /// As it is printed.
    pub fn word(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "FAIL",
        }
    }

    /// As it is counted.
    pub fn counted(self, count: usize) -> String {
        match self {
            Self::Warning if count == 1 => "1 warning".to_owned(),
            Self::Warning => format!("{count} warnings"),
            Self::Failed => format!("{count} failed"),
            Self::Ok | Self::Skipped => format!("{count} {}", self.word()),
        }
    }
}

impl Finding {
    /// A check in which nothing was found so far.
    pub(crate) fn new(check: impl Into<String>, title: impl Into<String>) -> Self {
        let (reasons, exchange) = (Vec::new(), Vec::new());
        let (check, title, status) = (check.into(), title.into(), Status::Ok);
        Self { check, title, status, reasons, fix: None, exchange }
    }

    /// Says something about it that is no problem.
    pub(crate) fn because(mut self, reason: impl Into<String>) -> Self {
        self.reasons.push(reason.into());
        self
    }

    /// The check was not made.
    pub(crate) fn skipped(self, reason: impl Into<String>) -> Self {
        Self { status: Status::Skipped, ..self.because(reason) }
    }

    /// Fails it where there is a reason, with what to do about it.
    pub(crate) fn fails(self, reason: Option<String>, fix: &'static str) -> Self {
        self.with(Status::Failed, reason, fix)
    }

    /// Warns where there is a reason.
    pub(crate) fn warns(self, reason: Option<String>, fix: &'static str) -> Self {
        self.with(Status::Warning, reason, fix)
    }

    fn with(mut self, status: Status, reason: Option<String>, fix: &'static str) -> Self {
        if let Some(reason) = reason {
            self.status = self.status.max(status);
            self.reasons.push(reason);
            self.fix.get_or_insert(fix);
        }
        self
    }

    /// Remembers the last of what was said.
    pub(crate) fn said(mut self, exchange: &[String]) -> Self {
        let skipped = exchange.len().saturating_sub(LINES);
        self.exchange = exchange[skipped..].iter().map(|line| short(line)).collect();
        self
    }

    pub fn to_text(&self) -> String {
        let mut text = format!("{:<8} {}", self.status.word(), self.title);
        if !self.reasons.is_empty() {
            text = format!("{text}: {}", self.reasons.join("; "));
        }
        text.push('\n');
        if self.status >= Status::Warning {
            if let Some(fix) = self.fix {
                let _ = writeln!(text, "           to do     {fix}");
            }
            for line in &self.exchange {
                let _ = writeln!(text, "           {line}");
            }
        }
        text
    }

    pub fn to_json(&self) -> Value {
        let reason = (!self.reasons.is_empty()).then(|| self.reasons.join("; "));
        let mut told = json!({
            "check": self.check,
            "title": self.title,
            "status": self.status.word().to_lowercase(),
            "reason": reason,
        });
        if self.status >= Status::Warning {
            told["fix"] = json!(self.fix);
            told["exchange"] = json!(self.exchange);
        }
        told
    }
}

/// The beginning of a text, in one line.
pub(crate) fn short(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
