//! `jp plugin check` and `jp plugin new`: what authors of plugins use

use camino::Utf8PathBuf;
use clap::{ValueEnum, ValueHint};
use jp_plugin::CommandPath;

use super::{path, tool::Arguments};

/// Check that a program is a plugin as the protocol says
///
/// Starts the program as jp would, and plays the host: asks for its description, where it can read
/// nothing but itself and the programs of the system; runs it on conversations made for the check; sends
/// fields of a later version, lines in pieces, answers that are late, refused or in another order; tells
/// it to end, and goes away. Each line says what conforms and what does not.
///
/// The program runs in the sandbox without a network, in a workspace made for the check, and what it
/// writes there is thrown away. A plugin that waits for something is told to end after a second of
/// silence. A relative path in the command is seen from the current directory.
///
/// It ends with 0 when nothing failed, with 1 when something did, with 2 when there is no such program,
/// and with 4 when the machine cannot keep apart what the program writes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  jp plugin check -- ./jp-hello
  jp plugin check --arg --port --arg 3141 -- ./jp-serve
  jp plugin check --record said.txt -- ./jp-hello
  jp plugin check --replay said.txt -- ./jp-hello")]
pub(crate) struct PluginCheck {
    /// The program and its arguments
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true, value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<String>,

    /// A word of `args`, what follows the command of the plugin; can be repeated
    #[arg(long = "arg", value_name = "WORD", allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,

    /// `options` of the plugin, one object of JSON
    #[arg(long, value_name = "JSON", value_parser = super::tool::object)]
    pub(crate) options: Option<Arguments>,

    /// How long one run may take, in seconds
    #[arg(long, value_name = "SECS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: u64,

    /// Write every line of every check to this file, over what was in it: `>` what the host says, `<` what the plugin says
    #[arg(long, value_name = "FILE", value_parser = path, value_hint = ValueHint::FilePath)]
    pub(crate) record: Option<Utf8PathBuf>,

    /// Play such a file instead: the plugin has to say what it said
    #[arg(long, value_name = "FILE", value_parser = path, value_hint = ValueHint::FilePath, conflicts_with = "record")]
    pub(crate) replay: Option<Utf8PathBuf>,
}

/// Make a small plugin to start from
///
/// Writes a program that describes itself, lists conversations, ends when it is told to and passes
/// `jp plugin check`. Nothing that exists is overwritten.
#[derive(Debug, clap::Args)]
pub(crate) struct PluginNew {
    /// The command: one word, or several as in 'conversation export'
    #[arg(value_name = "NAME")]
    pub(crate) name: CommandPath,

    /// What it is written in
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub(crate) lang: PluginLanguage,

    /// Where to put it; the current directory by default
    #[arg(long, value_name = "DIR", value_parser = path, value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<Utf8PathBuf>,

    /// For Rust: build on the crate `jp_plugin_sdk` in this directory
    #[arg(long, value_name = "DIR", value_parser = path, value_hint = ValueHint::DirPath)]
    pub(crate) jp_plugin_sdk: Option<Utf8PathBuf>,
}

/// A language that a plugin can be started in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PluginLanguage {
    /// A Cargo project on `serde_json`, or on `jp_plugin_sdk` with --jp-plugin-sdk
    Rust,
    /// A script for Python 3, without dependencies
    Python,
    /// A script for a POSIX shell with jq
    Shell,
}
