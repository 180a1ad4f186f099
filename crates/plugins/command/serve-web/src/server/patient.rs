//! A stream that waits for its reader, but not for ever.
//!
//! Whoever asks for a large page and reads nothing of it would hold a connection and the page. Here a
//! write that makes no progress within a limit fails, and that ends the connection.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};

/// A stream, and how long a write may stand still.
#[derive(Debug)]
pub(super) struct Patient<S> {
    stream: S,
    limit: Duration,
    /// Runs while a write waits.
    clock: Pin<Box<Sleep>>,
    waiting: bool,
}

impl<S> Patient<S> {
    /// Has to be called within a runtime, whose clock it uses.
    pub(super) fn new(stream: S, limit: Duration) -> Self {
        Self { stream, limit, clock: Box::pin(sleep(limit)), waiting: false }
    }

    /// What to say of a write: what it says itself, or that it took too long.
    fn judge<T>(
        &mut self,
        cx: &mut Context<'_>,
        write: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if write.is_ready() {
            self.waiting = false;
            return write;
        }
        if !self.waiting {
            self.waiting = true;
            self.clock.as_mut().reset(Instant::now() + self.limit);
        }
        ready!(self.clock.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.judge(cx, write)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.judge(cx, write)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flush = Pin::new(&mut self.stream).poll_flush(cx);
        self.judge(cx, flush)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, duplex},
        time::timeout,
    };

    use super::*;

    const LIMIT: Duration = Duration::from_millis(200);

    #[tokio::test]
    async fn a_reader_that_stops_is_left() {
        let (ours, _theirs) = duplex(16);
        let write = async { Patient::new(ours, LIMIT).write_all(&[0; 64]).await };
        let error = timeout(Duration::from_secs(10), write).await.unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_slow_reader_is_waited_for() {
        let (ours, mut theirs) = duplex(1);
        let mut patient = Patient::new(ours, LIMIT);
        let write = async { patient.write_all(&[7; 8]).await };
        // Each byte comes in time, all of them together would not.
        let read = async {
            for _ in 0..8 {
                sleep(LIMIT / 4).await;
                theirs.read_u8().await.unwrap();
            }
        };
        let both = async { tokio::join!(write, read) };
        timeout(Duration::from_secs(10), both).await.unwrap().0.unwrap();
    }
}
