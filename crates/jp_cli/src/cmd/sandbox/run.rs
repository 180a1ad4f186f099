//! `jp sandbox run`: any program under a policy.

use std::{io, os::fd::AsFd};

use camino::{Utf8Path, Utf8PathBuf};
use jp_changes::Judged;
use jp_config::{Config, Layer, Policies};
use jp_confine::{Command, Confiner, Needs, Outcome, Prepared, Running, Streams, Subject};
use jp_printer::Print;
use jp_process::{Exit as ProgramExit, Input, Output, Signal, find_program};
use jp_sandbox::{
    confinement::Tier,
    event::Ended,
    machine::Feature,
    plan::Lifetime,
    presets::Preset,
    view::{View, What},
};
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    args::SandboxRun,
    confine,
    ctx::{self, Ctx},
    error::{Error, Result},
    exit::Exit,
};

/// The tool that a policy in a file is read as.
const NAME: &str = "policy";

pub(crate) async fn run(ctx: &Ctx, args: SandboxRun) -> Result {
    let request = Request::new(ctx, &args)?;
    let confiner = confine::confiner(ctx.config())?;
    let subject = request.subject();
    if args.plan {
        let plan = confiner.plan(subject).await.map_err(refused)?.plan;
        return Ok(ctx.printer().print(Print::content(&format!("{plan}\n")))?);
    }
    let prepared = confiner.prepare(subject).await.map_err(refused)?;
    if request.transactional {
        can_keep_apart(&confiner, &prepared).await?;
    }
    for warning in confine::loosened(ctx.config()).iter().chain(&prepared.warning) {
        say(ctx, &format!("warning: {warning}\n"))?;
    }
    // Before the program, so that there is no moment in which control-C would end jp alone.
    let signals = Signals::new().map_err(Error::failure)?;
    let mut running = start(ctx, &confiner, prepared, &request, &args).await?;
    let exit = wait(&mut running, signals).await?;
    let outcome = running.end(&exit).map_err(Error::failure)?;
    let code = settle(ctx, &args, &exit, outcome)?;
    if code == Exit::Success { Ok(()) } else { Err(Error::said(code)) }
}

/// Who asked to see changes first must not get a run that makes them, or one in which they fail.
async fn can_keep_apart(confiner: &Confiner, prepared: &Prepared) -> Result {
    let machine = confiner.machine().await.map_err(Error::failure)?;
    if prepared.plan.tier == Tier::Namespaces && machine.has(Feature::Overlay) {
        return Ok(());
    }
    let error = Error::new(
        Exit::Refused,
        "changes cannot be kept apart, so they cannot be shown before they are made",
    );
    Err(error.hint(if prepared.plan.off {
        "the sandbox is turned off: `[sandbox] default = \"off\"`"
    } else {
        "`jp sandbox doctor` shows what is missing"
    }))
}

/// The arguments, resolved.
struct Request {
    root: Utf8PathBuf,
    policies: Policies,
    needs: Needs,
    program: Utf8PathBuf,
    canonical: Utf8PathBuf,
    transactional: bool,
}

impl Request {
    fn new(ctx: &Ctx, args: &SandboxRun) -> Result<Self> {
        let root = root(ctx, args)?;
        let mut needs =
            Needs { read: args.read.clone(), write: args.write.clone(), presets: vec![] };
        for name in &args.preset {
            needs.presets.push(name.parse::<Preset>().map_err(Error::usage)?);
        }
        let mut policies = Policies::default();
        if let Some(file) = &args.policy {
            let text = ctx::read_named(&ctx.cwd().join(file), &format!("--policy {file}"))?;
            let tool = Layer::tool(NAME, "the program", "source = \"local\"\ncommand = \"-\"");
            let config = Config::load(vec![tool, Layer::tool(NAME, file.as_str(), text)])?;
            policies = config.policies(&root)?;
            if let Some(tool) = config.app.conversation.tools.get(NAME) {
                let more = tool.config.system.as_ref().map(confine::needs).unwrap_or_default();
                needs.presets.extend(more.presets);
                needs.read.extend(more.read);
                needs.write.extend(more.write);
            }
        }
        let [name, ..] = args.command.as_slice() else {
            return Err(Error::usage("no program was named"));
        };
        let (program, canonical) = find(ctx, name)?;
        let transactional = args.dry_run || args.review;
        Ok(Self { root, policies, needs, program, canonical, transactional })
    }

    fn subject(&self) -> Subject<'_> {
        Subject {
            policy: self.policies.get(NAME).map(|tool| &tool.policy),
            key: "",
            root: &self.root,
            profile: None,
            lifetime: Lifetime::Call,
            transactional: self.transactional,
            needs: &self.needs,
            approved: &[],
            program: &self.canonical,
            program_files: &[],
        }
    }
}

fn root(ctx: &Ctx, args: &SandboxRun) -> Result<Utf8PathBuf> {
    let chosen = match &args.root {
        Some(chosen) => ctx.cwd().join(chosen),
        None => ctx.root().unwrap_or_else(|_| ctx.cwd()).to_owned(),
    };
    let root = chosen.canonicalize_utf8();
    let root = root.map_err(|error| Error::usage(format!("--root {chosen}: {error}")))?;
    if root == "/" {
        return Err(Error::usage("the whole machine cannot be a workspace")
            .hint("name a directory with --root, or go to one"));
    }
    if root.is_dir() {
        Ok(root)
    } else {
        Err(Error::usage(format!("--root {chosen}: not a directory")))
    }
}

