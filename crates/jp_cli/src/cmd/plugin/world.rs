//! What commands about plugins work with: the user's data directory, the registry, and what the settings say
//! about each plugin.
//!
//! Settings come in two forms. What is in force here counts where it is stricter. What is looser counts only
//! if it is the user's own: a workspace can come from anywhere, and neither chooses the registry nor says
//! what is installed without a question.

use std::time::Duration;

use jp_config::plugins::{CommandPluginConfig, PluginRun, PluginsConfig};
use jp_fetch::{FetchSettings, Fetcher};
use jp_plugin::{
    CommandPath, PluginId,
    registry::{Kind, Registry},
};
use jp_plugin_host::catalog::{Plugin, Source as PluginSource};
use jp_plugin_registry::{
    CacheError, Candidate, Fetch, Home, InstallError, Installed, Installer, Judgement, Origin,
    Plan, PlanError, Record, Sha256, Source, cached, find, plan, refresh, target_triples,
};
use jp_route::Upstream;

use super::{bar::Bar, say};
use crate::{
    ctx::{self, Ctx},
    error::{Error, Result},
    exit::Exit,
    plugins::{Shelf, Wish},
};

/// How long somebody waits for another who installs.
const PATIENCE: Duration = Duration::from_mins(1);

/// What is known about plugins on this machine.
pub(crate) struct World<'a> {
    pub(crate) ctx: &'a Ctx,
    pub(crate) home: Home,
    /// What is in force here.
    here: &'a PluginsConfig,
    /// What the user says.
    own: PluginsConfig,
}

/// What a name means.
#[derive(Debug)]
pub(crate) struct Named {
    /// What the settings call it. A file in the search path can be called what no registry allows.
    pub(crate) id: String,
    /// Whether there is such a plugin. If not, a setting is for one that may come.
    pub(crate) is_known: bool,
}

impl Named {
    /// Says so if there is no such plugin: whoever mistyped a name believes otherwise that it was heeded.
    pub(crate) fn warn(&self, ctx: &Ctx, name: &str) -> Result {
        if self.is_known {
            return Ok(());
        }
        let id = &self.id;
        let text = format!("warning: no plugin has the command or the id `{name}`; ");
        say(ctx, &format!("{text}this is for one with the id `{id}`, should it come\n"))
    }
}

/// Why something is to be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// Somebody named it, and maybe said that they do not want to be asked.
    Named { yes: bool },
    /// Its command was used.
    Used,
}

impl<'a> World<'a> {
    pub(crate) fn new(ctx: &'a Ctx) -> Result<Self> {
        let data = ctx::data_home().ok_or_else(|| {
            Error::failure("there is no directory for plugins")
                .hint("set HOME or XDG_DATA_HOME to a directory of yours")
        })?;
        let own = ctx.own_config()?.app.plugins.clone();
        let here = &ctx.config().app.plugins;
        Ok(Self { ctx, home: Home::new(data.join("jp")), here, own })
    }

    /// The registry as it was last fetched.
    pub(crate) fn registry(&self) -> Result<Option<Registry>> {
        Ok(cached(&self.home)?)
    }

    /// The registry as it was last fetched, or an error that says how to get it.
    pub(crate) fn needed_registry(&self) -> Result<Registry> {
        self.registry()?.ok_or_else(|| {
            Error::failure("the registry of plugins was never fetched")
                .hint("`jp plugin update` fetches it")
        })
    }

    /// Fetches the registry.
    pub(crate) async fn refresh(&self, fetch: &Fetch) -> Result<Registry> {
        let url: &str = &self.own.registry;
        if *self.here.registry != *url {
            let key = "plugins.registry";
            let place = self.ctx.config().place(key).unwrap_or_default();
            say(self.ctx, &format!("warning: {place}: `{key}` of a workspace is not used\n"))?;
        }
        let source = Source::parse(url).map_err(Error::usage)?;
        let refreshed = refresh(&self.home, fetch, &source, &Bar::new(self.ctx)).await;
        refreshed.map_err(|error| {
            // One that is there and cannot be read is no comfort.
            let hint = match cached(&self.home) {
                Ok(Some(_)) => "the registry that was there before is still in use",
                Ok(None) | Err(_) => "`plugins.registry` says where it is fetched from",
            };
            Error::failure(error).hint(hint)
        })
    }

