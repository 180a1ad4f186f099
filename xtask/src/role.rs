//! What this program does when it was started by itself: the other side of a measurement,
//! or of a test of endurance.

use std::process::Command;

use clap::ValueEnum;

use crate::bench::{mcp, plugin, vfs};
use crate::conformance;
use crate::failure::{Failure, Result};
use crate::soak;

/// The roles.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Role {
    /// A sealed tool that is measured
    VfsWorker,
    /// A host whose memory is measured
    VfsMemory,
    /// A server of another protocol that is measured
    McpServer,
    /// The same, made for speed alone
    TightMcpServer,
    /// A plugin that is measured
    PluginWorker,
    /// What it is compared with
    PluginEcho,
    /// A sealed tool that goes wrong
    SoakTool,
    /// A client that is tried by the conformance suite
    ConformanceClient,
}

impl Role {
    /// This program in that role. By this name it is found even when a build has replaced its file since it
    /// was started, as the steps of CI before this one can.
    pub(crate) fn command(self) -> Command {
        let mut command = Command::new("/proc/self/exe");
        let name = self.to_possible_value();
        command.arg("role").args(name.iter().map(clap::builder::PossibleValue::get_name));
        command
    }

    /// Plays it; the client is told whom to speak with.
    pub(crate) fn run(self, url: Option<&str>) -> Result {
        match self {
            Self::VfsWorker => vfs::work(),
            Self::VfsMemory => vfs::memory_host(),
            Self::McpServer => mcp::bare::serve(),
            Self::TightMcpServer => mcp::bare::serve_tightly(),
            Self::PluginWorker => plugin::work(),
            Self::PluginEcho => plugin::be_an_echo(),
            Self::SoakTool => soak::be_a_tool(),
            Self::ConformanceClient => {
                let url = url.ok_or_else(|| Failure::new("which server?"))?;
                conformance::client::run(url)
            }
        }
    }
}
