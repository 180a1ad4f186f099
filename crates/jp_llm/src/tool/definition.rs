//! What a tool is: what the model is told about it with every request, and what it is told when it
//! asks for more.

use indexmap::IndexMap;
use jp_tool::{Parameter, ToolSchema};
use serde_json::{Map, Value, json};

/// What the model is told about a tool with every request.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// What the model calls it.
    pub name: String,
    /// One sentence about it.
    pub summary: Option<String>,
    /// What it takes, by name.
    pub parameters: IndexMap<String, Parameter>,
}

impl ToolDefinition {
    /// The JSON Schema of the arguments of a call. An argument that is not named is refused, because
    /// it is a misspelled one more often than not.
    pub fn schema(&self) -> Value {
        object_schema(&self.parameters)
    }
}

/// What the model is told about a tool when it asks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolDocs {
    /// The long explanation.
    pub description: Option<String>,
    /// Examples of calls.
    pub examples: Option<String>,
    /// The long explanations of single parameters, by name.
    pub parameters: IndexMap<String, String>,
}

/// Where a part of a definition was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// In the configuration.
    Config,
    /// In the answer of the tool's own program.
    Program,
    /// In the answer of an MCP server.
    Server,
    /// In jp itself.
    Builtin,
}

/// A description split into what is always told and what is told on request.
pub(crate) fn split(name: &str, schema: ToolSchema) -> (ToolDefinition, ToolDocs) {
    let ToolSchema { summary, description, examples, parameters, .. } = schema;
    let long = |(name, parameter): (&String, &Parameter)| {
        parameter.description.clone().map(|text| (name.clone(), text))
    };
    let docs = ToolDocs {
        description,
        examples,
        parameters: parameters.iter().filter_map(long).collect(),
    };
    (ToolDefinition { name: name.to_owned(), summary, parameters }, docs)
}

fn object_schema(properties: &IndexMap<String, Parameter>) -> Value {
    let required: Vec<_> =
        properties.iter().filter(|(_, p)| p.is_required()).map(|(n, _)| n).collect();
    let schemas: Map<_, _> =
        properties.iter().map(|(name, parameter)| (name.clone(), schema(parameter))).collect();
    json!({
        "type": "object",
        "properties": schemas,
        "required": required,
        "additionalProperties": false,
    })
}

/// One parameter in the words of JSON Schema: what we call a summary is called a description there,
/// and what is required is said by the object around it.
fn schema(parameter: &Parameter) -> Value {
    let Parameter { properties, items, one_of, .. } = parameter;
    let plain = Parameter {
        summary: None,
        description: parameter.summary.clone(),
        required: None,
        properties: None,
        items: None,
        one_of: None,
        ..parameter.clone()
    };
    // A parameter is made of strings, numbers and lists; writing it cannot fail.
    let Ok(Value::Object(mut written)) = serde_json::to_value(plain) else { return Value::Null };
    if let Some(properties) = properties
        && let Value::Object(object) = object_schema(properties)
    {
        written.extend(object.into_iter().filter(|(key, _)| key != "type"));
    }
    if let Some(items) = items {
        written.insert("items".to_owned(), schema(items));
    }
    if let Some(alternatives) = one_of {
        written.insert("oneOf".to_owned(), alternatives.iter().map(schema).collect());
    }
    Value::Object(written)
}
