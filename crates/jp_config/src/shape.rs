//! What a configuration may look like: the JSON Schema, read into a form that is quick to check
//! against and easy to explain from.
//!
//! Only the keywords that our own types produce are understood. A keyword that is not would be
//! ignored silently, and with it a check that somebody relies on; so they are collected, and a
//! test fails if there are any.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::dotted;
use crate::schema;
use crate::types::format::Format;
use crate::types::mergeable::{GROWS, Growth, MERGEABLE};

/// The schema keyword for keys that must be there once all layers are merged.
pub(crate) const REQUIRED_AFTER_MERGE: &str = "x-jp-required";

/// The shape of a whole configuration.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) root: Shape,
    definitions: BTreeMap<Cow<'static, str>, Definition>,
}

/// A shape with a name, which is read when something refers to it.
#[derive(Debug)]
struct Definition {
    text: &'static str,
    shape: OnceLock<Shape>,
}

impl Definition {
    fn shape(&self) -> &Shape {
        self.shape.get_or_init(|| Reader::default().shape(&schema::read(self.text)))
    }
}

/// The shape of one value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shape {
    pub(crate) description: Option<String>,
    pub(crate) default: Option<Value>,
    pub(crate) kind: Kind,
}

impl Shape {
    /// The shape of a value about which nothing is said.
    pub(crate) fn anything() -> &'static Self {
        static ANYTHING: Shape = Shape { description: None, default: None, kind: Kind::Any };
        &ANYTHING
    }
}

/// What values a shape admits.
#[derive(Debug, Clone, Default)]
pub(crate) enum Kind {
    /// Anything.
    #[default]
    Any,
    /// Nothing; the description says why.
    Never,
    Boolean,
    Integer {
        min: Option<i64>,
        max: Option<i64>,
    },
    Number,
    Text(Option<Format>),
    /// One of these strings.
    Choice(Vec<String>),
    /// A list that a later layer replaces.
    List(Box<Shape>),
    /// A list that layers build together.
    Mergeable(Box<Shape>, Growth),
    Table(TableShape),
    /// The first of these that admits this sort of value.
    Either(Vec<Shape>),
    /// The definition of this name.
    Reference(String),
}

/// The shape of a table.
#[derive(Debug, Clone, Default)]
pub(crate) struct TableShape {
    pub(crate) keys: IndexMap<String, Shape>,
    /// The shape of keys that are not listed; without it there are no others.
    pub(crate) others: Option<Box<Shape>>,
    /// The form of the keys that are not listed.
    pub(crate) names: Option<Format>,
    /// Keys that must be there once all layers are merged.
    pub(crate) required: Vec<String>,
}

impl TableShape {
    /// The keys that are listed and may be set.
    pub(crate) fn usable(&self) -> impl Iterator<Item = &str> {
        let usable = self.keys.iter().filter(|(_, it)| !matches!(it.kind, Kind::Never));
        usable.map(|(key, _)| key.as_str())
    }

    /// The shape of `key`, if the table may have it.
    pub(crate) fn key(&self, key: &str) -> Option<&Shape> {
        self.keys.get(key).or(self.others.as_deref())
    }
}

impl Model {
    /// Reads a JSON Schema. The second result are the keywords that were not understood, each with
    /// where it is.
    #[cfg(test)]
    pub(crate) fn read(schema: &Value) -> (Self, Vec<String>) {
        let mut reader = Reader::default();
        let definitions = schema.get("$defs").and_then(Value::as_object);
        let definitions = definitions.into_iter().flatten().map(|(name, it)| {
            let shape = reader.inside(name, |reader| reader.shape(it)).into();
            (Cow::from(name.clone()), Definition { text: "", shape })
        });
        let definitions = definitions.collect();
        let root = reader.shape(schema);
        (Self { root, definitions }, reader.unknown)
    }

    /// The same from the text of each definition, which is not looked at yet.
    pub(crate) fn lazy(
        root: &Value,
        definitions: impl Iterator<Item = (&'static str, &'static str)>,
    ) -> Self {
        let definition = |text| Definition { text, shape: OnceLock::new() };
        let definitions = definitions.map(|(name, text)| (name.into(), definition(text)));
        Self { root: Reader::default().shape(root), definitions: definitions.collect() }
    }

