//! Strings that are the text of another value.
//!
//! Only a string that the parameter does not take is looked at, and it becomes another value only if
//! that value says exactly as much: `"05"`, `" 5"`, `"1e400"` and numbers with more digits than fit
//! stay what they are, and so does an object in which a name occurs twice.

use std::fmt;

use jp_tool::{Parameter, ParameterType, ParameterTypes};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::tool::definition;

/// Replaces a string by the value it stands for, if the parameter takes that and not the string.
pub(super) fn coerce(parameter: &Parameter, value: &mut Value) {
    if let Value::String(text) = &*value
        && !accepts(parameter, value)
        && let Some(literal) = literal(text)
        && accepts(parameter, &literal)
    {
        *value = literal;
    }
}

/// Whether a parameter takes values of this type, and this one where it lists them. What is inside the
/// value does not matter here.
pub(super) fn accepts(parameter: &Parameter, value: &Value) -> bool {
    let kind = match definition::kinds(parameter) {
        Some(ParameterTypes::One(kind)) => has_kind(value, kind),
        Some(ParameterTypes::Many(kinds)) => kinds.iter().any(|kind| has_kind(value, *kind)),
        None => true,
    };
    let listed = parameter.values.as_ref().is_none_or(|values| values.contains(value));
    let mut alternatives = parameter.one_of.iter().flatten().peekable();
    let alternative =
        alternatives.peek().is_none() || alternatives.any(|other| accepts(other, value));
    kind && listed && alternative
}

fn has_kind(value: &Value, kind: ParameterType) -> bool {
    match kind {
        ParameterType::String => value.is_string(),
        ParameterType::Number => value.is_number(),
        ParameterType::Integer => value.is_i64() || value.is_u64(),
        ParameterType::Boolean => value.is_boolean(),
        ParameterType::Array => value.is_array(),
        ParameterType::Object => value.is_object(),
        ParameterType::Null => value.is_null(),
    }
}

/// The value that a text is the JSON of, if the text cannot mean anything else.
fn literal(text: &str) -> Option<Value> {
    match text {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        "null" => Some(Value::Null),
        _ if text.trim_start().starts_with(['[', '{']) => exact(text),
        // The number has to be written the way we would write it, so that nothing is lost.
        _ if text.len() <= 64 => {
            let number: Number = serde_json::from_str(text).ok()?;
            (number.to_string() == text).then_some(Value::Number(number))
        }
        _ => None,
    }
}

/// Parses JSON, but not if a part of it would be lost.
fn exact(text: &str) -> Option<Value> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Exact.deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(value)
}

/// Reads a value; fails on names that occur twice and on whole numbers that a float cannot hold.
#[derive(Clone, Copy)]
struct Exact;

/// From here on, neighbouring whole numbers are the same float.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

impl<'de> DeserializeSeed<'de> for Exact {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Exact {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        if value.abs() >= MAX_EXACT {
            return Err(E::custom("a number with too many digits"));
        }
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value_seed(self)?;
            if object.insert(name, value).is_some() {
                return Err(A::Error::custom("a name that occurs twice"));
            }
        }
        Ok(Value::Object(object))
    }
}
