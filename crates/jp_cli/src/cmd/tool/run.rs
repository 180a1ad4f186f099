//! `jp tool run`: one call of a tool, as the assistant would make it.

mod hidden;

use std::{cell::RefCell, collections::HashSet, io::Read as _, sync::Arc, time::Duration};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::conversation::tool::{ResultMode, RunMode};
use jp_conversation::EventKind;
use jp_llm::tool::{
    CallEnd, Cause, Changes, Coordinator, Failure, Handles, ResolvedTool, Resolver, SettledAnswer,
    ToolCall, arguments, render, text_of,
};
use jp_printer::Print;
use serde_json::{Map, Value, json};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::find_or_served;
use crate::{
    args::{CallArgs, Changes as ChangesArgs, ToolRun},
    ctx::{self, Ctx},
    error::{Error, Result},
    exit::Exit,
    tools::{
        self, Wishes,
        attendant::{self, Attendant},
        journal::Journal,
        progress::Progress,
        recorder::TraceFile,
    },
};

/// How long to wait before a call that failed for a passing reason is repeated for the first time.
const PAUSE: Duration = Duration::from_millis(500);

/// The most that arguments from a file may be.
const MOST: u64 = 64 * 1024 * 1024;

/// Which tool is called.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Which<'a> {
    /// The one that has this name in the workspace.
    Named(&'a str),
    /// This one of an MCP server, whether or not it has a name here.
    At { server: &'a str, tool: &'a str },
}

impl<'a> Which<'a> {
    /// What the tool is called.
    fn name(self) -> &'a str {
        match self {
            Self::Named(name) | Self::At { tool: name, .. } => name,
        }
    }

    /// The command that says what it takes.
    fn shown_by(self) -> String {
        match self {
            Self::Named(name) => format!("jp tool show {name}"),
            Self::At { server, tool } => format!("jp mcp inspect {server} {tool}"),
        }
    }

    /// The command that calls it, without arguments.
    fn called_by(self) -> String {
        match self {
            Self::Named(name) => format!("jp tool run {name}"),
            Self::At { server, tool } => format!("jp mcp call {server} {tool}"),
        }
    }
}

/// A call as it was written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Calling<'a> {
    pub(crate) which: Which<'a>,
    pub(crate) args: &'a CallArgs,
    /// Whether a call that would be asked about may run.
    pub(crate) yes: bool,
    /// What happens to its changes, where that can be chosen.
    pub(crate) changes: Option<&'a ChangesArgs>,
    pub(crate) trace: Option<&'a Utf8Path>,
}

pub(crate) fn run(ctx: &Ctx, args: &ToolRun) -> Result {
    let ToolRun { name, call, yes, changes, trace } = args;
    let (which, changes, trace) = (Which::Named(name), Some(changes), trace.as_deref());
    execute(ctx, Calling { which, args: call, yes: *yes, changes, trace })
}

/// Calls a tool, prints what came of it, and ends as it did.
pub(crate) fn execute(ctx: &Ctx, calling: Calling<'_>) -> Result {
    let which = calling.which;
    let entry = match which {
        Which::Named(name) => find_or_served(ctx, name)?,
        Which::At { .. } => None,
    };
    if calling.changes.is_some_and(|changes| changes.review) {
        attendant::can_review(ctx)?;
    }
    // Nobody knows how long that takes. Later an interruption would be for the call, which does not listen
    // while it is read.
    let json = calling.args.json.as_ref().map(|text| object(ctx, text)).transpose()?;
    let trace = match (calling.trace, &entry) {
        (Some(path), Some(tool)) => Some(TraceFile::open(ctx, tool, path)?),
        (Some(_), None) => {
            return Err(Error::usage("--trace: a tool of a server asks for nothing"));
        }
        (None, _) => None,
    };
    let journal = Journal::open(ctx, calling.args.conversation.as_deref(), which.name())?;
    let cancel = CancellationToken::new();
    let end = tools::block_on(async {
        let json = json.unwrap_or_default();
        let call = Box::pin(call(ctx, calling, json, trace, &journal, &cancel));
        interruptible(call, &cancel).await?
    });
    journal.finish()?;
    print(ctx, calling, end?)
}

