//! The gate: nothing is done for a tool that did not come through here.
//!
//! [`ToolAccess`] is what one tool may use in one run of jp: its rules, and what a person added to them
//! meanwhile. A [`Gate`] brings it together with the files of one call. What passes is a [`Granted`],
//! which nobody else can make and without which no handler does anything.
//!
//! A tool without rules for a kind of resource gets little by default: it may read the files of the
//! project, and nothing else. What goes beyond that is not denied by anybody, so a person can be asked.

mod refusals;
pub(crate) mod words;
mod workplace;

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_project::{ProjectFiles, Rules};
use jp_tool::{
    access::{
        AccessPolicy, Capability, CommandRule, Commands, Decision, FsAccessError, FsRule,
        SensitiveGate,
    },
    vfs::{Call, ErrorCode, ErrorObject, ProcessRun},
};

pub use self::workplace::Changes;
pub(crate) use self::workplace::{Held, Place};
use self::{refusals::Refusals, workplace::Workplace};
use crate::{
    approve::{Approval, Approver, Wanted},
    record::{self, Decided},
    serve::Stop,
};

/// What one tool may use in one run of jp, for all its calls.
#[derive(Debug)]
pub struct ToolAccess {
    tool: String,
    key: String,
    sensitive: Option<Arc<SensitiveGate>>,
    /// What the configuration grants. What a person adds only ever grants more, so whether somebody has
    /// said no is asked here.
    configured: AccessPolicy,
    /// Whether there are no rules for files, so that what the default does not give is uncovered.
    files_by_default: bool,
    state: Mutex<State>,
    /// Held while a person is asked, so that nobody is asked the same twice.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct State {
    /// What is granted now; replaced as a whole when a person says yes.
    policy: Arc<AccessPolicy>,
    /// How often a person said yes to more than one request.
    version: u64,
    /// What a person said no to.
    refused: Refusals,
}

impl ToolAccess {
    /// What a tool may use by its rules. `key` is where it is configured: `conversation.tools.x`.
    pub fn new(
        tool: impl Into<String>,
        key: impl Into<String>,
        policy: Option<AccessPolicy>,
        sensitive: Option<Arc<SensitiveGate>>,
    ) -> Self {
        let mut policy = policy.unwrap_or_default();
        let files_by_default = policy.fs.is_empty();
        if files_by_default {
            policy.fs = vec![FsRule::new(".", [Capability::Read])].into();
        }
        // Absent means any program for other tools, and none here.
        policy.commands.get_or_insert_default();
        let configured = policy.clone();
        let state = State { policy: Arc::new(policy), version: 0, refused: Refusals::default() };
        let (tool, key, turn) = (tool.into(), key.into(), tokio::sync::Mutex::default());
        let state = Mutex::new(state);
        Self { tool, key, sensitive, configured, files_by_default, state, turn }
    }

    /// What the tool is called.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Where the tool is configured.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Waits until nobody else is asking for this tool.
    pub(crate) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// Whether a person has said yes to something since.
    pub(crate) fn has_changed_since(&self, means: &Means) -> bool {
        self.state().version != means.version
    }

    /// Whether a person said no to this already.
    pub(crate) fn was_refused(&self, wanted: &Wanted) -> bool {
        self.state().refused.contain(wanted)
    }

    /// Keeps what a person said, as far as it is about more than one request.
    pub(crate) fn learn(&self, wanted: &Wanted, approval: Approval) {
        if let (Wanted::Sensitive { path, .. }, Some(gate)) = (wanted, &self.sensitive) {
            gate.answer(path, approval != Approval::No);
            self.state().version += 1;
            return;
        }
        let mut state = self.state();
        match approval {
            Approval::No => state.refused.add(wanted),
            Approval::Run | Approval::Keep if wanted.can_be_a_rule() => {
                state.policy = Arc::new(widened(&state.policy, wanted));
                state.version += 1;
            }
            Approval::Once | Approval::Run | Approval::Keep => {}
        }
    }

