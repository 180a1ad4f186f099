//! What the configuration says about a tool, laid over what its source says.
//!
//! The source is a program that was asked, an MCP server, or jp itself; the rules are the same for
//! all of them. What the configuration sets wins, field by field, and what it does not set stays as
//! it was. It cannot add a parameter, because the source would not know what to do with it: such an
//! override is an error, not a new parameter.
//!
//! The `parameters` of a local tool mean one of two things, told apart by what is in them:
//!
//! - A table in which at least one entry has a `type`, an `enum` or a `oneOf` says what the tool
//!   takes. It is complete, and the program is not asked. An empty table is complete as well: the
//!   tool takes nothing.
//! - A table whose entries have none of these changes single fields of what the program says, such
//!   as a `summary` or a `default`.
//!
//! For other sources, which are asked in any case, a table always changes single fields.

use indexmap::IndexMap;
use jp_config::conversation::tool::{ToolConfig, parameter::ToolParameter};
use jp_config::nearest;
use jp_tool::{Parameter, ToolSchema};
use thiserror::Error;

use super::definition::Origin;

/// What the configuration says about a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Overrides<'a> {
    /// One sentence about it.
    pub summary: Option<&'a str>,
    /// The long explanation.
    pub description: Option<&'a str>,
    /// Examples of calls.
    pub examples: Option<&'a str>,
    /// Its parameters, or changes to them.
    pub parameters: Option<&'a IndexMap<String, ToolParameter>>,
}

impl<'a> Overrides<'a> {
    /// What this configuration says.
    pub fn of(config: &'a ToolConfig) -> Self {
        Self {
            summary: config.summary.as_deref(),
            description: config.description.as_deref(),
            examples: config.examples.as_deref(),
            parameters: config.parameters.as_deref(),
        }
    }

    /// The description of the tool, if the configuration has all of it.
    pub fn whole(&self, name: &str) -> Option<ToolSchema> {
        let parameters = self.parameters.filter(|parameters| is_whole(parameters))?;
        let parameters =
            parameters.iter().map(|(name, parameter)| (name.clone(), parameter.clone().into()));
        Some(ToolSchema {
            name: name.to_owned(),
            summary: self.summary.map(str::to_owned),
            description: self.description.map(str::to_owned),
            examples: self.examples.map(str::to_owned),
            parameters: parameters.collect(),
        })
    }
}

/// Whether a table of parameters says what a tool takes, instead of changing it.
pub fn is_whole(parameters: &IndexMap<String, ToolParameter>) -> bool {
    let defines = |parameter: &ToolParameter| {
        parameter.kind.is_some() || parameter.values.is_some() || parameter.one_of.is_some()
    };
    parameters.is_empty() || parameters.values().any(defines)
}

/// Who said what about a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins {
    /// Who said the summary, if anybody did.
    pub summary: Option<Origin>,
    /// Who said the description, if anybody did.
    pub description: Option<Origin>,
    /// Who said the examples, if anybody did.
    pub examples: Option<Origin>,
    /// The parameters, by name.
    pub parameters: IndexMap<String, ParameterOrigin>,
}

/// Who said what about a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterOrigin {
    /// Who defined it.
    pub origin: Origin,
    /// The fields that the configuration changed: `summary`, `properties.path.default`.
    pub overridden: Vec<String>,
}

impl Origins {
    /// All of a description, said by one.
    pub fn all(schema: &ToolSchema, origin: Origin) -> Self {
        let parameter = ParameterOrigin { origin, overridden: Vec::new() };
        Self {
            summary: schema.summary.as_ref().map(|_| origin),
            description: schema.description.as_ref().map(|_| origin),
            examples: schema.examples.as_ref().map(|_| origin),
            parameters: schema
                .parameters
                .keys()
                .map(|name| (name.clone(), parameter.clone()))
                .collect(),
        }
    }
}

/// An override of something that is not there.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`parameters.{path}` is set for a parameter that the tool does not have; {}", offer(.nearest.as_deref(), .known))]
pub struct MergeError {
    /// Where the override is, below `parameters`.
    pub path: String,
    /// What was probably meant.
    pub nearest: Option<String>,
    /// What there is in its place.
    pub known: Vec<String>,
}

