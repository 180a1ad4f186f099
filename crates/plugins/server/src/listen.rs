//! Where to listen and who may ask: flags over `options` of the plugin, over what the plugin has by itself.
//!
//! The danger is a workspace of somebody else: its settings are read too, and nothing tells them from those
//! of the user. So whatever lets others in is obeyed on the command line only: an address that other machines
//! can reach, with the token for it; no token; other names. A token itself is never taken from settings, as
//! whoever wrote them would know it; only the path of a file that nobody but the user can have written.

#[cfg(test)]
mod tests;

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use jp_plugin_sdk::Init;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    names::Names,
    token::{NoRandomness, Token, TokenError},
    token_file::{self, TokenFileError},
};

/// The flags of every server.
#[derive(Debug, Default, clap::Args)]
pub struct Flags {
    /// Port to listen on; 0 takes any that is free
    #[arg(short, long)]
    port: Option<u16>,
    /// Address to listen on; one that other machines can reach needs a token
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    bind: Option<IpAddr>,
    /// File with the token that has to be known
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Another name by which this server may be called
    #[arg(long, value_name = "NAME", value_parser = host)]
    allow_host: Vec<String>,
}

/// What else the command line says about the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// Nothing.
    Nothing,
    /// That a new one is wanted.
    New,
    /// That this is it.
    Text(String),
    /// That none is wanted.
    Without,
}

/// What a plugin has by itself.
#[derive(Debug, Clone, Copy)]
pub struct Policy<'a> {
    /// Its id, which settings are under.
    pub plugin: &'static str,
    /// The port, unless somebody names another.
    pub port: u16,
    /// What to add to the command line to have a token, for messages.
    pub token_flag: &'static str,
    /// A section of the configuration with `bind` and `port`, if there is one.
    pub section: Option<&'a Value>,
}

/// How to listen.
#[derive(Debug)]
pub struct Listen {
    /// Where.
    pub address: SocketAddr,
    /// What has to be known. Nothing only where the user wants it so, on this machine.
    pub token: Option<Token>,
    /// What the server may be called.
    pub names: Names,
}

