//! The rules that hold for every run of a sealed tool, whatever its host does.

use jp_sandbox::event::Ended;

use super::{
    super::finding::{Advice, Problem, Status, short},
    hear::Last,
    play::{Played, Wait},
};

/// What a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// The call is answered.
    Answers,
    /// Everything on stdout is a message.
    Messages,
    /// There is one last word.
    Once,
    /// The program ends.
    Ends,
}

const ANSWERS: Advice = Advice {
    expected: "one notification, `result` or `error`, and then the end of the program",
    fix: "send `error` with a message wherever the tool gives up, in handlers of exceptions too",
};

const MESSAGES: Advice = Advice {
    expected: "every line on stdout is one object with \"jsonrpc\":\"2.0\" and a `method`",
    fix: "print what is for people to stderr, and write each message on one line of valid JSON",
};

const UNDERSTOOD: Advice = Advice {
    expected: "methods, parameters and notifications as docs/protocols/vfs.md has them",
    fix: "compare the message with the example of its method there",
};

const ONCE: Advice = Advice {
    expected: "nothing comes after the first `result` or `error`",
    fix: "put all that there is to say into one message, and end the program right after it",
};

const ENDS: Advice = Advice {
    expected: "the program ends by itself within 2 seconds after its last word",
    fix: "exit after the last message, and do not wait for the end of stdin",
};

const CANCELLED: Advice = Advice {
    expected: "the program ends within the grace time, with a last word or without",
    fix: "exit when `cancel` arrives, also while an answer is waited for",
};

const HUNG_UP: Advice = Advice {
    expected: "the program ends when there is nothing more to read",
    fix: "exit at the end of stdin; a loop that reads again and again never ends",
};

/// What is wrong with a run.
pub(super) fn broken(played: &Played) -> Vec<(Rule, Problem)> {
    let mut problems = Vec::new();
    let mut add = |rule, advice, reason: Option<String>| {
        problems.extend(reason.map(|why| (rule, Problem::fail(why).or_advice(advice))));
    };
    add(Rule::Answers, ANSWERS, unanswered(played));
    add(Rule::Messages, MESSAGES, stray(played));
    add(Rule::Once, ONCE, more(played));
    let (advice, reason) = late(played);
    add(Rule::Ends, advice, reason);
    let mistakes = played.heard.mistakes.first();
    let mistakes = mistakes.map(|mistake| Problem::warning(mistake).or_advice(UNDERSTOOD));
    problems.extend(mistakes.map(|mistake| (Rule::Messages, mistake)));
    problems
}

/// What failed in a run. A request that makes no sense does not: the host answers it with an error, and
/// only a good call should have none.
pub(super) fn failed(played: &Played) -> Vec<Problem> {
    let problems = broken(played).into_iter();
    // Who was sent nothing cannot know in which way to answer, and nobody listens.
    let counts = |rule: Rule| played.was_called || rule == Rule::Ends;
    let problems = problems.filter(|(rule, _)| counts(*rule)).map(|(_, problem)| problem);
    problems.filter(|problem| problem.status == Status::Failed).collect()
}

fn unanswered(played: &Played) -> Option<String> {
    match (&played.heard.last, played.late) {
        (Some(Last::Unreadable(reason)), _) => {
            Some(format!("its last word makes no sense: {reason}"))
        }
        (None, Some((Wait::LastWord, limit))) => {
            Some(format!("it said no last word within {} seconds", limit.as_secs()))
        }
        (None, None) if !played.interrupted => {
            let stderr = match played.stderr.lines().last() {
                Some(line) => format!("; stderr ends with {:?}", short(line)),
                None => String::new(),
            };
            Some(format!("it {} without a last word{stderr}", played.exit))
        }
        (Some(_), None) if matches!(played.exit.ended, Ended::Signal(_)) && !played.interrupted => {
            Some(format!("it {}", played.exit))
        }
        _ => None,
    }
}

fn stray(played: &Played) -> Option<String> {
    let stray = &played.heard.stray;
    let first = stray.first()?;
    let more = stray.len() - 1;
    let more = if more == 0 { String::new() } else { format!(", and {more} more") };
    Some(format!("it wrote a line that is no message: {first}{more}"))
}

fn more(played: &Played) -> Option<String> {
    let first = played.heard.after.first()?;
    Some(format!("it said more after its last word: {first}"))
}

fn late(played: &Played) -> (Advice, Option<String>) {
    let Some((wait, limit)) = played.late else {
        let reason = "it ended before processes that it had started; they are ended with it";
        return (ENDS, played.exit.left_behind.then(|| reason.to_owned()));
    };
    let (advice, after) = match wait {
        Wait::LastWord => return (ENDS, None),
        Wait::End => (ENDS, "its last word"),
        Wait::Cancelled => (CANCELLED, "`cancel`"),
        Wait::HungUp => (HUNG_UP, "its input had ended"),
    };
    (advice, Some(format!("it was still there {} seconds after {after}", limit.as_secs())))
}
