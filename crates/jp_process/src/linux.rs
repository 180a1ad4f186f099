//! The helper of the sandbox, as something to await.
//!
//! The helper is started when it is first needed. It takes one order at a time, so only a few may be on
//! their way to it: a queue that is full would block the thread that sends, and the kernel lets only
//! so many descriptors travel at once.
//!
//! The danger is a helper that is there and does nothing: somebody has stopped it, or it hangs in the
//! kernel. So nobody waits for it without an end, and one that does not work is ended and replaced.

use std::{
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::net::UnixStream,
    },
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jp_sandbox::{
    confinement::{Confinement, Program},
    event::Event,
    linux::{self, Spawner, Stdio, Waiting},
    machine::Machine,
};
use tokio::{
    io::Interest,
    sync::{Semaphore, SemaphorePermit},
};

/// How many orders may be on their way. Five descriptors travel with each, and 1024 is the usual limit.
const ON_THE_WAY: usize = 64;

/// Starts the helper when it is needed, and processes through it.
#[derive(Debug)]
pub(crate) struct Starter {
    helper: PathBuf,
    spawner: Mutex<Option<Arc<Spawner>>>,
    /// Carries out the first order, so that no helper has to be started for it.
    waiting: Mutex<Option<Waiting>>,
    turns: Semaphore,
}

/// What went wrong before the helper had the order.
#[derive(Debug)]
pub(crate) enum StartError {
    /// There is no helper.
    Helper(io::Error),
    /// It did not take the order.
    Order(io::Error),
}

/// A process that was asked for. Dropping it ends the process and everything it started.
#[derive(Debug)]
pub(crate) struct Process {
    child: linux::Child,
    /// The same connection to the supervisor, known to the runtime, which wakes whoever waits for it.
    /// Nothing is read from it but by the child: it has packets and no stream.
    wakes: tokio::net::UnixStream,
}

impl Starter {
    pub(crate) fn new(helper: PathBuf, waiting: Option<Waiting>) -> Self {
        let (spawner, waiting) = (Mutex::default(), Mutex::new(waiting));
        Self { helper, spawner, waiting, turns: Semaphore::new(ON_THE_WAY) }
    }

    pub(crate) fn helper(&self) -> &Path {
        &self.helper
    }

    /// Starts the helper, if there is none. Whatever keeps it from starting is told to the first who needs it.
    pub(crate) fn begin(&self) {
        let _ = self.spawner();
    }

