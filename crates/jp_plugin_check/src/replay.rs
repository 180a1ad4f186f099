//! A transcript, played again: what the host said is said, and the plugin has to say what it said.
//!
//! Lines of the host are sent when everything that the plugin said before them has been heard. Several
//! lines of the plugin in a row may come in any order, because its threads may. What it logs and what it
//! writes to stderr is not compared, and its logs are not kept. All of a run has one time to end in, however
//! much is said meanwhile.

use jp_plugin_host::session::{MAX_VALUES, count_values};
use serde_json::Value;
use tokio::{
    sync::mpsc::Receiver,
    time::{Instant, timeout, timeout_at},
};

use crate::{
    CannotStart, Patience, Program, Started,
    finding::{Finding, short},
    play::MOST_SAID,
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
    let (lines, _hearing) = wire::hear(stdout, Pace::Full);
    let mut hearing = Hearing { lines, end: Instant::now() + patience.run, said: 0 };
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
                if let Some(problem) = hearing.expect(&expected, seen).await {
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

/// What is heard in a run.
struct Hearing {
    lines: Receiver<Heard>,
    /// When the run is over.
    end: Instant,
    /// How many bytes were heard.
    said: usize,
}

impl Hearing {
    /// Hears these lines, in any order. Values are made of one of them at a time: a transcript may have many, and
    /// values are far larger than their text.
    async fn expect(&mut self, expected: &[&str], seen: &mut Transcript) -> Option<String> {
        if expected.iter().any(|line| count_values(line.as_bytes()).is_none()) {
            return Some(format!("the transcript has a message of more than {MAX_VALUES} values"));
        }
        let mut expected = expected.to_vec();
        expected.retain(|line| !is_log(&read(line)));
        while let Some(first) = expected.first().copied() {
            let line = match self.line(first).await {
                Ok(line) => line,
                Err(problem) => return Some(problem),
            };
            let value = read(&line);
            if is_log(&value) {
                continue;
            }
            seen.add(Direction::FromPlugin, &*line);
            match expected.iter().position(|wanted| *wanted == line || read(wanted) == value) {
                Some(place) => drop(expected.remove(place)),
                None => {
                    return Some(format!("it said {} instead of {}", short(&line), short(first)));
                }
            }
        }
        None
    }

    /// The next line, if it is one that can be compared, in time.
    async fn line(&mut self, wanted: &str) -> Result<String, String> {
        let line = match timeout_at(self.end, self.lines.recv()).await {
            Ok(Some(Heard::Line(line))) => line,
            Ok(Some(Heard::TooLong)) => return Err("it wrote a line that is too long".to_owned()),
            Ok(None) => return Err(format!("it ended instead of saying {}", short(wanted))),
            Err(_) => return Err(format!("it did not say {}", short(wanted))),
        };
        self.said += line.len();
        if self.said > MOST_SAID {
            let most = MOST_SAID >> 20;
            return Err(format!("it said more than {most} MiB instead of {}", short(wanted)));
        }
        if count_values(&line).is_none() {
            return Err(format!("it wrote a message of more than {MAX_VALUES} values"));
        }
        Ok(String::from_utf8_lossy(&line).into_owned())
    }
}

fn is_log(value: &Value) -> bool {
    value["type"] == "log"
}

/// What a line says; one that is no JSON is compared as text.
fn read(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|_| Value::String(line.to_owned()))
}
