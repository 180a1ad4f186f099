//! One process for each confined process: starts it, watches it, and sees to its end.
//!
//! It stays outside, so that it can still see what the host has when it says what was denied. When jp
//! goes away, for whatever reason, its socket ends and the supervisor ends everything below it; should
//! the supervisor itself be killed, the kernel ends what hangs on it.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    process::{
        Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus,
        kill_process_group, pidfd_open, waitid, waitpid,
    },
};

use super::{
    ahead::Ahead,
    init,
    message::{Control, Inner, Order},
    notify::Observer,
    nowhere::Nowhere,
    socket::Socket,
    sys::{self, Alone, Fork},
    terminal::Lent,
    tool::{self, Streams},
    tree,
};
use crate::{
    confinement::{Network, Tier},
    event::{Ended, Event},
    failure::{Failure, Step},
};

/// The namespaces of the first tier. The network is added where it is not shared.
const NAMESPACES: libc::c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS;

/// Starts what the order says, and ends with it.
pub(super) fn run(
    alone: Alone,
    order: Result<Order, Failure>,
    streams: Streams,
    control: &Socket,
    nowhere: Option<&Nowhere>,
) -> ! {
    // It may have lain here for long: what nobody waits for any more is not begun.
    if control.is_left() {
        sys::exit(0)
    }
    if let Err(failure) = order.and_then(|order| start(alone, &order, streams, control, nowhere)) {
        let _ = control.send(&Event::Failed(failure), &[]);
    }
    sys::exit(0)
}

/// Minds a program that was begun before, and ends with it.
pub(super) fn mind(begun: Ahead, control: &Socket) -> ! {
    let Ahead { order, tool, failure } = begun;
    match Supervisor::new(&order, tool, None, None) {
        Ok(supervisor) => supervisor.watch(control, failure),
        Err(error) => {
            let _ = control.send(&Event::Failed(unforked(error)), &[]);
        }
    }
    sys::exit(0)
}

fn start(
    alone: Alone,
    order: &Order,
    streams: Streams,
    control: &Socket,
    nowhere: Option<&Nowhere>,
) -> Result<(), Failure> {
    let terminal = Lent::by(order.confinement.terminal);
    let begun = match order.confinement.tier {
        Tier::Namespaces => begin_init(alone, order, streams, nowhere)?,
        Tier::Landlock | Tier::None => {
            let begun = begin_tool(alone, order, &streams).map_err(unforked)?;
            // Whoever reads what the tool says hears of its end when nobody else can write there.
            drop(streams);
            begun
        }
    };
    let Begun { first, init, tool, failure } = begun;
    let mut supervisor = Supervisor::new(order, first, init, tool).map_err(unforked)?;
    supervisor.terminal = terminal;
    supervisor.watch(control, failure);
    Ok(())
}

fn unforked(error: io::Error) -> Failure {
    Step::Fork.failed("", error)
}

/// What was started.
struct Begun {
    first: Pid,
    init: Option<Socket>,
    /// By which the tool is heard, until it is executed; none where it has been.
    tool: Option<Socket>,
    failure: Option<Failure>,
}

fn begin_init(
    alone: Alone,
    order: &Order,
    streams: Streams,
    nowhere: Option<&Nowhere>,
) -> Result<Begun, Failure> {
    // Inside its own namespace a process cannot tell who it was.
    let identity = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let (tool_ours, tool_theirs) = Socket::pair().map_err(unforked)?;
    let (ours, theirs) = Socket::pair().map_err(unforked)?;
    match sys::fork_into(alone, namespaces(order, nowhere)).map_err(Step::Namespaces.of(""))? {
        Fork::Child => {
            drop((ours, tool_ours));
            init::run(alone, order, identity, streams, &theirs, tool_theirs)
        }
        Fork::Parent(first) => {
            Ok(Begun { first, init: Some(ours), tool: Some(tool_ours), failure: None })
        }
    }
}

fn begin_tool(alone: Alone, order: &Order, streams: &Streams) -> io::Result<Begun> {
    // What the tool leaves behind becomes a child of this process, and is found.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    if !tool::asks(&order.confinement) {
        let (first, failure) = tool::start_here(alone, order, streams)?;
        return Ok(Begun { first, init: None, tool: None, failure });
    }
    let (ours, theirs) = Socket::pair()?;
    let first = tool::start_answering(alone, order, streams, &theirs)?;
    Ok(Begun { first, init: None, tool: Some(ours), failure: None })
}

/// What is made for the first process inside. It comes into the network in which this process is then.
fn namespaces(order: &Order, nowhere: Option<&Nowhere>) -> libc::c_int {
    let has_it = match order.confinement.network {
        Network::Shared => true,
        Network::Sealed => nowhere.is_some_and(|nowhere| nowhere.enter().is_ok()),
        Network::None | Network::Proxy => false,
    };
    if has_it { NAMESPACES } else { NAMESPACES | libc::CLONE_NEWNET }
}

