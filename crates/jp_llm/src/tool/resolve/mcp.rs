//! Tools of MCP servers: found by name, described by their server, changed by the configuration.
//!
//! A tool is named by an entry of its own (`source = "mcp.<server>.<tool>"`) or by one that stands for all
//! tools of a server (`mcp.<server>.*`), which then have the names that the server gave them. Two tools
//! with one name are refused and never renamed: which of them a name means must not depend on the order of
//! a file.

use std::{collections::HashMap, sync::Arc, time::Duration};

use camino::Utf8PathBuf;
use jp_config::{
    LayerKind,
    conversation::tool::{Tool as ConfiguredTool, ToolConfig, source::ToolSource},
    nearest,
    providers::{McpAuthConfig, McpGrant, McpServerConfig},
};
use jp_mcp::{
    Tools,
    oauth::{Grant, OAuthSpec, Proof},
};
use jp_tool::ToolSchema;
use serde_json::Value;
use tokio::task::JoinSet;
use url::Url;

use super::{ResolveError, ResolvedTool, Resolver, error::Offer, settings};
use crate::tool::{
    arguments::Validator,
    context::Place,
    definition::{self, Origin},
    mcp::{Launcher, Pinned, Recipe, Server, ServerError, Way, schema},
    merge::{self, Overrides},
    runtime::mcp::McpRuntime,
};

/// So long an authorization server may take to answer.
const ANSWER: Duration = Duration::from_secs(20);

/// So long a person may take to log in.
const LOGIN: Duration = Duration::from_mins(5);

/// A tool of the configuration, or one that an entry for a whole server stands for.
#[derive(Debug, Clone)]
pub struct Listed {
    /// What the model calls it.
    pub name: String,
    /// The entry that it comes from.
    pub entry: String,
    /// Where it comes from.
    pub source: ToolSource,
    /// Why it cannot be used.
    pub error: Option<ResolveError>,
}

impl Resolver {
    /// All tools, those of servers that an entry stands for included; such servers are started.
    pub async fn listed(self: &Arc<Self>) -> Vec<Listed> {
        let mut offers = self.offers().await;
        let mut all: Vec<Listed> = Vec::new();
        for tool in self.config.app.conversation.tools.iter() {
            let (entry, source) = (tool.name.to_owned(), tool.source.clone());
            match offers.remove(tool.name) {
                None => all.push(Listed { name: entry.clone(), entry, source, error: None }),
                Some(Ok(tools)) => all.extend(self.listed_of(&entry, &source, &tools)),
                Some(Err(error)) => {
                    all.push(Listed { name: entry.clone(), entry, source, error: Some(error) });
                }
            }
        }
        for at in 0..all.len() {
            let Listed { name, entry, source, .. } = &all[at];
            // A tool that has the name as its own keeps it; the one that came with a server is refused.
            let is_named = entry == name && source.all_of().is_none();
            let is_other = |other: &&Listed| other.name == *name && other.source != *source;
            if let Some(other) = all.iter().find(is_other).filter(|_| !is_named) {
                all[at].error = Some(collision(name, source, &other.source));
            }
        }
        all
    }

