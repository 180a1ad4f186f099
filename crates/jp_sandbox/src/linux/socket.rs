//! Messages with descriptors between jp, the helper and its children, over sequenced packets.
//!
//! A packet is one message: it arrives whole or not at all, and the end of the other side is an end
//! and not half a message. Descriptors travel beside it and arrive closed-on-exec.

use std::{
    io::{self, IoSlice, IoSliceMut},
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    net::{
        AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
        SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recv,
        recvmsg, sendmsg, socketpair,
    },
};
use serde::{Serialize, de::DeserializeOwned};

/// The largest message. Larger things are passed as a file.
const LARGEST: usize = 64 * 1024;

/// The most descriptors with one message.
const DESCRIPTORS: usize = 5;

/// One end of a connection.
#[derive(Debug)]
pub(crate) struct Socket(OwnedFd);

impl Socket {
    /// Both ends.
    pub(crate) fn pair() -> io::Result<(Self, Self)> {
        let (one, other) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        Ok((Self(one), Self(other)))
    }

    /// Sends a message with descriptors.
    pub(crate) fn send(&self, message: &impl Serialize, with: &[BorrowedFd<'_>]) -> io::Result<()> {
        let bytes = postcard::to_allocvec(message).map_err(io::Error::other)?;
        if bytes.len() > LARGEST {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "message is too large"));
        }
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        // The space may be rounded up, and have room for one more than there can be.
        let is_there_room = with.len() <= DESCRIPTORS
            && (with.is_empty() || ancillary.push(SendAncillaryMessage::ScmRights(with)));
        if !is_there_room {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many descriptors"));
        }
        let bytes = [IoSlice::new(&bytes)];
        retry(|| sendmsg(&self.0, &bytes, &mut ancillary, SendFlags::NOSIGNAL))?;
        Ok(())
    }

    /// The next message; none when the other side has ended.
    pub(crate) fn receive<M: DeserializeOwned>(&self) -> io::Result<Option<(M, Vec<OwnedFd>)>> {
        // Nearly all messages are a few bytes, and the memory for the largest would have to be cleared.
        self.receive_at_most(self.next_length()?.min(LARGEST), RecvFlags::empty())
    }

    /// The same, but the message stays for whoever receives it. Its descriptors are others for the same files.
    pub(crate) fn peek<M: DeserializeOwned>(&self) -> io::Result<Option<(M, Vec<OwnedFd>)>> {
        self.receive_at_most(self.next_length()?.min(LARGEST), RecvFlags::PEEK)
    }

    /// Whether there is nobody at the other side. What was sent before can still be received.
    pub(crate) fn is_left(&self) -> bool {
        let mut looks = [PollFd::new(&self.0, PollFlags::empty())];
        let looked = retry(|| poll(&mut looks, Some(&Timespec::default())));
        looked.is_ok() && looks[0].revents().contains(PollFlags::HUP)
    }

    fn receive_at_most<M: DeserializeOwned>(
        &self,
        most: usize,
        how: RecvFlags,
    ) -> io::Result<Option<(M, Vec<OwnedFd>)>> {
        let mut bytes = vec![0; most];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let received = {
            let mut slices = [IoSliceMut::new(&mut bytes)];
            let flags = RecvFlags::CMSG_CLOEXEC | how;
            after_reset(|| retry(|| recvmsg(&self.0, &mut slices, &mut ancillary, flags)))?
        };
        let mut descriptors = Vec::new();
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(received) = message {
                descriptors.extend(received);
            }
        }
        // Whoever shares the socket may have taken the message that was looked at, and left a longer one.
        if received.flags.intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC) {
            return Err(io::Error::other("a message was longer than it seemed"));
        }
        if received.bytes == 0 {
            return Ok(None);
        }
        let message = postcard::from_bytes(&bytes[..received.bytes]).map_err(io::Error::other)?;
        Ok(Some((message, descriptors)))
    }
}

impl Socket {
    /// How long the next message is, waiting for one; nothing when the other side has ended.
    fn next_length(&self) -> io::Result<usize> {
        let flags = RecvFlags::PEEK | RecvFlags::TRUNC;
        let look = || retry(|| recv(&self.0, &mut [0_u8; 0][..], flags));
        Ok(after_reset(look)?.1)
    }
}

impl From<OwnedFd> for Socket {
    fn from(descriptor: OwnedFd) -> Self {
        Self(descriptor)
    }
}

impl From<Socket> for OwnedFd {
    fn from(socket: Socket) -> Self {
        socket.0
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// When the other side has ended without reading all that it was sent, the kernel says so once, whenever that
/// is, before what it had said itself, which is still to be received.
fn after_reset<T>(mut receive: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    match receive() {
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => receive(),
        received => received,
    }
}

fn retry<T>(mut call: impl FnMut() -> rustix::io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(rustix::io::Errno::INTR) => {}
            other => return other.map_err(io::Error::from),
        }
    }
}

#[cfg(test)]
mod tests;
