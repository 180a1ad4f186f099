//! A confined program while it runs, and what is settled when it has ended.

use std::ffi::OsString;

use camino::Utf8Path;
use jp_changes::{ChangeSet, Judged, Report, Store};
use jp_process::{Child, Exit, Input, Output, Spawn};
use jp_proxy::{Proxy, ProxyHandle, Rules};
use jp_sandbox::confinement::{Limits, Program};

use crate::{Advice, ConfineError, Confiner, Prepared, advice, variables};

/// A program that runs.
#[derive(Debug)]
pub struct Running {
    /// The process; its streams are those that were asked for.
    pub child: Child,
    prepared: Prepared,
    proxy: Option<ProxyHandle>,
    changes: Option<ChangeSet>,
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    /// What it changed where changes are kept apart, judged and not yet made.
    pub pending: Option<Pending>,
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
        let env = variables::build(
            &self.surroundings.variables,
            command.extra,
            &prepared.plan,
            prepared.policy.as_ref(),
        );
        let program = Program {
            path: command.path.into(),
            args: command.args,
            env,
            directory: command.directory.into(),
        };
        let kept = changes.as_ref().map(|set| set.path().to_owned());
        let confinement = prepared.plan.confinement(kept, Limits::default(), command.observe);
        let mut spawn = Spawn::new(program, confinement);
        (spawn.stdin, spawn.stdout, spawn.stderr) = (streams.stdin, streams.stdout, streams.stderr);
        let mut child = self.host.spawn(spawn).await?;
        let proxy = child.listener.take().map(|listener| {
            let rules = prepared.policy.as_ref().map(|policy| policy.net.clone());
            let table = format!("{}.access.net", prepared.key);
            Proxy::new(Rules::new(rules.unwrap_or_default(), table)).start(listener)
        });
        let proxy = proxy.transpose().map_err(ConfineError::Proxy)?;
        Ok(Running { child, prepared, proxy, changes })
    }

    fn begin_changes(&self, prepared: &Prepared) -> Result<Option<ChangeSet>, ConfineError> {
        if !prepared.plan.transactional {
            return Ok(None);
        }
        let store = Store::open_near(&prepared.root, &self.surroundings.stores)?;
        let places = prepared.plan.view.places().iter();
        let judged: Vec<_> =
            places.filter(|place| place.what.is_judged()).map(|place| place.path.clone()).collect();
        Ok(Some(store.begin(&judged)?))
    }
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
    /// Settles what is left when the program has ended.
    pub fn end(self, exit: &Exit) -> Result<Outcome, ConfineError> {
        let denied = self.proxy.map(ProxyHandle::stop);
        let advice = advice::collect(&self.prepared, &exit.blocked, denied.as_ref());
        let Some(set) = self.changes else { return Ok(Outcome { pending: None, advice }) };
        let prepared = &self.prepared;
        let gate = |path: &Utf8Path| {
            if prepared.is_kept(&prepared.root.join(path)) {
                return Err("it is sensitive, and nobody was asked");
            }
            if prepared.is_settings(path) {
                return Err("it holds settings of jp, and no rule names it");
            }
            Ok(())
        };
        let judged = set.read(&prepared.root)?.judge(prepared.policy.as_ref(), gate);
        Ok(Outcome { pending: Some(Pending { judged, _set: set }), advice })
    }
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