async fn call(
    ctx: &Ctx,
    calling: Calling<'_>,
    json: Map<String, Value>,
    trace: Option<TraceFile>,
    journal: &Journal,
    cancel: &CancellationToken,
) -> Result<CallEnd> {
    let progress = Arc::new(Progress::new(ctx.printer().settings().quiet));
    let attended = Some(Arc::clone(&progress));
    let wishes = Wishes { conversation: journal.id(), attended, trace, ..Wishes::default() };
    let resolver = tools::resolver(ctx, wishes)?;
    let Calling { which, args, .. } = calling;
    let name = which.name();
    let tool = resolved(ctx, &resolver, which, &args.allow_sensitive).await;
    let warned = RefCell::new(tools::warn(ctx, &resolver)?);
    let mut tool = tool?;
    if let Which::At { .. } = which {
        // Whoever names server and tool wants it called.
        tool.settings.run = RunMode::Unattended;
    }
    if tool.settings.result == ResultMode::Ask {
        attendant::can_accept(ctx, name)?;
    }
    let changes = match calling.changes {
        Some(ChangesArgs { dry_run: true, .. }) => Changes::Show,
        Some(ChangesArgs { review: true, .. }) => Changes::Review,
        _ => Changes::Make,
    };
    if changes == Changes::Show && tool.runtime.leaves_nothing() {
        pretend(&mut tool);
    }
    settle(&mut tool, &args.answers)?;
    let arguments = given(json, args, which, &tool)?;
    let (yes, stat) = (calling.yes, calling.changes.is_some_and(|changes| changes.stat));
    let attendant = Attendant { ctx, yes, stat, progress: &progress, warned: &warned };
    let asked = RefCell::new(HashSet::new());
    let record = |event: EventKind| {
        if let EventKind::InquiryRequest { question, .. } = &event {
            asked.borrow_mut().extend(question["id"].as_str().map(ToOwned::to_owned));
        }
        journal.record(event);
    };
    let handles = Handles::default();
    let coordinator = Coordinator {
        interaction: &attendant,
        backend: None,
        handles: &handles,
        record: &record,
        pause: PAUSE,
    };
    let id = ctx.now().as_nanosecond().to_string();
    let call = ToolCall { id, name: name.to_owned(), arguments };
    let end = progress.during(name, coordinator.call(&tool, call, changes, cancel)).await;
    handles.abort_all(cancel).await;
    resolver.close().await;
    warn_of_unused(ctx, &args.answers, &asked.into_inner(), &end)?;
    Ok(end)
}

/// The tool, and what is sensitive and granted to it asked about. Which server a tool is of may only be known
/// when the servers were asked; then the one that it is of is started again with what was approved.
async fn resolved(
    ctx: &Ctx,
    resolver: &Arc<Resolver>,
    which: Which<'_>,
    allowed: &[Utf8PathBuf],
) -> Result<ResolvedTool> {
    let resolve = async || match which {
        Which::Named(name) => resolver.resolve(name).await,
        Which::At { server, tool } => resolver.resolve_at(server, tool).await,
    };
    tools::allow_sensitive(ctx, resolver, allowed);
    // Looking for it takes a moment in a large tree, and nobody would be asked.
    if !ctx.terminal().can_ask() {
        return tools::mcp::resolved(ctx, resolver, resolve).await;
    }
    let is_known = match which {
        Which::Named(name) => {
            tools::approve(ctx, resolver, name, &resolver.covered(name).await)?;
            ctx.config().app.conversation.tools.get(name).is_some()
        }
        Which::At { server, .. } => {
            tools::mcp::server(ctx, resolver, server).await?;
            tools::approve(ctx, resolver, server, &resolver.covered_by_server(server).await)?;
            true
        }
    };
    let tool = tools::mcp::resolved(ctx, resolver, resolve).await?;
    let Some(served) = tool.served.as_ref().filter(|_| !is_known) else { return Ok(tool) };
    let covered = resolver.covered_by_server(&served.server).await;
    if covered.is_empty() {
        return Ok(tool);
    }
    resolver.close().await;
    tools::approve(ctx, resolver, &served.server, &covered)?;
    tools::mcp::resolved(ctx, resolver, resolve).await
}

