//! What a tool is: what the model is told about it with every request, and what it is told when it
//! asks for more.

use indexmap::IndexMap;
use jp_tool::{Parameter, ParameterType, ParameterTypes, SessionAction, ToolSchema};
use serde_json::{Map, Value, json};

/// What the model is told about a tool with every request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolDefinition {
    /// What the model calls it.
    pub name: String,
    /// One sentence about it.
    pub summary: Option<String>,
    /// What it takes, by name.
    pub parameters: IndexMap<String, Parameter>,
    /// What can be done to it while it stays alive; nothing for a tool that does not.
    pub actions: Vec<SessionAction>,
    /// What a server says the tool takes, where parameters cannot say all of it.
    pub input: Option<Value>,
}

impl ToolDefinition {
    /// The JSON Schema of the arguments of a call. An argument that is not named is refused, because
    /// it is a misspelled one more often than not; a server says itself what it refuses.
    pub fn schema(&self) -> Value {
        if let Some(input) = &self.input {
            return input.clone();
        }
        let mut schema = Map::from_iter([("type".to_owned(), "object".into())]);
        schema.extend(object_schema(&self.parameters, Others::Refused));
        Value::Object(schema)
    }

    /// The JSON Schema of everything that the tool can be called with: its arguments and, if it stays
    /// alive, one form for each action that it takes.
    pub fn call_schema(&self) -> Value {
        let once = self.schema();
        if self.actions.is_empty() {
            return once;
        }
        let actions = self.actions.iter().map(|action| action_schema(*action, &once));
        let forms: Vec<_> = std::iter::once(once.clone()).chain(actions).collect();
        json!({ "type": "object", "oneOf": forms })
    }
}

fn action_schema(action: SessionAction, arguments: &Value) -> Value {
    let mut properties = json!({
        "action": { "const": action },
        "id": { "type": "string", "description": "The handle of the running tool." },
    });
    let mut required = vec!["action", "id"];
    match action {
        SessionAction::Spawn => {
            properties["args"] = arguments.clone();
            required.push("args");
        }
        SessionAction::Apply => {
            properties["input"] = json!({ "description": "Input, or the answer to its question." });
            required.push("input");
        }
        SessionAction::Fetch | SessionAction::Abort => {}
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// What the model is told about a tool when it asks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolDocs {
    /// The long explanation.
    pub description: Option<String>,
    /// Examples of calls.
    pub examples: Option<String>,
    /// The long explanations of single parameters and of their parts, by where they are: `path`,
    /// `edits[].pattern`, and `edit(2).line` for a part of a second alternative.
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

impl Origin {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Program => "program",
            Self::Server => "server",
            Self::Builtin => "builtin",
        }
    }
}

/// A description split into what is always told and what is told on request.
pub(crate) fn split(name: &str, schema: ToolSchema) -> (ToolDefinition, ToolDocs) {
    let ToolSchema { summary, description, examples, parameters, actions, .. } = schema;
    let mut long = IndexMap::new();
    for (name, parameter) in &parameters {
        explain(name.clone(), parameter, &mut long);
    }
    let docs = ToolDocs { description, examples, parameters: long };
    let actions = actions.unwrap_or_default();
    (ToolDefinition { name: name.to_owned(), summary, parameters, actions, input: None }, docs)
}

/// One parameter in the words of JSON Schema: what we call a summary is called a description there,
/// and what is required is said by the object around it.
pub(super) fn schema(parameter: &Parameter) -> Value {
    schema_of(parameter, Others::Refused)
}

/// The types a value can have. What has properties is an object and what has items is an array, even
/// where nobody said so: to JSON Schema both would mean nothing for a value of another type.
pub(super) fn kinds(parameter: &Parameter) -> Option<ParameterTypes> {
    let implied = match (&parameter.properties, &parameter.items) {
        (Some(_), None) => Some(ParameterTypes::One(ParameterType::Object)),
        (None, Some(_)) => Some(ParameterTypes::One(ParameterType::Array)),
        _ => None,
    };
    parameter.kind.clone().or(implied)
}

/// What happens to properties that an object does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Others {
    Refused,
    /// The object is one side of `properties` beside `oneOf`, and the other side names more. Both
    /// refuse only what is wrong for themselves, or nothing would satisfy the two of them.
    Accepted,
}

fn object_schema(properties: &IndexMap<String, Parameter>, others: Others) -> Map<String, Value> {
    let required: Vec<_> =
        properties.iter().filter(|(_, p)| p.is_required()).map(|(n, _)| n.as_str()).collect();
    let schemas: Map<_, _> =
        properties.iter().map(|(name, parameter)| (name.clone(), schema(parameter))).collect();
    let mut object = Map::new();
    object.insert("properties".to_owned(), schemas.into());
    object.insert("required".to_owned(), required.into());
    if others == Others::Refused {
        object.insert("additionalProperties".to_owned(), false.into());
    }
    object
}

fn schema_of(parameter: &Parameter, others: Others) -> Value {
    let Parameter { properties, items, one_of, .. } = parameter;
    let plain = Parameter {
        kind: kinds(parameter),
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
    let others = if properties.is_some() && one_of.is_some() { Others::Accepted } else { others };
    if let Some(properties) = properties {
        written.extend(object_schema(properties, others));
    }
    if let Some(items) = items {
        written.insert("items".to_owned(), schema(items));
    }
    if let Some(alternatives) = one_of {
        let schemas = alternatives.iter().map(|alternative| schema_of(alternative, others));
        written.insert("oneOf".to_owned(), schemas.collect());
    }
    Value::Object(written)
}

/// Collects the long explanations in a parameter.
fn explain(path: String, parameter: &Parameter, long: &mut IndexMap<String, String>) {
    for (name, property) in parameter.properties.iter().flatten() {
        explain(format!("{path}.{name}"), property, long);
    }
    if let Some(items) = &parameter.items {
        explain(format!("{path}[]"), items, long);
    }
    for (index, alternative) in parameter.one_of.iter().flatten().enumerate() {
        explain(format!("{path}({})", index + 1), alternative, long);
    }
    if let Some(text) = &parameter.description {
        long.insert(path, text.clone());
    }
}

#[cfg(test)]
mod tests;