/// Lays the configuration over what the source says.
pub fn merge(
    provided: ToolSchema,
    overrides: &Overrides<'_>,
    origin: Origin,
) -> Result<(ToolSchema, Origins), MergeError> {
    let mut schema = provided;
    let mut origins = Origins::all(&schema, origin);
    replace(&mut schema.summary, overrides.summary, &mut origins.summary);
    replace(&mut schema.description, overrides.description, &mut origins.description);
    replace(&mut schema.examples, overrides.examples, &mut origins.examples);
    for (name, parameter) in overrides.parameters.into_iter().flatten() {
        let Some(target) = schema.parameters.get_mut(name) else {
            return Err(unknown(String::new(), name, &schema.parameters));
        };
        let mut changes = Changes { path: vec![name.clone()], fields: Vec::new() };
        changes.apply(target, parameter.clone().into())?;
        if let Some(origin) = origins.parameters.get_mut(name) {
            origin.overridden = changes.fields;
        }
    }
    Ok((schema, origins))
}

fn replace(field: &mut Option<String>, value: Option<&str>, origin: &mut Option<Origin>) {
    if let Some(value) = value {
        *field = Some(value.to_owned());
        *origin = Some(Origin::Config);
    }
}

/// The changes to one parameter.
#[derive(Debug)]
struct Changes {
    /// Where we are: the parameter, then `properties.<name>` and `items` as far as they lead.
    path: Vec<String>,
    /// What was changed, below the parameter.
    fields: Vec<String>,
}

impl Changes {
    /// Sets every field of the parameter that the change has. The recursion ends with the nesting of
    /// the configuration, which is limited.
    fn apply(&mut self, target: &mut Parameter, change: Parameter) -> Result<(), MergeError> {
        // `required` was said of a parameter without a default. With one, a call can do without it,
        // unless the configuration says otherwise.
        if change.default.is_some() && change.required.is_none() {
            target.required = None;
        }
        self.set("type", &mut target.kind, change.kind);
        self.set("summary", &mut target.summary, change.summary);
        self.set("description", &mut target.description, change.description);
        self.set("default", &mut target.default, change.default);
        self.set("required", &mut target.required, change.required);
        self.set("enum", &mut target.values, change.values);
        self.set("oneOf", &mut target.one_of, change.one_of);
        self.set("minimum", &mut target.minimum, change.minimum);
        self.set("maximum", &mut target.maximum, change.maximum);
        self.set("minLength", &mut target.min_length, change.min_length);
        self.set("maxLength", &mut target.max_length, change.max_length);
        self.set("minItems", &mut target.min_items, change.min_items);
        self.set("maxItems", &mut target.max_items, change.max_items);
        self.set("pattern", &mut target.pattern, change.pattern);
        self.set("format", &mut target.format, change.format);
        self.items(target, change.items)?;
        self.properties(target, change.properties)
    }

    fn items(
        &mut self,
        target: &mut Parameter,
        change: Option<Box<Parameter>>,
    ) -> Result<(), MergeError> {
        match (&mut target.items, change) {
            (Some(target), Some(change)) => {
                self.path.push("items".to_owned());
                self.apply(target, *change)?;
                self.path.pop();
            }
            (items, change) => self.set("items", items, change),
        }
        Ok(())
    }

    fn properties(
        &mut self,
        target: &mut Parameter,
        change: Option<IndexMap<String, Parameter>>,
    ) -> Result<(), MergeError> {
        let (Some(targets), Some(_)) = (&mut target.properties, &change) else {
            self.set("properties", &mut target.properties, change);
            return Ok(());
        };
        self.path.push("properties".to_owned());
        for (name, change) in change.into_iter().flatten() {
            let Some(target) = targets.get_mut(&name) else {
                return Err(unknown(format!("{}.", self.path.join(".")), &name, targets));
            };
            self.path.push(name);
            self.apply(target, change)?;
            self.path.pop();
        }
        self.path.pop();
        Ok(())
    }

    fn set<T>(&mut self, name: &str, field: &mut Option<T>, value: Option<T>) {
        if value.is_some() {
            *field = value;
            let path = self.path.iter().skip(1).map(String::as_str).chain([name]);
            self.fields.push(path.collect::<Vec<_>>().join("."));
        }
    }
}

fn unknown(parent: String, name: &str, known: &IndexMap<String, Parameter>) -> MergeError {
    MergeError {
        path: parent + name,
        nearest: nearest(name, known.keys().map(String::as_str)).map(str::to_owned),
        known: known.keys().cloned().collect(),
    }
}

fn offer(nearest: Option<&str>, known: &[String]) -> String {
    match (nearest, known) {
        (_, []) => "it has none".to_owned(),
        (Some(nearest), _) => format!("did you mean `{nearest}`? It has `{}`", known.join("`, `")),
        (None, _) => format!("it has `{}`", known.join("`, `")),
    }
}

#[cfg(test)]
mod tests;
