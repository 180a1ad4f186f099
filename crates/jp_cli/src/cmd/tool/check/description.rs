//! What a program says about its tools: whether it says it, in the right form, in time, and always the
//! same, however it is asked.

use jp_tool::{Action, Parameter, SchemaResponse, Tool, ToolSchema};
use serde_json::{Value, json};

use super::{
    bench::{Bench, Seen},
    calls::to_line,
    finding::{Finding, Problem, Status},
    report::Report,
    rules,
    said::{Manner, Said, cause},
};
use crate::error::Result;

/// A description that can be worked with.
#[derive(Debug)]
pub(super) struct Description {
    pub(super) response: SchemaResponse,
    /// As it was printed, with what nobody knows.
    pub(super) raw: Value,
}

/// Another way to ask for the description. The answer has to be the same.
pub(super) struct Variation {
    pub(super) check: &'static str,
    pub(super) title: &'static str,
    /// What is different in the invocation. What is new comes last.
    pub(super) change: fn(&mut Value),
    /// How bad another answer is.
    pub(super) status: Status,
}

pub(super) const VARIATIONS: [Variation; 5] = [
    Variation {
        check: "schema.twice",
        title: "describes itself again, in the same words",
        change: |_| {},
        status: Status::Failed,
    },
    Variation {
        check: "schema.case",
        title: "describes itself when the action is written `Schema`",
        change: |invocation| invocation["context"]["action"] = json!("Schema"),
        // This host writes it in small letters.
        status: Status::Warning,
    },
    Variation {
        check: "schema.no_name",
        title: "describes itself when the name of the tool is empty",
        change: |invocation| invocation["tool"]["name"] = json!(""),
        status: Status::Failed,
    },
    Variation {
        check: "schema.other_name",
        title: "describes itself when the tool is called something else",
        change: |invocation| invocation["tool"]["name"] = json!("jp-check-other-name"),
        status: Status::Failed,
    },
    Variation {
        check: "schema.fields",
        title: "describes itself when the invocation has fields it does not know",
        change: |invocation| {
            invocation["jp_check"] = json!({ "newer": true });
            invocation["tool"]["jp_check"] = json!([1, 2, 3]);
            invocation["context"]["jp_check"] = json!("newer");
        },
        status: Status::Failed,
    },
];

/// Asks the program for its description, in every way; `None` if there is none.
pub(super) async fn check(
    bench: &Bench<'_>,
    name: Option<&str>,
    report: &mut Report<'_>,
) -> Result<Option<Description>> {
    let tool = Tool { name: name.unwrap_or("tool").to_owned(), ..Tool::default() };
    let invocation = bench.invocation(Action::Schema, tool);
    let first = serde_json::to_value(&invocation).unwrap_or_default();
    let finding = Finding::new("schema", "describes itself");
    let input = to_line(&first);
    let seen = bench.run(&finding.title, &invocation, input.clone()).await?;
    let read = read(seen.stdout());
    let problems = broken(&seen).into_iter().chain(read.as_ref().err().cloned());
    let finding = finding.after(&input, &seen).with(problems);
    let is_usable = read.is_ok();
    report.add(finding)?;
    let Ok(description) = read else { return Ok(None) };
    for variation in VARIATIONS.iter().filter(|_| is_usable) {
        let mut asked = first.clone();
        (variation.change)(&mut asked);
        let input = to_line(&asked);
        let seen = bench.run(variation.title, &invocation, input.clone()).await?;
        let problems = vary(variation, &description, &seen);
        let finding = Finding::new(variation.check, variation.title).after(&input, &seen);
        report.add(finding.with(problems))?;
    }
    report.add(Finding::new("schema.names", "names its tools").with(names(&description)))?;
    Ok(Some(description))
}

/// What is wrong with a run that was to describe and nothing else.
fn broken(seen: &Seen) -> Vec<Problem> {
    let said = Said::read(seen.stdout(), Manner::Once);
    let mut problems = rules::broken(seen, &said);
    if !seen.changed.is_empty() {
        problems.push(Problem::fail(format!("it changed {}", seen.changed.join(", "))));
    }
    let is_said = problems.iter().any(|problem| problem.status == Status::Failed);
    if !is_said && !seen.exit().is_success() {
        problems.push(Problem::fail(format!("it {}", seen.exit())));
    }
    problems
}

fn vary(variation: &Variation, description: &Description, seen: &Seen) -> Vec<Problem> {
    if !seen.changed.is_empty() {
        return vec![Problem::fail(format!("it changed {}", seen.changed.join(", ")))];
    }
    let problem = |reason: String| vec![Problem::new(variation.status, reason)];
    match read(seen.stdout()) {
        _ if seen.is_late() => broken(seen),
        Ok(other) if other.raw == description.raw => broken(seen),
        Ok(_) => problem("the description is another one".to_owned()),
        Err(Problem { reason, .. }) => problem(reason),
    }
}

/// A description: one object, and nothing else.
fn read(stdout: &[u8]) -> std::result::Result<Description, Problem> {
    let text = String::from_utf8_lossy(stdout);
    let text = text.trim();
    if text.is_empty() {
        return Err(Problem::fail("it printed nothing"));
    }
    let raw: Value = serde_json::from_str(text).map_err(|error| {
        Problem::fail(if beside(text) {
            "there is something else on stdout beside the description".to_owned()
        } else {
            format!("what it printed is not one JSON object: {error}")
        })
    })?;
    match SchemaResponse::parse(text) {
        Ok(response) => Ok(Description { response, raw }),
        Err(error) => {
            let why = unreadable(&raw).unwrap_or_else(|| cause(&error));
            Err(Problem::fail(format!("not a description of tools: {why}")))
        }
    }
}

/// Whether one of several lines is a description.
fn beside(text: &str) -> bool {
    text.lines().count() > 1 && text.lines().any(|line| SchemaResponse::parse(line.trim()).is_ok())
}

/// The part of a description that cannot be read, by name.
pub(super) fn unreadable(raw: &Value) -> Option<String> {
    for (place, tool) in raw.get("tools")?.as_array()?.iter().enumerate() {
        let name = tool.get("name").and_then(Value::as_str);
        let name = name.map_or_else(|| format!("number {place}"), |name| format!("`{name}`"));
        for (parameter, raw) in
            tool.get("parameters").and_then(Value::as_object).into_iter().flatten()
        {
            if let Err(error) = serde_json::from_value::<Parameter>(raw.clone()) {
                return Some(format!("parameter `{parameter}` of tool {name}: {error}"));
            }
        }
        if let Err(error) = serde_json::from_value::<ToolSchema>(tool.clone()) {
            return Some(format!("tool {name}: {error}"));
        }
    }
    None
}

/// What is wrong with the names of the tools.
pub(super) fn names(description: &Description) -> Vec<Problem> {
    let names: Vec<&str> =
        description.response.tools.iter().map(|tool| tool.name.as_str()).collect();
    if names.is_empty() {
        return vec![Problem::fail("it describes no tool")];
    }
    let mut problems = Vec::new();
    for (place, name) in names.iter().enumerate() {
        if names[..place].contains(name) {
            problems.push(Problem::fail(format!("it describes `{name}` more than once")));
        }
        if !is_name(name) {
            problems.push(Problem::fail(format!(
                "{name:?} is no name: letters, digits, `_`, `-` and `.`, at most 64"
            )));
        }
    }
    problems
}

/// Whether the configuration takes this as the name of a tool, a parameter or a question.
pub(super) fn is_name(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    (1..=64).contains(&name.len()) && name.chars().all(is_plain)
}
