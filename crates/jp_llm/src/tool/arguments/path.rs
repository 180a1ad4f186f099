//! Where something is: in a schema, as JSON pointers that the validator uses as well
//! (`/properties/edits/items`), and in the arguments, as people write it (`edits[2].pattern`).

use std::fmt::Write as _;

use jp_tool::Parameter;
use serde_json::Value;

use super::error::cut;

/// The place of a property of the object at `parent`.
pub(super) fn property(parent: &str, name: &str) -> String {
    format!("{parent}/properties/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The place of the elements of the array at `parent`.
pub(super) fn items(parent: &str) -> String {
    format!("{parent}/items")
}

/// The place of an alternative for what is at `parent`.
pub(super) fn alternative(parent: &str, index: usize) -> String {
    format!("{parent}/oneOf/{index}")
}

/// The parameter at a place in the schema, or the last one on the way to it: a place may end in a
/// keyword of the parameter.
pub(super) fn parameter_at<'a>(root: &'a Parameter, place: &str) -> &'a Parameter {
    let mut parameter = root;
    let mut segments = segments(place);
    while let Some(segment) = segments.next() {
        let next = match segment.as_str() {
            "properties" => segments
                .next()
                .and_then(|name| parameter.properties.as_ref().and_then(|all| all.get(&name))),
            "items" => parameter.items.as_deref(),
            "oneOf" => segments
                .next()
                .and_then(|index| parameter.one_of.as_ref()?.get(index.parse::<usize>().ok()?)),
            _ => None,
        };
        match next {
            Some(next) => parameter = next,
            None => break,
        }
    }
    parameter
}

/// A place in a schema, as people write it: `edits[].pattern`.
pub(super) fn of_schema(place: &str) -> String {
    let mut text = String::new();
    let mut segments = segments(place);
    while let Some(segment) = segments.next() {
        match segment.as_str() {
            "properties" => segments.next().iter().for_each(|name| push_name(&mut text, name)),
            "items" => text.push_str("[]"),
            "oneOf" => {
                let index = segments.next().and_then(|index| index.parse::<usize>().ok());
                if let Some(index) = index {
                    let _ = write!(text, "({})", index + 1);
                }
            }
            _ => break,
        }
    }
    text
}

/// A place in the arguments, as people write it. Only the arguments can tell whether `2` is an element
/// or a name.
pub(super) fn of_arguments(arguments: &Value, place: &str) -> String {
    let mut text = String::new();
    let mut value = Some(arguments);
    for segment in segments(place) {
        value = match value {
            Some(Value::Array(items)) => {
                let _ = write!(text, "[{segment}]");
                segment.parse::<usize>().ok().and_then(|index| items.get(index))
            }
            other => {
                push_name(&mut text, &segment);
                other.and_then(|value| value.get(&segment))
            }
        };
    }
    text
}

/// Adds a name to a place. One that could be taken for more than a name is quoted.
pub(super) fn push_name(place: &mut String, name: &str) {
    let is_plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(is_plain) {
        let _ = write!(place, "[{:?}]", cut(name, 60));
    } else {
        let dot = if place.is_empty() { "" } else { "." };
        let _ = write!(place, "{dot}{}", cut(name, 60));
    }
}

fn segments(place: &str) -> impl Iterator<Item = String> {
    place.split('/').skip(1).map(|segment| segment.replace("~1", "/").replace("~0", "~"))
}
