//! The host of all processes: hands orders to the helper and gives back what runs.

use std::{io, path::PathBuf, time::Duration};

use jp_sandbox::{
    confinement::{Confinement, Program},
    event::Event,
    failure::Failure,
    linux::{Stdio, Waiting},
    machine::Machine,
};
use tokio::time::timeout;

use crate::{
    child::Child,
    linux::{StartError, Starter},
    spawn::{Spawn, Streams},
};

/// How long the helper may take to answer, unless it is said otherwise. It takes milliseconds, also on a
/// machine with much to do.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long it may take until it is known what became of an order when its helper was ended.
const KNOWN_WITHIN: Duration = Duration::from_secs(2);

/// Starts processes. Making one costs nothing: the helper is started with the first process.
///
/// One host serves any number of tasks at the same time. A child does not need it any more once it
/// runs.
#[derive(Debug)]
pub struct Host {
    starter: Starter,
    patience: Duration,
}

/// Why a process does not run.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The helper itself cannot be started, or does not answer.
    #[error("the helper {helper} does not work", helper = .helper.display())]
    Helper {
        /// The program that should have been the helper.
        helper: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The order did not reach the helper.
    #[error("cannot ask the helper to start {program}", program = .program.display())]
    Order {
        /// What should have been started.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There are no pipes, or no descriptors, for its streams.
    #[error("cannot make the streams of {program}", program = .program.display())]
    Streams {
        /// What should have been started.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The helper said why not.
    #[error("cannot start {program}", program = .program.display())]
    Failed {
        /// What should have been started.
        program: PathBuf,
        /// The step that failed.
        #[source]
        failure: Failure,
    },
    /// It was about to start and did not, in all this time. It has been given up.
    #[error("{program} did not start within {} seconds", .within.as_secs(), program = .program.display())]
    Late {
        /// What should have been started.
        program: PathBuf,
        /// How long it had.
        within: Duration,
    },
    /// The helper went away without a word, so nobody knows whether the program ran.
    #[error("the helper was gone before it could tell whether {program} runs", program = .program.display())]
    Lost {
        /// What should have been started.
        program: PathBuf,
    },
}

impl Host {
    /// A host whose helper is this program: one that calls `jp_sandbox::linux::helper::serve` when its
    /// first argument is `jp_sandbox::linux::helper::WORD`.
    pub fn new(helper: impl Into<PathBuf>) -> Self {
        Self { starter: Starter::new(helper.into(), None), patience: PATIENCE }
    }

    /// The same host with somebody who carries out the first order. The helper is started for the second.
    #[must_use]
    pub fn begun(self, waiting: Option<Waiting>) -> Self {
        Self { starter: Starter::new(self.starter.helper().to_owned(), waiting), ..self }
    }

    /// Starts the helper now, so that it is ready when it is needed.
    pub fn begin(&self) {
        self.starter.begin();
    }

    /// The same host with a helper that may take so long to answer. One that takes longer is ended and
    /// replaced, once for each thing it is asked for.
    #[must_use]
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Tries what the machine offers to confine a process with.
    pub async fn machine(&self) -> Result<Machine, SpawnError> {
        let _turn = self.starter.turn().await;
        self.starter.probe(self.patience).await.map_err(|source| self.no_helper(source))
    }

    /// Starts a process and waits until it runs. A helper that has died or does not answer is replaced.
    ///
    /// Must be called inside a runtime with timers and I/O. When the future is dropped, the process
    /// is ended if it had begun.
    pub async fn spawn(&self, spawn: Spawn) -> Result<Child, SpawnError> {
        let Spawn { program, confinement, stdin, stdout, stderr } = spawn;
        let (streams, ours) = match Streams::open(stdin, stdout, stderr) {
            Ok(opened) => opened,
            Err(source) => return Err(SpawnError::Streams { program: program.path, source }),
        };
        let stdio = Stdio { stdin: streams.stdin, stdout: streams.stdout, stderr: streams.stderr };
        // Held until the program runs, so that orders do not pile up in front of the helper.
        let _turn = self.starter.turn().await;
        for _ in 0..2 {
            if let Some(child) = self.attempt(&confinement, &program, &stdio).await? {
                return Ok(child.with(ours));
            }
        }
        let seconds = self.patience.as_secs();
        let message = format!("two in a row were gone or did nothing for {seconds} seconds");
        Err(self.no_helper(io::Error::other(message)))
    }

    /// `None`: the helper does not work and nobody has taken the order, so it can be given to another.
    async fn attempt(
        &self,
        confinement: &Confinement,
        program: &Program,
        stdio: &Stdio,
    ) -> Result<Option<Child>, SpawnError> {
        let name = || program.path.clone();
        let (process, spawner) =
            self.starter.start(confinement, program, stdio).map_err(|error| match error {
                StartError::Order(source) => SpawnError::Order { program: name(), source },
                StartError::Helper(source) => self.no_helper(source),
            })?;
        let mut child = Child::new(name(), process);
        let heard = if let Ok(heard) = timeout(self.patience, began(&mut child)).await {
            heard
        } else {
            if let Some(spawner) = &spawner {
                self.starter.retire(spawner);
            }
            // An order that nobody took is gone with the helper. One that somebody took is not, and may
            // still be carried out, so it is not given to anybody else.
            let Ok(heard) = timeout(KNOWN_WITHIN, began(&mut child)).await else {
                child.give_up();
                return Err(SpawnError::Late { program: name(), within: self.patience });
            };
            heard
        };
        match (heard, spawner) {
            (Ok(()), _) => Ok(Some(child)),
            (Err(SpawnError::Lost { .. }), Some(spawner)) if self.starter.is_gone(&spawner) => {
                self.starter.retire(&spawner);
                Ok(None)
            }
            (Err(error), _) => Err(error),
        }
    }

    fn no_helper(&self, source: io::Error) -> SpawnError {
        SpawnError::Helper { helper: self.starter.helper().to_owned(), source }
    }
}

/// Waits until the program runs. What comes before that is kept in the child.
async fn began(child: &mut Child) -> Result<(), SpawnError> {
    loop {
        let event = child.next_event().await;
        let program = || child.program().to_owned();
        match event {
            // Some end before anybody could say that they began.
            Ok(Some(Event::Started | Event::Ended(_))) => return Ok(()),
            Ok(Some(Event::Listening | Event::Blocked(_) | Event::LeftBehind)) => {}
            Ok(Some(Event::Failed(failure))) => {
                return Err(SpawnError::Failed { program: program(), failure });
            }
            Ok(None) => return Err(SpawnError::Lost { program: program() }),
            Err(source) => return Err(SpawnError::Order { program: program(), source }),
        }
    }
}
