//! The places of a text that are cut out.

use std::ops::Range;

/// How many bytes a character has after its first.
const CONTINUED: usize = 3;

/// Places that do not matter twice: those that touch are one.
#[derive(Debug, Default)]
pub(super) struct Ranges {
    found: Vec<Range<usize>>,
}

impl Ranges {
    pub(super) fn add(&mut self, range: Range<usize>) {
        // Matches of one search come in the order of their ends. Joining what touches right away
        // keeps a text that is one long match from filling the memory.
        match self.found.last_mut() {
            Some(last) if touches(last, &range) => {
                *last = last.start.min(range.start)..last.end.max(range.end);
            }
            _ => self.found.push(range),
        }
    }

    /// Puts them in order and joins those that touch.
    pub(super) fn tidy(&mut self) {
        self.found.sort_unstable_by_key(|range| range.start);
        self.found.dedup_by(|next, kept| {
            let joins = touches(kept, next);
            if joins {
                kept.end = kept.end.max(next.end);
            }
            joins
        });
    }

    /// The places in order, none of which begins or ends inside a character.
    pub(super) fn into_whole_characters(mut self, bytes: &[u8]) -> Vec<Range<usize>> {
        let inside = |at: &usize| bytes.get(*at).is_some_and(|byte| byte & 0xC0 == 0x80);
        for range in &mut self.found {
            // What goes on for longer is no UTF-8, and nothing is broken by cutting it anywhere.
            let mut back = (0..=CONTINUED).map_while(|steps| range.start.checked_sub(steps));
            range.start = back.find(|at| !inside(at)).unwrap_or(range.start);
            let mut ahead = range.end..=range.end + CONTINUED;
            range.end = ahead.find(|at| !inside(at)).unwrap_or(range.end);
        }
        self.tidy();
        self.found
    }
}

fn touches(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start <= other.end && other.start <= one.end
}
