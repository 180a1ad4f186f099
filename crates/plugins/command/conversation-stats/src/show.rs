//! The report for people: a block of numbers, a table of tools, and charts of a line each.

use std::fmt::Write as _;

use jp_plugin_sdk::words::{number, one_line};
use unicode_width::UnicodeWidthStr as _;

use crate::{
    count::{Counts, Tool},
    report::{Counted, Report},
    spark, time,
};

/// The most rows of a table.
const ROWS: usize = 20;

/// The widest name in a table.
const NAME: usize = 40;

/// The widest title above everything.
const TITLE: usize = 100;

pub(crate) fn report(report: &Report) -> String {
    // Writing to a string cannot fail, here and below.
    let mut out = String::new();
    let counts = &report.total;
    match report.conversations.as_slice() {
        [] => return out,
        [one] => {
            let _ = writeln!(out, "{}", title(one, TITLE));
            let _ = writeln!(out, "conversation {}{}", one_line(&one.id), when(counts));
        }
        several => {
            let _ = writeln!(out, "{} conversations{}", number(several.len() as u64), when(counts));
        }
    }
    out.push('\n');
    numbers(&mut out, counts);
    tools(&mut out, counts);
    charts(&mut out, counts, report.conversations.len() == 1);
    conversations(&mut out, &report.conversations);
    out
}

/// From when to when.
fn when(counts: &Counts) -> String {
    let Some((began, ended)) = counts.began.zip(counts.ended) else { return String::new() };
    let (began, ended) = (time::minute(began), time::minute(ended));
    // On the same day the time is enough.
    let same_day = began.get(..10).zip(ended.get(..10)).is_some_and(|(a, b)| a == b);
    let ended = if same_day { ended.get(11..).unwrap_or(&ended) } else { &ended };
    format!(" · {began} to {ended} UTC")
}

fn numbers(out: &mut String, counts: &Counts) {
    let mut row = |name: &str, value: &str, remark: &str| {
        let line = format!("  {name:<10}{value:>10}  {remark}");
        let _ = writeln!(out, "{}", line.trim_end());
    };
    let longest = counts.turn_seconds.iter().copied().fold(0.0, f64::max);
    let turns = if counts.turns > 1 {
        format!(
            "median {}, longest {}",
            time::duration(median(&counts.turn_seconds)),
            time::duration(longest)
        )
    } else {
        String::new()
    };
    row("turns", &number(counts.turns), &turns);
    row("time", &time::duration(counts.active_seconds), "in turns");
    row("events", &number(counts.events), &odd_events(counts));
    let said = [
        (counts.requests.words, "asked"),
        (counts.answers.words, "answered"),
        (counts.reasoning.words, "thought"),
    ];
    let words = said.iter().map(|(words, _)| words).sum();
    let said = said.iter().filter(|(words, _)| *words > 0);
    let said: Vec<_> = said.map(|(words, what)| format!("{} {what}", number(*words))).collect();
    row("words", &number(words), &said.join(", "));
    let tokens = counts.tokens;
    if tokens.known_in > 0 {
        let remark = format!(
            "{} in, {} out, known of {}",
            number(tokens.input),
            number(tokens.output),
            events(tokens.known_in)
        );
        row("tokens", &number(tokens.input.saturating_add(tokens.output)), &remark);
    }
    let calls = counts.calls();
    if calls.calls > 0 {
        row("calls", &number(calls.calls), &outcome(calls));
    }
    if counts.questions > 0 {
        row("questions", &number(counts.questions), "");
    }
}

/// Events that nobody could make sense of.
fn odd_events(counts: &Counts) -> String {
    let odd = [
        (counts.unknown_events, "of unknown types"),
        (counts.damaged_events, "damaged"),
        (counts.large_events, "too large"),
    ];
    let odd = odd.iter().filter(|(events, _)| *events > 0);
    odd.map(|(events, what)| format!("{} {what}", number(*events))).collect::<Vec<_>>().join(", ")
}

/// What came of calls, in words.
fn outcome(tool: Tool) -> String {
    let rate = tool.failure_rate().map(percent).unwrap_or_default();
    let mut parts = Vec::new();
    if tool.failures > 0 {
        parts.push(format!("{} failed ({rate})", number(tool.failures)));
    }
    if tool.unanswered > 0 {
        parts.push(format!("{} without a result", number(tool.unanswered)));
    }
    parts.join(", ")
}

