//! What is done to a sealed tool, as data: the fault of the host, and what is expected of the tool then.

use jp_tool::{Action, vfs::ErrorCode};
use serde_json::{Map, Value, json};

use super::{
    super::{
        finding::{Advice, Finding, Problem, short},
        subject::Subject,
    },
    fault::Fault,
    hear::Last,
    play::Played,
    rules,
    stage::Stage,
};
use crate::error::Result;

/// One way to treat a tool.
pub(super) struct Case {
    check: &'static str,
    title: &'static str,
    fault: Fault,
    /// What is different in `init`. What is new comes last.
    change: fn(&mut Value),
    /// So many requests have to come, so that it means something.
    requests: usize,
    /// Whether what a good call can do can be done here, too.
    same: bool,
    advice: Advice,
}

/// A host as it should be, for a call that needs no request.
const PLAIN: Case = Case {
    check: "",
    title: "",
    fault: Fault::None,
    change: |_| {},
    requests: 0,
    same: true,
    advice: Advice { expected: "the same as in any call", fix: "ignore what is not known" },
};

/// A host that refuses what is asked for.
const REFUSED: Case = Case {
    requests: 1,
    same: false,
    advice: Advice {
        expected: "a result or an error after a request was refused, and no crash",
        fix: "look for `error` in each answer, and send its message as the `error` of the tool",
    },
    ..PLAIN
};

pub(super) const CASES: [Case; 15] = [
    Case {
        check: "init.fields",
        title: "takes an `init` with fields it does not know",
        change: |init| {
            for part in ["tool", "context"] {
                init["params"][part]["jp_check"] = json!({ "newer": true });
            }
            init["params"]["jp_check"] = json!([1, 2, 3]);
            init["jp_check"] = json!("newer");
        },
        ..PLAIN
    },
    Case {
        check: "answers.fields",
        title: "takes answers with fields it does not know",
        fault: Fault::Fields,
        requests: 1,
        ..PLAIN
    },
    Case {
        check: "news",
        title: "goes on after `pending` and a notification it does not know",
        fault: Fault::News,
        requests: 1,
        advice: Advice {
            expected: "messages without an `id` do not count as answers",
            fix: "read on until a message has the `id` of the request",
        },
        ..PLAIN
    },
    Case {
        check: "answers.order",
        title: "takes answers in another order than it asked",
        fault: Fault::Reversed,
        requests: 2,
        advice: Advice {
            expected: "the same as if the answers came in order",
            fix: "find the request that an answer belongs to by its `id`",
        },
        ..PLAIN
    },
    Case {
        check: "answers.large",
        title: "takes an answer of three megabytes",
        fault: Fault::Large,
        requests: 1,
        advice: Advice {
            expected: "the same as with a short answer",
            fix: "read whole lines, however long they are; a file can have 10 megabytes",
        },
        ..PLAIN
    },
    Case {
        check: "answers.slow",
        title: "waits for a host that is slow",
        fault: Fault::Slow,
        requests: 1,
        advice: Advice {
            expected: "the same as with a fast host",
            fix: "wait for each answer without a timeout; a person may have to be asked",
        },
        ..PLAIN
    },
    Case {
        check: "errors.denied",
        title: "copes when everything is denied (-32001)",
        fault: Fault::Refused { code: ErrorCode::AccessDenied, from: 1 },
        ..REFUSED
    },
    Case {
        check: "errors.not_found",
        title: "copes when nothing is there (-32002)",
        fault: Fault::Refused { code: ErrorCode::NotFound, from: 1 },
        ..REFUSED
    },
    Case {
        check: "errors.internal",
        title: "copes with a host that fails (-32603)",
        fault: Fault::Refused { code: ErrorCode::InternalError, from: 1 },
        ..REFUSED
    },
    Case {
        check: "errors.timeout",
        title: "copes when everything takes too long (-32004)",
        fault: Fault::Refused { code: ErrorCode::Timeout, from: 1 },
        ..REFUSED
    },
    Case {
        check: "errors.later",
        title: "copes when the second request is denied, and all after it",
        fault: Fault::Refused { code: ErrorCode::AccessDenied, from: 2 },
        requests: 2,
        ..REFUSED
    },
    Case {
        check: "cancel",
        title: "ends when it is cancelled",
        fault: Fault::Cancel,
        requests: 1,
        same: false,
        ..PLAIN
    },
    Case {
        check: "stdin.closed",
        title: "ends when its input ends in the middle of a call",
        fault: Fault::HangUp,
        requests: 1,
        same: false,
        ..PLAIN
    },
    Case {
        check: "stdin.empty",
        title: "ends when there is no input at all",
        fault: Fault::NoInput,
        same: false,
        ..PLAIN
    },
    Case {
        check: "init.version",
        title: "works with a host of a newer minor version",
        change: |init| init["params"]["protocol_version"] = json!("0.99.0"),
        ..PLAIN
    },
];

/// Treats a tool like this, and compares what it does with what it did before.
pub(super) async fn check(
    stage: &Stage<'_>,
    subject: &Subject,
    good: &Map<String, Value>,
    first: &Played,
    case: &Case,
) -> Result<Finding> {
    let skipped =
        |why: &str| Ok(Finding::skipped(case.check, case.title).of(&subject.name).because(why));
    if first.heard.requests < case.requests {
        return skipped(match (first.heard.requests, first.heard.error()) {
            (0, Some(_)) => {
                "the call fails before it asks for anything; `--arguments` names better ones"
            }
            (0, None) => "a good call asks for nothing",
            _ => "a good call asks for one thing only",
        });
    }
    let mut script =
        stage.script(Action::Run, subject.tool(Action::Run, good.clone(), Map::new()), case.fault);
    (case.change)(&mut script.init);
    let played = stage.play((case.check, case.title, Some(subject)), script).await?;
    let mut problems = rules::failed(&played);
    if case.fault == Fault::Reversed && !played.reordered && problems.is_empty() {
        return skipped("it waits for each answer");
    }
    if case.same && problems.is_empty() {
        problems.extend(worse(first, &played));
    }
    let problems: Vec<_> =
        problems.into_iter().map(|problem| advised(problem, case, &played)).collect();
    let finding = Finding::new(case.check, case.title).of(&subject.name);
    Ok(finding.with(problems).said(played.exchange()))
}

/// A tool that gives up where the host did something to it is told about that, and not about its end.
fn advised(problem: Problem, case: &Case, played: &Played) -> Problem {
    let is_mute = played.heard.last.is_none() && played.heard.stray.is_empty();
    if case.fault.lets_answer() && is_mute {
        return Problem { advice: Some(case.advice), ..problem };
    }
    problem.or_advice(case.advice)
}

/// A call that worked has to work again.
fn worse(first: &Played, played: &Played) -> Option<Problem> {
    let worked = matches!(first.heard.last, Some(Last::Result(_) | Last::Stopped(_)));
    let message = played.heard.error().filter(|_| worked)?;
    Some(Problem::fail(format!("a good call works, and this one fails: {:?}", short(message))))
}
