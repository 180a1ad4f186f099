//! The examples in `docs/protocols/tool.md` are what this crate reads and writes. They are taken
//! from the page itself, so the page cannot say anything else than the code does.

use jp_tool::{
    ContentBlock, Invocation, Outcome, Question, SchemaResponse, ToolCommand, ToolResult, ToolState,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

const PAGE: &str = include_str!("../../../docs/protocols/tool.md");

/// Reads a line and writes it again.
type Again = fn(&str) -> String;

/// The heading of each example, and the message under it.
const MESSAGES: &[(&str, Again)] = &[
    ("Invocation", again::<Invocation>),
    ("Success", again::<Outcome>),
    ("Error", again::<Outcome>),
    ("Needs input", again::<Outcome>),
    ("Question with a yes or no", again::<Question>),
    ("Question with a text", again::<Question>),
    ("Question with a choice", again::<Question>),
    ("Result", again::<ToolResult>),
    ("Failed result", again::<ToolResult>),
    ("Result of a tool that goes on", again::<ToolResult>),
    ("Text block", again::<ContentBlock>),
    ("Image block", again::<ContentBlock>),
    ("Audio block", again::<ContentBlock>),
    ("Resource link block", again::<ContentBlock>),
    ("Resource block", again::<ContentBlock>),
    ("Binary resource block", again::<ContentBlock>),
    ("Question block", again::<ContentBlock>),
    ("Description", again::<SchemaResponse>),
    ("Description of a tool that stays alive", again::<SchemaResponse>),
    ("Spawn", again::<ToolCommand>),
    ("Fetch", again::<ToolCommand>),
    ("Apply", again::<ToolCommand>),
    ("Abort", again::<ToolCommand>),
    ("Running", again::<ToolState>),
    ("Waiting", again::<ToolState>),
    ("Stopped", again::<ToolState>),
    ("Invocation that spawns", again::<Invocation>),
];

#[test]
fn every_example_is_read_and_written_back() {
    let examples = examples();
    let headings: Vec<&str> = examples.iter().map(|(heading, _)| *heading).collect();
    let known: Vec<&str> = MESSAGES.iter().map(|(heading, _)| *heading).collect();
    assert_eq!(headings, known, "the page and this table have the same examples");
    for ((heading, line), (_, again)) in examples.into_iter().zip(MESSAGES) {
        assert_eq!(again(line), line, "{heading}");
    }
}

/// Outcomes, results and plain text share one channel, so no line may be read as two of them.
#[test]
fn what_a_tool_prints_is_one_thing_only() {
    for (heading, line) in examples() {
        let readings = [
            Outcome::parse(line).is_ok(),
            ToolResult::parse(line).is_ok(),
            SchemaResponse::parse(line).is_ok(),
            ToolState::parse(line).is_ok(),
        ];
        let expected = match heading {
            "Success" | "Error" | "Needs input" => [true, false, false, false],
            "Result" | "Failed result" | "Result of a tool that goes on" => {
                [false, true, false, false]
            }
            "Description" | "Description of a tool that stays alive" => [false, false, true, false],
            "Running" | "Waiting" | "Stopped" => [false, false, false, true],
            _ => [false; 4],
        };
        assert_eq!(readings, expected, "{heading}");
    }
}

/// What the host sends to a tool that stays alive: a `spawn` inside of an invocation, the others as
/// they are.
#[test]
fn the_invocation_that_spawns_carries_the_spawn_of_the_page() {
    let examples = examples();
    let line = |wanted| examples.iter().find(|(heading, _)| *heading == wanted).unwrap().1;
    let invocation = Invocation::parse(line("Invocation that spawns")).unwrap();
    let spawn = ToolCommand::from_arguments(&invocation.tool.arguments).unwrap();
    assert_eq!(spawn, Some(ToolCommand::parse(line("Spawn")).unwrap()));
    let description =
        SchemaResponse::parse(line("Description of a tool that stays alive")).unwrap();
    let actions = description.tools[0].actions.as_ref().unwrap();
    for (heading, action) in ["Spawn", "Fetch", "Apply", "Abort"].into_iter().zip(actions) {
        assert_eq!(ToolCommand::parse(line(heading)).unwrap().action(), *action);
    }
    assert!(description.tools[0].is_stateful());
}

/// A field that nobody knows is ignored, save where a message has to be told from text.
#[test]
fn only_outcomes_and_results_refuse_a_field_they_do_not_know() {
    for ((heading, line), (_, again)) in examples().into_iter().zip(MESSAGES) {
        let mut value: Value = serde_json::from_str(line).unwrap();
        value.as_object_mut().unwrap().insert("of a later version".to_owned(), Value::Null);
        let newer = value.to_string();
        if Outcome::parse(line).is_ok() || ToolResult::parse(line).is_ok() {
            assert!(Outcome::parse(&newer).is_err(), "{heading}");
            assert!(ToolResult::parse(&newer).is_err(), "{heading}");
        } else {
            assert_eq!(again(&newer), line, "{heading}");
        }
    }
}

fn again<T: Serialize + DeserializeOwned>(line: &str) -> String {
    let message: T = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    serde_json::to_string(&message).expect("a message can be written")
}

/// The heading above each example on the page, and the one line in it.
fn examples() -> Vec<(&'static str, &'static str)> {
    let mut heading = "";
    let mut examples = Vec::new();
    let mut lines = PAGE.lines();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("### ") {
            heading = title;
        } else if line == "```json" {
            examples.push((heading, lines.next().expect("a fence is closed")));
            assert_eq!(lines.next(), Some("```"), "{heading}: an example is one line");
        } else {
            assert!(!line.starts_with("```"), "{heading}: an example is JSON");
        }
    }
    examples
}
