//! A plugin that was chosen, from its start to its end.
//!
//! It is started like a tool: by the same helper, so that everything it starts ends with it, and confined by
//! its rules if it has any. Without rules it can do what the user can, as every program on the search path.

use std::{
    convert::Infallible,
    ffi::OsString,
    future::pending,
    io::{self, IsTerminal as _},
    process,
    sync::Arc,
    time::Duration,
};

use camino::Utf8Path;
use jiff::Timestamp;
use jp_confine::{Command, ConfineError, Running, Streams, Subject};
use jp_plugin::{
    VERSION,
    to_plugin::{Init, Paths, Workspace as WorkspaceInfo},
};
use jp_plugin_host::{
    Services,
    session::{self, Finished, Session, SessionError},
};
use jp_process::{Child, Host, Input, Output as OutputTo, Spawn, SpawnError};
use jp_sandbox::{
    confinement::{Confinement, Program, Tier},
    failure::Step,
    plan::Lifetime,
    view::{Place, View, What, Write},
};
use jp_workspace::{FsStore, Workspace};
use rustix::io::Errno;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
    time::sleep,
};

use super::{Chosen, printed::Printed};
use crate::{
    confine::{self, sensitive},
    ctx::{self, Ctx},
    curtain::Curtain,
    error::{Error, Result},
    exit::Exit,
    log, tools,
};

/// Where a script finds the file it was started from.
const FILE: &str = "JP_PLUGIN_FILE";

/// How long the log may take to be read when somebody wants to go.
const LOGGED_WITHIN: Duration = Duration::from_secs(2);

/// After so long somebody who has interrupted is told what is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// From so many `-v` on, what a plugin writes to its stderr is shown.
const SHOWS_STDERR: u8 = 4;

/// Options of the interpreter of JavaScript.
const NODE_OPTIONS: &str = "NODE_OPTIONS";

/// Runs a plugin, and ends as it does.
pub(crate) fn run(ctx: &Ctx, chosen: &Chosen) -> Result {
    let is_described = chosen.describe.is_some();
    tracing::info!(command = %chosen.command, path = %chosen.path, is_described, "plugin");
    let workspace = Workspace::open(ctx.root()?)?;
    let store = Arc::new(FsStore::new(&workspace.storage()));
    let services = Services::new(store, ctx.shared_config(), Timestamp::now);
    let (end, is_logged) = tools::block_on(async {
        // Before the plugin, so that there is no moment in which control-C would end jp alone.
        let listen = || interrupts().map_err(Error::failure);
        let (interrupts, mut told) = (listen()?, listen()?);
        let curtain = draws(ctx, chosen).then(Curtain::lower);
        // What it is told first is made while it starts.
        let words = async { init(ctx, &workspace, chosen) };
        let (running, init) = tokio::join!(start(ctx, &workspace, chosen), words);
        let (mut running, init) = (running?, init?);
        let session = Session {
            plugin: chosen.id.clone(),
            init,
            services,
            output: Arc::new(Printed(ctx.shared_printer())),
            grace: Duration::from_secs(ctx.config().app.plugins.shutdown_timeout_secs.into()),
            interrupts,
        };
        let mut is_told = false;
        let notice = notice(ctx, chosen, session.grace, &mut told, &mut is_told);
        let end = tokio::select! {
            biased;
            end = session::run(running.child(), session) => end,
            never = notice => match never {},
        };
        running.settle();
        drop(curtain);
        let is_logged = logged(&mut told, is_told).await;
        Ok((end, is_logged))
    })?;
    finish(ctx, chosen, end, is_logged)
}

/// Tells somebody who has interrupted a plugin that it is waited for, once, if it takes a while. `is_told` says
/// whether somebody has.
async fn notice(
    ctx: &Ctx,
    chosen: &Chosen,
    grace: Duration,
    told: &mut mpsc::Receiver<()>,
    is_told: &mut bool,
) -> Infallible {
    *is_told = told.recv().await.is_some();
    // One that draws on the terminal would be written over.
    if *is_told && grace > PATIENCE && io::stderr().is_terminal() && !draws(ctx, chosen) {
        sleep(PATIENCE).await;
        let (command, seconds) = (&chosen.command, grace.as_secs());
        let text = format!(
            "`jp {command}` has {seconds} seconds to end; a second Ctrl-C ends it at once.\n"
        );
        let printer = ctx.shared_printer();
        // A terminal that is paused must not keep the second one from being heard.
        tokio::task::spawn_blocking(move || printer.print(jp_printer::Print::chrome(&text)));
    }
    pending().await
}

