//! Starting the program of a server, confined by the server's own rules.
//!
//! A server is a program of somebody else, so it is started like that of a tool: found in the search path,
//! confined by the same plan, with everything it starts ended when it is. It lives longer than a call, and
//! what it writes has to be seen at once, so nothing of it is kept apart. If a checksum is configured, the
//! file is opened and summed, and it is this file that is executed.

use std::{ffi::OsString, io, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::Sha256;
use jp_confine::{Command, ConfineError, Confiner, Covered, Needs, Running, Subject};
use jp_mcp::{BoxFuture, Launch, LaunchError, Launched, Process};
use jp_process::{FindError, SpawnError, Stop, find_program};
use jp_sandbox::{
    failure::{Failure, Step},
    plan::{Lifetime, Plan},
};
use jp_tool::access::{AccessPolicy, Capability, FsRule};
use thiserror::Error;

use crate::tool::local::{hidden, piped};

/// The program of one server.
#[derive(Debug)]
pub(crate) struct Launcher {
    pub(crate) confiner: Arc<Confiner>,
    /// Where programs are looked for, in the form of `PATH`.
    pub(crate) search: OsString,
    /// Where the server is configured, for messages: `providers.mcp.x`.
    pub(crate) key: String,
    /// The root of the workspace, canonical.
    pub(crate) root: Utf8PathBuf,
    pub(crate) command: String,
    pub(crate) arguments: Vec<String>,
    /// The directory to start in.
    pub(crate) directory: Utf8PathBuf,
    /// Variables beside those that the plan passes on.
    pub(crate) variables: Vec<(OsString, OsString)>,
    pub(crate) policy: Option<AccessPolicy>,
    pub(crate) needs: Needs,
    /// Sensitive paths that a person said yes to.
    pub(crate) approved: Vec<Utf8PathBuf>,
    /// Whether somebody was asked about sensitive paths.
    pub(crate) was_asked: bool,
    pub(crate) checksum: Option<Sha256>,
}

/// Why the program of a server did not start.
#[derive(Debug, Error)]
pub enum ProgramError {
    /// It cannot be found.
    #[error(transparent)]
    Find(#[from] FindError),
    /// It cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Its path is not text.
    #[error("the path of the program is not UTF-8: {0}")]
    Path(String),
    /// It is not the program that was configured.
    #[error("{failure} (`{key}.checksum`)")]
    Checksum {
        /// What it is.
        failure: Failure,
        /// The server.
        key: String,
    },
    /// It cannot be confined by its rules, or not be started.
    #[error(transparent)]
    Confine(#[from] ConfineError),
}

/// What will be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) path: Utf8PathBuf,
    pub(crate) canonical: Utf8PathBuf,
}

impl Launch for Launcher {
    fn launch(&self) -> BoxFuture<'_, Result<Launched, LaunchError>> {
        Box::pin(async move {
            let started = self.start().await;
            let (mut running, warnings) = started.map_err(|error| {
                LaunchError::new(format!("cannot start `{}`", self.command)).because(error)
            })?;
            let child = &mut running.child;
            let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
            let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
                return Err(LaunchError::new("the program has no streams"));
            };
            Ok(Launched {
                stdin: Box::new(stdin),
                stdout: Box::new(stdout),
                stderr: Box::new(stderr),
                process: Box::new(Confined { running }),
                warnings,
            })
        })
    }
}

