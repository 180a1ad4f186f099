//! The last steps before the program: limits, streams, session, Landlock, seccomp, execute.

use std::{
    ffi::{CString, OsStr},
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
};

use rustix::{
    fs::Mode,
    process::{Pid, Resource, Rlimit, Signal, chdir, setrlimit, setsid, umask},
};

use super::{
    init, landlock,
    message::{Inner, Order},
    notify, seccomp,
    socket::Socket,
    sys::{self, Alone, Fork},
    terminal, verified,
};
use crate::{
    confinement::{Confinement, Execute, Limits, Tier},
    failure::{Failure, Step},
    view::What,
};

/// What becomes the standard streams.
pub(super) struct Streams {
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

/// Starts the program, which tells the socket what goes wrong. This process is stopped until then.
pub(super) fn start(
    alone: Alone,
    order: &Order,
    streams: &Streams,
    supervisor: &Socket,
) -> io::Result<Pid> {
    let parent = rustix::process::getpid();
    sys::fork_borrowing(alone, &mut || run_or_tell(order, streams, supervisor, parent))
}

/// The same for whoever has to answer the calls of the program, and cannot be stopped: everything is copied for it.
pub(super) fn start_answering(
    alone: Alone,
    order: &Order,
    streams: &Streams,
    supervisor: &Socket,
) -> io::Result<Pid> {
    let parent = rustix::process::getpid();
    match sys::fork(alone)? {
        Fork::Child => run_or_tell(order, streams, supervisor, parent),
        Fork::Parent(tool) => Ok(tool),
    }
}

/// Starts a program that does not [ask](asks). It runs when this returns, or there is a failure, which is in the memory
/// of this process: that is what it has used until then.
pub(super) fn start_here(
    alone: Alone,
    order: &Order,
    streams: &Streams,
) -> io::Result<(Pid, Option<Failure>)> {
    let parent = rustix::process::getpid();
    let mut failure = None;
    let tool =
        sys::fork_borrowing(alone, &mut || failure = Some(run(order, streams, None, parent)))?;
    Ok((tool, failure))
}

/// Whether somebody has to answer calls of the program.
pub(super) fn asks(how: &Confinement) -> bool {
    !asked(how).is_empty()
}

fn run_or_tell(order: &Order, streams: &Streams, supervisor: &Socket, parent: Pid) -> ! {
    let failure = run(order, streams, Some(supervisor), parent);
    let _ = supervisor.send(&Inner::Failed(failure), &[]);
    sys::exit(127)
}

/// Becomes the program. Returns only when that failed.
fn run(order: &Order, streams: &Streams, supervisor: Option<&Socket>, parent: Pid) -> Failure {
    if let Err(failure) = end_with(parent) {
        return failure;
    }
    match order.confinement.terminal.and_then(Pid::from_raw) {
        Some(lender) => terminal::take(lender),
        None => leave(),
    }
    become_program(order, streams, supervisor)
}

/// What comes first for a program that has nothing to do with the terminal.
pub(super) fn stand_alone(parent: Pid) -> Result<(), Failure> {
    end_with(parent)?;
    leave();
    Ok(())
}

/// Leaves the session, and what was set for signals.
fn leave() {
    sys::reset_signals();
    let _ = setsid();
}

/// Lets this process end with its parent, also when that has ended already: the kernel only tells of
/// an end that is still to come.
fn end_with(parent: Pid) -> Result<(), Failure> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(Step::Fork.of("the link to the supervisor"))?;
    if rustix::process::getppid() != Some(parent) {
        sys::exit(127)
    }
    Ok(())
}

/// The rest. Returns only when that failed.
pub(super) fn become_program(
    order: &Order,
    streams: &Streams,
    supervisor: Option<&Socket>,
) -> Failure {
    match prepare(order, streams, supervisor) {
        Ok(command) => {
            let error = command.execute();
            Step::Execute.failed(order.program.path.display(), error)
        }
        Err(failure) => failure,
    }
}

/// What is executed, in the form that the kernel takes.
struct Command {
    path: CString,
    /// The file itself, where its content matters.
    verified: Option<OwnedFd>,
    args: Vec<CString>,
    env: Vec<CString>,
}

impl Command {
    fn of(order: &Order) -> io::Result<Self> {
        let program = &order.program;
        let variable = |(name, value): &(std::ffi::OsString, std::ffi::OsString)| {
            let mut text = name.clone();
            text.push(OsStr::from_bytes(b"="));
            text.push(value);
            sys::c_string(text)
        };
        Ok(Self {
            path: sys::c_string(&program.path)?,
            verified: None,
            args: program.args.iter().map(sys::c_string).collect::<io::Result<_>>()?,
            env: program.env.iter().map(variable).collect::<io::Result<_>>()?,
        })
    }