    /// Fetches over the network as this machine does.
    pub(crate) fn fetch() -> Result<Fetch> {
        let upstream = Upstream::of_variables(&ctx::variables()).map_err(|error| {
            Error::usage(error).hint("`HTTP_PROXY` and `HTTPS_PROXY` name proxies by URL")
        })?;
        let ca_file = ctx::variable("SSL_CERT_FILE");
        let ca_file = (!ca_file.is_empty()).then(|| ca_file.into());
        Ok(Fetch::new(Fetcher::new(FetchSettings {
            upstream,
            ca_file,
            ..FetchSettings::default()
        })))
    }

    /// Waits for its turn to install.
    pub(crate) async fn installer(&self) -> Result<Installer<'_>> {
        Ok(Installer::begin(&self.home, PATIENCE).await?)
    }

    pub(crate) fn installed(&self) -> Installed {
        Installed::read(&self.home)
    }

    /// Plans to install plugins.
    pub(crate) fn plan(
        &self,
        registry: &Registry,
        wanted: &[CommandPath],
        why: Why,
    ) -> std::result::Result<Plan, PlanError> {
        let installed = self.installed();
        let recorded = |id: &PluginId| {
            let record = installed.plugins.get(id)?;
            (record.origin == Origin::Registry).then_some(record.sha256)
        };
        let world = jp_plugin_registry::World {
            registry,
            targets: &target_triples(),
            allow_files: self.own.registry.starts_with("file:"),
            judge: &|candidate| self.judge(candidate, why),
            // What cannot be read is not there: it is replaced, or that fails with the reason.
            have: &|id| self.home.sha256(id).ok().flatten(),
            recorded: &recorded,
        };
        plan(&world, wanted)
    }

    fn judge(&self, candidate: &Candidate<'_>, why: Why) -> Judgement {
        let entry = candidate.entry;
        if let Some(setting) = self.denied(&entry.id) {
            return Judgement::Denied { setting };
        }
        let is_wanted = match why {
            Why::Named { yes } => candidate.named && (yes || entry.official),
            Why::Used => false,
        };
        let by_itself = entry.official && self.here.auto_install && self.own.auto_install;
        let always = self.own_rules(&entry.id).and_then(|rules| rules.install) == Some(true);
        Judgement::May { ask: !(is_wanted || by_itself || always), pin: self.pin(&entry.id) }
    }

    /// The setting that denies a plugin, if there is one.
    pub(crate) fn denied(&self, id: &PluginId) -> Option<String> {
        let rules = self.rules(id);
        let key = |name: &str| Some(self.ctx.config().plugin_key(id.as_str(), &[name]));
        if rules.iter().any(|rules| rules.run == Some(PluginRun::Deny)) {
            return key("run");
        }
        if rules.iter().any(|rules| rules.install == Some(false)) { key("install") } else { None }
    }

    /// The checksum that a plugin must have. That of the user comes before that of a workspace.
    pub(crate) fn pin(&self, id: &PluginId) -> Option<Sha256> {
        let mut rules = self.rules(id).into_iter().rev();
        rules.find_map(|rules| Some(Sha256::from(&rules.checksum.as_ref()?.value)))
    }

    /// The id that a name means, for what is installed or could be.
    pub(crate) fn id(&self, name: &str) -> Result<PluginId> {
        let named = self.named(&Shelf::open(self.ctx, Wish::Unknown)?, name)?;
        named.id.parse().map_err(Error::usage)
    }

    /// What a name means: the plugin that this command runs, the one of this id, or one that could come.
    ///
    /// A plugin says itself what its command is, and anything in the search path may say what is the id of
    /// another. So nobody loses an id that is theirs to a command.
    pub(crate) fn named(&self, among: &Shelf, name: &str) -> Result<Named> {
        let known = |id: &str| Ok(Named { id: id.to_owned(), is_known: true });
        let command: Option<CommandPath> = name.parse().ok();
        // Plugins say themselves what their command is, and that need not be what their file is called.
        let runs = command.as_ref().and_then(|command| among.catalog.get(command.words()));
        let plugins = among.catalog.plugins();
        let of_id = plugins.iter().find(|plugin| plugin.id == name);
        if let Some(other) = runs.filter(|runs| runs.id != name) {
            if self.is_vouched_for(plugins, name)? {
                say(self.ctx, &format!("`{name}` is this id; `jp {name}` runs `{}`\n", other.id))?;
                return known(name);
            }
            return match of_id {
                None if !self.own.command.0.contains_key(name) => known(&other.id),
                _ => Err(ambiguous(name, &other.id)),
            };
        }
        let claims = |plugin: &&Plugin| Some(&plugin.command) == command.as_ref();
        match of_id.or_else(|| plugins.iter().find(claims)) {
            Some(plugin) => known(&plugin.id),
            None => self.listed(name),
        }
    }

    /// Whether this is the id of a plugin that is installed or in the registry.
    fn is_vouched_for(&self, plugins: &[Plugin], name: &str) -> Result<bool> {
        let is_it = |plugin: &Plugin| plugin.source != PluginSource::Path && plugin.id == name;
        let Ok(id) = name.parse::<PluginId>() else { return Ok(false) };
        let registry = self.registry()?.unwrap_or_default();
        let is_listed = registry.by_id(&id).is_some_and(|(_, entry)| entry.kind == Kind::Command);
        let is_recorded = self.installed().plugins.contains_key(&id);
        Ok(is_listed || is_recorded || plugins.iter().any(is_it))
    }

    /// The same for whoever only wants to know about the registry and what was installed from it. What is installed
    /// keeps its id, also when the registry has it no more and another with this command.
    pub(crate) fn listed(&self, name: &str) -> Result<Named> {
        let known = |id: &PluginId| Ok(Named { id: id.to_string(), is_known: true });
        let installed = self.installed();
        if let Some(id) = name.parse().ok().filter(|id| installed.plugins.contains_key(id)) {
            return known(&id);
        }
        let command: Option<CommandPath> = name.parse().ok();
        let registry = self.registry()?.unwrap_or_default();
        if let Some((_, entry)) = find(&registry, name) {
            return known(&entry.id);
        }
        let is_it = |it: &Record| command.is_some() && it.command == command;
        if let Some((id, _)) = installed.plugins.iter().find(|(_, it)| is_it(it)) {
            return known(id);
        }
        let file = command.map(|command| command.file_name());
        let by_file = file.as_deref().and_then(|file| file.strip_prefix(jp_plugin::PREFIX));
        let id: PluginId = name
            .parse()
            .or_else(|error| by_file.unwrap_or_default().parse().map_err(|_| error))
            .map_err(Error::usage)?;
        let is_known = installed.plugins.contains_key(&id);
        Ok(Named { id: id.to_string(), is_known })
    }

    fn rules(&self, id: &PluginId) -> Vec<&CommandPluginConfig> {
        let here = self.here.command.0.get(id.as_str());
        here.into_iter().chain(self.own_rules(id)).collect()
    }

    fn own_rules(&self, id: &PluginId) -> Option<&CommandPluginConfig> {
        self.own.command.0.get(id.as_str())
    }
}

