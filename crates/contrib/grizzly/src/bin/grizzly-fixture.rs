//! Makes a database of notes that nobody wrote, as Bear would store them, to try grizzly with; and, if asked
//! to, writes into it for a while as Bear would.

use std::{process::ExitCode, time::Duration};

use camino::Utf8PathBuf;
use clap::{Parser, ValueEnum};
use grizzly::fixture::{Fixture, Journal, churn};

/// Make a database of notes as Bear would store them. Not for the database of a real Bear.
#[derive(Debug, Parser)]
#[command(name = "grizzly-fixture", version)]
struct Line {
    /// Where to make it; there must be nothing yet, unless it is only written to
    path: Utf8PathBuf,
    /// How many notes to make up
    #[arg(long, default_value_t = 100)]
    notes: usize,
    /// The same seed gives the same notes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The numbers of the entities of notes and tags, as in `Z_5TAGS (Z_5NOTES, Z_13TAGS)`
    #[arg(long, num_args = 2, value_names = ["NOTES", "TAGS"], default_values_t = [5, 13])]
    junction: Vec<u32>,
    /// How the database is written
    #[arg(long, value_enum, default_value_t = JournalName::Wal)]
    journal: JournalName,
    /// Write into the database that is there already, for so many seconds
    #[arg(long, value_name = "SECONDS")]
    churn: Option<f64>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum JournalName {
    Wal,
    Delete,
}

fn main() -> ExitCode {
    match run(&Line::parse()) {
        Ok(done) => {
            say(&done);
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(line: &Line) -> Result<String, String> {
    let failed = |error| format!("{}: {error}", line.path);
    if let Some(seconds) = line.churn {
        let time = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
        let count = churn(&line.path, time).map_err(failed)?;
        return Ok(format!("{count} transactions"));
    }
    let journal = match line.journal {
        JournalName::Wal => Journal::Wal,
        JournalName::Delete => Journal::Delete,
    };
    let (note_entity, tag_entity) = (line.junction[0], line.junction[1]);
    let Line { seed, notes, .. } = *line;
    let fixture = Fixture { seed, notes, note_entity, tag_entity, journal };
    fixture.create(&line.path).map_err(failed)?;
    Ok(format!("{}: {notes} notes", line.path))
}

#[expect(clippy::print_stderr, reason = "this is the program")]
fn say(words: &str) {
    eprintln!("{words}");
}
