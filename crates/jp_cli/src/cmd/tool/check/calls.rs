//! Single calls of a tool: what is sent, and what is expected of the answer.
//!
//! A call is data ([`Case`]); one function makes it and judges it. Arguments that are made up can be
//! right in form and still name something that is not there, so a tool may answer a good call with an
//! error, as long as it is one.

use jp_tool::{Action, Invocation, Parameter};
use serde_json::{Map, Value, json};

use super::{
    bench::{Bench, Seen},
    finding::{Finding, Problem, Status, described},
    report::Report,
    rules,
    said::Said,
    samples::{self, CANARY, HOSTILE, OUTSIDE, PRODUCT},
    subject::Subject,
};
use crate::error::Result;

/// So many parameters are tried with everything that is hostile.
const MOST_HOSTILE: usize = 3;

/// An argument that no tool has.
const UNKNOWN: &str = "jp_check_unknown";

/// One call.
pub(super) struct Case {
    pub(super) check: &'static str,
    pub(super) title: String,
    pub(super) action: Action,
    pub(super) arguments: Map<String, Value>,
    pub(super) answers: Map<String, Value>,
    /// What is sent instead of the invocation.
    input: Option<Vec<u8>>,
    pub(super) expect: Expect,
}

/// What is expected of an answer, beside the right form.
pub(super) enum Expect {
    /// Words for a person, and nothing else.
    Shown,
    /// A refusal that names the argument. The status says how bad it is to do the work instead.
    Refusal { argument: Option<String>, status: Status },
    /// No sign that what is hostile was more than text.
    Unharmed,
    /// Not a failure, if the first call was none.
    NoWorse { failed: bool, reason: &'static str },
}

/// A run and what it said.
pub(super) struct Run {
    pub(super) seen: Seen,
    pub(super) said: Said,
}

/// Calls that need no arguments: what is on stdin is no invocation.
pub(super) fn of_any(_: &Subject) -> Vec<Case> {
    let case = |check, title: &str, input: &[u8]| Case {
        input: Some(input.to_vec()),
        ..Case::new(check, title, &Map::new(), refusal(None))
    };
    vec![
        case("run.no_input", "run with stdin closed at once", b""),
        case("run.garbage", "run with a line that is no JSON", b"this is no invocation\n"),
    ]
}

/// Makes the call that everything else is compared with.
pub(super) async fn check_good(
    bench: &Bench<'_>,
    subject: &Subject,
    good: &Map<String, Value>,
    report: &mut Report<'_>,
) -> Result<Run> {
    let (title, none) = ("run with good arguments", Map::new());
    let invocation = subject.invocation(bench, Action::Run, good.clone(), none);
    let (input, run) = make(bench, subject, title, &invocation).await?;
    let mut problems = rules::broken(&run.seen, &run.said);
    if run.said == Said::Nothing && problems.is_empty() && run.seen.exit().is_success() {
        let why = "it printed nothing, so the assistant cannot tell what came of it";
        problems.push(Problem::warning(why));
    }
    let finding = Finding::new("run.good", title).of(&subject.name).after(&input, &run.seen);
    let finding = match run.said.error() {
        Some(message) => finding.because(format!("an error, {:?}", super::finding::short(message))),
        None if matches!(run.said, Said::Unclear { .. } | Said::Nothing) => finding,
        None => finding.because(described(&run.said)),
    };
    report.add(finding.with(problems))?;
    Ok(run)
}

/// Everything that is tried with arguments: one way to be right, and many to be wrong.
pub(super) fn of_arguments(subject: &Subject, good: &Map<String, Value>, first: &Run) -> Vec<Case> {
    let mut cases = vec![Case {
        action: Action::FormatArguments,
        ..Case::new(
            "format_arguments",
            "shows arguments, and does nothing else",
            good,
            Expect::Shown,
        )
    }];
    // Such a tool is only ever run.
    cases.retain(|_| !subject.is_stateful());
    cases.extend(fewer(subject, good, first));
    cases.extend(missing(subject, good));
    cases.extend(wrong(subject, good));
    cases.push(unknown(good));
    cases.push(answered(good, first));
    cases.extend(hostile(subject, good));
    cases
}

/// What is not tried, because others like it are.
pub(super) fn left_out(subject: &Subject) -> Option<Finding> {
    let names: Vec<_> = texts(subject).skip(MOST_HOSTILE).map(|(name, _)| name.as_str()).collect();
    let title = format!("run with hostile text for `{}`", names.join("`, `"));
    let finding = Finding::skipped("run.hostile", title).of(&subject.name);
    let why = format!("{MOST_HOSTILE} others were tried");
    (!names.is_empty()).then(|| finding.because(why))
}

/// Makes a call and judges it.
pub(super) async fn check(bench: &Bench<'_>, subject: &Subject, case: Case) -> Result<Finding> {
    let Case { check, title, action, arguments, answers, input, expect } = case;
    let invocation = subject.invocation(bench, action, arguments, answers);
    let input = input.unwrap_or_else(|| to_line(&invocation));
    let seen = bench.run(&title, &invocation, input.clone()).await?;
    let manner = if action == Action::Run { subject.manner() } else { super::said::Manner::Once };
    let said = Said::read(seen.stdout(), manner);
    let finding = Finding::new(check, title).of(&subject.name).after(&input, &seen);
    let mut problems = rules::broken(&seen, &said);
    // What was ended, or cannot be understood, has said nothing that could be judged.
    if problems.iter().all(|problem| problem.status < Status::Failed) {
        problems.extend(expect.judge(&seen, &said));
    }
    Ok(finding.with(problems))
}

/// Makes a call, for those who judge it themselves.
pub(super) async fn make(
    bench: &Bench<'_>,
    subject: &Subject,
    title: &str,
    invocation: &Invocation,
) -> Result<(Vec<u8>, Run)> {
    let input = to_line(invocation);
    let seen = bench.run(title, invocation, input.clone()).await?;
    let said = Said::read(seen.stdout(), subject.manner());
    Ok((input, Run { seen, said }))
}

impl Run {
    /// Whether the tool says that it failed.
    pub(super) fn failed(&self) -> bool {
        failed(&self.seen, &self.said)
    }
}

impl Case {
    /// Whether megabytes are sent.
    pub(super) fn is_long(&self) -> bool {
        let is_long = |value: &Value| value.to_string().len() > 1024 * 1024;
        self.arguments.values().any(is_long)
    }

