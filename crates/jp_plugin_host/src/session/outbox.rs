//! What is on its way to a plugin.
//!
//! An answer is written at once where the pipe has room for it, which saves the way through another task.
//! What does not fit waits here, and a task goes on with it when the plugin has read. Nothing else waits for
//! the plugin: a `shutdown` goes before everything that is not half written, and a plugin that has closed its
//! input loses what was meant for it and nothing more.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{
    net::unix::pipe,
    sync::{Notify, mpsc},
};

/// How much the pipe takes from when a long line goes through it: fewer turns for the same bytes.
const WIDE: usize = 256 << 10;

/// The way to a plugin.
#[derive(Debug)]
pub(super) struct Outbox {
    queue: Mutex<Queue>,
    /// There is something to write.
    work: Notify,
    /// There may be room for more answers.
    room: Notify,
}

#[derive(Debug)]
struct Queue {
    /// Gone when the plugin does not read any more, or is not to.
    pipe: Option<Arc<pipe::Sender>>,
    items: VecDeque<Item>,
    /// The bytes of all items that wait.
    bytes: usize,
    /// How much of the first item is written.
    written: usize,
}

/// One line.
#[derive(Debug)]
enum Item {
    Whole(Vec<u8>),
    /// A line that is made while it is read.
    Pieces {
        piece: Vec<u8>,
        next: mpsc::Receiver<Vec<u8>>,
    },
}

/// Why writing stopped.
#[derive(Debug, PartialEq, Eq)]
enum Stopped {
    /// Everything there is was written.
    Empty,
    /// The pipe is full.
    Full,
}

impl Outbox {
    pub(super) fn new(pipe: pipe::Sender) -> Self {
        let queue =
            Queue { pipe: Some(Arc::new(pipe)), items: VecDeque::new(), bytes: 0, written: 0 };
        Self { queue: Mutex::new(queue), work: Notify::new(), room: Notify::new() }
    }

    /// Adds a line, its end included. It is written as soon as there is room, whoever is busy.
    pub(super) fn push(&self, line: Vec<u8>) {
        self.add(line);
        self.work.notify_one();
    }

    /// Adds a line for somebody who flushes next: then nobody has to be woken for it.
    pub(super) fn add(&self, line: Vec<u8>) {
        self.queue().add(Item::Whole(line));
    }

    /// Adds a line that is made while it is read. Each piece is told by [`Self::poke`].
    pub(super) fn push_pieces(&self, piece: Vec<u8>, next: mpsc::Receiver<Vec<u8>>) {
        let mut queue = self.queue();
        if let Some(pipe) = &queue.pipe {
            // A system that has given away all it has for pipes says no, and the line takes longer.
            let _ = rustix::pipe::fcntl_setpipe_size(pipe.as_ref(), WIDE);
        }
        queue.add(Item::Pieces { piece, next });
        drop(queue);
        self.work.notify_one();
    }

    /// Says that there is another piece.
    pub(super) fn poke(&self) {
        self.work.notify_one();
    }

    /// Adds a line that goes before all others.
    pub(super) fn push_first(&self, line: Vec<u8>) {
        self.queue().add_first(line);
        self.work.notify_one();
    }

    /// Whether nobody reads any more.
    pub(super) fn is_closed(&self) -> bool {
        self.queue().pipe.is_none()
    }

    /// How many bytes wait.
    pub(super) fn bytes(&self) -> usize {
        self.queue().bytes
    }

    /// Writes what fits now; the rest is left to [`Self::serve`].
    pub(super) fn flush(&self) {
        let mut queue = self.queue();
        let before = queue.bytes;
        let stopped = queue.write();
        let is_less = queue.bytes < before;
        drop(queue);
        if stopped == Stopped::Full {
            self.work.notify_one();
        }
        if is_less {
            self.room.notify_one();
        }
    }

    /// Waits until something was written.
    pub(super) async fn room(&self) {
        self.room.notified().await;
    }

    /// Ends the input of the plugin; what waits is dropped.
    pub(super) fn close(&self) {
        self.queue().close();
        self.work.notify_one();
        self.room.notify_one();
    }

    /// Writes what waits, as the plugin reads, until the outbox is closed.
    pub(super) async fn serve(self: Arc<Self>) {
        loop {
            let stopped = self.queue().write();
            self.room.notify_one();
            let Some(pipe) = self.queue().pipe.clone() else { return };
            match stopped {
                Stopped::Empty => {
                    drop(pipe);
                    self.work.notified().await;
                }
                Stopped::Full => tokio::select! {
                    _ = pipe.writable() => {}
                    // It may have been closed.
                    () = self.work.notified() => {}
                },
            }
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Nothing in here panics half way through a change.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn add(&mut self, item: Item) {
        if self.pipe.is_some() {
            self.bytes += item.len();
            self.items.push_back(item);
        }
    }

    fn add_first(&mut self, line: Vec<u8>) {
        if self.pipe.is_some() {
            self.bytes += line.len();
            // A line that has begun is finished first.
            let begun = self.written > 0 || matches!(self.items.front(), Some(Item::Pieces { .. }));
            self.items.insert(usize::from(begun && !self.items.is_empty()), Item::Whole(line));
        }
    }

    fn close(&mut self) {
        self.pipe = None;
        self.items.clear();
        (self.bytes, self.written) = (0, 0);
    }

    fn write(&mut self) -> Stopped {
        while let Some(item) = self.items.front_mut() {
            let Some(pipe) = &self.pipe else { break };
            let bytes = item.bytes();
            if self.written == bytes.len() {
                match item.next_piece() {
                    Next::Piece(length) => {
                        self.bytes += length;
                        self.written = 0;
                    }
                    Next::NotYet => return Stopped::Empty,
                    Next::End => {
                        self.items.pop_front();
                        self.written = 0;
                    }
                }
                continue;
            }
            match pipe.try_write(&bytes[self.written..]) {
                Ok(count) => {
                    self.written += count;
                    self.bytes = self.bytes.saturating_sub(count);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Stopped::Full,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // The plugin does not read any more.
                Err(_) => self.close(),
            }
        }
        Stopped::Empty
    }
}

/// What follows a piece.
enum Next {
    Piece(usize),
    NotYet,
    End,
}

impl Item {
    fn len(&self) -> usize {
        self.bytes().len()
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Whole(bytes) | Self::Pieces { piece: bytes, .. } => bytes,
        }
    }

    fn next_piece(&mut self) -> Next {
        let Self::Pieces { piece, next } = self else { return Next::End };
        match next.try_recv() {
            Ok(more) => {
                *piece = more;
                Next::Piece(piece.len())
            }
            Err(mpsc::error::TryRecvError::Empty) => {
                // What was written is not needed, and must not be written again.
                Next::NotYet
            }
            Err(mpsc::error::TryRecvError::Disconnected) => Next::End,
        }
    }
}

#[cfg(test)]
mod tests;