    /// Whether the configuration itself says no to this.
    fn denies_file(&self, capability: Capability, path: &Utf8Path) -> bool {
        !self.files_by_default
            && matches!(self.configured.fs.decide(path, capability), Decision::Denied(_))
    }

    fn policy(&self) -> (Arc<AccessPolicy>, u64) {
        let state = self.state();
        (state.policy.clone(), state.version)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The gate of one call.
#[derive(Debug)]
pub struct Gate {
    access: Arc<ToolAccess>,
    /// The files without rules; nobody but the gate has them.
    project: Arc<dyn ProjectFiles>,
    means: Mutex<Arc<Means>>,
    workplace: Workplace,
}

/// What a request may use: the rules, and the files under them.
#[derive(Debug)]
pub struct Means {
    policy: Arc<AccessPolicy>,
    files: Arc<dyn ProjectFiles>,
    access: Arc<ToolAccess>,
    version: u64,
    /// Whether something of it is for one request only.
    is_once: bool,
}

/// A request that was let through, with what it may use.
#[derive(Debug)]
pub struct Granted<'a, P, M = dyn ProjectFiles>
where
    M: ?Sized,
{
    params: &'a P,
    means: &'a M,
}

// It only holds references, so it is `Copy` whatever they lead to; a derive would ask that.
impl<P, M: ?Sized> Clone for Granted<'_, P, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, M: ?Sized> Copy for Granted<'_, P, M> {}

impl<'a, P, M: ?Sized> Granted<'a, P, M> {
    /// What is to be done.
    pub fn params(&self) -> &'a P {
        self.params
    }

    /// What it may be done with.
    pub fn means(&self) -> &'a M {
        self.means
    }
}

impl Gate {
    /// A gate in front of these files. Where programs need a copy of them, it is made in `scratch`.
    pub fn new(
        access: Arc<ToolAccess>,
        project: Arc<dyn ProjectFiles>,
        scratch: Utf8PathBuf,
    ) -> Self {
        let (policy, version) = access.policy();
        let means = Means::new(&access, &project, policy, version, false);
        let (means, workplace) = (Mutex::new(Arc::new(means)), Workplace::new(scratch));
        Self { access, project, means, workplace }
    }

    /// Has it know of what is changed behind other gates in front of the same files.
    #[must_use]
    pub fn sharing(mut self, changes: Changes) -> Self {
        self.workplace.share(changes);
        self
    }

    /// Whose gate it is.
    pub fn access(&self) -> &ToolAccess {
        &self.access
    }

    /// Makes the directory in which programs work, if the rules let the tool start any. Otherwise it is
    /// made when a person has said yes to one. Where that fails nothing is lost but time: it is tried again for the
    /// first program, which is told why, and a tool that starts none need not know.
    pub async fn prepare(&self) {
        let means = self.means();
        let can_run = means.policy.commands.as_ref().is_some_and(|commands| !commands.is_empty());
        if can_run && let Err(error) = self.workplace.prepare(&means).await {
            tracing::debug!(
                tool = self.access.tool(),
                "nothing was made ahead: {}",
                error.message()
            );
        }
    }

    /// The directory for one program, with the files as they are now. It keeps the turn until it is gone.
    pub(crate) async fn workplace(
        &self,
        means: &Means,
        turn: Option<Held>,
    ) -> Result<Place, ErrorObject> {
        self.workplace.take(means, turn).await
    }

    /// Waits until what programs changed is brought back, and the copies in which they worked are gone. For
    /// when nothing more is asked of it.
    pub async fn settled(&self) {
        self.workplace.settled().await;
    }

    /// Says that files may have changed, so that a copy that was made before is out of date.
    pub(crate) fn note_change(&self) {
        self.workplace.forget();
    }

