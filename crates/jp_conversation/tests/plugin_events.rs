//! The events in `docs/protocols/plugin.md` are those of this crate: each is stored and read again, and
//! is then what the page says, letter by letter.

use std::collections::BTreeSet;

use jp_conversation::{EventKind, stored};
use serde_json::{Map, Value};

const PAGE: &str = include_str!("../../../docs/protocols/plugin.md");

/// Every type of event there is.
// 072-327
const TYPES: &str = "turn_start chat_request chat_response tool_call_request tool_call_response \
                     inquiry_request inquiry_response config_delta";

#[test]
fn every_event_of_the_page_survives_storage() {
    let mut types = BTreeSet::new();
    for line in events() {
        let mut object: Map<String, Value> = serde_json::from_str(line).unwrap();
        stored::encode(&mut object);
        let bytes = serde_json::to_vec(&object).unwrap();
        let event = stored::from_slice(&bytes).unwrap();
        assert!(!matches!(event.kind, EventKind::Unknown { .. }), "{line}");
        types.insert(event.kind.type_name().to_owned());
        assert_eq!(serde_json::to_string(&stored::to_object(&event)).unwrap(), line);
    }
    let wanted: BTreeSet<String> = TYPES.split(' ').map(str::to_owned).collect();
    assert_eq!(types, wanted);
}

/// The lines of the last part of the page.
fn events() -> Vec<&'static str> {
    let (_, part) = PAGE.split_once("\n## Kinds of events").expect("the page has this part");
    let blocks = part.split("```json\n").skip(1);
    blocks.map(|block| block.lines().next().expect("an example is one line")).collect()
}
