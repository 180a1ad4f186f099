//! What would have to be installed: from names to files, in the order in which they are put in place.
//!
//! Everything that speaks against it is found here, where nothing has been fetched or changed: a plugin
//! that is denied, one that is missing, a circle of requirements, a checksum that was pinned. A plan is
//! made whole or not at all, so a plugin never gets installed without what it needs.
//!
//! The policy of each plugin is asked for by itself. That somebody agreed to a plugin says nothing about
//! those that it requires.

use std::collections::BTreeSet;

use jp_plugin::{
    CommandPath, PluginId,
    registry::{Entry, Kind, Registry},
};

use crate::{InvalidSha256, InvalidSource, Sha256, Source};

/// How many plugins can require each other in a row, and how many can be installed at once.
const MOST: usize = 64;

/// What a plan depends on.
#[expect(missing_debug_implementations, reason = "it holds functions")]
#[derive(Clone, Copy)]
pub struct World<'a> {
    pub registry: &'a Registry,
    /// The kinds of binaries that this machine can run, the best first.
    pub targets: &'a [String],
    /// Whether the registry may name files of this machine, as one that is such a file may.
    pub allow_files: bool,
    /// What the user's settings say about a plugin.
    pub judge: &'a dyn Fn(&Candidate<'_>) -> Judgement,
    /// The checksum of what is installed under an id.
    pub have: &'a dyn Fn(&PluginId) -> Option<Sha256>,
    /// The checksum that is recorded of what was installed from the registry under an id.
    pub recorded: &'a dyn Fn(&PluginId) -> Option<Sha256>,
}

/// A plugin that might have to be installed.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    pub command: &'a CommandPath,
    pub entry: &'a Entry,
    /// Whether somebody asked for it by name; else it is required by another.
    pub named: bool,
}

/// What the user's settings say about a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It may not be installed, by this setting.
    Denied { setting: String },
    /// It may, if a person agrees where one has to, and if it has the checksum that was pinned.
    May { ask: bool, pin: Option<Sha256> },
}

/// What is to be done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// In this order: what is required comes before what requires it.
    pub steps: Vec<Step>,
    /// What is wanted or required and is there already.
    pub present: Vec<CommandPath>,
    /// Groups, for which there is nothing to do.
    pub groups: Vec<CommandPath>,
}

/// One plugin to install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub command: CommandPath,
    pub id: PluginId,
    pub source: Source,
    pub sha256: Sha256,
    pub description: String,
    pub official: bool,
    pub repository: Option<String>,
    /// Who requires it, if nobody asked for it by name.
    pub required_by: Option<CommandPath>,
    /// What is there now, with another checksum.
    pub replaces: Option<Sha256>,
    /// Whether a person has to agree.
    pub ask: bool,
    /// What the user has pinned, which is looked at once more when the file is there.
    pub pin: Option<Sha256>,
}

/// Why nothing is installed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("{}: `{setting}` denies it", whose("`{}` may not be installed", command, required_by.as_ref()))]
    Denied { command: CommandPath, required_by: Option<CommandPath>, setting: String },
    #[error("{}", missing(command, required_by.as_ref(), reason.as_deref()))]
    Missing { command: CommandPath, required_by: Option<CommandPath>, reason: Option<String> },
    #[error("plugins require each other in a circle: {}", chain(.0))]
    Cycle(Vec<CommandPath>),
    #[error("more than {MOST} plugins would have to be installed for `{0}`")]
    TooMany(CommandPath),
    #[error("the registry has no binary of `{command}` for {target}; it has {}", listed(available))]
    NoBinary { command: CommandPath, target: String, available: Vec<String> },
    #[error("the registry cannot be used for `{command}`: {source}")]
    Url { command: CommandPath, source: InvalidSource },
    #[error(
        "the registry cannot be used for `{command}`: {url} is a file of this machine, and the registry is not"
    )]
    File { command: CommandPath, url: String },
    #[error("the registry cannot be used for `{command}`: {source}")]
    Checksum { command: CommandPath, source: InvalidSha256 },
    #[error(
        "the registry has another `{command}` than the one that was pinned\n  \
         expected sha256 {pinned}, by `plugins.command.{id}.checksum`\n  actual   sha256 {offered}"
    )]
    Pinned { command: CommandPath, id: PluginId, pinned: Sha256, offered: Sha256 },
}

/// Plans to install plugins, by their commands.
pub fn plan(world: &World<'_>, wanted: &[CommandPath]) -> Result<Plan, PlanError> {
    let mut planner =
        Planner { world, wanted, trail: Vec::new(), done: BTreeSet::new(), plan: Plan::default() };
    for command in wanted {
        planner.visit(command)?;
    }
    Ok(planner.plan)
}

/// The kinds of binaries that this machine can run, the best first.
pub fn target_triples() -> Vec<String> {
    let arch = std::env::consts::ARCH;
    if cfg!(target_os = "macos") {
        vec![format!("{arch}-apple-darwin")]
    } else if cfg!(target_os = "windows") {
        vec![format!("{arch}-pc-windows-msvc")]
    } else if cfg!(target_env = "musl") {
        vec![format!("{arch}-unknown-linux-musl")]
    } else {
        // What is linked for musl is mostly linked whole, and runs beside another library, too.
        vec![format!("{arch}-unknown-linux-gnu"), format!("{arch}-unknown-linux-musl")]
    }
}

