//! The rules that hold for every run, whatever was asked: it ends by itself and in time, says one thing
//! in one form, and its exit code says the same.
//!
//! Each rule is a function from what was seen to what is wrong with it.

use jp_process::{Stopped, Stream};
use jp_sandbox::event::Ended;

use super::{
    bench::Seen,
    finding::{Problem, described},
    said::Said,
};

/// One rule.
type Rule = fn(&Seen, &Said) -> Option<Problem>;

const RULES: [Rule; 8] = [in_time, bounded, alive, alone, one_form, understood, agrees, on_stdout];

/// What is wrong with a run by the rules that hold for all.
pub(super) fn broken(seen: &Seen, said: &Said) -> Vec<Problem> {
    // Of a run that was ended nothing else can be said.
    let of_end = [in_time, bounded].iter().filter_map(|rule| rule(seen, said)).collect::<Vec<_>>();
    if !of_end.is_empty() {
        return of_end;
    }
    RULES.iter().filter_map(|rule| rule(seen, said)).collect()
}

fn in_time(seen: &Seen, _: &Said) -> Option<Problem> {
    let seconds = seen.patience.as_secs();
    seen.is_late().then(|| Problem::fail(format!("it did not end within {seconds} seconds")))
}

fn bounded(seen: &Seen, _: &Said) -> Option<Problem> {
    let finished = &seen.finished;
    let name = match finished.stopped {
        Some(Stopped::Output(Stream::Stdout)) => "stdout",
        Some(Stopped::Output(Stream::Stderr)) => "stderr",
        _ if finished.stdout.truncated => "stdout",
        _ if finished.stderr.truncated => "stderr",
        _ => return None,
    };
    let most = finished.stdout.bytes.len().max(finished.stderr.bytes.len());
    Some(Problem::fail(format!("it wrote more than {most} bytes to {name}, and was ended")))
}

fn alive(seen: &Seen, _: &Said) -> Option<Problem> {
    let died = matches!(seen.exit().ended, Ended::Signal(_)) && seen.finished.stopped.is_none();
    died.then(|| Problem::fail(format!("it {}", seen.exit())))
}

fn alone(seen: &Seen, _: &Said) -> Option<Problem> {
    let reason = "it ended before processes that it had started; they are ended with it";
    seen.exit().left_behind.then(|| Problem::fail(reason))
}

fn one_form(_: &Seen, said: &Said) -> Option<Problem> {
    match said {
        Said::Unclear { reason } => Some(Problem::fail(reason)),
        _ => None,
    }
}

fn understood(_: &Seen, said: &Said) -> Option<Problem> {
    let Said::Blocks(result) = said else { return None };
    let block = result.content.malformed.first()?;
    Some(Problem::warning(block.to_string()))
}

fn agrees(seen: &Seen, said: &Said) -> Option<Problem> {
    let Ended::Code(code) = seen.exit().ended else { return None };
    match (code, said) {
        (0, Said::Error(_)) => Some(Problem::fail("it printed an error and exited with code 0")),
        (0, _) | (_, Said::Error(_)) => None,
        (code, Said::Success(_) | Said::Blocks(_) | Said::Question(_) | Said::State(_)) => {
            let said = described(said);
            Some(Problem::fail(format!("it printed {said} and exited with code {code}")))
        }
        (_, Said::Text(_)) if seen.stderr().is_empty() => Some(Problem::warning(
            "it failed with plain text on stdout; the reason belongs into an error, or to stderr",
        )),
        (code, Said::Nothing) if seen.stderr().is_empty() => {
            Some(Problem::fail(format!("it exited with code {code} without a word")))
        }
        _ => None,
    }
}

fn on_stdout(seen: &Seen, said: &Said) -> Option<Problem> {
    let stderr = seen.stderr();
    let is_outcome = |line: &str| jp_tool::Outcome::parse(line.trim()).is_ok();
    if stderr.lines().any(is_outcome) {
        return Some(Problem::fail("its outcome is on stderr, where nobody reads it"));
    }
    let is_silent = *said == Said::Nothing && seen.exit().is_success() && !stderr.is_empty();
    is_silent.then(|| Problem::fail("its result is on stderr, where nobody reads it"))
}
