//! A process that runs: its streams, its signals, its end.
//!
//! All futures here can be dropped at any await: what was heard is kept in the child, and the next call
//! goes on from there.

use std::{
    fmt, io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    time::Duration,
};

use jp_sandbox::{
    event::{Blocked, Ended, Event},
    failure::Failure,
};
use tokio::{net::unix::pipe, time::timeout};

use crate::{
    linux::Process,
    signal::{Signal, signal_name},
    spawn::Ours,
};

/// How long a process that was killed may take to be gone. The supervisor itself gives up after five
/// seconds; what is left then is stuck in the kernel, and nobody can wait for it.
const GONE_WITHIN: Duration = Duration::from_secs(15);

/// A process that runs. Dropping it ends the process and everything it started.
///
/// The streams are there when they were asked for as pipes. They are independent of each other and of
/// the child: take them out to use them in tasks of their own, drop one to close it.
#[derive(Debug)]
pub struct Child {
    /// Its input. A write to a process that has closed it fails, provided that the program this crate
    /// is used in ignores `SIGPIPE`, as Rust programs do.
    pub stdin: Option<pipe::Sender>,
    /// Its output.
    pub stdout: Option<pipe::Receiver>,
    /// Its messages.
    pub stderr: Option<pipe::Receiver>,
    /// Where its connections to the proxy arrive, when its network is the proxy: a listening socket.
    pub listener: Option<OwnedFd>,
    program: PathBuf,
    process: Process,
    blocked: Vec<Blocked>,
    ended: Option<Ended>,
    left_behind: bool,
    /// Whether somebody here wanted it to end before it had.
    was_stopped: bool,
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// By itself with a code, or by a signal.
    pub ended: Ended,
    /// What it was denied, if it was observed.
    pub blocked: Vec<Blocked>,
    /// Whether processes that it had started were still there when it ended; they were ended with it.
    /// Only known where it has a namespace for its processes.
    pub left_behind: bool,
    was_stopped: bool,
}

/// Why the work of a process is not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupted {
    /// It was told to end, or made to, before it had: cancelled, too slow, too loud, or its host is
    /// itself about to end. How it ended does not matter; a program may end politely with code 0.
    Stopped,
    /// It died of this signal, whoever sent it: the kernel because it used too much, somebody else, or
    /// a mistake of its own.
    Signal(i32),
}

/// How to end a process that may want to end in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// How long it may take to end by itself, because it was told so or its input has ended.
    pub terminate_after: Duration,
    /// How long it may take to end after it was sent `SIGTERM`.
    pub kill_after: Duration,
}

impl Default for Stop {
    /// `SIGTERM` at once, and two seconds to obey.
    fn default() -> Self {
        Self { terminate_after: Duration::ZERO, kill_after: Duration::from_secs(2) }
    }
}

