//! Commands of plugins for the completion of a shell, from what is remembered about them.
//!
//! Somebody who presses a key wants to start nothing, so nobody is asked, and the configuration is not even
//! read: a name that is offered has still to be allowed when it is used.

use std::{
    ffi::OsString,
    io::{self, Write as _},
    sync::Arc,
};

use clap::{Command as Clap, CommandFactory as _};
use jp_config::Config;
use jp_plugin_host::{help::one_line, route::next_words};
use jp_printer::{Styles, sanitize};

use super::{Shelf, Wish};
use crate::{args::Args, exit::Exit};

/// The first word that asks for it.
pub(crate) const WORD: &str = "__complete-plugins";

/// Prints the words that may follow these, each with a tab and what it is about. Ends with 3 where the words
/// lead to a plugin, so that no command of jp can follow.
pub(crate) fn run(words: &[OsString]) -> Exit {
    let Ok(defaults) = Config::load(Vec::new()).map(Arc::new) else { return Exit::Failure };
    let Ok(shelf) = Shelf::with(Arc::clone(&defaults), defaults, Wish::Nobody) else {
        return Exit::Failure;
    };
    let command = Args::command();
    let Some((words, here)) = path(&command, words) else { return FOREIGN };
    // The shell knows our own words already, also those that plugins have commands below.
    let is_own = |word: &str| here.is_some_and(|here| here.find_subcommand(word).is_some());
    let line = |(word, about): (&str, Option<&str>)| {
        let about = one_line(about.unwrap_or_default());
        format!("{word}\t{}\n", sanitize(&about, Styles::Strip))
    };
    let next = next_words(&shelf.catalog, &words).into_iter().filter(|(word, _)| !is_own(word));
    let text: String = next.map(line).collect();
    // Whoever has gone away wants no words.
    let _ = io::stdout().write_all(text.as_bytes());
    if here.is_some() { Exit::Success } else { FOREIGN }
}

/// The words lead to a plugin.
const FOREIGN: Exit = Exit::Program(3);

/// The words of a command, without options of jp and their values, and the command of jp that they are, if
/// they are one; `None` where no command can follow.
fn path<'a>(command: &'a Clap, words: &[OsString]) -> Option<(Vec<String>, Option<&'a Clap>)> {
    let takes_value = |word: &str| {
        command.get_arguments().any(|it| {
            let is_it = it.get_long().is_some_and(|name| word == format!("--{name}"))
                || it.get_short().is_some_and(|name| word == format!("-{name}"));
            is_it && it.get_action().takes_values()
        })
    };
    let mut path: Vec<String> = Vec::new();
    let mut here = Some(command);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let word = word.to_str()?;
        if takes_value(word) {
            words.next();
        } else if !word.starts_with('-') {
            here = here.and_then(|here| here.find_subcommand(word));
            path.push(here.map_or(word, |here| here.get_name()).to_owned());
        } else if here.is_none() {
            // It is an option of the plugin.
            return None;
        }
    }
    Some((path, here))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_no_commands() {
        for (line, expected) in [
            ("", Some(("", true))),
            ("-C dir -q serve", Some(("serve", false))),
            ("--cfg a=b c", Some(("conversation", true))),
            ("--format=json serve web", Some(("serve web", false))),
            ("serve --port", None),
        ] {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            let command = Args::command();
            let found = path(&command, &words);
            let found = found.map(|(words, here)| (words.join(" "), here.is_some()));
            let found = found.as_ref().map(|(words, is_ours)| (words.as_str(), *is_ours));
            assert_eq!(found, expected, "{line}");
        }
    }
}