    /// The shape that `shape` refers to, itself if it refers to none.
    pub(crate) fn resolve<'a>(&'a self, shape: &'a Shape) -> &'a Shape {
        let mut shape = shape;
        // A reference leads to a definition; a chain of them is never longer than their number.
        for _ in 0..=self.definitions.len() {
            match &shape.kind {
                Kind::Reference(name) => match self.definitions.get(name.as_str()) {
                    Some(found) => shape = found.shape(),
                    None => return Shape::anything(),
                },
                _ => return shape,
            }
        }
        Shape::anything()
    }

    /// The shape of the value at `path`.
    pub(crate) fn at<S: AsRef<str>>(&self, path: &[S]) -> Option<&Shape> {
        path.iter().try_fold(self.resolve(&self.root), |shape, key| {
            Some(self.resolve(self.child(shape, key.as_ref())?))
        })
    }

    /// Where the schema has a key of this name, if that is one place.
    pub(crate) fn elsewhere(&self, key: &str) -> Option<String> {
        let mut places = Vec::new();
        self.search(&self.root, key, &mut Vec::new(), &mut places);
        match places.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    fn search<'a>(
        &'a self,
        shape: &'a Shape,
        key: &str,
        path: &mut Vec<&'a str>,
        places: &mut Vec<String>,
    ) {
        // Tables with free names are not entered, so the way is as short as the fixed part.
        if let Kind::Table(table) = &self.resolve(shape).kind {
            for (name, shape) in &table.keys {
                path.push(name);
                if name == key {
                    places.push(dotted::join(path));
                } else if table.others.is_none() {
                    self.search(shape, key, path, places);
                }
                path.pop();
            }
        }
    }

    /// The table that a shape is, or the one among its alternatives.
    pub(crate) fn table<'a>(&'a self, shape: &'a Shape) -> Option<&'a TableShape> {
        match &self.resolve(shape).kind {
            Kind::Table(table) => Some(table),
            Kind::Either(either) => either.iter().find_map(|it| self.table(it)),
            _ => None,
        }
    }

    /// The shape of `key` below `shape`.
    pub(crate) fn child<'a>(&'a self, shape: &'a Shape, key: &str) -> Option<&'a Shape> {
        match &self.resolve(shape).kind {
            Kind::Any => Some(self.resolve(shape)),
            _ => self.table(shape)?.key(key),
        }
    }
}

/// Reads one schema after the other, and notes what it does not understand.
#[derive(Default)]
struct Reader {
    unknown: Vec<String>,
    at: Vec<String>,
}

impl Reader {
    fn shape(&mut self, schema: &Value) -> Shape {
        let Value::Object(schema) = schema else {
            let kind = if schema == &Value::Bool(false) { Kind::Never } else { Kind::Any };
            return Shape { kind, ..Shape::default() };
        };
        self.note_unknown(schema);
        Shape {
            description: schema.get("description").and_then(Value::as_str).map(str::to_owned),
            default: schema.get("default").cloned(),
            kind: self.kind(schema),
        }
    }

