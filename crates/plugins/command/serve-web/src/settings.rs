//! What the user wants: where to listen, who may look.
//!
//! A flag wins over `options` of the plugin, which win over `[server.web]` of the configuration. The
//! danger is that conversations hold source code and secrets, and that settings can come with somebody's
//! workspace. So whatever lets others in is said on the command line or not at all: an address that
//! other machines can reach, the token that it needs, and further names of this machine.

#[cfg(test)]
mod tests;
mod token_file;

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use clap::Parser;
use jp_plugin_sdk::{
    Init,
    args::{Stop, help, parse},
};
use serde::Deserialize;
use serde_json::Value;

use self::token_file::TokenFileError;
use crate::token::Token;

/// The words that this plugin answers to.
pub(crate) const COMMAND: &str = "serve web";
/// Where a configuration of another version leaves us without an answer.
const DEFAULT_PORT: u16 = 3141;
/// A token that is shorter can be guessed.
const SHORTEST_TOKEN: usize = 16;

const AFTER_HELP: &str = "\
Read-only, and live: a conversation that goes on elsewhere goes on in the browser. Ends with Ctrl-C.

Without flags, the address and the port come from `[server.web]`.";

/// Where to listen and who may look.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) address: SocketAddr,
    /// What a browser has to know; nothing means that everybody on this machine may look.
    pub(crate) token: Option<Token>,
    /// Whether the user does not know the token yet, because it was made here.
    pub(crate) token_is_new: bool,
    /// Names of this machine, besides its addresses, that a browser may use.
    pub(crate) hosts: Vec<String>,
}

/// Show the conversations of this workspace in a browser
#[derive(Debug, Parser)]
#[command(after_help = AFTER_HELP)]
struct Args {
    /// The address to listen on; one that other machines can reach needs a token
    #[arg(long, value_name = "ADDRESS")]
    bind: Option<String>,
    /// The port to listen on; 0 lets the system choose
    #[arg(long, short)]
    port: Option<u16>,
    /// Ask browsers for a token; without a value one is made and printed
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "")]
    token: Option<String>,
    /// Ask browsers for the token in this file
    #[arg(long, value_name = "FILE", conflicts_with = "token")]
    token_file: Option<PathBuf>,
    /// A name of this machine that a browser may use, besides its addresses and `localhost`
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
}

/// `[plugins.command.serve-web.options]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    bind: Option<String>,
    port: Option<u16>,
    token: Option<String>,
    token_file: Option<PathBuf>,
}

/// Why there is nothing to start with.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    #[error(transparent)]
    Args(#[from] Stop),
    #[error("`plugins.command.serve-web.options` cannot be used")]
    Options(#[source] serde_json::Error),
    #[error(
        "`{0}` is no address: use an IP address of this machine, such as 127.0.0.1, or `localhost`"
    )]
    Address(String),
    #[error("`{0}` is no name of a host: letters, digits, `-` and `.`, without a port")]
    Host(String),
    #[error(
        "{0} can be reached from other machines, and no token is given: add `--token` to have one \
         made, or listen on 127.0.0.1"
    )]
    Open(IpAddr),
    #[error(
        "{0} is in the settings, and can be reached from other machines: that has to be said on the \
         command line, with `--bind {0} --token`"
    )]
    OpenBySettings(IpAddr),
    #[error(
        "a token needs at least {SHORTEST_TOKEN} letters or digits, and nothing else but `-`, `_`, `.` and `~`"
    )]
    Token,
    #[error(transparent)]
    TokenFile(#[from] TokenFileError),
    #[error("there is no randomness to make a token of")]
    Random(#[source] getrandom::Error),
}

impl Settings {
    /// Reads what the host sent along.
    pub(crate) fn read(init: &Init) -> Result<Self, SettingsError> {
        let args: Args = parse(COMMAND, init.args.iter().cloned())?;
        let options = Options::read(init)?;
        let given = token(args.token, args.token_file)?;
        let address = match args.bind {
            Some(bind) => open_with(address(&bind)?, given.is_some())?,
            None => closed(options.bind.as_deref(), init)?,
        };
        let port = args.port.or(options.port);
        let port = port.or_else(|| configured(init, "port")?.as_u64()?.try_into().ok());
        let (token, token_is_new) = match given {
            Some(given) => Some(given),
            None => token(options.token, options.token_file)?,
        }
        .unzip();
        let hosts = args.allow_host.iter().map(|name| host(name)).collect::<Result<_, _>>()?;
        let address = SocketAddr::new(address, port.unwrap_or(DEFAULT_PORT));
        Ok(Self { address, token, token_is_new: token_is_new == Some(true), hosts })
    }

    /// What `jp serve web -h` prints.
    pub(crate) fn help() -> String {
        help::<Args>(COMMAND)
    }
}

impl Options {
    fn read(init: &Init) -> Result<Self, SettingsError> {
        let Some(options) = init.options.clone() else { return Ok(Self::default()) };
        serde_json::from_value(Value::Object(options)).map_err(SettingsError::Options)
    }
}

fn configured<'a>(init: &'a Init, key: &str) -> Option<&'a Value> {
    init.config.get("server")?.get("web")?.get(key)
}

/// An address of the command line.
fn open_with(address: IpAddr, token: bool) -> Result<IpAddr, SettingsError> {
    if address.is_loopback() || token { Ok(address) } else { Err(SettingsError::Open(address)) }
}

/// An address of the settings, which only this machine can reach.
fn closed(option: Option<&str>, init: &Init) -> Result<IpAddr, SettingsError> {
    let bind = option.or_else(|| configured(init, "bind")?.as_str());
    let address = bind.map_or(Ok(Ipv4Addr::LOCALHOST.into()), address)?;
    if address.is_loopback() { Ok(address) } else { Err(SettingsError::OpenBySettings(address)) }
}

fn address(text: &str) -> Result<IpAddr, SettingsError> {
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    bare.parse().map_err(|_| SettingsError::Address(text.to_owned()))
}

fn host(name: &str) -> Result<String, SettingsError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    if name.is_empty() || name.len() > 253 || !name.chars().all(allowed) {
        return Err(SettingsError::Host(name.to_owned()));
    }
    Ok(name.trim_end_matches('.').to_ascii_lowercase())
}

/// The token, and whether it was made here. One can stand in an address without being escaped, so that it
/// can be copied by hand.
fn token(
    text: Option<String>,
    file: Option<PathBuf>,
) -> Result<Option<(Token, bool)>, SettingsError> {
    let text = match (text, file) {
        (None, None) => return Ok(None),
        (Some(text), _) if text.is_empty() => {
            let token = Token::random().map_err(SettingsError::Random)?;
            return Ok(Some((token, true)));
        }
        (Some(text), _) => text,
        (None, Some(file)) => token_file::read(&file)?,
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
    if text.len() < SHORTEST_TOKEN || !text.chars().all(allowed) {
        return Err(SettingsError::Token);
    }
    Ok(Some((Token::from(text), false)))
}
