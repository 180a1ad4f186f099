//! What a server says its tool takes, and what the configuration changes about it.
//!
//! A server describes its input by any JSON Schema. Our parameters know a part of that language, enough
//! to read words of a command line, to tidy up what a model wrote, and to show people what a tool takes.
//! What decides is the schema as the server wrote it: the model is given it, and calls are checked against
//! it, so that nothing the server said is lost on the way. What the configuration changes is laid over
//! both.
//!
//! Schemas come from servers, so nothing here fails: what is not understood is left out of the parameters
//! and stays in the schema. References are followed inside of the schema only, and not in circles.

use std::cell::Cell;

use indexmap::IndexMap;
use jp_config::conversation::tool::parameter::ToolParameter;
use jp_tool::{Parameter, ParameterType, ParameterTypes};
use serde_json::{Map, Value, json};

/// How deep a schema is read. What is below is taken as it comes.
const MAX_DEPTH: usize = 16;

/// How many parts of a schema are read. References can make many out of a few, so depth alone is no limit.
const MAX_PARTS: usize = 10_000;

/// The parameters of a tool, as far as they can be said, by name.
pub(crate) fn parameters(schema: &Value) -> IndexMap<String, Parameter> {
    let left = Cell::new(MAX_PARTS);
    Reader { root: schema, left }.properties(schema, MAX_DEPTH).unwrap_or_default()
}

/// The schema of a tool as it is used: that of an object, whatever the server forgot to say.
pub(crate) fn of_object(schema: &Value) -> Value {
    let mut object = schema.as_object().cloned().unwrap_or_default();
    object.entry("type").or_insert_with(|| json!("object"));
    Value::Object(object)
}

/// The same parameters without what the server does with arguments that are not given: that is its own
/// business, and what is filled in for it might contradict another argument.
pub(crate) fn without_defaults(
    parameters: &IndexMap<String, Parameter>,
) -> IndexMap<String, Parameter> {
    parameters.iter().map(|(name, parameter)| (name.clone(), without_default(parameter))).collect()
}

fn without_default(parameter: &Parameter) -> Parameter {
    Parameter {
        required: Some(parameter.is_required()),
        default: None,
        items: parameter.items.as_deref().map(|items| Box::new(without_default(items))),
        properties: parameter.properties.as_ref().map(without_defaults),
        ..parameter.clone()
    }
}

/// Lays what the configuration says about parameters over a schema.
pub(crate) fn lay_over(schema: &mut Value, changes: &IndexMap<String, ToolParameter>) {
    for (name, change) in changes {
        change_property(schema, name, &Parameter::from(change.clone()));
    }
}

/// Changes one property of an object, and whether it has to be given.
fn change_property(object: &mut Value, name: &str, change: &Parameter) {
    let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    if let Some(property) = properties.get_mut(name) {
        change_value(property, change);
    }
    let required = change.required.or(change.default.is_some().then_some(false));
    let Some(required) = required else { return };
    let list = object.as_object_mut().map(|it| it.entry("required").or_insert_with(|| json!([])));
    if let Some(Value::Array(list)) = list {
        list.retain(|other| other != name);
        if required {
            list.push(name.into());
        }
    }
}

fn change_value(schema: &mut Value, change: &Parameter) {
    // What is only named elsewhere, or is `true`, gets a place of its own to say more.
    if !schema.is_object() {
        *schema = json!({});
    }
    if let Some(items) = &change.items {
        match schema.get_mut("items") {
            Some(inner) => change_value(inner, items),
            None => schema["items"] = super::super::definition::schema(items),
        }
    }
    for (name, property) in change.properties.iter().flatten() {
        change_property(schema, name, property);
    }
    let plain = Parameter {
        summary: None,
        description: change.summary.clone(),
        required: None,
        properties: None,
        items: None,
        ..change.clone()
    };
    // A parameter is made of strings, numbers and lists; writing it cannot fail.
    if let (Ok(Value::Object(said)), Some(schema)) =
        (serde_json::to_value(plain), schema.as_object_mut())
    {
        schema.extend(said);
    }
}

struct Reader<'a> {
    /// The whole schema, for references into it.
    root: &'a Value,
    /// How many more parts are read.
    left: Cell<usize>,
}

