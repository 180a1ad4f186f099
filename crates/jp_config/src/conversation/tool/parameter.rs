//! `[conversation.tools.<name>.parameters.<parameter>]`: what a tool takes, in the words of JSON
//! Schema. The set of keywords is closed, so that a misspelled one is reported instead of being
//! sent to a model that ignores it.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::types::name_map::NameMap;
use crate::types::present;

/// One parameter of a tool, in the words of JSON Schema.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct ToolParameter {
    /// The type of the value, or a list of types.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<ParameterTypes>,
    /// One sentence about the parameter, sent to the assistant with every request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The long explanation, given to the assistant when it asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The value that is used when a call leaves the parameter out.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub default: Option<Value>,
    /// Whether a call must give the parameter. Unset: required when it has no `default`.
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
    pub properties: Option<NameMap<Self>>,
    /// Alternatives, of which exactly one applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_of: Option<Vec<Self>>,
    /// The smallest number allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<serde_json::Number>,
    /// The largest number allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<serde_json::Number>,
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
    /// A regular expression that a string must match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// What kind of string it is, such as `date-time` or `uri`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// A type or a list of types.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ParameterTypes {
    /// One type.
    One(ParameterType),
    /// Any of these types.
    Many(Vec<ParameterType>),
}

/// A type of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// Reads one name or a list of names by what it finds, for the sake of the error.
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

/// A parameter means the same wherever it was written. Every field is named, so that a new one is not
/// forgotten here.
impl From<ToolParameter> for jp_tool::Parameter {
    fn from(parameter: ToolParameter) -> Self {
        let ToolParameter {
            kind,
            summary,
            description,
            default,
            required,
            values,
            items,
            properties,
            one_of,
            minimum,
            maximum,
            min_length,
            max_length,
            min_items,
            max_items,
            pattern,
            format,
        } = parameter;
        Self {
            kind: kind.map(Into::into),
            summary,
            description,
            default,
            required,
            values,
            items: items.map(|items| Box::new((*items).into())),
            properties: properties.map(|NameMap(properties)| {
                properties.into_iter().map(|(name, property)| (name, property.into())).collect()
            }),
            one_of: one_of.map(|all| all.into_iter().map(Into::into).collect()),
            minimum,
            maximum,
            min_length,
            max_length,
            min_items,
            max_items,
            pattern,
            format,
        }
    }
}

impl From<ParameterTypes> for jp_tool::ParameterTypes {
    fn from(types: ParameterTypes) -> Self {
        match types {
            ParameterTypes::One(kind) => Self::One(kind.into()),
            ParameterTypes::Many(kinds) => Self::Many(kinds.into_iter().map(Into::into).collect()),
        }
    }
}

impl From<ParameterType> for jp_tool::ParameterType {
    fn from(kind: ParameterType) -> Self {
        match kind {
            ParameterType::String => Self::String,
            ParameterType::Number => Self::Number,
            ParameterType::Integer => Self::Integer,
            ParameterType::Boolean => Self::Boolean,
            ParameterType::Array => Self::Array,
            ParameterType::Object => Self::Object,
            ParameterType::Null => Self::Null,
        }
    }
}
