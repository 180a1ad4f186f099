//! A network with nothing in it, for all programs of a helper that make no sockets.
//!
//! To make such a namespace, and to tear it down, takes the kernel longer than all else that is done for a small
//! program. What is kept apart by it are the tables and counters of the host that stand in `/proc`; whoever cannot
//! make a socket has no other use of a network. So the first such program has one of its own, and those that follow
//! share another, which is made when it is clear that there are some.
//!
//! The danger is that they speak to each other there. They have ends of pairs of sockets and nothing else, and can
//! give them no names; how many pairs there are and of which kinds stands in a table that all of them can read.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    fs::{Mode, OFlags},
    pipe::PipeFlags,
    process::{Pid, Signal, WaitOptions, kill_process, waitpid},
    thread::{LinkNameSpaceType, move_into_link_name_space},
};

use super::{
    helper, init,
    sys::{self, Alone, Fork},
};

/// The namespace, and the user namespace to which it belongs.
pub(super) struct Nowhere {
    users: OwnedFd,
    network: OwnedFd,
}

impl Nowhere {
    /// Makes one, in a process that is there for no longer than that takes.
    pub(super) fn make(alone: Alone) -> io::Result<Self> {
        let identity = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        let parent = rustix::process::getpid();
        let (is_made, made) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
        match sys::fork_into(alone, libc::CLONE_NEWUSER | libc::CLONE_NEWNET)? {
            Fork::Child => {
                drop(is_made);
                // Who is nobody there could make no namespaces inside of it.
                if helper::end_with(parent) && init::map_identity(identity).is_ok() {
                    let _ = File::from(made).write_all(&[1]);
                    // Its namespaces are there until somebody holds them, and it is ended then.
                    while rustix::event::poll(&mut [], None).is_ok() {}
                }
                sys::exit(1)
            }
            Fork::Parent(maker) => {
                drop(made);
                // It ends without a word where it cannot do it.
                let heard = File::from(is_made).read_exact(&mut [0]);
                let opened = heard.and_then(|()| Self::of(maker));
                let _ = kill_process(maker, Signal::KILL);
                let _ = waitpid(Some(maker), WaitOptions::empty());
                opened
            }
        }
    }

    fn of(maker: Pid) -> io::Result<Self> {
        let open = |name: &str| {
            let path = format!("/proc/{}/ns/{name}", maker.as_raw_nonzero());
            rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
        };
        Ok(Self { users: open("user")?, network: open("net")? })
    }

    /// Moves this process there. Its files, its number and its user stay what they are.
    pub(super) fn enter(&self) -> io::Result<()> {
        move_into_link_name_space(self.users.as_fd(), Some(LinkNameSpaceType::User))?;
        move_into_link_name_space(self.network.as_fd(), Some(LinkNameSpaceType::Network))?;
        Ok(())
    }
}