    fn new(
        check: &'static str,
        title: impl Into<String>,
        arguments: &Map<String, Value>,
        expect: Expect,
    ) -> Self {
        let (title, arguments, answers) = (title.into(), arguments.clone(), Map::new());
        Self { check, title, action: Action::Run, arguments, answers, input: None, expect }
    }
}

impl Expect {
    pub(super) fn judge(&self, seen: &Seen, said: &Said) -> Vec<Problem> {
        match self {
            Self::Shown => shown(seen, said),
            Self::Refusal { argument, status } => refused(seen, said, argument.as_deref(), *status),
            Self::Unharmed => unharmed(seen),
            Self::NoWorse { failed: false, reason } if failed(seen, said) => {
                vec![Problem::fail(*reason)]
            }
            Self::NoWorse { .. } => Vec::new(),
        }
    }
}

fn fewer(subject: &Subject, good: &Map<String, Value>, first: &Run) -> Option<Case> {
    let is_required =
        |name: &String| subject.schema.parameters.get(name).is_some_and(Parameter::is_required);
    let required: Map<_, _> = good
        .iter()
        .filter(|(name, _)| is_required(name))
        .map(|(n, v)| (n.clone(), v.clone()))
        .collect();
    let reason = "it fails without arguments that need not be given";
    let expect = Expect::NoWorse { failed: first.failed(), reason };
    let title = "run with required arguments only";
    (required.len() < good.len()).then(|| Case::new("run.required", title, &required, expect))
}

fn missing(subject: &Subject, good: &Map<String, Value>) -> Vec<Case> {
    let required = subject.schema.parameters.iter().filter(|(_, it)| it.is_required());
    let case = |(name, _): (&String, _)| {
        let mut arguments = good.clone();
        arguments.shift_remove(name);
        Case::new("run.missing", format!("run without `{name}`"), &arguments, refusal(Some(name)))
    };
    required.map(case).collect()
}

fn wrong(subject: &Subject, good: &Map<String, Value>) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, parameter) in &subject.schema.parameters {
        for value in samples::wrong(parameter) {
            let title = format!("run with `{name}` = {value}");
            let mut arguments = good.clone();
            arguments.insert(name.clone(), value);
            cases.push(Case::new("run.type", title, &arguments, refusal(Some(name))));
        }
    }
    cases
}

