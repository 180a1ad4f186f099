//! jp's side of the helper: start it once, ask it for processes, hear what becomes of them.

use std::{
    fs::File,
    io::{self, Seek, Write},
    mem,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::Path,
    process::Command,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{MemfdFlags, memfd_create},
    net::sockopt::{Timeout, set_socket_timeout},
    process::{Pid, PidfdFlags, Signal, WaitOptions, kill_process, pidfd_open, setpgid, waitpid},
};

use super::{
    helper,
    message::{Control, Order, Start, Written},
    socket::Socket,
    sys::{self, Alone, Fork},
};
use crate::{
    confinement::{Confinement, Program},
    event::Event,
    machine::Machine,
};

/// How long a helper may take to end when there are no more orders for it, in steps: it has nothing left to do,
/// so one that takes longer does not run. It is woken before each step, because what it minds can stop it at any
/// moment, also after it was woken.
const FAREWELL: u32 = 100;
const STEP: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

/// The longest order that is sent in a message to somebody who gets no other. Where several orders may lie before
/// a helper, as many of any length as there may be have to fit, so that each is in a file.
const SHORT: usize = 32 << 10;

/// The helper of this run.
#[derive(Debug)]
pub struct Spawner {
    socket: Socket,
    helper: Mutex<Helper>,
}

/// The process of the helper. Nobody but us waits for it, so its number is its own until we have.
#[derive(Debug)]
struct Helper {
    number: Pid,
    has_ended: bool,
}

/// What starts one process, and is there already: a copy of this program that waits for its order. Making
/// one takes a fork and no more, where a helper has to be executed and to fork in turn.
///
/// It is for programs that may see what this one does: the words it was called with stand in `/proc` for
/// whatever is started in a namespace by a copy.
#[derive(Debug)]
pub struct Waiting {
    /// Taken along by the process that is started.
    ready: Option<(Socket, Helper)>,
}

/// What becomes the standard streams of a process.
#[derive(Debug)]
pub struct Stdio {
    /// Standard input.
    pub stdin: OwnedFd,
    /// Standard output.
    pub stdout: OwnedFd,
    /// Standard error.
    pub stderr: OwnedFd,
}

/// A process, from its start to its end. Dropping it ends the process and everything it started.
#[derive(Debug)]
pub struct Child {
    control: Socket,
    /// The supervisor, where it is a child of this process.
    waited: Option<Helper>,
    /// Whether it has said its last word: then nothing of the program is left that could stop it.
    is_over: AtomicBool,
}

impl Spawner {
    /// Starts the helper: a program that calls [`helper::serve`] when its first argument is
    /// [`helper::WORD`].
    pub fn start(program: &Path) -> io::Result<Self> {
        let (ours, theirs) = Socket::pair()?;
        // A helper that does not take its orders must not block whoever sends one more.
        rustix::io::ioctl_fionbio(&ours, true)?;
        #[expect(clippy::disallowed_methods, reason = "this is where processes come from")]
        let mut command = Command::new(program);
        let helper = command
            .arg(helper::WORD)
            .env_clear()
            .current_dir("/")
            .stdin(OwnedFd::from(theirs))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()?;
        Ok(Self::new(ours, Pid::from_child(&helper)))
    }

    fn new(socket: Socket, number: Pid) -> Self {
        Self { socket, helper: Mutex::new(Helper { number, has_ended: false }) }
    }

    /// Starts a process. What could not be done is told as its first event.
    pub fn spawn(
        &self,
        confinement: Confinement,
        program: Program,
        stdio: &Stdio,
    ) -> io::Result<Child> {
        let (control, theirs) = Socket::pair()?;
        send_order(&self.socket, &Order { confinement, program }, stdio, Some(&theirs))?;
        Ok(Child::new(control, None))
    }

    /// Tries what the machine offers. Blocks; fails as timed out when there is no answer within this time,
    /// and as an unexpected end when the helper ends while it is asked.
    pub fn probe(&self, within: Duration) -> io::Result<Machine> {
        let (control, theirs) = Socket::pair()?;
        set_socket_timeout(&control, Timeout::Recv, Some(within))?;
        self.socket.send(&Start::Probe, &[theirs.as_fd()])?;
        drop(theirs);
        match control.receive() {
            Ok(Some((machine, _))) => Ok(machine),
            Ok(None) => Err(io::ErrorKind::UnexpectedEof.into()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                Err(io::ErrorKind::TimedOut.into())
            }
            Err(error) => Err(error),
        }
    }

    /// Ends a helper that does not work any more. What was started stays; orders that nobody has taken are
    /// gone, which whoever waits for them hears as the end of the process.
    pub fn kill(&self) {
        let _ = rustix::net::shutdown(&self.socket, rustix::net::Shutdown::Both);
        self.helper().kill();
    }

    /// Whether the helper is not there any more.
    pub fn has_ended(&self) -> bool {
        self.helper().has_ended()
    }

    fn helper(&self) -> MutexGuard<'_, Helper> {
        self.helper.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Makes one. For the very beginning of a program: it must have one thread, and the copy keeps all that is
    /// in its memory.
    pub fn fork() -> io::Result<Self> {
        let alone = Alone::check()?;
        let (ours, theirs) = Socket::pair()?;
        let parent = rustix::process::getpid();
        match sys::fork(alone)? {
            Fork::Parent(number) => {
                // It does the same; whoever comes first keeps signals of the terminal from it.
                let _ = setpgid(Some(number), Some(number));
                Ok(Self { ready: Some((ours, Helper { number, has_ended: false })) })
            }
            Fork::Child => {
                let _ = rustix::stdio::dup2_stdin(theirs.as_fd());
                // Everything but the standard streams is closed at once, these two among it.
                mem::forget((ours, theirs));
                // A process that was forked has one thread as well.
                helper::serve_once(alone, parent)
            }
        }
    }

