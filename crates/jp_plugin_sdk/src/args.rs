//! The arguments of a plugin as a type of its own, read by `clap`.
//!
//! ```
//! use jp_plugin_sdk::args;
//!
//! /// Say hello.
//! #[derive(clap::Parser)]
//! struct Args {
//!     /// To whom
//!     name: String,
//! }
//!
//! let help = args::help::<Args>("greet");
//! assert!(help.contains("Usage: jp greet <NAME>"));
//! let args: Args = args::parse("greet", ["Ada"])?;
//! assert_eq!(args.name, "Ada");
//! # Ok::<(), jp_plugin_sdk::args::Stop>(())
//! ```
//!
//! A plugin has no program name of its own: it is `jp` and the words of its command.

use clap::{Arg, ArgAction, Command, CommandFactory, FromArgMatches, error::ErrorKind};

use crate::error::Failure;

/// How wide help is; the terminal is the host's.
const WIDTH: usize = 100;

/// What a wrong call ends with.
const USAGE: u8 = 2;

/// Why there are no arguments.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// Help was asked for: this is it.
    #[error("{0}")]
    Help(String),
    /// They are not as they should be.
    #[error("{0}")]
    Usage(String),
}

/// What `jp <command> -h` prints.
pub fn help<A: CommandFactory>(command: &str) -> String {
    clap_command::<A>(command).render_help().to_string()
}

/// Reads arguments.
pub fn parse<A: CommandFactory + FromArgMatches>(
    command: &str,
    words: impl IntoIterator<Item = impl Into<String>>,
) -> Result<A, Stop> {
    let words = words.into_iter().map(Into::into);
    let mut clap = clap_command::<A>(command);
    let matches = clap.try_get_matches_from_mut(words).map_err(|error| stop(&error))?;
    A::from_arg_matches(&matches).map_err(|error| stop(&error.format(&mut clap)))
}

impl crate::Session {
    /// Reads the words after the command. Help is printed, and a wrong call ends with code 2.
    pub fn parse_args<A: CommandFactory + FromArgMatches>(
        &self,
        command: &str,
    ) -> Result<A, Failure> {
        parse(command, self.args()).or_else(|stop| match stop {
            Stop::Help(text) => {
                self.print(&text)?;
                Err(Failure::silent(0))
            }
            Stop::Usage(text) => Err(Failure::new(text).code(USAGE)),
        })
    }
}

fn clap_command<A: CommandFactory>(command: &str) -> Command {
    let name = format!("jp {command}");
    // There is one help, however it is asked for: the host has no other.
    let help = Arg::new("help").short('h').long("help").action(ArgAction::HelpShort);
    A::command()
        .name(name.clone())
        .bin_name(name)
        .no_binary_name(true)
        .disable_version_flag(true)
        .disable_help_flag(true)
        .arg(help.help("Print help"))
        .term_width(WIDTH)
}

fn stop(error: &clap::Error) -> Stop {
    let text = error.to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            Stop::Help(text)
        }
        _ => Stop::Usage(usage(&text)),
    }
}

/// What is wrong, without what does not help: the host says that it is an error, and nobody who mistypes a
/// flag wants it to be a value.
fn usage(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text).trim_end();
    let is_help = |paragraph: &&str| !paragraph.starts_with("  tip: to pass '");
    text.split("\n\n").filter(is_help).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Say hello.
    #[derive(Debug, PartialEq, clap::Parser)]
    struct Args {
        /// To whom
        name: Option<String>,
        /// Loudly
        #[arg(long)]
        loud: bool,
    }

    #[test]
    fn help_is_of_the_command() {
        insta::assert_snapshot!(help::<Args>("say hello"), @"
        Say hello

        Usage: jp say hello [OPTIONS] [NAME]

        Arguments:
          [NAME]  To whom

        Options:
              --loud  Loudly
          -h, --help  Print help
        ");
        let asked = parse::<Args>("say hello", ["x", "-h"]);
        assert_eq!(asked, Err(Stop::Help(help::<Args>("say hello"))));
    }

    #[test]
    fn words_are_arguments() {
        let args = parse::<Args>("say hello", ["--loud", "Ada"]);
        assert_eq!(args, Ok(Args { name: Some("Ada".to_owned()), loud: true }));
    }

    #[test]
    fn a_wrong_call_is_explained() {
        let error = parse::<Args>("say hello", ["--lod"]).unwrap_err();
        insta::assert_snapshot!(error, @"
        unexpected argument '--lod' found

          tip: a similar argument exists: '--loud'

        Usage: jp say hello --loud [NAME]

        For more information, try '--help'.
        ");
        let error = parse::<Args>("say hello", ["--since", "tomorrow"]).unwrap_err();
        insta::assert_snapshot!(error, @"
        unexpected argument '--since' found

        Usage: jp say hello [OPTIONS] [NAME]

        For more information, try '--help'.
        ");
    }
}
