//! A turn: its events under a heading that can be linked to.

use jp_plugin_sdk::transcript::{Event, Kind, Turn};
use maud::{Markup, html};

use crate::{
    budget::Budget,
    event::{Precision, event_within, time, tool},
    links::{Links, Room},
};

/// A turn. Its block has the id `turn-<number>`.
pub fn turn(turn: &Turn, links: &dyn Links, budget: &Budget<'_>) -> Markup {
    part(turn, &turn.events, links, &mut Room::endless(), budget)
}

/// Some events of a turn, under the heading of the turn, as far as there is room for them. What they
/// refer to is looked up in the whole turn, as a result may be of a call that is not among them.
pub fn part<'e>(
    turn: &Turn,
    events: impl IntoIterator<Item = &'e Event>,
    links: &dyn Links,
    room: &mut Room,
    budget: &Budget<'_>,
) -> Markup {
    let id = format!("turn-{}", turn.number);
    let names = turn.tools();
    let heading = html! {
        h2 {
            a.permalink href=(links.turn(turn.number)) { (title(turn.number)) }
            @if let Some(stamp) = turn.began() { " " (time(stamp, Precision::DateAndTime)) }
        }
    };
    room.take(heading.0.len());
    html! {
        section.turn id=(id) {
            (heading)
            @for event in events.into_iter().filter(|event| !is_heading(event)) {
                (event_within(event, tool(event, &names), links, room, budget))
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
