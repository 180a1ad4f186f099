//! A list that several layers build together.
//!
//! In a layer it is a plain list, which is appended to what the layers below gave, or a table
//! `{ strategy = "…", value = […] }` that says how the two are combined. In the resolved
//! configuration it is just a list. The schema carries [`MERGEABLE`], which is how the merge tells
//! such a list from one that a later layer replaces.

use std::borrow::Cow;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The schema keyword that marks a list as one that layers build together. It is `true`, or
/// [`GROWS`] for a list from which no layer can take anything.
pub(crate) const MERGEABLE: &str = "x-jp-mergeable";

/// See [`only_grows`].
pub(crate) const GROWS: &str = "grows";

/// What a layer may do with the elements of the layers below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Growth {
    /// Add to them or drop them.
    Free,
    /// Only add to them.
    Only,
}

impl Growth {
    /// The strategies that a layer may name.
    pub(crate) fn strategies(self) -> impl Iterator<Item = Strategy> {
        let drops_elements = |it: &Strategy| *it == Strategy::Replace;
        Strategy::ALL.into_iter().filter(move |it| self == Self::Free || !drops_elements(it))
    }
}

/// A list that several layers build together; resolved, it is the list alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MergeableVec<T>(pub Vec<T>);

/// How the list of a layer is combined with the list below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// The layer's elements come after those below. A plain list does the same.
    Append,
    /// Only the layer's elements remain.
    Replace,
    /// The layer's elements come before those below.
    Prepend,
    /// Append, then drop every element that equals an earlier one.
    Dedup,
}

impl Strategy {
    /// Every strategy, in the order the documentation lists them.
    pub const ALL: [Self; 4] = [Self::Append, Self::Replace, Self::Prepend, Self::Dedup];

    /// The word for it in a configuration file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Append => "append",
            Self::Replace => "replace",
            Self::Prepend => "prepend",
            Self::Dedup => "dedup",
        }
    }

    /// The strategy a word stands for.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|strategy| strategy.name() == name)
    }

    fn description(self) -> &'static str {
        match self {
            Self::Append => "Add the elements after those of the layers below.",
            Self::Replace => "Drop the elements of the layers below.",
            Self::Prepend => "Put the elements before those of the layers below.",
            Self::Dedup => "Append, then drop every element that equals an earlier one.",
        }
    }
}

impl<T> Default for MergeableVec<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for MergeableVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> From<Vec<T>> for MergeableVec<T> {
    fn from(list: Vec<T>) -> Self {
        Self(list)
    }
}

impl<T: JsonSchema> JsonSchema for MergeableVec<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("MergeableVec_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let element = generator.subschema_for::<T>();
        json_schema!({
            MERGEABLE: true,
            "anyOf": [
                { "type": "array", "items": element },
                {
                    "type": "object",
                    "properties": {
                        "strategy": strategy_schema(Growth::Free),
                        "value": {
                            "description": "The elements of this layer.",
                            "type": "array",
                            "items": element,
                        },
                    },
                    "required": ["strategy", "value"],
                    "additionalProperties": false,
                },
            ],
        })
    }
}

/// Turns the schema of a mergeable list into that of one that only grows: a list of what is to be
/// protected, from which a later and less trusted layer must not take anything.
pub(crate) fn only_grows(schema: &mut Schema) {
    schema.insert(MERGEABLE.to_owned(), GROWS.into());
    if let Some(strategy) = schema.pointer_mut("/anyOf/1/properties/strategy") {
        *strategy = strategy_schema(Growth::Only);
    }
}

fn strategy_schema(growth: Growth) -> Value {
    let values: Vec<Value> = growth
        .strategies()
        .map(|it| json!({ "description": it.description(), "type": "string", "const": it.name() }))
        .collect();
    json!({ "description": "How the elements join those of the layers below.", "oneOf": values })
}
