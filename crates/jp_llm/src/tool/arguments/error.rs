//! What is wrong with the arguments of a call, in words that a model or a person can act on: which
//! argument, what was expected there, and what was found.

use std::fmt;
use std::io;

use jp_config::nearest;
use jp_tool::Parameter;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;
use thiserror::Error;

use super::path;

/// A call whose arguments do not fit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the arguments for `{tool}` do not fit:{}", listed(.problems, *.more))]
pub struct ArgumentsError {
    /// The tool.
    pub tool: String,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// How many more problems there are.
    pub more: usize,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The argument, or the part of it: `edits[2].pattern`. Empty for all of them.
    pub argument: String,
    /// What is wrong with it.
    pub wrong: Wrong,
}

/// What can be wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// It has to be given.
    Missing {
        /// What the definition says about it.
        summary: Option<String>,
    },
    /// There is no such parameter.
    Unknown {
        /// What was probably meant.
        nearest: Option<String>,
        /// What there is.
        known: Vec<String>,
    },
    /// It is something else than expected.
    Unfit {
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// It fits none of the alternatives.
    NoAlternative {
        /// How many there are.
        alternatives: usize,
        /// The one that it nearly fits, counted from 1.
        closest: usize,
        /// What the definition says about that one.
        summary: Option<String>,
        /// Why it does not fit that one.
        problems: Vec<Problem>,
    },
    /// The defaults that belong to it would be too much.
    TooMuch,
}

/// More than these are counted, not listed.
const MAX_PROBLEMS: usize = 50;
/// How many characters of a value are shown.
const MAX_FOUND: usize = 60;
/// How many characters of a list of names or values are shown.
const MAX_LIST: usize = 300;
/// How deep alternatives inside of alternatives are explained.
const MAX_NESTED: usize = 3;

impl ArgumentsError {
    /// The error behind the errors of a validator, if there are any.
    pub(super) fn new<'a>(
        tool: &str,
        root: &Parameter,
        arguments: &Value,
        errors: impl Iterator<Item = ValidationError<'a>>,
    ) -> Option<Self> {
        let (problems, more) = Reporter { root, arguments }.report(errors);
        (!problems.is_empty()).then(|| Self { tool: tool.to_owned(), problems, more })
    }

    pub(super) fn too_much(tool: &str) -> Self {
        let problem = Problem { argument: String::new(), wrong: Wrong::TooMuch };
        Self { tool: tool.to_owned(), problems: vec![problem], more: 0 }
    }
}

/// The beginning of a text.
pub(in crate::tool) fn cut(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

struct Reporter<'a> {
    root: &'a Parameter,
    arguments: &'a Value,
}

impl Reporter<'_> {
    /// The problems, and how many more there are.
    fn report<'e>(
        &self,
        errors: impl Iterator<Item = ValidationError<'e>>,
    ) -> (Vec<Problem>, usize) {
        let mut problems: Vec<Problem> = Vec::new();
        let mut more = 0;
        for error in errors {
            if problems.len() >= MAX_PROBLEMS {
                more += 1;
                continue;
            }
            for problem in self.of(&error, MAX_NESTED) {
                // A value of the wrong type is no listed value either; the first reason is enough.
                if !problems.iter().any(|other| other.argument == problem.argument) {
                    problems.push(problem);
                }
            }
        }
        (problems, more)
    }

    fn of(&self, error: &ValidationError<'_>, nested: usize) -> Vec<Problem> {
        let argument = path::of_arguments(self.arguments, error.instance_path().as_str());
        let parameter = path::parameter_at(self.root, error.schema_path().as_str());
        let inside = |name: &str| {
            let mut argument = argument.clone();
            path::push_name(&mut argument, name);
            argument
        };
        match error.kind() {
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let missing = parameter.properties.as_ref().and_then(|all| all.get(name));
                let summary = missing.and_then(|missing| missing.summary.clone());
                vec![Problem { argument: inside(name), wrong: Wrong::Missing { summary } }]
            }
            Kind::AdditionalProperties { unexpected } => unexpected
                .iter()
                .take(MAX_PROBLEMS)
                .map(|name| Problem { argument: inside(name), wrong: unknown(parameter, name) })
                .collect(),
            Kind::OneOfNotValid { context } if nested > 0 => {
                let wrong = self.no_alternative(parameter, context, nested);
                vec![Problem { argument, wrong }]
            }
            kind => {
                let (expected, found) = unfit(kind, error.instance());
                vec![Problem { argument, wrong: Wrong::Unfit { expected, found } }]
            }
        }
    }

    /// Which alternative was meant: the one with the fewest problems, where a wrong type or a wrong
    /// one of listed values, at the value itself or right inside it, says that it was not meant.
    fn no_alternative(
        &self,
        parameter: &Parameter,
        context: &[Vec<ValidationError<'static>>],
        nested: usize,
    ) -> Wrong {
        let depth =
            |error: &ValidationError<'_>| error.instance_path().as_str().matches('/').count();
        let top = context.iter().flatten().map(depth).min().unwrap_or_default();
        let is_another = |error: &ValidationError<'_>| match error.kind() {
            Kind::Type { .. } => depth(error) == top,
            Kind::Enum { .. } | Kind::Constant { .. } => depth(error) <= top + 1,
            _ => false,
        };
        let distance = |errors: &Vec<ValidationError<'_>>| {
            (errors.iter().filter(|error| is_another(error)).count(), errors.len())
        };
        let closest = context.iter().enumerate().min_by_key(|(_, errors)| distance(errors));
        let (index, errors) =
            closest.map_or((0, &[][..]), |(index, errors)| (index, errors.as_slice()));
        let alternatives = parameter.one_of.as_deref().unwrap_or_default();
        Wrong::NoAlternative {
            alternatives: context.len(),
            closest: index + 1,
            summary: alternatives.get(index).and_then(|alternative| alternative.summary.clone()),
            problems: errors.iter().take(8).flat_map(|error| self.of(error, nested - 1)).collect(),
        }
    }
}

