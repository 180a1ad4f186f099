//! The examples in `docs/protocols/plugin.md` are what this crate reads and writes. They are taken
//! from the page itself, so the page cannot say anything else than the code does.

use std::collections::BTreeSet;

use jp_plugin::{to_host, to_plugin};
use serde_json::Value;

const PAGE: &str = include_str!("../../../docs/protocols/plugin.md");

/// Who sends the message under a heading.
#[derive(Debug, Clone, Copy, PartialEq)]
enum From {
    Host,
    Plugin,
}

/// The heading of each example, and who sends it.
// 072-328
const MESSAGES: &[(&str, From)] = &[
    ("Init", From::Host),
    ("Ready", From::Plugin),
    ("Ready with a version", From::Plugin),
    ("Exit", From::Plugin),
    ("Exit with a reason", From::Plugin),
    ("Shutdown", From::Host),
    ("Describe", From::Host),
    ("Description", From::Plugin),
    ("List conversations", From::Plugin),
    ("Conversations", From::Host),
    ("Read events", From::Plugin),
    ("Events", From::Host),
    ("Read config", From::Plugin),
    ("Config", From::Host),
    ("Read a part of the config", From::Plugin),
    ("Part of the config", From::Host),
    ("Lock", From::Plugin),
    ("Locked", From::Host),
    ("Unlock", From::Plugin),
    ("Unlocked", From::Host),
    ("Push events", From::Plugin),
    ("Pushed", From::Host),
    ("Create conversation", From::Plugin),
    ("Created", From::Host),
    ("Error", From::Host),
    ("Error about a conversation", From::Host),
    ("Print", From::Plugin),
    ("Print in a channel and format", From::Plugin),
    ("Print code", From::Plugin),
    ("Log", From::Plugin),
];

/// Every type that the host sends, and no other.
// 072-040
const HOST: &str = "init describe shutdown conversations events config locked unlocked pushed \
                    created error";

/// Every type that a plugin sends, and no other.
// 072-041
const PLUGIN: &str = "ready exit describe list_conversations read_events read_config lock unlock \
                      push_events create_conversation print log";

#[test]
fn every_example_is_read_and_written_back() {
    let examples = examples();
    let headings: Vec<&str> = examples.iter().map(|(heading, _)| *heading).collect();
    let known: Vec<&str> = MESSAGES.iter().map(|(heading, _)| *heading).collect();
    assert_eq!(headings, known, "the page and this table have the same examples");
    for ((heading, line), (_, from)) in examples.into_iter().zip(MESSAGES) {
        assert_eq!(again(*from, line), line, "{heading}");
    }
}

#[test]
fn the_page_has_every_type_and_no_other() {
    for (from, types) in [(From::Host, HOST), (From::Plugin, PLUGIN)] {
        let of_page: BTreeSet<String> = examples()
            .into_iter()
            .zip(MESSAGES)
            .filter(|(_, (_, sender))| *sender == from)
            .map(|((_, line), _)| kind(line))
            .collect();
        let wanted: BTreeSet<String> = types.split(' ').map(str::to_owned).collect();
        assert_eq!(of_page, wanted, "{from:?}");
    }
}

/// A message of one side is none of the other, but for `describe`, which both send.
#[test]
fn the_two_directions_share_no_other_type() {
    for ((heading, line), (_, from)) in examples().into_iter().zip(MESSAGES) {
        let other = match from {
            From::Host => to_host::parse(line.as_bytes()).is_ok(),
            From::Plugin => to_plugin::parse(line.as_bytes()).is_ok(),
        };
        assert_eq!(other, heading == "Description", "{heading}");
    }
}

/// 072-050: what a later version adds is ignored, whoever adds it.
#[test]
fn a_field_of_a_later_version_is_ignored() {
    for ((heading, line), (_, from)) in examples().into_iter().zip(MESSAGES) {
        let mut value: Value = serde_json::from_str(line).unwrap();
        value.as_object_mut().unwrap().insert("of a later version".to_owned(), Value::Null);
        assert_eq!(again(*from, &value.to_string()), line, "{heading}");
    }
}

/// Reads a line and writes it again.
fn again(from: From, line: &str) -> String {
    let bytes = line.as_bytes();
    let written = match from {
        From::Host => serde_json::to_string(&to_plugin::parse(bytes).expect(line)),
        From::Plugin => serde_json::to_string(&to_host::parse(bytes).expect(line)),
    };
    written.expect("a message can be written")
}

fn kind(line: &str) -> String {
    let value: Value = serde_json::from_str(line).expect(line);
    value["type"].as_str().expect("every message has a type").to_owned()
}

/// The heading above each message on the page, and the one line in it. Events are no messages; the
/// crate that knows them looks at theirs.
fn examples() -> Vec<(&'static str, &'static str)> {
    let messages = PAGE.split("\n## Kinds of events").next().unwrap_or_default();
    let mut heading = "";
    let mut examples = Vec::new();
    let mut lines = messages.lines();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("### ") {
            heading = title;
        } else if line == "```json" {
            examples.push((heading, lines.next().expect("a fence is closed")));
            assert_eq!(lines.next(), Some("```"), "{heading}: an example is one line");
        }
    }
    examples
}
