//! The MCP servers of a configuration: made when somebody has agreed to them, with all values in place.

use std::sync::{Arc, atomic::Ordering};

use jp_config::{nearest, providers::McpServerConfig};
use jp_confine::Covered;
use jp_sandbox::plan::Plan;
use url::Url;

use super::Resolver;
use crate::tool::mcp::{Launcher, ProgramError, Recipe, Server, ServerError, Stranger, Way};

impl Resolver {
    /// The server of this name. It is not started yet, and it is only there if it may be: one that the
    /// workspace brings along has to be agreed to.
    pub fn server(&self, name: &str) -> Result<Arc<Server>, ServerError> {
        let config = self.server_config(name)?;
        if let Some(stranger) = self.stranger(name)? {
            let (server, place) = (name.to_owned(), stranger.server.place);
            return Err(ServerError::NotAllowed { server, place });
        }
        self.servers.get(name, || self.recipe(name, config))
    }

    /// What the workspace says about a server that nobody has agreed to yet; `None` if it may be started.
    pub fn stranger(&self, name: &str) -> Result<Option<Stranger>, ServerError> {
        let Some(stranger) = Stranger::of(&self.config, name) else { return Ok(None) };
        let agreements = &self.servers.shared().agreements;
        let is_agreed = agreements.has(name, &stranger).map_err(unsaid)?;
        Ok((!is_agreed).then_some(stranger))
    }

    /// Keeps that somebody has agreed to start a server that the workspace brings along.
    pub fn allow_server(&self, name: &str, stranger: &Stranger) -> Result<(), ServerError> {
        self.servers.shared().agreements.add(name, stranger).map_err(unsaid)
    }

    /// Takes back what somebody has agreed to.
    pub fn disallow_server(&self, name: &str) -> Result<(), ServerError> {
        self.server_config(name)?;
        self.servers.shared().agreements.remove(name).map_err(unsaid)
    }

    /// Forgets what the tools of a server were. It need not be allowed for that.
    pub fn unpin(&self, name: &str) -> Result<(), ServerError> {
        self.server_config(name)?;
        let forgotten = self.servers.shared().pins.forget(name);
        forgotten.map_err(|source| ServerError::Pins { server: name.to_owned(), source })
    }

    /// How the program of a server would be confined, allowed or not; `None` for one that runs elsewhere.
    /// Nothing is started.
    pub async fn server_plan(
        &self,
        name: &str,
    ) -> Result<Option<Result<Plan, ProgramError>>, ServerError> {
        let config = self.server_config(name)?;
        if config.url.is_some() {
            return Ok(None);
        }
        // Variables do not change the plan, and one that is not set is for whoever starts it to report.
        Ok(Some(self.launcher(name, config, Vec::new()).plan().await))
    }

    /// What is sensitive, granted to a server, and not approved yet. Nothing for one that cannot be
    /// started: why not is said when it is.
    pub async fn covered_by_server(&self, name: &str) -> Vec<Covered> {
        self.was_asked.store(true, Ordering::Relaxed);
        match self.server(name) {
            Ok(server) => server.covered().await,
            Err(_) => Vec::new(),
        }
    }

    /// Ends all servers that were started.
    pub async fn close(&self) {
        self.servers.close().await;
    }

    fn server_config(&self, name: &str) -> Result<&McpServerConfig, ServerError> {
        let servers = &self.config.app.providers.mcp;
        servers.get(name).ok_or_else(|| {
            let nearest = nearest(name, servers.keys().map(String::as_str)).map(str::to_owned);
            ServerError::Unknown { name: name.to_owned(), nearest }
        })
    }

    fn recipe(&self, name: &str, config: &McpServerConfig) -> Result<Recipe, ServerError> {
        let way = if let Some(url) = &config.url {
            let key = self.config.server_key(name, &["url"]);
            let url = Url::parse(url).map_err(|error| setting(key, error.to_string()))?;
            let headers = self.filled(name, "headers", &config.headers)?;
            let login = self.login(name, &url, config)?.map(Box::new);
            Way::Http { url, headers, login }
        } else {
            let variables = self.filled(name, "variables", &config.variables)?;
            Way::Program(Box::new(self.launcher(name, config, variables)))
        };
        Ok(Recipe {
            name: name.to_owned(),
            way,
            is_stateful: config.stateful,
            startup: config.startup_timeout(),
            patience: config.timeout(),
        })
    }

    fn launcher(
        &self,
        name: &str,
        config: &McpServerConfig,
        variables: Vec<(String, String)>,
    ) -> Launcher {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        let root = self.world.root.clone();
        Launcher {
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
            was_asked: self.was_asked.load(Ordering::Relaxed),
            checksum: config.checksum.as_ref().map(|checksum| checksum.value.clone()),
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
}

pub(super) fn setting(key: String, reason: String) -> ServerError {
    ServerError::Setting { key, reason }
}

fn unsaid(source: std::io::Error) -> ServerError {
    ServerError::Agreements { source }
}
