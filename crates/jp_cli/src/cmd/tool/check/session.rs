//! A tool that stays alive, talked to line by line: each script starts it anew, says something, and
//! looks at what comes back and at how it ends.

mod talk;

use jp_llm::tool::Asked;
use jp_tool::{SessionAction, ToolState};
use serde_json::{Map, Value, json};

use self::talk::{Ended, Talk};
use super::{
    bench::Bench,
    finding::{Finding, Problem, described, short},
    questions,
    report::Report,
    said::Said,
    subject::{ID, Subject},
};
use crate::error::Result;

/// What is said to a tool after it was started, and what should come of it.
struct Script {
    check: &'static str,
    title: &'static str,
    /// The action that it needs, if it needs one.
    needs: Option<SessionAction>,
    /// Whether the tool has to be waiting for an answer.
    waiting: bool,
    /// What is said; nothing for the end of the input.
    line: fn() -> Option<String>,
    then: Then,
}

/// What should come back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// Where it stands, and it goes on or ends.
    State,
    /// That it has stopped, and its end.
    Stopped,
    /// An error, and its end.
    Error,
    /// The question again.
    Question,
    /// Nothing, and its end.
    Silence,
}

const SCRIPTS: [Script; 7] = [
    Script {
        check: "session.fetch",
        title: "says where it stands when it is asked",
        needs: Some(SessionAction::Fetch),
        waiting: false,
        line: || Some(json!({ "action": "fetch", "id": ID }).to_string()),
        then: Then::State,
    },
    Script {
        check: "session.abort",
        title: "stops and ends when it is aborted",
        needs: Some(SessionAction::Abort),
        waiting: false,
        line: || Some(json!({ "action": "abort", "id": ID }).to_string()),
        then: Then::Stopped,
    },
    Script {
        check: "session.end",
        title: "ends without a word when its input ends",
        needs: None,
        waiting: false,
        line: || None,
        then: Then::Silence,
    },
    Script {
        check: "session.spawn_twice",
        title: "ends with an error when it is started twice",
        needs: None,
        waiting: false,
        line: || Some(json!({ "action": "spawn", "id": ID, "args": {} }).to_string()),
        then: Then::Error,
    },
    Script {
        check: "session.garbage",
        title: "ends with an error after a line that is no command",
        needs: None,
        waiting: false,
        line: || Some("this is no command".to_owned()),
        then: Then::Error,
    },
    Script {
        check: "session.other_id",
        title: "ends with an error after a command to somebody else",
        needs: None,
        waiting: false,
        line: || Some(json!({ "action": "fetch", "id": "somebody-else" }).to_string()),
        then: Then::Error,
    },
    Script {
        check: "session.wrong_answer",
        title: "asks again after an answer of the wrong type",
        needs: Some(SessionAction::Apply),
        waiting: true,
        line: || Some(json!({ "action": "apply", "id": ID, "input": [{}] }).to_string()),
        then: Then::Question,
    },
];

pub(super) async fn check(
    bench: &Bench<'_>,
    subject: &Subject,
    good: &Map<String, Value>,
    report: &mut Report<'_>,
) -> Result {
    let title = "can be talked to";
    let (mut talk, first) = Talk::start(bench, subject, good).await?;
    let state = match first {
        Said::State(state) if !matches!(*state, ToolState::Stopped { .. }) => *state,
        other => {
            let why = match &other {
                Said::State(_) => "it stops at once".to_owned(),
                other => format!("it starts with {}", described(other)),
            };
            let hint = "; --root names a directory where it has something to do";
            let finding = Finding::skipped("session", title).of(&subject.name);
            return report.add(finding.because(why + hint));
        }
    };
    talk.end().await?;
    for script in &SCRIPTS {
        report.add(play(bench, subject, good, (script, &state)).await?.of(&subject.name))?;
    }
    answer_all(bench, subject, good, report).await
}

/// Starts the tool and plays one script.
async fn play(
    bench: &Bench<'_>,
    subject: &Subject,
    good: &Map<String, Value>,
    (script, first): (&Script, &ToolState),
) -> Result<Finding> {
    let skipped = |why: &str| Ok(Finding::skipped(script.check, script.title).because(why));
    if script.needs.is_some_and(|action| !subject.takes(action)) {
        return skipped("it does not take that action");
    }
    if script.waiting && !matches!(first, ToolState::Waiting { .. }) {
        return skipped("it does not start with a question");
    }
    let (mut talk, _) = Talk::start(bench, subject, good).await?;
    let line = (script.line)();
    let said = match &line {
        Some(line) => talk.tell(line).await?,
        None => Said::Nothing,
    };
    let mut problems: Vec<Problem> = unexpected(script.then, &said, first).into_iter().collect();
    let ended = talk.end_by(ends(script.then, &said)).await?;
    if problems.is_empty() {
        problems.extend(ended.problem());
    }
    let mut finding = Finding::new(script.check, script.title).with(problems);
    finding.sent = Some(line.unwrap_or_else(|| "the end of the input".to_owned()));
    finding.got = Some(format!("{}, {}", answer_text(&said), ended.text()));
    Ok(finding)
}

