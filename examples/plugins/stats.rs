//! A plugin on the SDK: how much there is in the conversations of a workspace.
//!
//! `jp stats` prints a table, `jp stats --json` the numbers. The events of several conversations are
//! read at the same time; it stops early when the user has had enough.

use std::{collections::BTreeMap, process::ExitCode, sync::Mutex, thread};

use jp_plugin_sdk::{Failure, Plugin, Session};
use serde_json::json;

const HELP: &str = "\
Count the events of all conversations.

Usage: jp stats [--json]

Options:
  --json    Print the numbers as JSON
";

/// How many conversations are read at a time.
const AT_ONCE: usize = 4;

fn main() -> ExitCode {
    let about = "Count the events of all conversations";
    let plugin = Plugin::new("stats", env!("CARGO_PKG_VERSION"), about).help(HELP);
    plugin.command("stats").expect("a word is the path of a command").run(stats)
}

fn stats(session: &Session) -> Result<(), Failure> {
    let as_json = match session.args() {
        [] => false,
        [flag] if flag == "--json" => true,
        words => {
            let reason = format!("unexpected argument `{}`; see `jp stats -h`", words.join(" "));
            return Err(Failure::new(reason).code(2));
        }
    };
    let counts = count(session)?;
    if as_json {
        return Ok(session.print_json(&json!(counts))?);
    }
    let rows: String = counts.iter().map(|(kind, n)| format!("| {kind} | {n} |\n")).collect();
    Ok(session.print_markdown(&format!("| event | count |\n|---|---:|\n{rows}"))?)
}

/// How many events there are of each type.
fn count(session: &Session) -> Result<BTreeMap<String, u64>, Failure> {
    let left = Mutex::new(session.list_conversations()?);
    let counts = Mutex::new(BTreeMap::new());
    let next = || left.lock().ok()?.pop();
    let work = || -> Result<(), Failure> {
        while let (None, Some(conversation)) = (session.shutdown(), next()) {
            for event in session.read_events(&conversation.id)? {
                let kind = event["type"].as_str().unwrap_or("?").to_owned();
                if let Ok(mut counts) = counts.lock() {
                    *counts.entry(kind).or_insert(0) += 1;
                }
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        let failed = |_| Err(Failure::new("a worker failed"));
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(failed))
    })?;
    Ok(counts.into_inner().unwrap_or_default())
}
