//! Values that are made up: good ones from what a parameter says about itself, wrong ones, and hostile
//! ones, which any model that has read a hostile page could be made to pass.

#[cfg(test)]
mod tests;

use indexmap::IndexMap;
use jp_llm::tool::arguments::Validator;
use jp_tool::{Parameter, ParameterType, ParameterTypes};
use serde_json::{Map, Number, Value, json};

use super::ground::FILE;

/// A file that appears when a shell runs what stands in an argument.
pub(super) const CANARY: &str = "jp-check-canary";

/// What comes of the template in an argument when somebody works it out.
pub(super) const PRODUCT: &str = "9449772114007";

/// How the file begins that hostile paths lead to.
pub(super) const OUTSIDE: &str = "root:x:0:0:";

/// A hostile text, and what it is.
pub(super) struct Hostile {
    pub(super) what: &'static str,
    pub(super) text: fn() -> String,
}

pub(super) const HOSTILE: [Hostile; 8] = [
    Hostile { what: "10 MB of text", text: || "x".repeat(10 * 1024 * 1024) },
    Hostile { what: "a NUL", text: || "a\0b".to_owned() },
    Hostile { what: "control characters", text: || "a\u{1b}[2J\u{7}\r\n\u{8}b".to_owned() },
    Hostile { what: "other scripts", text: || "naïve 日本語 🦀 \u{202e}abc".to_owned() },
    Hostile {
        what: "a command for a shell",
        // Each of them gets out of another kind of quotes. None of them does harm.
        text: || {
            let touch = format!("touch {CANARY}");
            format!("; {touch}; $({touch}) `{touch}` \"; {touch}; \" '; {touch}; ' | {touch} #")
        },
    },
    Hostile {
        what: "a template",
        text: || {
            let sum = "1234567 * 7654321";
            format!("{{{{ {sum} }}}} ${{{sum}}} #{{{sum}}} <%= {sum} %> {{% raw %}} %s %n")
        },
    },
    Hostile { what: "a path that leads out", text: || format!("{}etc/passwd", "../".repeat(12)) },
    Hostile { what: "a path from the root", text: || "/etc/passwd".to_owned() },
];

/// Arguments that fit all parameters, or why there are none.
pub(super) fn good(
    parameters: &IndexMap<String, Parameter>,
    validator: &Validator,
) -> Result<Map<String, Value>, String> {
    let mut made = Map::new();
    for (name, parameter) in parameters {
        match &parameter.default {
            Some(default) if takes(parameter, default) => {
                made.insert(name.clone(), default.clone());
            }
            _ if parameter.is_required() => {
                made.insert(name.clone(), value(parameter));
            }
            _ => {}
        }
    }
    // What a pattern asks for is found out by trying.
    for candidate in CANDIDATES {
        match validator.prepare(made.clone()) {
            Ok(_) => return Ok(made),
            Err(error) => {
                let unfit: Vec<_> =
                    error.problems.iter().map(|problem| problem.argument.clone()).collect();
                for name in unfit {
                    if let Some(place) = made.get_mut(&name).filter(|value| value.is_string()) {
                        *place = json!(candidate);
                    }
                }
            }
        }
    }
    let unfit = validator.prepare(made).err();
    let why = unfit.and_then(|error| error.problems.first().map(ToString::to_string));
    Err(format!("no arguments could be made up that fit: {}", why.unwrap_or_default()))
}

/// Texts that many patterns take.
const CANDIDATES: [&str; 12] = [
    "a",
    "abc",
    "A",
    "1",
    "1.0.0",
    "src/main.rs",
    "2026-01-01",
    "a@example.org",
    "https://example.org/",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "https://example.org",
    "en",
];

/// A value that fits a parameter, as small as can be.
pub(super) fn value(parameter: &Parameter) -> Value {
    if let Some(default) = parameter.default.as_ref().filter(|value| takes(parameter, value)) {
        return default.clone();
    }
    if let Some(first) = parameter.values.as_ref().and_then(|values| values.first()) {
        return first.clone();
    }
    if let Some(first) = parameter.one_of.as_ref().and_then(|alternatives| alternatives.first()) {
        return value(first);
    }
    match kinds(parameter).first() {
        Some(ParameterType::Integer | ParameterType::Number) => number(parameter),
        Some(ParameterType::Boolean) => json!(false),
        Some(ParameterType::Null) => Value::Null,
        Some(ParameterType::Array) => {
            let most = parameter.max_items.unwrap_or(u32::MAX);
            let count = parameter.min_items.unwrap_or(1).min(most).min(100);
            let item = parameter.items.as_deref().map_or_else(|| json!(FILE), value);
            Value::Array(vec![item; count as usize])
        }
        Some(ParameterType::Object) => {
            let properties = parameter.properties.iter().flatten();
            let required = properties.filter(|(_, property)| property.is_required());
            required.map(|(name, property)| (name.clone(), value(property))).collect()
        }
        Some(ParameterType::String) | None => json!(text(parameter)),
    }
}