/// How the end of a tool comes about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// It goes by itself.
    ByItself,
    /// It goes when its input ends.
    WithInput,
}

fn ends(then: Then, said: &Said) -> End {
    let stopped =
        matches!(said, Said::State(state) if matches!(**state, ToolState::Stopped { .. }));
    match then {
        Then::Stopped | Then::Error => End::ByItself,
        Then::State | Then::Question if stopped => End::ByItself,
        Then::State | Then::Question | Then::Silence => End::WithInput,
    }
}

/// What is wrong with an answer.
fn unexpected(then: Then, said: &Said, first: &ToolState) -> Option<Problem> {
    if let Said::Unclear { reason } = said {
        return Some(Problem::fail(reason));
    }
    let is_right = match (then, said) {
        (Then::State, Said::State(_) | Said::Error(_))
        | (Then::Error, Said::Error(_))
        | (Then::Silence, _) => true,
        (Then::Stopped, Said::State(state)) => matches!(**state, ToolState::Stopped { .. }),
        (Then::Question, Said::State(state)) => same_question(state, first),
        _ => false,
    };
    (!is_right).then(|| Problem::fail(format!("it answered with {}", answer_text(said))))
}

fn same_question(state: &ToolState, first: &ToolState) -> bool {
    match (state, first) {
        (ToolState::Waiting { question, .. }, ToolState::Waiting { question: other, .. }) => {
            question.id == other.id
        }
        _ => false,
    }
}

/// Answers what the tool asks, as it wants it, for a few questions.
async fn answer_all(
    bench: &Bench<'_>,
    subject: &Subject,
    good: &Map<String, Value>,
    report: &mut Report<'_>,
) -> Result {
    const MOST: usize = 5;
    let finding = Finding::new("session.answers", "takes answers").of(&subject.name);
    let (mut talk, mut said) = Talk::start(bench, subject, good).await?;
    let mut problems = Vec::new();
    let mut count = 0;
    while count < MOST && subject.takes(SessionAction::Apply) {
        let Said::State(state) = &said else { break };
        let ToolState::Waiting { question, .. } = &**state else { break };
        let asked = Asked::from(question.clone());
        problems.extend(questions::improper(&asked));
        let Some(answer) = questions::answer(&asked) else { break };
        let line = json!({ "action": "apply", "id": ID, "input": answer }).to_string();
        said = talk.tell(&line).await?;
        problems.extend(unexpected(Then::State, &said, &ToolState::Running { content: None }));
        count += 1;
    }
    let ended = talk.end_by(ends(Then::State, &said)).await?;
    problems.extend(ended.problem());
    if count == 0 {
        let finding = Finding::skipped("session.answers", "takes answers").of(&subject.name);
        return report.add(finding.because("it asks nothing"));
    }
    report.add(
        finding.because(format!("{count} answered, then {}", answer_text(&said))).with(problems),
    )
}

fn answer_text(said: &Said) -> String {
    match said {
        Said::State(state) => match &**state {
            ToolState::Running { .. } => "running".to_owned(),
            ToolState::Waiting { question, .. } => format!("waiting ({})", short(&question.text)),
            ToolState::Stopped { .. } => "stopped".to_owned(),
        },
        Said::Error(error) => format!("an error ({})", short(&error.message)),
        Said::Text(text) => format!("text ({})", short(text)),
        other => described(other).to_owned(),
    }
}

impl Ended {
    fn problem(&self) -> Option<Problem> {
        if let Some(more) = &self.more {
            return Some(Problem::fail(format!("it printed more: {}", short(more))));
        }
        let why = match &self.exit {
            None => "it did not end within 2 seconds".to_owned(),
            Some(exit) if exit.left_behind => {
                "it ended before processes that it had started".to_owned()
            }
            Some(exit) if matches!(exit.ended, jp_sandbox::event::Ended::Signal(_)) => {
                format!("it {exit}")
            }
            Some(_) => return None,
        };
        Some(Problem::fail(why))
    }

    fn text(&self) -> String {
        self.exit.as_ref().map_or_else(|| "still running".to_owned(), ToString::to_string)
    }
}