    /// What the servers offer that an entry stands for, by that entry; asked side by side.
    async fn offers(self: &Arc<Self>) -> HashMap<String, Result<Arc<Tools>, ResolveError>> {
        let mut asked = JoinSet::new();
        for tool in self.config.app.conversation.tools.iter() {
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
            let (name, entry) = (tool.name.clone(), entry.to_owned());
            (!self.has_own_entry(&source)).then_some(Listed { name, entry, source, error: None })
        });
        listed.collect()
    }

    /// Whether a tool of a server is named by an entry of its own.
    fn has_own_entry(&self, source: &ToolSource) -> bool {
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

    /// A tool of a server, with the settings of the entry that names it or stands for it, and otherwise
    /// with none.
    pub async fn resolve_at(
        self: &Arc<Self>,
        server: &str,
        tool: &str,
    ) -> Result<ResolvedTool, ResolveError> {
        let source = ToolSource::Mcp { server: server.to_owned(), tool: tool.to_owned() };
        let tools = &self.config.app.conversation.tools;
        let own = tools.iter().find(|entry| *entry.source == source);
        let all = || tools.iter().find(|entry| entry.source.all_of() == Some(server));
        if let Some(entry) = own.or_else(all) {
            let name = if *entry.source == source { entry.name } else { tool };
            return self.mcp(ConfiguredTool { name, source: &source, config: entry.config }).await;
        }
        let config = tools.defaults().into_owned();
        self.mcp(ConfiguredTool { name: tool, source: &source, config: &config }).await
    }

    pub(super) async fn mcp(
        self: &Arc<Self>,
        tool: ConfiguredTool<'_>,
    ) -> Result<ResolvedTool, ResolveError> {
        let ToolSource::Mcp { server, tool: wanted } = tool.source else {
            return Err(ResolveError::Unknown { name: tool.name.to_owned(), nearest: None });
        };
        let name = tool.name.to_owned();
        if tool.source.all_of().is_some() {
            return Err(ResolveError::AllOf { name, server: server.clone() });
        }
        let server = self.server(server).map_err(|error| ResolveError::server(&name, error))?;
        let tools = server.tools().await.map_err(|error| ResolveError::server(&name, error))?;
        let Some(found) = tools.get(wanted) else {
            let known: Vec<_> = tools.tools.iter().map(|tool| tool.name.clone()).collect();
            let nearest = nearest(wanted, known.iter().map(String::as_str)).map(str::to_owned);
            let malformed = tools.malformed.iter().map(ToString::to_string).collect();
            let (server, tool) = (server.name().to_owned(), wanted.clone());
            let offer = Box::new(Offer { nearest, known, malformed });
            return Err(ResolveError::NotOffered { name, server, tool, offer });
        };
        let pinned = server.check_pin(found).map_err(|error| ResolveError::server(&name, error))?;
        if let Pinned::Changed(difference) = pinned {
            let (server, tool, now) =
                (server.name().to_owned(), wanted.clone(), Box::new(found.clone()));
            return Err(ResolveError::Changed { name, server, tool, difference, now });
        }
        self.described_by(tool, &server, found)
    }

    fn described_by(
        &self,
        tool: ConfiguredTool<'_>,
        server: &Arc<Server>,
        found: &jp_mcp::Tool,
    ) -> Result<ResolvedTool, ResolveError> {
        let name = tool.name;
        let overrides = Overrides::of(tool.config);
        let mut input = schema::of_object(&Value::Object(found.input_schema.clone()));
        let parameters = schema::parameters(&input);
        let provided = |parameters| ToolSchema {
            name: found.name.clone(),
            summary: found.description.clone().or_else(|| found.title.clone()),
            parameters,
            ..ToolSchema::default()
        };
        let merge = |parameters| {
            merge::merge(provided(parameters), &overrides, Origin::Server)
                .map_err(|source| ResolveError::Merge { name: name.to_owned(), source })
        };
        // What the server does with what is not given is its own business; what the configuration says
        // about that is filled in.
        let (filling, _) = merge(schema::without_defaults(&parameters))?;
        let (described, origins) = merge(parameters)?;
        if let Some(changes) = overrides.parameters {
            schema::lay_over(&mut input, changes);
        }
        let (mut definition, docs) = definition::split(name, described);
        definition.input = Some(input);
        let validator = Validator::of_server(&definition, filling.parameters);
        let validator = validator.map_err(|error| ResolveError::Definition {
            name: name.to_owned(),
            what: error.to_string(),
        })?;
        let place = Place { access: None, ..self.place(name) };
        let runtime = McpRuntime::new(server.clone(), found.clone(), place);
        Ok(ResolvedTool {
            definition,
            docs,
            origins,
            settings: settings(tool),
            describes_itself: false,
            runtime: Arc::new(runtime),
            live: None,
            name_at_source: found.name.clone(),
            validator,
        })
    }

    /// The server of this name. It is not started yet.
    pub fn server(&self, name: &str) -> Result<Arc<Server>, ServerError> {
        let servers = &self.config.app.providers.mcp;
        let Some(config) = servers.get(name) else {
            let nearest = nearest(name, servers.keys().map(String::as_str)).map(str::to_owned);
            return Err(ServerError::Unknown { name: name.to_owned(), nearest });
        };
        self.servers.get(name, || self.recipe(name, config))
    }

    fn recipe(&self, name: &str, config: &McpServerConfig) -> Result<Recipe, ServerError> {
        let way = match &config.url {
            Some(url) => {
                let key = self.config.server_key(name, &["url"]);
                let url = Url::parse(url).map_err(|error| setting(key, error.to_string()))?;
                let headers = self.filled(name, "headers", &config.headers)?;
                let login = self.login(name, &url, config)?.map(Box::new);
                Way::Http { url, headers, login }
            }
            None => Way::Program(Box::new(self.launcher(name, config)?)),
        };
        Ok(Recipe {
            name: name.to_owned(),
            way,
            is_stateful: config.stateful,
            startup: config.startup_timeout(),
            patience: config.timeout(),
        })
    }

    fn launcher(&self, name: &str, config: &McpServerConfig) -> Result<Launcher, ServerError> {
        let variables = self.filled(name, "variables", &config.variables)?;
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        let root = self.world.root.clone();
        Ok(Launcher {
            confiner: self.confiner.clone(),
            search: self.world.machine.search.clone(),
            key: self.config.server_key(name, &[]),
            command: config.command.clone().unwrap_or_default(),
            arguments: config.arguments.to_vec(),
            directory: root.join(config.cwd.as_deref().unwrap_or_default()),
            root,
            variables: variables.collect(),
            policy: self.policies.server(name).map(|server| server.policy.clone()),
            needs: config.system.as_ref().map(self.needs).unwrap_or_default(),
            approved: self.approved(),
            checksum: config.checksum.as_ref().map(|checksum| checksum.value.clone()),
        })
    }

    /// How to log in to a server; `None` where a header of the configuration says who we are.
    fn login(
        &self,
        name: &str,
        server: &Url,
        config: &McpServerConfig,
    ) -> Result<Option<OAuthSpec>, ServerError> {
        if config.headers.keys().any(|name| name.eq_ignore_ascii_case("authorization")) {
            return Ok(None);
        }
        let layer = self.config.layer(&self.config.server_key(name, &["url"]));
        let is_foreign = matches!(layer, Some(LayerKind::Workspace | LayerKind::Directory));
        let auth = config.auth.clone().unwrap_or_default();
        Ok(Some(OAuthSpec {
            server: server.clone(),
            owner: if is_foreign { self.world.root.to_string() } else { String::new() },
            grant: self.grant(name, &auth)?,
            scopes: auth.scopes,
            store: self.servers.shared().world.logins.clone(),
            answer_within: ANSWER,
            login_within: LOGIN,
        }))
    }

    fn grant(&self, name: &str, auth: &McpAuthConfig) -> Result<Grant, ServerError> {
        let world = &self.servers.shared().world;
        let key = |key: &str| self.config.server_key(name, &["auth", key]);
        let secret = auth.client_secret_env.as_ref().map(|variable| {
            let key = key("client_secret_env");
            (world.fill)(&key, &format!("${{{variable}}}")).map_err(|reason| setting(key, reason))
        });
        let secret = secret.transpose()?;
        let metadata_url = auth.client_metadata_url.as_ref().and_then(|url| Url::parse(url).ok());
        let client = auth.client_id.clone();
        if auth.grant == McpGrant::AuthorizationCode {
            return Ok(Grant::Person { client: client.map(|id| (id, secret)), metadata_url });
        }
        let file = auth.private_key_file.as_ref().map(|path| match path.strip_prefix("~/") {
            Some(below) => world.home.clone().unwrap_or_default().join(below),
            None => Utf8PathBuf::from(&**path),
        });
        let proof = secret.map(Proof::Secret).or(file.map(Proof::KeyFile));
        match (client, proof) {
            (Some(client), Some(proof)) => Ok(Grant::Machine { client, proof }),
            // The configuration is not loaded without both.
            _ => Err(setting(key("grant"), "there is no client, or no proof of it".to_owned())),
        }
    }

    /// A table of a server with all variables in place.
    fn filled(
        &self,
        server: &str,
        table: &str,
        values: &indexmap::IndexMap<String, String>,
    ) -> Result<Vec<(String, String)>, ServerError> {
        let fill = &self.servers.shared().world.fill;
        let one = |(name, value): (&String, &String)| {
            let key = self.config.server_key(server, &[table, name]);
            let filled = fill(&key, value).map_err(|reason| setting(key, reason))?;
            Ok((name.clone(), filled))
        };
        values.iter().map(one).collect()
    }

    /// Ends all servers that were started.
    pub async fn close(&self) {
        self.servers.close().await;
    }
}

fn setting(key: String, reason: String) -> ServerError {
    ServerError::Setting { key, reason }
}

fn collision(name: &str, source: &ToolSource, other: &ToolSource) -> ResolveError {
    let (name, source, other) = (name.to_owned(), source.to_string(), other.to_string());
    ResolveError::Collision { name, source_of_it: source, other }
}
