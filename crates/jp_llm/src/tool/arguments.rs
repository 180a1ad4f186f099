//! The arguments of a call: completed, tidied up and checked.
//!
//! 1. What is missing and has a default is filled in, at every depth. A default that its own
//!    parameter would not take (`null` for a string is often seen) is left out; the tool knows what
//!    it meant.
//! 2. A string that the parameter does not take, but that is the text of a value it does take, becomes
//!    that value: models write `"5"` for 5. Nothing is guessed and nothing is lost; see `coerce.rs`.
//! 3. The result is checked against the JSON Schema that the model was given, and everything that is
//!    wrong is reported at once, because a model that learns of one mistake at a time needs a call for
//!    each.
//!
//! Definitions come from programs and servers, arguments from a model, so neither is trusted: a
//! definition is limited in depth, its patterns in size and in what they may cost, and defaults in how
//! much they may add.

mod coerce;
mod error;
mod fill;
mod path;
mod words;

use std::collections::{HashMap, HashSet};
use std::fmt;

use indexmap::IndexMap;
use jp_tool::{Parameter, ParameterType, ParameterTypes};
use jsonschema::PatternOptions;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};
use thiserror::Error;

pub(super) use self::error::cut;
pub use self::error::{ArgumentsError, Problem, Wrong};
use self::fill::Filler;
pub use self::words::{WordsError, from_words};
use super::definition::ToolDefinition;

/// What checks the arguments of one tool. Making one costs more than a call, so it is kept.
pub struct Validator {
    tool: String,
    /// All parameters, as the properties of one object.
    root: Parameter,
    schema: jsonschema::Validator,
    parts: Parts,
}

/// What has to be known about single parts of a schema, by where they are in it.
#[derive(Default)]
struct Parts {
    /// What checks the alternatives of each `oneOf`.
    alternatives: HashMap<String, Vec<jsonschema::Validator>>,
    /// The parameters whose default they would not take.
    unfit: HashSet<String>,
}

/// A definition that no call can be checked against.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DefinitionError {
    /// A part of it is not what JSON Schema allows, such as a pattern that is none.
    #[error("parameter `{parameter}` is not valid: {reason}")]
    Invalid {
        /// Which part.
        parameter: String,
        /// What is wrong.
        reason: String,
    },
    /// It is nested too deeply.
    #[error("parameter `{parameter}` is nested more than {MAX_DEPTH} levels deep")]
    Deep {
        /// The parameter at the top of it.
        parameter: String,
    },
}

/// How deep a definition may be nested. A value is visited no deeper than its definition.
const MAX_DEPTH: usize = 64;
/// How often a pattern may step back while it looks for a match. Beyond it the value is refused.
const MAX_BACKTRACKS: usize = 100_000;
/// How large a pattern may be when it is compiled.
const MAX_PATTERN: usize = 1024 * 1024;

impl Validator {
    /// Checks a definition and prepares for its calls.
    pub fn new(definition: &ToolDefinition) -> Result<Self, DefinitionError> {
        let root = root(definition)?;
        let schema = definition.schema();
        let mut parts = Parts::default();
        parts.visit(&root, &schema, "")?;
        let tool = definition.name.clone();
        Ok(Self { tool, root, schema: compile(&schema, "")?, parts })
    }

    /// The same for a tool whose server says what it takes: that decides, and what is filled in or tidied
    /// up is said by `parameters`.
    pub(crate) fn of_server(
        definition: &ToolDefinition,
        parameters: IndexMap<String, Parameter>,
    ) -> Result<Self, DefinitionError> {
        let own = ToolDefinition { parameters, input: None, ..definition.clone() };
        Ok(Self { schema: compile(&definition.schema(), "")?, ..Self::new(&own)? })
    }

    /// Completes and checks the arguments of a call.
    pub fn prepare(
        &self,
        arguments: Map<String, Value>,
    ) -> Result<Map<String, Value>, ArgumentsError> {
        let mut arguments = Value::Object(arguments);
        let filled = Filler::new(&self.parts).fill(&self.root, &mut arguments);
        if filled.is_err() {
            return Err(ArgumentsError::too_much(&self.tool));
        }
        let errors = self.schema.iter_errors(&arguments);
        if let Some(error) = ArgumentsError::new(&self.tool, &self.root, &arguments, errors) {
            return Err(error);
        }
        match arguments {
            Value::Object(arguments) => Ok(arguments),
            // The root is an object and takes nothing else.
            _ => Err(ArgumentsError::too_much(&self.tool)),
        }
    }
}

impl Parts {
    /// Goes through a parameter and its schema side by side.
    fn visit(
        &mut self,
        parameter: &Parameter,
        schema: &Value,
        path: &str,
    ) -> Result<(), DefinitionError> {
        if let Some(default) = &parameter.default
            && !compile(schema, path)?.is_valid(default)
        {
            self.unfit.insert(path.to_owned());
        }
        for (name, property) in parameter.properties.iter().flatten() {
            self.visit(property, &schema["properties"][name], &path::property(path, name))?;
        }
        if let Some(items) = &parameter.items {
            self.visit(items, &schema["items"], &path::items(path))?;
        }
        let Some(alternatives) = &parameter.one_of else { return Ok(()) };
        let mut compiled = Vec::with_capacity(alternatives.len());
        for (index, alternative) in alternatives.iter().enumerate() {
            let (schema, path) = (&schema["oneOf"][index], path::alternative(path, index));
            compiled.push(compile(schema, &path)?);
            self.visit(alternative, schema, &path)?;
        }
        self.alternatives.insert(path.to_owned(), compiled);
        Ok(())
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator").field("tool", &self.tool).finish_non_exhaustive()
    }
}

/// All parameters as the properties of one object, unless they are nested too deeply.
fn root(definition: &ToolDefinition) -> Result<Parameter, DefinitionError> {
    for (name, parameter) in &definition.parameters {
        if is_deep(parameter, MAX_DEPTH) {
            return Err(DefinitionError::Deep { parameter: name.clone() });
        }
    }
    Ok(Parameter {
        kind: Some(ParameterTypes::One(ParameterType::Object)),
        properties: Some(definition.parameters.clone()),
        ..Parameter::default()
    })
}

fn is_deep(parameter: &Parameter, left: usize) -> bool {
    let Some(left) = left.checked_sub(1) else { return true };
    let properties = parameter.properties.iter().flat_map(|properties| properties.values());
    let others = parameter.items.as_deref().into_iter().chain(parameter.one_of.iter().flatten());
    properties.chain(others).any(|part| is_deep(part, left))
}

/// Compiles a schema, or a part of one that is at `path` of the whole.
pub(super) fn compile(
    schema: &Value,
    path: &str,
) -> Result<jsonschema::Validator, DefinitionError> {
    let patterns = PatternOptions::fancy_regex()
        .backtrack_limit(MAX_BACKTRACKS)
        .size_limit(MAX_PATTERN)
        .dfa_size_limit(MAX_PATTERN);
    jsonschema::options().with_pattern_options(patterns).offline().build(schema).map_err(|error| {
        let place = format!("{path}{}", error.instance_path());
        let reason = match error.kind() {
            ValidationErrorKind::Format { format } if format == "regex" => {
                let pattern = error.instance().as_str().unwrap_or_default();
                format!("`{}` is not a regular expression, or a very large one", cut(pattern, 100))
            }
            _ => cut(&error.to_string(), 200),
        };
        DefinitionError::Invalid { parameter: path::of_schema(&place), reason }
    })
}

#[cfg(test)]
mod tests;