/// Why it cannot be.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Options of the wrong name or kind.
    #[error("`plugins.command.{0}.options` cannot be used")]
    Options(&'static str, #[source] serde_json::Error),
    /// A token in the settings.
    #[error(
        "`plugins.command.{0}.options.token` is not used: settings can come with a workspace, and \
         whoever wrote that would know the token; write it to a file of your own with `chmod 600`, \
         and name that with `token_file` in the options or `--token-file` on the command line"
    )]
    Literal(&'static str),
    /// An address in the settings that is none.
    #[error("`bind` in the settings: `{0}`: {NO_ADDRESS}")]
    Address(String),
    /// An address that others can reach, without a token.
    #[error(
        "{address} can be reached from other machines, and no token is given: add {token_flag}, or \
         listen on 127.0.0.1"
    )]
    Open {
        /// The address.
        address: IpAddr,
        /// What to add.
        token_flag: &'static str,
    },
    /// The same, and the user wants none.
    #[error(
        "{0} can be reached from other machines, so it needs a token: leave `--no-token` out, or \
         listen on 127.0.0.1"
    )]
    OpenWithout(IpAddr),
    /// The same, by settings.
    #[error(
        "{address} is in the settings, and can be reached from other machines: that has to be said \
         on the command line, with `--bind {address}` and {token_flag}"
    )]
    OpenBySettings {
        /// The address.
        address: IpAddr,
        /// What to add.
        token_flag: &'static str,
    },
    /// A token on the command line that is none.
    #[error("`--token`: {0}")]
    Token(#[source] TokenError),
    /// A file without a token.
    #[error(transparent)]
    File(#[from] TokenFileError),
    /// No token can be made.
    #[error(transparent)]
    Random(#[from] NoRandomness),
}

const NO_ADDRESS: &str =
    "this is no address: use an IP address of this machine, such as 127.0.0.1, or `localhost`";

/// `[plugins.command.<id>.options]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    bind: Option<String>,
    port: Option<u16>,
    /// Whatever it is, it is refused, with a reason.
    token: Option<Value>,
    token_file: Option<PathBuf>,
}

/// What the command line says about the token, all in all.
enum Said {
    Nothing,
    Token(Token),
    Without,
}

impl Listen {
    /// Decides by what the host has sent along.
    pub fn decide(
        init: &Init,
        policy: &Policy<'_>,
        flags: Flags,
        word: Word,
    ) -> Result<Self, ListenError> {
        let options = Options::read(init, policy.plugin)?;
        let said = Said::of(word, flags.token_file)?;
        let ip = match flags.bind {
            Some(ip) => judge(ip, &said, policy)?,
            None => closed(options.bind.as_deref(), policy)?,
        };
        let configured = || policy.section?.get("port")?.as_u64()?.try_into().ok();
        let port = flags.port.or(options.port).or_else(configured).unwrap_or(policy.port);
        let token = match (said, options.token_file) {
            (Said::Token(token), _) => Some(token),
            (Said::Without, _) => None,
            (Said::Nothing, Some(file)) => {
                Some(token_file::read_for_settings(&file, &init.workspace)?)
            }
            (Said::Nothing, None) => Some(Token::random()?),
        };
        let names = Names::new(ip, flags.allow_host);
        Ok(Self { address: SocketAddr::new(ip, port), token, names })
    }
}

impl Options {
    fn read(init: &Init, plugin: &'static str) -> Result<Self, ListenError> {
        let Some(options) = init.options.clone() else { return Ok(Self::default()) };
        let options: Self = serde_json::from_value(Value::Object(options))
            .map_err(|error| ListenError::Options(plugin, error))?;
        if options.token.is_some() {
            return Err(ListenError::Literal(plugin));
        }
        Ok(options)
    }
}

impl Said {
    fn of(word: Word, file: Option<PathBuf>) -> Result<Self, ListenError> {
        Ok(match (word, file) {
            (Word::Nothing, None) => Self::Nothing,
            (Word::Nothing, Some(file)) => Self::Token(token_file::read(&file)?),
            (Word::New, _) => Self::Token(Token::random()?),
            (Word::Text(text), _) => Self::Token(Token::given(&text).map_err(ListenError::Token)?),
            (Word::Without, _) => Self::Without,
        })
    }
}

/// An address of the command line.
fn judge(address: IpAddr, said: &Said, policy: &Policy<'_>) -> Result<IpAddr, ListenError> {
    match said {
        _ if address.is_loopback() => Ok(address),
        Said::Token(_) => Ok(address),
        Said::Without => Err(ListenError::OpenWithout(address)),
        Said::Nothing => Err(ListenError::Open { address, token_flag: policy.token_flag }),
    }
}

/// An address of the settings, which only this machine can reach.
fn closed(option: Option<&str>, policy: &Policy<'_>) -> Result<IpAddr, ListenError> {
    let text = option.or_else(|| policy.section?.get("bind")?.as_str());
    let Some(text) = text else { return Ok(Ipv4Addr::LOCALHOST.into()) };
    let address = address(text).map_err(|_| ListenError::Address(text.to_owned()))?;
    if address.is_loopback() {
        return Ok(address);
    }
    Err(ListenError::OpenBySettings { address, token_flag: policy.token_flag })
}

fn address(text: &str) -> Result<IpAddr, &'static str> {
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    bare.parse().map_err(|_| NO_ADDRESS)
}

fn host(name: &str) -> Result<String, &'static str> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    if name.is_empty() || name.len() > 253 || !name.chars().all(allowed) {
        return Err("this is no name of a host: letters, digits, `-` and `.`, without a port");
    }
    Ok(name.trim_end_matches('.').to_ascii_lowercase())
}