/// Values that a parameter does not take, one of a simple type and one that is not.
pub(super) fn wrong(parameter: &Parameter) -> Vec<Value> {
    let kinds = kinds(parameter);
    if kinds.is_empty() {
        return Vec::new();
    }
    let simple = [json!(12345), json!("jp-check"), json!(true)];
    let complex = [json!({ "unexpected": ["jp-check"] }), json!([["jp-check"]])];
    let first = |values: &[Value]| values.iter().find(|value| !takes(parameter, value)).cloned();
    [first(&simple), first(&complex)].into_iter().flatten().collect()
}

/// A text where a parameter takes one, by itself or in a list; `None` if it takes none.
pub(super) fn with_text(parameter: &Parameter, text: String) -> Option<Value> {
    let takes_text = |parameter: &Parameter| kinds(parameter).contains(&ParameterType::String);
    if takes_text(parameter) {
        return Some(Value::String(text));
    }
    let is_list = kinds(parameter).contains(&ParameterType::Array);
    let items = parameter.items.as_deref().filter(|items| is_list && takes_text(items));
    items.map(|_| json!([text]))
}

/// Whether a value has a type that a parameter takes, and is one of those that it lists.
pub(super) fn takes(parameter: &Parameter, value: &Value) -> bool {
    if let Some(values) = &parameter.values
        && !values.contains(value)
    {
        return false;
    }
    if let Some(alternatives) = &parameter.one_of {
        return alternatives.iter().any(|alternative| takes(alternative, value));
    }
    let kinds = own_kinds(parameter);
    if !kinds.is_empty() && !kinds.iter().any(|kind| is_of(*kind, value)) {
        return false;
    }
    match (value, &parameter.items) {
        (Value::Array(values), Some(items)) => values.iter().all(|value| takes(items, value)),
        _ => true,
    }
}

fn is_of(kind: ParameterType, value: &Value) -> bool {
    match kind {
        ParameterType::String => value.is_string(),
        ParameterType::Number => value.is_number(),
        ParameterType::Integer => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|it| it.fract() == 0.0)
        }
        ParameterType::Boolean => value.is_boolean(),
        ParameterType::Array => value.is_array(),
        ParameterType::Object => value.is_object(),
        ParameterType::Null => value.is_null(),
    }
}

fn own_kinds(parameter: &Parameter) -> Vec<ParameterType> {
    match &parameter.kind {
        Some(ParameterTypes::One(kind)) => vec![*kind],
        Some(ParameterTypes::Many(kinds)) => kinds.clone(),
        None => Vec::new(),
    }
}

/// The types that a parameter takes, in any of its alternatives; none if it does not say.
fn kinds(parameter: &Parameter) -> Vec<ParameterType> {
    let alternatives = parameter.one_of.iter().flatten().flat_map(kinds);
    own_kinds(parameter).into_iter().chain(alternatives).collect()
}

fn number(parameter: &Parameter) -> Value {
    let float = |bound: &Option<Number>| bound.as_ref().and_then(Number::as_f64);
    let (least, most) = (float(&parameter.minimum), float(&parameter.maximum));
    match (least, most) {
        (Some(least), _) if least > 1.0 => json!(parameter.minimum),
        (_, Some(most)) if most < 1.0 => json!(parameter.maximum),
        _ => json!(1),
    }
}

fn text(parameter: &Parameter) -> String {
    let text = match parameter.format.as_deref() {
        Some("date") => "2026-01-01",
        Some("date-time") => "2026-01-01T00:00:00Z",
        Some("time") => "00:00:00Z",
        Some("uri" | "url") => "https://example.org/",
        Some("email") => "a@example.org",
        Some("hostname") => "example.org",
        Some("ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        _ => FILE,
    };
    let least = parameter.min_length.unwrap_or(0).min(1_000_000) as usize;
    let most = parameter.max_length.unwrap_or(u32::MAX) as usize;
    text.chars().chain(std::iter::repeat('x')).take(text.len().max(least).min(most)).collect()
}
