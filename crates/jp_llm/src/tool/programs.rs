//! Programs that a tool asks the host to run, confined by the rules of that tool.
//!
//! The danger is a program that can do more than the tool that wanted it: then asking for a program would
//! be the way around all rules. So the program gets what the tool has, and for each kind of resource
//! without rules what a tool of this sort gets by default: it reads the project, and nothing else. For
//! other tools a kind without rules is open, so the rules are completed here before anything is planned
//! (`confining`).
//!
//! A program gets these variables of the host: `PATH`, `HOME`, `USER`, `LANG` and those that begin with
//! `LC_` ([`jp_sandbox::plan::MINIMAL`]), unless a rule of the tool denies one by its name. Where rules
//! let it use the network, the usual ones name the proxy that keeps those rules, and where it cannot have
//! a `/tmp` of its own, `TMPDIR` names what it has instead. On top comes what was asked for and granted by
//! name, and no more.
//!
//! It has no input, and no process that it started outlives it.

use std::{
    collections::HashMap,
    error::Error,
    ffi::{OsStr, OsString},
    sync::Arc,
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_confine::{
    Command, ConfineError, Confiner, Needs, Outcome, Pending, Running, Streams, Subject,
};
use jp_process::{Bounds, FindError, Finished, Input, Output, Stopped, find_program};
use jp_sandbox::{
    event::Ended,
    plan::{Lifetime, Profile},
};
use jp_tool::access::{AccessPolicy, Capability, EnvRule, FsRule, NetRule};
use jp_vfs::{
    BoxFuture,
    process::{Lost, ProgramError, ProgramRun, Programs, Ran},
};
use tokio::time::timeout;

/// So many changes that are not made are named in an error.
const MOST_NAMED: usize = 8;

/// Runs programs for the tools of one run of jp.
#[derive(Debug)]
pub struct ConfinedPrograms {
    confiner: Arc<Confiner>,
    search: OsString,
    needs: HashMap<String, Needs>,
}

/// What will be executed.
struct Found {
    path: Utf8PathBuf,
    canonical: Utf8PathBuf,
}

impl Programs for ConfinedPrograms {
    fn run<'a>(&'a self, run: ProgramRun<'a>) -> BoxFuture<'a, Result<Ran, ProgramError>> {
        Box::pin(self.run_one(run))
    }
}

impl ConfinedPrograms {
    /// Programs are looked for in `search`, which has the form of `PATH`. `needs` is what those of a tool
    /// need outside of the project beside what all get, by the key of the tool.
    pub fn new(confiner: Arc<Confiner>, search: OsString, needs: HashMap<String, Needs>) -> Self {
        Self { confiner, search, needs }
    }

    async fn run_one(&self, run: ProgramRun<'_>) -> Result<Ran, ProgramError> {
        let began = Instant::now();
        let started = timeout(run.time, self.start(run)).await;
        let running = started.map_err(|_| ProgramError::Time(run.time))??;
        let left = run.time.saturating_sub(began.elapsed());
        let bounds = Bounds { output: run.output_bytes, time: Some(left), ..Bounds::default() };
        // Whoever does not want it any more drops this, which ends it at once.
        let ended = running.finish(Vec::new(), bounds, std::future::pending()).await;
        let (finished, outcome) = ended.map_err(|error| refusal(&error))?;
        ended_as(&finished, run.time, run.output_bytes)?;
        let exit_code = exit_code(finished.exit.ended);
        let lost = keep_changes(outcome).await;
        Ok(Ran { stdout: finished.stdout.bytes, stderr: finished.stderr.bytes, exit_code, lost })
    }

    async fn start(&self, run: ProgramRun<'_>) -> Result<Running, ProgramError> {
        let root = run.directory.canonicalize_utf8().map_err(|error| {
            ProgramError::Failed(format!(
                "cannot use {} to run programs in: {error}",
                run.directory
            ))
        })?;
        let found = self.find(run, &root)?;
        let (policy, none) = (confining(run.policy), Needs::default());
        let subject = Subject {
            policy: Some(&policy),
            key: run.key,
            root: &root,
            profile: Some(self.profile()),
            lifetime: Lifetime::Call,
            transactional: false,
            needs: self.needs.get(run.key).unwrap_or(&none),
            approved: &[],
            program: &found.canonical,
            program_files: &[],
        };
        let prepared = self.confiner.prepare(subject).await.map_err(|error| refusal(&error))?;
        if let Some(warning) = &prepared.warning {
            tracing::warn!(tool = run.key, program = run.program, "{warning}");
        }
        let words = std::iter::once(run.program).chain(run.args.iter().map(String::as_str));
        let extra = run.variables.iter().map(|(name, value)| (name.into(), value.into()));
        let command = Command {
            path: &found.path,
            args: words.map(OsString::from).collect(),
            extra: extra.collect(),
            directory: prepared.directory([root.as_path()]),
            observe: false,
            sha256: None,
        };
        let streams = Streams { stdin: Input::Null, stdout: Output::Pipe, stderr: Output::Pipe };
        let started = self.confiner.start(prepared, command, streams).await;
        started.map_err(|error| refusal(&error))
    }

    /// What holds beside the rules, which say something about every kind. They are kept also where
    /// somebody turned confinement off for tools without rules; only on a machine that cannot keep any
    /// that is the word by which a program runs anyway.
    fn profile(&self) -> Profile {
        match self.confiner.profile() {
            Profile::Off => Profile::Off,
            _ => Profile::Workspace,
        }
    }

    /// The file that a name means. A rule has to name it exactly so: a rule for `git` is about the one in
    /// the search path of jp, and what lies in the project is only meant by its path.
    fn find(&self, run: ProgramRun<'_>, root: &Utf8Path) -> Result<Found, ProgramError> {
        let name = run.program;
        if run.policy.commands.as_ref().is_none_or(|commands| !commands.contains_key(name)) {
            return Err(ProgramError::Refused(format!("no rule names the program {name:?}")));
        }
        let search = outside(&self.search, root);
        let path = find_program(name.as_ref(), &search, root.as_std_path());
        let path = path.map_err(|error| ProgramError::NotFound(not_found(&error)))?;
        let path = Utf8PathBuf::try_from(path)
            .map_err(|error| ProgramError::NotFound(format!("not UTF-8: {error}")))?;
        let canonical = path
            .canonicalize_utf8()
            .map_err(|error| ProgramError::NotFound(format!("{path}: {error}")))?;
        if !name.contains('/') && canonical.starts_with(root) {
            let message =
                format!("{path} leads into the project; a rule has to name it by its path");
            return Err(ProgramError::NotFound(message));
        }
        Ok(Found { path, canonical })
    }
}

/// The rules of a tool, made to say for each kind what holds for its programs.
fn confining(policy: &AccessPolicy) -> AccessPolicy {
    let mut policy = policy.clone();
    if policy.fs.is_empty() {
        policy.fs = vec![FsRule::new(".", [Capability::Read])].into();
    }
    if policy.net.is_empty() {
        // Where rules allow nothing there is no network at all, whatever they are about.
        policy.net.push(NetRule::new("localhost", false));
    }
    // What a tool may put into a request is not for programs to see: they get what is named for them.
    policy.env.retain(|rule| !rule.read);
    policy.env.push(EnvRule::new("*", false));
    // Which program may be started was decided by the list. What that one starts is confined as it is,
    // and a compiler that cannot start its linker is of no use.
    policy.commands = None;
    policy
}

/// The entries of a search path that do not lie in the project.
fn outside(search: &OsStr, root: &Utf8Path) -> OsString {
    let is_outside = |place: &std::path::PathBuf| {
        let real = Utf8Path::from_path(place).and_then(|place| place.canonicalize_utf8().ok());
        real.is_some_and(|real| !real.starts_with(root))
    };
    let places = std::env::split_paths(search).filter(|place| place.is_absolute());
    // What was taken apart at the colons has none in its parts.
    std::env::join_paths(places.filter(is_outside)).unwrap_or_default()
}

fn not_found(error: &FindError) -> String {
    match error {
        FindError::Missing(_) => format!("{error} in the search path of jp"),
        FindError::NotExecutable(_) => error.to_string(),
    }
}

/// Whether it came to its end.
fn ended_as(finished: &Finished, time: Duration, bytes: usize) -> Result<(), ProgramError> {
    match finished.stopped {
        Some(Stopped::Output(_)) => return Err(ProgramError::Output(bytes)),
        Some(Stopped::Time | Stopped::Cancelled) => return Err(ProgramError::Time(time)),
        None => {}
    }
    // It may have ended before anybody noticed that it said too much.
    if finished.stdout.truncated || finished.stderr.truncated {
        return Err(ProgramError::Output(bytes));
    }
    Ok(())
}

/// As a shell says it.
fn exit_code(ended: Ended) -> i32 {
    match ended {
        Ended::Code(code) => code,
        Ended::Signal(number) => number.saturating_add(128),
    }
}

/// Makes the changes that were kept apart, as far as the rules allow them, and says what is not kept. A program
/// that died on the way has only made those that nobody had to judge.
async fn keep_changes(outcome: Outcome) -> Option<Lost> {
    let pending = outcome.pending?;
    let made = tokio::task::spawn_blocking(move || make(pending)).await;
    let (refused, failed) = match made {
        Ok(made) => made,
        Err(error) => return Some(Lost::Failed(error.to_string())),
    };
    if !failed.is_empty() {
        return Some(Lost::Failed(listed(&[failed, refused].concat())));
    }
    (!refused.is_empty()).then(|| Lost::Refused(listed(&refused)))
}

/// What was refused, and what failed.
fn make(pending: Pending) -> (Vec<String>, Vec<String>) {
    let refused = pending.judged().refused().iter().map(ToString::to_string).collect();
    let failed = pending.commit().failed.iter().map(ToString::to_string).collect();
    (refused, failed)
}

fn listed(lines: &[String]) -> String {
    let named = lines.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join("; ");
    let more = lines.len().saturating_sub(MOST_NAMED);
    if more == 0 { named } else { format!("{named}; and {more} more") }
}

fn refusal(error: &ConfineError) -> ProgramError {
    match error {
        ConfineError::Refused(refusal) => {
            let text = std::iter::once(refusal.to_string()).chain(refusal.hints.iter().cloned());
            ProgramError::Refused(text.collect::<Vec<_>>().join("\n"))
        }
        other => ProgramError::Failed(with_causes(other)),
    }
}

fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests;
