//! Which plugin a command line means.
//!
//! Commands of jp itself were tried before. Then the longest command that a plugin claims wins, wherever
//! the plugin comes from, and the words after it belong to the plugin, untouched. Only words in front of
//! the first option can be part of a command: `jp serve -- web` is `serve` with the arguments `-- web`. One
//! that would have to be installed and may not be is meant only where no other is.

use crate::catalog::{Catalog, Plugin};

/// What a command line means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route<'a> {
    /// This plugin with these arguments.
    Plugin { plugin: &'a Plugin, args: &'a [String] },
    /// A name with commands below it and no program of its own.
    Group { command: &'a [String], args: &'a [String] },
    /// Nothing.
    Unknown {
        /// How many words are the name of a group; the next one is not known there.
        known: usize,
    },
}

/// Finds out.
pub fn route<'a>(catalog: &'a Catalog, words: &'a [String]) -> Route<'a> {
    let end = words.iter().position(|word| word.starts_with('-')).unwrap_or(words.len());
    let path = &words[..end];
    let claims = catalog.active().filter(|plugin| plugin.command.leads(path));
    let plugin = claims.max_by_key(|plugin| (!plugin.is_barred, plugin.command.words().len()));
    let claimed = plugin.map_or(0, |plugin| plugin.command.words().len());
    // A group of the registry is a claim like others; one that only follows from what is below it is not.
    let group = (claimed + 1..=end).rev().find(|length| catalog.group(&path[..*length]).is_some());
    if let Some(length) = group {
        return group_at(words, length, end);
    }
    if let Some(plugin) = plugin {
        return Route::Plugin { plugin, args: &words[claimed..] };
    }
    let leads_on = |length: &usize| {
        catalog.active().any(|plugin| plugin.command.below(&path[..*length]).is_some())
    };
    match (1..=end).rev().find(leads_on) {
        Some(length) => group_at(words, length, end),
        None => Route::Unknown { known: 0 },
    }
}

/// A group means itself if no other word follows.
fn group_at(words: &[String], length: usize, end: usize) -> Route<'_> {
    if length < end {
        return Route::Unknown { known: length };
    }
    Route::Group { command: &words[..length], args: &words[length..] }
}

/// The next words of all commands below this one, each once: for suggestions and completion.
pub fn next_words<'a>(
    catalog: &'a Catalog,
    below: &'a [String],
) -> Vec<(&'a str, Option<&'a str>)> {
    let mut found: Vec<(&str, Option<&str>)> = Vec::new();
    for plugin in catalog.active().filter(|plugin| !plugin.is_denied()) {
        let Some([first, rest @ ..]) = plugin.command.below(below) else { continue };
        let about = plugin.description().filter(|_| rest.is_empty());
        match found.iter_mut().find(|(word, _)| *word == first) {
            Some((_, known)) => *known = known.or(about),
            None => found.push((first, about)),
        }
    }
    found
}

#[cfg(test)]
mod tests;
