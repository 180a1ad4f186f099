//! Runs of a plugin with hosts of all kinds, as data, and what is looked at in each.

use crate::{
    CannotStart, Ground, Patience, Program, Transcript,
    finding::Finding,
    play::{MOST_ANSWERED, MOST_REQUESTS, MOST_SAID, Manner, Played, Then, TooMuch, play},
    wire::Pace,
};

/// One run and what should come of it.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// A name that does not change.
    pub check: &'static str,
    /// What is tried, in words.
    pub title: &'static str,
    manner: Manner,
    wants: Wants,
    fix: &'static str,
}

/// What should come of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wants {
    /// Everything as it should be; each rule is a finding of its own.
    All,
    /// The same as in the first run.
    Same,
    /// The same, if requests have ids.
    SameWithIds,
    /// `exit`, whatever the code.
    Exit,
    /// Its end, with or without a word.
    End,
}

/// The first is the one that the others are compared with.
pub const CASES: [Case; 9] = [
    Case {
        check: "run",
        title: "runs",
        manner: Manner::PROPER,
        wants: Wants::All,
        fix: "see docs/protocols/plugin.md",
    },
    Case {
        check: "later",
        title: "does the same with a host of a later version",
        manner: Manner { later: true, ..Manner::PROPER },
        wants: Wants::Same,
        fix: "ignore fields that are not known",
    },
    Case {
        check: "pieces",
        title: "does the same when lines come in pieces, and are read slowly",
        manner: Manner { pace: Pace::Pieces, ..Manner::PROPER },
        wants: Wants::Same,
        fix: "read until the end of a line, not what happens to be there",
    },
    Case {
        check: "late",
        title: "does the same when answers are late",
        manner: Manner { pace: Pace::Late, ..Manner::PROPER },
        wants: Wants::Same,
        fix: "wait for the answer",
    },
    Case {
        check: "order",
        title: "does the same when answers come in the opposite order",
        manner: Manner { reversed: true, ..Manner::PROPER },
        wants: Wants::SameWithIds,
        fix: "find the request of an answer by its `id`",
    },
    Case {
        check: "refused",
        title: "ends with `exit` when every request is refused",
        manner: Manner { refuses: true, ..Manner::PROPER },
        wants: Wants::Exit,
        fix: "look at the `type` of an answer: `error` has a `message`",
    },
    Case {
        check: "shutdown",
        title: "ends with `exit` on a shutdown that comes at once",
        manner: Manner { then: Then::Shutdown, ..Manner::PROPER },
        wants: Wants::Exit,
        fix: "send `exit` soon after `shutdown`, also where an answer was expected",
    },
    Case {
        check: "gone",
        title: "ends when its input ends",
        manner: Manner { then: Then::Gone, ..Manner::PROPER },
        wants: Wants::End,
        fix: "end when stdin ends: the host is gone",
    },
    Case {
        check: "unread",
        title: "ends when nobody reads its output",
        manner: Manner { then: Then::Unread, ..Manner::PROPER },
        wants: Wants::End,
        fix: "end when stdout cannot be written to: the host is gone",
    },
];

/// What of the first run others are compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usual {
    requests: Vec<String>,
    code: Option<u8>,
    has_ids: bool,
}

/// Runs a case.
///
/// The first run is remembered in `usual`, for those that come after it.
pub async fn check(
    case: &Case,
    program: &dyn Program,
    ground: &Ground,
    patience: Patience,
    usual: &mut Option<Usual>,
) -> Result<(Vec<Finding>, Option<Transcript>), CannotStart> {
    let finding = Finding::new(case.check, case.title);
    if case.wants == Wants::SameWithIds && usual.as_ref().is_some_and(|usual| !usual.has_ids) {
        return Ok((vec![finding.skipped("its requests have no ids")], None));
    }
    let host = ground.host().map_err(|error| CannotStart(error.to_string()))?;
    let first = ground.init();
    let played = play(program, (case.check, &first, case.manner), host, patience).await?;
    let exchange = played.transcript.lines();
    let findings = match case.wants {
        Wants::All => {
            *usual = Some(of(&played));
            proper(&played, patience)
        }
        Wants::Same | Wants::SameWithIds => {
            vec![finding.fails(
                broken(&played, patience).or_else(|| other(&played, usual.as_ref())),
                case.fix,
            )]
        }
        Wants::Exit => vec![finding.fails(broken(&played, patience), case.fix)],
        Wants::End => {
            let late = played.ended.is_none();
            let late = late
                .then(|| format!("it was still there {} seconds later", patience.grace.as_secs()));
            vec![finding.fails(late, case.fix)]
        }
    };
    let findings = findings.into_iter().map(|finding| finding.said(&exchange)).collect();
    // What a plugin says to nobody cannot be played again.
    let transcript = (case.manner.then != Then::Unread).then_some(played.transcript);
    Ok((findings, transcript))
}