/// What is watched. The first process is the init of the namespace, or the tool itself without one.
struct Supervisor<'a> {
    tier: Tier,
    first: Pid,
    first_ended: OwnedFd,
    /// The process group of the tool.
    group: Option<Pid>,
    init: Option<Socket>,
    tool: Option<Socket>,
    calls: Option<OwnedFd>,
    /// Says that a child has ended or was stopped, where children of the tool become children of this process.
    orphans: Option<OwnedFd>,
    observer: Observer<'a>,
    /// Whether there is a tool, and whether jp knows that it runs.
    began: bool,
    announced: bool,
    failed: bool,
    ended: Option<Ended>,
    /// What is put back at the end.
    terminal: Option<Lent>,
}

/// What woke the supervisor.
#[derive(Clone, Copy)]
enum Source {
    Control,
    First,
    Init,
    Tool,
    Calls,
    Orphans,
}

impl<'a> Supervisor<'a> {
    fn new(
        order: &'a Order,
        first: Pid,
        init: Option<Socket>,
        tool: Option<Socket>,
    ) -> io::Result<Self> {
        let how = &order.confinement;
        Ok(Self {
            tier: how.tier,
            first,
            first_ended: pidfd_open(first, PidfdFlags::empty())?,
            group: (how.tier != Tier::Namespaces).then_some(first),
            init,
            tool,
            calls: None,
            orphans: (how.tier != Tier::Namespaces).then(sys::ended_children).transpose()?,
            observer: Observer::new(&how.view, how.network, how.execute),
            began: how.tier != Tier::Namespaces,
            announced: false,
            failed: false,
            ended: None,
            terminal: None,
        })
    }

    /// Serves everybody until the first process has ended, then says how it went.
    fn watch(mut self, control: &Socket, failure: Option<Failure>) {
        let mut goes_on = match failure {
            Some(failure) => self.fail(failure, control),
            None => self.announce(control),
        };
        while goes_on && let Ok(ready) = self.wait(control) {
            goes_on = ready.into_iter().all(|source| self.serve(source, control));
        }
        let ended = self.finish(control);
        if self.failed {
            return;
        }
        let blocked = self.observer.into_blocked();
        if !blocked.is_empty() {
            let _ = control.send(&Event::Blocked(blocked), &[]);
        }
        let _ = control.send(&Event::Ended(ended), &[]);
        // Who hears it runs where this process does, mostly, and would wait until all its memory was given back.
        rustix::thread::sched_yield();
    }

    fn wait(&self, control: &Socket) -> io::Result<Vec<Source>> {
        // The first process comes last: what it and the tool have said before their end is heard.
        let sources: Vec<(Source, BorrowedFd<'_>)> = [
            Some((Source::Control, control.as_fd())),
            self.tool.as_ref().map(|socket| (Source::Tool, socket.as_fd())),
            self.init.as_ref().map(|socket| (Source::Init, socket.as_fd())),
            self.calls.as_ref().map(|calls| (Source::Calls, calls.as_fd())),
            Some((Source::First, self.first_ended.as_fd())),
            // When the first has ended, everybody's end is seen to anyway.
            self.orphans.as_ref().map(|orphans| (Source::Orphans, orphans.as_fd())),
        ]
        .into_iter()
        .flatten()
        .collect();
        let mut wanted: Vec<PollFd<'_>> = sources
            .iter()
            .map(|(_, descriptor)| PollFd::from_borrowed_fd(*descriptor, PollFlags::IN))
            .collect();
        loop {
            match poll(&mut wanted, None) {
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
                Ok(_) => break,
            }
        }
        let ready = wanted.iter().zip(&sources).filter(|(waited, _)| !waited.revents().is_empty());
        Ok(ready.map(|(_, (source, _))| *source).collect())
    }

    /// False when it is over.
    fn serve(&mut self, source: Source, control: &Socket) -> bool {
        match source {
            Source::Control => self.obey(control),
            Source::Tool => self.hear_tool(control),
            Source::Init => self.hear_init(control),
            Source::Calls => {
                let served = self.calls.as_ref().map(|calls| self.observer.serve(calls));
                if !matches!(served, Some(Ok(()))) {
                    // Nobody is left who could call, or nobody can be answered: then the calls fail,
                    // as the kernel decides when the listener is gone.
                    self.calls = None;
                }
                true
            }
            Source::Orphans => {
                let heard =
                    self.orphans.as_ref().map(|orphans| rustix::io::read(orphans, &mut [0; 128]));
                if !matches!(heard, Some(Ok(_) | Err(rustix::io::Errno::AGAIN))) {
                    self.orphans = None;
                }
                tree::reap_all_but(self.first);
                if self.terminal.is_some() {
                    self.go_on();
                }
                true
            }
            Source::First => false,
        }
    }

