//! The host of all processes: hands orders to the helper and gives back what runs.

use std::{io, path::PathBuf};

use jp_sandbox::{event::Event, failure::Failure, machine::Machine};

use crate::{
    child::Child,
    linux::{StartError, Starter},
    spawn::{Spawn, Streams},
};

/// Starts processes. Making one costs nothing: the helper is started with the first process.
///
/// One host serves any number of tasks at the same time. A child does not need it any more once it
/// runs.
#[derive(Debug)]
pub struct Host {
    starter: Starter,
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
        Self { starter: Starter::new(helper.into()) }
    }

    /// Tries what the machine offers to confine a process with.
    pub async fn machine(&self) -> Result<Machine, SpawnError> {
        let _turn = self.starter.turn().await;
        self.starter.probe().await.map_err(|source| self.no_helper(source))
    }

    /// Starts a process and waits until it runs. A helper that has died is replaced.
    ///
    /// Must be called inside a runtime with timers and I/O. When the future is dropped, the process
    /// is ended if it had begun.
    pub async fn spawn(&self, spawn: Spawn) -> Result<Child, SpawnError> {
        let Spawn { program, confinement, stdin, stdout, stderr } = spawn;
        let name = program.path.clone();
        let (streams, ours) = match Streams::open(stdin, stdout, stderr) {
            Ok(opened) => opened,
            Err(source) => return Err(SpawnError::Streams { program: name, source }),
        };
        // Held until the program runs, so that orders do not pile up in front of the helper.
        let _turn = self.starter.turn().await;
        match self.starter.start(confinement, program, streams) {
            Ok(process) => began(Child::new(name, process, ours)).await,
            Err(StartError::Order(source)) => Err(SpawnError::Order { program: name, source }),
            Err(StartError::Helper(source)) => Err(self.no_helper(source)),
        }
    }

    fn no_helper(&self, source: io::Error) -> SpawnError {
        SpawnError::Helper { helper: self.starter.helper().to_owned(), source }
    }
}

/// Waits until the program runs. What comes before that is kept in the child.
async fn began(mut child: Child) -> Result<Child, SpawnError> {
    loop {
        let event = child.next_event().await;
        let program = || child.program().to_owned();
        match event {
            // Some end before anybody could say that they began.
            Ok(Some(Event::Started | Event::Ended(_))) => return Ok(child),
            Ok(Some(Event::Listening | Event::Blocked(_) | Event::LeftBehind)) => {}
            Ok(Some(Event::Failed(failure))) => {
                return Err(SpawnError::Failed { program: program(), failure });
            }
            Ok(None) => return Err(SpawnError::Lost { program: program() }),
            Err(source) => return Err(SpawnError::Order { program: program(), source }),
        }
    }
}
