//! From the configuration of a tool to what it is and how it runs.
//!
//! | source | what it is comes from | runs as |
//! |---|---|---|
//! | `local`, with `parameters` | the configuration | a program |
//! | `local`, without | its program, which is asked, with the configuration on top | a program |
//! | `local`, with `runtime = "vfs"` | the same | a sealed program |
//! | `builtin` | jp, with the configuration on top | part of jp |
//! | `mcp.<server>.<tool>` | the server, with the configuration on top | a call to the server |

mod error;
mod listed;
mod login;
mod mcp;
mod resolved;
mod runs;
mod server;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use camino::Utf8PathBuf;
use jp_config::{
    Config, Policies,
    conversation::tool::{Runtime, Tool as ConfiguredTool, source::ToolSource},
};
use jp_confine::{Confiner, Covered, Needs};
use jp_tool::{SchemaResponse, ToolSchema, access::SensitiveGate};
use jp_vfs::ToolAccess;

pub(in crate::tool) use self::error::is_listed;
use self::runs::{ProgramKind, Runs, finish};
pub use self::{
    error::{Offer, ResolveError},
    listed::{Listed, Listing},
    resolved::{CallSettings, ResolvedTool, Served},
};
use super::{
    context::Place,
    definition::Origin,
    local::{BUNDLED, LocalProgram, Machine},
    mcp::{McpWorld, Servers},
    merge::{self, Origins, Overrides},
    runtime::{
        builtin::{Builtin, BuiltinRuntime},
        vfs::VfsWorld,
    },
    schema_query::{SchemaQueries, cache::Cache},
    template::CommandTemplate,
};

/// What resolving tools needs to know, beside the configuration.
#[derive(Debug)]
pub struct World {
    /// The root of the workspace, canonical.
    pub root: Utf8PathBuf,
    /// The id of the workspace.
    pub workspace_id: Option<String>,
    /// The conversation that asks.
    pub conversation_id: Option<String>,
    /// Programs.
    pub machine: Machine,
    /// Where descriptions are kept; `None` to keep none.
    pub cache: Option<Utf8PathBuf>,
    /// Whether kept descriptions are passed over.
    pub refresh: bool,
    /// What the tools that come with jp say about themselves.
    pub bundled: SchemaResponse,
    /// What sealed tools are served with.
    pub vfs: VfsWorld,
    /// What a rule alone does not let them have.
    pub sensitive: Arc<SensitiveGate>,
}

/// Resolves the tools of one configuration.
#[derive(Debug)]
pub struct Resolver {
    config: Config,
    policies: Policies,
    confiner: Arc<Confiner>,
    needs: fn(&jp_config::sandbox::SystemConfig) -> Needs,
    world: World,
    queries: SchemaQueries,
    /// Sensitive paths that a person said yes to.
    approved: Mutex<Vec<Utf8PathBuf>>,
    was_asked: AtomicBool,
    /// What sealed tools may use, by name: what a person said yes to holds for all their calls.
    accesses: Mutex<HashMap<String, Arc<ToolAccess>>>,
    servers: Servers,
}

impl Resolver {
    /// Resolves nothing yet.
    pub fn new(
        config: Config,
        policies: Policies,
        confiner: Arc<Confiner>,
        needs: fn(&jp_config::sandbox::SystemConfig) -> Needs,
        world: World,
        mcp: McpWorld,
    ) -> Self {
        let servers = Servers::new(mcp, world.root.clone());
        let cache = world.cache.clone().map(|directory| Cache::new(directory, world.refresh));
        let queries = SchemaQueries::new(cache);
        let (approved, was_asked, accesses) = Default::default();
        Self {
            config,
            policies,
            confiner,
            needs,
            world,
            queries,
            approved,
            was_asked,
            accesses,
            servers,
        }
    }

