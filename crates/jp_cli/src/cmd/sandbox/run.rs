//! `jp sandbox run`: any program under a policy.

pub(crate) mod changes;
mod plan;
mod program;
mod report;
mod request;
mod wait;

use std::{io, os::fd::AsFd};

use jp_confine::{
    Abandoned, Command, ConfineError, Confiner, Outcome, Pending, Prepared, Running, Streams,
};
use jp_printer::{Format, Print};
use jp_process::{Exit as ProgramExit, Input, Output, Signal};
use jp_sandbox::event::Ended;

use self::{
    changes::{Detail, number},
    report::{How, Report},
    request::Request,
    wait::Signals,
};
use crate::{
    args::{Changes, SandboxRun},
    confine::{self, sensitive},
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
};

pub(crate) async fn run(ctx: &Ctx, args: &SandboxRun) -> Result {
    let mut report = Report::new(ctx);
    let run = Run { ctx, args };
    if args.plan {
        return match run.plan().await {
            Ok(()) => Ok(()),
            Err(error) => report.finish(Err(error)),
        };
    }
    let result = run.go(&mut report).await;
    report.finish(result)
}

/// One run of a program.
struct Run<'a> {
    ctx: &'a Ctx,
    args: &'a SandboxRun,
}

impl Run<'_> {
    async fn plan(&self) -> Result {
        let request = Request::new(self.ctx, self.args)?;
        let confiner = confine::confiner(self.ctx.config())?;
        let prepared = confiner.plan(request.subject()).await.map_err(refused)?;
        request.check_grants(&prepared)?;
        plan::show(self.ctx, &confiner, prepared)
    }

    async fn go(&self, report: &mut Report<'_>) -> Result<Exit> {
        self.check_arguments()?;
        let mut request = Request::new(self.ctx, self.args)?;
        let confiner = confine::confiner(self.ctx.config())?;
        let prepared = self.prepare(&confiner, &mut request, report).await?;
        // Before the program, so that there is no moment in which control-C would end jp alone.
        let signals = Signals::new().map_err(Error::failure)?;
        let mut running = self.start(&confiner, prepared, &request).await?;
        let (exit, interrupted) = wait::wait(&mut running, signals).await?;
        report.ended(exit.ended, interrupted.is_some());
        let outcome = running.end(&exit).map_err(|error| Error::failure(with_causes(&error)))?;
        self.settle(report, &request, &End { exit, interrupted }, outcome)
    }

    fn check_arguments(&self) -> Result {
        let Changes { review, dry_run, stat } = self.args.changes;
        if stat && !review && !dry_run {
            return Err(Error::usage("--stat needs --dry-run or --review")
                .hint("a run that changes things shows nothing of them"));
        }
        if review && self.ctx.is_json() {
            return Err(Error::usage("--review asks a person, and --format json is for programs")
                .hint("--dry-run shows the changes and makes none"));
        }
        // A long run must not end with the news that it was for nothing.
        if review && !self.ctx.terminal().can_ask() {
            let message = "nobody can be asked whether to make the changes, so nothing was run";
            return Err(Error::new(Exit::NeedsInput, message)
                .hint("use --dry-run to only see them, or run it in a terminal"));
        }
        Ok(())
    }

    /// Plans the run and says what has to be said before it.
    async fn prepare(
        &self,
        confiner: &Confiner,
        request: &mut Request,
        report: &mut Report<'_>,
    ) -> Result<Prepared> {
        let mut prepared = confiner.plan(request.subject()).await.map_err(refused)?;
        request.check_grants(&prepared)?;
        for warning in request.idle_approvals(&prepared) {
            report.warn(&warning)?;
        }
        let answer = sensitive::ask(self.ctx, &prepared.covered(), &request.root, "the program")?;
        if let Some(warning) = &answer.warning {
            report.warn(warning)?;
        }
        if !answer.allowed.is_empty() {
            request.approved.extend(answer.allowed);
            prepared = confiner.plan(request.subject()).await.map_err(refused)?;
        }
        report.sensitive(&request.approved, &answer.hidden);
        let prepared = confiner.judge(prepared).map_err(refused)?;
        if self.args.changes.dry_run || self.args.changes.review {
            confine::can_keep_apart(confiner, &prepared).await?;
        }
        for warning in confine::loosened(self.ctx.config()).iter().chain(&prepared.warning) {
            report.warn(warning)?;
        }
        Ok(prepared)
    }

    async fn start(
        &self,
        confiner: &Confiner,
        prepared: Prepared,
        request: &Request,
    ) -> Result<Running> {
        let cwd = self.ctx.cwd();
        let directory = prepared.directory([cwd, &request.root]);
        let command = Command {
            path: &request.program,
            args: self.args.command.clone(),
            extra: Vec::new(),
            directory,
            observe: true,
            sha256: None,
        };
        let own = |stream: &dyn AsFd| stream.as_fd().try_clone_to_owned().map_err(Error::failure);
        let stdout: &dyn AsFd = if self.ctx.is_json() { &io::stderr() } else { &io::stdout() };
        let streams = Streams {
            stdin: Input::Descriptor(own(&io::stdin())?),
            stdout: Output::Descriptor(own(stdout)?),
            stderr: Output::Descriptor(own(&io::stderr())?),
        };
        let obstacle = program::obstacle(request, &prepared);
        let started = confiner.start(prepared, command, streams).await;
        started.map_err(|error| match (error, obstacle) {
            (error @ ConfineError::Start(_), Some(obstacle)) => obstacle.explain(refused(error)),
            (error, _) => refused(error),
        })
    }

    /// Makes what may be made of the changes, and says what was denied.
    fn settle(
        &self,
        report: &mut Report<'_>,
        request: &Request,
        end: &End,
        outcome: Outcome,
    ) -> Result<Exit> {
        let code = end.code();
        let policy = self.args.access.policy.as_deref();
        let how = How { policy, has_rules: request.has_fs_rules() };
        report.denied(&outcome.advice, how, code != Exit::Success)?;
        if let Some(abandoned) = outcome.abandoned {
            thrown_away(report, end, &abandoned)?;
            return Ok(end.code_of_interruption());
        }
        match outcome.pending {
            None => Ok(code),
            Some(pending) => self.decide(report, code, pending),
        }
    }

    fn decide(&self, report: &mut Report<'_>, code: Exit, pending: Pending) -> Result<Exit> {
        let Changes { dry_run, review, stat } = self.args.changes;
        let judged = pending.judged();
        let detail = if stat { Detail::Names } else { Detail::Lines };
        let shows = dry_run || review;
        let mut unseen = 0;
        if shows && !self.ctx.is_json() {
            let diff = changes::diff(judged, detail);
            self.show(report, &diff.text)?;
            unseen = diff.unseen;
        }
        report.complain(&changes::refused(judged.refused(), !shows))?;
        report.complain(&changes::left_out(judged.left_out()))?;
        let code = match code {
            Exit::Success if changes::is_against_policy(judged.refused()) => Exit::Refused,
            Exit::Success if !judged.refused().is_empty() => Exit::Failure,
            code => code,
        };
        let outcome = if dry_run { "not made" } else { "made" };
        report.changes(changes::json(judged, outcome, dry_run && !stat));
        let count = judged.allowed().len();
        if dry_run || count == 0 {
            return Ok(code);
        }
        if review && !self.says_yes(count, unseen)? {
            report.complain(&format!("Declined: {} thrown away.\n", number(count, "change")))?;
            return Ok(if code == Exit::Success { Exit::Declined } else { code });
        }
        commit(report, code, pending)
    }

    /// The diff is what was asked for. Who is to decide has to see it, wherever the output goes.
    fn show(&self, report: &Report<'_>, diff: &str) -> Result {
        if diff.is_empty() {
            return report.say("It would change nothing.\n");
        }
        let printer = self.ctx.printer();
        if self.args.changes.review && printer.settings().stdout.width.is_none() {
            return self.ctx.terminal().show(diff);
        }
        let print = Print::content(diff).format(Format::Code).language(Some("diff"));
        Ok(printer.print(print.untrusted())?)
    }

    fn says_yes(&self, count: usize, unseen: usize) -> Result<bool> {
        let these =
            if count == 1 { "this change".to_owned() } else { format!("these {count} changes") };
        let unseen =
            if unseen == 0 { String::new() } else { format!(" ({unseen} of them not shown)") };
        let question = format!("Make {these}{unseen}?");
        self.ctx.terminal().confirm(&question, "use --dry-run to only see them")
    }
}

