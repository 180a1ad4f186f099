//! What was read and has not changed, as much of it as a number of bytes allows.

use std::{collections::VecDeque, sync::Arc};

use jp_plugin_sdk::Summary;

use super::Conversation;

/// How many conversations are kept, so that looking for one stays short.
const MOST: usize = 256;

/// Conversations in the order of their last use.
#[derive(Debug)]
pub(super) struct Cache {
    limit: usize,
    held: usize,
    entries: VecDeque<(Key, Arc<Conversation>)>,
}

/// A conversation in a certain state: whoever adds to it changes both.
#[derive(Debug, PartialEq, Eq)]
struct Key {
    id: String,
    events: u64,
    last: String,
}

impl Cache {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, held: 0, entries: VecDeque::new() }
    }

    /// The conversation in the state that the listing says; an older one is forgotten.
    pub(super) fn get(&mut self, summary: &Summary) -> Option<Arc<Conversation>> {
        let (key, conversation) = self.take(&summary.id)?;
        if key != Key::from(summary) {
            return None;
        }
        self.held += conversation.size;
        self.entries.push_back((key, Arc::clone(&conversation)));
        Some(conversation)
    }

    /// Keeps a conversation, and lets go of those that were not used for longest. One that is larger
    /// than everything we may keep is not kept.
    pub(super) fn put(&mut self, summary: &Summary, conversation: Arc<Conversation>) {
        drop(self.take(&summary.id));
        if conversation.size > self.limit {
            return;
        }
        self.held += conversation.size;
        self.entries.push_back((Key::from(summary), conversation));
        while self.held > self.limit || self.entries.len() > MOST {
            let Some((_, oldest)) = self.entries.pop_front() else { return };
            self.held -= oldest.size;
        }
    }

    fn take(&mut self, id: &str) -> Option<(Key, Arc<Conversation>)> {
        let index = self.entries.iter().position(|(key, _)| key.id == id)?;
        let entry = self.entries.remove(index)?;
        self.held -= entry.1.size;
        Some(entry)
    }
}

impl From<&Summary> for Key {
    fn from(summary: &Summary) -> Self {
        let last = summary.last_activated_at.clone();
        Self { id: summary.id.clone(), events: summary.events_count, last }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(id: &str, events_count: u64) -> Summary {
        Summary { id: id.to_owned(), title: None, last_activated_at: "t".to_owned(), events_count }
    }

    fn of_size(size: usize) -> Arc<Conversation> {
        Arc::new(Conversation::of_size(size))
    }

    /// Which of these are kept.
    fn kept(cache: &mut Cache, ids: &[&str]) -> Vec<bool> {
        ids.iter().map(|id| cache.get(&summary(id, 1)).is_some()).collect()
    }

    #[test]
    fn the_oldest_make_room() {
        let mut cache = Cache::new(100);
        cache.put(&summary("a", 1), of_size(40));
        cache.put(&summary("b", 1), of_size(40));
        assert_eq!(kept(&mut cache, &["b", "a"]), [true, true]);
        cache.put(&summary("c", 1), of_size(40));
        assert_eq!(kept(&mut cache, &["a", "b", "c"]), [true, false, true]);
        cache.put(&summary("d", 1), of_size(101));
        assert_eq!(kept(&mut cache, &["a", "c", "d"]), [true, true, false]);
        assert_eq!(cache.held, 80);
    }

    #[test]
    fn a_change_is_noticed() {
        let mut cache = Cache::new(100);
        cache.put(&summary("a", 1), of_size(60));
        assert!(cache.get(&summary("a", 2)).is_none());
        assert_eq!((cache.held, cache.entries.len()), (0, 0));
        cache.put(&summary("a", 2), of_size(60));
        cache.put(&summary("a", 3), of_size(70));
        assert_eq!((cache.held, cache.entries.len()), (70, 1));
    }

    #[test]
    fn their_number_is_bounded_too() {
        let mut cache = Cache::new(1 << 20);
        for n in 0..300 {
            cache.put(&summary(&n.to_string(), 1), of_size(1));
        }
        assert_eq!((cache.entries.len(), cache.held), (MOST, MOST));
    }
}
