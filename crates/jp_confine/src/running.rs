//! A confined program while it runs, and what is settled when it has ended.
//!
//! What it wrote where writes are kept apart becomes part of the workspace only by [`Pending::commit`],
//! and a [`Pending`] exists only for a program that ended by itself. One that was cancelled, took too
//! long, or died has [`Abandoned`] changes instead, which can be looked at and not be made. Nobody has
//! to remember to ask: the process itself remembers whether it was stopped.

use std::{ffi::OsString, future::Future};

use camino::Utf8Path;
use jp_changes::{ChangeSet, Judged, Outside, Report, Store};
use jp_process::{Bounds, Child, Exit, Finished, Input, Interrupted, Output, Spawn};
use jp_proxy::{Proxy, ProxyHandle, Rules, Upstream};
use jp_sandbox::{
    confinement::{Limits, Network, Program},
    machine::Feature,
    view::{View, What},
};
use rustix::fs::{FileType, Mode};

use crate::{Advice, ConfineError, Confiner, Prepared, advice, variables};

/// Why a change of something sensitive is refused.
pub const SENSITIVE: &str = "it is sensitive, and nobody said yes to it";

/// A program that runs.
#[derive(Debug)]
pub struct Running {
    /// The process; its streams are those that were asked for.
    pub child: Child,
    rest: Rest,
}

/// What is settled when it has ended.
#[derive(Debug)]
struct Rest {
    prepared: Prepared,
    proxy: Option<ProxyHandle>,
    changes: Option<ChangeSet>,
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    /// What it changed where changes are kept apart, judged and not yet made. Only there for a program
    /// that ended by itself.
    pub pending: Option<Pending>,
    /// The same of a program that was stopped or died on the way. It is thrown away.
    pub abandoned: Option<Abandoned>,
    /// What it was denied, and what would allow it, in the order in which it asked.
    pub advice: Vec<Advice>,
}

/// Changes that wait for a decision. Dropped, they are thrown away.
#[derive(Debug)]
pub struct Pending {
    judged: Judged,
    // Removes the files when it is dropped, so it lives as long as they are needed.
    _set: ChangeSet,
}

/// Changes of a program that did not come to its end. They cannot be made, only looked at, and are
/// thrown away when this is dropped.
#[derive(Debug)]
pub struct Abandoned {
    judged: Judged,
    why: Interrupted,
    _set: ChangeSet,
}

impl Confiner {
    /// Starts a program as it was prepared. Its variables are those that the plan passes on; `extra`
    /// ones come on top.
    pub async fn start(
        &self,
        prepared: Prepared,
        command: Command<'_>,
        streams: Streams,
    ) -> Result<Running, ConfineError> {
        let changes = self.begin_changes(&prepared)?;
        let proxy = self.proxy(&prepared)?;
        let mut extra = command.extra;
        if let Some(temp) = &prepared.temp {
            extra.push(("TMPDIR".into(), temp.0.as_str().into()));
        }
        let env = variables::build(
            &self.surroundings.variables,
            extra,
            &prepared.plan,
            prepared.policy.as_ref(),
        );
        let program = Program {
            path: command.path.into(),
            args: command.args,
            env,
            directory: command.directory.into(),
            sha256: command.sha256,
        };
        // Kernels that cannot tell what was denied still deny it.
        let observe = command.observe && self.machine().await?.has(Feature::Supervision);
        let kept = changes.as_ref().map(|set| set.path().to_owned());
        let confinement = prepared.plan.confinement(kept, Limits::default(), observe);
        let mut spawn = Spawn::new(program, confinement);
        (spawn.stdin, spawn.stdout, spawn.stderr) = (streams.stdin, streams.stdout, streams.stderr);
        let mut child = self.host.spawn(spawn).await?;
        let both = proxy.zip(child.listener.take());
        let proxy = both.map(|(proxy, listener)| proxy.start(listener));
        let proxy = proxy.transpose().map_err(ConfineError::Proxy)?;
        Ok(Running { child, rest: Rest { prepared, proxy, changes } })
    }

    /// The proxy that keeps the rules for the network, if there is one in the plan.
    fn proxy(&self, prepared: &Prepared) -> Result<Option<Proxy>, ConfineError> {
        if prepared.plan.network != Network::Proxy {
            return Ok(None);
        }
        let rules = prepared.policy.as_ref().map(|policy| policy.net.clone());
        let rules = Rules::new(rules.unwrap_or_default(), prepared.table("net"));
        let upstream = Upstream::of_variables(&self.surroundings.variables)?;
        Ok(Some(Proxy::new(rules).upstream(upstream)))
    }