    fn obey(&self, control: &Socket) -> bool {
        match control.receive::<Control>() {
            Ok(Some((Control::Signal(signal), _))) => {
                self.signal(signal);
                true
            }
            Ok(Some((Control::Kill, _)) | None) | Err(_) => false,
        }
    }

    fn signal(&self, number: i32) {
        let signal = Signal::from_named_raw(number);
        if let (Some(group), Some(signal)) = (self.group, signal) {
            let _ = kill_process_group(group, signal);
        }
    }

    /// Lets the process go on that has the terminal and was stopped. There is nobody who would: a shell waits
    /// for jp, and jp is in the background, where no key reaches it. One that was stopped for being in the
    /// background itself would only be stopped again.
    fn go_on(&self) {
        let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
        let stopped = waitid(WaitId::Pid(self.first), options).ok().flatten();
        let by = stopped.and_then(|status| status.stopping_signal());
        if matches!(by, Some(libc::SIGSTOP | libc::SIGTSTP)) {
            let _ = kill_process_group(self.first, Signal::CONT);
        }
    }

    /// The tool's socket ends when it executes, and it is only then that it runs.
    fn hear_tool(&mut self, control: &Socket) -> bool {
        let heard = self.tool.as_ref().map(Socket::receive::<Inner>);
        match heard {
            Some(Ok(Some((Inner::Calls, mut with)))) => {
                self.calls = with.pop();
                if let Some(calls) = &self.calls {
                    sys::answer_on_the_same_processor(calls.as_fd());
                }
                true
            }
            Some(Ok(Some((Inner::Failed(failure), _)))) => self.fail(failure, control),
            Some(Ok(Some(_))) => true,
            _ => {
                self.tool = None;
                self.announce(control)
            }
        }
    }

    /// The program runs when its socket has ended and there is a process: either may be heard first,
    /// and the socket also ends with an init that never came so far.
    fn announce(&mut self, control: &Socket) -> bool {
        if self.announced || self.tool.is_some() || !self.began {
            return true;
        }
        self.announced = true;
        control.send(&Event::Started, &[]).is_ok()
    }

    fn hear_init(&mut self, control: &Socket) -> bool {
        let heard = self.init.as_ref().map(Socket::receive::<Inner>);
        match heard {
            Some(Ok(Some((Inner::Failed(failure), _)))) => self.fail(failure, control),
            Some(Ok(Some((Inner::Listener, with)))) => {
                let with: Vec<BorrowedFd<'_>> = with.iter().map(AsFd::as_fd).collect();
                control.send(&Event::Listening, &with).is_ok()
            }
            Some(Ok(Some((Inner::Tool, with)))) => {
                self.began = true;
                self.group = with.first().and_then(|tool| tree::pid_of(tool.as_fd()));
                self.announce(control)
            }
            Some(Ok(Some((Inner::LeftBehind, _)))) => control.send(&Event::LeftBehind, &[]).is_ok(),
            Some(Ok(Some((Inner::Ended(ended), _)))) => {
                self.ended = Some(ended);
                true
            }
            Some(Ok(Some((Inner::Calls, _)))) => true,
            _ => {
                self.init = None;
                true
            }
        }
    }

    fn fail(&mut self, failure: Failure, control: &Socket) -> bool {
        self.failed = true;
        let _ = control.send(&Event::Failed(failure), &[]);
        false
    }

    /// Ends what is left and says how the tool ended.
    fn finish(&mut self, control: &Socket) -> Ended {
        // Whoever waits for an answer gets none any more, and ends.
        self.calls = None;
        let _ = rustix::process::pidfd_send_signal(&self.first_ended, Signal::KILL);
        let status = waitpid(Some(self.first), WaitOptions::empty());
        if self.tier != Tier::Namespaces {
            tree::end_all();
        }
        if let Some(lent) = self.terminal.take() {
            lent.give_back(self.first);
        }
        self.hear_the_rest(control);
        self.ended.unwrap_or_else(|| {
            let status = status.ok().flatten().map(|(_, status)| status);
            let code = status.and_then(WaitStatus::exit_status).map(Ended::Code);
            let signal = status.and_then(WaitStatus::terminating_signal).map(Ended::Signal);
            code.or(signal).unwrap_or(Ended::Signal(libc::SIGKILL))
        })
    }

    /// What was said last may not have been heard when the end was seen. Whoever said it has ended, so
    /// this does.
    fn hear_the_rest(&mut self, control: &Socket) {
        while !self.failed && self.tool.is_some() {
            self.hear_tool(control);
        }
        while !self.failed && self.init.is_some() {
            self.hear_init(control);
        }
    }
}
