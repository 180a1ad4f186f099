//! All that was counted: each conversation, and everything together.

use serde_json::{Value, json};

use crate::{
    count::{Counts, Said, Tool},
    time,
};

/// What came of one conversation.
pub(crate) type One = Result<Counted, Unread>;

#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) id: String,
    pub(crate) title: Option<String>,
    pub(crate) counts: Counts,
}

#[derive(Debug)]
pub(crate) struct Unread {
    pub(crate) id: String,
    pub(crate) reason: String,
}

/// What came of all.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) total: Counts,
    pub(crate) conversations: Vec<Counted>,
    pub(crate) unread: Vec<Unread>,
}

impl Report {
    pub(crate) fn new(all: Vec<One>) -> Self {
        let mut report = Self::default();
        for one in all {
            match one {
                Ok(mut one) => {
                    report.total.add(&mut one.counts);
                    report.conversations.push(one);
                }
                Err(one) => report.unread.push(one),
            }
        }
        report
    }

    /// The same form for one conversation and for many, so that a program need not know which it is.
    pub(crate) fn to_json(&self) -> Value {
        let one = |one: &Counted| {
            let mut object = json!({ "id": one.id, "title": one.title });
            if let (Value::Object(object), Value::Object(counts)) =
                (&mut object, counts(&one.counts))
            {
                object.extend(counts);
            }
            object
        };
        let unread = |one: &Unread| json!({ "id": one.id, "reason": one.reason });
        json!({
            "total": counts(&self.total),
            "conversations": self.conversations.iter().map(one).collect::<Vec<_>>(),
            "unread": self.unread.iter().map(unread).collect::<Vec<_>>(),
        })
    }
}

fn counts(counts: &Counts) -> Value {
    let said = |said: Said| json!({ "count": said.count, "words": said.words });
    let tokens = (counts.tokens.known_in > 0).then(|| {
        let tokens = counts.tokens;
        json!({ "input": tokens.input, "output": tokens.output, "known_in": tokens.known_in })
    });
    let by_name = |(name, tool): (&String, &Tool)| {
        let mut object = json!({ "name": name });
        if let (Value::Object(object), Value::Object(numbers)) = (&mut object, self::tool(*tool)) {
            object.extend(numbers);
        }
        object
    };
    json!({
        "turns": counts.turns,
        "events": counts.events,
        "unknown_events": counts.unknown_events,
        "damaged_events": counts.damaged_events,
        "large_events": counts.large_events,
        "began": counts.began.map(time::stamp),
        "ended": counts.ended.map(time::stamp),
        "active_seconds": round(counts.active_seconds),
        "requests": said(counts.requests),
        "answers": said(counts.answers),
        "reasoning": said(counts.reasoning),
        "questions": counts.questions,
        "tokens": tokens,
        "tool_calls": tool(counts.calls()),
        "tools": counts.tools.iter().map(by_name).collect::<Vec<_>>(),
    })
}

fn tool(tool: Tool) -> Value {
    json!({
        "calls": tool.calls,
        "failures": tool.failures,
        "failure_rate": tool.failure_rate().map(round),
        "unanswered": tool.unanswered,
        "seconds": round(tool.seconds),
    })
}

/// To the thousandth: what is beyond comes from adding numbers with a fraction.
fn round(number: f64) -> f64 {
    (number * 1_000.0).round() / 1_000.0
}
