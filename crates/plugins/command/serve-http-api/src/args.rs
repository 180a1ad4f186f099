//! What the user asked for: the words of the command line over the `options` of the settings.
//!
//! The danger is a workspace of somebody else: its settings are read too, so they could open the port to
//! the network, or to a page that calls this machine by a name of its own, with a token that their author
//! knows. What lets others in is therefore obeyed on the command line only: another address with the token
//! for it, and other names.

use std::{
    io::Read as _,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use jp_plugin_sdk::{
    Failure,
    args::{Stop, help, parse},
};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    limits,
    token::{Token, TokenError},
};

/// The words that this plugin answers to.
pub(crate) const COMMAND: &str = "serve http-api";
/// The exit code for words that cannot be understood.
const USAGE: u8 = 2;
/// A file with more bytes than this holds no token.
const TOKEN_FILE: u64 = 4_096;

const AFTER_HELP: &str = "\
Every request needs the token, which is printed once at the start unless you choose your own:

  curl -H 'Authorization: Bearer TOKEN' http://127.0.0.1:3142/v1/conversations

The OpenAPI document is at /v1/openapi.json.";

/// Serve the conversations of this workspace as JSON over HTTP
#[derive(Debug, clap::Parser)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Port to listen on; 0 takes any that is free [default: 3142]
    #[arg(short, long)]
    port: Option<u16>,
    /// Address to listen on [default: 127.0.0.1]
    #[arg(long, value_name = "ADDRESS")]
    bind: Option<IpAddr>,
    /// File with the token that clients have to send
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Another name by which clients may call this server
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Print the OpenAPI document and end
    #[arg(long)]
    openapi: bool,
}

/// `[plugins.command.serve-http-api.options]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    port: Option<u16>,
    bind: Option<IpAddr>,
    token: Option<String>,
    token_file: Option<PathBuf>,
}

/// What is to be done.
#[derive(Debug)]
pub(crate) enum Task {
    /// Show a text, such as the help.
    Print(String),
    /// Show the OpenAPI document.
    Document,
    Listen(Listen),
}

/// How to listen.
#[derive(Debug)]
pub(crate) struct Listen {
    pub(crate) address: SocketAddr,
    pub(crate) token: Token,
    /// Names besides the address itself.
    pub(crate) names: Vec<String>,
}

impl Args {
    /// What `jp serve http-api -h` prints.
    pub(crate) fn help() -> String {
        help::<Self>(COMMAND)
    }
}

/// Reads words and options.
pub(crate) fn read(words: &[String], options: Option<Map<String, Value>>) -> Result<Task, Failure> {
    let args: Args = match parse(COMMAND, words.iter().cloned()) {
        Ok(args) => args,
        Err(Stop::Help(text)) => return Ok(Task::Print(text)),
        Err(Stop::Usage(text)) => return Err(usage(text)),
    };
    if args.openapi {
        return Ok(Task::Document);
    }
    let options: Options = serde_json::from_value(Value::Object(options.unwrap_or_default()))
        .map_err(|error| usage(format!("`plugins.command.serve-http-api.options`: {error}")))?;
    listen(args, &options).map(Task::Listen)
}

fn listen(args: Args, options: &Options) -> Result<Listen, Failure> {
    if let (None, Some(bind)) = (args.bind, options.bind)
        && !bind.is_loopback()
    {
        return Err(usage(format!(
            "{bind} is an address that other machines can reach, and settings may come with a \
             workspace; to listen there, say `--bind {bind}`"
        )));
    }
    let bind = args.bind.or(options.bind).unwrap_or(Ipv4Addr::LOCALHOST.into());
    let token = match args.token_file {
        Some(file) => read_token(&file)?,
        None if bind.is_loopback() => usual_token(options)?,
        None => {
            return Err(usage(format!(
                "{bind} is an address that other machines can reach, so choose a token for it: \
                 `--token-file FILE`"
            )));
        }
    };
    let port = args.port.or(options.port).unwrap_or(limits::PORT);
    Ok(Listen { address: SocketAddr::new(bind, port), token, names: args.allow_host })
}

/// The token for clients on this machine: the one of the settings, or a new one.
fn usual_token(options: &Options) -> Result<Token, Failure> {
    match (&options.token_file, &options.token) {
        (Some(file), _) => read_token(file),
        (None, Some(text)) => Token::given(text).map_err(|error| {
            usage(format!("`plugins.command.serve-http-api.options.token`: {error}"))
        }),
        (None, None) => Ok(Token::generate()?),
    }
}

#[expect(clippy::disallowed_methods, reason = "a file that the user names, outside of the store")]
fn read_token(path: &Path) -> Result<Token, Failure> {
    let mut text = String::new();
    let read = std::fs::File::open(path).and_then(|file| {
        file.take(TOKEN_FILE).read_to_string(&mut text)?;
        Ok(())
    });
    let shown = path.display();
    read.map_err(|error| usage(format!("cannot read the token in {shown}: {error}")))?;
    let token = Token::given(text.trim());
    token.map_err(|error: TokenError| usage(format!("{shown}: {error}")))
}

fn usage(text: impl Into<String>) -> Failure {
    Failure::new(text).code(USAGE)
}

#[cfg(test)]
mod tests;
