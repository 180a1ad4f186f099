//! jp's side of the helper: start it once, ask it for processes, hear what becomes of them.

use std::{
    io::{self, Write},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::Path,
    process::Command,
};

use rustix::fs::{MemfdFlags, memfd_create};

use super::{
    helper,
    message::{Control, Order, Start},
    socket::Socket,
};
use crate::{
    confinement::{Confinement, Program},
    event::Event,
    machine::Machine,
};

/// The helper of this run.
#[derive(Debug)]
pub struct Spawner {
    socket: Socket,
    helper: std::sync::Mutex<std::process::Child>,
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
}

impl Spawner {
    /// Starts the helper: a program that calls [`helper::serve`] when its first argument is
    /// [`helper::WORD`].
    pub fn start(program: &Path) -> io::Result<Self> {
        let (ours, theirs) = Socket::pair()?;
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
        Ok(Self { socket: ours, helper: std::sync::Mutex::new(helper) })
    }

    /// Starts a process. What could not be done is told as its first event.
    pub fn spawn(
        &self,
        confinement: Confinement,
        program: Program,
        stdio: &Stdio,
    ) -> io::Result<Child> {
        let order = Order { confinement, program };
        let bytes = postcard::to_allocvec(&order).map_err(io::Error::other)?;
        let file = memfd_create("order", MemfdFlags::CLOEXEC)?;
        let mut file = std::fs::File::from(file);
        file.write_all(&bytes)?;
        io::Seek::rewind(&mut file)?;
        let (control, theirs) = Socket::pair()?;
        let with = [
            file.as_fd(),
            stdio.stdin.as_fd(),
            stdio.stdout.as_fd(),
            stdio.stderr.as_fd(),
            theirs.as_fd(),
        ];
        self.socket.send(&Start::Run { bytes: bytes.len() as u64 }, &with)?;
        Ok(Child { control })
    }

    /// Tries what the machine offers.
    pub fn probe(&self) -> io::Result<Machine> {
        let (control, theirs) = Socket::pair()?;
        self.socket.send(&Start::Probe, &[theirs.as_fd()])?;
        drop(theirs);
        let answer = control.receive()?.map(|(machine, _)| machine);
        answer.ok_or_else(|| io::Error::other("the helper of the sandbox ended while it was asked"))
    }
}

impl Drop for Spawner {
    fn drop(&mut self) {
        // The end of the socket is what the helper ends by, and the supervisor that waits for an order.
        let _ = rustix::net::shutdown(&self.socket, rustix::net::Shutdown::Both);
        if let Ok(helper) = self.helper.get_mut() {
            let _ = helper.wait();
        }
    }
}

impl Child {
    /// The next event; none when the supervisor is gone. Blocks.
    pub fn event(&self) -> io::Result<Option<(Event, Option<OwnedFd>)>> {
        Ok(self.control.receive()?.map(|(event, mut with)| (event, with.pop())))
    }

    /// Sends a signal to the program and its process group.
    pub fn signal(&self, number: i32) -> io::Result<()> {
        self.control.send(&Control::Signal(number), &[])
    }

    /// Ends the program and everything it started.
    pub fn kill(&self) -> io::Result<()> {
        self.control.send(&Control::Kill, &[])
    }
}

impl AsFd for Child {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.control.as_fd()
    }
}
