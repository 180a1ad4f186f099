//! The commands of jp itself, which no plugin can take.

use std::sync::OnceLock;

use clap::{Command as Clap, CommandFactory as _, builder::Resettable};
use jp_plugin::CommandPath;

use crate::args::{Args, FIRST_WORDS};

/// All of them, made when a word is among them.
#[derive(Debug)]
pub(crate) struct BuiltIns(OnceLock<Clap>);

impl BuiltIns {
    pub(crate) fn new() -> Self {
        Self(OnceLock::new())
    }

    fn all(&self) -> &Clap {
        self.0.get_or_init(Args::command)
    }

    /// The command that keeps a plugin from being reached by this one. Aliases and `help` count.
    pub(crate) fn covering(&self, command: &CommandPath) -> Option<String> {
        if command.words().first().is_some_and(|word| !FIRST_WORDS.contains(&word.as_str())) {
            return None;
        }
        let mut here = self.all();
        let mut name = Vec::new();
        for word in command.words() {
            if word == "help" && here.has_subcommands() {
                return Some("help".to_owned());
            }
            match here.find_subcommand(word) {
                // A word that a group does not know is free.
                None if here.has_subcommands() => return None,
                None => break,
                Some(below) => {
                    name.push(below.get_name());
                    here = below;
                    if below.get_name() != word {
                        break;
                    }
                }
            }
        }
        Some(name.join(" "))
    }

    /// Whether these words are a command with others below it; none are jp itself.
    pub(crate) fn is_group(&self, words: &[String]) -> bool {
        let mut here = Some(self.all());
        for word in words {
            here = here.and_then(|here| here.find_subcommand(word));
        }
        here.is_some_and(Clap::has_subcommands)
    }

    /// The error for words that mean nothing, as for every other command. What plugins are called is
    /// suggested like the rest.
    pub(crate) fn unknown(
        self,
        words: &[String],
        known: usize,
        plugins: &[&str],
    ) -> Option<clap::Error> {
        let group = words.get(..known)?.to_vec();
        let all = add(self.0.into_inner().unwrap_or_else(Args::command), &group, plugins);
        let line = std::iter::once("jp").chain(words.iter().take(known + 1).map(String::as_str));
        all.try_get_matches_from(line).err()
    }
}

/// Adds commands to a group, which is made if it is not there.
fn add(command: Clap, group: &[String], names: &[&str]) -> Clap {
    // Clap takes words it does not know as long as it has a parser for them.
    let command = command
        .subcommand_required(true)
        .external_subcommand_value_parser(Resettable::Reset)
        .allow_external_subcommands(false);
    let Some((first, rest)) = group.split_first() else {
        let fresh = names.iter().filter(|name| command.find_subcommand(name).is_none());
        let fresh: Vec<Clap> = fresh.map(|name| Clap::new((*name).to_owned())).collect();
        return command.subcommands(fresh);
    };
    let command = match command.find_subcommand(first) {
        Some(_) => command,
        None => command.subcommand(Clap::new(first.clone())),
    };
    command.mut_subcommand(first, |below| add(below, rest, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken() {
        let built_ins = BuiltIns::new();
        for (command, expected) in [
            ("init", Some("init")),
            ("init x", Some("init")),
            ("conversation", Some("conversation")),
            ("conversation ls", Some("conversation ls")),
            ("conversation list", Some("conversation ls")),
            ("conversation ls x", Some("conversation ls")),
            ("c export", Some("conversation")),
            ("help", Some("help")),
            ("conversation help", Some("help")),
            // 072-003
            ("plugin", Some("plugin")),
            ("conversation export", None),
            ("serve", None),
            ("serve help", None),
        ] {
            let found = built_ins.covering(&command.parse().unwrap());
            assert_eq!(found.as_deref(), expected, "{command}");
        }
    }

    #[test]
    fn what_was_probably_meant() {
        for (words, known, expected) in [
            ("conversaton", 0, "'conversation'"),
            ("serv", 0, "'serve'"),
            ("conversation serv", 1, "'serve'"),
            ("group serv", 1, "'serve'"),
        ] {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            let error = BuiltIns::new().unknown(&words, known, &["serve"]).unwrap();
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}
