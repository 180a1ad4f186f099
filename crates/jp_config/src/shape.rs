//! What a configuration may look like: the JSON Schema, read into a form that is quick to check
//! against and easy to explain from.
//!
//! Only the keywords that our own types produce are understood. A keyword that is not would be
//! ignored silently, and with it a check that somebody relies on; so a test collects them, and fails
//! if there are any. It is read straight from its text, because every start of the program reads some of it.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use indexmap::IndexMap;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Number, Value};

use crate::dotted;
use crate::schema;
use crate::types::format::Format;
use crate::types::mergeable::{GROWS, Growth};

/// The shape of a whole configuration.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) root: Shape,
    /// Few enough to be looked through.
    definitions: Vec<Definition>,
}

/// A shape with a name, which is read when something refers to it.
#[derive(Debug)]
struct Definition {
    name: Cow<'static, str>,
    text: &'static str,
    /// Most are never asked for, and take no room.
    shape: OnceLock<Box<Shape>>,
}

impl Definition {
    fn shape(&self) -> &Shape {
        self.shape.get_or_init(|| Box::new(schema::read(self.text)))
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
        // What is no schema of its own, or says again what others say.
        const ELSEWHERE: [&str; 4] = ["$schema", "$defs", "title", "pattern"];
        let mut unknown = Vec::new();
        let mut shape = |schema: &Value| {
            let mut note = |path: serde_ignored::Path<'_>| {
                let path = path.to_string();
                if !ELSEWHERE.contains(&path.rsplit('.').next().unwrap_or_default()) {
                    unknown.push(path);
                }
            };
            serde_ignored::deserialize::<_, _, Shape>(schema, &mut note).expect("it is a schema")
        };
        let root = shape(schema);
        let definitions = schema.get("$defs").and_then(Value::as_object).into_iter().flatten();
        let definitions = definitions.map(|(name, it)| Definition {
            name: name.clone().into(),
            text: "",
            shape: Box::new(shape(it)).into(),
        });
        (Self { root, definitions: definitions.collect() }, unknown)
    }

    /// The same from the text of each definition, which is not looked at yet.
    pub(crate) fn lazy(
        root: Shape,
        definitions: impl Iterator<Item = (&'static str, &'static str)>,
    ) -> Self {
        let definition = |(name, text): (&'static str, _)| Definition {
            name: name.into(),
            text,
            shape: OnceLock::new(),
        };
        Self { root, definitions: definitions.map(definition).collect() }
    }

    /// The shape that `shape` refers to, itself if it refers to none.
    pub(crate) fn resolve<'a>(&'a self, shape: &'a Shape) -> &'a Shape {
        let mut shape = shape;
        // A reference leads to a definition; a chain of them is never longer than their number.
        for _ in 0..=self.definitions.len() {
            match &shape.kind {
                Kind::Reference(name) => {
                    match self.definitions.iter().find(|it| it.name == *name) {
                        Some(found) => shape = found.shape(),
                        None => return Shape::anything(),
                    }
                }
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

/// The keywords of a schema that say what it admits.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Keywords<'a> {
    description: Option<String>,
    default: Option<Value>,
    #[serde(rename = "$ref")]
    reference: Option<&'a str>,
    not: Option<Value>,
    r#const: Option<Value>,
    r#enum: Option<Vec<Value>>,
    one_of: Option<Vec<Shape>>,
    any_of: Option<Vec<Shape>>,
    #[serde(rename = "x-jp-mergeable")]
    mergeable: Option<Value>,
    r#type: Option<&'a str>,
    minimum: Option<Number>,
    maximum: Option<Number>,
    format: Option<&'a str>,
    items: Option<Box<Shape>>,
    properties: IndexMap<String, Shape>,
    additional_properties: Option<Box<Shape>>,
    property_names: Option<Shape>,
    required: Vec<String>,
    #[serde(rename = "x-jp-required")]
    required_after_merge: Vec<String>,
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShapeVisitor)
    }
}

/// A schema is an object, or one of the two that need no words.
struct ShapeVisitor;

impl<'de> Visitor<'de> for ShapeVisitor {
    type Value = Shape;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a schema")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Shape, E> {
        let kind = if value { Kind::Any } else { Kind::Never };
        Ok(Shape { kind, ..Shape::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Shape, A::Error> {
        Keywords::deserialize(MapAccessDeserializer::new(map)).map(Shape::from)
    }
}

impl From<Keywords<'_>> for Shape {
    fn from(mut words: Keywords<'_>) -> Self {
        let (description, default) = (words.description.take(), words.default.take());
        Self { description, default, kind: words.kind() }
    }
}

impl Keywords<'_> {
    fn kind(mut self) -> Kind {
        if let Some(reference) = self.reference {
            return Kind::Reference(reference.trim_start_matches("#/$defs/").to_owned());
        }
        if self.not.is_some() {
            return Kind::Never;
        }
        if let Some(values) = self.r#const.take().map(|value| vec![value]).or(self.r#enum.take()) {
            return Kind::Choice(
                values.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            );
        }
        if let Some(shapes) = self.one_of.take().or(self.any_of.take()) {
            return either(shapes, self.mergeable.as_ref());
        }
        match self.r#type {
            Some("boolean") => Kind::Boolean,
            Some("integer") => Kind::Integer {
                min: self.minimum.and_then(|it| it.as_i64()),
                max: self.maximum.and_then(|it| it.as_i64()),
            },
            Some("number") => Kind::Number,
            Some("string") => Kind::Text(self.format.and_then(Format::from_keyword)),
            Some("array") => Kind::List(self.items.unwrap_or_default()),
            Some("object") => Kind::Table(self.table()),
            _ => Kind::Any,
        }
    }

    fn table(mut self) -> TableShape {
        let others = self.additional_properties.unwrap_or_default();
        self.required.append(&mut self.required_after_merge);
        TableShape {
            keys: self.properties,
            others: (!matches!(others.kind, Kind::Never)).then_some(others),
            names: match self.property_names {
                Some(Shape { kind: Kind::Text(format), .. }) => format,
                _ => None,
            },
            required: self.required,
        }
    }
}

/// One of these shapes: a choice of words if all are, and a list that layers build together if it is marked.
fn either(mut shapes: Vec<Shape>, mergeable: Option<&Value>) -> Kind {
    if let Some(mergeable) = mergeable
        && let Some(Shape { kind: Kind::List(element), .. }) = shapes.first_mut()
    {
        let growth = if mergeable == GROWS { Growth::Only } else { Growth::Free };
        return Kind::Mergeable(std::mem::take(element), growth);
    }
    let all: Option<Vec<&Vec<String>>> = shapes.iter().map(choices).collect();
    match all {
        Some(all) => Kind::Choice(all.into_iter().flatten().cloned().collect()),
        None => Kind::Either(shapes),
    }
}

fn choices(shape: &Shape) -> Option<&Vec<String>> {
    match &shape.kind {
        Kind::Choice(values) => Some(values),
        _ => None,
    }
}