    /// The right to send an order, until it is dropped.
    pub(crate) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed, which is the only error there is.
        self.turns.acquire().await.ok()
    }

    /// Sends the order. An order that could not be sent was not carried out, so it is safe to send it
    /// again, to a new helper, when the old one is dead or takes none.
    pub(crate) fn start(
        &self,
        confinement: &Confinement,
        program: &Program,
        stdio: &Stdio,
    ) -> Result<(Process, Option<Arc<Spawner>>), StartError> {
        if let Some(sent) = self.start_at_once(confinement, program, stdio) {
            let process = Process::new(sent).map_err(StartError::Order)?;
            return Ok((process, None));
        }
        let order = |spawner: &Spawner| spawner.spawn(confinement.clone(), program.clone(), stdio);
        let mut spawner = self.spawner().map_err(StartError::Helper)?;
        let mut sent = order(&spawner);
        if sent.as_ref().is_err_and(takes_none) {
            self.retire(&spawner);
            spawner = self.spawner().map_err(StartError::Helper)?;
            sent = order(&spawner);
        }
        let process = sent.and_then(Process::new).map_err(StartError::Order)?;
        Ok((process, Some(spawner)))
    }

    /// Gives the order to whoever waits for one. `None` if nobody has it, so that it can be given to another;
    /// an order that was sent may be carried out, whatever goes wrong afterwards.
    fn start_at_once(
        &self,
        confinement: &Confinement,
        program: &Program,
        stdio: &Stdio,
    ) -> Option<linux::Child> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        waiting.spawn(confinement.clone(), program.clone(), stdio).ok()
    }

    /// Asks the helper what the machine offers. One that does not answer is replaced once.
    pub(crate) async fn probe(&self, within: Duration) -> io::Result<Machine> {
        let spawner = self.spawner()?;
        let answer = probe(Arc::clone(&spawner), within).await;
        if !answer.as_ref().is_err_and(|error| takes_none(error) || is_silent(error)) {
            return answer;
        }
        self.retire(&spawner);
        probe(self.spawner()?, within).await
    }

    /// Ends a helper that does not work. The next order goes to another.
    pub(crate) fn retire(&self, spawner: &Arc<Spawner>) {
        let mut current = self.current();
        let is_current = current.as_ref().is_some_and(|current| Arc::ptr_eq(current, spawner));
        // Whoever drops the last one waits for its end, and nobody else should have to wait for that.
        let dropped = if is_current { current.take() } else { None };
        drop(current);
        spawner.kill();
        drop(dropped);
    }

    /// Whether orders that this helper had and nobody took are gone.
    pub(crate) fn is_gone(&self, spawner: &Arc<Spawner>) -> bool {
        let is_current =
            self.current().as_ref().is_some_and(|current| Arc::ptr_eq(current, spawner));
        !is_current || spawner.has_ended()
    }

    /// The helper, started now if there is none.
    fn spawner(&self) -> io::Result<Arc<Spawner>> {
        let mut current = self.current();
        if let Some(spawner) = &*current {
            return Ok(Arc::clone(spawner));
        }
        let spawner = Arc::new(Spawner::start(&self.helper)?);
        *current = Some(Arc::clone(&spawner));
        Ok(spawner)
    }

    fn current(&self) -> MutexGuard<'_, Option<Arc<Spawner>>> {
        // What is behind the lock is replaced whole, so it is right whoever panicked.
        self.spawner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The helper tries everything before it answers, and nothing else can be done on a thread that waits.
async fn probe(spawner: Arc<Spawner>, within: Duration) -> io::Result<Machine> {
    let asked = tokio::task::spawn_blocking(move || spawner.probe(within)).await;
    asked.map_err(io::Error::other)?.map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => {
            let text = format!("it gave no answer within {} seconds", within.as_secs());
            io::Error::new(error.kind(), text)
        }
        io::ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "it ended while it was asked"),
        _ => error,
    })
}

/// Whether the helper is dead, or has so many orders before it that it cannot be alive.
fn takes_none(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, WouldBlock};
    matches!(error.kind(), BrokenPipe | ConnectionReset | WouldBlock)
}

fn is_silent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::UnexpectedEof)
}

impl Process {
    fn new(child: linux::Child) -> io::Result<Self> {
        let wakes = UnixStream::from(child.as_fd().try_clone_to_owned()?);
        // Readiness is a hint: without this, a wrong one would block the thread. It holds for both
        // descriptors, which are one connection.
        wakes.set_nonblocking(true)?;
        Ok(Self { child, wakes: tokio::net::UnixStream::from_std(wakes)? })
    }

    /// The next event, with the descriptor that came with it; none when there will be no more.
    ///
    /// Nothing is lost when the future is dropped.
    pub(crate) async fn event(&self) -> io::Result<Option<(Event, Option<OwnedFd>)>> {
        loop {
            self.wakes.readable().await?;
            match self.wakes.try_io(Interest::READABLE, || self.child.event()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                heard => return heard,
            }
        }
    }

    /// Sends a signal to the program and its process group.
    pub(crate) fn signal(&self, number: i32) -> io::Result<()> {
        self.child.signal(number)
    }

    /// Gives up an order of which nobody knows whether it was begun.
    pub(crate) fn give_up(&mut self) {
        self.child.give_up();
    }

    /// Ends the program and everything it started.
    pub(crate) fn kill(&self) -> io::Result<()> {
        self.child.kill()
    }
}