    /// Whether answers about files cost next to nothing.
    pub(crate) fn is_quick(&self) -> bool {
        self.project.is_quick()
    }

    /// What a request may use now.
    pub(crate) fn means(&self) -> Arc<Means> {
        let mut means = self.means.lock().unwrap_or_else(PoisonError::into_inner);
        if self.access.has_changed_since(&means) {
            let (policy, version) = self.access.policy();
            *means = Arc::new(Means::new(&self.access, &self.project, policy, version, false));
        }
        means.clone()
    }

    /// The same with what a person said yes to for one request.
    pub(crate) fn means_with(&self, once: &[Wanted]) -> Arc<Means> {
        if once.is_empty() {
            return self.means();
        }
        let (policy, version) = self.access.policy();
        let wide = once.iter().fold((*policy).clone(), |policy, one| widened(&policy, one));
        Arc::new(Means::new(&self.access, &self.project, Arc::new(wide), version, true))
    }
}

impl Means {
    fn new(
        access: &Arc<ToolAccess>,
        project: &Arc<dyn ProjectFiles>,
        policy: Arc<AccessPolicy>,
        version: u64,
        is_once: bool,
    ) -> Self {
        let rules = Rules { policy: Some((*policy).clone()), sensitive: access.sensitive.clone() };
        let (files, access) = (project.under(rules), access.clone());
        Self { policy, files, access, version, is_once }
    }

    /// The rules.
    pub(crate) fn policy(&self) -> &AccessPolicy {
        &self.policy
    }

    /// Lets a request about files through: the view itself judges it, in the same act.
    pub(crate) fn files<'a, P>(&'a self, params: &'a P) -> Granted<'a, P> {
        Granted { params, means: self.files.as_ref() }
    }

    /// Lets a request to the network through: whoever sends it asks the rules at each hop.
    pub(crate) fn network<'a, P>(&'a self, params: &'a P) -> Granted<'a, P, AccessPolicy> {
        Granted { params, means: &self.policy }
    }

    /// Lets a program be started, if there is a rule for it. What a person could be asked is only put together where
    /// there is one: it has all arguments.
    pub(crate) fn command<'a>(
        &'a self,
        params: &'a ProcessRun,
        approver: &dyn Approver,
    ) -> Result<Granted<'a, ProcessRun, CommandRule>, Stop> {
        let ProcessRun { program, args, .. } = params;
        if let Decision::Allowed(means) = self.policy.decide_command(program, args) {
            return Ok(Granted { params, means });
        }
        if let Decision::Denied(rule) = self.access.configured.decide_command(program, args) {
            let granted = words::arguments(rule);
            let message = format!("access denied: run {program:?} with these arguments; {granted}");
            return Err(denied(message));
        }
        let granted = words::programs(self.policy.commands.as_ref());
        let denial = format!("access denied: run {program:?}; {granted}");
        if !approver.can_ask() {
            return Err(denied(unattended(&denial)));
        }
        let wanted = Wanted::Command { program: program.clone(), args: args.clone() };
        Err(Stop::ask(wanted, denial))
    }

    /// What a refusal of the files means for the tool.
    pub(crate) fn refused(&self, error: &FsAccessError) -> Stop {
        match error {
            FsAccessError::Denied { capability, target, .. } => {
                let grants = words::files(&self.policy);
                let denial = format!("access denied: {capability} on {target}; {grants}");
                let capability =
                    Capability::ALL.into_iter().find(|one| one.as_str() == *capability);
                match capability {
                    Some(capability) if !self.access.denies_file(capability, target) => {
                        let wanted = Wanted::Fs { capability, path: target.clone() };
                        Stop::ask(wanted, denial)
                    }
                    _ => denied(denial),
                }
            }
            FsAccessError::Sensitive(sensitive) => {
                if sensitive.asked {
                    return denied(format!("access denied: {sensitive}"));
                }
                let (path, pattern) = (sensitive.path.clone(), sensitive.pattern.clone());
                let denial = format!("access denied: {path} is sensitive (`{pattern}`)");
                Stop::ask(Wanted::Sensitive { path, pattern }, denial)
            }
            other => denied(format!("access denied: {other}")),
        }
    }

    /// The rules that decided about a call, for records: each once, and by what is written in the call. None, where
    /// it was a person who decided, or something else than what these rules say.
    pub(crate) fn rules_for(&self, call: &Call, decided: Decided) -> Option<String> {
        let is_allowed = match decided {
            Decided::Allowed => true,
            Decided::Denied => false,
            _ => return None,
        };
        match call {
            Call::HttpGet(params) => words::rule_for_url(&self.policy, &params.url, is_allowed),
            Call::HttpPost(params) => words::rule_for_url(&self.policy, &params.url, is_allowed),
            Call::ProcessRun(params) => words::rule_for_program(&self.policy, params, is_allowed),
            _ => self.rules_for_paths(&record::paths(call)),
        }
    }

    fn rules_for_paths(&self, paths: &[&str]) -> Option<String> {
        let by_default = self.access.files_by_default;
        let rules = paths.iter().take(words::MOST);
        let mut rules: Vec<_> =
            rules.filter_map(|path| words::rule_for(&self.policy, path, by_default)).collect();
        rules.dedup();
        (!rules.is_empty()).then(|| rules.join("; "))
    }
}

