//! Several schemas of which one applies, said as simply as the description can.
//!
//! Not every model takes `oneOf` well, so it is the last resort: an optional value is a type or
//! `null`, and a choice between names is an `enum`.

use serde_json::{Value, json};

use super::Words;

/// Adds the alternatives to what is said already, which wins.
pub(super) fn unite(branches: Vec<Words>, words: &mut Words) {
    let null = |branch: &Words| branch.get("type") == Some(&json!("null"));
    let (nulls, mut others): (Vec<Words>, Vec<Words>) = branches.into_iter().partition(null);
    others.dedup();
    let mut outer = std::mem::take(words);
    if let Some(names) = names(&others) {
        add_notes(&names, &mut outer);
        others = vec![names];
    }
    match <[Words; 1]>::try_from(others) {
        Ok([only]) => *words = only,
        Err(others) if others.is_empty() => {}
        Err(others) => {
            words.insert("oneOf".to_owned(), others.into_iter().map(Value::from).collect());
        }
    }
    if !nulls.is_empty() {
        or_null(words);
    }
    words.extend(outer);
}

/// The parameters of a tool. Where its arguments have several forms, those of all forms: what is not
/// needed in each of them is not needed at all.
pub(super) fn parameters(words: &mut Words) -> Value {
    let mut all = match words.remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => Words::new(),
    };
    let Some(Value::Array(forms)) = words.remove("oneOf") else {
        return all.into();
    };
    let mut merged = Words::new();
    for form in &forms {
        for (name, property) in form["properties"].as_object().into_iter().flatten() {
            match merged.get_mut(name) {
                Some(known) => either(known, property),
                None => drop(merged.insert(name.clone(), property.clone())),
            }
        }
    }
    for (name, property) in &mut merged {
        if !forms.iter().all(|form| is_needed(&form["properties"][name]))
            && let Some(property) = property.as_object_mut()
        {
            property.insert("required".to_owned(), false.into());
        }
    }
    all.append(&mut merged);
    all.into()
}

fn is_needed(property: &Value) -> bool {
    property.is_object()
        && property.get("default").is_none()
        && property.get("required").is_none_or(|required| required == true)
}

/// One property that two forms describe.
fn either(known: &mut Value, other: &Value) {
    if known == other {
        return;
    }
    if let (Some(Value::Array(values)), Some(Value::Array(more))) =
        (known.get_mut("enum"), other.get("enum"))
    {
        values.extend(more.iter().cloned());
        return;
    }
    let branches = match known.get_mut("oneOf") {
        Some(Value::Array(branches)) => std::mem::take(branches),
        _ => vec![known.take()],
    };
    let branches: Vec<Value> = branches.into_iter().chain([other.clone()]).collect();
    *known = json!({ "oneOf": branches });
}

/// A choice between fixed values is one list of them; what is said about each goes into the
/// description.
fn names(branches: &[Words]) -> Option<Words> {
    let kind = branches.first().filter(|_| branches.len() > 1)?.get("type")?;
    let known = ["type", "enum", "summary", "description"];
    let (mut values, mut notes) = (Vec::new(), Vec::new());
    for branch in branches {
        if branch.get("type") != Some(kind) || !branch.keys().all(|key| known.contains(&&**key)) {
            return None;
        }
        let own = branch.get("enum")?.as_array()?;
        let text: Vec<&str> = ["summary", "description"]
            .iter()
            .filter_map(|key| branch.get(*key)?.as_str())
            .collect();
        if !text.is_empty() {
            let own: Vec<String> = own.iter().map(|value| format!("`{}`", plain(value))).collect();
            notes.push(format!("- {}: {}", own.join(", "), text.join(" ")));
        }
        values.extend(own.iter().cloned());
    }
    let mut words = Words::from_iter([
        ("type".to_owned(), kind.clone()),
        ("enum".to_owned(), Value::Array(values)),
    ]);
    if !notes.is_empty() {
        words.insert("description".to_owned(), notes.join("\n").into());
    }
    Some(words)
}

/// What is said about the names comes after what is said about the whole.
fn add_notes(names: &Words, outer: &mut Words) {
    if let (Some(Value::String(text)), Some(Value::String(notes))) =
        (outer.get_mut("description"), names.get("description"))
    {
        *text = format!("{text}\n\n{notes}");
    }
}

/// A name without its quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// Lets a value be `null` too.
fn or_null(words: &mut Words) {
    if let Some(Value::Array(branches)) = words.get_mut("oneOf") {
        branches.push(json!({ "type": "null" }));
        return;
    }
    match words.get_mut("type") {
        Some(Value::Array(kinds)) => kinds.push("null".into()),
        Some(kind) => *kind = json!([kind.take(), "null"]),
        None => {}
    }
    if let Some(Value::Array(values)) = words.get_mut("enum") {
        values.push(Value::Null);
    }
}
