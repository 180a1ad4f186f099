//! `grizzly`: parse, open the shelf, serve.

use std::{process::ExitCode, time::Duration};

use camino::Utf8PathBuf;
use clap::Parser;
use grizzly::{Grizzly, Shelf, snapshot::Source};
use jiff::tz::TimeZone;
use jp_mcp_server::JpFlag;

/// Where Bear keeps its notes, below the home directory.
const BEAR: &str =
    "Library/Group Containers/9K33E3U3T4.net.shinyfrog.bear/Application Data/database.sqlite";

/// Serve the notes of Bear to MCP clients on stdin and stdout, read-only.
#[derive(Debug, Parser)]
#[command(name = "grizzly", version, term_width = 0)]
struct Line {
    /// The database of Bear [default: where Bear keeps it, below the home directory]
    #[arg(long, value_name = "PATH")]
    database: Option<Utf8PathBuf>,
    /// The largest database that is read into memory, with its log
    #[arg(long, value_name = "MIB", default_value_t = 512)]
    max_database_mib: u32,
    /// How long one call may take, with waiting for others and without waiting for a person
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    timeout_secs: u16,
    #[command(flatten)]
    jp: JpFlag,
}

fn main() -> ExitCode {
    let line = Line::parse();
    let Some(database) = line.database.or_else(default_database) else {
        return fail(
            "grizzly: the home directory is not known; say where the notes are with --database PATH",
        );
    };
    let source = Source::new(database, u64::from(line.max_database_mib) << 20);
    let time = Duration::from_secs(line.timeout_secs.into());
    let grizzly = Grizzly::new(Shelf::new(source), TimeZone::system(), time);
    match jp_mcp_server::run(grizzly, line.jp.into()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            fail(&format!("grizzly: {error}{}", cause.unwrap_or_default()))
        }
    }
}

fn default_database() -> Option<Utf8PathBuf> {
    let home = Utf8PathBuf::from_path_buf(std::env::home_dir()?).ok()?;
    (!home.as_str().is_empty()).then(|| home.join(BEAR))
}

#[expect(clippy::print_stderr, reason = "this is the program, and stdout belongs to the protocol")]
fn fail(words: &str) -> ExitCode {
    eprintln!("{words}");
    ExitCode::FAILURE
}
