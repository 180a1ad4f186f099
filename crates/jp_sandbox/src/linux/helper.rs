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
    message::{Order, Start, Written},
    nowhere::Nowhere,
    probe,
    socket::Socket,
    supervisor,
    sys::{self, Alone, Fork},
    tool::Streams,
};
use crate::{
    confinement::{Network, Tier},
    failure::{Failure, Step},
};

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
        if !end_with(parent) {
            sys::exit(0)
        }
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
    // Whoever started jp may have ignored it. Then the kernel would reap what is begun here, and nobody would hear how
    // it ended.
    sys::ignore_signal(libc::SIGCHLD, false);
    match ahead::start(alone, &socket) {
        Ok(Some(begun)) => {
            outlive_parent();
            supervisor::mind(begun, &socket)
        }
        Ok(None) | Err(_) => take_order(alone, socket, None, None),
    }
}

fn try_serve() -> io::Result<()> {
    let alone = Alone::check()?;
    let socket = begin(alone)?;
    // Supervisors are nobody's business once they have ended.
    sys::ignore_signal(libc::SIGCHLD, true);
    let (taken, take) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    let helper = rustix::process::getpid();
    // Tried once, and not before somebody could have used it.
    let mut nowhere: Option<io::Result<Nowhere>> = None;
    loop {
        let next = match sys::fork(alone)? {
            Fork::Child => {
                drop(taken);
                if !end_with(helper) {
                    sys::exit(0)
                }
                take_order(
                    alone,
                    socket,
                    Some(take),
                    nowhere.as_ref().and_then(|made| made.as_ref().ok()),
                )
            }
            Fork::Parent(next) => next,
        };
        loop {
            match wait_for_news(&socket, &taken, next)? {
                News::Taken => break,
                News::Sealed => drop(nowhere.get_or_insert_with(|| Nowhere::make(alone))),
                News::End => {
                    // It hears of the end as this process does, and is not left for somebody else to reap.
                    let _ = waitpid(Some(next), WaitOptions::empty());
                    return Ok(());
                }
            }
        }
    }
}

/// What the helper waits for.
enum News {
    /// There has to be another supervisor, because this one has taken an order or was killed while it waited for one.
    Taken,
    /// There was a program without a network. More of them may follow.
    Sealed,
    /// There will be no more orders.
    End,
}

/// What a supervisor tells the helper: that it has taken an order, and that the order is one for [`News::Sealed`].
const TAKEN: u8 = 1;
const SEALED: u8 = 2;

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

fn wait_for_news(socket: &Socket, taken: &OwnedFd, waiting: Pid) -> io::Result<News> {
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
        let mut told = [0];
        rustix::io::read(taken, &mut told)?;
        return Ok(if told == [SEALED] { News::Sealed } else { News::Taken });
    }
    // With the socket the supervisor ends as well, and that is no reason for another.
    Ok(if waits[0].revents().is_empty() { News::Taken } else { News::End })
}

/// A supervisor without an order ends with whoever forked it, also one that does not run: as long as it holds
/// the socket, an order in it is neither carried out nor gone. False if it is too late for that: then it has to end
/// by itself.
pub(super) fn end_with(parent: Pid) -> bool {
    let set = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    // The kernel only tells of an end that is still to come.
    set.is_ok() && rustix::process::getppid() == Some(parent)
}

/// What a supervisor starts outlives the helper. Should somebody have stopped this process, a program that knows its
/// number among them, it still goes on to notice that jp is gone.
fn outlive_parent() {
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::CONT));
}

/// A supervisor's life: one order, or the end.
fn take_order(alone: Alone, socket: Socket, take: Option<OwnedFd>, nowhere: Option<&Nowhere>) -> ! {
    let Ok(Some((start, descriptors))) = socket.receive() else { sys::exit(0) };
    outlive_parent();
    // One that was forked for a single order talks about it over the socket that it came by.
    let own = match &take {
        Some(take) => {
            let _ = rustix::io::write(take, &[TAKEN]);
            drop(socket);
            None
        }
        None => Some(socket),
    };
    sys::ignore_signal(libc::SIGCHLD, false);
    if let Some((order, streams, control)) = read(alone, start, descriptors.into_iter(), own) {
        // Without namespaces there is no network for it to share.
        let is_sealed = |order: &Order| {
            let how = &order.confinement;
            (how.tier, how.network) == (Tier::Namespaces, Network::Sealed)
        };
        if let (Some(take), None, Ok(true)) = (take, nowhere, order.as_ref().map(is_sealed)) {
            let _ = rustix::io::write(take, &[SEALED]);
        }
        supervisor::run(alone, order, streams, &control, nowhere)
    }
    sys::exit(0)
}

/// The order, what becomes the standard streams, and the socket to talk about it. None where what should have come
/// with it has not, and where it was answered.
fn read(
    alone: Alone,
    start: Start,
    mut with: impl Iterator<Item = OwnedFd>,
    own: Option<Socket>,
) -> Option<(Result<Order, Failure>, Streams, Socket)> {
    let order = match start {
        Start::Run(order) => order,
        Start::Probe => {
            let _ = Socket::from(with.next()?).send(&probe::probe(alone), &[]);
            return None;
        }
    };
    let streams = Streams { stdin: with.next()?, stdout: with.next()?, stderr: with.next()? };
    let bytes = match order {
        Written::Here(bytes) => Ok(bytes),
        Written::Aside { bytes } => read_file(with.next()?, bytes),
    };
    let order = bytes.and_then(|bytes| postcard::from_bytes(&bytes).map_err(io::Error::other));
    let control = own.or_else(|| with.next().map(Socket::from))?;
    Some((order.map_err(Step::Request.of("")), streams, control))
}

fn read_file(file: OwnedFd, length: u64) -> io::Result<Vec<u8>> {
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
