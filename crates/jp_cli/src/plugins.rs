//! Commands of plugins: which one is meant, and what is run for it.

pub(crate) mod install;
mod run;

use std::ffi::OsString;

use camino::Utf8PathBuf;
use clap::{
    CommandFactory as _,
    error::{ContextKind, ContextValue, ErrorKind},
};
use jp_plugin::{CommandPath, Describe, PREFIX, registry::Kind};
use jp_plugin_registry::{Home, cached};
use jp_process::find_program;

use crate::{
    args::Args,
    ctx::{self, Ctx},
    error::{Error, Result},
    exit::Exit,
};

/// What is to be run, after routing and trust.
#[derive(Debug)]
pub(crate) struct Chosen {
    /// What the settings call it: `plugins.command.<id>`. Its file is `jp-<id>`.
    pub(crate) id: String,
    /// The file, canonical.
    pub(crate) path: Utf8PathBuf,
    /// The checksum that the run rests on: what has another one is not executed. `None` where nobody asked
    /// for one; the file is then executed as it is.
    pub(crate) sha256: Option<[u8; 32]>,
    /// The words that led to it.
    pub(crate) command: CommandPath,
    /// The words after them.
    pub(crate) args: Vec<String>,
    /// What it said of itself, if it was asked.
    pub(crate) describe: Option<Describe>,
}

/// Runs the plugin that these words mean.
pub(crate) fn dispatch(ctx: &Ctx, words: Vec<OsString>) -> Result {
    run::run(ctx, choose(ctx, words)?)
}

fn choose(ctx: &Ctx, words: Vec<OsString>) -> Result<Chosen> {
    let text = |word: OsString| {
        let not_text = |word: OsString| {
            Error::usage(format!("the word {} is not UTF-8 text", word.to_string_lossy()))
        };
        word.into_string().map_err(not_text)
    };
    let mut args = words.into_iter().map(text).collect::<Result<Vec<_>>>()?;
    if args.is_empty() {
        return Err(Error::usage("no command"));
    }
    let name = args.remove(0);
    let Ok(command) = CommandPath::new(vec![name.clone()]) else { return Err(unknown(&name)) };
    if let Some((id, path)) = of_registry(ctx, &command)? {
        return Ok(Chosen { id, path, sha256: None, command, args, describe: None });
    }
    let file = command.file_name();
    let found = find_program(file.as_ref(), ctx::variable("PATH").as_ref(), "/".as_ref());
    let Ok(found) = found else { return Err(unknown(&name)) };
    let path = Utf8PathBuf::try_from(found)
        .map_err(|error| Error::usage(format!("the path of the plugin is not UTF-8: {error}")))?;
    let path =
        path.canonicalize_utf8().map_err(|error| Error::usage(format!("{path}: {error}")))?;
    let id = file.strip_prefix(PREFIX).unwrap_or(&file).to_owned();
    Ok(Chosen { id, path, sha256: None, command, args, describe: None })
}

/// A plugin of the registry, which is installed now if it was not; its id and its file.
fn of_registry(ctx: &Ctx, command: &CommandPath) -> Result<Option<(String, Utf8PathBuf)>> {
    let Some(data) = ctx::data_home() else { return Ok(None) };
    let home = Home::new(data.join("jp"));
    let registry = cached(&home)?.unwrap_or_default();
    let entry = registry.entries.get(command).filter(|entry| entry.kind == Kind::Command);
    let Some(entry) = entry else { return Ok(None) };
    install::on_demand(ctx, command, entry)?;
    Ok(Some((entry.id.to_string(), home.binary(&entry.id))))
}

/// There is no such command; said as for every other word that is none.
fn unknown(name: &str) -> Error {
    let mut command = Args::command();
    let usage = command.render_usage();
    let names = command.get_subcommands().map(clap::Command::get_name);
    let near = jp_config::nearest(name, names).map(str::to_owned);
    let mut error = clap::Error::new(ErrorKind::InvalidSubcommand).with_cmd(&command);
    error.insert(ContextKind::InvalidSubcommand, ContextValue::String(name.to_owned()));
    if let Some(near) = near {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![near]));
    }
    error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
    // If nobody can be told, the exit code still tells.
    let _ = error.print();
    Error::said(Exit::Usage)
}
