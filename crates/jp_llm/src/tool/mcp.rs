//! MCP servers as a source of tools.
//!
//! One [`Server`] is one entry of `[providers.mcp.<name>]`: who starts it confined (`launch`), who speaks
//! with it ([`jp_mcp::Client`]), what it was like last time (`pins`, the era). It is made when a tool of it
//! is first wanted, and is the same for all tools of it until the end of the run. One that a workspace brings
//! along is only made when somebody has agreed to it (`agreements`): who has a [`Server`] may start it.
//!
//! What it says about its tools becomes definitions in `schema`, what it asks becomes questions in `forms`,
//! and what it answers is told apart in `outcome/mcp.rs`.

mod agreements;
mod eras;
pub(crate) mod forms;
mod kept;
mod launch;
pub(crate) mod media;
mod pins;
pub(crate) mod schema;

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_confine::{ConfineError, Covered};
use jp_mcp::{
    Authorizer, Client, Connect, Http, LoginError, McpError, Progress, ServerSpec, Status, Tool,
    Tools,
    oauth::{OAuth, OAuthSpec},
};
use jp_sandbox::plan::Plan;
use thiserror::Error;
use url::Url;

pub(crate) use self::launch::Launcher;
pub use self::{
    agreements::{Agreements, Stranger},
    launch::ProgramError,
    pins::Pinned,
};
use self::{eras::Eras, pins::Pins};

/// Whoever is told how far a call is: the name of the tool, and how far.
pub type Listener = Arc<dyn Fn(&str, &Progress) + Send + Sync>;

/// Fills in variables: the key of a value, and the value.
pub type Fill = Box<dyn Fn(&str, &str) -> Result<String, String> + Send + Sync>;

/// What servers are started and remembered with, beside the configuration.
pub struct McpWorld {
    /// Fills in the variables of a value, which is at this key of the configuration. Says why not.
    pub fill: Fill,
    /// Where pictures and sounds are saved; `None` to save none.
    pub media: Option<Utf8PathBuf>,
    /// Where it is remembered how servers speak; `None` to find it out each time.
    pub eras: Option<Utf8PathBuf>,
    /// Where logins are kept; `None` to keep them for this run.
    pub logins: Option<Utf8PathBuf>,
    /// The home directory of the user, which `~` stands for.
    pub home: Option<Utf8PathBuf>,
    /// Where it is kept what tools were when they were first used; `None` to keep it for this run.
    pub pins: Option<Utf8PathBuf>,
    /// Where it is kept which servers of workspaces somebody agreed to; `None` to keep it for this run.
    pub agreements: Option<Utf8PathBuf>,
    /// Who is told how far a call is, with the name of the tool; `None` if nobody wants to know.
    pub progress: Option<Listener>,
}

impl fmt::Debug for McpWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpWorld").field("pins", &self.pins).finish_non_exhaustive()
    }
}

/// Why a server cannot be used.
#[derive(Debug, Error)]
pub enum ServerError {
    /// There is none of that name.
    #[error("no MCP server is called `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// The nearest one that there is.
        nearest: Option<String>,
    },
    /// A value of its configuration cannot be used.
    #[error("`{key}`: {reason}")]
    Setting {
        /// Where it is.
        key: String,
        /// Why not.
        reason: String,
    },
    /// It did not do what it was asked.
    #[error(transparent)]
    Mcp(Box<McpError>),
    /// What was kept of its tools cannot be read or written.
    #[error("what is kept of the tools of `{server}` cannot be used: {source}")]
    Pins {
        /// The server.
        server: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The workspace brings it along, and nobody has agreed to start it.
    #[error("the MCP server `{server}` comes with this workspace ({place}) and is not allowed yet")]
    NotAllowed {
        /// The server.
        server: String,
        /// Where it is configured.
        place: String,
    },
    /// What was agreed to cannot be read or written.
    #[error("which servers are allowed here cannot be said: {source}")]
    Agreements {
        /// What the system said.
        source: std::io::Error,
    },
}

impl From<McpError> for ServerError {
    fn from(error: McpError) -> Self {
        Self::Mcp(Box::new(error))
    }
}

impl ServerError {
    /// Whether its rules, or the machine that should keep them, do not allow it.
    pub fn is_refusal(&self) -> bool {
        let is_foreign = matches!(self, Self::NotAllowed { .. } | Self::Agreements { .. });
        is_foreign
            || self.program().is_some_and(|error| {
                let is_refused = matches!(error, ProgramError::Confine(ConfineError::Refused(_)));
                is_refused || matches!(error, ProgramError::Checksum { .. })
            })
    }

