//! Events that were read not long ago, up to a number of bytes.

use std::{collections::HashMap, sync::Arc};

use super::Events;
use crate::{etag::Tag, limits};

/// What an event costs besides its text, about.
const OVERHEAD: usize = 32;

/// Conversations and their events; what was not used for the longest time goes first.
#[derive(Debug, Default)]
pub(super) struct Cache {
    kept: HashMap<String, Kept>,
    bytes: usize,
    /// Grows with each use.
    clock: u64,
}

#[derive(Debug)]
struct Kept {
    tag: Tag,
    events: Events,
    bytes: usize,
    used: u64,
}

impl Cache {
    /// The events of a conversation that has this tag.
    pub(super) fn get(&mut self, id: &str, tag: &Tag) -> Option<Events> {
        self.clock += 1;
        let kept = self.kept.get_mut(id).filter(|kept| kept.tag == *tag)?;
        kept.used = self.clock;
        Some(Arc::clone(&kept.events))
    }

    pub(super) fn put(&mut self, id: &str, tag: Tag, events: Events) {
        self.remove(id);
        let bytes = events.iter().map(|event| event.get().len() + OVERHEAD).sum();
        if bytes > limits::CACHE {
            return;
        }
        while self.bytes + bytes > limits::CACHE {
            let oldest = self.kept.iter().min_by_key(|(_, kept)| kept.used);
            let Some(oldest) = oldest.map(|(id, _)| id.clone()) else { break };
            self.remove(&oldest);
        }
        self.clock += 1;
        self.bytes += bytes;
        self.kept.insert(id.to_owned(), Kept { tag, events, bytes, used: self.clock });
    }

    fn remove(&mut self, id: &str) {
        if let Some(kept) = self.kept.remove(id) {
            self.bytes -= kept.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn events(bytes: usize) -> Events {
        let text = format!("\"{}\"", "x".repeat(bytes));
        Arc::new(vec![RawValue::from_string(text).unwrap()])
    }

    #[test]
    fn what_was_not_used_goes_first() {
        let tag = |text: &'static str| Tag::of([text.as_bytes()]);
        let mut cache = Cache::default();
        let third = limits::CACHE / 3 - 100;
        for id in ["a", "b", "c"] {
            cache.put(id, tag("1"), events(third));
        }
        assert!(cache.get("a", &tag("1")).is_some());
        assert!(cache.get("a", &tag("2")).is_none(), "it has changed since");
        cache.put("d", tag("1"), events(third));
        assert!(cache.get("b", &tag("1")).is_none());
        assert!(["a", "c", "d"].iter().all(|id| cache.get(id, &tag("1")).is_some()));
        cache.put("d", tag("2"), events(third));
        assert!(cache.bytes <= limits::CACHE && cache.kept.len() == 3);
        cache.put("e", tag("1"), events(limits::CACHE));
        assert_eq!(cache.kept.len(), 3, "too large to be kept");
    }
}
