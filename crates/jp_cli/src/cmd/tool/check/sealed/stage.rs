//! Where sealed programs are run: started as jp starts them, and served by [`jp_vfs`] on the files of the
//! check, whose changes are thrown away after each run.

use std::{fs::File, io, sync::Arc, time::Duration};

use jp_llm::tool::{BUNDLED, Machine, SealedProgram, StartError, runtime};
use jp_project::{FsProjectFiles, OverlayProjectFiles, Rules};
use jp_tool::{
    Action, Invocation, Tool,
    access::{AccessPolicy, Capability, FsRule, path::Root},
    vfs::{HostNotification, Init},
};
use jp_vfs::{Host, Limits, Pipes, Session, ToolAccess, gate::Gate};
use serde_json::{Map, Value};
use tokio::net::unix::pipe;

use super::{
    super::{
        bench::{Bench, refused},
        subject::Subject,
    },
    fault::Fault,
    play::{self, Played, Script},
};
use crate::{
    args::ToolCheck,
    confine,
    ctx::{self},
    error::{Error, Result},
    tools,
};

/// How long a program may take to describe itself.
const DESCRIPTION: Duration = Duration::from_secs(5);

/// Runs one sealed program, again and again.
pub(super) struct Stage<'a> {
    bench: &'a Bench<'a>,
    machine: Machine,
    host: Arc<Host>,
    files: FsProjectFiles,
    /// Everything in the project, and nothing else.
    policy: AccessPolicy,
    record: Option<File>,
}

/// What is checked: its name, the words for it, and the tool, if it is about one.
pub(super) type What<'a> = (&'static str, &'a str, Option<&'a Subject>);

impl<'a> Stage<'a> {
    pub(super) fn new(bench: &'a Bench<'a>, args: &ToolCheck) -> Result<Self> {
        let program = args.command.first().map(String::as_str).unwrap_or_default();
        if program != BUNDLED {
            confine::program(bench.ctx, program.as_ref())?;
        }
        let cwd = bench.ctx.cwd();
        let record = args.record.as_ref().map(|path| ctx::append_to(path, cwd, "--record"));
        let root = &bench.ground.root;
        let files = Root::open(root).map_err(|error| Error::failure(format!("{root}: {error}")))?;
        let everything =
            [Capability::Read, Capability::Create, Capability::Update, Capability::Delete];
        let fs = vec![FsRule::new(".", everything)].into();
        Ok(Self {
            bench,
            machine: Machine { jp: tools::program()?, search: ctx::variable("PATH").into() },
            host: Arc::new(Host::without_means(Limits::default())),
            files: FsProjectFiles::new(files, Rules::default()),
            policy: AccessPolicy { fs, ..AccessPolicy::default() },
            record: record.transpose()?,
        })
    }

    /// A call of a tool.
    pub(super) fn call(
        &self,
        subject: &Subject,
        arguments: Map<String, Value>,
        fault: Fault,
    ) -> Script {
        self.script(Action::Run, subject.tool(Action::Run, arguments, Map::new()), fault)
    }

    /// An invocation for which the tool stays alive if it is of that kind.
    pub(super) fn script(&self, action: Action, tool: Tool, fault: Fault) -> Script {
        let is_description = action == Action::Schema;
        let stays_alive = action == Action::Run && tool.arguments.contains_key("action");
        let init = HostNotification::Init(Box::new(self.init(action, tool)));
        Script {
            init: serde_json::to_value(init).unwrap_or_default(),
            fault,
            stays_alive,
            patience: if is_description { DESCRIPTION } else { self.bench.patience },
            grace: self.host.limits().cancel_grace,
        }
    }

    /// Runs the program once.
    pub(super) async fn play(&self, what: What<'_>, script: Script) -> Result<Played> {
        let (check, title, subject) = what;
        let name = subject.map(|subject| subject.name.as_str());
        let played = self.bench.during(title, Box::pin(self.run(script))).await?;
        if let Some(file) = &self.record {
            played.transcript.write(file, check, title, name)?;
        }
        Ok(played)
    }

    async fn run(&self, script: Script) -> Result<Played> {
        let ground = self.bench.ground;
        let apart = OverlayProjectFiles::new(&self.files, &ground.store);
        let access = ToolAccess::new("check", "check", Some(self.policy.clone()), None);
        let gate = Gate::new(Arc::new(access), Arc::new(apart.clone()), ground.store.clone());
        let program = SealedProgram {
            confiner: &self.bench.confiner,
            machine: &self.machine,
            key: "",
            root: &ground.root,
            template: &self.bench.template,
            program_files: &self.bench.files,
        };
        let invocation = self.bench.invocation(Action::Run, Tool::default());
        let (running, _) = program.start(&invocation).await.map_err(not_started)?;
        // The host greets nobody with this: the first message is that of the script.
        let init = runtime::vfs::init(invocation);
        let (host, _session) =
            self.serve(init, gate, script.stays_alive).map_err(Error::failure)?;
        let played = play::play(running, host, script).await?;
        let changed = apart.changes().into_iter().filter(|change| !change.implied);
        Ok(Played { changed: changed.map(|change| change.path.to_string()).collect(), ..played })
    }

    /// Somebody who answers requests, and the pipes to him.
    fn serve(
        &self,
        init: Init,
        gate: Gate,
        stays_alive: bool,
    ) -> io::Result<(play::Host, Session)> {
        let (to, requests) = pipe::pipe()?;
        let (answers, from) = pipe::pipe()?;
        let pipes = Pipes {
            to_tool: answers.into_nonblocking_fd()?,
            from_tool: requests.into_nonblocking_fd()?,
        };
        let session = Session::start(pipes, init, Arc::new(gate), self.host.clone(), stays_alive)?;
        Ok((play::Host { to, from }, session))
    }

    fn init(&self, action: Action, tool: Tool) -> Init {
        let Invocation { tool, mut context } = self.bench.invocation(action, tool);
        context.access = Some(self.policy.clone());
        runtime::vfs::init(Invocation { tool, context })
    }
}

/// Why a program did not start.
fn not_started(error: StartError) -> Error {
    match error {
        StartError::Confine(error) => refused(error),
        error => Error::usage(error),
    }
}
