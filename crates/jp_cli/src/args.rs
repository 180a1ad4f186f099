//! The command line: one struct for each command, and nothing that does anything.

mod mcp;
mod parse;
mod plugin;
mod plugin_check;
mod sandbox;
mod tool;

use std::{ffi::OsString, num::NonZeroUsize};

use camino::Utf8PathBuf;
use clap::{ArgAction, Parser, Subcommand, ValueEnum, builder::NonEmptyStringValueParser};

pub(crate) use self::{
    mcp::{Mcp, McpAdd, McpAllow, McpCall, McpInspect, McpLogin, McpLogout, McpPin},
    parse::{global, parse},
    plugin::{
        Plugin, PluginInfo, PluginInstall, PluginList, PluginPin, PluginRegistry,
        PluginRegistryCheck, PluginRemove, PluginRunPolicy, PluginSearch, PluginUpdate, RunPolicy,
    },
    plugin_check::{PluginCheck, PluginLanguage, PluginNew},
    sandbox::{Access, Changes, Sandbox, SandboxRun},
    tool::{
        CallArgs, Language, Question, Tool, ToolAllow, ToolCheck, ToolExplain, ToolList, ToolNew,
        ToolRun, ToolRuntime, ToolSession, ToolShow, ToolTrace,
    },
};
use crate::exit;

/// Run tools and plugins for a language model, with exactly the access you grant them.
#[derive(Debug, Parser)]
#[command(
    name = "jp",
    // Also where the file has another name: hints, plugins and their help speak of `jp`.
    bin_name = "jp",
    version,
    after_long_help = exit::HELP,
    arg_required_else_help = true,
    max_term_width = 100,
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", value_parser = path, global = true)]
    pub(crate) directory: Option<Utf8PathBuf>,

    /// Say what is done: -v problems, -vv steps, -vvv details, -vvvv everything
    #[arg(short, long, action = ArgAction::Count, global = true)]
    pub(crate) verbose: u8,

    /// Print results and errors only
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,

    /// Print text for a person or JSON for a program
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", global = true)]
    pub(crate) format: Format,

    /// Use a configuration file or set one value, above all other settings
    #[arg(long, value_name = "FILE|KEY=VALUE", value_parser = NonEmptyStringValueParser::new(), global = true)]
    pub(crate) cfg: Vec<String>,

    /// Never ask; where an answer is needed, fail with exit code 3
    #[arg(long, global = true)]
    pub(crate) no_interaction: bool,

    /// Write a full log to FILE, whatever -v says
    #[arg(long, value_name = "FILE", value_parser = path, global = true)]
    pub(crate) log_file: Option<Utf8PathBuf>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// What suits the command and the terminal
    #[default]
    Auto,
    /// Text for a person
    Text,
    /// JSON; what is listed or printed piece by piece is one object a line
    Json,
    /// TOML; only `jp config show` writes it
    Toml,
}

/// What the first word can be, but for the commands of plugins. Aliases and `help` are among them.
pub(crate) const FIRST_WORDS: [&str; 12] = [
    "init",
    "config",
    "conversation",
    "c",
    "tool",
    "mcp",
    "plugin",
    "sandbox",
    "completions",
    "man",
    "version",
    "help",
];

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(Init),
    #[command(subcommand)]
    Config(Config),
    #[command(subcommand, visible_alias = "c")]
    Conversation(Conversation),
    #[command(subcommand)]
    Tool(Tool),
    #[command(subcommand)]
    Mcp(Mcp),
    #[command(subcommand)]
    Plugin(Plugin),
    #[command(subcommand)]
    Sandbox(Sandbox),
    Completions(Completions),
    Man(Man),
    /// Print the version
    Version,
    /// The command of a plugin: its words, none of them looked at
    #[command(external_subcommand)]
    External(Vec<OsString>),
}

impl Command {
    /// Whether the command says something about the program alone. Such a command works whatever
    /// state the configuration is in: a shell that loads completions must not stumble over a typing
    /// error in a `.jp.toml`.
    pub(crate) fn needs_no_config(&self) -> bool {
        matches!(
            self,
            Self::Completions(_) | Self::Man(_) | Self::Version | Self::Config(Config::Schema)
        )
    }

