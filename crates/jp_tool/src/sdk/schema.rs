//! The description of a tool, made from the type of its arguments.
//!
//! `schemars` says it in JSON Schema, with references and with `required` on the object. The
//! description has neither: a parameter stands for itself. So each schema is rewritten into the
//! words of [`Parameter`], and what these cannot say is left out; the type itself still refuses it.
//!
//! A type that contains itself would be written for ever. Where it comes back the second time, only
//! its JSON type is said.

mod alternatives;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::{Parameter, ToolSchema};

type Words = Map<String, Value>;

/// What means the same in both languages.
const SAME: &[&str] = &[
    "type",
    "default",
    "enum",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
];

/// Describes the tool whose arguments are an `A`: the first paragraph of a comment becomes the
/// summary, the others the description.
pub fn schema_of<A: JsonSchema>(name: &str) -> ToolSchema {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let root = settings.into_generator().into_root_schema_for::<A>().to_value();
    let mut words = Reader { definitions: root.get("$defs"), open: Vec::new() }.read(&root);
    let parameters = match alternatives::parameters(&mut words) {
        Value::Object(parameters) => parameters,
        _ => Map::new(),
    };
    let mut text = |key| words.remove(key).and_then(|text| text.as_str().map(ToOwned::to_owned));
    ToolSchema {
        name: name.to_owned(),
        summary: text("summary"),
        description: text("description"),
        examples: None,
        actions: None,
        parameters: parameters.into_iter().map(|(name, words)| (name, parameter(words))).collect(),
    }
}

fn parameter(words: Value) -> Parameter {
    // Only a number that no computer could count to gets lost here.
    serde_json::from_value(words).unwrap_or_default()
}

struct Reader<'a> {
    definitions: Option<&'a Value>,
    /// The references that are being read, from the outside in.
    open: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn read(&mut self, schema: &'a Value) -> Words {
        let Value::Object(schema) = schema else {
            // `true`: anything. `false` does not come from a type that can be read.
            return Words::new();
        };
        let mut words = match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => self.follow(reference),
            None => Words::new(),
        };
        for part in list(schema, "allOf") {
            words.extend(self.read(part));
        }
        for key in SAME {
            words.extend(schema.get(*key).map(|value| ((*key).to_owned(), value.clone())));
        }
        self.read_parts(schema, &mut words);
        if let Some(text) = schema.get("description").and_then(Value::as_str) {
            explain(text, &mut words);
        }
        let branches = list(schema, "oneOf").iter().chain(list(schema, "anyOf"));
        let branches: Vec<Words> = branches.map(|branch| self.read(branch)).collect();
        alternatives::unite(branches, &mut words);
        words
    }

    /// Elements, properties, and what the two languages say differently.
    fn read_parts(&mut self, schema: &'a Map<String, Value>, words: &mut Words) {
        if let Some(value) = schema.get("const") {
            words.insert("enum".to_owned(), json!([value]));
        }
        // `schemars` also has formats for numbers, such as `uint32`.
        if let Some(format) = schema.get("format").filter(|_| may_be(words, "string")) {
            words.insert("format".to_owned(), format.clone());
        }
        if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
            words.insert("items".to_owned(), self.read(items).into());
        }
        let places = list(schema, "prefixItems");
        if !places.is_empty() {
            let branches = places.iter().map(|place| self.read(place)).collect();
            let mut items = Words::new();
            alternatives::unite(branches, &mut items);
            words.insert("items".to_owned(), items.into());
        }
        if let Some(Value::Object(properties)) = schema.get("properties") {
            let required = list(schema, "required");
            let read = properties.iter().map(|(name, property)| {
                let required = required.iter().any(|required| required == name);
                (name.clone(), Value::from(with_need(self.read(property), required)))
            });
            words.insert("properties".to_owned(), read.collect::<Words>().into());
        }
    }

    fn follow(&mut self, reference: &'a str) -> Words {
        let target = if reference == "#" {
            None
        } else {
            let name = reference.strip_prefix("#/$defs/").unwrap_or(reference);
            self.definitions.and_then(|definitions| definitions.get(name))
        };
        match target {
            Some(target) if self.open.contains(&reference) => target
                .get("type")
                .map(|kind| ("type".to_owned(), kind.clone()))
                .into_iter()
                .collect(),
            Some(target) => {
                self.open.push(reference);
                let words = self.read(target);
                self.open.pop();
                words
            }
            None => Words::from_iter([("type".to_owned(), json!("object"))]),
        }
    }
}

/// Says whether a property has to be given, where the default does not say so already.
fn with_need(mut words: Words, required: bool) -> Words {
    if required == words.contains_key("default") {
        words.insert("required".to_owned(), required.into());
    }
    words
}

/// Splits a comment into its first paragraph, in one line, and the rest.
fn explain(text: &str, words: &mut Words) {
    let text = text.trim();
    let (first, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let first = first.split_whitespace().collect::<Vec<_>>().join(" ");
    for (key, text) in [("summary", first.as_str()), ("description", rest.trim())] {
        words.remove(key);
        if !text.is_empty() {
            words.insert(key.to_owned(), text.into());
        }
    }
}

fn may_be(words: &Words, kind: &str) -> bool {
    match words.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
        Some(one) => one == kind,
        None => true,
    }
}

fn list<'a>(schema: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
