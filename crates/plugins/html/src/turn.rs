//! A turn: its events under a heading that can be linked to.

use jp_plugin_sdk::transcript::{Event, Kind, Turn};
use maud::{Markup, html};

use crate::{
    event::{Precision, event_of, time},
    links::Links,
};

/// A turn. Its block has the id `turn-<number>`.
pub fn turn(turn: &Turn, links: &dyn Links) -> Markup {
    let id = format!("turn-{}", turn.number);
    let tools = turn.tools();
    let tool = |event: &Event| match &event.kind {
        Kind::ToolCallResponse { id, .. } => tools.get(id.as_str()).copied(),
        _ => None,
    };
    html! {
        section.turn id=(id) {
            h2 {
                a.permalink href=(links.turn(turn.number)) { (title(turn.number)) }
                @if let Some(stamp) = turn.began() { " " (time(stamp, Precision::DateAndTime)) }
            }
            @for event in turn.events.iter().filter(|event| !is_heading(event)) {
                (event_of(event, tool(event), links))
            }
        }
    }
}

fn title(number: usize) -> String {
    match number {
        0 => "Before the first turn".to_owned(),
        number => format!("Turn {number}"),
    }
}

/// Whether the heading says everything there is to say about it.
fn is_heading(event: &Event) -> bool {
    event.kind == Kind::TurnStart && event.metadata.as_ref().is_none_or(serde_json::Map::is_empty)
}

#[cfg(test)]
mod tests;