/// Sees a call to its end. The first interruption asks it to end, the second does not ask.
pub(in crate::cmd) async fn interruptible<T>(
    work: impl Future<Output = T>,
    cancel: &CancellationToken,
) -> Result<T> {
    let mut interrupts = signal(SignalKind::interrupt()).map_err(Error::failure)?;
    let mut terminations = signal(SignalKind::terminate()).map_err(Error::failure)?;
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return Ok(done),
            _ = interrupts.recv() => {}
            _ = terminations.recv() => {}
        }
        if cancel.is_cancelled() {
            return Err(Error::new(Exit::Interrupted, "interrupted"));
        }
        cancel.cancel();
    }
}

/// Says yes to changes that are only shown, unless the configuration says something else.
fn pretend(tool: &mut ResolvedTool) {
    const ID: &str = "apply_changes";
    if tool.settled(ID).answer.is_none() {
        tool.settle(ID, SettledAnswer::Value(true.into()));
    }
}

/// Settles the answers that were given with the call. What they mean is known when they are asked for.
fn settle(tool: &mut ResolvedTool, answers: &[String]) -> Result {
    for answer in answers {
        let Some((id, value)) = answer.split_once('=') else {
            return Err(Error::usage(format!("--answer {answer}: no value"))
                .hint("write `--answer <id>=<value>`"));
        };
        tool.settle(id, SettledAnswer::Typed(value.to_owned()));
    }
    Ok(())
}

/// Says which answers nobody has asked for: their ids may be misspelled.
fn warn_of_unused(ctx: &Ctx, answers: &[String], asked: &HashSet<String>, end: &CallEnd) -> Result {
    // Without a run there was nobody who could have asked.
    if matches!(end, CallEnd::Skipped(_) | CallEnd::Cancelled) {
        return Ok(());
    }
    let ids = answers.iter().filter_map(|answer| Some(answer.split_once('=')?.0));
    for id in ids.filter(|id| !asked.contains(*id)) {
        let text = format!("warning: --answer {id}: the tool did not ask that\n");
        ctx.printer().print(Print::chrome(&text).untrusted())?;
    }
    Ok(())
}

/// The arguments of the call: an object, and words on top of it.
fn given(
    mut given: Map<String, Value>,
    args: &CallArgs,
    which: Which<'_>,
    tool: &ResolvedTool,
) -> Result<Map<String, Value>> {
    let words = arguments::from_words(&tool.definition, &args.arguments);
    given.extend(words.map_err(|error| with_usage(which, tool, Error::usage(error)))?);
    Ok(given)
}

fn object(ctx: &Ctx, text: &str) -> Result<Map<String, Value>> {
    let text = match text.strip_prefix('@') {
        _ if text == "-" => {
            let mut read = String::new();
            let input = std::io::stdin().lock().take(MOST + 1).read_to_string(&mut read);
            input.map_err(|error| Error::usage(format!("--json -: {error}")))?;
            if read.len() as u64 > MOST {
                return Err(Error::usage(format!("--json -: more than {MOST} bytes")));
            }
            read
        }
        Some(file) => ctx::read_file(&ctx.cwd().join(file), &format!("--json @{file}"), MOST)?,
        None => text.to_owned(),
    };
    serde_json::from_str(&text).map_err(|error| {
        Error::usage(format!("--json: not a JSON object: {error}"))
            .hint("write --json '{\"key\": \"value\"}', --json @FILE, or --json - to read stdin")
    })
}