/// Waits until the log was read, but not for long once somebody wants to go, or if somebody did before.
async fn logged(told: &mut mpsc::Receiver<()>, is_told: bool) -> bool {
    let all = async {
        while !log::is_written() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    let enough = async {
        if !is_told {
            told.recv().await;
        }
        sleep(LOGGED_WITHIN).await;
    };
    tokio::select! {
        () = all => true,
        () = enough => false,
    }
}

/// Ends as the plugin said.
fn finish(ctx: &Ctx, chosen: &Chosen, finished: Finished, is_logged: bool) -> Result {
    if !finished.is_printed || !is_logged {
        // Somebody wants to go, and nobody reads what is still to be printed: nothing more can be said.
        process::exit(finished.end.map_or(1, |end| end.code.into()));
    }
    let end = finished.end.map_err(|error| broken(ctx, chosen, &error))?;
    match (end.code, end.reason) {
        (0, _) => Ok(()),
        (code, Some(reason)) => Err(Error::new(Exit::Program(code), reason.trim_end())),
        (code, None) => Err(Error::said(Exit::Program(code))),
    }
}

/// Why a plugin did not end as it should. One that died has often said why, where only the log shows it.
fn broken(ctx: &Ctx, chosen: &Chosen, error: &SessionError) -> Error {
    let shown = Error::failure(tools::causes(error).join(": "));
    if !matches!(error, SessionError::Ended { .. } | SessionError::Silent { .. }) {
        return shown;
    }
    let path = shell_words::quote(chosen.path.as_str());
    let tries = format!("`jp plugin check -- {path}` tries it");
    if ctx.verbosity() >= SHOWS_STDERR {
        return shown.hint(tries);
    }
    shown.hint(format!("`jp -vvvv {}` shows what it writes to stderr; {tries}", chosen.command))
}

/// What a plugin is told first.
fn init(ctx: &Ctx, workspace: &Workspace, chosen: &Chosen) -> Result<Init> {
    let config = ctx.config().get(None).map_err(Error::failure)?;
    let settings = ctx.config().app.plugins.command.get(&chosen.id);
    let options = settings.map(|settings| settings.options.clone());
    let paths = ctx::data_home().zip(ctx::config_home()).map(|(data, config)| Paths {
        user_workspace: data.join("jp/workspace").join(workspace.id().to_string()).into(),
        user_data: data.join("jp").into(),
        user_config: config.join("jp").into(),
    });
    Ok(Init {
        version: VERSION,
        workspace: WorkspaceInfo {
            root: workspace.root().into(),
            storage: workspace.storage().into(),
            id: workspace.id().to_string(),
        },
        config,
        args: chosen.args.clone(),
        log_level: ctx.verbosity(),
        options: Some(options.unwrap_or_default()),
        paths,
    })
}

/// Everybody who wants the program to end, one message for each time.
fn interrupts() -> io::Result<mpsc::Receiver<()>> {
    let (told, interrupts) = mpsc::channel(4);
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let (mut signals, told) = (signal(kind)?, told.clone());
        tokio::spawn(async move {
            while signals.recv().await.is_some() && told.send(()).await.is_ok() {}
        });
    }
    Ok(interrupts)
}

/// A plugin that runs.
enum Started {
    /// The helper ends with its host, which takes a moment; nobody waits for it before the plugin has ended.
    Free {
        child: Box<Child>,
        _host: Host,
    },
    Confined(Box<Running>),
}

impl Started {
    fn child(&mut self) -> &mut Child {
        match self {
            Self::Free { child, .. } => child,
            Self::Confined(running) => &mut running.child,
        }
    }

    /// Says what it was denied, to whoever looks for a reason.
    fn settle(self) {
        let Self::Confined(running) = self else { return };
        let Some(exit) = running.child.exit() else { return };
        match running.end(&exit) {
            Ok(outcome) => {
                for advice in outcome.advice {
                    tracing::warn!("the plugin was denied: {advice}");
                }
            }
            Err(error) => tracing::warn!(%error, "what a plugin left is not settled"),
        }
    }
}

/// Variables that a plugin gets beside those there are.
fn extra(chosen: &Chosen) -> Result<Vec<(OsString, OsString)>> {
    let mut extra = vec![(FILE.into(), chosen.path.as_str().into())];
    let by_node = chosen.sha256.is_some() && ctx::interpreter(&chosen.path)?.contains("node");
    if by_node {
        // A checked script is executed from memory, under a name that is a link; node would follow it to
        // where there is no file.
        let options = format!("{} --preserve-symlinks-main", ctx::variable(NODE_OPTIONS));
        extra.push((NODE_OPTIONS.into(), options.trim_start().into()));
    }
    Ok(extra)
}

/// Whether it draws on the terminal itself, and gets the keys, control-C among them. One that is confined
/// does not.
fn draws(ctx: &Ctx, chosen: &Chosen) -> bool {
    let draws = chosen.describe.as_ref().is_some_and(|describe| describe.tty);
    draws && ctx.policies().plugin(&chosen.id).is_none()
}

