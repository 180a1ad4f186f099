//! The helper: this program executed again, with one thread, no variables and one socket; or a copy of it
//! from its first moment, when it has one thread and has opened nothing.
//!
//! Namespaces and restrictions belong to the process or thread that asks for them, and code between
//! fork and execute must not touch what another thread may hold. A program with threads can do
//! neither safely, and a large one pays for each fork by its size. So jp starts this once, and it
//! forks a supervisor for each process that jp wants: small, and alone in its process.
//!
//! A supervisor is forked before it is needed and waits for an order itself, so that nobody waits for
//! the fork. The helper only sees to it that there is one; it knows nothing of what they do. Each talks
//! to jp by itself, and ends what it started when jp is gone.

use std::{
    fs::File,
    io::{self, Read},
    os::fd::{AsFd, OwnedFd},
    process::ExitCode,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    net::{SocketType, sockopt::socket_type},
    pipe::PipeFlags,
    process::{Pid, PidfdFlags, Signal, WaitOptions, pidfd_open, waitpid},
};

use super::{
    ahead,
    message::{Start, Written},
    probe,
    socket::Socket,
    supervisor,
    sys::{self, Alone, Fork},
    tool::Streams,
};
use crate::failure::Step;

/// The word by which a program knows that it was started as the helper.
pub const WORD: &str = "__sandbox";

/// Serves until the other side of the socket, which is the standard input, ends.
pub fn serve() -> ExitCode {
    match try_serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Carries out one order, in a process that `parent` has forked for it, and does not come back.
pub(super) fn serve_once(alone: Alone, parent: Pid) -> ! {
    let begun = || -> io::Result<Socket> {
        end_with(parent);
        rustix::process::chdir("/")?;
        begin(alone)
    };
    match begun() {
        Ok(socket) => take_only_order(alone, socket),
        Err(_) => sys::exit(1),
    }
}

/// The life of a supervisor that gets a single order: most programs are begun by a process that is there already.
fn take_only_order(alone: Alone, socket: Socket) -> ! {
    match ahead::start(alone, &socket) {
        Ok(Some(begun)) => {
            outlive_parent();
            supervisor::mind(begun, &socket)
        }
        Ok(None) | Err(_) => take_order(alone, socket, None),
    }
}

fn try_serve() -> io::Result<()> {
    let alone = Alone::check()?;
    let socket = begin(alone)?;
    // Supervisors are nobody's business once they have ended.
    sys::ignore_signal(libc::SIGCHLD, true);
    let (taken, take) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    let helper = rustix::process::getpid();
    loop {
        let next = match sys::fork(alone)? {
            Fork::Child => {
                drop(taken);
                end_with(helper);
                take_order(alone, socket, Some(take))
            }
            Fork::Parent(next) => next,
        };
        if !needs_another(&socket, &taken, next)? {
            // It hears of the end as this process does, and is not left for somebody else to reap.
            let _ = waitpid(Some(next), WaitOptions::empty());
            return Ok(());
        }
    }
}

/// Leaves everything behind but the socket, which is the standard input.
fn begin(alone: Alone) -> io::Result<Socket> {
    sys::close_inherited(alone)?;
    let socket = Socket::from(sys::inherited(0)?);
    // Somebody who calls this by hand has no orders, and no supervisor could wait for them.
    if socket_type(&socket)? != SocketType::SEQPACKET {
        return Err(io::Error::other("the standard input is not the socket of jp"));
    }
    // A signal for the terminal's foreground is for jp, which decides what it means for each tool. The session
    // stays, because a terminal can only be lent inside of one.
    let _ = rustix::process::setpgid(None, None);
    replace_standard_streams()?;
    Ok(socket)
}

/// Waits until there has to be another supervisor, because this one has taken an order or was killed
/// while it waited for one; false when there will be no more orders.
fn needs_another(socket: &Socket, taken: &OwnedFd, waiting: Pid) -> io::Result<bool> {
    let ended = match pidfd_open(waiting, PidfdFlags::empty()) {
        Ok(ended) => Some(ended),
        // It has ended already, perhaps after it took an order.
        Err(rustix::io::Errno::SRCH) => None,
        Err(error) => return Err(error.into()),
    };
    let at_most = ended.is_none().then(Timespec::default);
    // What can be received is for the supervisor; here only the end of the socket matters.
    let mut waits =
        vec![PollFd::new(socket, PollFlags::empty()), PollFd::new(taken, PollFlags::IN)];
    waits.extend(ended.as_ref().map(|ended| PollFd::new(ended, PollFlags::IN)));
    loop {
        match poll(&mut waits, at_most.as_ref()) {
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => break,
        }
    }
    if waits[1].revents().contains(PollFlags::IN) {
        rustix::io::read(taken, &mut [0; 1])?;
        return Ok(true);
    }
    // With the socket the supervisor ends as well, and that is no reason for another.
    Ok(waits[0].revents().is_empty())
}

/// A supervisor without an order ends with whoever forked it, also one that does not run: as long as it holds
/// the socket, an order in it is neither carried out nor gone.
fn end_with(parent: Pid) {
    let set = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    // The kernel only tells of an end that is still to come.
    if set.is_err() || rustix::process::getppid() != Some(parent) {
        sys::exit(0)
    }
}

/// What a supervisor starts outlives the helper. Should somebody have stopped this process, a program that knows its
/// number among them, it still goes on to notice that jp is gone.
fn outlive_parent() {
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::CONT));
}

/// A supervisor's life: one order, or the end.
fn take_order(alone: Alone, socket: Socket, take: Option<OwnedFd>) -> ! {
    let Ok(Some((start, descriptors))) = socket.receive() else { sys::exit(0) };
    outlive_parent();
    // One that was forked for a single order talks about it over the socket that it came by.
    let own = match take {
        Some(take) => {
            let _ = rustix::io::write(&take, &[1]);
            drop(socket);
            None
        }
        None => Some(socket),
    };
    sys::ignore_signal(libc::SIGCHLD, false);
    let _ = carry_out(alone, start, descriptors.into_iter(), own);
    sys::exit(0)
}

/// None where what should have come with it has not.
fn carry_out(
    alone: Alone,
    start: Start,
    mut with: impl Iterator<Item = OwnedFd>,
    own: Option<Socket>,
) -> Option<()> {
    let order = match start {
        Start::Run(order) => order,
        Start::Probe => {
            return Socket::from(with.next()?).send(&probe::probe(alone), &[]).ok();
        }
    };
    let streams = Streams { stdin: with.next()?, stdout: with.next()?, stderr: with.next()? };
    let bytes = match order {
        Written::Here(bytes) => Ok(bytes),
        Written::Aside { bytes } => read(with.next()?, bytes),
    };
    let order = bytes.and_then(|bytes| postcard::from_bytes(&bytes).map_err(io::Error::other));
    let control = own.or_else(|| with.next().map(Socket::from))?;
    supervisor::run(alone, order.map_err(Step::Request.of("")), streams, &control)
}

fn read(file: OwnedFd, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::from(file).take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn replace_standard_streams() -> io::Result<()> {
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC;
    let null = rustix::fs::open("/dev/null", flags, rustix::fs::Mode::empty())?;
    rustix::stdio::dup2_stdin(null.as_fd())?;
    rustix::stdio::dup2_stdout(null.as_fd())?;
    rustix::stdio::dup2_stderr(null.as_fd())?;
    Ok(())
}
