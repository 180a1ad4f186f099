//! What is wrong with a configuration: everything at once, each with its place, its key, and what
//! to do about it.
//!
//! A finding says *what happened, to what*; help and the suggestion are kept apart from it. The
//! number of findings that are kept is bounded, because a hostile file can hold a million.

use std::fmt;
use std::sync::Arc;

use crate::node::Origin;
use crate::render;
use crate::source::Sources;

/// How many findings a report keeps; the others are counted.
const MAX_FINDINGS: usize = 200;

/// Everything that is wrong with a configuration. Nothing may run on it.
#[derive(Debug, Clone)]
pub struct ConfigErrors(pub(crate) Report);

impl ConfigErrors {
    /// The errors, in the order of layers and lines.
    pub fn report(&self) -> &Report {
        &self.0
    }

    /// The errors for people: each with its line and a caret under what is meant.
    pub fn render(&self, color: bool) -> String {
        self.0.render(color)
    }
}

/// One line for each error: file, line, column, what is wrong, and what was probably meant.
impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.problems().map(|it| it.to_string()).collect();
        f.write_str(&lines.join("\n"))?;
        match self.0.omitted() {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for ConfigErrors {}

/// Problems found while loading: the errors of a [`ConfigErrors`], or the warnings of a
/// [`Config`](crate::Config).
#[derive(Debug, Clone)]
pub struct Report {
    severity: Severity,
    findings: Findings,
    sources: Arc<Sources>,
}

impl Report {
    pub(crate) fn new(severity: Severity, findings: Findings, sources: Arc<Sources>) -> Self {
        Self { severity, findings, sources }
    }

    /// Whether there is nothing to report.
    pub fn is_empty(&self) -> bool {
        self.findings.list.is_empty()
    }

    /// Each problem in plain words.
    pub fn problems(&self) -> impl Iterator<Item = Problem> {
        self.findings.list.iter().map(|it| Problem::new(it, &self.sources))
    }

    /// How many problems were left out after the first ones.
    pub fn omitted(&self) -> usize {
        self.findings.omitted
    }

    /// The problems for people: each with its line and a caret under what is meant. Ends with a
    /// line break unless it is empty.
    pub fn render(&self, color: bool) -> String {
        let list = &self.findings.list;
        let blocks = list.iter().map(|it| render::finding(it, self.severity, &self.sources, color));
        let mut text: String = blocks.collect::<Vec<_>>().join("\n\n");
        if self.findings.omitted > 0 {
            text.extend(["\n\nand ", &self.findings.omitted.to_string(), " more"]);
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }
}

/// One problem in plain words, for programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, or `--cfg key=value`.
    pub file: String,
    /// The line, from one.
    pub line: usize,
    /// The column, from one, in characters.
    pub column: usize,
    /// The dotted key concerned; empty if it is about the file as a whole.
    pub key: String,
    /// What is wrong, and with what.
    pub message: String,
    /// What was probably meant.
    pub suggestion: Option<String>,
    /// What can be done about it, where it is not just the suggestion.
    pub help: Vec<String>,
}

impl Problem {
    fn new(finding: &Finding, sources: &Sources) -> Self {
        let position = sources.position(finding.at);
        Self {
            file: sources.of(finding.at).name.clone(),
            line: position.line,
            column: position.column,
            key: finding.key.clone(),
            message: finding.message.clone(),
            suggestion: finding.suggestion.clone(),
            help: finding.help.clone(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message, .. } = self;
        write!(f, "{file}:{line}:{column}: {message}")?;
        match &self.suggestion {
            Some(it) => write!(f, "; did you mean `{it}`?"),
            None => Ok(()),
        }
    }
}

/// Whether the configuration can be used all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severity {
    Error,
    Warning,
}

/// One problem as it was found.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) at: Origin,
    pub(crate) key: String,
    pub(crate) message: String,
    /// What is written beside the caret.
    pub(crate) label: Option<String>,
    pub(crate) suggestion: Option<String>,
    pub(crate) help: Vec<String>,
    /// Other places that have to do with it, each with a remark.
    pub(crate) related: Vec<(Origin, String)>,
}

impl Finding {
    pub(crate) fn new(at: Origin, key: String, message: impl Into<String>) -> Self {
        let message = message.into();
        let (label, suggestion, help, related) = (None, None, Vec::new(), Vec::new());
        Self { at, key, message, label, suggestion, help, related }
    }

    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    pub(crate) fn suggest(mut self, suggestion: Option<impl Into<String>>) -> Self {
        self.suggestion = suggestion.map(Into::into);
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    pub(crate) fn related(mut self, at: Origin, remark: impl Into<String>) -> Self {
        self.related.push((at, remark.into()));
        self
    }
}

/// Findings of one severity, the first ones kept and the rest counted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    omitted: usize,
}

impl Findings {
    pub(crate) fn push(&mut self, finding: Finding) {
        if self.list.len() < MAX_FINDINGS {
            self.list.push(finding);
        } else {
            self.omitted += 1;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many were found, the ones that were not kept included.
    pub(crate) fn total(&self) -> usize {
        self.list.len() + self.omitted
    }

    /// Puts them in the order of layers and of places in each.
    pub(crate) fn sort(&mut self) {
        self.list.sort_by_key(|it| (it.at.layer, it.at.start));
    }
}
