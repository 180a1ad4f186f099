//! Which tools there are, those of MCP servers included, and which tool a name means.
//!
//! A tool of a server is named by an entry of its own (`source = "mcp.<server>.<tool>"`) or by one that
//! stands for all tools of a server (`mcp.<server>.*`), which then have the names that the server gave them.
//! Two tools with one name are refused and never renamed: which of them a name means must not depend on the
//! order of a file, nor on which server happens to be down.

use std::{collections::HashMap, sync::Arc};

use jp_config::conversation::tool::{Tool as ConfiguredTool, ToolConfig, source::ToolSource};
use jp_mcp::Tools;
use tokio::task::JoinSet;

use super::{ResolveError, ResolvedTool, Resolver};
use crate::tool::mcp::ServerError;

/// A tool of the configuration, or one that an entry for a whole server stands for.
#[derive(Debug, Clone)]
pub struct Listed {
    /// What the model calls it.
    pub name: String,
    /// The entry that it comes from.
    pub entry: String,
    /// Where it comes from.
    pub source: ToolSource,
    /// What it is.
    pub listing: Listing,
}

/// What is listed.
#[derive(Debug, Clone)]
pub enum Listing {
    /// A tool, or one that can be resolved.
    Tool,
    /// An entry for a whole server that is disabled. Nobody asks the server what it would be.
    Disabled,
    /// What cannot be used, because of this.
    Broken(Box<ResolveError>),
}

/// What servers offer, by the entry that stands for all their tools.
type Offers = HashMap<String, Result<Arc<Tools>, ResolveError>>;

impl Resolver {
    /// All tools, those of servers that an entry stands for included; such servers are started, unless the
    /// entry is disabled or nobody has agreed to start them.
    pub async fn listed(self: &Arc<Self>) -> Vec<Listed> {
        let mut offers = self.offers().await;
        let mut all: Vec<Listed> = Vec::new();
        for tool in self.config.app.conversation.tools.iter() {
            let (entry, source) = (tool.name.to_owned(), tool.source.clone());
            let listing = match offers.remove(tool.name) {
                Some(Ok(tools)) => {
                    all.extend(self.listed_of(&entry, &source, &tools));
                    continue;
                }
                Some(Err(error)) => Listing::Broken(Box::new(error)),
                None if source.all_of().is_some() => Listing::Disabled,
                None => Listing::Tool,
            };
            all.push(Listed { name: entry.clone(), entry, source, listing });
        }
        for at in 0..all.len() {
            let Listed { name, entry, source, .. } = &all[at];
            // A tool that has the name as its own keeps it; the one that came with a server is refused.
            let is_served = entry != name || source.all_of().is_some();
            let is_other =
                |other: &&Listed| other.name == *name && other.source != *source && is_tool(other);
            if let Some(other) =
                all.iter().find(is_other).filter(|_| is_served && is_tool(&all[at]))
            {
                let error = collision(name, source, &other.source);
                all[at].listing = Listing::Broken(Box::new(error));
            }
        }
        all
    }

    /// What the servers offer that an enabled entry stands for, by that entry; asked side by side.
    async fn offers(self: &Arc<Self>) -> Offers {
        let mut asked = JoinSet::new();
        for tool in self.config.app.conversation.tools.iter().filter(|tool| tool.config.enable) {
            let Some(server) = tool.source.all_of() else { continue };
            let (resolver, server, entry) = (self.clone(), server.to_owned(), tool.name.to_owned());
            asked.spawn(async move {
                let found = match resolver.server(&server) {
                    Ok(server) => server.tools().await,
                    Err(error) => Err(error),
                };
                let found = found.map_err(|error| ResolveError::server(&entry, error));
                (entry, found)
            });
        }
        asked.join_all().await.into_iter().collect()
    }

    fn listed_of(&self, entry: &str, source: &ToolSource, tools: &Tools) -> Vec<Listed> {
        let server = source.all_of().unwrap_or_default();
        let listed = tools.tools.iter().filter_map(|tool| {
            let source = ToolSource::Mcp { server: server.to_owned(), tool: tool.name.clone() };
            let (name, entry, listing) = (tool.name.clone(), entry.to_owned(), Listing::Tool);
            (!self.has_own_entry(&source)).then_some(Listed { name, entry, source, listing })
        });
        listed.collect()
    }

    /// Whether a tool of a server is named by an entry of its own.
    pub(super) fn has_own_entry(&self, source: &ToolSource) -> bool {
        self.config.app.conversation.tools.iter().any(|tool| tool.source == source)
    }

    /// The tool of this name among those that entries for whole servers stand for.
    pub(super) async fn of_any_server(
        self: &Arc<Self>,
        name: &str,
    ) -> Result<Option<ResolvedTool>, ResolveError> {
        let mut offers = self.offers().await;
        let mut found: Option<(ToolSource, &ToolConfig)> = None;
        let mut failed = None;
        for entry in self.config.app.conversation.tools.iter() {
            let server = entry.source.all_of();
            let (Some(server), Some(offered)) = (server, offers.remove(entry.name)) else {
                continue;
            };
            let source = ToolSource::Mcp { server: server.to_owned(), tool: name.to_owned() };
            match offered {
                Ok(offered) if offered.get(name).is_none() || self.has_own_entry(&source) => {}
                Ok(_) => match &found {
                    Some((other, _)) if *other != source => {
                        return Err(collision(name, &source, other));
                    }
                    _ => found = Some((source, entry.config)),
                },
                // Whose tool it was before, it stays: another server must not get its calls meanwhile.
                Err(error) if self.was_used(server, name)? => return Err(error),
                Err(error) => failed = Some(error),
            }
        }
        match (found, failed) {
            (Some((source, config)), _) => {
                self.mcp(ConfiguredTool { name, source: &source, config }).await.map(Some)
            }
            // It may be a tool of the server that could not be asked.
            (None, Some(error)) => Err(error),
            (None, None) => Ok(None),
        }
    }

    /// Whether a tool of this name was used from this server before.
    fn was_used(&self, server: &str, tool: &str) -> Result<bool, ResolveError> {
        self.servers.shared().pins.knows(server, tool).map_err(|source| {
            let server = server.to_owned();
            ResolveError::server(tool, ServerError::Pins { server, source })
        })
    }
}

fn is_tool(listed: &Listed) -> bool {
    matches!(listed.listing, Listing::Tool) || listed.source.all_of().is_none()
}

fn collision(name: &str, source: &ToolSource, other: &ToolSource) -> ResolveError {
    let (name, source, other) = (name.to_owned(), source.to_string(), other.to_string());
    ResolveError::Collision { name, source_of_it: source, other }
}