/// Prints what came of the call.
fn print(ctx: &Ctx, calling: Calling<'_>, end: CallEnd) -> Result {
    let (name, exit) = (calling.which.name(), exit(&end));
    if ctx.is_json() {
        ctx.print_json(&json(name, &end))?;
        return if exit == Exit::Success { Ok(()) } else { Err(Error::said(exit)) };
    }
    match end {
        CallEnd::Done(content) => {
            let mut text = render::to_text(&content);
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            Ok(ctx.printer().print(Print::content(&text).untrusted())?)
        }
        CallEnd::Failed(failure) => Err(shown(ctx, calling, failure)),
        CallEnd::Skipped(reason) => Err(Error::new(exit, format!("{name}: {reason}"))),
        CallEnd::Cancelled => Err(Error::new(exit, format!("{name} was cancelled"))),
    }
}

/// A failure, with what can be done about it from a command line.
fn shown(ctx: &Ctx, Calling { which, args, .. }: Calling<'_>, failure: Failure) -> Error {
    let hint = match failure.cause {
        Cause::Arguments => Some(format!("`{}` says what it takes", which.shown_by())),
        Cause::Unanswered => Some("--answer ID=VALUE answers a question".to_owned()),
        Cause::Tool => ctx.root().ok().and_then(|root| {
            let (said, paths) = (&failure.error.message, ctx.config().sensitive_paths());
            hidden::hint(said, paths, root, ctx::home().as_deref(), &args.allow_sensitive)
        }),
        Cause::Refused | Cause::Unpermitted | Cause::Time => None,
    };
    hint.into_iter().fold(plain(which.name(), failure), Error::hint)
}

/// A failure, with what can be done about it wherever the tool was called.
pub(super) fn plain(name: &str, failure: Failure) -> Error {
    let is_explained = failure.error.trace.iter().any(|cause| cause.contains("timeout_secs"));
    // What a tool says must not look like a line of ours. What is wrong with arguments is our own list.
    let message = match failure.cause {
        Cause::Arguments => failure.error.message,
        _ => failure.error.message.replace('\n', "\n  "),
    };
    let error = Error::new(cause_exit(failure.cause), message);
    let error = failure.error.trace.into_iter().fold(error, Error::cause);
    match failure.cause {
        Cause::Unpermitted => error.hint("--yes lets it run"),
        Cause::Time if !is_explained => {
            error.hint(format!("`conversation.tools.{name}.timeout_secs` is how long it may take"))
        }
        Cause::Tool | Cause::Refused | Cause::Arguments | Cause::Unanswered | Cause::Time => error,
    }
}

fn exit(end: &CallEnd) -> Exit {
    match end {
        CallEnd::Done(_) => Exit::Success,
        CallEnd::Failed(failure) => cause_exit(failure.cause),
        CallEnd::Skipped(_) => Exit::Declined,
        CallEnd::Cancelled => Exit::Interrupted,
    }
}

fn cause_exit(cause: Cause) -> Exit {
    match cause {
        Cause::Tool => Exit::Failure,
        Cause::Arguments => Exit::Usage,
        Cause::Unanswered | Cause::Unpermitted => Exit::NeedsInput,
        Cause::Refused => Exit::Refused,
        Cause::Time => Exit::TimedOut,
    }
}

fn json(name: &str, end: &CallEnd) -> Value {
    let mut object = json!({ "tool": name });
    match end {
        CallEnd::Done(content) => {
            object["status"] = json!("success");
            object["content"] = json!(content);
        }
        CallEnd::Failed(Failure { error, .. }) => {
            object["status"] = json!("error");
            object["error"] = json!(error);
        }
        CallEnd::Skipped(_) => {
            object["status"] = json!("skipped");
            object["reason"] = json!(text_of(end));
        }
        CallEnd::Cancelled => object["status"] = json!("cancelled"),
    }
    object
}

/// What the tool takes, for whoever wrote something else.
fn with_usage(which: Which<'_>, tool: &ResolvedTool, error: Error) -> Error {
    let takes: Vec<_> =
        tool.definition
            .parameters
            .iter()
            .map(|(name, parameter)| {
                if parameter.is_required() {
                    format!("{name}=…")
                } else {
                    format!("[{name}=…]")
                }
            })
            .collect();
    error.hint(format!("usage: {} {}", which.called_by(), takes.join(" ")))
}