/// Why the end of a process is not known.
#[derive(Debug, thiserror::Error)]
pub enum WaitError {
    /// Its supervisor could not go on; the process has been ended.
    #[error("{program} could not be watched", program = .program.display())]
    Failed {
        /// The program.
        program: PathBuf,
        /// What failed.
        #[source]
        failure: Failure,
    },
    /// Its supervisor is gone, and the process with it.
    #[error("the supervisor of {program} was killed", program = .program.display())]
    Lost {
        /// The program.
        program: PathBuf,
    },
    /// It was killed and is still there.
    #[error("{program} was killed but does not end: it is stuck in the kernel", program = .program.display())]
    Stuck {
        /// The program.
        program: PathBuf,
    },
    /// The connection to its supervisor failed.
    #[error("cannot hear what becomes of {program}", program = .program.display())]
    Connection {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Child {
    pub(crate) fn new(program: PathBuf, process: Process) -> Self {
        Self {
            stdin: None,
            stdout: None,
            stderr: None,
            listener: None,
            program,
            process,
            blocked: Vec::new(),
            ended: None,
            left_behind: false,
            was_stopped: false,
        }
    }

    /// The same child with its streams.
    pub(crate) fn with(self, ours: Ours) -> Self {
        let Ours { stdin, stdout, stderr } = ours;
        Self { stdin, stdout, stderr, ..self }
    }

    /// Gives up an order of which nobody knows whether it was begun: nobody carries it out later.
    pub(crate) fn give_up(&mut self) {
        self.process.give_up();
    }

    /// The file that was executed.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// How it ended, if it has and somebody has waited for it.
    pub fn exit(&self) -> Option<Exit> {
        let (blocked, left_behind) = (self.blocked.clone(), self.left_behind);
        Some(Exit { ended: self.ended?, blocked, left_behind, was_stopped: self.was_stopped })
    }

    /// Waits until the process, and everything it started, has ended. Says the same when asked again.
    ///
    /// It waits for processes, not for pipes: what was written before the end can still be read after.
    pub async fn wait(&mut self) -> Result<Exit, WaitError> {
        loop {
            if let Some(exit) = self.exit() {
                return Ok(exit);
            }
            let event = self.next_event().await;
            let program = || self.program.clone();
            match event {
                Ok(Some(Event::Failed(failure))) => {
                    return Err(WaitError::Failed { program: program(), failure });
                }
                Ok(Some(_)) => {}
                Ok(None) => return Err(WaitError::Lost { program: program() }),
                Err(source) => return Err(WaitError::Connection { program: program(), source }),
            }
        }
    }

    /// Sends a signal to the program and its process group. Nobody may be there any more to get it.
    ///
    /// All of them ask it to end, so what it does from then on is not what it was started for: see
    /// [`Exit::interrupted`].
    pub fn signal(&mut self, signal: Signal) -> io::Result<()> {
        self.note_stop();
        self.process.signal(signal.number())
    }

    /// Lets the process end by itself, asks it to, makes it, each when the step before did not help.
    ///
    /// Dropping the future leaves the process running; calling it again starts with the first step.
    pub async fn stop(&mut self, stop: Stop) -> Result<Exit, WaitError> {
        self.note_stop();
        if let Ok(exit) = timeout(stop.terminate_after, self.wait()).await {
            return exit;
        }
        // It may end at this moment, and then there is nobody to be asked: the wait tells.
        let _ = self.signal(Signal::Terminate);
        if let Ok(exit) = timeout(stop.kill_after, self.wait()).await {
            return exit;
        }
        self.kill().await
    }

    /// Ends the process and everything it started, and waits until they are gone.
    pub async fn kill(&mut self) -> Result<Exit, WaitError> {
        self.note_stop();
        // A supervisor that cannot hear this any more has ended or is gone, which the wait tells.
        let _ = self.process.kill();
        match timeout(GONE_WITHIN, self.wait()).await {
            Ok(exit) => exit,
            Err(_) => Err(WaitError::Stuck { program: self.program.clone() }),
        }
    }

    /// Somebody wants the process to end. What has ended already cannot be stopped any more; if its
    /// end is only not known here yet, it counts as stopped, which is the safe side.
    fn note_stop(&mut self) {
        self.was_stopped |= self.ended.is_none();
    }

    /// The next thing that happened, after what it means has been kept.
    pub(crate) async fn next_event(&mut self) -> io::Result<Option<Event>> {
        let Some((event, descriptor)) = self.process.event().await? else { return Ok(None) };
        match &event {
            Event::Listening => self.listener = descriptor,
            Event::Blocked(blocked) => self.blocked.extend_from_slice(blocked),
            Event::Ended(ended) => self.ended = Some(*ended),
            Event::LeftBehind => self.left_behind = true,
            Event::Started | Event::Failed(_) => {}
        }
        Ok(Some(event))
    }
}

impl Exit {
    /// The end of a process that nobody stopped, and that was denied nothing.
    pub fn by_itself(ended: Ended) -> Self {
        Self { ended, blocked: Vec::new(), left_behind: false, was_stopped: false }
    }

    /// Whether the program said that all is well.
    pub fn is_success(&self) -> bool {
        self.ended == Ended::Code(0)
    }

    /// Why what the program did is not whole; `None` if it ended by itself, whatever its code says. Only
    /// a [`Child`] makes an `Exit`, and it remembers whether it was stopped, so nobody else has to.
    pub fn interrupted(&self) -> Option<Interrupted> {
        match self.ended {
            _ if self.was_stopped => Some(Interrupted::Stopped),
            Ended::Signal(number) => Some(Interrupted::Signal(number)),
            Ended::Code(_) => None,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ended {
            Ended::Code(code) => write!(f, "exited with code {code}"),
            Ended::Signal(number) => match signal_name(number) {
                Some(name) => write!(f, "was ended by {name}"),
                None => write!(f, "was ended by signal {number}"),
            },
        }
    }
}
