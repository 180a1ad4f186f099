//! Strings that are the text of another value.
//!
//! Only a string that the parameter does not take is looked at, and it becomes another value only if
//! that value says exactly as much: `"2.50"` and `"1e3"` do, but `"05"`, `" 5"`, `"1e400"` and numbers with
//! more digits than fit stay what they are, and so does an object in which a name occurs twice.
//!
//! A number without a fraction is an integer, however it is written: JSON does not tell `1.0` from `1`, and
//! a tool that asked for an integer does.

use std::fmt;

use jp_tool::{Parameter, ParameterType, ParameterTypes};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::tool::definition;

/// Replaces a string by the value it stands for, or a number by the integer it is, if the parameter takes
/// that and not what was given.
pub(super) fn coerce(parameter: &Parameter, value: &mut Value) {
    if accepts(parameter, value) {
        return;
    }
    let meant = match &*value {
        Value::String(text) => literal(text),
        Value::Number(number) => whole(number),
        _ => None,
    };
    if let Some(meant) = meant.filter(|meant| accepts(parameter, meant)) {
        *value = meant;
    }
}

/// The integer that a number without a fraction is.
fn whole(number: &Number) -> Option<Value> {
    let number = number.as_f64().filter(|it| number.is_f64() && it.fract() == 0.0)?;
    let text = format!("{number:.0}");
    let (negative, positive) = (text.parse::<i64>().ok(), text.parse::<u64>().ok());
    negative.map(Value::from).or(positive.map(Value::from))
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
        _ if text.len() <= 64 => number(text).map(Value::Number),
        _ => None,
    }
}

/// The number that a text is, if nothing is lost: a whole one has to be written the way we would write it,
/// and one with a fraction or an exponent must not have more digits than a float keeps.
fn number(text: &str) -> Option<Number> {
    const MAX_DIGITS: usize = 15;
    let number: Number = serde_json::from_str(text).ok()?;
    if number.to_string() == text {
        return Some(number);
    }
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let is_float = mantissa.len() < text.len() || mantissa.contains('.');
    let digits = mantissa.replace(['-', '.'], "");
    let digits = digits.trim_matches('0');
    let is_kept = digits.len() <= MAX_DIGITS && digits.is_empty() == (number.as_f64() == Some(0.0));
    let is_plain = !text.contains(char::is_whitespace);
    (is_float && is_kept && is_plain).then_some(number)
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
