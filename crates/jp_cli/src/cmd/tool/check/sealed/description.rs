//! What a sealed program says about its tools: by `result`, in the right form, and always the same.

use jp_tool::{Action, Tool, vfs::Answer};
use serde_json::Value;

use super::{
    super::{
        description::{Description, VARIATIONS, Variation, names, unreadable},
        finding::{Advice, Finding, Problem, short},
        report::Report,
    },
    fault::Fault,
    hear::Last,
    play::Played,
    rules,
    stage::Stage,
};
use crate::error::Result;

const ADVICE: Advice = Advice {
    expected: "`result` with {\"tools\":[…]} as its content when `context.action` is `schema`",
    fix: "look at `context.action` first; docs/protocols/vfs.md shows a `result with a description`",
};

/// Asks the program for its description, in every way; `None` if there is none.
pub(super) async fn check(
    stage: &Stage<'_>,
    name: Option<&str>,
    report: &mut Report<'_>,
) -> Result<Option<Description>> {
    let (check, title) = ("schema", "describes itself by `result`");
    let played = ask(stage, name, check, title, |_| {}).await?;
    let described = read(&played);
    let problems = broken(&played).into_iter().chain(described.as_ref().err().cloned());
    let problems = problems.map(|problem| problem.or_advice(ADVICE));
    report.add(Finding::new(check, title).with(problems).said(played.exchange()))?;
    let Ok(description) = described else { return Ok(None) };
    for variation in &VARIATIONS {
        let (check, title) = (variation.check, variation.title);
        let played = ask(stage, name, check, title, variation.change).await?;
        let problems = vary(variation, &description, &played);
        report.add(Finding::new(check, title).with(problems).said(played.exchange()))?;
    }
    report.add(Finding::new("schema.names", "names its tools").with(names(&description)))?;
    Ok(Some(description))
}

async fn ask(
    stage: &Stage<'_>,
    name: Option<&str>,
    check: &'static str,
    title: &str,
    change: fn(&mut Value),
) -> Result<Played> {
    let tool = Tool { name: name.unwrap_or("tool").to_owned(), ..Tool::default() };
    let mut script = stage.script(Action::Schema, tool, Fault::None);
    change(&mut script.init["params"]);
    stage.play((check, title, None), script).await
}

/// What is wrong with a run that was to describe and nothing else.
fn broken(played: &Played) -> Vec<Problem> {
    let mut problems = rules::failed(played);
    if !played.changed.is_empty() {
        problems.push(Problem::fail(format!("it changed {}", played.changed.join(", "))));
    }
    problems
}

fn vary(variation: &Variation, description: &Description, played: &Played) -> Vec<Problem> {
    let problem = |reason: String| vec![Problem::new(variation.status, reason).or_advice(ADVICE)];
    match read(played) {
        Ok(other) if other.raw == description.raw => broken(played),
        Ok(_) => problem("the description is another one".to_owned()),
        Err(Problem { reason, .. }) => problem(reason),
    }
}

fn read(played: &Played) -> std::result::Result<Description, Problem> {
    let line: Value = serde_json::from_slice(&played.heard.line).unwrap_or_default();
    let raw = line["params"]["content"].clone();
    Err(Problem::fail(match &played.heard.last {
        Some(Last::Result(Answer::Schema(response))) => {
            return Ok(Description { response: response.clone(), raw });
        }
        Some(Last::Result(Answer::Content(_))) => {
            "it gave a result that is no description of tools".to_owned()
        }
        Some(Last::Error(error)) => format!("it failed: {:?}", short(&error.message)),
        Some(Last::Stopped(_)) => "it stopped".to_owned(),
        Some(Last::Unreadable(reason)) => {
            let why = unreadable(&raw).unwrap_or_else(|| reason.clone());
            format!("not a description of tools: {why}")
        }
        None => "it does not describe itself".to_owned(),
    }))
}