/// A denial where a person could say yes, but there is none.
pub(crate) fn unattended(denial: &str) -> String {
    format!("{denial}; nobody can be asked")
}

fn denied(message: String) -> Stop {
    Stop::Refused(ErrorObject::new(ErrorCode::AccessDenied, message))
}

/// The policy with exactly this on top.
fn widened(policy: &AccessPolicy, wanted: &Wanted) -> AccessPolicy {
    let mut policy = policy.clone();
    match wanted {
        Wanted::Fs { capability, path } => {
            // The most specific rule decides alone, so it repeats what held there before.
            let had = Capability::ALL.into_iter().filter(|one| policy.check(*one, path).is_ok());
            let rule = FsRule::new(path.clone(), had.chain([*capability]));
            policy.fs = policy.fs.iter().cloned().chain([rule]).collect::<Vec<_>>().into();
        }
        Wanted::Net { rule, .. } => policy.net.push(rule.clone()),
        Wanted::Command { program, args } => {
            let had = policy.commands.iter().flat_map(|commands| commands.iter());
            let had = had.map(|(program, rule)| (program.clone(), rule.clone()));
            let mut commands: std::collections::BTreeMap<_, _> = had.collect();
            let rule = commands
                .entry(program.clone())
                .or_insert_with(|| CommandRule { args: Some(Vec::new()), envs: Vec::new() });
            if let Some(lists) = &mut rule.args {
                lists.push(args.clone());
            }
            policy.commands = Some(commands.into_iter().collect::<Commands>());
        }
        // The gate for sensitive paths remembers the answer itself.
        Wanted::Sensitive { .. } => {}
    }
    policy
}

impl Wanted {
    /// Whether a yes can hold for more than one request. The last argument `**` cannot be told from the
    /// `**` of a rule, which stands for any arguments.
    pub fn can_be_a_rule(&self) -> bool {
        match self {
            Self::Command { args, .. } => args.iter().all(|arg| arg != "**"),
            Self::Fs { .. } | Self::Sensitive { .. } | Self::Net { .. } => true,
        }
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fs { capability, path } => write!(f, "{} {path}", capability.as_str()),
            Self::Sensitive { path, pattern } => write!(f, "use {path}, sensitive by `{pattern}`"),
            Self::Net { url, .. } => write!(f, "request {url}"),
            Self::Command { program, args } => {
                write!(f, "run {program}")?;
                args.iter().try_for_each(|arg| write!(f, " {arg}"))
            }
        }
    }
}
