//! The first process inside: builds the view, starts the tool, and takes everything down with it.
//!
//! As the first process of its namespace it inherits every process whose parent has ended, and when it
//! ends the kernel ends them all. It has no variables to leak and, once the tool runs, no capabilities
//! and no view but the tool's own.

use std::{
    io,
    net::Ipv4Addr,
    os::fd::{AsFd, OwnedFd},
};

use camino::Utf8Path;
use rustix::{
    mount::{
        FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsconfig_set_string, fsmount,
        fsopen,
    },
    net::{AddressFamily, SocketFlags, SocketType, bind, listen, socket_with},
    process::{DumpableBehavior, PidfdFlags, Signal, WaitOptions, pidfd_open, wait},
    thread::{CapabilitySet, CapabilitySets, set_capabilities},
};

use super::{
    message::{Inner, Order},
    mounts,
    socket::Socket,
    sys::{self, Alone},
    tool::{self, Streams},
};
use crate::{
    PROXY_PORT,
    confinement::Network,
    event::Ended,
    failure::{Failure, Step},
};

/// Never returns: the process ends with the tool.
pub(super) fn run(
    alone: Alone,
    order: &Order,
    identity: (u32, u32),
    streams: Streams,
    supervisor: &Socket,
    tool_socket: Socket,
) -> ! {
    let ended = prepare(order, identity, supervisor).and_then(|held| {
        let ended = start_tool(alone, order, streams, supervisor, tool_socket);
        drop(held);
        ended
    });
    let last = match ended {
        Ok(ended) => Inner::Ended(ended),
        Err(failure) => Inner::Failed(failure),
    };
    let _ = supervisor.send(&last, &[]);
    sys::exit(0)
}

/// What is returned has to stay open for as long as the tool runs.
fn prepare(
    order: &Order,
    identity: (u32, u32),
    supervisor: &Socket,
) -> Result<Vec<OwnedFd>, Failure> {
    let how = &order.confinement;
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(Step::Namespaces.of("the link to the supervisor"))?;
    map_identity(identity)?;
    // Where nobody can make a socket there is nothing that it could be for.
    if matches!(how.network, Network::None | Network::Proxy) {
        sys::loopback_up().map_err(Step::Network.of("the loopback interface"))?;
    }
    if how.network == Network::Proxy {
        offer_listener(supervisor).map_err(Step::Network.of("the listener of the proxy"))?;
    }
    let (root, held) = mounts::build(how)?;
    mount_proc(&root, how.limits.processes).map_err(Step::Proc.of(""))?;
    mounts::enter(&root)?;
    drop(root);
    drop_capabilities().map_err(Step::Capabilities.of(""))?;
    // Nothing inside can look into this process, which has descriptors of the supervisor.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(Step::Capabilities.of("the right to look into the first process"))?;
    Ok(held)
}

/// The user is the same inside, and there is no other.
pub(super) fn map_identity((user, group): (u32, u32)) -> Result<(), Failure> {
    let write = |file: &str, text: String| {
        let path = format!("/proc/self/{file}");
        #[expect(clippy::disallowed_methods, reason = "the kernel takes the map through this file")]
        std::fs::write(&path, text).map_err(Step::Identity.of(path))
    };
    write("setgroups", "deny".into())?;
    write("uid_map", format!("{user} {user} 1"))?;
    write("gid_map", format!("{group} {group} 1"))
}

/// A listener that only what is inside can reach, handed to the host, which accepts from it.
fn offer_listener(supervisor: &Socket) -> io::Result<()> {
    let listener =
        socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    bind(&listener, &std::net::SocketAddrV4::new(Ipv4Addr::LOCALHOST, PROXY_PORT))?;
    listen(&listener, 128)?;
    supervisor.send(&Inner::Listener, &[listener.as_fd()])
}

/// Nothing in it can be written: settings of the whole machine are there too, and where the user is
/// the host's root the kernel lets it write them for its number alone, without any capability.
fn mount_proc(root: &OwnedFd, processes: u64) -> io::Result<()> {
    let proc = new_proc()?;
    bound_processes(&proc, processes);
    let read_only = u64::from(MountAttrFlags::MOUNT_ATTR_RDONLY.bits());
    sys::mount_setattr(proc.as_fd(), read_only, false)?;
    mounts::attach(proc.as_fd(), root.as_fd(), Utf8Path::new("proc"))
}

/// The kernel does not count the processes of the host's root, whatever the limit says. Newer kernels
/// have a largest number of a process for each namespace, which bounds how many there can be; it
/// cannot be less than 301. Others can only be bounded for an ordinary user.
fn bound_processes(proc: &OwnedFd, processes: u64) {
    let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::CLOEXEC;
    let setting = "sys/kernel/pid_max";
    if let Ok(file) = rustix::fs::openat(proc, setting, flags, rustix::fs::Mode::empty()) {
        let _ = rustix::io::write(&file, processes.clamp(301, 1 << 22).to_string().as_bytes());
    }
}

/// A `/proc` that shows the processes of this namespace.
pub(super) fn new_proc() -> io::Result<OwnedFd> {
    let context = fsopen("proc", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_string(&context, "source", "proc")?;
    fsconfig_create(&context)?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV
        | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    Ok(fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, attributes)?)
}

pub(super) fn drop_capabilities() -> rustix::io::Result<()> {
    let none = CapabilitySet::empty();
    for capability in CapabilitySet::all() {
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // A capability that this kernel does not know.
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            // Who has none cannot give any up, and cannot gain any by executing either.
            Err(rustix::io::Errno::PERM) => break,
            Err(error) => return Err(error),
        }
    }
    rustix::thread::set_no_new_privs(true)?;
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}

fn start_tool(
    alone: Alone,
    order: &Order,
    streams: Streams,
    supervisor: &Socket,
    tool_socket: Socket,
) -> Result<Ended, Failure> {
    let failed = |error: io::Error| Step::Fork.failed("", error);
    let tool = tool::start(alone, order, &streams, &tool_socket).map_err(failed)?;
    drop((streams, tool_socket));
    let handle = pidfd_open(tool, PidfdFlags::empty()).map_err(|error| failed(error.into()))?;
    supervisor.send(&Inner::Tool, &[handle.as_fd()]).map_err(failed)?;
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((ended, status))) if ended == tool => {
                if is_somebody_left() {
                    // Whoever cannot be told this is told nothing else either.
                    let _ = supervisor.send(&Inner::LeftBehind, &[]);
                }
                let signal = status.terminating_signal().map(Ended::Signal);
                let code = status.exit_status().map(Ended::Code);
                return Ok(code.or(signal).unwrap_or(Ended::Signal(libc::SIGKILL)));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(failed(error.into())),
        }
    }
}

/// Whether a process is left that the tool has started. All of them are children of this one by now, or
/// children of such a child.
fn is_somebody_left() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}
