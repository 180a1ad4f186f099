//! The JSON Schema of the configuration, derived from the types and then put into the form that
//! people's editors and our own checks want.
//!
//! A layer says only part of a configuration, so no table demands a key: what must be there in the
//! end is noted under a keyword of our own, and checked when all layers are merged. Elements of
//! lists are whole wherever they are written, so they keep `required`.

use std::collections::BTreeSet;

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use crate::app::AppConfig;

/// The keyword for keys that must be there once all layers are merged.
const REQUIRED_AFTER_MERGE: &str = "x-jp-required";

/// The schema of a configuration file.
pub(crate) fn schema() -> Value {
    let mut schema = schema_of::<AppConfig>();
    if let Some(root) = schema.as_object_mut() {
        root.insert("title".to_owned(), "jp configuration".into());
    }
    add_alias(&mut schema);
    schema
}

/// The schema of any type that is made of the building blocks of this crate.
pub(crate) fn schema_of<T: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    RecursiveTransform(without_null).transform(&mut schema);
    RecursiveTransform(tidy).transform(&mut schema);
    let mut elements = BTreeSet::new();
    RecursiveTransform(|it: &mut Schema| collect_element(it, &mut elements)).transform(&mut schema);
    let mut schema = schema.to_value();
    demand_after_merge(&mut schema, &elements);
    schema
}

/// `[tools]` means `[conversation.tools]`.
fn add_alias(schema: &mut Value) {
    let tools = schema.pointer("/$defs/ConversationConfig/properties/tools").cloned();
    let properties = schema.pointer_mut("/properties").and_then(Value::as_object_mut);
    if let (Some(mut tools), Some(properties)) = (tools, properties) {
        tools["description"] = "Another way to write `conversation.tools`.".into();
        properties.insert("tools".to_owned(), tools);
    }
}

/// TOML has no null: an optional key is left out instead.
fn without_null(schema: &mut Schema) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|it| it != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(either)) = schema.get_mut("anyOf") {
        either.retain(|it| it != &json!({ "type": "null" }));
        if let [Value::Object(only)] = either.as_slice() {
            let only = only.clone();
            schema.remove("anyOf");
            // What the field says about itself stays; the type's own words give way.
            let fields = schema.ensure_object();
            for (keyword, value) in only {
                fields.entry(keyword).or_insert(value);
            }
        }
    }
}

/// Defaults of whole tables repeat those of their keys, and descriptions carry the line breaks of
/// the source code; neither helps a reader. Bounds that the type has are written out.
fn tidy(schema: &mut Schema) {
    if matches!(schema.get("default"), Some(Value::Null | Value::Object(_))) {
        schema.remove("default");
    }
    // Integers of 32 bits come without their upper bound; the narrower ones have it.
    if schema.get("format").is_some_and(|it| it == "uint32") && schema.get("maximum").is_none() {
        schema.insert("maximum".to_owned(), u32::MAX.into());
    }
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.split_whitespace().collect::<Vec<_>>().join(" ");
    }
}

/// Moves `required` to our own keyword everywhere but in elements of lists.
fn demand_after_merge(schema: &mut Value, elements: &BTreeSet<String>) {
    if let Some(Value::Object(definitions)) = schema.get_mut("$defs") {
        for (name, definition) in definitions {
            if !elements.contains(name.as_str())
                && let Some(definition) = definition.as_object_mut()
            {
                move_required(definition);
            }
        }
    }
    if let Some(root) = schema.as_object_mut() {
        move_required(root);
    }
}

fn move_required(schema: &mut Map<String, Value>) {
    if let Some(required) = schema.remove("required") {
        schema.insert(REQUIRED_AFTER_MERGE.to_owned(), required);
    }
}

/// Notes the definition that describes an element of this list.
fn collect_element(schema: &Schema, names: &mut BTreeSet<String>) {
    if let Some(name) = schema.get("items").and_then(|it| it.get("$ref")?.as_str()) {
        names.insert(name.trim_start_matches("#/$defs/").to_owned());
    }
}
