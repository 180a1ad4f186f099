//! `jp plugin`

use clap::Subcommand;

use super::plugin_check::{PluginCheck, PluginNew};

/// Look at plugins and manage them
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(crate) enum Plugin {
    New(PluginNew),
    Check(PluginCheck),
}
