//! The commands, one module each, named as they are typed.

pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod conversation;
pub(crate) mod init;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod plugin;
pub(crate) mod sandbox;
mod scaffold;
pub(crate) mod tool;
pub(crate) mod version;
