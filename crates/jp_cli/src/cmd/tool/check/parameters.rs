//! What a description says about one tool, looked at without running it.

use jp_tool::{Parameter, SessionAction};
use serde_json::Value;

use super::{
    description::is_name,
    finding::{Finding, Problem},
    samples,
    subject::Subject,
};

/// Something to look at.
struct Look {
    check: &'static str,
    title: &'static str,
    problems: fn(&Subject) -> Vec<Problem>,
}

const LOOKS: [Look; 5] = [
    Look { check: "schema.summary", title: "says in a sentence what it does", problems: summary },
    Look { check: "schema.keywords", title: "uses words that jp knows", problems: keywords },
    Look { check: "schema.parameters", title: "describes its parameters", problems: parameters },
    Look { check: "schema.defaults", title: "has defaults that fit", problems: defaults },
    Look { check: "schema.actions", title: "can be started", problems: actions },
];

pub(super) fn check(subject: &Subject) -> Vec<Finding> {
    let is_meant =
        |look: &&Look| look.check != "schema.actions" || subject.schema.actions.is_some();
    let finding = |look: &Look| {
        Finding::new(look.check, look.title).of(&subject.name).with((look.problems)(subject))
    };
    LOOKS.iter().filter(is_meant).map(finding).collect()
}

const OF_TOOL: [&str; 6] = ["name", "summary", "description", "examples", "actions", "parameters"];

const OF_PARAMETER: [&str; 17] = [
    "type",
    "summary",
    "description",
    "default",
    "required",
    "enum",
    "items",
    "properties",
    "oneOf",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
    "format",
];

fn summary(subject: &Subject) -> Vec<Problem> {
    match subject.schema.summary.as_deref().map(str::trim) {
        None | Some("") => {
            let why = "it has no `summary`, so the assistant learns no more of it than its name";
            vec![Problem::warning(why)]
        }
        Some(summary) if summary.contains('\n') => {
            vec![Problem::warning(
                "`summary` is more than a line; the rest belongs to `description`",
            )]
        }
        Some(_) => Vec::new(),
    }
}

fn keywords(subject: &Subject) -> Vec<Problem> {
    let mut problems = Vec::new();
    unknown(&subject.raw, "the tool", &OF_TOOL, &mut problems);
    for (name, parameter) in subject.raw["parameters"].as_object().into_iter().flatten() {
        keywords_of(parameter, &format!("`{name}`"), &mut problems);
    }
    problems
}

/// As deep as a description is read; serde does not go deeper either.
fn keywords_of(parameter: &Value, place: &str, problems: &mut Vec<Problem>) {
    unknown(parameter, place, &OF_PARAMETER, problems);
    for (name, part) in parameter["properties"].as_object().into_iter().flatten() {
        keywords_of(part, &format!("`{name}` of {place}"), problems);
    }
    if parameter["items"].is_object() {
        keywords_of(&parameter["items"], &format!("the elements of {place}"), problems);
    }
    for part in parameter["oneOf"].as_array().into_iter().flatten() {
        keywords_of(part, &format!("an alternative of {place}"), problems);
    }
}

fn unknown(object: &Value, place: &str, known: &[&'static str], problems: &mut Vec<Problem>) {
    let keys = object.as_object().into_iter().flat_map(|object| object.keys());
    for key in keys.filter(|key| !known.contains(&key.as_str())) {
        let meant = jp_config::nearest(key, known.iter().copied());
        let meant = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
        let key = super::finding::short(key);
        problems
            .push(Problem::warning(format!("`{key}` of {place} is not known and ignored{meant}")));
    }
}

fn parameters(subject: &Subject) -> Vec<Problem> {
    let names = subject.schema.parameters.keys().filter(|name| !is_name(name));
    let names = names.map(|name| {
        Problem::fail(format!(
            "{name:?} is no name of a parameter: letters, digits, `_`, `-` and `.`, at most 64"
        ))
    });
    names.chain(subject.invalid.iter().map(Problem::fail)).collect()
}

fn defaults(subject: &Subject) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, parameter) in &subject.schema.parameters {
        defaults_of(parameter, &format!("`{name}`"), &mut problems);
    }
    problems
}

fn defaults_of(parameter: &Parameter, place: &str, problems: &mut Vec<Problem>) {
    if let Some(default) = &parameter.default
        && !samples::takes(parameter, default)
    {
        let default = super::finding::short(&default.to_string());
        problems.push(Problem::fail(format!("the default of {place} does not fit it: {default}")));
    }
    if let Some(values) = &parameter.values {
        let bare = Parameter { values: None, ..parameter.clone() };
        for value in values.iter().filter(|value| !samples::takes(&bare, value)) {
            problems
                .push(Problem::fail(format!("{value} of the `enum` of {place} does not fit it")));
        }
    }
    for (name, part) in parameter.properties.iter().flatten() {
        defaults_of(part, &format!("`{name}` of {place}"), problems);
    }
    if let Some(items) = &parameter.items {
        defaults_of(items, &format!("the elements of {place}"), problems);
    }
}

fn actions(subject: &Subject) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !subject.takes(SessionAction::Spawn) {
        problems.push(Problem::fail("`actions` has no `spawn`, so it cannot be started"));
    }
    let known = |action: &Value| {
        let name =
            |known: &SessionAction| serde_json::to_value(known).is_ok_and(|it| it == *action);
        SessionAction::ALL.iter().any(name)
    };
    let listed = subject.raw["actions"].as_array().into_iter().flatten();
    for action in listed.filter(|action| !known(action)) {
        let action = super::finding::short(&action.to_string());
        problems.push(Problem::warning(format!("the action {action} is not known and ignored")));
    }
    problems
}