    /// Returns only when that failed.
    fn execute(&self) -> io::Error {
        match &self.verified {
            Some(file) => sys::execute_descriptor(file.as_fd(), &self.args, &self.env),
            None => sys::execute(&self.path, &self.args, &self.env),
        }
    }
}

fn prepare(
    order: &Order,
    streams: &Streams,
    supervisor: Option<&Socket>,
) -> Result<Command, Failure> {
    let how = &order.confinement;
    let mut command = Command::of(order).map_err(Step::Execute.of(order.program.path.display()))?;
    // What is stricter already stays: who keeps new files to themselves keeps those of a program, too.
    let inherited = umask(Mode::from(0o077));
    umask(inherited | Mode::from(0o022));
    chdir(&order.program.directory)
        .map_err(Step::Directory.of(order.program.directory.display()))?;
    set_limits(how.tier, &how.limits).map_err(Step::Limits.of(""))?;
    set_streams(streams).map_err(Step::Execute.of("the standard streams"))?;
    sys::close_on_execute().map_err(Step::Execute.of("what is open"))?;
    if let Some(sum) = &order.program.sha256 {
        let path = &order.program.path;
        let file = verified::open(path, sum).map_err(Step::Checksum.of(path.display()))?;
        command.verified = Some(file);
    }
    if how.tier != Tier::None {
        rustix::thread::set_no_new_privs(true).map_err(Step::Capabilities.of("new ones"))?;
        // In namespaces there are none left. Otherwise root has all that reach past files.
        init::drop_capabilities().map_err(Step::Capabilities.of(""))?;
        landlock::restrict(how.tier, &how.view).map_err(Step::Landlock.of(""))?;
        restrict_calls(how, supervisor).map_err(Step::Seccomp.of(""))?;
    }
    Ok(command)
}

fn set_streams(streams: &Streams) -> io::Result<()> {
    rustix::stdio::dup2_stdin(&streams.stdin)?;
    rustix::stdio::dup2_stdout(&streams.stdout)?;
    rustix::stdio::dup2_stderr(&streams.stderr)?;
    Ok(())
}

fn asked(how: &Confinement) -> Vec<libc::c_long> {
    if how.tier == Tier::None { Vec::new() } else { notify::calls(how.observe, how.execute) }
}

fn restrict_calls(how: &Confinement, supervisor: Option<&Socket>) -> io::Result<()> {
    let asked = asked(how);
    let wanted = seccomp::Wanted {
        tier: how.tier,
        network: how.network,
        forbid_memory_files: forbids_memory_files(how),
    };
    let filter = seccomp::filter(wanted, &asked)?;
    let calls = sys::seccomp(&filter, !asked.is_empty())?;
    match (calls, supervisor) {
        (Some(calls), Some(supervisor)) => supervisor.send(&Inner::Calls, &[calls.as_fd()]),
        // Nobody would answer, and the program would wait for ever.
        (Some(_), None) => Err(io::ErrorKind::NotConnected.into()),
        (None, _) => Ok(()),
    }
}

/// A file in memory can be run whatever the mounts say. Where what can be written cannot be run, that
/// would be the way around.
fn forbids_memory_files(how: &Confinement) -> bool {
    let refuses = |what: &What| {
        matches!(what, What::Host { execute: false, .. } | What::Private { execute: false })
    };
    how.execute == Execute::Itself || how.view.places().iter().any(|place| refuses(&place.what))
}

fn set_limits(tier: Tier, limits: &Limits) -> rustix::io::Result<()> {
    let set = |resource, most: Option<u64>| match most {
        // What is lower already stays.
        Some(most) => {
            let now = rustix::process::getrlimit(resource);
            let lower = |limit: Option<u64>| Some(limit.map_or(most, |limit| limit.min(most)));
            setrlimit(resource, Rlimit { current: lower(now.current), maximum: lower(now.maximum) })
        }
        None => Ok(()),
    };
    // One byte is less than any core, and what also keeps the kernel from handing one to a program.
    set(Resource::Core, Some(1))?;
    set(Resource::Nofile, Some(limits.files))?;
    set(Resource::As, limits.memory)?;
    set(Resource::Fsize, limits.file_size)?;
    set(Resource::Cpu, limits.cpu.map(|most| most.as_secs().max(1)))?;
    // Without a user namespace the kernel counts all processes of the user, jp's own included.
    set(Resource::Nproc, (tier == Tier::Namespaces).then_some(limits.processes))
}
