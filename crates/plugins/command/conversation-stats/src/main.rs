//! `jp conversation stats`: how long conversations were, what tools did in them and how often they failed,
//! what they cost where somebody wrote it down, and when it all happened.
//!
//! Each conversation is counted by itself, a few side by side, and the counts are added up: memory holds a
//! few conversations at a time however many there are.

mod count;
mod report;
mod show;
mod spark;
mod time;
mod tokens;

use std::process::ExitCode;

use jp_plugin_sdk::{
    Failure, Plugin, RequestError, Session, Summary, find_conversations, options, transcript::Event,
};

use serde::Deserialize;

use self::{
    count::Counts,
    report::{Counted, One, Report, Unread},
};

const ID: &str = "conversation-stats";
const COMMAND: &str = "conversation stats";
const DESCRIPTION: &str = "Count turns, words, tokens, tool calls and time of conversations";

/// Count turns, words, tokens, tool calls and time of conversations.
#[derive(Debug, clap::Parser)]
#[command(after_help = NOTES)]
struct Args {
    /// Ids, or the beginning or end of one; `last` and nothing at all mean the last one
    #[arg(value_name = "CONVERSATION")]
    conversations: Vec<String>,

    /// Count all conversations
    #[arg(short, long, conflicts_with = "conversations")]
    all: bool,

    /// Print the numbers as JSON
    #[arg(long)]
    json: bool,

    /// The same by name
    #[arg(short, long, value_enum, conflicts_with = "json")]
    format: Option<Form>,
}

/// `[plugins.command.conversation-stats.options]`: what is meant where nothing is said.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    format: Option<Form>,
}

/// In which form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Form {
    #[default]
    Text,
    Json,
}

impl Args {
    fn form(&self, options: &Options) -> Form {
        let json = self.json.then_some(Form::Json);
        json.or(self.format).or(options.format).unwrap_or_default()
    }
}

const NOTES: &str = "\
Tokens are known where the metadata of an answer has them. A call counts as failed if its result
is an error. Time is what passed between the first and the last event of a turn.
";

fn main() -> ExitCode {
    let plugin = Plugin::new(ID, env!("CARGO_PKG_VERSION"), DESCRIPTION)
        .help(jp_plugin_sdk::args::help::<Args>(COMMAND))
        .command(COMMAND);
    match plugin {
        Ok(plugin) => plugin.run(stats),
        // The words of the command are in the source, and the tests run it.
        Err(_) => ExitCode::FAILURE,
    }
}

fn stats(session: &Session) -> Result<(), Failure> {
    let args: Args = session.parse_args(COMMAND)?;
    let form = args.form(&options(session.init(), ID)?);
    let listing = session.list_conversations()?;
    let chosen = match listing.as_slice() {
        [_, ..] if args.all => listing,
        listing => find_conversations(listing, &args.conversations)?,
    };
    let what = format!("Counting {} conversations", chosen.len());
    let report = Report::new(session.each_conversation(&what, chosen, count)?);
    match form {
        Form::Json => session.print_json(&report.to_json())?,
        Form::Text => session.print(&show::report(&report))?,
    }
    match report.unread.as_slice() {
        [] => Ok(()),
        unread => {
            let ids: Vec<_> =
                unread.iter().map(|one| format!("{}: {}", one.id, one.reason)).collect();
            Err(Failure::new(format!("some conversations could not be read\n{}", ids.join("\n"))))
        }
    }
}

fn count(session: &Session, summary: &Summary) -> Result<One, Failure> {
    let events = match session.read_raw_events(&summary.id) {
        Ok(events) => events,
        Err(error @ RequestError::Refused { .. }) => {
            let reason = error.to_string();
            return Ok(Err(Unread { id: summary.id.clone(), reason }));
        }
        // With the host gone nobody hears what else there is to say.
        Err(error) => return Err(error.into()),
    };
    let events = events.iter().enumerate().map(|(position, raw)| Event::parse(position, raw));
    let counts = Counts::of(events);
    Ok(Ok(Counted { id: summary.id.clone(), title: summary.title.clone(), counts }))
}
