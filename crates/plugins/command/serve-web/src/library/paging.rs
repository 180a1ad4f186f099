//! A conversation in pages that a browser shows at once.
//!
//! Pages are cut from the beginning, where turns begin if that is possible; so what is added at the end
//! never moves the beginning of a page, and no page but the last ends elsewhere. The last can: while what
//! comes after it is short, it has that too, and gives it up to a page of its own when there is more. A
//! turn that is longer than a page, as a tool can make it, is cut too.

use serde::Deserialize;
use serde_json::value::RawValue;
use transcript_html::{LONGEST, LONGEST_WORDS};

/// How many events a page has before it ends with the next turn.
const FULL: usize = 100;
/// How many a page has at most, before it ends within a turn. The last may have up to [`FEW`] more.
const MOST: usize = 200;
/// How many bytes of events a page has before it ends. The last may have up to [`LITTLE`] more.
const BYTES: usize = 512 << 10;
/// A last page with fewer events than this, and less text than [`LITTLE`], is shown with the one before.
const FEW: usize = 30;
/// See [`FEW`], in bytes.
const LITTLE: usize = 128 << 10;

/// A part of a conversation, by the positions of its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) first: usize,
    /// The position after the last.
    pub(crate) end: usize,
}

/// The pages of a conversation, by the weight of each event and whether it begins a turn; one at least if
/// it has any events.
pub(super) fn pages(events: impl Iterator<Item = (usize, bool)>) -> Vec<Page> {
    let mut pages: Vec<Page> = Vec::new();
    let (mut first, mut bytes) = (0, 0);
    let mut end = 0;
    for (position, (weight, begins)) in events.enumerate() {
        let count = position - first;
        let full = count >= FULL && begins;
        if count > 0 && (full || count >= MOST || bytes + weight > BYTES) {
            pages.push(Page { first, end: position });
            (first, bytes) = (position, 0);
        }
        bytes += weight;
        end = position + 1;
    }
    if end > first {
        pages.push(Page { first, end });
    }
    merge_last(&mut pages, bytes);
    pages
}

/// How many of these events are added to an open page at once; one at least, if there is any.
pub(super) fn fit(events: &[Box<RawValue>]) -> usize {
    let mut bytes = 0;
    let fits = |event: &&Box<RawValue>| {
        bytes += weight(event);
        bytes <= BYTES
    };
    events.iter().take(FULL).take_while(fits).count().max(1)
}

/// How much of a page an event takes, in bytes. What is longer than a page wants is cut where it is
/// shown, and words have more room than the rest.
pub(super) fn weight(event: &RawValue) -> usize {
    let length = event.get().len();
    if length <= LONGEST {
        return length;
    }
    let most = if has_words(event) { LONGEST_WORDS } else { 2 * LONGEST };
    length.min(most)
}

/// Whether an event is something that somebody said.
fn has_words(event: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Typed {
        #[serde(rename = "type")]
        name: String,
    }
    // What has no type has no words either.
    serde_json::from_str::<Typed>(event.get())
        .is_ok_and(|typed| typed.name == "chat_request" || typed.name == "chat_response")
}

/// Whoever opens a conversation sees its last page, and wants to see more than a line.
fn merge_last(pages: &mut Vec<Page>, bytes: usize) {
    if let [.., before, last] = pages.as_mut_slice()
        && last.end - last.first < FEW
        && bytes < LITTLE
    {
        before.end = last.end;
        pages.pop();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The first positions of the pages, and the end; each turn has so many events of this weight.
    fn check(lengths: &[usize], weight: usize, want: &[usize]) {
        let pages = pages(events(lengths, weight).into_iter());
        for pair in pages.windows(2) {
            assert_eq!(pair[0].end, pair[1].first);
        }
        let ends = pages.last().map(|page| page.end);
        assert_eq!(pages.iter().map(|page| page.first).chain(ends).collect::<Vec<_>>(), want);
    }

    /// Turns of so many events, each of this weight.
    fn events(lengths: &[usize], weight: usize) -> Vec<(usize, bool)> {
        let begins = lengths.iter().flat_map(|length| (0..*length).map(|n| n == 0));
        begins.map(|begins| (weight, begins)).collect()
    }

    #[test]
    fn pages_are_cut_where_turns_begin() {
        check(&[], 0, &[]);
        check(&[3], 0, &[0, 3]);
        check(&[60, 60, 60, 60, 60], 0, &[0, 120, 240, 300]);
    }

    #[test]
    fn a_long_turn_is_cut() {
        check(&[450], 0, &[0, 200, 400, 450]);
    }

    #[test]
    fn a_short_last_page_is_no_page() {
        check(&[110, 5], 0, &[0, 115]);
        check(&[110, 30], 0, &[0, 110, 140]);
        // So this is the longest page there is.
        check(&[229], 0, &[0, 229]);
        check(&[230], 0, &[0, 200, 230]);
        // One event can be too much, too.
        check(&[5], 130 << 10, &[0, 3, 5]);
        check(&[5], 127 << 10, &[0, 5]);
    }

    #[test]
    fn long_texts_fill_a_page() {
        check(&[9], 200 << 10, &[0, 2, 4, 6, 8, 9]);
        // One that is longer than a page has a page of its own.
        check(&[3], 600 << 10, &[0, 1, 2, 3]);
    }

    #[test]
    fn an_event_weighs_what_is_shown_of_it() {
        let raw = |kind: &str, length: usize| {
            let event = json!({ "type": kind, "message": "x".repeat(length) });
            RawValue::from_string(event.to_string()).unwrap()
        };
        let weight = |kind: &str, length: usize| weight(&raw(kind, length));
        assert!((100..200).contains(&weight("chat_response", 100)));
        assert!((100 << 10..101 << 10).contains(&weight("chat_response", 100 << 10)));
        assert_eq!(weight("chat_response", 1 << 20), LONGEST_WORDS);
        assert_eq!(weight("hologram", 1 << 20), 2 * LONGEST);
        let long = raw("chat_response", 200 << 10);
        assert_eq!(fit(&vec![long; 9]), 2);
        assert_eq!(fit(&vec![raw("hologram", 600 << 10); 9]), 4);
        assert_eq!(fit(&vec![raw("hologram", 1); 900]), FULL);
        assert_eq!(fit(&[]), 1);
    }

    /// A conversation grows event by event: pages begin where they began, and only the last one may end
    /// elsewhere.
    #[test]
    fn what_is_added_moves_no_beginning() {
        let all = events(&[110, 5, 450, 60, 60, 20, 120], 0);
        let (mut known, mut given_up) = (Vec::new(), 0);
        for count in 1..=all.len() {
            let now = pages(all[..count].iter().copied());
            if let Some((last, before)) = known.split_last() {
                let last: &Page = last;
                assert_eq!(now[..before.len()], *before, "with {count} events");
                assert_eq!(now[before.len()].first, last.first, "with {count} events");
                given_up += usize::from(now[before.len()].end < last.end);
            }
            known = now;
        }
        assert_eq!(given_up, known.len() - 1, "a page was never the last one");
    }
}
