//! From the words of a command that is not ours to a plugin that runs, to its help, or to an error.
//!
//! The order is part of the promise: what is denied is refused before anything is fetched, read or asked;
//! then the file has to be the one that is pinned; then somebody has to have agreed to it. What runs is
//! the very bytes that all this was decided about: their checksum goes along to where they are executed.
//! Only where the user lets a plugin run whatever it is does the name of the file count.

use std::ffi::OsString;

use jp_plugin_host::{
    catalog::{Plugin, Source},
    help as texts, look,
    route::{Route, next_words, route},
    trust::{Mismatch, Verdict},
};
use jp_printer::Print;

use super::{Chosen, Shelf, Wish, ask, built_ins::BuiltIns, checksum, help, install, run};
use crate::{
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
};

/// What asks a plugin for its help instead of running it.
const HELP: [&str; 2] = ["-h", "--help"];

/// Does what the words mean.
pub(crate) fn run(ctx: &Ctx, words: Vec<OsString>) -> Result {
    let text = |word: OsString| {
        let not_text = |word: OsString| {
            Error::usage(format!("the word {} is not UTF-8 text", word.to_string_lossy()))
        };
        word.into_string().map_err(not_text)
    };
    let words = words.into_iter().map(text).collect::<Result<Vec<_>>>()?;
    let mut shelf = Shelf::open(ctx, Wish::Unknown)?;
    if let Some((plugin, false)) = meant(&shelf, &words)
        && plugin.source == Source::Registry
    {
        fetch(ctx, &shelf, plugin)?;
        shelf = Shelf::open(ctx, Wish::Unknown)?;
    }
    match route(&shelf.catalog, &words) {
        Route::Plugin { plugin, args } if is_help(args) => {
            if plugin.is_denied() {
                return Err(denied(&shelf, ctx, plugin));
            }
            let text = texts::plugin(&shelf.catalog, plugin);
            if texts::is_missing(plugin) {
                ctx.printer().print(Print::error(&text).untrusted())?;
                return Err(Error::said(Exit::Failure));
            }
            Ok(ctx.printer().print(Print::content(&text).untrusted())?)
        }
        Route::Plugin { plugin, args } => run::run(ctx, &choose(ctx, &shelf, plugin, args)?),
        Route::Group { command, args } => group(ctx, &shelf, command, args),
        Route::Unknown { known } => Err(unknown(&shelf, &words, known)),
    }
}

/// The plugin that the words mean, and whether only its help is wanted.
fn meant<'a>(shelf: &'a Shelf, words: &'a [String]) -> Option<(&'a Plugin, bool)> {
    match route(&shelf.catalog, words) {
        Route::Plugin { plugin, args } => Some((plugin, is_help(args))),
        Route::Group { .. } | Route::Unknown { .. } => None,
    }
}

fn is_help(args: &[String]) -> bool {
    args.first().is_some_and(|word| HELP.contains(&word.as_str()))
}

/// Installs a plugin that only the registry has, unless it may not run anyway.
fn fetch(ctx: &Ctx, shelf: &Shelf, plugin: &Plugin) -> Result {
    if shelf.policy.rules(&plugin.id).deny() {
        return Err(denied(shelf, ctx, plugin));
    }
    match &plugin.entry {
        Some(entry) => {
            // Somebody is asked, and something is fetched.
            ctx.end_waiting();
            install::on_demand(ctx, &plugin.command, entry)
        }
        None => Ok(()),
    }
}

/// Decides whether a plugin may run, and asks if that is not known.
fn choose(ctx: &Ctx, shelf: &Shelf, plugin: &Plugin, args: &[String]) -> Result<Chosen> {
    if shelf.policy.rules(&plugin.id).deny() {
        return Err(denied(shelf, ctx, plugin));
    }
    // Nobody should be asked about a run that cannot be.
    ctx.root()?;
    let sum = checksum(plugin)?;
    let not_here = || Error::failure(format!("the plugin `{}` is not installed", plugin.id));
    let binary = &plugin.binary.as_ref().ok_or_else(not_here)?.binary;
    match shelf.policy.verdict(plugin, binary, &sum) {
        Verdict::Run => {}
        Verdict::Ask => ask::ask(ctx, shelf, plugin, binary, &sum)?,
        Verdict::Denied => return Err(denied(shelf, ctx, plugin)),
        Verdict::Mismatch(mismatch) => return Err(mismatched(ctx, shelf, plugin, &mismatch)),
    }
    let sha256 = look::checksum(&sum).ok_or_else(not_here)?;
    Ok(Chosen {
        id: plugin.id.clone(),
        path: binary.canonical.clone(),
        sha256: Some(sha256).filter(|_| shelf.policy.rules(&plugin.id).rests_on_bytes()),
        command: plugin.command.clone(),
        args: args.to_vec(),
        describe: plugin.said().cloned(),
    })
}

/// The help of a group; one that is called without a command is a mistake, as with groups of jp.
fn group(ctx: &Ctx, shelf: &Shelf, command: &[String], args: &[String]) -> Result {
    let text = texts::group(&shelf.catalog, command);
    match args.first() {
        None => {
            ctx.printer().print(Print::error(&text).untrusted())?;
            Err(Error::said(Exit::Usage))
        }
        Some(_) if is_help(args) => Ok(ctx.printer().print(Print::content(&text).untrusted())?),
        Some(word) => {
            let name = command.join(" ");
            Err(Error::usage(format!("`jp {name}` needs a command before `{word}`"))
                .hint(format!("`jp {name} -h` lists its commands")))
        }
    }
}

fn denied(shelf: &Shelf, ctx: &Ctx, plugin: &Plugin) -> Error {
    let key = ctx.config().plugin_key(&plugin.id, &["run"]);
    let is_here = shelf.policy.rules(&plugin.id).here.is_some_and(|it| it.run.is_some());
    let place = ctx.config().place(&key).filter(|_| is_here);
    let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
    let message = format!("the plugin `{}` may not run: `{key}` is \"deny\"{place}", plugin.id);
    Error::new(Exit::Refused, message)
}

fn mismatched(ctx: &Ctx, shelf: &Shelf, plugin: &Plugin, mismatch: &Mismatch) -> Error {
    let key = ctx.config().plugin_key(&plugin.id, &["checksum", "value"]);
    let own = shelf.policy.rules(&plugin.id).own.and_then(|it| it.checksum.as_ref());
    // The command writes into the user's own settings, and does not lift a pin of the workspace.
    let is_own =
        own.is_some_and(|pin| pin.value.to_string().eq_ignore_ascii_case(&mismatch.expected));
    let advice = if is_own {
        format!("`jp plugin pin {}` changes `{key}` to it", plugin.id)
    } else {
        format!("change `{key}`")
    };
    let hint = format!("if you trust the file that is there now, {advice}");
    Error::new(Exit::Refused, mismatch).hint(hint)
}

/// Words that mean nothing; what was probably meant is suggested.
fn unknown(shelf: &Shelf, words: &[String], known: usize) -> Error {
    let built_ins = BuiltIns::new();
    let mut length = known;
    // A group of jp may know some of the words too.
    while length < words.len() && built_ins.is_group(&words[..=length]) {
        length += 1;
    }
    let known = length.min(words.len().saturating_sub(1));
    let next: Vec<&str> =
        next_words(&shelf.catalog, &words[..known]).into_iter().map(|(word, _)| word).collect();
    match built_ins.unknown(words, known, &next) {
        Some(error) => help::print(&error),
        None => return Error::usage(format!("there is no command `jp {}`", words.join(" "))),
    }
    Error::said(Exit::Usage)
}
