//! One parameter of a tool, in the words of JSON Schema that the configuration knows.
//!
//! `required` belongs to the parameter itself and not, as in JSON Schema, to the object around it.
//! It is rarely written: what has no default has to be given.

use std::fmt;

use indexmap::IndexMap;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value};

/// One parameter, or one part of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Parameter {
    /// The type of the value, or several.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<ParameterTypes>,
    /// One sentence about it, sent to the assistant with every request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The long explanation, given to the assistant when it asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The value of a call that leaves it out; `null` is a value too.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "even_null")]
    pub default: Option<Value>,
    /// Whether a call has to give it; see [`Parameter::is_required`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// The only values allowed.
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<Value>>,
    /// What the elements of an array look like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Box<Self>>,
    /// The properties of an object, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<IndexMap<String, Self>>,
    /// Alternatives, of which exactly one applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_of: Option<Vec<Self>>,
    /// The smallest number allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Number>,
    /// The largest number allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Number>,
    /// The smallest number of characters allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u32>,
    /// The largest number of characters allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// The smallest number of elements allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u32>,
    /// The largest number of elements allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u32>,
    /// A regular expression that a string has to match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// What kind of string it is, such as `date-time` or `uri`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

impl Parameter {
    /// Whether a call has to give it: what `required` says, and without it, when there is no
    /// default.
    pub fn is_required(&self) -> bool {
        self.required.unwrap_or(self.default.is_none())
    }
}

/// A type or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterTypes {
    /// One type.
    One(ParameterType),
    /// Any of these.
    Many(Vec<ParameterType>),
}

/// A type of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterType {
    /// Text.
    String,
    /// Any number.
    Number,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A list.
    Array,
    /// A table.
    Object,
    /// Nothing.
    Null,
}

impl Serialize for ParameterTypes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(kind) => kind.serialize(serializer),
            Self::Many(kinds) => kinds.serialize(serializer),
        }
    }
}

/// Told apart by what is found, so that the error names the wrong type and not the wrong form.
impl<'de> Deserialize<'de> for ParameterTypes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TypesVisitor)
    }
}

struct TypesVisitor;

impl<'de> Visitor<'de> for TypesVisitor {
    type Value = ParameterTypes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a type or a list of types")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<ParameterTypes, E> {
        ParameterType::deserialize(name.into_deserializer()).map(ParameterTypes::One)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<ParameterTypes, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(ParameterTypes::Many)
    }
}

/// Reads a value that is there, `null` included; a missing one never gets here.
fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
