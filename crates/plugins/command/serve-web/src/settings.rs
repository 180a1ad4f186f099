//! What the user wants: where to listen, who may look.
//!
//! A flag wins over `options` of the plugin, which win over `[server.web]` of the configuration. Without a
//! word about it there is a token: this machine may have other users, and conversations hold source code and
//! secrets.

#[cfg(test)]
mod tests;

use clap::Parser;
use jp_plugin_sdk::{
    Init,
    args::{Stop, help, parse},
};
use plugin_server::{Flags, Listen, ListenError, Policy, Word};

/// The words that this plugin answers to.
pub(crate) const COMMAND: &str = "serve web";
/// Where a configuration of another version leaves us without an answer.
const PORT: u16 = 3141;

const AFTER_HELP: &str = "\
Read-only, and live: a conversation that goes on elsewhere goes on in the browser. Ends with Ctrl-C.

The address that is printed has a token in it, made for this run. Open it, and your browser is let in; \
nobody else on this machine is. The address and the port come from `[server.web]`, unless flags say \
otherwise.";

/// Show the conversations of this workspace in a browser
#[derive(Debug, Parser)]
#[command(after_help = AFTER_HELP)]
struct Args {
    #[command(flatten)]
    flags: Flags,
    /// Ask for this token; without a value a new one is made, as it is without the flag
    #[arg(
        long,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with = "token_file"
    )]
    token: Option<String>,
    /// Let everybody on this machine look
    #[arg(long, conflicts_with_all = ["token", "token_file"])]
    no_token: bool,
}

/// Why there is nothing to start with.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    #[error(transparent)]
    Args(#[from] Stop),
    #[error(transparent)]
    Listen(#[from] ListenError),
}

/// Reads what the host sent along.
pub(crate) fn read(init: &Init) -> Result<Listen, SettingsError> {
    let args: Args = parse(COMMAND, init.args.iter().cloned())?;
    let word = match args.token {
        _ if args.no_token => Word::Without,
        None => Word::Nothing,
        Some(text) if text.is_empty() => Word::New,
        Some(text) => Word::Text(text),
    };
    let policy = Policy {
        plugin: "serve-web",
        port: PORT,
        token_flag: "`--token` to have one made",
        section: init.config.get("server").and_then(|server| server.get("web")),
    };
    Ok(Listen::decide(init, &policy, args.flags, word)?)
}

/// What `jp serve web -h` prints.
pub(crate) fn help_text() -> String {
    help::<Args>(COMMAND)
}
