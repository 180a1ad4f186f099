//! A whole call: start, feed, keep the output, mind the time, end.
//!
//! Three things go on at once and none waits for another: the input is fed, both outputs are read, and
//! the process is watched. So a process that never reads cannot block, and one that fills both pipes
//! does not either. The call ends when the process ends, not when its pipes do: a pipe may have been
//! handed to somebody else, while everything that the process started is gone by then.
//!
//! Output beyond the limit stops the process. The call is an error at that point, and a program that
//! does not know when to stop would otherwise go on until its time is up. It is stopped in the same
//! way as one whose time is up, and read on meanwhile, so that it can end properly.

mod streams;

use std::{future::Future, pin::pin, time::Duration};

use jp_sandbox::confinement::{Confinement, Program};
use tokio::{sync::Notify, time::sleep};

use self::streams::{Capture, Feed};
use crate::{
    child::{Child, Exit, Stop, WaitError},
    host::{Host, SpawnError},
    spawn::{Input, Spawn},
};

/// What to run, and within what bounds.
#[derive(Debug, Clone)]
pub struct Call {
    /// The program with its words, variables and directory.
    pub program: Program,
    /// How it is confined.
    pub confinement: Confinement,
    /// All of its input.
    pub input: Vec<u8>,
    /// What it may use.
    pub bounds: Bounds,
}

/// What a call may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The most bytes that are kept of each output.
    pub output: usize,
    /// The most time from the start to the end.
    pub time: Option<Duration>,
    /// How it is stopped when it has used up either, or is cancelled.
    pub stop: Stop,
}

impl Default for Bounds {
    /// Ten megabytes, no end of time.
    fn default() -> Self {
        Self { output: 10 * 1024 * 1024, time: None, stop: Stop::default() }
    }
}

/// A call that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// How the program ended.
    pub exit: Exit,
    /// Its output.
    pub stdout: Captured,
    /// Its messages.
    pub stderr: Captured,
    /// Why it was stopped, if it was. A program may end by itself with too much output before it is
    /// stopped; that an output is not whole is told by the output.
    pub stopped: Option<Stopped>,
}

/// What was kept of an output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes.
    pub bytes: Vec<u8>,
    /// Whether there were more.
    pub truncated: bool,
}

/// Why a process was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stopped {
    /// Its time was up.
    Time,
    /// Nobody wants it any more.
    Cancelled,
    /// It wrote more than is kept.
    Output(Stream),
}

/// An output of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Its output.
    Stdout,
    /// Its messages.
    Stderr,
}

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It did not start.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// Its end is not known.
    #[error(transparent)]
    Wait(#[from] WaitError),
    /// It was stopped before it ran.
    #[error("{program} was stopped before it ran", program = .program.display())]
    Stopped {
        /// What should have run.
        program: std::path::PathBuf,
        /// Why.
        why: Stopped,
    },
}

/// Runs a program from its start to its end.
///
/// When `cancel` comes first, the process is stopped and what it wrote until then is returned. When the
/// future is dropped, the process and everything it started is ended at once.
pub async fn run(
    host: &Host,
    call: Call,
    cancel: impl Future<Output = ()>,
) -> Result<Finished, RunError> {
    let Call { program, confinement, input, bounds } = call;
    let name = program.path.clone();
    let mut spawn = Spawn::new(program, confinement).piped();
    if input.is_empty() {
        spawn.stdin = Input::Null;
    }
    let mut enough = pin!(enough(bounds.time, cancel));
    let child = tokio::select! {
        child = host.spawn(spawn) => child?,
        why = &mut enough => return Err(RunError::Stopped { program: name, why }),
    };
    Ok(attend(child, input, bounds, enough).await?)
}

/// Sees a process that runs to its end, as [`run`] does: feeds its `stdin`, keeps what comes from its
/// `stdout` and `stderr`. A stream that is not there, because it was not asked for or was taken out, is
/// left alone. The time starts now.
pub async fn finish(
    child: Child,
    input: Vec<u8>,
    bounds: Bounds,
    cancel: impl Future<Output = ()>,
) -> Result<Finished, WaitError> {
    attend(child, input, bounds, enough(bounds.time, cancel)).await
}

/// Completes when the call has to be stopped for a reason outside the process.
async fn enough(time: Option<Duration>, cancel: impl Future<Output = ()>) -> Stopped {
    let time_is_up = async {
        match time {
            Some(time) => sleep(time).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = cancel => Stopped::Cancelled,
        () = time_is_up => Stopped::Time,
    }
}

async fn attend(
    mut child: Child,
    input: Vec<u8>,
    bounds: Bounds,
    enough: impl Future<Output = Stopped>,
) -> Result<Finished, WaitError> {
    let mut feed = Feed::new(child.stdin.take(), input);
    let mut stdout = Capture::new(child.stdout.take(), bounds.output);
    let mut stderr = Capture::new(child.stderr.take(), bounds.output);
    let (much_stdout, much_stderr) = (Notify::new(), Notify::new());
    let why = async {
        tokio::select! {
            why = enough => why,
            () = much_stdout.notified() => Stopped::Output(Stream::Stdout),
            () = much_stderr.notified() => Stopped::Output(Stream::Stderr),
        }
    };
    let copy = async {
        tokio::join!(feed.write(), stdout.read(&much_stdout), stderr.read(&much_stderr));
        // Only the end of the process is the end of the call.
        std::future::pending::<std::convert::Infallible>().await
    };
    let (exit, stopped) = tokio::select! {
        ended = see_to_its_end(&mut child, why, bounds.stop) => ended,
        never = copy => match never {},
    };
    let exit = exit?;
    let (stdout, stderr) = (stdout.finish(), stderr.finish());
    Ok(Finished { exit, stdout, stderr, stopped })
}

async fn see_to_its_end(
    child: &mut Child,
    why: impl Future<Output = Stopped>,
    stop: Stop,
) -> (Result<Exit, WaitError>, Option<Stopped>) {
    let why = tokio::select! {
        exit = child.wait() => return (exit, None),
        why = why => why,
    };
    (child.stop(stop).await, Some(why))
}
