//! What was said in a conversation: as text, with an index of where turns and pages begin.
//!
//! A page shows two hundred events of twenty thousand. So events are kept as the host gave them, which is
//! also the least memory they can take, and only those that somebody sees become values. What stands in
//! the index has to be found without reading: a word that is not in the text of an event is not its type.

use std::{collections::HashSet, ops::Range};

use jp_plugin_sdk::transcript::{Event, Kind, Turn};
use serde_json::value::RawValue;
use tokio::sync::OwnedSemaphorePermit;

use super::paging::{self, Page};

/// What an event takes besides its text: its place in the list, and what the allocator adds.
pub(super) const EVENT: usize = 32;
/// How far back the call of a result is looked for, in bytes of events.
const LOOK_BACK: usize = 4 << 20;
/// What the user wanted stands among so many events at the beginning of a turn.
const BEGINNING: usize = 16;

/// A conversation.
#[derive(Debug)]
pub(crate) struct Conversation {
    events: Vec<Box<RawValue>>,
    /// The number of the first turn, which is 0 if something stands before the first `turn_start`.
    first: usize,
    /// The positions at which turns begin.
    starts: Vec<usize>,
    pub(crate) pages: Vec<Page>,
    /// What it takes to keep it, in bytes.
    pub(super) size: usize,
    /// The same, as far as others have to wait for it.
    _room: Option<OwnedSemaphorePermit>,
}

/// A turn, and those of its events that are wanted.
#[derive(Debug)]
pub(crate) struct Part {
    /// The turn with the events that are wanted, and those that they refer to: its first, its request,
    /// calls whose results are wanted.
    pub(crate) turn: Turn,
    wanted: Range<usize>,
}

impl Part {
    /// Those that are wanted.
    pub(crate) fn events(&self) -> impl Iterator<Item = &Event> {
        self.turn.events.iter().filter(|event| self.wanted.contains(&event.position))
    }
}

impl Conversation {
    pub(super) fn new(events: Vec<Box<RawValue>>) -> Self {
        let size = events.iter().map(|event| event.get().len() + EVENT).sum();
        let begins: Vec<bool> = events.iter().map(|event| begins_turn(event)).collect();
        let first = usize::from(begins.first().is_some_and(|begins| *begins));
        let is_start =
            |(position, begins): (usize, &bool)| (position == 0 || *begins).then_some(position);
        let starts = begins.iter().enumerate().filter_map(is_start).collect();
        let weights = events.iter().map(|event| paging::weight(event));
        let pages = paging::pages(weights.zip(begins));
        Self { events, first, starts, pages, size, _room: None }
    }

    /// The same, with the room that it takes.
    pub(super) fn within(self, room: OwnedSemaphorePermit) -> Self {
        Self { _room: Some(room), ..self }
    }

    /// How many events there are.
    pub(crate) fn events(&self) -> usize {
        self.events.len()
    }

    /// How many turns there are.
    pub(crate) fn turns(&self) -> usize {
        (self.first + self.starts.len()).saturating_sub(1)
    }

    /// The event at a position, as it is stored.
    pub(crate) fn stored(&self, position: usize) -> Option<&str> {
        self.events.get(position).map(|event| event.get())
    }

    /// The event at a position.
    pub(crate) fn event(&self, position: usize) -> Option<Part> {
        self.between(position, position.checked_add(1)?).pop()
    }

    /// The page, from 0, with the event at a position; the last one if there is no such event.
    pub(crate) fn page_of(&self, position: usize) -> usize {
        let after = self.pages.partition_point(|page| page.first <= position);
        after.saturating_sub(1)
    }

    /// The position at which a turn begins.
    pub(crate) fn start_of(&self, number: usize) -> Option<usize> {
        self.starts.get(number.checked_sub(self.first)?).copied()
    }

    /// The turns of a page.
    pub(crate) fn parts_of(&self, page: &Page) -> Vec<Part> {
        self.between(page.first, page.end)
    }

    /// Where an answer ends that begins at a position and is as long as a page.
    pub(crate) fn reach(&self, position: usize) -> usize {
        let rest = self.events.get(position..).unwrap_or_default();
        self.events().min(position.saturating_add(paging::fit(rest)))
    }

    /// The turns with events from one position up to another.
    pub(crate) fn between(&self, first: usize, end: usize) -> Vec<Part> {
        let end = end.min(self.events());
        let from = self.starts.partition_point(|start| *start <= first).saturating_sub(1);
        let ends = self.starts.iter().skip(1).copied().chain([self.events()]);
        let turns = self.starts.iter().copied().zip(ends).enumerate().skip(from);
        turns
            .take_while(|(_, (start, _))| *start < end)
            .map(|(index, (start, stop))| self.part(index, start, first.max(start)..end.min(stop)))
            .filter(|part| !part.wanted.is_empty())
            .collect()
    }

    /// Those events of a turn, which begins at `start`, and what they refer to.
    fn part(&self, index: usize, start: usize, wanted: Range<usize>) -> Part {
        let mut events: Vec<Event> = wanted.clone().filter_map(|at| self.parse(at)).collect();
        let before = start..wanted.start.max(start);
        let mut earlier = self.calls_before(&events, before.clone());
        let beginning = before.take(BEGINNING).filter_map(|at| self.parse(at));
        let is_request = |event: &Event| matches!(event.kind, Kind::ChatRequest { .. });
        earlier.extend(beginning.filter(|event| event.position == start || is_request(event)));
        earlier.sort_by_key(|event| event.position);
        earlier.dedup_by_key(|event| event.position);
        events.splice(0..0, earlier);
        Part { turn: Turn { number: self.first + index, events }, wanted }
    }

