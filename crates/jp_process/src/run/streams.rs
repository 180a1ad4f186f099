//! The copying of a call: bytes into a pipe, bytes out of a pipe up to a limit.
//!
//! What has been copied is in these structures and not in the futures, so that a future can be dropped
//! when the process has ended and the rest taken from here.

use std::io;

use tokio::{net::unix::pipe, sync::Notify};

use super::Captured;

/// What is read at once: a pipe holds as much, unless somebody has enlarged it.
const PIECE: usize = 64 * 1024;

/// Input on its way.
pub(super) struct Feed {
    pipe: Option<pipe::Sender>,
    bytes: Vec<u8>,
    written: usize,
}

impl Feed {
    pub(super) fn new(pipe: Option<pipe::Sender>, bytes: Vec<u8>) -> Self {
        Self { pipe, bytes, written: 0 }
    }

    /// Writes everything and closes the pipe. A process that does not want all of its input is no
    /// error: it knows best.
    pub(super) async fn write(&mut self) {
        while let Some(pipe) = &self.pipe {
            let rest = &self.bytes[self.written..];
            if rest.is_empty() || pipe.writable().await.is_err() {
                break;
            }
            match pipe.try_write(rest) {
                Ok(written) => self.written += written,
                Err(error) if is_to_be_tried_again(&error) => {}
                Err(_) => break,
            }
        }
        self.pipe = None;
        self.bytes = Vec::new();
        self.written = 0;
    }
}

/// Output that is kept up to a limit.
pub(super) struct Capture {
    pipe: Option<pipe::Receiver>,
    kept: Captured,
    limit: usize,
}

impl Capture {
    pub(super) fn new(pipe: Option<pipe::Receiver>, limit: usize) -> Self {
        Self { pipe, kept: Captured::default(), limit }
    }

    /// Reads to the end of the pipe, and says once when there is more than is kept.
    pub(super) async fn read(&mut self, much: &Notify) {
        let mut piece = vec![0; PIECE];
        while let Some(pipe) = &self.pipe {
            if pipe.readable().await.is_err() {
                break;
            }
            let was_truncated = self.kept.truncated;
            if !self.read_piece(&mut piece) {
                break;
            }
            if self.kept.truncated && !was_truncated {
                much.notify_one();
            }
        }
        self.pipe = None;
    }

    /// What was kept, with what is still in the pipe. Everybody who could write is gone, unless the
    /// pipe was handed to somebody else: then there might be no end, but there is the limit.
    pub(super) fn finish(mut self) -> Captured {
        // The runtime may not have heard yet that there is something, so the pipe itself is asked.
        let rest = self.pipe.take().and_then(|pipe| pipe.into_nonblocking_fd().ok());
        if let Some(rest) = rest {
            let mut piece = vec![0; PIECE];
            while !self.kept.truncated {
                match rustix::io::read(&rest, &mut piece[..]) {
                    Ok(length) if length > 0 => self.keep(&piece[..length]),
                    Err(rustix::io::Errno::INTR) => {}
                    Ok(_) | Err(_) => break,
                }
            }
        }
        self.kept
    }

    /// False at the end of the pipe.
    fn read_piece(&mut self, piece: &mut [u8]) -> bool {
        let Some(pipe) = &self.pipe else { return false };
        match pipe.try_read(piece) {
            Ok(0) => false,
            Ok(length) => {
                self.keep(&piece[..length]);
                true
            }
            Err(error) => is_to_be_tried_again(&error),
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let kept = &mut self.kept.bytes;
        let room = self.limit - kept.len();
        let fits = &bytes[..bytes.len().min(room)];
        if kept.capacity() - kept.len() < fits.len() {
            // Twice as much as before, so that little is copied, but never more than the limit.
            kept.reserve_exact(kept.len().max(PIECE).min(room));
        }
        kept.extend_from_slice(fits);
        self.kept.truncated |= fits.len() < bytes.len();
    }
}

fn is_to_be_tried_again(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
