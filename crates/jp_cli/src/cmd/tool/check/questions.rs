//! Questions that a tool ends with: asked properly, and not asked again once they are answered.

use jp_llm::tool::{Asked, inquiry};
use jp_tool::{Action, AnswerType};
use serde_json::{Map, Value, json};

use super::{
    bench::Bench,
    calls::{self, Run},
    description::is_name,
    finding::{Finding, Problem},
    ground::FILE,
    report::Report,
    rules,
    said::Said,
    subject::Subject,
};
use crate::error::Result;

/// So many questions are answered.
const MOST: usize = 5;

/// Answers what a good call asks, until it asks no more.
pub(super) async fn check(
    bench: &Bench<'_>,
    subject: &Subject,
    good: &Map<String, Value>,
    first: &Run,
    report: &mut Report<'_>,
) -> Result {
    let Said::Question(asked) = &first.said else {
        let finding = Finding::skipped("question", "asks questions").of(&subject.name);
        return report.add(finding.because("a good call asks none"));
    };
    let mut answers = Map::new();
    let mut asked = asked.clone();
    let mut changed = first.seen.changed.clone();
    for _ in 0..MOST {
        let title = format!("asks `{}`", super::finding::short(&asked.id));
        let finding = Finding::new("question", title.clone()).of(&subject.name);
        let mut problems = improper(&asked);
        if !changed.is_empty() {
            let changed = changed.join(", ");
            problems.push(Problem::fail(format!("it changed {changed} before it was answered")));
        }
        report.add(finding.with(problems))?;
        let Some(answer) = answer(&asked) else {
            let finding = Finding::skipped("question.answer", "goes on after the answer");
            return report.add(finding.of(&subject.name).because("no answer could be made up"));
        };
        answers.insert(asked.id.clone(), answer);
        let invocation = subject.invocation(bench, Action::Run, good.clone(), answers.clone());
        let title = format!("goes on when `{}` is answered", super::finding::short(&asked.id));
        let (input, run) = calls::make(bench, subject, &title, &invocation).await?;
        let mut problems = rules::broken(&run.seen, &run.said);
        let again = matches!(&run.said, Said::Question(next) if answers.contains_key(&next.id));
        if again {
            problems.push(Problem::fail("it asks again what was answered"));
        }
        let finding = Finding::new("question.answer", title).of(&subject.name);
        report.add(finding.after(&input, &run.seen).with(problems))?;
        match run.said {
            Said::Question(next) if !again => (asked, changed) = (next, run.seen.changed),
            _ => return Ok(()),
        }
    }
    let why = format!("it asks more than {MOST} questions, one at a time");
    let finding = Finding::new("question.many", "asks few questions").of(&subject.name);
    report.add(finding.with([Problem::warning(why)]))
}

/// What is wrong with a question.
pub(super) fn improper(asked: &Asked) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !is_name(&asked.id) {
        let why = "letters, digits, `_`, `-` and `.`, at most 64";
        problems.push(Problem::fail(format!("its id {:?} is no name: {why}", asked.id)));
    }
    if asked.text.trim().is_empty() {
        problems.push(Problem::fail("its text is empty"));
    } else if asked.text.contains(['\n', '\r']) {
        problems.push(Problem::fail(
            "its text is more than a line; what there is to know first belongs to `pre_amble`",
        ));
    }
    if asked.schema["enum"].as_array().is_some_and(Vec::is_empty) {
        problems.push(Problem::fail("there is nothing to choose from"));
    }
    if let Some(default) = asked.default.as_ref().filter(|default| !default.is_null())
        && let Err(why) = inquiry::fits(asked, default)
    {
        problems.push(Problem::fail(format!("its default is no answer to it: {why}")));
    }
    problems
}

/// An answer of the right type.
pub(super) fn answer(asked: &Asked) -> Option<Value> {
    let made = match AnswerType::from_schema(&asked.schema) {
        Some(AnswerType::Boolean) => json!(true),
        Some(AnswerType::Text) => json!(FILE),
        Some(AnswerType::Select { options }) => json!(options.first()?),
        None => asked.default.clone()?,
    };
    inquiry::fits(asked, &made).is_ok().then_some(made)
}