    /// Starts the process. What could not be done is told as its first event.
    pub fn spawn(
        mut self,
        confinement: Confinement,
        program: Program,
        stdio: &Stdio,
    ) -> io::Result<Child> {
        let order = Order { confinement, program };
        if let Some((socket, _)) = &self.ready {
            send_order(socket, &order, stdio, None)?;
        }
        let (control, helper) = self.ready.take().ok_or(io::ErrorKind::NotConnected)?;
        Ok(Child::new(control, Some(helper)))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((socket, helper)) = &mut self.ready {
            let _ = rustix::net::shutdown(socket, rustix::net::Shutdown::Both);
            helper.end();
        }
    }
}

/// Sends an order to whoever takes the next one. Without a socket for it, this one is what is talked over.
fn send_order(
    socket: &Socket,
    order: &Order,
    stdio: &Stdio,
    control: Option<&Socket>,
) -> io::Result<()> {
    let bytes = postcard::to_allocvec(&order).map_err(io::Error::other)?;
    let mut with: Vec<_> = [&stdio.stdin, &stdio.stdout, &stdio.stderr].map(AsFd::as_fd).into();
    if control.is_none() && bytes.len() <= SHORT {
        return socket.send(&Start::Run(Written::Here(bytes)), &with);
    }
    let mut file = File::from(memfd_create("order", MemfdFlags::CLOEXEC)?);
    file.write_all(&bytes)?;
    file.rewind()?;
    with.push(file.as_fd());
    with.extend(control.map(AsFd::as_fd));
    socket.send(&Start::Run(Written::Aside { bytes: bytes.len() as u64 }), &with)
}

impl Drop for Spawner {
    fn drop(&mut self) {
        // The end of the socket is what the helper ends by, and the supervisor that waits for an order.
        let _ = rustix::net::shutdown(&self.socket, rustix::net::Shutdown::Both);
        self.helper().end();
    }
}

impl Helper {
    /// Sees to it that it ends, which it does by itself when nobody is at the other side of its socket.
    fn end(&mut self) {
        for _ in 0..FAREWELL {
            self.wake();
            if self.ends() {
                return;
            }
        }
        self.kill();
        // If it does not even go then, it is stuck in the kernel, and nobody can wait for it.
        self.ends();
    }

    /// Waits until it has ended, if that is soon.
    fn ends(&mut self) -> bool {
        if !self.has_ended()
            && let Ok(ended) = pidfd_open(self.number, PidfdFlags::empty())
        {
            let _ = poll(&mut [PollFd::new(&ended, PollFlags::IN)], Some(&STEP));
        }
        self.has_ended()
    }

    fn has_ended(&mut self) -> bool {
        if !self.has_ended {
            let waited = waitpid(Some(self.number), WaitOptions::NOHANG);
            self.has_ended = !matches!(waited, Ok(None) | Err(rustix::io::Errno::INTR));
        }
        self.has_ended
    }

    fn kill(&mut self) {
        if !self.has_ended() {
            let _ = kill_process(self.number, Signal::KILL);
        }
    }

    /// Lets it go on if somebody has stopped it, be it the program that it minds.
    fn wake(&self) {
        if !self.has_ended {
            let _ = kill_process(self.number, Signal::CONT);
        }
    }
}

impl Child {
    fn new(control: Socket, waited: Option<Helper>) -> Self {
        Self { control, waited, is_over: AtomicBool::new(false) }
    }

    /// The next event; none when the supervisor is gone. Blocks.
    pub fn event(&self) -> io::Result<Option<(Event, Option<OwnedFd>)>> {
        let received = self.control.receive()?;
        if let None | Some((Event::Ended(_) | Event::Failed(_), _)) = &received {
            self.is_over.store(true, Ordering::Relaxed);
        }
        Ok(received.map(|(event, mut with)| (event, with.pop())))
    }

    /// Sends a signal to the program and its process group.
    pub fn signal(&self, number: i32) -> io::Result<()> {
        self.control.send(&Control::Signal(number), &[])
    }

    /// Ends the program and everything it started.
    pub fn kill(&self) -> io::Result<()> {
        let sent = self.control.send(&Control::Kill, &[]);
        if let Some(waited) = &self.waited {
            waited.wake();
        }
        sent
    }
}

impl Child {
    /// Gives up an order of which nobody knows whether it was begun: whoever holds it does not carry it out later,
    /// and ends what it has started.
    pub fn give_up(&mut self) {
        let _ = rustix::net::shutdown(&self.control, rustix::net::Shutdown::Both);
        if let Some(waited) = &mut self.waited {
            waited.end();
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(waited) = &mut self.waited {
            // It ends when nobody is there to hear it, with everything it started. Mostly it has by now; one that has
            // said its last word goes by itself, and is reaped with this program.
            let _ = rustix::net::shutdown(&self.control, rustix::net::Shutdown::Both);
            if !*self.is_over.get_mut() {
                waited.end();
            } else if !waited.has_ended() {
                waited.wake();
            }
        }
    }
}

impl AsFd for Child {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.control.as_fd()
    }
}