fn unknown(parameter: &Parameter, name: &str) -> Wrong {
    let known: Vec<_> =
        parameter.properties.iter().flatten().map(|(name, _)| name.clone()).collect();
    let nearest = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
    Wrong::Unknown { nearest, known }
}

/// What was expected, and what was found.
fn unfit(kind: &Kind, instance: &Value) -> (String, String) {
    let length = || match instance {
        Value::String(text) => count(text.chars().count() as u64, "character"),
        Value::Array(items) => count(items.len() as u64, "element"),
        other => found(other),
    };
    match kind {
        Kind::Type { kind } => (types(kind), found(instance)),
        Kind::Enum { options } => (listed_values(options), found(instance)),
        Kind::Constant { expected_value } => (found(expected_value), found(instance)),
        Kind::Minimum { limit } => (format!("at least {limit}"), found(instance)),
        Kind::Maximum { limit } => (format!("at most {limit}"), found(instance)),
        Kind::MinLength { limit } => (format!("at least {}", count(*limit, "character")), length()),
        Kind::MaxLength { limit } => (format!("at most {}", count(*limit, "character")), length()),
        Kind::MinItems { limit } => (format!("at least {}", count(*limit, "element")), length()),
        Kind::MaxItems { limit } => (format!("at most {}", count(*limit, "element")), length()),
        Kind::Pattern { pattern } => {
            (format!("text that matches `{}`", cut(pattern, MAX_LIST)), found(instance))
        }
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            ("text for which the pattern finds an answer in time".to_owned(), found(instance))
        }
        Kind::OneOfMultipleValid { .. } => {
            ("something that fits one alternative only".to_owned(), found(instance))
        }
        Kind::OneOfNotValid { .. } => ("one of the alternatives".to_owned(), found(instance)),
        other => (format!("what `{}` asks for", other.keyword()), found(instance)),
    }
}

fn count(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => with_article(*kind).to_owned(),
        TypeKind::Multiple(kinds) => {
            kinds.iter().map(with_article).collect::<Vec<_>>().join(" or ")
        }
    }
}

fn with_article(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "an array",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    }
}

fn listed_values(options: &Value) -> String {
    let options: Vec<_> = options.as_array().into_iter().flatten().take(50).map(found).collect();
    match options.as_slice() {
        [only] => only.clone(),
        all => format!("one of {}", cut(&all.join(", "), MAX_LIST)),
    }
}

/// The beginning of a value, as JSON. The rest is not even written.
fn found(value: &Value) -> String {
    if let Value::String(text) = value {
        let shown = cut(text, MAX_FOUND);
        return cut(&Value::from(shown).to_string(), MAX_FOUND + 2);
    }
    let mut start = Start(Vec::new());
    // An error means that there is more than is shown.
    let _ = serde_json::to_writer(&mut start, value);
    cut(&String::from_utf8_lossy(&start.0), MAX_FOUND)
}

/// Takes a little more than is shown, and then nothing.
struct Start(Vec<u8>);

impl io::Write for Start {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // No character has more than four bytes.
        let room = (4 * MAX_FOUND + 8).saturating_sub(self.0.len());
        if room == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        let taken = room.min(bytes.len());
        self.0.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.argument.as_str(), &self.wrong) {
            ("", wrong) => write!(f, "{wrong}"),
            (argument, wrong @ Wrong::Unfit { .. }) => write!(f, "`{argument}`: {wrong}"),
            (argument, wrong) => write!(f, "`{argument}` {wrong}"),
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { summary: Some(summary) } => write!(f, "is missing: {summary}"),
            Self::Missing { summary: None } => f.write_str("is missing"),
            Self::Unknown { nearest: Some(nearest), .. } => {
                write!(f, "is not known; did you mean `{nearest}`?")
            }
            Self::Unknown { nearest: None, known } if known.is_empty() => {
                f.write_str("is not known; nothing is expected here")
            }
            Self::Unknown { nearest: None, known } => {
                write!(f, "is not known; there is `{}`", cut(&known.join("`, `"), MAX_LIST))
            }
            Self::Unfit { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::NoAlternative { alternatives, closest, summary, problems } => {
                write!(
                    f,
                    "fits none of {alternatives} alternatives; the closest is number {closest}"
                )?;
                if let Some(summary) = summary {
                    write!(f, " ({summary})")?;
                }
                let problems: Vec<_> = problems.iter().map(Problem::to_string).collect();
                write!(f, ", but {}", problems.join(", and "))
            }
            Self::TooMuch => f.write_str("the defaults would make the arguments too large"),
        }
    }
}

/// One line each; a single one beside the rest of the sentence.
fn listed(problems: &[Problem], more: usize) -> String {
    match (problems, more) {
        ([only], 0) => format!(" {only}"),
        (_, 0) => problems.iter().map(|problem| format!("\n- {problem}")).collect(),
        (_, more) => format!("{}\n- and {more} more", listed(problems, 0)),
    }
}
