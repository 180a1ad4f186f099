//! How much may be under way at once.
//!
//! The danger is that both sides write and neither reads. The tool writes requests with a plain write,
//! which waits when the pipe is full; a simple host that is just writing an answer does not read
//! meanwhile, and waits for the tool. So what is under way has to fit into a pipe, then a write never
//! waits. A request that does not fit by itself is sent when no answer is owed: the host then has
//! nothing to write, and reads.

use rustc_hash::FxHashMap;

/// At most so many requests are under way.
const MAX_REQUESTS: usize = 64;

/// At most so many bytes are under way: what the smallest pipe takes.
const MAX_BYTES: usize = 4096;

/// The requests that are not answered yet.
#[derive(Debug, Default)]
pub(super) struct Window {
    owed: FxHashMap<i64, Owed>,
    bytes: usize,
}

/// A request that is not answered yet.
#[derive(Debug)]
struct Owed {
    bytes: usize,
    is_wanted: bool,
}

impl Window {
    /// Whether one more can be sent without waiting.
    pub(super) fn fits(&self, bytes: usize) -> bool {
        let is_small = self.owed.len() < MAX_REQUESTS && self.bytes + bytes <= MAX_BYTES;
        self.owed.is_empty() || is_small
    }

    /// Whether it is time for more. Half a window at a time keeps both sides busy, and takes one write
    /// for many requests.
    pub(super) fn is_low(&self) -> bool {
        self.owed.len() <= MAX_REQUESTS / 2 && self.bytes <= MAX_BYTES / 2
    }

    pub(super) fn open(&mut self, id: i64, bytes: usize) {
        self.bytes += bytes;
        self.owed.insert(id, Owed { bytes, is_wanted: true });
    }

    /// Its answer will be thrown away. Says whether there is one to come.
    pub(super) fn forget(&mut self, id: i64) -> bool {
        self.owed.get_mut(&id).map(|owed| owed.is_wanted = false).is_some()
    }

    /// Its answer is here. Says whether somebody wants it.
    pub(super) fn close(&mut self, id: i64) -> bool {
        let Some(owed) = self.owed.remove(&id) else { return false };
        self.bytes -= owed.bytes;
        owed.is_wanted
    }

    /// Closes all, and returns those that somebody wants.
    pub(super) fn close_all(&mut self) -> Vec<i64> {
        self.bytes = 0;
        self.owed.drain().filter(|(_, owed)| owed.is_wanted).map(|(id, _)| id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_under_way_fits_into_a_pipe() {
        let mut window = Window::default();
        // By itself anything fits, and then nothing else does.
        assert!(window.fits(10 << 20));
        window.open(1, 10 << 20);
        assert!(!window.fits(1));
        assert!(window.close(1));
        assert!(!window.close(1));

        for id in 0.. {
            if !window.fits(100) {
                assert_eq!(id, 40);
                break;
            }
            window.open(id, 100);
        }
        assert!(!window.is_low());
        (0..20).for_each(|id| assert!(window.close(id)));
        assert!(window.is_low());

        let mut window = Window::default();
        (0..64).for_each(|id| window.open(id, 1));
        assert!(!window.fits(1));
        assert!(window.forget(3));
        assert!(!window.close(3));
        assert!(!window.forget(3));
        assert!(window.fits(1));
        assert_eq!(window.close_all().len(), 63);
        assert!(window.fits(4096));
    }
}
