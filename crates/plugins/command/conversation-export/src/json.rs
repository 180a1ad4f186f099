//! JSON: everything as it is stored, letter by letter, one event a line.

use serde::Serialize;

use crate::{conversation::Conversation, many::Entry};

/// A conversation.
pub(crate) fn document(conversation: &Conversation) -> String {
    let summary = &conversation.summary;
    let events: Vec<_> = conversation.raw.iter().map(|event| event.get()).collect();
    format!(
        "{{\n\"id\": {},\n\"title\": {},\n\"last_activated_at\": {},\n\"events\": [{}]\n}}\n",
        text(&summary.id),
        text(&summary.title),
        text(&summary.last_activated_at),
        lines(&events),
    )
}

/// The conversations of a directory.
pub(crate) fn index(entries: &[Entry]) -> String {
    let entry = |entry: &Entry| {
        text(&serde_json::json!({
            "id": entry.summary.id,
            "title": entry.summary.title,
            "last_activated_at": entry.summary.last_activated_at,
            "events": entry.summary.events_count,
            "turns": entry.turns,
            "file": entry.file,
        }))
    };
    let entries: Vec<_> = entries.iter().map(entry).collect();
    let entries: Vec<_> = entries.iter().map(String::as_str).collect();
    format!("[{}]\n", lines(&entries))
}

/// Values of a list, each in a line of its own.
fn lines(values: &[&str]) -> String {
    if values.is_empty() { String::new() } else { format!("\n{}\n", values.join(",\n")) }
}

fn text(value: &impl Serialize) -> String {
    // Texts and values of JSON have a form in it.
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::conversation::tests::conversation;

    #[test]
    fn everything_is_there() {
        let events = [json!({ "type": "hologram", "beam": [1, 2] }), json!({ "type": 5 })];
        let text = document(&conversation(Some("\"a\""), events));
        insta::assert_snapshot!(text, @r#"
        {
        "id": "17127583920",
        "title": "\"a\"",
        "last_activated_at": "2026-03-18T13:19:05Z",
        "events": [
        {"type":"hologram","beam":[1,2]},
        {"type":5}
        ]
        }
        "#);
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["title"], "\"a\"");
        assert_eq!(read["events"][0]["beam"], json!([1, 2]));
        let empty: Value = serde_json::from_str(&document(&conversation(None, []))).unwrap();
        assert_eq!((&empty["title"], &empty["events"]), (&Value::Null, &json!([])));
    }
}
