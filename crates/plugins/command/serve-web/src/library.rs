//! The conversations: asked for at every request, and read once as long as they do not change.
//!
//! The host is the only source. A page begins with a fresh listing, which says whether what was read
//! before is still all there is; so a page is never older than its request, and a conversation of twenty
//! thousand events is not read again for each of its pages. What is kept is bounded in bytes, and so is
//! how much is being read at a time.

mod cache;
mod names;
mod paging;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jp_plugin_sdk::{
    RequestError, Summary,
    asynchronous::Session,
    transcript::{Event, Turn, turns},
};
use serde_json::value::RawValue;
use tokio::{sync::Semaphore, task::spawn_blocking};

use self::cache::Cache;
pub(crate) use self::{names::pick, paging::Page};

/// How many bytes of conversations are kept.
const KEPT: usize = 64 << 20;
/// How many conversations are read at a time. One has 48 MiB at most, by the limits of the host.
const AT_ONCE: usize = 4;
/// What an event takes besides its text, roughly.
const EVENT: usize = 320;

/// All conversations of the workspace.
#[derive(Debug)]
pub(crate) struct Library {
    session: Session,
    cache: Mutex<Cache>,
    reading: Semaphore,
}

/// A conversation as it is now.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    pub(crate) summary: Summary,
    pub(crate) conversation: Arc<Conversation>,
}

/// What was said in a conversation.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub(crate) turns: Vec<Turn>,
    pub(crate) pages: Vec<Page>,
    /// What it takes to keep it, in bytes.
    size: usize,
}

/// A turn, and those of its events that are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    /// All of it: what is wanted may refer to what is not.
    pub(crate) turn: &'a Turn,
    pub(crate) events: &'a [Event],
}

/// Why a conversation cannot be shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("There is no conversation `{0}`.")]
    NotFound(String),
    #[error("`{name}` may be any of {count} conversations; give more of its id.")]
    Ambiguous { name: String, count: usize },
    #[error(transparent)]
    Host(#[from] RequestError),
}

impl Library {
    pub(crate) fn new(session: Session) -> Self {
        let cache = Mutex::new(Cache::new(KEPT));
        Self { session, cache, reading: Semaphore::new(AT_ONCE) }
    }

    /// The host behind it.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// All conversations, the latest first.
    pub(crate) async fn list(&self) -> Result<Vec<Summary>, RequestError> {
        self.session.list_conversations().await
    }

    /// The conversation that is meant, in a fresh listing.
    pub(crate) async fn find(&self, name: &str) -> Result<Summary, OpenError> {
        pick(&self.list().await?, name)
    }

    /// A conversation as it is now, read only if it is not known already.
    pub(crate) async fn open(&self, summary: Summary) -> Result<Opened, RequestError> {
        if let Some(conversation) = self.cache().get(&summary) {
            return Ok(Opened { summary, conversation });
        }
        // The semaphore is never closed.
        let _permit = self.reading.acquire().await.map_err(|_| RequestError::Closed)?;
        // Somebody may have read it while we waited.
        if let Some(conversation) = self.cache().get(&summary) {
            return Ok(Opened { summary, conversation });
        }
        let events = self.session.read_raw_events(&summary.id).await?;
        // Reading a long conversation takes a while, in which others want their answers.
        let conversation = spawn_blocking(move || Conversation::parse(&events)).await;
        let conversation = Arc::new(conversation.map_err(|_| RequestError::Closed)?);
        self.cache().put(&summary, Arc::clone(&conversation));
        Ok(Opened { summary, conversation })
    }