/// How the program ended.
struct End {
    exit: ProgramExit,
    interrupted: Option<Signal>,
}

impl End {
    fn code(&self) -> Exit {
        match self.exit.ended {
            Ended::Code(0) => Exit::Success,
            Ended::Code(code) => Exit::Program(u8::try_from(code).unwrap_or(1)),
            Ended::Signal(number) => Exit::Program(u8::try_from(128 + number).unwrap_or(1)),
        }
    }

    /// A program may call it a success that it could tidy up; what it did is gone all the same.
    fn code_of_interruption(&self) -> Exit {
        match (self.code(), self.interrupted) {
            (Exit::Success, Some(Signal::Terminate)) => Exit::Program(128 + 15),
            (Exit::Success, _) => Exit::Interrupted,
            (code, _) => code,
        }
    }
}

/// Says that what a program did that did not come to its end is gone.
fn thrown_away(report: &mut Report<'_>, end: &End, abandoned: &Abandoned) -> Result {
    let judged = abandoned.judged();
    report.changes(changes::json(judged, "thrown away", false));
    let count = judged.allowed().len() + judged.refused().len();
    if count == 0 {
        return Ok(());
    }
    let why = match end.interrupted {
        Some(_) => "Interrupted".to_owned(),
        None => format!("The program {}", end.exit),
    };
    let count = number(count, "change");
    report.complain(&format!("\n{why}: {count} thrown away, nothing was changed.\n"))
}

fn commit(report: &mut Report<'_>, code: Exit, pending: Pending) -> Result<Exit> {
    let made = pending.commit();
    for failure in &made.failed {
        report.failed(failure)?;
    }
    Ok(if made.failed.is_empty() { code } else { Exit::Failure })
}

fn refused(error: ConfineError) -> Error {
    match error {
        ConfineError::Refused(refusal) => {
            let error = Error::new(Exit::Refused, &refusal);
            refusal.hints.iter().fold(error, Error::hint)
        }
        other => Error::failure(with_causes(&other)),
    }
}

/// The error with what led to it: "cannot start x" alone helps nobody.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in std::iter::successors(Some(error), |error| error.source()) {
        let part = part.to_string();
        // Some repeat what led to them.
        if !parts.last().is_some_and(|said| said.ends_with(&part)) {
            parts.push(part);
        }
    }
    parts.join(": ")
}
