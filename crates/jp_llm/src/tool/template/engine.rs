//! The template engine: which names there are, how a value is written, and how much work a template
//! may be.
//!
//! Every value goes through [`write()`], the one place where a value meets the text. For a shell it
//! writes no value at all but a mark, `NUL number NUL`, which no template and no value can contain,
//! and keeps the value; `shell.rs` turns the marks into references.

use std::error::Error as _;
use std::io;

use minijinja::value::{Serde, ValueKind};
use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value,
};
use serde_json::json;

use super::{MAX_TOTAL, TemplateError, cut, names};

/// Where a template's values go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Into the text.
    Word,
    /// Beside it.
    Shell,
}

/// All templates of a command, each known by its own text.
#[derive(Debug)]
pub(super) struct Engine {
    environment: Environment<'static>,
}

/// A template that was filled in.
#[derive(Debug)]
pub(super) struct Filled {
    /// The text, with marks for the values if it is for a shell.
    pub(super) text: String,
    /// The values, if it is for a shell.
    pub(super) values: Vec<String>,
}

/// How many instructions a template may execute. A loop over a few thousand elements needs fewer.
const FUEL: u64 = 100_000;

impl Engine {
    pub(super) fn new(mode: Mode) -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Chainable);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_formatter(move |out, state, value| write(mode, out, state, value));
        environment.set_fuel(Some(FUEL));
        // Our errors say which word it was; a copy of the call in every error helps nobody.
        environment.set_debug(false);
        // A template that has variables which outlive a loop can double a text a hundred times.
        environment.remove_global("namespace");
        environment.remove_global("debug");
        let mut syntax = environment.syntax().to_builder();
        if let Ok(syntax) = syntax.keep_trailing_newline(true).build() {
            environment.set_syntax(syntax);
        }
        Self { environment }
    }

    /// Parses and checks a template.
    pub(super) fn add(&mut self, source: &str) -> Result<(), TemplateError> {
        self.environment
            .add_template_owned(source.to_owned(), source.to_owned())
            .map_err(|error| syntax_error(source, &error))?;
        let template = self.template(source)?;
        let globals: Vec<_> = self.environment.globals().map(|(name, _)| name.to_owned()).collect();
        let used = template.undeclared_variables(true);
        if let Some(unknown) = names::check(used, &globals) {
            return Err(TemplateError::Unknown { word: cut(source), unknown });
        }
        self.try_out(source)
    }

    /// Fills in a template that was added.
    pub(super) fn fill(&self, source: &str, call: &Value) -> Result<Filled, TemplateError> {
        let mut text = Bounded::default();
        let captured = self
            .template(source)?
            .render_captured_to(call.clone(), &mut text)
            .map_err(|error| fill_error(source, &error))?;
        let written = captured.state().get_extension::<Written>();
        let values = written.map(|written| written.values.clone()).unwrap_or_default();
        let text = String::from_utf8(text.0).map_err(|error| TemplateError::Fill {
            word: cut(source),
            reason: error.to_string(),
        })?;
        Ok(Filled { text, values })
    }

    fn template(&self, source: &str) -> Result<minijinja::Template<'_, '_>, TemplateError> {
        self.environment.get_template(source).map_err(|error| fill_error(source, &error))
    }

    /// Fills in an empty call, to find filters and functions that do not exist. Anything else that
    /// goes wrong may be due to the call being empty.
    fn try_out(&self, source: &str) -> Result<(), TemplateError> {
        let tool = json!({ "name": "", "arguments": {}, "answers": {}, "options": {} });
        let context = json!({ "root": "", "action": "run", "access": null });
        let call = Value::from(Serde(json!({ "tool": tool, "context": context })));
        let Err(error) = self.template(source)?.render_captured_to(call, io::sink()) else {
            return Ok(());
        };
        match error.kind() {
            ErrorKind::UnknownFilter
            | ErrorKind::UnknownTest
            | ErrorKind::UnknownFunction
            | ErrorKind::UnknownMethod => Err(syntax_error(source, &error)),
            ErrorKind::OutOfFuel => Err(TemplateError::Endless { word: cut(source) }),
            _ => Ok(()),
        }
    }
}

/// What a template has written so far.
#[derive(Debug, Default)]
struct Written {
    bytes: usize,
    values: Vec<String>,
}

/// There is more to write than a command may hold.
#[derive(Debug, thiserror::Error)]
#[error("too long")]
struct TooLong;

/// Writes a value where its placeholder stands.
fn write(mode: Mode, out: &mut Output, state: &mut State, value: &Value) -> Result<(), Error> {
    let text = text(value)?;
    let written = state.get_or_insert_extension_with(Written::default);
    written.bytes = written.bytes.saturating_add(text.len() + 1);
    if written.bytes > MAX_TOTAL {
        return Err(Error::new(ErrorKind::WriteFailure, "too long").with_source(TooLong));
    }
    match mode {
        Mode::Word => out.write_str(&text)?,
        Mode::Shell => {
            written.values.push(text);
            write!(out, "\0{}\0", written.values.len())?;
        }
    }
    Ok(())
}

fn text(value: &Value) -> Result<String, Error> {
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => Ok(String::new()),
        _ => match value.as_str() {
            Some(text) => Ok(text.to_owned()),
            None => serde_json::to_string(value).map_err(|error| {
                Error::new(ErrorKind::BadSerialization, "not a value of JSON").with_source(error)
            }),
        },
    }
}

/// A buffer that takes as much as a command may hold.
#[derive(Debug, Default)]
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_TOTAL {
            return Err(io::Error::other(TooLong));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn syntax_error(source: &str, error: &Error) -> TemplateError {
    let line = error.line().unwrap_or(1);
    let start = error.range().map_or(0, |range| range.start).min(source.len());
    let before = source.get(..start).unwrap_or_default();
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let place = if source.contains('\n') {
        format!("line {line}, column {column}")
    } else {
        format!("column {column}")
    };
    TemplateError::Syntax { word: cut(source), reason: reason(error), place }
}

fn fill_error(source: &str, error: &Error) -> TemplateError {
    let word = cut(source);
    let is_long = error.kind() == ErrorKind::WriteFailure && error.source().is_some();
    match error.kind() {
        ErrorKind::OutOfFuel => TemplateError::Endless { word },
        _ if is_long => TemplateError::LongCommand,
        _ => TemplateError::Fill { word, reason: reason(error) },
    }
}

fn reason(error: &Error) -> String {
    match error.detail() {
        Some(detail) if error.kind() == ErrorKind::SyntaxError => detail.to_owned(),
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    }
}