/// The rules of a run, each as a finding of its own.
fn proper(played: &Played, patience: Patience) -> Vec<Finding> {
    let unready = (!played.is_ready).then(|| silent(played, patience));
    let ready = Finding::new("ready", "says `ready` after `init`");
    let stray = played.stray.clone();
    let wrong = (!played.wrong.is_empty()).then(|| played.wrong.join("; "));
    let asks = match &played.requests[..] {
        [] => Finding::new("requests", "asks for nothing that there is not")
            .because("it asks for nothing"),
        all => Finding::new("requests", "asks for nothing that there is not").because(list(all)),
    };
    let no_exit =
        (played.exit.is_none() && played.stray.is_none()).then(|| silent(played, patience));
    let exit = Finding::new("exit", "ends with `exit`");
    let exit = match &played.exit {
        Some(exit_said) => {
            let reason = exit_said.reason.as_ref().map(|reason| format!(", {reason:?}"));
            let waited = if played.waited { ", after a shutdown" } else { "" };
            exit.because(format!("code {}{waited}{}", exit_said.code, reason.unwrap_or_default()))
        }
        None => exit,
    };
    let lingers = (played.exit.is_some() && played.ended.is_none())
        .then(|| format!("it was still there {} seconds later", patience.grace.as_secs()));
    let more = played.after.as_ref().map(|line| format!("more follows: {line}"));
    vec![
        ready.fails(unready, "write {\"type\":\"ready\"} and a line end, and flush"),
        Finding::new("messages", "writes nothing but messages to stdout")
            .fails(stray, "write everything else to stderr; a stray line ends the plugin"),
        asks.fails(wrong, "see docs/protocols/plugin.md for what can be asked"),
        exit.fails(no_exit, "the last message is {\"type\":\"exit\",\"code\":0}"),
        Finding::new("last", "says nothing after `exit`")
            .warns(more, "what follows `exit` is ignored"),
        Finding::new("ends", "ends after `exit`, although its input does not")
            .fails(lingers, "end the program after `exit`; a thread that reads must not keep it"),
    ]
}

/// What breaks a rule that holds in every run that ends with `exit`.
fn broken(played: &Played, patience: Patience) -> Option<String> {
    if let Some(stray) = &played.stray {
        return Some(stray.clone());
    }
    if played.exit.is_none() {
        return Some(silent(played, patience));
    }
    let late = format!("it was still there {} seconds after `exit`", patience.grace.as_secs());
    played.ended.is_none().then_some(late)
}

/// How the run differs from the first.
fn other(played: &Played, usual: Option<&Usual>) -> Option<String> {
    let (now, usual) = (of(played), usual?);
    if now.code != usual.code {
        let code =
            |code: Option<u8>| code.map_or("no `exit`".to_owned(), |code| format!("code {code}"));
        return Some(format!("it ended with {} instead of {}", code(now.code), code(usual.code)));
    }
    (now.requests != usual.requests).then(|| {
        format!("it asked for {} instead of {}", list(&now.requests), list(&usual.requests))
    })
}

fn of(played: &Played) -> Usual {
    let mut requests = played.requests.clone();
    // Of several threads nobody knows which one asks first.
    if played.has_ids {
        requests.sort();
    }
    let code = played.exit.as_ref().map(|exit| exit.code);
    Usual { requests, code, has_ids: played.has_ids }
}

/// Why the last word is missing.
fn silent(played: &Played, patience: Patience) -> String {
    let stderr = if played.stderr.is_empty() {
        String::new()
    } else {
        format!("; stderr: {}", played.stderr)
    };
    let too_much = played.too_much.map(|what| match what {
        TooMuch::Said => format!("it said more than {} MiB before it", MOST_SAID >> 20),
        TooMuch::Asked => format!("it asked for more than {MOST_REQUESTS} things before it"),
        TooMuch::Answered => {
            format!("it asked for answers of more than {} MiB before it", MOST_ANSWERED >> 20)
        }
    });
    let why = too_much.unwrap_or_else(|| match (&played.stray, &played.exit, &played.ended) {
        (Some(_), ..) => "it wrote a line that is no message".to_owned(),
        (None, Some(_), _) => "it ended before".to_owned(),
        (None, None, Some(ended)) => format!("it {} without it", ended.text),
        (None, None, None) => {
            let waited = if played.waited { patience.grace } else { patience.run };
            let plural = if waited.as_secs() == 1 { "" } else { "s" };
            format!("it had {} second{plural} for it", waited.as_secs())
        }
    });
    why + &stderr
}

/// What was asked for, in its order; the same several times in a row is told as that.
fn list(requests: &[String]) -> String {
    let told = requests.chunk_by(|a, b| a == b).map(|same| match same {
        [first] => first.clone(),
        _ => format!("{} ({} times)", same[0], same.len()),
    });
    let mut told: Vec<String> = told.take(MOST_TOLD + 1).collect();
    if told.len() > MOST_TOLD {
        told.truncate(MOST_TOLD);
        told.push("…".to_owned());
    }
    if told.is_empty() { "nothing".to_owned() } else { told.join(", ") }
}

/// How many requests are told one by one.
const MOST_TOLD: usize = 20;
