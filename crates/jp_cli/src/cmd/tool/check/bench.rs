//! Where programs are run to be looked at: started as jp starts a tool, with everything noted that can
//! be seen of it from outside.

use std::{
    ffi::OsString,
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_changes::Judged;
use jp_config::conversation::tool::command::{Command as Configured, CommandParts};
use jp_confine::{Command, ConfineError, Confiner, Needs, Outcome, Running, Streams, Subject};
use jp_llm::tool::{BUNDLED, SERVE_BUNDLED, template::CommandTemplate};
use jp_process::{Bounds, Exit, Finished, Input, Output, Stop, Stopped};
use jp_sandbox::plan::{Lifetime, Profile};
use jp_tool::{
    Action, Context, Invocation, Tool,
    access::{AccessPolicy, NetRule},
};

use super::ground::Ground;
use crate::{
    args::ToolCheck,
    confine,
    ctx::Ctx,
    error::{Error, Result},
    exit,
    tools::{self, progress::Progress},
};

/// How long a program may take to describe itself, and to end after it was asked to.
pub(super) const PROMPT: Duration = Duration::from_secs(2);

/// The most that a description may be.
const MOST_DESCRIPTION: usize = 1024 * 1024;

/// Runs one program, again and again.
pub(super) struct Bench<'a> {
    pub(super) ctx: &'a Ctx,
    pub(super) ground: &'a Ground,
    pub(super) confiner: Confiner,
    pub(super) template: CommandTemplate,
    /// Files that the command names; they are seen wherever they are.
    pub(super) files: Vec<Utf8PathBuf>,
    policy: AccessPolicy,
    needs: Needs,
    /// How long one run may take.
    pub(super) patience: Duration,
    progress: Progress,
}

/// What was seen of one run.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) finished: Finished,
    /// From its start to its end.
    pub(super) took: Duration,
    /// How long it could have taken.
    pub(super) patience: Duration,
    /// What it changed in the workspace.
    pub(super) changed: Vec<String>,
}

/// What is executed.
struct Found {
    path: Utf8PathBuf,
    canonical: Utf8PathBuf,
    words: Vec<OsString>,
}

impl<'a> Bench<'a> {
    pub(super) fn new(ctx: &'a Ctx, args: &ToolCheck, ground: &'a Ground) -> Result<Self> {
        let (words, mut files) = seen_from_here(ctx, &args.command);
        files.extend(args.program_files.iter().map(|path| ctx.cwd().join(path)));
        let Some((program, rest)) = words.split_first() else {
            return Err(Error::usage("no program was named"));
        };
        let parts = CommandParts { program: program.clone(), args: rest.to_vec(), shell: false };
        let template = CommandTemplate::new(&Configured::Parts(parts)).map_err(Error::usage)?;
        let confiner = confine::strict_confiner(ctx, ground.store.clone())?;
        // A denial that fits no host denies every one.
        let policy =
            AccessPolicy { net: vec![NetRule::new("*", false)], ..AccessPolicy::default() };
        let patience = Duration::from_secs(args.timeout);
        let progress = Progress::new(ctx.printer().settings().quiet);
        let needs = Needs::default();
        Ok(Self { ctx, ground, confiner, template, files, policy, needs, patience, progress })
    }

    /// Fails where the program is not there, or cannot be confined as a check needs it.
    pub(super) async fn try_out(&self) -> Result {
        let found = self.find(&self.invocation(Action::Schema, Tool::default()))?;
        let prepared = self.confiner.prepare(self.subject(&found)).await.map_err(refused)?;
        confine::can_keep_apart(&self.confiner, &prepared).await
    }

    /// What a tool is told.
    pub(super) fn invocation(&self, action: Action, tool: Tool) -> Invocation {
        let (workspace_id, conversation_id) = (Some("check".to_owned()), None);
        let root = self.ground.root.clone();
        let context = Context { root, action, access: None, workspace_id, conversation_id };
        Invocation { tool, context }
    }

    /// Starts the program; all its streams are pipes.
    pub(super) async fn start(&self, invocation: &Invocation) -> Result<Running> {
        let found = self.find(invocation)?;
        let prepared = self.confiner.prepare(self.subject(&found)).await.map_err(refused)?;
        let directory = prepared.directory([self.ground.root.as_path()]);
        let (path, args) = (found.path.as_path(), found.words.clone());
        let command =
            Command { path, args, extra: Vec::new(), directory, observe: false, sha256: None };
        let streams = Streams { stdin: Input::Pipe, stdout: Output::Pipe, stderr: Output::Pipe };
        self.confiner.start(prepared, command, streams).await.map_err(refused)
    }