async fn start(ctx: &Ctx, workspace: &Workspace, chosen: &Chosen) -> Result<Started> {
    let extra = extra(chosen)?;
    // Its words are in `init`, where they are the same for programs in every language.
    let args = vec![OsString::from(chosen.path.as_str())];
    if ctx.policies().plugin(&chosen.id).is_some() {
        // It is large, and most plugins have no rules.
        return Box::pin(start_confined(ctx, workspace.root(), chosen, args, extra)).await;
    }
    let mut env = ctx::variables();
    env.retain(|(name, _)| extra.iter().all(|(other, _)| name != other));
    env.extend(extra);
    let program = Program {
        path: chosen.path.clone().into(),
        args,
        env,
        directory: ctx.cwd().as_std_path().to_owned(),
        sha256: chosen.sha256,
    };
    let everything = What::Host { write: Write::Direct, execute: true };
    let view = View::new([Place { path: "/".into(), what: everything }]);
    let host = Host::new(ctx::program()?).begun(ctx.take_waiting());
    let terminal = draws(ctx, chosen).then(|| rustix::process::getpgrp().as_raw_pid());
    let confinement = Confinement { terminal, ..Confinement::of(Tier::None, view) };
    let spawn = Spawn::new(program, confinement).piped();
    let child = host.spawn(spawn).await;
    let child = child.map_err(|error| unstarted(&error, &chosen.path))?;
    Ok(Started::Free { child: Box::new(child), _host: host })
}

/// Why a plugin does not run, with what the system does not say: a script is missing for it when its interpreter is.
fn unstarted(error: &SpawnError, path: &Utf8Path) -> Error {
    let shown = Error::failure(tools::causes(error).join(": "));
    let SpawnError::Failed { failure, .. } = error else { return shown };
    if failure.step != Step::Execute {
        return shown;
    }
    let first = ctx::interpreter(path).unwrap_or_default();
    // For the kernel the end of a line that another system wrote belongs to the name.
    let line = first.strip_prefix("#!").map(|line| line.trim_matches([' ', '\t']));
    let interpreter = line.and_then(|line| line.split([' ', '\t']).next());
    match (failure.errno.map(Errno::from_raw_os_error), interpreter) {
        (Some(Errno::NOENT), Some(name)) if rustix::fs::stat(name).is_err() => {
            let name = name.escape_debug();
            shown.hint(format!("its first line asks for `{name}`, which is not there"))
        }
        (Some(Errno::NOEXEC), None) => {
            shown.hint("the first line of a script says what reads it, for example `#!/bin/sh`")
        }
        _ => shown,
    }
}

async fn start_confined(
    ctx: &Ctx,
    root: &Utf8Path,
    chosen: &Chosen,
    args: Vec<OsString>,
    extra: Vec<(OsString, OsString)>,
) -> Result<Started> {
    // What is confined is started by a helper of its own, and a person may be asked first.
    ctx.end_waiting();
    let confiner = confine::plugin_confiner(&*ctx.own_config()?, ctx.config())?;
    let root =
        root.canonicalize_utf8().map_err(|error| Error::failure(format!("{root}: {error}")))?;
    let settings = ctx.config().app.plugins.command.get(&chosen.id);
    let needs = settings.and_then(|settings| settings.system.as_ref()).map(confine::needs);
    let (needs, key) = (needs.unwrap_or_default(), format!("plugins.command.{}", chosen.id));
    let mut subject = Subject {
        policy: ctx.policies().plugin(&chosen.id).map(|rules| &rules.policy),
        key: &key,
        root: &root,
        profile: None,
        lifetime: Lifetime::Server,
        transactional: false,
        needs: &needs,
        approved: &[],
        program: &chosen.path,
        program_files: &[],
    };
    let prepared = confiner.plan(subject).await.map_err(refused)?;
    let answer = sensitive::ask(ctx, &prepared.covered(), &root, &chosen.id)?;
    subject.approved = &answer.allowed;
    let prepared = confiner.prepare(subject).await.map_err(refused)?;
    for warning in answer.warning.iter().chain(&prepared.warning) {
        let text = format!("warning: {warning}\n");
        ctx.printer().print(jp_printer::Print::chrome(&text).untrusted())?;
    }
    let command = Command {
        path: &chosen.path,
        args,
        extra,
        directory: prepared.directory([ctx.cwd(), root.as_path()]),
        sha256: chosen.sha256,
        observe: true,
    };
    let (stdin, stdout, stderr) = (Input::Pipe, OutputTo::Pipe, OutputTo::Pipe);
    let streams = Streams { stdin, stdout, stderr };
    let running = confiner.start(prepared, command, streams).await.map_err(refused)?;
    Ok(Started::Confined(Box::new(running)))
}

fn refused(error: ConfineError) -> Error {
    match error {
        ConfineError::Refused(refusal) => {
            let error = Error::new(Exit::Refused, &refusal);
            refusal.hints.iter().fold(error, Error::hint)
        }
        other => Error::failure(tools::causes(&other).join(": ")),
    }
}