    fn begin_changes(&self, prepared: &Prepared) -> Result<Option<ChangeSet>, ConfineError> {
        if !prepared.plan.transactional {
            return Ok(None);
        }
        let shared = self.surroundings.shared_store.iter().filter(|store| is_ours(store));
        let stores: Vec<_> = self.surroundings.stores.iter().chain(shared).cloned().collect();
        let store = Store::open_near(&prepared.root, &stores)?;
        let places = prepared.plan.view.places().iter();
        let judged: Vec<_> =
            places.filter(|place| place.what.is_judged()).map(|place| place.path.clone()).collect();
        Ok(Some(store.begin(&judged)?))
    }
}

/// Whether a directory is ours alone; it is made if it is not there. Where others can write beside it,
/// one of them could have put a directory or a link in its place.
fn is_ours(directory: &Utf8Path) -> bool {
    let _ = rustix::fs::mkdir(directory.as_std_path(), Mode::RWXU);
    let user = rustix::process::geteuid().as_raw();
    rustix::fs::lstat(directory.as_std_path()).is_ok_and(|found| {
        let is_directory = FileType::from_raw_mode(found.st_mode).is_dir();
        let others = Mode::from_raw_mode(found.st_mode) & (Mode::RWXG | Mode::RWXO);
        is_directory && found.st_uid == user && others.is_empty()
    })
}

/// What is executed.
#[derive(Debug)]
pub struct Command<'a> {
    /// The file, absolute.
    pub path: &'a Utf8Path,
    /// The words, the name of the program first.
    pub args: Vec<OsString>,
    /// Variables in addition to those of the plan.
    pub extra: Vec<(OsString, OsString)>,
    /// The directory to start in.
    pub directory: &'a Utf8Path,
    /// Whether what is denied is noted, which costs a little for each file that is opened.
    pub observe: bool,
    /// The SHA-256 checksum that the file must have. What was summed is then what is executed.
    pub sha256: Option<[u8; 32]>,
}

/// What its standard streams are.
#[derive(Debug)]
pub struct Streams {
    /// Standard input.
    pub stdin: Input,
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
}

impl Running {
    /// Sees the program to its end, as [`jp_process::finish`] does, and settles what is left.
    pub async fn finish(
        self,
        input: Vec<u8>,
        bounds: Bounds,
        cancel: impl Future<Output = ()>,
    ) -> Result<(Finished, Outcome), ConfineError> {
        let finished = jp_process::finish(self.child, input, bounds, cancel).await?;
        let outcome = self.rest.settle(&finished.exit, finished.exit.interrupted())?;
        Ok((finished, outcome))
    }

    /// Settles what is left when the program has ended.
    pub fn end(self, exit: &Exit) -> Result<Outcome, ConfineError> {
        // The word of the process itself counts too. One whose end nobody has seen has not ended.
        let own = match self.child.exit() {
            Some(own) => own.interrupted(),
            None => Some(Interrupted::Stopped),
        };
        self.rest.settle(exit, own.or(exit.interrupted()))
    }
}

impl Rest {
    fn settle(
        self,
        exit: &Exit,
        interrupted: Option<Interrupted>,
    ) -> Result<Outcome, ConfineError> {
        let denied = self.proxy.map(ProxyHandle::stop);
        let advice = advice::collect(&self.prepared, &exit.blocked, denied.as_ref());
        let mut outcome = Outcome { pending: None, abandoned: None, advice };
        let Some(set) = self.changes else { return Ok(outcome) };
        let judged = judge(&self.prepared, &set)?;
        match interrupted {
            None => outcome.pending = Some(Pending { judged, _set: set }),
            Some(why) => outcome.abandoned = Some(Abandoned { judged, why, _set: set }),
        }
        Ok(outcome)
    }
}

fn judge(prepared: &Prepared, set: &ChangeSet) -> Result<Judged, ConfineError> {
    let gate = |path: &Utf8Path| {
        if prepared.is_kept(&prepared.root.join(path)) {
            return Err(SENSITIVE);
        }
        if prepared.is_settings(path) {
            return Err("it holds settings of jp, and no rule names it");
        }
        Ok(())
    };
    let changes = set.read(&prepared.root)?;
    Ok(changes.judge(prepared.policy.as_ref(), outside(&prepared.plan.view), gate))
}

/// Where links may lead: to what the program saw as the host has it.
fn outside(view: &View) -> Outside {
    let seen = view
        .places()
        .iter()
        .map(|place| (place.path.clone(), matches!(place.what, What::Host { .. })));
    // These are made for each process, and are not what the host has.
    let made = [("/dev".into(), false), ("/proc".into(), false), ("/dev/null".into(), true)];
    Outside::new(seen.chain(made))
}

impl Pending {
    /// What was changed, allowed and refused.
    pub fn judged(&self) -> &Judged {
        &self.judged
    }

    /// Makes the changes that are allowed.
    pub fn commit(self) -> Report {
        self.judged.commit()
    }
}

impl Abandoned {
    /// What was changed when it ended. Nothing of it is made.
    pub fn judged(&self) -> &Judged {
        &self.judged
    }

    /// Why nothing of it is made.
    pub fn why(&self) -> Interrupted {
        self.why
    }
}
