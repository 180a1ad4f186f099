//! A conversation, read.

use jp_plugin_sdk::{
    RequestError, Session, Summary,
    transcript::{Turn, events, turns},
    words,
};
use serde_json::value::RawValue;

/// How much of a request stands for a title, in characters.
const HEADING: usize = 72;

/// What there is to export.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub(crate) summary: Summary,
    /// The events as they are stored.
    pub(crate) raw: Vec<Box<RawValue>>,
    pub(crate) turns: Vec<Turn>,
}

impl Conversation {
    pub(crate) fn read(session: &Session, summary: &Summary) -> Result<Self, RequestError> {
        Ok(Self::new(summary.clone(), session.read_raw_events(&summary.id)?))
    }

    pub(crate) fn new(summary: Summary, raw: Vec<Box<RawValue>>) -> Self {
        let turns = turns(events(&raw));
        Self { summary, raw, turns }
    }

    /// The title; without one, how the user began.
    pub(crate) fn heading(&self) -> String {
        let title = self.summary.title.as_deref().map(start).filter(|title| !title.is_empty());
        let asked = || self.turns.iter().find_map(|turn| turn.request()).map(start);
        let heading = title.or_else(asked).filter(|heading| !heading.is_empty());
        heading.unwrap_or_else(|| "Untitled".to_owned())
    }

    /// What is missing: the host counts what it cannot read, and leaves it out.
    pub(crate) fn warning(&self) -> Option<String> {
        let counted = usize::try_from(self.summary.events_count).unwrap_or(usize::MAX);
        let missing = counted.checked_sub(self.raw.len()).filter(|missing| *missing > 0)?;
        let are = if missing == 1 { "is damaged, and was" } else { "are damaged, and were" };
        Some(format!(
            "warning: {} of conversation {} {are} left out; `jp -v` says why\n",
            words::count(missing, "event"),
            words::one_line(&self.summary.id)
        ))
    }

    /// How many exchanges there were.
    pub(crate) fn exchanges(&self) -> usize {
        self.turns.iter().filter(|turn| turn.number > 0).count()
    }
}

/// The beginning of a text in one line, without anything that moves a cursor.
pub(crate) fn start(text: &str) -> String {
    // A line is not longer than its text, and a heading ends long before that of most.
    let enough = text.char_indices().filter(|(_, c)| !c.is_whitespace()).nth(HEADING + 1);
    let text = enough.map_or(text, |(end, _)| &text[..end]);
    words::shorten(&words::one_line(text), HEADING)
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::Value;

    use super::*;

    /// A conversation of these events.
    pub(crate) fn conversation(
        title: Option<&str>,
        events: impl IntoIterator<Item = Value>,
    ) -> Conversation {
        let raw = |event: Value| RawValue::from_string(event.to_string()).unwrap();
        let raw: Vec<_> = events.into_iter().map(raw).collect();
        let summary = Summary {
            id: "17127583920".to_owned(),
            title: title.map(str::to_owned),
            last_activated_at: "2026-03-18T13:19:05Z".to_owned(),
            events_count: raw.len() as u64,
        };
        Conversation::new(summary, raw)
    }

    #[test]
    fn a_heading_is_the_title_or_how_it_began() {
        let said = || serde_json::json!({ "type": "chat_request", "content": "Where is\n`main`?" });
        assert_eq!(conversation(Some(" A\nb "), [said()]).heading(), "A b");
        assert_eq!(conversation(Some("\u{1b}"), [said()]).heading(), "Where is `main`?");
        assert_eq!(conversation(None, []).heading(), "Untitled");
        let long = "é".repeat(HEADING + 1);
        assert_eq!(start(&long), "é".repeat(HEADING) + "…");
        assert_eq!(start(&"a ".repeat(50)).chars().count(), HEADING + 1);
    }
}