impl Launcher {
    async fn start(&self) -> Result<(Running, Vec<String>), ProgramError> {
        let program = self.find()?;
        let prepared = self.confiner.prepare(self.subject(&program)).await?;
        let mut warnings: Vec<_> = prepared.warning.iter().cloned().collect();
        if !self.was_asked {
            warnings.extend(hidden(&prepared.covered(), &self.root));
        }
        let words = std::iter::once(&self.command).chain(&self.arguments);
        let command = Command {
            // What was summed is what is started, whatever a link on the way leads to by now.
            path: if self.checksum.is_some() { &program.canonical } else { &program.path },
            args: words.map(OsString::from).collect(),
            extra: self.variables.clone(),
            directory: prepared.directory([self.directory.as_path(), self.root.as_path()]),
            observe: false,
            sha256: self.checksum.as_ref().map(Sha256::bytes),
        };
        let running = self.confiner.start(prepared, command, piped()).await;
        let running = running.map_err(|error| match error {
            ConfineError::Start(SpawnError::Failed { failure, .. })
                if failure.step == Step::Checksum =>
            {
                ProgramError::Checksum { failure, key: self.key.clone() }
            }
            error => error.into(),
        })?;
        Ok((running, warnings))
    }

    /// How it would be confined.
    pub(crate) async fn plan(&self) -> Result<Plan, ProgramError> {
        let program = self.find()?;
        Ok(self.confiner.plan(self.subject(&program)).await?.plan)
    }

    /// What is sensitive, granted to it, and not approved yet.
    pub(crate) async fn covered(&self) -> Result<Vec<Covered>, ProgramError> {
        let program = self.find()?;
        Ok(self.confiner.plan(self.subject(&program)).await?.covered())
    }

    /// What would be executed.
    pub(crate) fn find(&self) -> Result<Program, ProgramError> {
        let root = self.root.as_std_path();
        let path = find_program(self.command.as_ref(), &self.search, root)?;
        let path =
            Utf8PathBuf::try_from(path).map_err(|error| ProgramError::Path(error.to_string()))?;
        let canonical = path.canonicalize_utf8();
        let canonical =
            canonical.map_err(|source| ProgramError::Read { path: path.clone(), source })?;
        Ok(Program { path, canonical })
    }

    /// The directories that it is told to work in: those of the workspace that its rules let it read, whole.
    /// Without rules it is told of none, because it may have been pointed at less than it could reach; and
    /// what it needs outside, the modules of a toolchain for example, is nothing to work in.
    pub(crate) fn roots(&self) -> Vec<Utf8PathBuf> {
        let Some(policy) = &self.policy else { return Vec::new() };
        let reads = |path: &Utf8Path| policy.fs.decide(path, Capability::Read).is_allowed();
        let is_below = |path: &Utf8Path, above: &Utf8Path| above == "." || path.starts_with(above);
        let is_whole = |path: &Utf8Path| {
            let mut inside = policy.fs.iter().filter(|rule| is_below(rule.path(), path));
            inside.all(|rule| reads(rule.path()))
        };
        let granted = policy.fs.iter().map(FsRule::path).filter(|path| is_whole(path));
        let inside = granted.map(|path| match path.as_str() {
            "." => self.root.clone(),
            _ => self.root.join(path),
        });
        let mut roots: Vec<_> = inside.filter(|path| path.is_dir()).collect();
        roots.sort();
        roots.dedup();
        roots
    }

    fn subject<'a>(&'a self, program: &'a Program) -> Subject<'a> {
        Subject {
            policy: self.policy.as_ref(),
            key: &self.key,
            root: &self.root,
            profile: None,
            lifetime: Lifetime::Server,
            transactional: false,
            needs: &self.needs,
            approved: &self.approved,
            program: &program.canonical,
            program_files: &[],
        }
    }
}

/// A server that runs; dropping it ends it with everything it has started.
#[derive(Debug)]
struct Confined {
    running: Running,
}

impl Process for Confined {
    fn stop(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            match self.running.child.stop(Stop::default()).await {
                Ok(exit) => match self.running.end(&exit) {
                    Ok(outcome) => {
                        for advice in outcome.advice {
                            tracing::info!("an MCP server was denied: {advice}");
                        }
                    }
                    Err(error) => tracing::warn!(%error, "what a server left is not settled"),
                },
                Err(error) => tracing::warn!(%error, "a server did not end"),
            }
        })
    }
}
