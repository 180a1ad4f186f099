//! Parameters as a list for people: what each takes, what is said about it, and below it its parts.

use jp_tool::{Parameter, ParameterType, ParameterTypes};

/// The lines of one parameter. `note` is what else there is to say about it.
pub(super) fn lines(name: &str, parameter: &Parameter, note: &str) -> Vec<String> {
    let facts = facts(parameter).join(", ");
    let summary = parameter.summary.as_deref().map(|summary| format!(": {summary}"));
    let mut lines = vec![format!("- `{name}` ({facts}){}{note}", summary.unwrap_or_default())];
    if let Some(description) = &parameter.description {
        lines.push(String::new());
        lines.extend(description.trim().lines().map(|line| format!("  {line}")));
        lines.push(String::new());
    }
    lines.extend(parts(parameter).into_iter().map(|line| format!("  {line}")));
    lines
}

/// The lines of what is inside of it. A definition is limited in depth, so this is too.
fn parts(parameter: &Parameter) -> Vec<String> {
    let mut all = Vec::new();
    for (name, property) in parameter.properties.iter().flatten() {
        all.extend(lines(name, property, ""));
    }
    if let Some(items) = &parameter.items {
        all.extend(parts(items));
    }
    for alternative in parameter.one_of.iter().flatten() {
        let summary = alternative.summary.as_deref().map(|summary| format!(": {summary}"));
        all.push(format!("- either {}{}", kind(alternative), summary.unwrap_or_default()));
        all.extend(parts(alternative).into_iter().map(|line| format!("  {line}")));
    }
    all
}

fn facts(parameter: &Parameter) -> Vec<String> {
    let mut facts = vec![kind(parameter)];
    if let Some(values) = &parameter.values {
        let values: Vec<_> = values.iter().map(|value| format!("`{value}`")).collect();
        let listed = format!("one of {}", values.join(", "));
        // Values that are listed need no type.
        if parameter.kind.is_none() { facts = vec![listed] } else { facts.push(listed) }
    }
    facts.extend(parameter.minimum.as_ref().map(|least| format!("at least {least}")));
    facts.extend(parameter.maximum.as_ref().map(|most| format!("at most {most}")));
    facts.extend(parameter.pattern.as_ref().map(|pattern| format!("matching `{pattern}`")));
    if parameter.is_required() {
        facts.push("required".to_owned());
    }
    if let Some(default) = parameter.default.as_ref().filter(|value| !value.is_null()) {
        facts.push(format!("default `{default}`"));
    }
    facts
}

fn kind(parameter: &Parameter) -> String {
    let elements = parameter.items.as_deref().map(kind);
    let name = |kind: &ParameterType| match (kind, &elements) {
        (ParameterType::Array, Some(elements)) => format!("array of {elements}"),
        (ParameterType::Array, None) => "array".to_owned(),
        (ParameterType::String, _) => "string".to_owned(),
        (ParameterType::Number, _) => "number".to_owned(),
        (ParameterType::Integer, _) => "integer".to_owned(),
        (ParameterType::Boolean, _) => "boolean".to_owned(),
        (ParameterType::Object, _) => "object".to_owned(),
        (ParameterType::Null, _) => "null".to_owned(),
    };
    match &parameter.kind {
        Some(ParameterTypes::One(kind)) => name(kind),
        Some(ParameterTypes::Many(kinds)) => {
            // That something may be left out is said by its not being required.
            let kinds = kinds.iter().filter(|kind| **kind != ParameterType::Null);
            kinds.map(name).collect::<Vec<_>>().join(" or ")
        }
        None if parameter.one_of.is_some() => "one of several forms".to_owned(),
        None if parameter.properties.is_some() => "object".to_owned(),
        None if elements.is_some() => name(&ParameterType::Array),
        None => "anything".to_owned(),
    }
}
