//! Where the text of a plugin goes, without anybody waiting for it.
//!
//! Whoever reads our output may stop reading: a pager, a terminal that was paused. A print then waits, and
//! if the session waited with it, nobody could interrupt it any more. So a thread prints, and what is on its
//! way to it is bounded: a plugin that prints faster than anybody reads has to wait itself.

use std::{
    fmt, io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use jp_plugin::Print;
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, oneshot},
    time::timeout,
};

/// Shows text of a plugin, none of which is to be trusted.
pub trait Output: fmt::Debug + Send + Sync + 'static {
    /// Shows it. An error of the kind `BrokenPipe` means that nobody reads any more.
    fn print(&self, print: &Print) -> io::Result<()>;

    /// Lets what was shown leave the program.
    fn flush(&self) -> io::Result<()>;
}

/// How much text may be on its way, in kibibytes.
const ON_ITS_WAY: u32 = 4 << 10;

/// Prints in a thread of its own, which is started by the first print.
pub(crate) struct Printing {
    output: Arc<dyn Output>,
    room: Arc<Semaphore>,
    thread: Option<Thread>,
    state: Arc<State>,
}

/// What the thread tells.
#[derive(Debug, Default)]
struct State {
    closed: AtomicBool,
    told: Notify,
}

struct Thread {
    prints: mpsc::UnboundedSender<(Print, OwnedSemaphorePermit)>,
    done: oneshot::Receiver<()>,
}

/// Tells what becomes of the texts.
#[derive(Debug, Clone)]
pub(crate) struct Readers {
    state: Arc<State>,
    room: Arc<Semaphore>,
}

impl Printing {
    pub(crate) fn new(output: Arc<dyn Output>) -> Self {
        let room = Arc::new(Semaphore::new(ON_ITS_WAY as usize));
        Self { output, room, thread: None, state: Arc::default() }
    }

    /// Hands a text over, as soon as there is room for it. It is lost when nobody waits for texts any more.
    pub(crate) async fn print(&mut self, print: Print) {
        let kibibytes = u32::try_from(bytes(&print) >> 10).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.room).acquire_many_owned(kibibytes.clamp(1, ON_ITS_WAY));
        let Ok(room) = room.await else { return };
        let thread = self.thread.get_or_insert_with(|| start(&self.output, &self.state));
        // A thread that is gone has nobody to print for.
        let _ = thread.prints.send((print, room));
    }

    pub(crate) fn readers(&self) -> Readers {
        Readers { state: Arc::clone(&self.state), room: Arc::clone(&self.room) }
    }

    /// Waits until everything is printed; `false` if that takes longer than this.
    pub(crate) async fn finish(self, within: Duration) -> bool {
        let Some(Thread { prints, done }) = self.thread else { return true };
        drop(prints);
        timeout(within, done).await.is_ok()
    }
}

impl Readers {
    /// Waits until nobody reads any more.
    pub(crate) async fn gone(&self) {
        while !self.state.closed.load(Ordering::Acquire) {
            self.state.told.notified().await;
        }
    }

    /// Lets nobody wait for room any more: texts that there is none for are lost.
    pub(crate) fn give_up(&self) {
        self.room.close();
    }

    /// Whether there is no text on its way.
    pub(crate) fn have_all(&self) -> bool {
        self.room.available_permits() == ON_ITS_WAY as usize
    }
}

/// What a text takes while it waits: whatever of it a plugin can make long.
fn bytes(print: &Print) -> usize {
    let Print { channel: _, format: _, language, text } = print;
    text.len().saturating_add(language.as_ref().map_or(0, String::len))
}

fn start(output: &Arc<dyn Output>, state: &Arc<State>) -> Thread {
    let (prints, mut waiting) = mpsc::unbounded_channel::<(Print, OwnedSemaphorePermit)>();
    let (finished, done) = oneshot::channel();
    let (output, state) = (Arc::clone(output), Arc::clone(state));
    thread::spawn(move || {
        while let Some((print, _room)) = waiting.blocking_recv() {
            let shown = output.print(&print).and_then(|()| {
                // Who watches wants to see it now; in a flood there is more to come anyway.
                if waiting.is_empty() { output.flush() } else { Ok(()) }
            });
            if let Err(error) = shown {
                tracing::debug!(%error, "a text of a plugin was not printed");
                state.closed.store(true, Ordering::Release);
                state.told.notify_one();
            }
        }
        let _ = finished.send(());
    });
    Thread { prints, done }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc::Receiver};

    use futures_util::FutureExt as _;
    use jp_plugin::{Channel, Format};

    use super::*;

    /// Nobody reads, until the other end is dropped.
    #[derive(Debug)]
    struct Paused(Mutex<Receiver<()>>);

    impl Output for Paused {
        fn print(&self, _: &Print) -> io::Result<()> {
            let _ = self.0.lock().unwrap().recv();
            Ok(())
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    /// How many of these can be handed over while nobody reads, out of a hundred.
    async fn check(text: usize, language: Option<usize>, expected: usize) {
        let (go_on, paused) = std::sync::mpsc::channel();
        let mut printing = Printing::new(Arc::new(Paused(Mutex::new(paused))));
        let print = Print {
            channel: Channel::Content,
            format: Format::Code,
            language: language.map(|length| "x".repeat(length)),
            text: "x".repeat(text),
        };
        let is_taken = |_: &usize| printing.print(print.clone()).now_or_never().is_some();
        assert_eq!((0..100).take_while(is_taken).count(), expected, "{text} {language:?}");
        drop(go_on);
        assert!(printing.finish(Duration::from_secs(20)).await);
    }

    #[tokio::test]
    async fn whatever_is_long_has_to_wait_for_who_reads() {
        let mebibyte = 1 << 20;
        check(mebibyte, None, 4).await;
        check(0, Some(mebibyte), 4).await;
        check(mebibyte, Some(mebibyte), 2).await;
        check(0, Some(16 * mebibyte), 1).await;
        check(1, Some(1), 100).await;
    }
}