    /// The events of a conversation for somebody who looks at each once; they are not kept.
    pub(crate) async fn read(&self, summary: &Summary) -> Result<Vec<Box<RawValue>>, RequestError> {
        let _permit = self.reading.acquire().await.map_err(|_| RequestError::Closed)?;
        self.session.read_raw_events(&summary.id).await
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Conversation {
    fn parse(events: &[Box<RawValue>]) -> Self {
        let size = events.iter().map(|event| event.get().len() + EVENT).sum();
        let events = events.iter().enumerate().map(|(position, text)| Event::parse(position, text));
        let turns = turns(events);
        let pages = paging::pages(&turns);
        Self { turns, pages, size }
    }

    /// How many events there are.
    pub(crate) fn events(&self) -> usize {
        self.turns.last().and_then(|turn| turn.events.last()).map_or(0, |event| event.position + 1)
    }

    /// The event at a position.
    pub(crate) fn event(&self, position: usize) -> Option<(&Turn, &Event)> {
        let starts = |turn: &Turn| turn.events.first().map_or(0, |event| event.position);
        let index = self.turns.partition_point(|turn| starts(turn) <= position).checked_sub(1)?;
        let turn = self.turns.get(index)?;
        Some((turn, turn.events.get(position.checked_sub(starts(turn))?)?))
    }

    /// The page, from 0, with the event at a position; the last one if there is no such event.
    pub(crate) fn page_of(&self, position: usize) -> usize {
        let after = self.pages.partition_point(|page| page.first <= position);
        after.saturating_sub(1)
    }

    /// The position at which a turn begins.
    pub(crate) fn start_of(&self, number: usize) -> Option<usize> {
        let index = self.turns.binary_search_by_key(&number, |turn| turn.number).ok()?;
        self.turns[index].events.first().map(|event| event.position)
    }

    /// The turns of a page.
    pub(crate) fn parts_of(&self, page: &Page) -> Vec<Part<'_>> {
        self.between(page.first, page.end)
    }

    /// The turns with events from one position up to another.
    pub(crate) fn between(&self, first: usize, end: usize) -> Vec<Part<'_>> {
        fn part(turn: &Turn, first: usize, end: usize) -> Option<Part<'_>> {
            let before = |position| turn.events.partition_point(|event| event.position < position);
            let events = turn.events.get(before(first)..before(end))?;
            (!events.is_empty()).then_some(Part { turn, events })
        }
        let ends = |turn: &Turn| turn.events.last().map_or(0, |event| event.position);
        let from = self.turns.partition_point(|turn| ends(turn) < first);
        let starts = |turn: &&Turn| turn.events.first().is_some_and(|event| event.position < end);
        self.turns[from..]
            .iter()
            .take_while(starts)
            .filter_map(|turn| part(turn, first, end))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn conversation(kinds: &[&str]) -> Conversation {
        let raw = |kind: &&str| {
            let text = format!(r#"{{"type":"{kind}","content":"x","message":"x"}}"#);
            RawValue::from_string(text).unwrap()
        };
        Conversation::parse(&kinds.iter().map(raw).collect::<Vec<_>>())
    }

    #[test]
    fn events_and_turns_are_found() {
        let (start, said) = ("turn_start", "chat_response");
        let conversation = conversation(&[said, start, said, said, start, said]);
        assert_eq!(conversation.events(), 6);
        for position in 0..6 {
            let (turn, event) = conversation.event(position).unwrap();
            assert_eq!(event.position, position);
            assert_eq!(turn.number, [0, 1, 1, 1, 2, 2][position]);
        }
        assert!(conversation.event(6).is_none() && conversation.event(usize::MAX).is_none());
        assert_eq!(
            [0, 1, 2, 3].map(|n| conversation.start_of(n)),
            [Some(0), Some(1), Some(4), None]
        );
        let parts = conversation.between(3, 5);
        let parts = parts.iter().map(|part| (part.turn.number, part.events.len()));
        assert_eq!(parts.collect::<Vec<_>>(), [(1, 1), (2, 1)]);
        assert!(conversation.between(6, 9).is_empty());
    }

    #[test]
    fn nothing_at_all() {
        let conversation = conversation(&[]);
        assert_eq!((conversation.events(), conversation.page_of(0)), (0, 0));
        assert!(conversation.event(0).is_none() && conversation.between(0, 1).is_empty());
    }
}
