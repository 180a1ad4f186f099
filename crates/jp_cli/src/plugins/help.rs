//! Plugins in the help that clap makes of our commands.
//!
//! Help is printed also where the configuration is broken. Then nobody knows who is denied, so nobody is
//! started: what is remembered is listed, and the rest is listed as it is called.

use std::{
    ffi::OsString,
    io::{self, Write as _},
    sync::Arc,
};

use clap::error::ErrorKind;
use jp_config::Config;
use jp_plugin_host::help::{all, below, section};
use jp_printer::{Styles, sanitize};

use super::{Shelf, Wish, built_ins::BuiltIns};
use crate::{args, ctx, exit::Exit};

/// Says what clap has to say instead of a command: help, a version, a mistake.
pub(crate) fn instead(error: &clap::Error, words: &[OsString]) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let plain = error.render().to_string();
            let level = level(&plain);
            match list(&level, words) {
                Some(list) => write(error, |text| inserted(&text, &list)),
                None => print(error),
            }
        }
        _ => print(error),
    }
    if error.use_stderr() { Exit::Usage } else { Exit::Success }
}

/// Prints what clap has to say, as it is.
pub(super) fn print(error: &clap::Error) {
    write(error, |text| text);
}

/// The list of plugins for the help of these words, if it has one.
fn list(level: &[String], words: &[OsString]) -> Option<String> {
    if !BuiltIns::new().is_group(level) {
        return None;
    }
    let configs = args::global(words).and_then(|global| ctx::configs(&global));
    let (here, own, wish) = if let Some((here, own)) = configs {
        (here, own, Wish::Unknown)
    } else {
        let defaults = Arc::new(Config::load(Vec::new()).ok()?);
        (Arc::clone(&defaults), defaults, Wish::Nobody)
    };
    let catalog = Shelf::with(here, own, wish).ok()?.catalog;
    let rows = if level.is_empty() { all(&catalog) } else { below(&catalog, level) };
    let list = section("Plugins:", &rows, 2);
    (!list.is_empty()).then(|| sanitize(&list, Styles::Strip).into_owned())
}

/// The words that lead to the command whose help this is: those after `jp` in the line about its usage.
fn level(help: &str) -> Vec<String> {
    let usage = help.lines().find_map(|line| line.strip_prefix("Usage: jp")).unwrap_or_default();
    let words = usage.split_whitespace();
    words.take_while(|word| !word.starts_with(['[', '<', '-'])).map(str::to_owned).collect()
}

/// Puts the list after that of the commands.
fn inserted(text: &str, list: &str) -> String {
    let mut lines = text.split_inclusive('\n');
    let mut before = 0;
    for line in lines.by_ref() {
        before += line.len();
        if line.contains("Commands:") {
            break;
        }
    }
    for line in lines {
        before += line.len();
        if line.trim().is_empty() {
            break;
        }
    }
    let (head, tail) = text.split_at(before);
    let gap = if head.ends_with("\n\n") { "" } else { "\n" };
    format!("{head}{gap}{list}\n{tail}")
}

fn write(error: &clap::Error, change: impl FnOnce(String) -> String) {
    let is_error = error.use_stderr();
    let stream: &dyn ctx::Stream = if is_error { &io::stderr() } else { &io::stdout() };
    let colored = ctx::stream_settings(stream, None).color.is_some();
    let text = error.render();
    let text = change(if colored { text.ansi().to_string() } else { text.to_string() });
    // If nobody reads it, the exit code still tells.
    let _ = if is_error {
        io::stderr().write_all(text.as_bytes())
    } else {
        io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush())
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_comes_after_the_commands() {
        let help = "About\n\nUsage: jp [OPTIONS] <COMMAND>\n\nCommands:\n  a  A\n  b  B\n\nOptions:\n  -h\n";
        insta::assert_snapshot!(inserted(help, "Plugins:\n  c  C\n"), @"
        About

        Usage: jp [OPTIONS] <COMMAND>

        Commands:
          a  A
          b  B

        Plugins:
          c  C

        Options:
          -h
        ");
    }

    #[test]
    fn the_level_is_read_from_the_usage() {
        for (usage, expected) in [
            ("Usage: jp [OPTIONS] <COMMAND>", ""),
            ("Usage: jp conversation [OPTIONS] <COMMAND>", "conversation"),
            ("Usage: jp conversation show [ID]", "conversation show"),
            ("something else", ""),
        ] {
            assert_eq!(level(usage).join(" "), expected);
        }
    }
}
