//! From the rules of a tool to a confined run of its program, and to what came of it.
//!
//! The parts are made elsewhere: the policy says what may be touched ([`jp_tool`]), the plan says how
//! the kernel is made to agree ([`jp_sandbox`]), processes are started in one place ([`jp_process`]),
//! network rules are kept by a proxy ([`jp_proxy`]), and writes that are kept apart are judged at the
//! end ([`jp_changes`]). This crate knows the order in which they are used, so that everything that
//! runs a program for a tool runs it the same way:
//!
//! ```text
//! Subject ─ prepare ─► Prepared (plan, verdict) ─ start ─► Running ─ end ─► Outcome (advice, changes)
//! ```
//!
//! It does not read the configuration or the environment, asks nobody, and prints nothing.
#![cfg(target_os = "linux")]

mod advice;
mod covered;
mod error;
mod facts;
mod known;
mod prepare;
mod program;
mod running;
mod secrets;
mod system;
mod variables;

use std::{ffi::OsString, path::PathBuf, sync::OnceLock};

use camino::{Utf8Path, Utf8PathBuf};
use jp_process::{Host, SpawnError};
use jp_sandbox::{
    machine::{Feature, Machine},
    plan::{Lifetime, Profile},
    presets::{Preset, PresetPlaces},
};
use jp_tool::access::{AccessPolicy, SensitivePaths};
use tokio::sync::OnceCell;

pub use self::{
    advice::{Advice, Allow, Denied},
    covered::{Covered, Grant},
    error::ConfineError,
    prepare::Prepared,
    program::{CommandLine, ProgramParts, ResolveError, Word, resolve},
    running::{Abandoned, Command, Outcome, Pending, Running, SENSITIVE, Streams},
    secrets::Unsearchable,
};

/// What belongs to the machine and the user, and stays the same for a whole run of jp.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The program that serves as the helper of the sandbox: jp itself.
    pub helper: PathBuf,
    /// All variables of jp.
    pub variables: Vec<(OsString, OsString)>,
    /// The home directory, canonical.
    pub home: Option<Utf8PathBuf>,
    /// Where changes may be kept until they are judged; the first on the file system of the workspace
    /// is taken.
    pub stores: Vec<Utf8PathBuf>,
    /// The same in a directory that others can write to; it is only used if it is ours alone.
    pub shared_store: Option<Utf8PathBuf>,
    /// Where it is remembered what the machine offers; `None` to try it every time.
    pub memory: Option<Utf8PathBuf>,
    /// Features to do without, though the machine has them.
    pub hide: Vec<Feature>,
}

/// What the person set for all tools.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What holds for tools without rules.
    pub profile: Profile,
    /// Whether a plan that is looser than its policy may be carried out.
    pub allow_degraded: bool,
    /// What programs need outside of the workspace.
    pub needs: Needs,
    /// What a grant alone does not open.
    pub sensitive: SensitivePaths,
}

/// What programs need outside of the workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// Toolchains by name.
    pub presets: Vec<Preset>,
    /// Other places to read.
    pub read: Vec<Utf8PathBuf>,
    /// Other places to write.
    pub write: Vec<Utf8PathBuf>,
}

/// Whose program is run, and under which rules.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The rules; `None` for a tool without `access`.
    pub policy: Option<&'a AccessPolicy>,
    /// Where the rules are configured, for messages: `conversation.tools.x`.
    pub key: &'a str,
    /// The workspace, canonical.
    pub root: &'a Utf8Path,
    /// A profile of its own, for what is sealed.
    pub profile: Option<Profile>,
    /// How long the process lives.
    pub lifetime: Lifetime,
    /// Whether all writes are kept apart, for a dry run or a review.
    pub transactional: bool,
    /// What it needs outside of the workspace beside what all tools get.
    pub needs: &'a Needs,
    /// Sensitive paths that a person said yes to, absolute.
    pub approved: &'a [Utf8PathBuf],
    /// The file that is executed, canonical.
    pub program: &'a Utf8Path,
    /// Files that belong to the program, as [`resolve`] finds them: canonical, or links in a canonical
    /// directory.
    pub program_files: &'a [Utf8PathBuf],
}

/// Runs programs confined, for one run of jp.
#[derive(Debug)]
pub struct Confiner {
    surroundings: Surroundings,
    settings: Settings,
    host: Host,
    machine: OnceCell<Machine>,
    presets: OnceLock<Vec<(Preset, PresetPlaces)>>,
    /// Whether what lies outside of the workspace is only read.
    keeps_caches: bool,
}

impl Confiner {
    /// Starts nothing yet.
    pub fn new(surroundings: Surroundings, settings: Settings) -> Self {
        let host = Host::new(surroundings.helper.clone());
        let (machine, presets) = (OnceCell::new(), OnceLock::new());
        Self { surroundings, settings, host, machine, presets, keeps_caches: false }
    }

    /// The same for programs that nobody trusts: what they put into a cache would be used by others, who never
    /// look at it. So they can read caches, and write nothing outside of the workspace.
    #[must_use]
    pub fn keeping_caches(self) -> Self {
        Self { keeps_caches: true, ..self }
    }

    /// Gets ready to run something, while the caller still has something else to do.
    pub fn begin(&self) {
        self.host.begin();
    }

    /// What the machine offers, tried or remembered.
    pub async fn machine(&self) -> Result<&Machine, SpawnError> {
        let find = async || match self.surroundings.memory.as_deref().and_then(known::recall) {
            Some(machine) => Ok(machine.hiding(&self.surroundings.hide)),
            None => self.probe().await,
        };
        self.machine.get_or_try_init(find).await
    }

    /// What the machine offers, tried now.
    pub async fn probe(&self) -> Result<Machine, SpawnError> {
        let machine = self.host.machine().await?;
        if let Some(file) = &self.surroundings.memory {
            known::remember(file, &machine);
        }
        Ok(machine.hiding(&self.surroundings.hide))
    }

    /// What holds for tools without rules.
    pub fn profile(&self) -> Profile {
        self.settings.profile
    }

    /// The places of all presets on this machine.
    fn presets(&self) -> &[(Preset, PresetPlaces)] {
        self.presets.get_or_init(|| system::presets(&self.surroundings))
    }
}
