//! From words to a command: one of ours if there is one, otherwise that of a plugin.
//!
//! Words that no command of jp knows are kept whole, at the top and inside of every group, so that plugins
//! can be found for them. Nothing that comes after such a word is looked at: it belongs to the plugin.

use std::ffi::OsString;

use clap::{
    ArgMatches, Command as Clap, CommandFactory as _, FromArgMatches as _, error::ErrorKind,
};

use super::{Args, Command, FIRST_WORDS, Global};

/// The word that asks for help.
const HELP: &str = "help";

/// The options that ask for it.
const HELP_FLAGS: [&str; 2] = ["-h", "--help"];

/// Reads a command line, the name of the program first.
pub(crate) fn parse(words: &[OsString]) -> Result<Args, clap::Error> {
    match of_a_plugin(words) {
        Some(args) => Ok(args),
        None => parse_whole(words),
    }
}

/// The meaning of a line that begins with a word of a plugin: nothing after it is looked at. This is the
/// way of most such lines, and quicker than to make all commands first.
fn of_a_plugin(words: &[OsString]) -> Option<Args> {
    let first = words.get(1)?.to_str()?;
    let is_plain = first.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    (is_plain && !FIRST_WORDS.contains(&first)).then(|| Args {
        global: Global::default(),
        command: Command::External(words[1..].to_vec()),
    })
}

fn parse_whole(words: &[OsString]) -> Result<Args, clap::Error> {
    let mut command = open(Args::command());
    let matches = match command.try_get_matches_from_mut(words) {
        // Only `help` knows no words of plugins. `jp help x` means `jp x --help`.
        Err(error) if error.kind() == ErrorKind::InvalidSubcommand => {
            let Some(at) = words.iter().position(|word| word == HELP) else { return Err(error) };
            let rest = words.iter().enumerate().filter(|(place, _)| *place != at);
            let rest = rest.map(|(_, word)| word.clone()).chain(["--help".into()]);
            command.try_get_matches_from_mut(rest)?
        }
        matches => matches?,
    };
    let args = match outside(&command, &matches) {
        Some(words) => {
            let global = Global::from_arg_matches(&matches);
            global.map(|global| Args { global, command: Command::External(words) })
        }
        None => Args::from_arg_matches(&matches),
    };
    args.map_err(|error| error.format(&mut command))
}

/// What every command understands, out of words that are otherwise wrong or ask for help.
pub(crate) fn global(words: &[OsString]) -> Option<Global> {
    let command = open(Args::command()).disable_help_flag(true).ignore_errors(true);
    // What comes after a word that is an error is not looked at any more.
    let words = words.iter().filter(|word| !HELP_FLAGS.iter().any(|flag| word == flag));
    let matches = command.try_get_matches_from(words).ok()?;
    Global::from_arg_matches(&matches).ok()
}

/// The same commands, with groups that take words they do not know.
fn open(command: Clap) -> Clap {
    if !command.has_subcommands() {
        return command;
    }
    let names: Vec<String> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    let command = command
        .allow_external_subcommands(true)
        .external_subcommand_value_parser(clap::value_parser!(OsString));
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, open))
}

/// The words of a plugin, with those of the group they were found in.
fn outside(command: &Clap, matches: &ArgMatches) -> Option<Vec<OsString>> {
    let (name, below) = matches.subcommand()?;
    let Some(known) = command.find_subcommand(name) else {
        let rest = below.get_many::<OsString>("").into_iter().flatten().cloned();
        return Some(std::iter::once(name.into()).chain(rest).collect());
    };
    let mut words = outside(known, below)?;
    words.insert(0, known.get_name().into());
    Some(words)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// What a command line means: the words of a plugin, or `built-in`, or how it is wrong.
    fn meaning(line: &str) -> String {
        let words: Vec<OsString> =
            std::iter::once("jp").chain(line.split(' ')).map(OsString::from).collect();
        match parse(&words) {
            Ok(Args { command: Command::External(words), global }) => {
                let quiet = if global.quiet { "quiet " } else { "" };
                format!("{quiet}{}", words.join(" ".as_ref()).to_string_lossy())
            }
            Ok(_) => "built-in".to_owned(),
            Err(error) => format!("{:?}", error.kind()),
        }
    }

    #[test]
    fn built_ins_come_first_and_the_rest_is_kept_whole() {
        for (line, expected) in [
            ("version", "built-in"),
            ("conversation ls", "built-in"),
            ("c ls", "built-in"),
            ("serve web --port 1 -h", "serve web --port 1 -h"),
            ("serve -- web", "serve -- web"),
            ("-q serve -q", "quiet serve -q"),
            ("conversation export --html", "conversation export --html"),
            ("c export -h", "conversation export -h"),
            ("conversation -q export", "quiet conversation export"),
            ("help export", "export --help"),
            ("-q help export", "quiet export --help"),
            ("help conversation export", "conversation export --help"),
            ("conversation help export", "conversation export --help"),
            ("help conversation", "DisplayHelp"),
        ] {
            assert_eq!(meaning(line), expected, "{line}");
        }
    }

    #[test]
    fn the_quick_way_leads_where_the_long_one_does() {
        for line in ["serve", "serve web --port 1 -h", "serve -- web", "x -q", "serve ''"] {
            let words: Vec<OsString> =
                ["jp"].into_iter().chain(line.split(' ')).map(Into::into).collect();
            let quick = of_a_plugin(&words).unwrap();
            let whole = parse_whole(&words).unwrap();
            assert_eq!(format!("{quick:?}"), format!("{whole:?}"), "{line}");
        }
        let mut whole = Args::command();
        whole.build();
        let all = whole.get_subcommands();
        let all: BTreeSet<_> = all.flat_map(|it| it.get_name_and_visible_aliases()).collect();
        assert_eq!(all, FIRST_WORDS.into());
        for word in FIRST_WORDS {
            assert!(of_a_plugin(&["jp".into(), word.into()]).is_none(), "{word}");
        }
    }

    #[test]
    fn global_options_are_found_whatever_else_is_there() {
        for line in ["jp -q -h", "jp -h -q", "jp -q conversation --help", "jp conversation -q -h"] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert!(global(&words).is_some_and(|global| global.quiet), "{line}");
        }
    }
}