    /// Runs the program from its start to its end, with this on its stdin.
    pub(super) async fn run(
        &self,
        title: &str,
        invocation: &Invocation,
        input: Vec<u8>,
    ) -> Result<Seen> {
        let is_description = invocation.context.action == Action::Schema;
        let (output, patience) = if is_description {
            (MOST_DESCRIPTION, PROMPT)
        } else {
            (Bounds::default().output, self.patience)
        };
        let running = self.start(invocation).await?;
        let bounds = Bounds { output, time: Some(patience), stop: Stop::default() };
        let began = Instant::now();
        let end = running.finish(input, bounds, std::future::pending());
        let (finished, outcome) = self.progress.during(title, end).await.map_err(refused)?;
        let (took, changed) = (began.elapsed(), changed(&outcome));
        Ok(Seen { finished, took, patience, changed })
    }

    /// Shows that something goes on.
    pub(super) async fn during<T>(&self, title: &str, work: impl Future<Output = T>) -> T {
        self.progress.during(title, work).await
    }

    fn subject<'s>(&'s self, found: &'s Found) -> Subject<'s> {
        Subject {
            policy: Some(&self.policy),
            key: "",
            root: &self.ground.root,
            profile: Some(Profile::Workspace),
            lifetime: Lifetime::Call,
            transactional: true,
            needs: &self.needs,
            approved: &[],
            program: &found.canonical,
            program_files: &self.files,
        }
    }

    fn find(&self, invocation: &Invocation) -> Result<Found> {
        let rendered = self.template.render(invocation).map_err(Error::usage)?;
        let mut words: Vec<OsString> = vec![rendered.program.clone().into()];
        if rendered.program == BUNDLED {
            let jp = tools::program()?;
            words.push(SERVE_BUNDLED.into());
            words.extend(rendered.args.into_iter().map(OsString::from));
            return Ok(Found { path: jp.clone(), canonical: jp, words });
        }
        let (path, canonical) = confine::program(self.ctx, rendered.program.as_ref())?;
        words.extend(rendered.args.into_iter().map(OsString::from));
        Ok(Found { path, canonical, words })
    }
}

impl Seen {
    pub(super) fn exit(&self) -> &Exit {
        &self.finished.exit
    }

    pub(super) fn stdout(&self) -> &[u8] {
        &self.finished.stdout.bytes
    }

    pub(super) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.finished.stderr.bytes).trim().to_owned()
    }

    pub(super) fn is_late(&self) -> bool {
        self.finished.stopped == Some(Stopped::Time)
    }
}

/// The paths that a run changed, as far as changes are kept apart.
pub(super) fn changed(outcome: &Outcome) -> Vec<String> {
    let of = |judged: &Judged| {
        let refused = judged.refused().iter().map(|refused| &refused.change);
        // A directory is told by what is in it.
        let all = judged.allowed().iter().chain(refused).filter(|change| !change.implied);
        all.map(|change| change.path.to_string()).collect()
    };
    let pending = outcome.pending.as_ref().map(|pending| of(pending.judged()));
    let abandoned = outcome.abandoned.as_ref().map(|abandoned| of(abandoned.judged()));
    pending.or(abandoned).unwrap_or_default()
}

/// Why a program cannot be run at all.
pub(in crate::cmd) fn refused(error: ConfineError) -> Error {
    let mut message = error.to_string();
    for cause in std::iter::successors(std::error::Error::source(&error), |error| error.source()) {
        let cause = cause.to_string();
        if !message.ends_with(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    match error {
        ConfineError::Refused(refusal) => {
            let error = Error::new(exit::Exit::Refused, message);
            refusal.hints.iter().fold(error, Error::hint)
        }
        _ => Error::usage(message),
    }
}

/// The words with every file that they name as an absolute path, and these files. The program is started
/// somewhere else than where the command was written.
pub(in crate::cmd) fn seen_from_here(
    ctx: &Ctx,
    words: &[String],
) -> (Vec<String>, Vec<Utf8PathBuf>) {
    let mut files = Vec::new();
    let mut absolute = |(place, word): (usize, &String)| {
        // The program itself is looked for like any other.
        let is_name = place == 0 && !word.contains('/');
        let path = ctx.cwd().join(word);
        let real = path.canonicalize_utf8().ok().filter(|real| real.is_file() && !is_name);
        let Some(real) = real else { return word.clone() };
        // A program may look at the name of the link that it was started by.
        let named = named(&path).unwrap_or_else(|| real.clone());
        files.extend([named.clone(), real]);
        named.into_string()
    };
    let words = words.iter().enumerate().map(&mut absolute).collect();
    files.dedup();
    (words, files)
}

/// The same path with no link on the way, apart from the last name.
fn named(path: &Utf8Path) -> Option<Utf8PathBuf> {
    Some(path.parent()?.canonicalize_utf8().ok()?.join(path.file_name()?))
}