/// A name that is the id of one plugin and the command of another, and neither has more of a right to it.
fn ambiguous(name: &str, runs: &str) -> Error {
    let message = format!("`{name}` is the id of one plugin, and the command of another, `{runs}`");
    Error::usage(message).hint(format!("`{runs}` names the one that `jp {name}` runs")).hint(
        format!("the other has the settings `plugins.command.{name}`, or is named by its command"),
    )
}

impl From<CacheError> for Error {
    fn from(error: CacheError) -> Self {
        Self::failure(error).hint("`jp plugin update` fetches the registry again")
    }
}

impl From<PlanError> for Error {
    fn from(error: PlanError) -> Self {
        match &error {
            PlanError::Denied { .. } => Self::new(Exit::Refused, error),
            PlanError::Pinned { id, .. } => {
                let hint = format!("`jp plugin pin {id} --sha256 …` pins another checksum");
                Self::new(Exit::Refused, error).hint(hint)
            }
            PlanError::Missing { required_by: None, .. } => Self::usage(error).hint(
                "`jp plugin search` lists what is there, `jp plugin update` fetches the list",
            ),
            _ => Self::failure(error),
        }
    }
}

impl From<InstallError> for Error {
    fn from(error: InstallError) -> Self {
        match &error {
            InstallError::Checksum { setting: Some(_), .. } => Self::new(Exit::Refused, error),
            InstallError::Locked { .. } => Self::failure(error).hint("try again when it is done"),
            _ => Self::failure(error),
        }
    }
}
