//! A connection that knows when a byte last went through it, and counts them.
//!
//! Every connection gets one of these, so that one that went silent can be closed whatever protocol
//! it speaks and whichever side it waits for.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{self, Instant},
};

use crate::record::Record;

/// A connection under watch.
#[derive(Debug)]
pub(crate) struct Watched<T> {
    inner: T,
    activity: Arc<Activity>,
    /// Where bytes are counted; `None` on the side of the tool, where all would be counted twice.
    record: Option<Arc<Record>>,
}

/// When a byte last went through.
#[derive(Debug)]
pub(crate) struct Activity {
    began: Instant,
    /// Milliseconds since then.
    last: AtomicU64,
}

impl Activity {
    fn note(&self) {
        let now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.store(now, Relaxed);
    }

    /// Ends when nothing happened for so long.
    pub(crate) async fn silent_for(&self, limit: Duration) {
        loop {
            let last = self.last.load(Relaxed);
            time::sleep_until(self.began + Duration::from_millis(last) + limit).await;
            if self.last.load(Relaxed) == last {
                return;
            }
        }
    }
}

impl<T> Watched<T> {
    /// A connection to the tool.
    pub(crate) fn near(inner: T) -> Self {
        let activity = Arc::new(Activity { began: Instant::now(), last: AtomicU64::new(0) });
        Self { inner, activity, record: None }
    }

    /// A connection to the network.
    pub(crate) fn far(inner: T, record: Arc<Record>) -> Self {
        Self { record: Some(record), ..Self::near(inner) }
    }

    pub(crate) fn activity(&self) -> Arc<Activity> {
        self.activity.clone()
    }

    fn wrote(&self, result: io::Result<usize>) -> Poll<io::Result<usize>> {
        if let Ok(count @ 1..) = result {
            self.activity.note();
            if let Some(record) = &self.record {
                record.sent.add(count);
            }
        }
        Poll::Ready(result)
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Watched<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        let count = buf.filled().len() - before;
        if count > 0 {
            self.activity.note();
            if let Some(record) = &self.record {
                record.received.add(count);
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Watched<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = ready!(Pin::new(&mut self.inner).poll_write(cx, bytes));
        self.wrote(result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = ready!(Pin::new(&mut self.inner).poll_write_vectored(cx, bytes));
        self.wrote(result)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
