//! Calls of a sealed tool with other arguments: the same as for any tool, served by a good host.

use jp_process::{Captured, Finished};
use jp_tool::{Action, ToolResult, vfs::Answer};
use serde_json::{Map, Value};

use super::{
    super::{
        bench::Seen,
        calls::{self, Case, Expect, Run},
        finding::{Advice, Finding, Problem, Status, short},
        questions,
        report::Report,
        said::{Said, of_blocks},
        subject::Subject,
    },
    fault::Fault,
    hear::Last,
    play::Played,
    rules,
    stage::Stage,
};
use crate::error::Result;

pub(super) async fn check(
    stage: &Stage<'_>,
    subject: &Subject,
    good: &Map<String, Value>,
    first: &Played,
    report: &mut Report<'_>,
) -> Result {
    let run = as_run(first);
    for case in calls::of_arguments(subject, good, &run) {
        // It comes byte by byte into a shell, which takes longer than anybody waits.
        if !case.is_long() {
            report.add(call(stage, subject, case).await?)?;
        }
    }
    report.all(calls::left_out(subject))?;
    question(stage, subject, good, &run, report).await
}

/// Makes a call and judges it.
async fn call(stage: &Stage<'_>, subject: &Subject, case: Case) -> Result<Finding> {
    let Case { check, title, action, arguments, answers, expect, .. } = case;
    let script = stage.script(action, subject.tool(action, arguments, answers), Fault::None);
    let played = stage.play((check, &title, Some(subject)), script).await?;
    let mut problems = rules::failed(&played);
    if problems.is_empty() {
        let Run { seen, said } = as_run(&played);
        problems = expect.judge(&seen, &said);
    }
    let problems: Vec<_> =
        problems.into_iter().map(|problem| problem.or_advice(advice(&expect))).collect();
    let finding = Finding::new(check, title).of(&subject.name);
    Ok(finding.with(problems).said(played.exchange()))
}

/// Answers the question of a good call.
async fn question(
    stage: &Stage<'_>,
    subject: &Subject,
    good: &Map<String, Value>,
    first: &Run,
    report: &mut Report<'_>,
) -> Result {
    let Said::Question(asked) = &first.said else {
        let finding = Finding::skipped("question", "asks questions").of(&subject.name);
        return report.add(finding.because("a good call asks none"));
    };
    let mut problems = questions::improper(asked);
    if !first.seen.changed.is_empty() {
        let changed = first.seen.changed.join(", ");
        problems.push(Problem::fail(format!("it changed {changed} before it was answered")));
    }
    let title = format!("asks `{}`", short(&asked.id));
    report.add(Finding::new("question", title).of(&subject.name).with(problems))?;
    let title = format!("goes on when `{}` is answered", short(&asked.id));
    let finding = Finding::new("question.answer", &*title).of(&subject.name);
    let Some(answer) = questions::answer(asked) else {
        let finding = Finding { status: Status::Skipped, ..finding };
        return report.add(finding.because("no answer could be made up"));
    };
    let answers = Map::from_iter([(asked.id.clone(), answer)]);
    let tool = subject.tool(Action::Run, good.clone(), answers);
    let script = stage.script(Action::Run, tool, Fault::None);
    let played = stage.play(("question.answer", &title, Some(subject)), script).await?;
    let again = matches!(as_run(&played).said, Said::Question(next) if next.id == asked.id);
    let again = again.then(|| {
        let fix = "look into `tool.answers` of `init` before anything is asked";
        let advice = Advice { expected: "no question that was answered", fix };
        Problem::fail("it asks again what was answered").or_advice(advice)
    });
    let problems = rules::failed(&played).into_iter().chain(again);
    report.add(finding.with(problems).said(played.exchange()))
}

/// What an author has to do when this is not what happened.
fn advice(expect: &Expect) -> Advice {
    match expect {
        Expect::Shown => Advice {
            expected: "`result` with a line for a person when `context.action` is `format_arguments`",
            fix: "look at `context.action`, and do nothing else for this one",
        },
        Expect::Refusal { .. } => Advice {
            expected: "`error` with a message that names the argument, and nothing changed",
            fix: "look at the names and types of all arguments before anything is asked for",
        },
        Expect::Unharmed => Advice {
            expected: "the argument is a text like any other",
            fix: "never put an argument into a template or a command",
        },
        Expect::NoWorse { .. } => Advice {
            expected: "the same as in a good call",
            fix: "do without what need not be given, and ignore what is not asked for",
        },
    }
}

/// A run in the terms in which calls of all tools are judged.
fn as_run(played: &Played) -> Run {
    let captured = |bytes: &[u8]| Captured { bytes: bytes.to_vec(), truncated: false };
    let finished = Finished {
        exit: played.exit.clone(),
        stdout: captured(&played.heard.stdout),
        stderr: captured(played.stderr.as_bytes()),
        stopped: None,
    };
    let (took, patience, changed) = (played.took, played.took, played.changed.clone());
    let said = match &played.heard.last {
        Some(Last::Result(Answer::Content(content)) | Last::Stopped(content)) => {
            of_blocks(ToolResult::new(content.clone().into_blocks()))
        }
        Some(Last::Result(Answer::Schema(_))) => {
            Said::Unclear { reason: "it describes itself".to_owned() }
        }
        Some(Last::Error(error)) => Said::Error(error.clone()),
        Some(Last::Unreadable(_)) | None => Said::Nothing,
    };
    Run { seen: Seen { finished, took, patience, changed }, said }
}