struct Planner<'a> {
    world: &'a World<'a>,
    wanted: &'a [CommandPath],
    /// The way to the plugin that is looked at.
    trail: Vec<&'a CommandPath>,
    done: BTreeSet<&'a CommandPath>,
    plan: Plan,
}

impl<'a> Planner<'a> {
    fn visit(&mut self, command: &'a CommandPath) -> Result<(), PlanError> {
        if let Some(at) = self.trail.iter().position(|it| *it == command) {
            let circle = self.trail[at..].iter().copied().chain([command]);
            return Err(PlanError::Cycle(circle.cloned().collect()));
        }
        if self.done.contains(command) {
            return Ok(());
        }
        if self.trail.len() >= MOST || self.plan.steps.len() >= MOST {
            return Err(PlanError::TooMany(self.trail.first().copied().unwrap_or(command).clone()));
        }
        let entry =
            self.world.registry.entries.get(command).ok_or_else(|| self.missing(command))?;
        let named = self.wanted.contains(command);
        let (ask, pin) = match (self.world.judge)(&Candidate { command, entry, named }) {
            Judgement::May { ask, pin } => (ask, pin),
            Judgement::Denied { setting } => {
                let (command, required_by) = (command.clone(), self.required_by());
                return Err(PlanError::Denied { command, required_by, setting });
            }
        };
        self.trail.push(command);
        entry.requires.iter().try_for_each(|required| self.visit(required))?;
        self.trail.pop();
        self.done.insert(command);
        if entry.kind == Kind::CommandGroup {
            self.plan.groups.push(command.clone());
            return Ok(());
        }
        let have = (self.world.have)(&entry.id);
        // Somebody who requires a plugin is content with the one that is there.
        if !named && have.is_some() {
            self.plan.present.push(command.clone());
            return Ok(());
        }
        let (source, sha256) = self.binary(command, entry)?;
        // A file that nobody vouches for is installed once more, with its record; else it would never be updated.
        if have == Some(sha256) && (self.world.recorded)(&entry.id) == have {
            self.plan.present.push(command.clone());
            return Ok(());
        }
        if let Some(pinned) = pin.filter(|pin| *pin != sha256) {
            let (command, id) = (command.clone(), entry.id.clone());
            return Err(PlanError::Pinned { command, id, pinned, offered: sha256 });
        }
        self.plan.steps.push(Step {
            command: command.clone(),
            id: entry.id.clone(),
            source,
            sha256,
            description: entry.description.clone(),
            official: entry.official,
            repository: entry.repository.clone(),
            required_by: self.required_by().filter(|_| !named),
            replaces: have.filter(|have| *have != sha256),
            ask,
            pin,
        });
        Ok(())
    }

    fn binary(&self, command: &CommandPath, entry: &Entry) -> Result<(Source, Sha256), PlanError> {
        let command = || command.clone();
        let fitting = self.world.targets.iter().find_map(|target| entry.binaries.get(target));
        let binary = fitting.ok_or_else(|| PlanError::NoBinary {
            command: command(),
            target: self.world.targets.first().cloned().unwrap_or_default(),
            available: entry.binaries.keys().cloned().collect(),
        })?;
        let source = Source::parse(&binary.url)
            .map_err(|source| PlanError::Url { command: command(), source })?;
        if source.is_file() && !self.world.allow_files {
            return Err(PlanError::File { command: command(), url: binary.url.clone() });
        }
        let sha256 = binary.sha256.parse();
        let sha256 = sha256.map_err(|source| PlanError::Checksum { command: command(), source })?;
        Ok((source, sha256))
    }

    fn required_by(&self) -> Option<CommandPath> {
        self.trail.last().copied().cloned()
    }

    fn missing(&self, command: &CommandPath) -> PlanError {
        let mut skipped = self.world.registry.skipped.iter();
        let reason = skipped.find(|it| it.key == command.to_string());
        PlanError::Missing {
            command: command.clone(),
            required_by: self.required_by(),
            reason: reason.map(|it| it.reason.clone()),
        }
    }
}

fn whose(form: &str, command: &CommandPath, required_by: Option<&CommandPath>) -> String {
    let text = form.replace("{}", &command.to_string());
    match required_by {
        Some(by) => format!("{text}, which `{by}` requires"),
        None => text,
    }
}

fn missing(command: &CommandPath, by: Option<&CommandPath>, reason: Option<&str>) -> String {
    let text = whose("the registry has no plugin `{}`", command, by);
    match reason {
        Some(reason) => format!("{text}: its entry cannot be used: {reason}"),
        None => text,
    }
}

pub(crate) fn chain(circle: &[CommandPath]) -> String {
    let quoted: Vec<_> = circle.iter().map(|it| format!("`{it}`")).collect();
    quoted.join(" → ")
}

fn listed(targets: &[String]) -> String {
    if targets.is_empty() { "none at all".to_owned() } else { targets.join(", ") }
}

#[cfg(test)]
mod tests;