    /// Whether the command is about files that have nothing to do with a workspace. Such a command reads the user's own
    /// settings only, so a mistake in those of a workspace is not in its way.
    pub(crate) fn needs_no_workspace(&self) -> bool {
        matches!(self, Self::Plugin(Plugin::New(_) | Plugin::Registry(_)))
    }

    /// Whether the command is there to run a program that may do what the user can.
    pub(crate) fn starts_a_program(&self) -> bool {
        matches!(self, Self::External(_))
    }

    /// What the log says of it. The words of a plugin are its own, and a secret may be among them.
    pub(crate) fn logged(&self) -> String {
        match self {
            Self::External(words) => format!("External({:?}, …)", words.first()),
            other => format!("{other:?}"),
        }
    }
}

/// Make a workspace
///
/// Creates `.jp` with a configuration file, the schema editors complete it from, and the id of the
/// workspace. What is there already stays as it is, so it can be run again at any time.
#[derive(Debug, clap::Args)]
pub(crate) struct Init {
    /// The directory to make a workspace; the current one by default
    #[arg(value_name = "DIR", value_parser = path)]
    pub(crate) root: Option<Utf8PathBuf>,
}

/// Look at the configuration
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(crate) enum Config {
    Show(ConfigShow),
    /// Print the JSON Schema of the configuration
    Schema,
}

/// Print the configuration that is in force
///
/// As TOML, or as JSON with --format json. Later layers win over earlier ones: the defaults, the
/// user's file, the workspace's, a `.jp.toml` in each directory down to the current one, --cfg.
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigShow {
    /// Only this key, for example `style.markdown`
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<String>,

    /// Say for each value which layer and line it comes from
    #[arg(long)]
    pub(crate) origin: bool,
}

/// Look at conversations and manage them
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(crate) enum Conversation {
    #[command(visible_alias = "list")]
    Ls(ConversationLs),
    Show(ConversationShow),
    New(ConversationNew),
    Rm(ConversationRm),
    Rename(ConversationRename),
    Path(ConversationPath),
}

/// List the conversations, the latest first
#[derive(Debug, clap::Args)]
pub(crate) struct ConversationLs {
    /// Only the latest N
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<NonZeroUsize>,

    /// Print one JSON object a line; the same as --format json
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print a conversation
#[derive(Debug, clap::Args)]
pub(crate) struct ConversationShow {
    /// The id of the conversation, the beginning of it, or `last`
    #[arg(value_name = "ID", default_value = "last")]
    pub(crate) id: String,

    /// Only the last N events
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) last: Option<NonZeroUsize>,
}

/// Make an empty conversation and print its id
#[derive(Debug, clap::Args)]
pub(crate) struct ConversationNew {
    /// What it is about
    #[arg(short, long)]
    pub(crate) title: Option<String>,
}

/// Remove conversations, after asking
#[derive(Debug, clap::Args)]
pub(crate) struct ConversationRm {
    /// The ids of the conversations, the beginnings of them, or `last`
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,

    /// Do not ask
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// Give a conversation another title
#[derive(Debug, clap::Args)]
pub(crate) struct ConversationRename {
    /// The id of the conversation, the beginning of it, or `last`
    #[arg(value_name = "ID")]
    pub(crate) id: String,

    /// The new title; empty for none
    pub(crate) title: String,
}

/// Print where a conversation is stored
#[derive(Debug, clap::Args)]
pub(crate) struct ConversationPath {
    /// The id of the conversation, the beginning of it, or `last`
    #[arg(value_name = "ID", default_value = "last")]
    pub(crate) id: String,
}

/// Print a script that completes commands in a shell
///
/// For example, in ~/.bashrc: `source <(jp completions bash)`.
#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual page
///
/// Read it with `jp man | man -l -`.
#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// Write the pages of all commands to DIR instead
    #[arg(long, value_name = "DIR", value_parser = path)]
    pub(crate) dir: Option<Utf8PathBuf>,
}

/// An empty path would silently mean the current directory.
fn path(text: &str) -> Result<Utf8PathBuf, &'static str> {
    if text.is_empty() { Err("a path cannot be empty") } else { Ok(text.into()) }
}
