//! Words in what was said, and in titles and ids: conversation by conversation, the latest first.
//!
//! There is no index: the host reads each conversation that is searched. So reading ends after
//! [`LONGEST`], or with [`MOST`] conversations, and the result says how far it came. Titles and ids are
//! known without it, and are searched to the end.

use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use jp_plugin_sdk::{
    Summary,
    transcript::{Event, Kind},
    words,
};
use serde_json::{Map, Value, value::RawValue};
use tokio::time::{Instant, timeout_at};

use super::Words;
use crate::{answers, library::Library};

/// How long a search takes at most.
const LONGEST: Duration = Duration::from_secs(5);
/// How many conversations are found at most.
const MOST: usize = 50;
/// How many are read at a time.
const AT_ONCE: usize = 4;
/// How much is shown on both sides of a word, in bytes.
const AROUND: usize = 90;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) hits: Vec<Hit>,
    /// How many conversations were read.
    pub(crate) searched: usize,
}

/// A conversation that has the words.
#[derive(Debug)]
pub(crate) struct Hit {
    pub(crate) summary: Summary,
    /// Where they were said; nothing if they are only known to be in the title or the id.
    pub(crate) place: Option<Place>,
}

/// The first event that has all the words.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) position: usize,
    pub(crate) before: String,
    pub(crate) word: String,
    pub(crate) after: String,
}

/// Looks for words in conversations.
pub(crate) async fn search(
    library: &Library,
    listing: Vec<Summary>,
    words: &Words,
    answer: &answers::Place,
) -> Found {
    let end = Instant::now() + LONGEST;
    let look = |summary: Summary| {
        let words = words.clone();
        async move {
            let read = library.read(&summary).await.ok();
            // What was read is given up, and its room with it, when it has been looked through.
            let place = answer.work(move || first(&read?.events, &words)).await.ok().flatten();
            (summary, place)
        }
    };
    let mut results = stream::iter(listing.clone()).map(look).buffered(AT_ONCE);
    let mut found = Found::default();
    while let Ok(Some((summary, place))) = timeout_at(end, results.next()).await {
        found.searched += 1;
        found.add(summary, place, words);
        if found.hits.len() == MOST {
            break;
        }
    }
    for summary in listing.into_iter().skip(found.searched) {
        found.add(summary, None, words);
    }
    found.hits.truncate(MOST);
    found
}

impl Found {
    /// Keeps a conversation that has the words.
    fn add(&mut self, summary: Summary, place: Option<Place>, words: &Words) {
        if place.is_some() || words.name(&summary) {
            self.hits.push(Hit { summary, place });
        }
    }
}

/// The first event with all the words.
fn first(events: &[Box<RawValue>], words: &Words) -> Option<Place> {
    events.iter().enumerate().find_map(|(position, text)| {
        let event = Event::parse(position, text);
        let text = text_of(&event.kind);
        let [before, word, after] = words.split(&text)?;
        let start = before.ceil_char_boundary(before.len().saturating_sub(AROUND));
        let end = after.floor_char_boundary(AROUND);
        let (before, after) = (piece(&before[start..]), piece(&after[..end]));
        let before = if start > 0 { format!("…{before}") } else { before };
        Some(Place { position, before, word: word.to_owned(), after: format!("{after}…") })
    })
}

/// What a person can read in an event.
fn text_of(kind: &Kind) -> String {
    let all = |fields: &Map<String, Value>| {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        fields.values().map(text).collect::<Vec<_>>().join(" ")
    };
    match kind {
        // The values of a large one are not made, not even to be looked at.
        Kind::TurnStart | Kind::TooLarge { .. } => String::new(),
        Kind::ChatRequest { content: text, .. }
        | Kind::Message(text)
        | Kind::Reasoning(text)
        | Kind::ToolCallResponse { content: text, .. } => text.clone(),
        Kind::ToolCallRequest { name, arguments, .. } => format!("{name} {}", all(arguments)),
        Kind::Data(value)
        | Kind::InquiryRequest { question: value, .. }
        | Kind::InquiryResponse { answer: value, .. }
        | Kind::ConfigDelta { delta: value } => value.to_string(),
        Kind::Unknown { fields, .. } => all(fields),
    }
}

/// In one line, with a space at the ends where there was one: the word follows.
fn piece(text: &str) -> String {
    let space = |end: Option<char>| {
        if end.is_some_and(|c| c.is_whitespace() || c.is_control()) { " " } else { "" }
    };
    let (first, last) = (space(text.chars().next()), space(text.chars().next_back()));
    format!("{first}{}{last}", words::one_line(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Wanted;

    #[test]
    fn the_first_event_with_all_words() {
        let events = [
            r#"{"type":"turn_start"}"#,
            r#"{"type":"chat_request","content":"one\nTWO"}"#,
            r#"{"type":"tool_call_request","id":"1","name":"grep","arguments":{"pattern":"three two"}}"#,
        ];
        let events = events.map(|text| RawValue::from_string(text.to_owned()).unwrap());
        let check = |q: &str, want: Option<(usize, &str)>| {
            let words = Wanted { q: q.to_owned(), ..Wanted::default() }.words();
            let place = first(&events, &words).map(|place| (place.position, place.word));
            assert_eq!(place, want.map(|(position, word)| (position, word.to_owned())), "{q}");
        };
        check("two", Some((1, "TWO")));
        check("two three", Some((2, "two")));
        check("GREP", Some((2, "grep")));
        // What is no text of the conversation is not searched.
        check("chat_request", None);
        check("one three", None);
    }

    #[test]
    fn pieces_end_between_letters() {
        let text = format!("{}x{}", "ä".repeat(200), "ö".repeat(200));
        let event = serde_json::json!({ "type": "chat_request", "content": text }).to_string();
        let words = Wanted { q: "x".to_owned(), ..Wanted::default() }.words();
        let place = first(&[RawValue::from_string(event).unwrap()], &words).unwrap();
        assert_eq!(place.before, format!("…{}", "ä".repeat(45)));
        assert_eq!(place.after, format!("{}…", "ö".repeat(45)));
    }
}
