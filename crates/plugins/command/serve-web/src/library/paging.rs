//! A conversation in pages that a browser shows at once.
//!
//! Pages are cut from the beginning, where turns begin if that is possible; so what is added at the end
//! never moves the beginning of a page, and no page but the last ends elsewhere. The last can: while what
//! comes after it is short, it has that too, and gives it up to a page of its own when there is more. A
//! turn that is longer than a page, as a tool can make it, is cut too.

use jp_plugin_sdk::transcript::{Event, Kind, Turn};

/// How many events a page has before it ends with the next turn.
const FULL: usize = 100;
/// How many a page has at most, before it ends within a turn. The last may have up to [`FEW`] more.
const MOST: usize = 200;
/// How many bytes of text a page has before it ends. The last may have up to [`LITTLE`] more.
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

/// The pages of a conversation; one at least if it has any events.
pub(super) fn pages(turns: &[Turn]) -> Vec<Page> {
    let mut pages: Vec<Page> = Vec::new();
    let (mut first, mut bytes) = (0, 0);
    let mut end = 0;
    for event in turns.iter().flat_map(|turn| &turn.events) {
        let count = event.position - first;
        let full = count >= FULL && event.kind == Kind::TurnStart;
        let weight = weight(event);
        if count > 0 && (full || count >= MOST || bytes + weight > BYTES) {
            pages.push(Page { first, end: event.position });
            (first, bytes) = (event.position, 0);
        }
        bytes += weight;
        end = event.position + 1;
    }
    if end > first {
        pages.push(Page { first, end });
    }
    merge_last(&mut pages, bytes);
    pages
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

/// How much of a page an event takes, in bytes of text. Results are cut where they are shown.
fn weight(event: &Event) -> usize {
    match &event.kind {
        Kind::ChatRequest { content: text, .. } | Kind::Message(text) | Kind::Reasoning(text) => {
            text.len()
        }
        Kind::ToolCallResponse { content, .. } => content.len().min(transcript_html::LONGEST),
        Kind::ToolCallRequest { arguments, .. } => {
            let texts = arguments.values().map(|value| value.as_str().map_or(64, str::len));
            texts.sum::<usize>().min(transcript_html::LONGEST)
        }
        _ => 256,
    }
}

#[cfg(test)]
mod tests {
    use jp_plugin_sdk::transcript::turns;
    use serde_json::json;

    use super::*;

    /// The first positions of the pages, and the end; each turn has so many events.
    fn check(lengths: &[usize], text: &str, want: &[usize]) {
        let pages = pages(&turns(events(lengths, text)));
        for pair in pages.windows(2) {
            assert_eq!(pair[0].end, pair[1].first);
        }
        let ends = pages.last().map(|page| page.end);
        assert_eq!(pages.iter().map(|page| page.first).chain(ends).collect::<Vec<_>>(), want);
    }

    /// Turns of so many events, each with this text.
    fn events(lengths: &[usize], text: &str) -> Vec<Event> {
        let kinds = lengths.iter().flat_map(|length| (0..*length).map(|n| n == 0));
        let event = |(position, begins): (usize, bool)| {
            let kind = if begins { "turn_start" } else { "chat_response" };
            Event::from_value(position, json!({ "type": kind, "message": text }))
        };
        kinds.enumerate().map(event).collect()
    }

    #[test]
    fn pages_are_cut_where_turns_begin() {
        check(&[], "", &[]);
        check(&[3], "", &[0, 3]);
        check(&[60, 60, 60, 60, 60], "", &[0, 120, 240, 300]);
    }

    #[test]
    fn a_long_turn_is_cut() {
        check(&[450], "", &[0, 200, 400, 450]);
    }

    #[test]
    fn a_short_last_page_is_no_page() {
        check(&[110, 5], "", &[0, 115]);
        check(&[110, 30], "", &[0, 110, 140]);
        // So this is the longest page there is.
        check(&[229], "", &[0, 229]);
        check(&[230], "", &[0, 200, 230]);
        // One event can be too much, too.
        check(&[5], &"x".repeat(130 << 10), &[0, 4, 5]);
        check(&[6], &"x".repeat(127 << 10), &[0, 6]);
    }

    #[test]
    fn long_texts_fill_a_page() {
        let text = "x".repeat(200 << 10);
        check(&[9], &text, &[0, 3, 5, 7, 9]);
        // One that is longer than a page has a page of its own.
        check(&[3], &"x".repeat(600 << 10), &[0, 1, 2, 3]);
    }

    /// A conversation grows event by event: pages begin where they began, and only the last one may end
    /// elsewhere.
    #[test]
    fn what_is_added_moves_no_beginning() {
        let all = events(&[110, 5, 450, 60, 60, 20, 120], "");
        let (mut known, mut given_up) = (pages(&[]), 0);
        for count in 1..=all.len() {
            let now = pages(&turns(all[..count].iter().cloned()));
            if let Some((last, before)) = known.split_last() {
                assert_eq!(now[..before.len()], *before, "with {count} events");
                assert_eq!(now[before.len()].first, last.first, "with {count} events");
                given_up += usize::from(now[before.len()].end < last.end);
            }
            known = now;
        }
        assert_eq!(given_up, known.len() - 1, "a page was never the last one");
    }
}
