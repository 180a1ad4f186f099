//! Checks of sealed tools, those with `runtime = "vfs"`: the check is their host.
//!
//! ```text
//! tool ──lines──► Play ──requests──► jp_vfs on files that are thrown away
//!      ◄─lines── faults ◄──answers──┘
//! ```
//!
//! The program is started as jp starts it, and [`jp_vfs`] serves it. Between the two stands the check: it
//! writes down every line ([`transcript`]), looks at what the tool says ([`hear`]), and does to the answers
//! what a host may do, or what happens to one ([`fault`]).

mod calls;
mod cases;
mod description;
mod fault;
mod hear;
mod play;
mod rules;
mod stage;
mod transcript;

use self::{fault::Fault, play::Played, stage::Stage};
use super::{
    bench::Bench,
    finding::{Finding, short},
    parameters,
    report::Report,
    subject::{self, Subject},
};
use crate::{args::ToolCheck, error::Result};

/// Checks the program, each of its tools, or the one that was named.
pub(super) async fn check(bench: &Bench<'_>, args: &ToolCheck, report: &mut Report<'_>) -> Result {
    let stage = Stage::new(bench, args)?;
    let described = description::check(&stage, args.name.as_deref(), report).await?;
    for mut subject in subject::all(described, args.name.as_deref(), report)? {
        if let Some(arguments) = &args.arguments {
            subject.call_with(&arguments.0);
        }
        check_tool(&stage, &subject, report).await?;
    }
    Ok(())
}

async fn check_tool(stage: &Stage<'_>, subject: &Subject, report: &mut Report<'_>) -> Result {
    report.all(parameters::check(subject))?;
    let Some(good) = subject.good() else {
        let finding = Finding::skipped("run", "every call with arguments").of(&subject.name);
        return report.add(finding.because(subject.why_not_good()));
    };
    let title = "answers a call with good arguments";
    let script = stage.call(subject, good.clone(), Fault::None);
    let first = stage.play(("run.good", title, Some(subject)), script).await?;
    report.all(of_rules(subject, title, &first))?;
    for case in &cases::CASES {
        report.add(cases::check(stage, subject, good, &first, case).await?)?;
    }
    calls::check(stage, subject, good, &first, report).await
}

/// The rules that hold for every call, each as a check of its own.
fn of_rules(subject: &Subject, title: &str, first: &Played) -> Vec<Finding> {
    let mut broken = rules::broken(first);
    let mut finding = |rule: rules::Rule, check, title: &str| {
        let problems: Vec<_> =
            broken.extract_if(.., |(of, _)| *of == rule).map(|(_, problem)| problem).collect();
        let exchange = if problems.is_empty() { Vec::new() } else { first.exchange() };
        Finding::new(check, title).of(&subject.name).with(problems).said(exchange)
    };
    let answers = finding(rules::Rule::Answers, "run.good", title);
    let answers = match first.heard.error() {
        Some(message) => answers.because(format!("an error, {:?}", short(message))),
        None => answers,
    };
    vec![
        answers,
        finding(rules::Rule::Messages, "messages", "writes nothing but messages to stdout"),
        finding(rules::Rule::Once, "final", "says its last word once, and nothing after it"),
        finding(rules::Rule::Ends, "ends", "ends after its last word"),
    ]
}