/// The tools that were called most.
fn tools(out: &mut String, counts: &Counts) {
    let mut tools: Vec<_> = counts.tools.iter().collect();
    if tools.is_empty() {
        return;
    }
    tools.sort_by_key(|(name, tool)| (u64::MAX - tool.calls, (*name).clone()));
    let rows = tools.iter().take(ROWS).map(|(name, tool)| (cut(name, NAME), tool));
    let rows: Vec<_> = rows.collect();
    let widest = rows.iter().map(|(name, _)| name.width()).max().unwrap_or(0).max(4);
    let most = rows.iter().map(|(_, tool)| tool.calls).max().unwrap_or(1);
    let _ = writeln!(
        out,
        "\n  {:<widest$}  {:>7}  {:>7}  {:>5}  {:>12}",
        "tool", "calls", "failed", "", "time"
    );
    for (name, tool) in &rows {
        let pad = " ".repeat(widest - name.width());
        let failed = number(tool.failures);
        let rate = tool.failure_rate().filter(|rate| *rate > 0.0).map(percent).unwrap_or_default();
        let calls = number(tool.calls);
        let taken = time::duration(tool.seconds);
        let line = format!(
            "  {name}{pad}  {calls:>7}  {failed:>7}  {rate:>5}  {taken:>12}  {}",
            bar(tool.calls, most)
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    more(out, tools.len());
}

fn charts(out: &mut String, counts: &Counts, is_one: bool) {
    if let Some((values, unit)) =
        spark::over_time(&counts.times).filter(|(values, _)| values.len() > 1)
    {
        let _ = writeln!(out, "\n  events, a bar for each {unit}\n  {}", spark::line(&values));
    }
    let takes_time = counts.turn_seconds.iter().any(|seconds| *seconds > 0.0);
    if is_one && takes_time && counts.turn_seconds.len() > 1 {
        let skipped = counts.turn_seconds.len().saturating_sub(spark::WIDTH);
        let last = counts.turn_seconds.get(skipped..).unwrap_or_default();
        let which = if skipped > 0 { format!(", the last {}", last.len()) } else { String::new() };
        let _ = writeln!(out, "\n  time of each turn{which}\n  {}", spark::line(last));
    }
}

/// Each of several.
fn conversations(out: &mut String, all: &[Counted]) {
    if all.len() < 2 {
        return;
    }
    let _ = writeln!(
        out,
        "\n  {:>6}  {:>7}  {:>6}  {:>6}  conversation",
        "turns", "events", "calls", "failed"
    );
    for one in all.iter().take(ROWS) {
        let calls = one.counts.calls();
        let _ = writeln!(
            out,
            "  {:>6}  {:>7}  {:>6}  {:>6}  {}  {}",
            number(one.counts.turns),
            number(one.counts.events),
            number(calls.calls),
            number(calls.failures),
            one_line(&one.id),
            title(one, NAME),
        );
    }
    more(out, all.len());
}

fn more(out: &mut String, rows: usize) {
    if rows > ROWS {
        let _ = writeln!(out, "  … and {} more; `--json` has all", number((rows - ROWS) as u64));
    }
}

/// How many calls of how many, as a line of blocks.
fn bar(part: u64, whole: u64) -> String {
    const CELLS: u64 = 16;
    let cells = (part.saturating_mul(CELLS)).div_ceil(whole.max(1));
    "▪".repeat(usize::try_from(cells).unwrap_or(0))
}

fn title(one: &Counted, widest: usize) -> String {
    let title =
        one.title.as_deref().map(|title| cut(title, widest)).filter(|title| !title.is_empty());
    title.unwrap_or_else(|| "(untitled)".to_owned())
}

/// A name in a line, not wider than its column.
fn cut(text: &str, widest: usize) -> String {
    let line = one_line(text);
    if line.width() <= widest {
        return line;
    }
    let mut short = String::new();
    for c in line.chars() {
        let next = format!("{short}{c}");
        if next.width() >= widest {
            break;
        }
        short = next;
    }
    short + "…"
}

fn events(events: u64) -> String {
    format!("{} event{}", number(events), if events == 1 { "" } else { "s" })
}

fn percent(rate: f64) -> String {
    format!("{:.0}%", rate * 100.0)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        length if length.is_multiple_of(2) => f64::midpoint(sorted[middle - 1], sorted[middle]),
        _ => sorted[middle],
    }
}

#[cfg(test)]
mod tests;
