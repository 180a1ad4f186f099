//! `jp tool check`: whether a program keeps to the protocol of tools, for authors in any language.
//!
//! ```text
//! description ──► its tools ──► cases (data: what is sent, what is expected) ──► rules ──► findings
//!                        └────► questions, cancellation, sessions (several steps each)
//! ```
//!
//! The danger is the program itself: nobody has looked at it yet, and it is given the worst that a model
//! could come up with. So every run is confined ([`mod@bench`]), in a workspace that exists for the check
//! ([`ground`]), without a network, with all writes kept apart and thrown away, and for a limited time.
//! Programs that run sealed are talked to in another way ([`sealed`]).

pub(in crate::cmd) mod bench;
mod calls;
mod cancel;
mod description;
mod finding;
pub(in crate::cmd) mod ground;
mod parameters;
mod questions;
mod report;
mod rules;
mod said;
mod samples;
mod sealed;
mod session;
mod subject;

use tokio_util::sync::CancellationToken;

use self::{bench::Bench, finding::Finding, ground::Ground, report::Report, subject::Subject};
use super::run::interruptible;
use crate::{
    args::{ToolCheck, ToolRuntime},
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
    tools,
};

pub(crate) fn run(ctx: &Ctx, args: &ToolCheck) -> Result {
    tools::block_on(async {
        let cancel = CancellationToken::new();
        let work = cancel.run_until_cancelled(Box::pin(check(ctx, args)));
        // What still runs is ended when it is dropped, and the workspace with it.
        let done = interruptible(work, &cancel).await?;
        done.unwrap_or_else(|| Err(Error::new(Exit::Interrupted, "interrupted")))
    })
}

async fn check(ctx: &Ctx, args: &ToolCheck) -> Result {
    let ground = Ground::new(ctx, args.root.as_deref())?;
    let bench = Bench::new(ctx, args, &ground)?;
    let mut report = Report::new(ctx);
    if args.runtime == ToolRuntime::Vfs {
        sealed::check(&bench, args, &mut report).await?;
        return report.finish();
    }
    if args.record.is_some() {
        return Err(Error::usage("--record: only tools with `--runtime vfs` exchange messages"));
    }
    bench.try_out().await?;
    let described = description::check(&bench, args.name.as_deref(), &mut report).await?;
    for mut subject in subject::all(described, args.name.as_deref(), &mut report)? {
        if let Some(arguments) = &args.arguments {
            subject.call_with(&arguments.0);
        }
        check_tool(&bench, &subject, &mut report).await?;
    }
    report.finish()
}

/// Everything about one tool.
async fn check_tool(bench: &Bench<'_>, subject: &Subject, report: &mut Report<'_>) -> Result {
    report.all(parameters::check(subject))?;
    for case in calls::of_any(subject) {
        report.add(calls::check(bench, subject, case).await?)?;
    }
    let Some(good) = subject.good() else {
        let finding = Finding::skipped("run", "every call with arguments").of(&subject.name);
        return report.add(finding.because(subject.why_not_good()));
    };
    let first = calls::check_good(bench, subject, good, report).await?;
    for case in calls::of_arguments(subject, good, &first) {
        report.add(calls::check(bench, subject, case).await?)?;
    }
    report.all(calls::left_out(subject))?;
    questions::check(bench, subject, good, &first, report).await?;
    cancel::check(bench, subject, good, &first, report).await?;
    if subject.is_stateful() {
        session::check(bench, subject, good, report).await?;
    }
    Ok(())
}