/// The host refuses such a call itself, so a tool that does not is only careless.
fn unknown(good: &Map<String, Value>) -> Case {
    let mut arguments = good.clone();
    arguments.insert(UNKNOWN.to_owned(), json!(true));
    let expect = Expect::Refusal { argument: Some(UNKNOWN.to_owned()), status: Status::Warning };
    Case::new("run.unknown", "run with an argument it does not know", &arguments, expect)
}

fn answered(good: &Map<String, Value>, first: &Run) -> Case {
    let answers = Map::from_iter([(UNKNOWN.to_owned(), json!(true))]);
    let reason = "it fails when there is an answer to a question it did not ask";
    let expect = Expect::NoWorse { failed: first.failed(), reason };
    let title = "run with an answer to another question";
    Case { answers, ..Case::new("run.other_answer", title, good, expect) }
}

/// The parameters that a text can be put into, by name.
fn texts(subject: &Subject) -> impl Iterator<Item = (&String, &Parameter)> {
    let takes_text = |parameter| samples::with_text(parameter, String::new()).is_some();
    subject.schema.parameters.iter().filter(move |(_, parameter)| takes_text(parameter))
}

fn hostile(subject: &Subject, good: &Map<String, Value>) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, parameter) in texts(subject).take(MOST_HOSTILE) {
        for hostile in &HOSTILE {
            let Some(value) = samples::with_text(parameter, (hostile.text)()) else { continue };
            let mut arguments = good.clone();
            arguments.insert(name.clone(), value);
            let title = format!("run with `{name}` = {}", hostile.what);
            cases.push(Case::new("run.hostile", title, &arguments, Expect::Unharmed));
        }
    }
    let mut arguments = good.clone();
    arguments
        .insert(format!("$(touch {CANARY})`touch {CANARY}`"), json!(format!("; touch {CANARY}")));
    let title = "run with a command as the name of an argument";
    cases.push(Case::new("run.hostile", title, &arguments, Expect::Unharmed));
    cases
}

fn refusal(argument: Option<&str>) -> Expect {
    Expect::Refusal { argument: argument.map(str::to_owned), status: Status::Failed }
}

fn failed(seen: &Seen, said: &Said) -> bool {
    said.error().is_some() || !seen.exit().is_success()
}

fn shown(seen: &Seen, said: &Said) -> Vec<Problem> {
    let mut problems = unchanged(seen, "it was asked to show arguments");
    match said {
        Said::Question(_) => problems.push(Problem::fail("it asks a question instead")),
        Said::Nothing if seen.exit().is_success() => {
            problems.push(Problem::fail("it printed nothing for a person to see"));
        }
        _ => {}
    }
    problems
}

fn refused(seen: &Seen, said: &Said, argument: Option<&str>, status: Status) -> Vec<Problem> {
    let mut problems = unchanged(seen, "it should have refused");
    if matches!(said, Said::Question(_)) {
        return problems;
    }
    if !failed(seen, said) {
        let reason = match argument {
            Some(UNKNOWN) => "it ignores it; a misspelled argument does harm".to_owned(),
            Some(_) => format!("it answered with {} instead of an error", described(said)),
            None => format!("it answered with {}, though nothing was asked", described(said)),
        };
        problems.push(Problem::new(status, reason));
        return problems;
    }
    let words = format!("{} {}", said.error().unwrap_or_default(), seen.stderr());
    if let Some(argument) = argument.filter(|argument| !words.contains(argument)) {
        problems.push(Problem::warning(format!("the error does not name `{argument}`")));
    }
    problems
}

fn unchanged(seen: &Seen, why: &str) -> Vec<Problem> {
    match seen.changed.as_slice() {
        [] => Vec::new(),
        changed => vec![Problem::fail(format!("it changed {}, though {why}", changed.join(", ")))],
    }
}

fn unharmed(seen: &Seen) -> Vec<Problem> {
    let mut problems = Vec::new();
    if seen.changed.iter().any(|path| path.contains(CANARY) && !path.contains("touch")) {
        problems.push(Problem::fail("a shell ran what stands in the argument"));
    }
    let has = |what: &str| seen.stdout().windows(what.len()).any(|part| part == what.as_bytes());
    if has(PRODUCT) {
        problems.push(Problem::fail("the argument was worked out as a template"));
    }
    if has(OUTSIDE) {
        problems.push(Problem::fail("it read a file outside of the workspace"));
    }
    problems
}

/// A message as it goes over the wire.
pub(super) fn to_line(message: &impl serde::Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}
