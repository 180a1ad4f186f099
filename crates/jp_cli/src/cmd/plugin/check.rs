//! `jp plugin check`: whether a program keeps to the protocol of plugins, for authors in any language.
//!
//! `jp_plugin_check` plays the host and says what it finds; this starts the program for it ([`mod@bench`])
//! and prints. The danger is the program itself: nobody has looked at it yet. So it is confined in every
//! run, in a workspace that exists for the check, without a network, with all writes kept apart and
//! thrown away or refused; and sealed when it describes itself, as it is for `jp -h`.

mod bench;
mod record;

use std::{fs::File, io::BufWriter, time::Duration};

use camino::Utf8Path;
use jp_plugin_check::{
    CASES, CannotStart, Finding, Ground, Patience, Status, Transcript, by_hand, describe, replay,
};
use jp_printer::Print;
use tokio_util::sync::CancellationToken;

use self::{
    bench::{Bench, Sealed},
    record::{LARGEST, Record},
};
use super::say;
use crate::{
    args::PluginCheck,
    cmd::tool::{check::ground::Ground as Place, run::interruptible},
    ctx::{self, Ctx},
    error::{Error, Result},
    exit::Exit,
    format::count,
    tools,
};

pub(crate) fn run(ctx: &Ctx, args: &PluginCheck) -> Result {
    tools::block_on(async {
        let cancel = CancellationToken::new();
        let work = cancel.run_until_cancelled(Box::pin(check(ctx, args)));
        // What still runs is ended when it is dropped, and the workspace with it.
        let done = interruptible(work, &cancel).await?;
        done.unwrap_or_else(|| Err(Error::new(Exit::Interrupted, "interrupted")))
    })
}

async fn check(ctx: &Ctx, args: &PluginCheck) -> Result {
    let place = Place::new(ctx, None)?;
    let bench = Bench::new(ctx, &args.command, &place)?;
    bench.try_out().await?;
    let patience = Patience { run: Duration::from_secs(args.timeout), ..Patience::default() };
    let mut report = Report::new(ctx, args)?;
    if let Some(path) = &args.replay {
        let transcript = read_transcript(ctx, path)?;
        report.all(replay(&bench, &transcript, patience).await.map_err(failed)?)?;
        return report.finish();
    }
    let ground = Ground {
        root: place.root.clone().into(),
        config: ctx.shared_config(),
        args: args.args.clone(),
        options: args.options.clone().map(|options| options.0).unwrap_or_default(),
    };
    let (findings, said) = describe(&Sealed(&bench), &ground, patience).await.map_err(failed)?;
    report.all(findings)?;
    report.record(&said)?;
    report.all(by_hand(&bench, patience).await.map_err(failed)?)?;
    let mut usual = None;
    for case in &CASES {
        let checked = jp_plugin_check::check(case, &bench, &ground, patience, &mut usual).await;
        let (findings, said) = checked.map_err(failed)?;
        report.all(findings)?;
        report.record(said.as_slice())?;
    }
    report.finish()
}

fn failed(error: CannotStart) -> Error {
    Error::failure(error)
}

fn read_transcript(ctx: &Ctx, path: &Utf8Path) -> Result<Transcript> {
    let text = ctx::read_file(&ctx.cwd().join(path), "--replay", LARGEST)?;
    let wrong = |error| Error::usage(format!("--replay {path}: {error}"));
    Transcript::parse(&text).map_err(wrong)
}

/// Prints what is found, as it is found, and counts it.
struct Report<'a> {
    ctx: &'a Ctx,
    record: Option<Record<BufWriter<File>>>,
    made: Vec<Status>,
}

impl<'a> Report<'a> {
    fn new(ctx: &'a Ctx, args: &PluginCheck) -> Result<Self> {
        let file = args.record.as_ref().map(|path| ctx::write_to(path, ctx.cwd(), "--record"));
        let record = file.transpose()?.map(|file| Record::new(BufWriter::new(file), LARGEST));
        Ok(Self { ctx, record, made: Vec::new() })
    }

    fn all(&mut self, findings: Vec<Finding>) -> Result {
        for finding in findings {
            if self.ctx.is_json() {
                self.ctx.print_json(&finding.to_json())?;
            } else {
                let text = finding.to_text();
                self.ctx.printer().print(Print::content(&text).untrusted())?;
            }
            self.made.push(finding.status);
        }
        // A check takes a while, and who watches it wants to see how far it is.
        Ok(self.ctx.printer().flush()?)
    }

    fn record(&mut self, said: &[Transcript]) -> Result {
        let Some(record) = &mut self.record else { return Ok(()) };
        let written = said.iter().try_for_each(|run| record.add(run));
        written.map_err(|error| Error::failure(format!("--record: {error}")))
    }

    /// Says how it went.
    fn finish(self) -> Result {
        let of = |status: Status| self.made.iter().filter(|made| **made == status).count();
        if !self.ctx.is_json() {
            let parts = Status::ALL.map(|status| status.counted(of(status)));
            let checks = count(i64::try_from(self.made.len()).unwrap_or(i64::MAX), "check");
            let text = format!("\n{checks}: {}\n", parts.join(", "));
            self.ctx.printer().print(Print::content(&text))?;
        }
        let left_out = self.record.as_ref().map_or(0, Record::left_out);
        if left_out > 0 {
            let (runs, most) =
                (count(i64::try_from(left_out).unwrap_or(i64::MAX), "run"), LARGEST >> 20);
            say(
                self.ctx,
                &format!("--record: {runs} left out, to keep the file below {most} MiB\n"),
            )?;
        }
        if of(Status::Failed) == 0 { Ok(()) } else { Err(Error::said(Exit::Failure)) }
    }
}
