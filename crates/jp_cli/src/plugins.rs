//! Commands of plugins: which one is meant, and what is run for it.

mod run;

use std::ffi::OsString;

use camino::Utf8PathBuf;
use clap::CommandFactory as _;
use jp_plugin::{CommandPath, Describe, PREFIX};
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
    run::run(ctx, choose(words)?)
}

fn choose(words: Vec<OsString>) -> Result<Chosen> {
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
    let Ok(command) = CommandPath::new(vec![name.clone()]) else { return Err(unknown()) };
    let file = command.file_name();
    let found = find_program(file.as_ref(), ctx::variable("PATH").as_ref(), "/".as_ref());
    let Ok(found) = found else { return Err(unknown()) };
    let path = Utf8PathBuf::try_from(found)
        .map_err(|error| Error::usage(format!("the path of the plugin is not UTF-8: {error}")))?;
    let path =
        path.canonicalize_utf8().map_err(|error| Error::usage(format!("{path}: {error}")))?;
    let id = file.strip_prefix(PREFIX).unwrap_or(&file).to_owned();
    Ok(Chosen { id, path, sha256: None, command, args, describe: None })
}

/// There is no such command; said as for every other word that is none.
fn unknown() -> Error {
    let command = Args::command().allow_external_subcommands(false);
    if let Err(error) = command.try_get_matches_from(ctx::words()) {
        let _ = error.print();
    }
    Error::said(Exit::Usage)
}
