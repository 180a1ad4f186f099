//! What came of one check, and how it is told.

use std::fmt::Write as _;

use jp_printer::single_line;
use serde_json::{Value, json};

use super::{bench::Seen, said::Said};

/// How many characters of what was sent and received are shown.
const SHOWN: usize = 160;

/// What came of one check.
#[derive(Debug)]
pub(super) struct Finding {
    /// A name that does not change: `run.missing`.
    pub(super) check: &'static str,
    /// What was tried, in words.
    pub(super) title: String,
    /// The tool, if it is about one.
    pub(super) tool: Option<String>,
    pub(super) status: Status,
    pub(super) reasons: Vec<String>,
    pub(super) sent: Option<String>,
    pub(super) got: Option<String>,
    /// What should have happened instead, and how to get there.
    pub(super) advice: Option<Advice>,
    /// The last of what was said, one line for each message.
    pub(super) exchange: Vec<String>,
}

/// What is expected of a tool, and what its author has to do for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Advice {
    pub(super) expected: &'static str,
    pub(super) fix: &'static str,
}

/// How a check ended, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    Skipped,
    Ok,
    Warning,
    Failed,
}

impl Status {
    pub(super) const ALL: [Self; 4] = [Self::Ok, Self::Warning, Self::Failed, Self::Skipped];

    /// As it is printed.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "FAIL",
        }
    }

    /// As it is counted.
    pub(super) fn counted(self, count: usize) -> String {
        match self {
            Self::Warning if count == 1 => "1 warning".to_owned(),
            Self::Warning => format!("{count} warnings"),
            Self::Failed => format!("{count} failed"),
            Self::Ok | Self::Skipped => format!("{count} {}", self.word()),
        }
    }
}

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) status: Status,
    pub(super) reason: String,
    pub(super) advice: Option<Advice>,
}

impl Problem {
    pub(super) fn new(status: Status, reason: impl Into<String>) -> Self {
        Self { status, reason: reason.into(), advice: None }
    }

    pub(super) fn fail(reason: impl Into<String>) -> Self {
        Self::new(Status::Failed, reason)
    }

    pub(super) fn warning(reason: impl Into<String>) -> Self {
        Self::new(Status::Warning, reason)
    }

    /// Says what to do about it, unless that was said already.
    #[must_use]
    pub(super) fn or_advice(mut self, advice: Advice) -> Self {
        self.advice.get_or_insert(advice);
        self
    }
}

impl Finding {
    /// A check in which nothing was found so far.
    pub(super) fn new(check: &'static str, title: impl Into<String>) -> Self {
        let (tool, reasons, sent, got) = (None, Vec::new(), None, None);
        let (advice, exchange) = (None, Vec::new());
        let (title, status) = (title.into(), Status::Ok);
        Self { check, title, tool, status, reasons, sent, got, advice, exchange }
    }

    /// A check that was not made.
    pub(super) fn skipped(check: &'static str, title: impl Into<String>) -> Self {
        Self { status: Status::Skipped, ..Self::new(check, title) }
    }

    #[must_use]
    pub(super) fn of(mut self, tool: &str) -> Self {
        self.tool = Some(tool.to_owned());
        self
    }

    /// Says something about it that is no problem.
    #[must_use]
    pub(super) fn because(mut self, reason: impl Into<String>) -> Self {
        self.reasons.push(reason.into());
        self
    }

    #[must_use]
    pub(super) fn with(mut self, problems: impl IntoIterator<Item = Problem>) -> Self {
        for Problem { status, reason, advice } in problems {
            self.status = self.status.max(status);
            self.advice = self.advice.or(advice);
            // Two rules may see the same thing.
            if !self.reasons.contains(&reason) {
                self.reasons.push(reason);
            }
        }
        self
    }

    /// Remembers what was exchanged, for whoever has to look into it.
    #[must_use]
    pub(super) fn after(mut self, sent: &[u8], seen: &Seen) -> Self {
        self.sent = Some(sent_text(sent));
        self.got = Some(got_text(seen));
        self
    }

    /// Remembers the last of what was said.
    #[must_use]
    pub(super) fn said(mut self, exchange: Vec<String>) -> Self {
        self.exchange = exchange;
        self
    }

    pub(super) fn to_text(&self) -> String {
        let tool = self.tool.as_ref().map(|tool| format!("{tool}: ")).unwrap_or_default();
        let mut text = format!("{:<8} {tool}{}", self.status.word(), self.title);
        if let Some(reasons) = self.reason() {
            text = format!("{text}: {reasons}");
        }
        text.push('\n');
        if self.status >= Status::Warning {
            for (label, value) in [("sent", &self.sent), ("got", &self.got)] {
                if let Some(value) = value {
                    let _ = writeln!(text, "           {label:<5} {value}");
                }
            }
            if let Some(Advice { expected, fix }) = self.advice {
                let _ = writeln!(text, "           expected  {expected}");
                let _ = writeln!(text, "           to do     {fix}");
            }
            for line in &self.exchange {
                let _ = writeln!(text, "           {line}");
            }
        }
        text
    }

    pub(super) fn to_json(&self) -> Value {
        let mut told = json!({
            "check": self.check,
            "tool": self.tool,
            "title": self.title,
            "status": self.status.word().to_lowercase(),
            "reason": self.reason(),
            "sent": self.sent,
            "got": self.got,
        });
        if let Some(Advice { expected, fix }) = self.advice {
            told["expected"] = json!(expected);
            told["fix"] = json!(fix);
        }
        if self.status >= Status::Warning && !self.exchange.is_empty() {
            told["exchange"] = json!(self.exchange);
        }
        told
    }

    fn reason(&self) -> Option<String> {
        (!self.reasons.is_empty()).then(|| self.reasons.join("; "))
    }
}

fn sent_text(sent: &[u8]) -> String {
    match sent {
        [] => "nothing, and the end of the input".to_owned(),
        sent => short(&String::from_utf8_lossy(&sent[..sent.len().min(4 * SHOWN)])),
    }
}

fn got_text(seen: &Seen) -> String {
    let part = |name: &str, bytes: &[u8]| match bytes.trim_ascii() {
        [] => format!(", nothing on {name}"),
        bytes => {
            let start = &bytes[..bytes.len().min(4 * SHOWN)];
            format!(", {name}: {}", short(&String::from_utf8_lossy(start)))
        }
    };
    let ended = if seen.is_late() { "was ended".to_owned() } else { seen.exit().to_string() };
    let stdout = part("stdout", seen.stdout());
    let stderr = part("stderr", &seen.finished.stderr.bytes);
    let stderr = if seen.stderr().is_empty() { String::new() } else { stderr };
    let took = seen.took.as_millis();
    format!("{ended} after {took} ms{stdout}{stderr}")
}

/// The beginning of a text, in one line.
pub(super) fn short(text: &str) -> String {
    let text = single_line(text.trim());
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

/// What a program said, in a few words.
pub(super) fn described(said: &Said) -> &'static str {
    match said {
        Said::Success(_) | Said::Blocks(_) => "a success",
        Said::Error(_) => "an error",
        Said::Question(_) => "a question",
        Said::State(_) => "a state",
        Said::Text(_) => "plain text",
        Said::Nothing => "nothing",
        Said::Unclear { .. } => "something unclear",
    }
}
