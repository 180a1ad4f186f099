//! A transcript, played again: what the host said is said, and the plugin has to say what it said.
//!
//! Lines of the host are sent when everything that the plugin said before them has been heard. Several
//! lines of the plugin in a row may come in any order, because its threads may. What it logs and what it
//! writes to stderr is not compared.

use serde_json::Value;
use tokio::{sync::mpsc::Receiver, time::timeout};

use crate::{
    CannotStart, Patience, Program, Started,
    finding::{Finding, short},
    transcript::{Direction, Entry, Transcript},
    wire::{self, Heard, Pace},
};

/// Plays each run of a transcript.
pub async fn replay(
    program: &dyn Program,
    transcript: &Transcript,
    patience: Patience,
) -> Result<Vec<Finding>, CannotStart> {
    let mut findings = Vec::new();
    for (title, entries) in transcript.runs() {
        let mut heard = Transcript::default();
        let problem = run(program, entries, patience, &mut heard).await?;
        let title = if title.is_empty() { "says what it said" } else { title };
        let finding = Finding::new("replay", title);
        let fix = "record a new transcript, if it is meant to say something else now";
        findings.push(finding.fails(problem, fix).said(&heard.lines()));
    }
    Ok(findings)
}

async fn run(
    program: &dyn Program,
    entries: &[Entry],
    patience: Patience,
    seen: &mut Transcript,
) -> Result<Option<String>, CannotStart> {
    let Started { stdin, stdout, stderr, end } = program.start().await?;
    let (mut lines, _hearing) = wire::hear(stdout, Pace::Full);
    let (to, _saying) = wire::say(stdin, Pace::Full);
    let (_kept, _draining) = wire::drain(stderr);
    let mut to = Some(to);
    let mut rest = entries;
    while let Some(entry) = rest.first() {
        match entry.direction {
            Direction::FromPlugin => {
                let count =
                    rest.iter().take_while(|it| it.direction == Direction::FromPlugin).count();
                let expected: Vec<&str> = rest[..count].iter().map(|it| &*it.text).collect();
                if let Some(problem) = expect(&mut lines, &expected, patience, seen).await {
                    return Ok(Some(problem));
                }
                rest = &rest[count..];
                continue;
            }
            Direction::ToPlugin => {
                if let Some(to) = &to {
                    let _ = to.send(format!("{}\n", entry.text).into_bytes());
                }
                seen.add(Direction::ToPlugin, &*entry.text);
            }
            Direction::EndOfInput => {
                to = None;
                seen.add(Direction::EndOfInput, "");
            }
            Direction::Title => {}
        }
        rest = &rest[1..];
    }
    let ended = timeout(patience.grace, end).await.is_ok();
    let late =
        format!("it was still there {} seconds after its last word", patience.grace.as_secs());
    Ok((!ended).then_some(late))
}

/// Hears these lines, in any order.
async fn expect(
    lines: &mut Receiver<Heard>,
    expected: &[&str],
    patience: Patience,
    seen: &mut Transcript,
) -> Option<String> {
    let is_log = |value: &Value| value["type"] == "log";
    let mut expected: Vec<Value> = expected.iter().map(|line| read(line)).collect();
    expected.retain(|value| !is_log(value));
    while let Some(first) = expected.first().map(ToString::to_string) {
        let line = match timeout(patience.run, lines.recv()).await {
            Ok(Some(Heard::Line(line))) => String::from_utf8_lossy(&line).into_owned(),
            Ok(Some(Heard::TooLong)) => return Some("it wrote a line that is too long".to_owned()),
            Ok(None) => return Some(format!("it ended instead of saying {}", short(&first))),
            Err(_) => return Some(format!("it did not say {}", short(&first))),
        };
        seen.add(Direction::FromPlugin, &*line);
        let value = read(&line);
        if is_log(&value) {
            continue;
        }
        match expected.iter().position(|wanted| *wanted == value) {
            Some(place) => drop(expected.remove(place)),
            None => return Some(format!("it said {} instead of {}", short(&line), short(&first))),
        }
    }
    None
}

/// What a line says; one that is no JSON is compared as text.
fn read(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|_| Value::String(line.to_owned()))
}
