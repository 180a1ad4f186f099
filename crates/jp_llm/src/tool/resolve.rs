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
mod mcp;

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
    conversation::tool::{
        ResultMode, RunMode, Runtime, Tool as ConfiguredTool, source::ToolSource,
    },
};
use jp_confine::{Confiner, Covered, Needs};
use jp_tool::{SchemaResponse, SessionAction, Tool, ToolSchema, access::SensitiveGate};
use jp_vfs::ToolAccess;
use serde_json::{Map, Value};

pub use self::{
    error::{Offer, ResolveError},
    mcp::Listed,
};
use super::{
    arguments::Validator,
    context::Place,
    definition::{self, Origin, ToolDefinition, ToolDocs},
    inquiry::{Settled, SettledAnswer},
    live::{LiveRuntime, once::Once},
    local::{BUNDLED, LocalProgram, Machine},
    mcp::{McpWorld, Servers},
    merge::{self, Origins, Overrides},
    outcome::{Cause, Failure},
    runtime::{
        ToolRuntime,
        builtin::{Builtin, BuiltinRuntime},
        stdio::{StdioRuntime, live::StdioLive},
        vfs::{VfsRuntime, VfsTool, VfsWorld, live::VfsLive},
    },
    schema_query::{SchemaQueries, cache::Cache},
    template::CommandTemplate,
};

/// A tool that can be called.
#[derive(Debug)]
pub struct ResolvedTool {
    /// What the model is told.
    pub definition: ToolDefinition,
    /// What it is told when it asks.
    pub docs: ToolDocs,
    /// Who said what of that.
    pub origins: Origins,
    /// What the configuration says about its calls.
    pub settings: CallSettings,
    /// Whether its program has described it, and so understands what else it may be asked.
    pub describes_itself: bool,
    /// What executes it.
    pub runtime: Arc<dyn ToolRuntime>,
    /// What starts it so that it stays alive, if it can.
    pub live: Option<Arc<dyn LiveRuntime>>,
    /// What its program calls it.
    pub name_at_source: String,
    pub(crate) validator: Validator,
}

/// What the configuration says about the calls of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct CallSettings {
    /// What happens before it runs.
    pub run: RunMode,
    /// What happens to its result.
    pub result: ResultMode,
    /// How often it is tried again after a passing failure.
    pub retries: u32,
    /// What it is given beside its arguments.
    pub options: Map<String, Value>,
    /// Its questions, by id.
    pub questions: indexmap::IndexMap<String, Settled>,
}

impl ResolvedTool {
    /// The arguments of a call, complete and checked.
    pub fn prepare(&self, arguments: Map<String, Value>) -> Result<Map<String, Value>, Failure> {
        let prepared = self.validator.prepare(arguments);
        prepared.map_err(|error| Failure::new(Cause::Arguments, error.to_string()))
    }

    /// The call as the tool gets it.
    pub fn invocation(&self, arguments: Map<String, Value>, answers: Map<String, Value>) -> Tool {
        let (name, options) = (self.name_at_source.clone(), self.settings.options.clone());
        Tool { name, arguments, answers, options }
    }

    /// What is settled about one of its questions.
    pub fn settled(&self, question: &str) -> Settled {
        self.settings.questions.get(question).cloned().unwrap_or_default()
    }

    /// Settles the answer to one of its questions for the calls to come.
    pub fn settle(&mut self, question: &str, answer: SettledAnswer) {
        self.settings.questions.entry(question.to_owned()).or_default().answer = Some(answer);
    }
}

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
            let Ok(server) = self.server(server) else { return Vec::new() };
            return server.covered().await;
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
            answer.map_err(|source| ResolveError::Describe { name: name.to_owned(), source })?
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

/// How a tool runs.
struct Runs {
    runtime: Arc<dyn ToolRuntime>,
    live: Option<Arc<dyn LiveRuntime>>,
    described: bool,
}

/// How the program of a local tool is run.
enum ProgramKind {
    Stdio,
    /// Under these rights, in this world.
    Sealed(Arc<ToolAccess>, VfsWorld),
}

impl ProgramKind {
    /// A program that has described itself; with actions, it stays alive.
    fn runs(self, program: Arc<LocalProgram>, actions: Option<Vec<SessionAction>>) -> Runs {
        let patience = program.timeout;
        let (runtime, live): (Arc<dyn ToolRuntime>, Arc<dyn LiveRuntime>) = match self {
            Self::Stdio => {
                (Arc::new(StdioRuntime::new(program.clone())), Arc::new(StdioLive::new(program)))
            }
            Self::Sealed(access, world) => {
                let tool = VfsTool { program, access, world };
                (Arc::new(VfsRuntime::new(tool.clone())), Arc::new(VfsLive::new(tool)))
            }
        };
        let Some(actions) = actions else { return Runs { runtime, live: None, described: true } };
        let once = Once::new(live.clone(), actions, patience);
        Runs { runtime: Arc::new(once), live: Some(live), described: true }
    }
}

fn finish(
    tool: ConfiguredTool<'_>,
    schema: ToolSchema,
    origins: Origins,
    runs: Runs,
) -> Result<ResolvedTool, ResolveError> {
    let (definition, docs) = definition::split(tool.name, schema);
    let validator = Validator::new(&definition).map_err(|error| ResolveError::Definition {
        name: tool.name.to_owned(),
        what: error.to_string(),
    })?;
    Ok(ResolvedTool {
        definition,
        docs,
        origins,
        settings: settings(tool),
        // A tool that stays alive is only ever run.
        describes_itself: runs.described && runs.live.is_none(),
        runtime: runs.runtime,
        live: runs.live,
        name_at_source: tool.name_at_source().to_owned(),
        validator,
    })
}

fn settings(tool: ConfiguredTool<'_>) -> CallSettings {
    let config = tool.config;
    let questions = config.questions.iter().map(|(id, question)| {
        let answer = question.answer.clone().map(SettledAnswer::Value);
        let settled = Settled { answer, target: question.target };
        (id.clone(), settled)
    });
    CallSettings {
        run: config.run,
        result: config.result,
        retries: config.retries,
        options: config.options.clone(),
        questions: questions.collect(),
    }
}