    /// The names of all tools, in the order of the configuration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.config.app.conversation.tools.iter().map(|tool| tool.name)
    }

    /// Lets the tools that are resolved from now on see these sensitive paths, as far as their rules
    /// grant them.
    pub fn approve(&self, paths: impl IntoIterator<Item = Utf8PathBuf>) {
        let mut approved = self.approved.lock().unwrap_or_else(PoisonError::into_inner);
        for path in paths {
            // Sealed tools name the files of the workspace by where they are in it.
            if let Ok(inside) = path.strip_prefix(&self.world.root) {
                self.world.sensitive.answer(inside, true);
            }
            approved.push(path);
        }
        // A server that was looked at before somebody said yes knows nothing of it.
        self.servers.forget();
    }

    fn approved(&self) -> Vec<Utf8PathBuf> {
        self.approved.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What has to be said about how programs were confined while they described themselves, once.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        self.queries.warnings().into_iter()
    }

    /// What is sensitive, granted to this tool, and not approved yet, so that somebody can be asked;
    /// where this is not called, a warning says what stays hidden. Nothing for a tool that cannot be
    /// run: why not is said when it is resolved.
    pub async fn covered(&self, name: &str) -> Vec<Covered> {
        self.was_asked.store(true, Ordering::Relaxed);
        let Some(tool) = self.config.app.conversation.tools.get(name) else { return Vec::new() };
        if let ToolSource::Mcp { server, .. } = tool.source {
            return self.covered_by_server(server).await;
        }
        // Such a tool is asked about when it wants something, not before.
        if tool.config.runtime == Runtime::Vfs {
            return Vec::new();
        }
        let Ok(program) = self.program(tool) else { return Vec::new() };
        program.covered(tool.name_at_source()).await.unwrap_or_default()
    }

    /// The tool of this name.
    pub async fn resolve(self: &Arc<Self>, name: &str) -> Result<ResolvedTool, ResolveError> {
        let Some(tool) = self.config.app.conversation.tools.get(name) else {
            if let Some(tool) = self.of_any_server(name).await? {
                return Ok(tool);
            }
            let nearest = jp_config::nearest(name, self.names()).map(ToOwned::to_owned);
            return Err(ResolveError::Unknown { name: name.to_owned(), nearest });
        };
        match tool.source {
            ToolSource::Local { .. } => self.local(tool).await,
            ToolSource::Builtin { .. } => self.builtin(tool),
            ToolSource::Mcp { .. } => self.mcp(tool).await,
        }
    }

    async fn local(
        self: &Arc<Self>,
        tool: ConfiguredTool<'_>,
    ) -> Result<ResolvedTool, ResolveError> {
        let (name, config) = (tool.name, tool.config);
        let kind = match config.runtime {
            Runtime::Stdio => ProgramKind::Stdio,
            Runtime::Vfs => ProgramKind::Sealed(self.access(name), self.world.vfs.clone()),
            Runtime::Wasm => {
                let what = "this jp does not run tools with `runtime = \"wasm\"`".to_owned();
                return Err(ResolveError::Unsupported { name: name.to_owned(), what });
            }
        };
        let program = Arc::new(self.program(tool)?);
        let overrides = Overrides::of(config);
        if let Some(schema) = overrides.whole(name) {
            let origins = Origins::all(&schema, Origin::Config);
            let runs = Runs { described: false, ..kind.runs(program, None) };
            return finish(tool, schema, origins, runs);
        }
        let wanted = tool.name_at_source();
        let schema = self.described(&program, name, wanted).await?;
        if schema.name != wanted && wanted != name {
            self.queries.warn(vec![format!(
                "tool `{name}`: its program offers no `{wanted}`, only `{}`, which is taken",
                schema.name
            )]);
        }
        let merged = merge::merge(schema, &overrides, Origin::Program);
        let (schema, origins) =
            merged.map_err(|source| ResolveError::Merge { name: name.to_owned(), source })?;
        let actions = schema.is_stateful().then(|| schema.actions.clone().unwrap_or_default());
        finish(tool, schema, origins, kind.runs(program, actions))
    }

    /// What the program says about one of its tools.
    async fn described(
        &self,
        program: &LocalProgram,
        name: &str,
        wanted: &str,
    ) -> Result<ToolSchema, ResolveError> {
        let answer = if program.template.literal() == Some(BUNDLED) {
            Arc::new(self.world.bundled.clone())
        } else {
            let answer = self.queries.describe(program, wanted).await;
            answer.map_err(|source| ResolveError::describe(name, program, source))?
        };
        let found = answer.tool(wanted).cloned();
        found.map_err(|source| ResolveError::Match { name: name.to_owned(), source })
    }

    fn program(&self, tool: ConfiguredTool<'_>) -> Result<LocalProgram, ResolveError> {
        let (name, config) = (tool.name, tool.config);
        let command = config.command.as_ref();
        let command = command.ok_or_else(|| ResolveError::NoCommand(name.to_owned()))?;
        let template = CommandTemplate::new(command).map_err(|source| ResolveError::Command {
            name: name.to_owned(),
            source: Arc::new(source),
        })?;
        Ok(LocalProgram {
            confiner: self.confiner.clone(),
            machine: self.world.machine.clone(),
            key: self.config.tool_key(name),
            place: self.place(name),
            needs: config.system.as_ref().map(self.needs).unwrap_or_default(),
            approved: self.approved(),
            was_asked: self.was_asked.load(Ordering::Relaxed),
            template,
            timeout: Duration::from_secs(config.timeout_secs.into()),
            options: config.options.clone(),
            program_files: config
                .program_files
                .0
                .iter()
                .map(|path| Utf8PathBuf::from(&**path))
                .collect(),
            is_sealed: config.runtime == Runtime::Vfs,
        })
    }

    /// What a sealed tool may use, the same for all its calls.
    fn access(&self, name: &str) -> Arc<ToolAccess> {
        let mut accesses = self.accesses.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || {
            let policy = self.policies.get(name).map(|tool| tool.policy.clone());
            let sensitive = Some(self.world.sensitive.clone());
            Arc::new(ToolAccess::new(name, self.config.tool_key(name), policy, sensitive))
        };
        accesses.entry(name.to_owned()).or_insert_with(make).clone()
    }

    fn place(&self, tool: &str) -> Place {
        Place {
            root: self.world.root.clone(),
            workspace_id: self.world.workspace_id.clone(),
            conversation_id: self.world.conversation_id.clone(),
            access: self.policies.get(tool).map(|tool| tool.policy.clone()),
        }
    }

    fn builtin(self: &Arc<Self>, tool: ConfiguredTool<'_>) -> Result<ResolvedTool, ResolveError> {
        let wanted = tool.name_at_source();
        let Some(builtin) = Builtin::ALL.into_iter().find(|builtin| builtin.name() == wanted)
        else {
            let all = Builtin::ALL.map(Builtin::name).join("`, `");
            return Err(ResolveError::Unsupported {
                name: tool.name.to_owned(),
                what: format!("nothing called `{wanted}` is built in, only `{all}`"),
            });
        };
        let merged = merge::merge(builtin.schema(), &Overrides::of(tool.config), Origin::Builtin);
        let (schema, origins) =
            merged.map_err(|source| ResolveError::Merge { name: tool.name.to_owned(), source })?;
        let runtime = Arc::new(BuiltinRuntime::new(builtin, self.clone()));
        finish(tool, schema, origins, Runs { runtime, live: None, described: false })
    }
}
