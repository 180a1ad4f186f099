//! What a plugin needs that listens on a port: where it may listen, who may ask, and for how long anybody
//! is waited for.
//!
//! ```text
//! flags, options ─► Listen (address, token, names) ─► Server ─► Router of the plugin
//!                                                       └─► Names::judge, Token::is: asked by its guard
//! ```
//!
//! The dangers are the same for all of them. A port is open to every program and every user of the machine,
//! and to every page in the user's browser; so there is a [`Token`], and [`Names`] says which requests were
//! meant for us. Settings can come with somebody's workspace; so what lets others in is said on the command
//! line ([`Listen`]). A client can take its time; so everything about a connection has a limit ([`Server`]).
//!
//! What is served, and in which words a request is refused, is for the plugin to say.

mod listen;
mod names;
mod server;
mod token;
mod token_file;

pub use self::{
    listen::{Flags, Listen, ListenError, Policy, Word},
    names::{Foreign, Names, is_read},
    server::{BindError, Limits, Patience, Server, stopped},
    token::{NoRandomness, Token, TokenError, hex},
    token_file::TokenFileError,
};
