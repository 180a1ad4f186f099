//! A table whose keys are names that people choose: plugins, questions, parameters. The names end
//! up in file names, prompts and messages, so they are kept short and plain.

use std::borrow::Cow;
use std::ops::Deref;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::format::Format;

/// Values by name, in the order the names were first mentioned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NameMap<T>(pub IndexMap<String, T>);

impl<T> NameMap<T> {
    /// Whether nothing is in it. (A method, because `serde` wants a path to one.)
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Default for NameMap<T> {
    fn default() -> Self {
        Self(IndexMap::new())
    }
}

impl<T> Deref for NameMap<T> {
    type Target = IndexMap<String, T>;

    fn deref(&self) -> &IndexMap<String, T> {
        &self.0
    }
}

impl<T: JsonSchema> JsonSchema for NameMap<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("NameMap_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "additionalProperties": generator.subschema_for::<T>(),
            "propertyNames": Format::Name.schema(),
        })
    }
}