    /// Whether somebody has to log in first.
    pub fn wants_login(&self) -> bool {
        let Self::Mcp(error) = self else { return false };
        matches!(&**error, McpError::Login { source, .. }
            if matches!(**source, LoginError::Needed | LoginError::MoreRights(_)))
    }

    /// What can be done about it.
    pub fn hints(&self) -> Vec<String> {
        match (self, self.program()) {
            (Self::Unknown { nearest: Some(nearest), .. }, _) => {
                vec![format!("did you mean `{nearest}`?")]
            }
            (Self::Unknown { name, .. }, _) => vec![format!(
                "servers are configured in `[providers.mcp.{name}]`; `jp mcp add` writes that"
            )],
            (Self::NotAllowed { server, .. }, _) => {
                vec![format!("`jp mcp allow {server}` shows what it is, and allows it")]
            }
            (_, Some(ProgramError::Confine(ConfineError::Refused(refusal)))) => {
                refusal.hints.iter().map(ToString::to_string).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Why its program did not start.
    fn program(&self) -> Option<&ProgramError> {
        let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(self);
        while let Some(error) = cause {
            if let Some(found) = error.downcast_ref() {
                return Some(found);
            }
            cause = error.source();
        }
        None
    }
}

/// A configured server.
#[derive(Debug)]
pub struct Server {
    name: String,
    client: Client,
    is_stateful: bool,
    launcher: Option<Arc<Launcher>>,
    login: Option<OAuth>,
    era_key: Option<String>,
    shared: Arc<Shared>,
}

/// What all servers of a run use.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) world: McpWorld,
    pub(crate) agreements: Agreements,
    pub(crate) pins: Pins,
    eras: Eras,
}

impl Shared {
    fn new(world: McpWorld, root: Utf8PathBuf) -> Self {
        let agreements = Agreements::new(world.agreements.as_ref(), root.clone());
        let pins = Pins::new(world.pins.clone(), root);
        let eras = Eras::new(world.eras.clone());
        Self { world, agreements, pins, eras }
    }
}

/// The servers of a run that were wanted so far.
#[derive(Debug)]
pub(crate) struct Servers {
    shared: Arc<Shared>,
    made: Mutex<HashMap<String, Arc<Server>>>,
}

/// How a server is made: what its configuration says, with all values in place.
#[derive(Debug)]
pub(crate) struct Recipe {
    pub(crate) name: String,
    pub(crate) way: Way,
    pub(crate) is_stateful: bool,
    pub(crate) startup: std::time::Duration,
    pub(crate) patience: std::time::Duration,
}

/// How a server is reached.
#[derive(Debug)]
pub(crate) enum Way {
    Program(Box<Launcher>),
    Http { url: Url, headers: Vec<(String, String)>, login: Option<Box<OAuthSpec>> },
}

impl Servers {
    pub(crate) fn new(world: McpWorld, root: Utf8PathBuf) -> Self {
        Self { shared: Arc::new(Shared::new(world, root)), made: Mutex::default() }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The server of this name, made by the recipe if it is the first time.
    pub(crate) fn get(
        &self,
        name: &str,
        recipe: impl FnOnce() -> Result<Recipe, ServerError>,
    ) -> Result<Arc<Server>, ServerError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = made.get(name) {
            return Ok(server.clone());
        }
        let server = Arc::new(Server::new(recipe()?, self.shared.clone()));
        made.insert(name.to_owned(), server.clone());
        Ok(server)
    }

    /// Makes all of them anew when they are next wanted, with what holds then. Those that run end by being
    /// dropped.
    pub(crate) fn forget(&self) {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Ends all of them.
    pub(crate) async fn close(&self) {
        let all: Vec<_> = {
            let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            made.drain().map(|(_, server)| server).collect()
        };
        for server in all {
            server.client.close().await;
        }
    }
}

impl Server {
    fn new(recipe: Recipe, shared: Arc<Shared>) -> Self {
        let Recipe { name, way, is_stateful, startup, patience } = recipe;
        let (connect, launcher, login, era_key, roots) = match way {
            Way::Program(launcher) => {
                let launcher = Arc::new(*launcher);
                let (key, roots) = (eras::key(&launcher), launcher.roots());
                (Connect::Program(launcher.clone()), Some(launcher), None, key, roots)
            }
            Way::Http { url, headers, login } => {
                let key = Some(url.to_string());
                let login = login.map(|spec| OAuth::new(*spec));
                let authorizer = login.clone().map(|login| Arc::new(login) as Arc<dyn Authorizer>);
                let http = Http { url, headers, authorizer };
                (Connect::Http(http), None, login, key, Vec::new())
            }
        };
        let era = era_key.as_deref().and_then(|key| shared.eras.recall(key));
        let spec = ServerSpec {
            name: name.clone(),
            connect,
            stateful: is_stateful,
            startup,
            patience,
            roots,
            era,
        };
        Self { name, client: Client::new(spec), is_stateful, launcher, login, era_key, shared }
    }

    /// A server that somebody else starts.
    #[cfg(test)]
    pub(crate) fn started_by(launch: Arc<dyn jp_mcp::Launch>) -> Self {
        let fill = Box::new(|_: &str, value: &str| Ok(value.to_owned()));
        let (media, eras, logins, home, pins, agreements, progress) = Default::default();
        let world = McpWorld { fill, media, eras, logins, home, pins, agreements, progress };
        let minute = std::time::Duration::from_mins(1);
        let spec = ServerSpec {
            name: "test".to_owned(),
            connect: Connect::Program(launch),
            stateful: true,
            startup: minute,
            patience: minute,
            roots: Vec::new(),
            era: None,
        };
        let shared = Arc::new(Shared::new(world, "/w".into()));
        let (name, client) = (spec.name.clone(), Client::new(spec));
        let (launcher, login, era_key) = Default::default();
        Self { name, client, is_stateful: true, launcher, login, era_key, shared }
    }

    /// What it is called in the configuration.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Who speaks with it.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// How it is logged in to; `None` if it cannot want that.
    pub fn login(&self) -> Option<&OAuth> {
        self.login.as_ref()
    }

    /// Whether one process serves the whole run.
    pub fn is_stateful(&self) -> bool {
        self.is_stateful
    }

    /// All tools of it. It is started if it does not run.
    pub async fn tools(&self) -> Result<Arc<Tools>, ServerError> {
        let tools = self.client.tools().await?;
        if let (Some(key), Some(era)) = (&self.era_key, self.client.status().era) {
            self.shared.eras.remember(key, era);
        }
        Ok(tools)
    }

    /// What is known about it without asking it.
    pub fn status(&self) -> Status {
        self.client.status()
    }

    /// How its program is confined; `None` for a server that runs elsewhere.
    pub async fn plan(&self) -> Option<Result<Plan, ProgramError>> {
        Some(self.launcher.as_ref()?.plan().await)
    }

    /// What is sensitive, granted to its program, and not approved yet.
    pub(crate) async fn covered(&self) -> Vec<Covered> {
        match &self.launcher {
            // Why it cannot be started is said when it is.
            Some(launcher) => launcher.covered().await.unwrap_or_default(),
            None => Vec::new(),
        }
    }

    /// The directories that it is told to work in.
    pub fn roots(&self) -> Vec<Utf8PathBuf> {
        self.launcher.as_ref().map(|launcher| launcher.roots()).unwrap_or_default()
    }

    pub(crate) fn media(&self) -> Option<&Utf8Path> {
        self.shared.world.media.as_deref()
    }

    pub(crate) fn progress(&self) -> Option<Listener> {
        self.shared.world.progress.clone()
    }

    /// Compares a tool with what it was when it was first used, and keeps it if that is now.
    pub fn check_pin(&self, tool: &Tool) -> Result<Pinned, ServerError> {
        self.pinned(self.shared.pins.check(&self.name, tool))
    }

    /// The same without keeping anything; `None` for a tool that was not used before.
    pub fn peek_pin(&self, tool: &Tool) -> Result<Option<Pinned>, ServerError> {
        self.pinned(self.shared.pins.peek(&self.name, tool))
    }

    /// Keeps a tool as it is now.
    pub fn pin(&self, tool: &Tool) -> Result<(), ServerError> {
        self.pinned(self.shared.pins.accept(&self.name, tool))
    }

    /// Keeps all its tools as they are now, and asks about every other from then on.
    pub fn pin_all(&self, tools: &[Tool]) -> Result<(), ServerError> {
        self.pinned(self.shared.pins.accept_all(&self.name, tools))
    }

    fn pinned<T>(&self, done: std::io::Result<T>) -> Result<T, ServerError> {
        done.map_err(|source| ServerError::Pins { server: self.name.clone(), source })
    }
}
