//! `jp plugin`

use clap::Subcommand;

/// Look at plugins and manage them
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(crate) enum Plugin {
    #[command(visible_alias = "ls")]
    List(PluginList),
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
