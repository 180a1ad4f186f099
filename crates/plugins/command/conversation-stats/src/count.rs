//! What is counted in a conversation, and how counts are added up.
//!
//! Everything is bounded but two things: names of tools, of which a conversation can have as many as it
//! has calls, and times, of which the chart needs all. Both are smaller than the conversation they are from.

use std::collections::{BTreeMap, HashMap};

use jp_plugin_sdk::transcript::{Event, Kind};

use crate::{time, tokens::tokens};

/// Numbers of one conversation, or of several together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Counts {
    pub(crate) turns: u64,
    pub(crate) events: u64,
    /// Of types that are not known, and of those not as their type asks for.
    pub(crate) unknown_events: u64,
    pub(crate) damaged_events: u64,
    /// Of so many values that none was read.
    pub(crate) large_events: u64,
    /// The times of the first and the last event.
    pub(crate) began: Option<f64>,
    pub(crate) ended: Option<f64>,
    /// The lengths of all turns together.
    pub(crate) active_seconds: f64,
    pub(crate) requests: Said,
    pub(crate) answers: Said,
    pub(crate) reasoning: Said,
    pub(crate) questions: u64,
    pub(crate) tokens: Tokens,
    pub(crate) tools: BTreeMap<String, Tool>,
    /// When each event was, and how long each turn took, for charts.
    pub(crate) times: Vec<f64>,
    pub(crate) turn_seconds: Vec<f64>,
}

/// How much was said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) count: u64,
    pub(crate) words: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub(crate) input: u64,
    pub(crate) output: u64,
    /// How many events say so.
    pub(crate) known_in: u64,
}

/// The calls of one tool.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Tool {
    pub(crate) calls: u64,
    pub(crate) failures: u64,
    /// Calls without a result.
    pub(crate) unanswered: u64,
    /// From calls to their results.
    pub(crate) seconds: f64,
}

impl Counts {
    /// Those of the events of a conversation, each of which is given up when it is counted.
    pub(crate) fn of(events: impl IntoIterator<Item = Event>) -> Self {
        let mut counts = Self::default();
        let mut calls = Calls::default();
        // Where the times of the turn begin. What stands before the first is in none.
        let mut turn = None;
        for event in events {
            if event.kind == Kind::TurnStart {
                counts.end_turn(turn);
                turn = Some(counts.times.len());
                counts.turns += 1;
            }
            counts.add_event(&event, &mut calls);
        }
        counts.end_turn(turn);
        (counts.began, counts.ended) = span(&counts.times).unzip();
        for (name, _) in calls.open.into_values() {
            counts.tools.entry(name).or_default().unanswered += 1;
        }
        counts
    }

    /// Adds the time of a turn, if there is one, whose times begin here. The last of them is not the latest
    /// where somebody wrote them by hand.
    fn end_turn(&mut self, begin: Option<usize>) {
        let Some(begin) = begin else { return };
        let times = self.times.get(begin..).unwrap_or_default();
        let seconds = span(times).map_or(0.0, |(first, last)| last - first);
        self.active_seconds += seconds;
        self.turn_seconds.push(seconds);
    }

    /// Adds those of another conversation. What charts are made of moves, so that it is there once.
    pub(crate) fn add(&mut self, other: &mut Self) {
        self.turns += other.turns;
        self.events += other.events;
        self.unknown_events += other.unknown_events;
        self.damaged_events += other.damaged_events;
        self.large_events += other.large_events;
        self.active_seconds += other.active_seconds;
        self.requests.add(other.requests);
        self.answers.add(other.answers);
        self.reasoning.add(other.reasoning);
        self.questions += other.questions;
        // What metadata says can be any number.
        self.tokens.input = self.tokens.input.saturating_add(other.tokens.input);
        self.tokens.output = self.tokens.output.saturating_add(other.tokens.output);
        self.tokens.known_in += other.tokens.known_in;
        for (name, tool) in &other.tools {
            self.tools.entry(name.clone()).or_default().add(*tool);
        }
        self.times.append(&mut other.times);
        self.turn_seconds.append(&mut other.turn_seconds);
        self.began = self.began.into_iter().chain(other.began).reduce(f64::min);
        self.ended = self.ended.into_iter().chain(other.ended).reduce(f64::max);
    }

    /// The calls of all tools together.
    pub(crate) fn calls(&self) -> Tool {
        let mut all = Tool::default();
        self.tools.values().for_each(|tool| all.add(*tool));
        all
    }

    fn add_event(&mut self, event: &Event, calls: &mut Calls) {
        self.events += 1;
        let time = event.timestamp.as_deref().and_then(time::seconds);
        self.times.extend(time);
        if let Some((input, output)) = event.metadata.as_ref().and_then(tokens) {
            self.tokens.input = self.tokens.input.saturating_add(input);
            self.tokens.output = self.tokens.output.saturating_add(output);
            self.tokens.known_in += 1;
        }
        match &event.kind {
            Kind::ChatRequest { content, .. } => self.requests.text(content),
            Kind::Message(text) => self.answers.text(text),
            Kind::Data(_) => self.answers.count += 1,
            Kind::Reasoning(text) => self.reasoning.text(text),
            Kind::ToolCallRequest { id, name, .. } => {
                self.tools.entry(name.clone()).or_default().calls += 1;
                // Of two calls with one id only the later can get the result.
                if let Some((name, _)) = calls.open.insert(id.clone(), (name.clone(), time)) {
                    self.tools.entry(name).or_default().unanswered += 1;
                }
            }
            Kind::ToolCallResponse { id, is_error, .. } => {
                // A result that nobody asked for is of no tool.
                let Some((name, asked)) = calls.open.remove(id) else { return };
                let tool = self.tools.entry(name).or_default();
                tool.failures += u64::from(*is_error);
                let taken = asked.zip(time).map_or(0.0, |(asked, time)| time - asked);
                tool.seconds += taken.max(0.0);
            }
            Kind::InquiryRequest { .. } => self.questions += 1,
            Kind::Unknown { .. } if event.kind.is_damaged() => self.damaged_events += 1,
            Kind::Unknown { .. } => self.unknown_events += 1,
            Kind::TooLarge { .. } => self.large_events += 1,
            Kind::TurnStart | Kind::InquiryResponse { .. } | Kind::ConfigDelta { .. } => {}
        }
    }
}

/// Calls that have no result yet: the name of the tool and when it was called.
#[derive(Default)]
struct Calls {
    open: HashMap<String, (String, Option<f64>)>,
}

impl Said {
    fn text(&mut self, text: &str) {
        self.count += 1;
        self.words += text.split_whitespace().count() as u64;
    }

    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.words += other.words;
    }
}

impl Tool {
    /// The share of failures among the calls that have a result.
    pub(crate) fn failure_rate(&self) -> Option<f64> {
        let answered = self.calls.saturating_sub(self.unanswered);
        (answered > 0).then(|| ratio(self.failures, answered))
    }

    fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.failures += other.failures;
        self.unanswered += other.unanswered;
        self.seconds += other.seconds;
    }
}

#[expect(clippy::cast_precision_loss, reason = "nobody has made 2^52 calls")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

/// The earliest and the latest.
fn span(times: &[f64]) -> Option<(f64, f64)> {
    let first = times.iter().copied().reduce(f64::min)?;
    let last = times.iter().copied().reduce(f64::max)?;
    Some((first, last))
}

#[cfg(test)]
mod tests;
