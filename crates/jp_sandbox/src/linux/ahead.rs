//! A process that is there before the order for its program.
//!
//! Forking it, giving it a session and resetting its signals takes a while, for which nobody waits when it is done
//! while there is no order yet. Until its program runs it uses the memory of its supervisor, which is stopped for so
//! long; so it looks for the order itself. It carries out only one for which it has done the right things; any other
//! it leaves where it is, to its supervisor.

use std::io;

use rustix::process::{Pid, WaitOptions, getpid, waitpid};

use super::{
    message::{Order, Start, Written},
    socket::Socket,
    sys::{self, Alone},
    tool::{self, Streams},
};
use crate::{
    confinement::{Confinement, Tier},
    failure::Failure,
};

/// A program that was begun.
pub(super) struct Ahead {
    pub(super) order: Order,
    pub(super) tool: Pid,
    /// Why it does not run.
    pub(super) failure: Option<Failure>,
}

/// Makes the process and waits until its program runs. `None` when there is no order, or one for the supervisor.
pub(super) fn start(alone: Alone, socket: &Socket) -> io::Result<Option<Ahead>> {
    // What the program leaves behind becomes a child of this process, and is found.
    rustix::process::set_child_subreaper(Some(getpid()))?;
    let supervisor = getpid();
    let (mut order, mut failure) = (None, None);
    let tool = sys::fork_borrowing(alone, &mut || {
        if tool::stand_alone(supervisor).is_err() {
            return;
        }
        if let Ok(Some((taken, streams))) = look(socket) {
            failure = Some(tool::become_program(order.insert(taken), &streams, None));
        }
    })?;
    let Some(order) = order else {
        let _ = waitpid(Some(tool), WaitOptions::empty());
        return Ok(None);
    };
    // It was only looked at. What came with it is closed with this, so that whoever reads what the program says
    // hears of its end.
    let _ = socket.receive::<Start>();
    Ok(Some(Ahead { order, tool, failure }))
}

/// The order, if it is one for a process that has done no more than this one.
fn look(socket: &Socket) -> io::Result<Option<(Order, Streams)>> {
    let Some((Start::Run(Written::Here(bytes)), with)) = socket.peek()? else { return Ok(None) };
    let order: Order = postcard::from_bytes(&bytes).map_err(io::Error::other)?;
    let Ok([stdin, stdout, stderr]) = <[_; 3]>::try_from(with) else { return Ok(None) };
    // It may have lain here for long: what nobody waits for any more is not begun.
    let is_taken = is_plain(&order.confinement) && !socket.is_left();
    Ok(is_taken.then_some((order, Streams { stdin, stdout, stderr })))
}

/// Whether a program needs neither namespaces nor the terminal, and nobody answers its calls.
fn is_plain(how: &Confinement) -> bool {
    how.tier == Tier::None && how.terminal.is_none()
}
