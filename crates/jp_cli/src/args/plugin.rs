//! `jp plugin`

use camino::Utf8PathBuf;
use clap::{Subcommand, ValueEnum, ValueHint, builder::NonEmptyStringValueParser};

use super::{
    path,
    plugin_check::{PluginCheck, PluginNew},
};

/// Look at plugins and manage them
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(crate) enum Plugin {
    #[command(visible_alias = "ls")]
    List(PluginList),
    Search(PluginSearch),
    Info(PluginInfo),
    Install(PluginInstall),
    Update(PluginUpdate),
    #[command(visible_alias = "rm")]
    Remove(PluginRemove),
    Pin(PluginPin),
    RunPolicy(PluginRunPolicy),
    #[command(subcommand)]
    Registry(PluginRegistry),
    New(PluginNew),
    Check(PluginCheck),
}

/// List the plugins on this machine
///
/// Those that cannot be reached are listed too, with the reason: another plugin or a command of jp has
/// their name.
#[derive(Debug, clap::Args)]
pub(crate) struct PluginList {
    /// Ask every plugin again what it is
    #[arg(long)]
    pub(crate) refresh: bool,
}

/// Look for plugins in the registry
///
/// The registry is the one that was last fetched; `jp plugin update` fetches it again.
#[derive(Debug, clap::Args)]
pub(crate) struct PluginSearch {
    /// Words that all occur in the command, the id or the description; none for everything
    #[arg(value_name = "WORD")]
    pub(crate) words: Vec<String>,
}

/// Say everything that is known of a plugin
#[derive(Debug, clap::Args)]
pub(crate) struct PluginInfo {
    /// Its command or its id
    #[arg(value_name = "NAME", required = true)]
    pub(crate) name: Vec<String>,
}

/// Install plugins, with what they require
///
/// A plugin of the registry is named by its command or its id. An official one is installed at once, another
/// one after you agreed to it; the same goes for each that it requires. Everything is fetched and compared
/// with its checksum before anything is put in place.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  jp plugin install serve-web
  jp plugin install ./target/release/jp-stats
  jp plugin install https://example.org/jp-stats --sha256 9f86d081884c7d65…")]
pub(crate) struct PluginInstall {
    /// The command or id of a plugin, a file called jp-ID, or an https URL that ends with jp-ID
    #[arg(value_name = "NAME|FILE|URL", required = true, value_parser = NonEmptyStringValueParser::new(), value_hint = ValueHint::FilePath)]
    pub(crate) what: Vec<String>,

    /// The checksum that a file or a URL must have; then nothing is asked
    #[arg(long, value_name = "HEX")]
    pub(crate) sha256: Option<String>,

    /// The id of what comes from a file or a URL, if its name does not say it
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,

    /// Do not ask about those that are named here
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// Fetch the registry, then update what was installed from it
///
/// A plugin with a pinned checksum stays as it is.
#[derive(Debug, clap::Args)]
pub(crate) struct PluginUpdate {
    /// Only these, by their commands or ids
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    /// Do not ask about plugins of others
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// Remove installed plugins
#[derive(Debug, clap::Args)]
pub(crate) struct PluginRemove {
    /// Their commands or ids
    #[arg(value_name = "NAME", required = true)]
    pub(crate) names: Vec<String>,

    /// Even if other plugins require them
    #[arg(long)]
    pub(crate) force: bool,
}

/// Let a plugin run only as the file that it is now
///
/// Writes `plugins.command.ID.checksum` to your own configuration. From then on nothing else runs under its
/// name, and it is not updated. `--remove` takes that away again.
#[derive(Debug, clap::Args)]
pub(crate) struct PluginPin {
    /// Its command or its id
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    /// This checksum instead of that of the file
    #[arg(long, value_name = "HEX", conflicts_with = "remove")]
    pub(crate) sha256: Option<String>,

    /// Let it run as any file again
    #[arg(long)]
    pub(crate) remove: bool,
}

/// Say what happens before a plugin runs
///
/// Writes `plugins.command.ID.run` to your own configuration.
#[derive(Debug, clap::Args)]
pub(crate) struct PluginRunPolicy {
    /// Its command or its id
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    /// What happens
    #[arg(value_enum)]
    pub(crate) policy: RunPolicy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunPolicy {
    /// You are asked; that it may always run is taken back
    Ask,
    /// Nothing: it runs
    Unattended,
    /// It does not run, and is not installed
    Deny,
}

/// For those who write a registry
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(crate) enum PluginRegistry {
    Check(PluginRegistryCheck),
}

/// Say what is wrong with a registry file
///
/// It ends with 1 when something is.
#[derive(Debug, clap::Args)]
pub(crate) struct PluginRegistryCheck {
    /// The file
    #[arg(value_name = "FILE", value_parser = path, value_hint = ValueHint::FilePath)]
    pub(crate) file: Utf8PathBuf,
    /// It stays on this machine, so its binaries may be files
    #[arg(long)]
    pub(crate) local: bool,
}