impl Reader<'_> {
    fn properties(&self, schema: &Value, left: usize) -> Option<IndexMap<String, Parameter>> {
        let properties = schema.get("properties")?.as_object()?;
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
        let read = |(name, schema): (&String, &Value)| {
            let parameter = self.parameter(schema, left);
            (name.clone(), Parameter { required: Some(is_required(name)), ..parameter })
        };
        Some(properties.iter().take_while(|_| self.left.get() > 0).map(read).collect())
    }

    fn parameter(&self, schema: &Value, left: usize) -> Parameter {
        self.left.set(self.left.get().saturating_sub(1));
        let (Some(left), Some(said)) = (left.checked_sub(1), schema.as_object()) else {
            return Parameter::default();
        };
        let elsewhere = self.elsewhere(said, left);
        let text = |key: &str| said.get(key).and_then(Value::as_str).map(ToOwned::to_owned);
        let count = |key: &str| said.get(key)?.as_u64()?.try_into().ok();
        let number = |key: &str| said.get(key)?.as_number().cloned();
        let own = Parameter {
            kind: said.get("type").and_then(types).or_else(|| any_of(said)),
            summary: text("description").or_else(|| text("title")),
            default: said.get("default").cloned(),
            values: values(said),
            items: said.get("items").map(|items| Box::new(self.parameter(items, left))),
            properties: self.properties(schema, left),
            minimum: number("minimum"),
            maximum: number("maximum"),
            min_length: count("minLength"),
            max_length: count("maxLength"),
            min_items: count("minItems"),
            max_items: count("maxItems"),
            pattern: text("pattern"),
            format: text("format"),
            ..Parameter::default()
        };
        completed(own, elsewhere)
    }

    /// What a reference leads to, or the only part of a composition.
    fn elsewhere(&self, said: &Map<String, Value>, left: usize) -> Option<Parameter> {
        if let Some(place) = said.get("$ref").and_then(Value::as_str) {
            let target = self.root.pointer(place.strip_prefix('#')?)?;
            return Some(self.parameter(target, left));
        }
        match said.get("allOf")?.as_array()?.as_slice() {
            [one] => Some(self.parameter(one, left)),
            _ => None,
        }
    }
}

/// A parameter, with what it does not say itself.
fn completed(own: Parameter, below: Option<Parameter>) -> Parameter {
    let Some(below) = below else { return own };
    Parameter {
        kind: own.kind.or(below.kind),
        summary: own.summary.or(below.summary),
        default: own.default.or(below.default),
        values: own.values.or(below.values),
        items: own.items.or(below.items),
        properties: own.properties.or(below.properties),
        minimum: own.minimum.or(below.minimum),
        maximum: own.maximum.or(below.maximum),
        min_length: own.min_length.or(below.min_length),
        max_length: own.max_length.or(below.max_length),
        min_items: own.min_items.or(below.min_items),
        max_items: own.max_items.or(below.max_items),
        pattern: own.pattern.or(below.pattern),
        format: own.format.or(below.format),
        ..own
    }
}

fn values(said: &Map<String, Value>) -> Option<Vec<Value>> {
    let listed = said.get("enum").and_then(Value::as_array).cloned();
    listed.or_else(|| said.get("const").map(|only| vec![only.clone()]))
}

fn types(said: &Value) -> Option<ParameterTypes> {
    serde_json::from_value(said.clone()).ok()
}

/// The types of alternatives that differ in their type alone: `string` or `null`, mostly.
fn any_of(said: &Map<String, Value>) -> Option<ParameterTypes> {
    let alternatives = said.get("anyOf").or_else(|| said.get("oneOf"))?.as_array()?;
    let kind = |alternative: &Value| {
        let said = alternative.as_object()?;
        let plain = ["type", "title", "description"];
        let is_plain = said.keys().all(|key| plain.contains(&key.as_str()));
        let kind: ParameterType =
            serde_json::from_value(said.get("type").filter(|_| is_plain)?.clone()).ok()?;
        Some(kind)
    };
    let kinds = alternatives.iter().map(kind).collect::<Option<Vec<_>>>()?;
    (!kinds.is_empty()).then_some(ParameterTypes::Many(kinds))
}

#[cfg(test)]
mod tests;