    fn kind(&mut self, schema: &Map<String, Value>) -> Kind {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return Kind::Reference(reference.trim_start_matches("#/$defs/").to_owned());
        }
        if schema.contains_key("not") {
            return Kind::Never;
        }
        if let Some(value) = schema.get("const") {
            return Kind::Choice(words(std::slice::from_ref(value)));
        }
        if let Some(Value::Array(values)) = schema.get("enum") {
            return Kind::Choice(words(values));
        }
        for keyword in ["oneOf", "anyOf"] {
            if let Some(Value::Array(either)) = schema.get(keyword) {
                return self.either(either, schema.get(MERGEABLE));
            }
        }
        self.typed(schema)
    }

    fn either(&mut self, either: &[Value], mergeable: Option<&Value>) -> Kind {
        let shapes: Vec<Shape> =
            self.inside("either", |reader| either.iter().map(|it| reader.shape(it)).collect());
        if let Some(mergeable) = mergeable
            && let Some(Shape { kind: Kind::List(element), .. }) = shapes.first()
        {
            let growth = if mergeable == GROWS { Growth::Only } else { Growth::Free };
            return Kind::Mergeable(element.clone(), growth);
        }
        let all: Option<Vec<&Vec<String>>> = shapes.iter().map(choices).collect();
        match all {
            Some(all) => Kind::Choice(all.into_iter().flatten().cloned().collect()),
            None => Kind::Either(shapes),
        }
    }

    fn typed(&mut self, schema: &Map<String, Value>) -> Kind {
        match schema.get("type").and_then(Value::as_str) {
            Some("boolean") => Kind::Boolean,
            Some("integer") => Kind::Integer {
                min: schema.get("minimum").and_then(Value::as_i64),
                max: schema.get("maximum").and_then(Value::as_i64),
            },
            Some("number") => Kind::Number,
            Some("string") => Kind::Text(format(schema)),
            Some("array") => {
                let items = schema.get("items");
                let element = self.inside("items", |reader| items.map(|it| reader.shape(it)));
                Kind::List(Box::new(element.unwrap_or_default()))
            }
            Some("object") => Kind::Table(self.table(schema)),
            Some(other) => {
                self.note(&format!("type {other}"));
                Kind::Any
            }
            None => Kind::Any,
        }
    }

    fn table(&mut self, schema: &Map<String, Value>) -> TableShape {
        let keys = match schema.get("properties") {
            Some(Value::Object(properties)) => properties
                .iter()
                .map(|(key, it)| (key.clone(), self.inside(key, |reader| reader.shape(it))))
                .collect(),
            _ => IndexMap::new(),
        };
        let others = match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => None,
            Some(it) => Some(Box::new(self.inside("*", |reader| reader.shape(it)))),
            None => Some(Box::default()),
        };
        let names = schema.get("propertyNames").and_then(Value::as_object).and_then(format);
        let listed = |keyword| match schema.get(keyword) {
            Some(Value::Array(keys)) => words(keys),
            _ => Vec::new(),
        };
        let required = [listed("required"), listed(REQUIRED_AFTER_MERGE)].concat();
        TableShape { keys, others, names, required }
    }

    fn note_unknown(&mut self, schema: &Map<String, Value>) {
        const UNDERSTOOD: &[&str] = &[
            // What a value must be.
            "$ref",
            "not",
            "const",
            "enum",
            "oneOf",
            "anyOf",
            "type",
            "minimum",
            "maximum",
            "items",
            "properties",
            "additionalProperties",
            "propertyNames",
            "required",
            MERGEABLE,
            REQUIRED_AFTER_MERGE,
            // A pattern says again what a format says; formats of numbers say what the bounds do.
            "format",
            "pattern",
            // What says nothing about values.
            "$schema",
            "$defs",
            "title",
            "description",
            "default",
        ];
        for keyword in schema.keys().filter(|it| !UNDERSTOOD.contains(&it.as_str())) {
            self.note(keyword);
        }
        if let Some(name) = schema.get("format").and_then(Value::as_str)
            && schema.get("type").and_then(Value::as_str) == Some("string")
            && Format::from_keyword(name).is_none()
        {
            self.note(&format!("format {name}"));
        }
    }

    fn note(&mut self, what: &str) {
        self.unknown.push(format!("{}: {what}", self.at.join(".")));
    }

    fn inside<T>(&mut self, place: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.at.push(place.to_owned());
        let result = read(self);
        self.at.pop();
        result
    }
}

fn choices(shape: &Shape) -> Option<&Vec<String>> {
    match &shape.kind {
        Kind::Choice(values) => Some(values),
        _ => None,
    }
}

fn format(schema: &Map<String, Value>) -> Option<Format> {
    Format::from_keyword(schema.get("format")?.as_str()?)
}

fn words(values: &[Value]) -> Vec<String> {
    values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
