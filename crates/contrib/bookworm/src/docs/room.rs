//! Room for text: what is taken from a page is never longer than stated.
//!
//! Elements stand in elements, so the same text can belong to many of them: a page whose members lie
//! within each other would be copied once for each level. So whoever takes text from a page takes it
//! out of one room, and when that is full the rest is left out.

use std::cell::Cell;

/// How many bytes there still is room for.
#[derive(Debug)]
pub(crate) struct Room(Cell<usize>);

impl Room {
    pub(crate) fn new(bytes: usize) -> Self {
        Self(Cell::new(bytes))
    }

    pub(crate) fn is_full(&self) -> bool {
        self.0.get() == 0
    }

    /// Takes room for so many bytes; whether there was enough.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        let left = self.0.get().checked_sub(bytes);
        self.0.set(left.unwrap_or_default());
        left.is_some()
    }

    /// As much of a text as there is room for.
    pub(crate) fn fit<'a>(&self, text: &'a str) -> &'a str {
        let end = text.floor_char_boundary(self.0.get());
        self.take(text.len());
        &text[..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_left_out() {
        let room = Room::new(5);
        assert_eq!(room.fit("ab"), "ab");
        assert_eq!(room.fit("cäöü"), "cä");
        assert!(room.is_full() && !room.take(1) && room.take(0));
        assert_eq!(room.fit("x"), "");
    }
}
