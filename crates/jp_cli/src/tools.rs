//! The tools of the workspace, ready to be called: where the configuration, the sandbox and the person
//! at the terminal are put together.

mod approver;
pub(crate) mod attendant;
pub(crate) mod journal;
pub(crate) mod keep;
pub(crate) mod mcp;
pub(crate) mod progress;
mod project;
pub(crate) mod recorder;
mod variables;
mod vfs;

use std::{sync::Arc, time::Duration};

use camino::Utf8PathBuf;
use jp_confine::Covered;
use jp_conversation::ConversationId;
use jp_llm::tool::{Machine, ResolveError, Resolver, ServerError, World};
use jp_printer::Print;
use jp_tool::SchemaResponse;
use jp_workspace::Workspace;

use self::{progress::Progress, recorder::TraceFile};
use crate::{
    confine::{self, sensitive},
    ctx::{self, Ctx},
    error::{Error, Result},
    exit::Exit,
};

/// How long work that nobody waits for any more may take at the end.
const LAST_WORK: Duration = Duration::from_secs(1);

/// What is known about a command before it looks at tools.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    /// The conversation that tools are called for.
    pub(crate) conversation: Option<ConversationId>,
    /// Whether programs are asked again what tools are in them.
    pub(crate) refresh: bool,
    /// Whoever is at the terminal may be asked while tools run; what is drawn there stops meanwhile.
    pub(crate) attended: Option<Arc<Progress>>,
    /// Where to write down what sealed tools ask for.
    pub(crate) trace: Option<TraceFile>,
}

/// The tools that this configuration has.
pub(crate) fn resolver(ctx: &Ctx, wishes: Wishes) -> Result<Arc<Resolver>> {
    let root = ctx.root()?;
    let workspace = Workspace::open(root)?;
    let root =
        root.canonicalize_utf8().map_err(|error| Error::failure(format!("{root}: {error}")))?;
    let confiner = Arc::new(confine::confiner(ctx.config())?);
    let mcp = mcp::world(ctx, wishes.attended.as_ref());
    let world = World {
        vfs: vfs::world(ctx, &root, &confiner, wishes.attended, wishes.trace)?,
        sensitive: vfs::sensitive(ctx, &root),
        root,
        workspace_id: Some(workspace.id().to_string()),
        conversation_id: wishes.conversation.map(|id| id.to_string()),
        machine: Machine { jp: program()?, search: ctx::variable("PATH").into() },
        cache: ctx::cache_home().map(|cache| cache.join("jp/schemas")),
        refresh: wishes.refresh,
        bundled: bundled(),
    };
    let (config, policies) = (ctx.config().clone(), ctx.policies().clone());
    Ok(Arc::new(Resolver::new(config, policies, confiner, confine::needs, world, mcp)))
}

/// Says what there is to say about how programs were confined while they described themselves.
pub(crate) fn warn(ctx: &Ctx, resolver: &Resolver) -> Result<Vec<String>> {
    let warnings: Vec<_> = resolver.warnings().collect();
    for warning in &warnings {
        ctx.printer().print(Print::chrome(&format!("warning: {warning}\n")).untrusted())?;
    }
    Ok(warnings)
}

/// Lets tools see the sensitive paths that were named with the call, as far as their rules grant them.
pub(crate) fn allow_sensitive(ctx: &Ctx, resolver: &Resolver, allowed: &[Utf8PathBuf]) {
    let absolute = |path: &Utf8PathBuf| {
        let path = ctx.cwd().join(path);
        path.canonicalize_utf8().unwrap_or(path)
    };
    resolver.approve(allowed.iter().map(absolute));
}

/// Asks about what is sensitive and granted to a tool, or to the server of one, once, before it is called.
pub(crate) fn approve(ctx: &Ctx, resolver: &Resolver, who: &str, covered: &[Covered]) -> Result {
    let answer = sensitive::ask(ctx, covered, ctx.root()?, who)?;
    if let Some(warning) = answer.warning {
        ctx.printer().print(Print::chrome(&format!("warning: {warning}\n")).untrusted())?;
    }
    resolver.approve(answer.allowed);
    Ok(())
}

/// What the tools that come with jp say about themselves.
pub(crate) fn bundled() -> SchemaResponse {
    let tools = jp_tools::entries().into_iter().map(|entry| entry.schema()).collect();
    SchemaResponse { tools }
}

/// Where this program is. It is executed again, in a place where the link of the running process would
/// lead to another one.
pub(crate) fn program() -> Result<Utf8PathBuf> {
    let link = ctx::program()?;
    let path = Utf8PathBuf::try_from(link).map_err(|error| Error::failure(error.to_string()))?;
    path.canonicalize_utf8().map_err(|error| {
        Error::failure(format!("cannot find this program: {error}"))
            .hint("was it replaced while it ran? Run the command again")
    })
}

/// Runs something that waits for several things at once.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Error::failure)?;
    let result = runtime.block_on(work);
    // A search that was called off may still be at work, and nobody wants to wait for it.
    runtime.shutdown_timeout(LAST_WORK);
    result
}

impl From<ServerError> for Error {
    fn from(error: ServerError) -> Self {
        let exit = if error.is_refusal() { Exit::Refused } else { Exit::Failure };
        let exit = match &error {
            ServerError::Unknown { .. } => Exit::Usage,
            error if error.wants_login() => Exit::NeedsInput,
            _ => exit,
        };
        let shown = Self::new(exit, causes(&error).join(": "));
        error.hints().into_iter().fold(shown, Self::hint)
    }
}

/// An error and what led to it. One that only passes its cause on says the same words.
pub(crate) fn causes(error: &dyn std::error::Error) -> Vec<String> {
    let all = std::iter::successors(Some(error), |error| error.source());
    let mut words: Vec<String> = all.map(ToString::to_string).collect();
    words.dedup();
    words
}

impl From<ResolveError> for Error {
    fn from(error: ResolveError) -> Self {
        let mut message = vec![error.to_string()];
        let mut cause = std::error::Error::source(&error).and_then(std::error::Error::source);
        while let Some(error) = cause {
            message.push(error.to_string());
            cause = error.source();
        }
        message.dedup();
        let exit = match &error {
            _ if error.is_refusal() => Exit::Refused,
            ResolveError::Server { source, .. } if source.wants_login() => Exit::NeedsInput,
            // Nothing that was written here is wrong.
            ResolveError::Server { source, .. } if matches!(**source, ServerError::Mcp(_)) => {
                Exit::Failure
            }
            _ => Exit::Usage,
        };
        let shown = Self::new(exit, message.join(": "));
        let shown = match error.printed() {
            Some(printed) => shown.cause(printed),
            None => shown,
        };
        error.hints().into_iter().fold(shown, Self::hint)
    }
}