/// The program as it is executed, and where it really is.
fn find(ctx: &Ctx, name: &std::ffi::OsStr) -> Result<(Utf8PathBuf, Utf8PathBuf)> {
    let search = ctx::variable("PATH");
    let found =
        find_program(name, search.as_ref(), ctx.cwd().as_std_path()).map_err(Error::usage)?;
    let path = Utf8PathBuf::try_from(found)
        .map_err(|error| Error::usage(format!("the path of the program is not UTF-8: {error}")))?;
    let canonical =
        path.canonicalize_utf8().map_err(|error| Error::usage(format!("{path}: {error}")))?;
    Ok((path, canonical))
}

async fn start(
    ctx: &Ctx,
    confiner: &Confiner,
    prepared: Prepared,
    request: &Request,
    args: &SandboxRun,
) -> Result<Running> {
    let directory = directory(&prepared.plan.view, [ctx.cwd(), &request.root], &request.root);
    let command = Command {
        path: &request.program,
        args: args.command.clone(),
        extra: Vec::new(),
        directory,
        observe: true,
    };
    let own = |stream: &dyn AsFd| stream.as_fd().try_clone_to_owned().map_err(Error::failure);
    let streams = Streams {
        stdin: Input::Descriptor(own(&io::stdin())?),
        stdout: Output::Descriptor(own(&io::stdout())?),
        stderr: Output::Descriptor(own(&io::stderr())?),
    };
    confiner.start(prepared, command, streams).await.map_err(refused)
}

/// The first of the directories in the workspace that the program can see. A policy may show it
/// nothing there, and it still has to start somewhere.
fn directory<'a>(view: &View, wanted: [&'a Utf8Path; 2], root: &Utf8Path) -> &'a Utf8Path {
    let is_seen = |path: &Utf8Path| {
        let mut places = view.places().iter();
        view.at(path) != What::Hidden
            || places.any(|place| place.what != What::Hidden && place.path.starts_with(path))
    };
    let fits = |path: &&Utf8Path| path.starts_with(root) && is_seen(path);
    wanted.into_iter().find(fits).unwrap_or(Utf8Path::new("/"))
}

/// What jp is told from outside. From when this exists, it is not ended by it.
struct Signals {
    interrupts: tokio::signal::unix::Signal,
    terminations: tokio::signal::unix::Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        let interrupts = signal(SignalKind::interrupt())?;
        Ok(Self { interrupts, terminations: signal(SignalKind::terminate())? })
    }
}

/// Waits for the end. The program is not in the terminal's foreground, so what the person types there
/// is passed on; asked a second time, it is ended.
async fn wait(running: &mut Running, mut signals: Signals) -> Result<ProgramExit> {
    let mut asked = false;
    loop {
        let wanted = tokio::select! {
            exit = running.child.wait() => return exit.map_err(Error::failure),
            _ = signals.interrupts.recv() => Signal::Interrupt,
            _ = signals.terminations.recv() => Signal::Terminate,
        };
        if asked {
            return running.child.kill().await.map_err(Error::failure);
        }
        asked = true;
        running.child.signal(wanted).map_err(Error::failure)?;
    }
}

/// Makes what may be made of the changes, and says what was denied.
fn settle(ctx: &Ctx, args: &SandboxRun, exit: &ProgramExit, outcome: Outcome) -> Result<Exit> {
    let mut code = match exit.ended {
        Ended::Code(0) => Exit::Success,
        Ended::Code(code) => Exit::Program(u8::try_from(code).unwrap_or(1)),
        Ended::Signal(number) => Exit::Program(u8::try_from(128 + number).unwrap_or(1)),
    };
    if code != Exit::Success && !outcome.advice.is_empty() {
        say(ctx, "\nThe sandbox denied:\n")?;
        for advice in &outcome.advice {
            say(ctx, &format!("  {} ({})\n", advice.denied, advice.reason))?;
            if let Some(allow) = &advice.allow {
                say(ctx, &format!("    to allow it: {allow}\n"))?;
            }
        }
    }
    let Some(pending) = outcome.pending else { return Ok(code) };
    if show_changes(ctx, args, pending.judged())? && code == Exit::Success {
        code = Exit::Refused;
    }
    if args.dry_run || pending.judged().allowed().is_empty() {
        return Ok(code);
    }
    if args.review
        && !ctx.terminal().confirm("Make these changes?", "use --dry-run to only see them")?
    {
        return Ok(code);
    }
    let report = pending.commit();
    for failure in &report.failed {
        say(ctx, &format!("error: {failure}\n"))?;
    }
    Ok(if report.failed.is_empty() { code } else { Exit::Failure })
}

/// Shows the changes where somebody wants to see them, and always those that are refused. True if
/// there are some of those.
fn show_changes(ctx: &Ctx, args: &SandboxRun, judged: &Judged) -> Result<bool> {
    if args.dry_run || args.review {
        let diff = judged.diff();
        let text = if diff.is_empty() { "It would change nothing.\n".to_owned() } else { diff };
        say(ctx, &text)?;
    }
    if judged.refused().is_empty() {
        return Ok(false);
    }
    say(ctx, "\nRefused by the policy, and not made:\n")?;
    // Names that the program cannot see as well: a person reads this, and the program has ended.
    for refused in judged.refused() {
        say(ctx, &format!("  {refused}\n"))?;
    }
    Ok(true)
}

fn say(ctx: &Ctx, text: &str) -> Result {
    Ok(ctx.printer().print(Print::chrome(text).untrusted())?)
}

fn refused(error: jp_confine::ConfineError) -> Error {
    match error {
        jp_confine::ConfineError::Refused(refusal) => {
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