    /// The calls in a part of a turn whose results are among these events.
    fn calls_before(&self, events: &[Event], before: Range<usize>) -> Vec<Event> {
        let of_result = |event: &Event| match &event.kind {
            Kind::ToolCallResponse { id, .. } => Some(id.clone()),
            _ => None,
        };
        let mut unknown: HashSet<String> = events.iter().filter_map(of_result).collect();
        for event in events {
            if let Kind::ToolCallRequest { id, .. } = &event.kind {
                unknown.remove(id);
            }
        }
        let (mut calls, mut looked) = (Vec::new(), 0);
        for position in before.rev() {
            let text = self.stored(position).unwrap_or_default();
            looked += text.len();
            if unknown.is_empty() || looked > LOOK_BACK {
                break;
            }
            if text.contains("tool_call_request")
                && let Some(event) = self.parse(position)
                && matches!(&event.kind, Kind::ToolCallRequest { id, .. } if unknown.remove(id))
            {
                calls.push(event);
            }
        }
        calls
    }

    fn parse(&self, position: usize) -> Option<Event> {
        Some(Event::parse(position, self.events.get(position)?))
    }
}

/// Whether an event begins a turn. Most are not read to know it.
fn begins_turn(event: &RawValue) -> bool {
    event.get().contains("turn_start") && Event::parse(0, event).kind == Kind::TurnStart
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};
    use tokio::sync::Semaphore;

    use super::*;

    impl Conversation {
        /// One without events that takes so much all the same.
        pub(in crate::library) fn of_size(size: usize) -> Self {
            Self { size, ..Self::new(Vec::new()) }
        }
    }

    fn conversation(events: impl IntoIterator<Item = Value>) -> Conversation {
        let raw = |event: Value| RawValue::from_string(event.to_string()).unwrap();
        Conversation::new(events.into_iter().map(raw).collect())
    }

    fn of_kinds(kinds: &[&str]) -> Conversation {
        let event = |kind: &&str| json!({ "type": kind, "content": "x", "message": "x" });
        conversation(kinds.iter().map(event))
    }

    #[test]
    fn events_and_turns_are_found() {
        let (start, said) = ("turn_start", "chat_response");
        let conversation = of_kinds(&[said, start, said, said, start, said]);
        assert_eq!((conversation.events(), conversation.turns()), (6, 2));
        for position in 0..6 {
            let part = conversation.event(position).unwrap();
            assert_eq!(part.events().map(|event| event.position).collect::<Vec<_>>(), [position]);
            assert_eq!(part.turn.number, [0, 1, 1, 1, 2, 2][position]);
        }
        assert!(conversation.event(6).is_none() && conversation.event(usize::MAX).is_none());
        assert_eq!(
            [0, 1, 2, 3].map(|n| conversation.start_of(n)),
            [Some(0), Some(1), Some(4), None]
        );
        let parts = conversation.between(3, 5);
        let parts = parts.iter().map(|part| (part.turn.number, part.events().count()));
        assert_eq!(parts.collect::<Vec<_>>(), [(1, 1), (2, 1)]);
        assert!(conversation.between(6, 9).is_empty());
        let begins = of_kinds(&[start, said]);
        assert_eq!((begins.start_of(0), begins.start_of(1), begins.turns()), (None, Some(0), 1));
    }

    /// A word in what was said begins nothing.
    #[test]
    fn only_a_type_begins_a_turn() {
        let said = json!({ "type": "chat_request", "content": "turn_start" });
        assert_eq!(conversation([said, json!({ "type": "turn_start" })]).starts, [0, 1]);
    }

    #[test]
    fn a_part_has_what_it_refers_to() {
        let said = || json!({ "type": "chat_response", "message": "x" });
        let call = |id: &str| json!({ "type": "tool_call_request", "id": id, "name": format!("tool {id}") });
        let result = |id: &str| json!({ "type": "tool_call_response", "id": id, "content": "c" });
        let asked = json!({ "type": "chat_request", "content": "Why?" });
        let all = [
            json!({ "type": "turn_start", "timestamp": "t" }),
            asked,
            call("a"),
            call("b"),
            said(),
            result("a"),
            result("c"),
        ];
        let conversation = conversation(all);
        let part = conversation.between(5, 7).remove(0);
        let positions = |events: &mut dyn Iterator<Item = &Event>| {
            events.map(|event| event.position).collect::<Vec<_>>()
        };
        assert_eq!(positions(&mut part.events()), [5, 6]);
        assert_eq!(positions(&mut part.turn.events.iter()), [0, 1, 2, 5, 6]);
        assert_eq!((part.turn.began(), part.turn.request()), (Some("t"), Some("Why?")));
        assert_eq!(part.turn.tools().get("a"), Some(&"tool a"));
    }

    /// Others wait for the room of a conversation as long as anybody uses it, and no longer.
    #[test]
    fn room_is_given_back_with_the_last_use() {
        let room = Arc::new(Semaphore::new(8));
        let taken = Arc::clone(&room).try_acquire_many_owned(5).unwrap();
        let conversation = Arc::new(of_kinds(&["turn_start"]).within(taken));
        let kept = Arc::clone(&conversation);
        drop(conversation);
        assert_eq!((kept.events(), room.available_permits()), (1, 3));
        drop(kept);
        assert_eq!(room.available_permits(), 8);
    }

    #[test]
    fn nothing_at_all() {
        let conversation = of_kinds(&[]);
        assert_eq!(
            (conversation.events(), conversation.turns(), conversation.page_of(0)),
            (0, 0, 0)
        );
        assert!(conversation.event(0).is_none() && conversation.between(0, 1).is_empty());
        assert_eq!(conversation.reach(usize::MAX), 0);
    }
}
