//! The program of a local tool: found, confined by its tool's own rules, and started.
//!
//! Whatever the program is started for (a call, its description, a session), it is started here, so that
//! there is no way to run it with other rights.

use std::{ffi::OsString, sync::Arc, time::Duration};

use camino::{Utf8Path, Utf8PathBuf};
use jp_confine::{
    Command, ConfineError, Confiner, Covered, Needs, Prepared, ResolveError, Running, Streams,
    Subject,
};
use jp_process::{FindError, Input, Output, find_program};
use jp_sandbox::{confinement::Tier, machine::Feature, plan::Lifetime};
use jp_tool::{Action, Invocation, Tool};
use serde_json::{Map, Value};
use thiserror::Error;

use super::{
    context::{Place, tool_context},
    sealed::SealedProgram,
    template::{CommandTemplate, TemplateError},
};

/// The name of the program with the tools that come with jp. It means jp itself, whatever else of that
/// name may lie in the search path: nothing has to be installed, and nothing can lie in wait.
pub const BUNDLED: &str = "jp-tools";

/// The first argument that makes jp serve the tools that come with it.
pub const SERVE_BUNDLED: &str = "__tools";

/// What is the same for the programs of all local tools.
#[derive(Debug, Clone)]
pub struct Machine {
    /// The program of jp itself.
    pub jp: Utf8PathBuf,
    /// Where programs are looked for, in the form of `PATH`.
    pub search: OsString,
}

/// The program of one tool.
#[derive(Debug)]
pub(crate) struct LocalProgram {
    pub(crate) confiner: Arc<Confiner>,
    pub(crate) machine: Machine,
    /// Where the tool is configured, for messages: `conversation.tools.x`.
    pub(crate) key: String,
    pub(crate) place: Place,
    pub(crate) needs: Needs,
    /// Sensitive paths that a person said yes to.
    pub(crate) approved: Vec<Utf8PathBuf>,
    /// Whether somebody was asked about all that is sensitive and granted.
    pub(crate) was_asked: bool,
    pub(crate) template: CommandTemplate,
    pub(crate) timeout: Duration,
    /// What the configuration hands to the tool; it can depend on that what the tool is.
    pub(crate) options: Map<String, Value>,
    /// Files that belong to the program, where it runs sealed.
    pub(crate) program_files: Vec<Utf8PathBuf>,
    /// Whether it runs sealed.
    pub(crate) is_sealed: bool,
}

/// Why a program did not start.
#[derive(Debug, Error)]
pub enum StartError {
    /// Its command line cannot be made.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// It cannot be found.
    #[error(transparent)]
    Find(#[from] FindError),
    /// Its path is not text.
    #[error("the path of the program is not UTF-8: {0}")]
    Path(String),
    /// What it changes should be held back, and cannot be.
    #[error("changes cannot be kept apart, so they cannot be shown before they are made")]
    NotApart {
        /// Whether that is because nothing is confined.
        off: bool,
    },
    /// A file that belongs to it is a directory with the whole workspace in it.
    #[error("{0} belongs to the program and holds the workspace, which a sealed tool must not see")]
    ShowsAll(Utf8PathBuf),
    /// It is not known what belongs to it.
    #[error(transparent)]
    Parts(#[from] ResolveError),
    /// It cannot be confined by the rules of its tool, or not be started.
    #[error(transparent)]
    Confine(#[from] ConfineError),
}

/// What will be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// The file as it is executed.
    pub(crate) path: Utf8PathBuf,
    /// The file that is.
    pub(crate) canonical: Utf8PathBuf,
    /// The words, the name of the program first.
    pub(crate) words: Vec<String>,
}

impl LocalProgram {
    /// Starts the program for this invocation; all its streams are pipes. With `hold`, everything it
    /// writes is kept apart. A call for which that is not possible does not start; a question about the
    /// tool itself does, because it has to be asked, and only a broken program writes then.
    pub(crate) async fn start(
        &self,
        invocation: &Invocation,
        hold: bool,
    ) -> Result<(Running, Vec<String>), StartError> {
        let found = self.find(invocation)?;
        let prepared = self.confiner.prepare(self.subject(&found, hold)).await?;
        if hold && invocation.context.action == Action::Run {
            self.can_keep_apart(&prepared).await?;
        }
        let mut warnings: Vec<_> = prepared.warning.iter().cloned().collect();
        // Who only describes itself needs nothing that is sensitive.
        if !self.was_asked && invocation.context.action == Action::Run {
            warnings.extend(hidden(&prepared.covered(), &self.place.root));
        }
        let command = Command {
            path: &found.path,
            args: found.words.iter().map(OsString::from).collect(),
            extra: Vec::new(),
            directory: prepared.directory([self.place.root.as_path()]),
            // Handing every path to an observer costs more than the work of a tool that opens
            // thousands. Ours say themselves what they were denied, and by which rule; and of many
            // programs that are asked what they are, nobody reads what they were denied.
            observe: found.words[0] != BUNDLED && invocation.context.action != Action::Schema,
            sha256: None,
        };
        Ok((self.confiner.start(prepared, command, piped()).await?, warnings))
    }

    /// Starts the program where it sees nothing but itself; all its streams are pipes. What it may use is
    /// for the one who serves its requests to judge, so its rules are not needed here.
    pub(crate) async fn start_sealed(
        &self,
        invocation: &Invocation,
    ) -> Result<(Running, Vec<String>), StartError> {
        let program = SealedProgram {
            confiner: &self.confiner,
            machine: &self.machine,
            key: &self.key,
            root: &self.place.root,
            template: &self.template,
            program_files: &self.program_files,
        };
        program.start(invocation).await
    }

    async fn can_keep_apart(&self, prepared: &Prepared) -> Result<(), StartError> {
        let machine = self.confiner.machine().await.map_err(ConfineError::from)?;
        if prepared.plan.tier == Tier::Namespaces && machine.has(Feature::Overlay) {
            return Ok(());
        }
        Err(StartError::NotApart { off: prepared.plan.off })
    }

    /// Whether a call whose changes are kept apart leaves nothing behind. Of the tools that come with jp
    /// that is known. Another program could send something over the network, or write to places outside
    /// of the workspace that it was given.
    pub(crate) fn leaves_nothing(&self) -> bool {
        self.template.literal() == Some(BUNDLED)
    }

    /// What is sensitive, granted to the program, and not approved yet.
    pub(crate) async fn covered(&self, tool: &str) -> Result<Vec<Covered>, StartError> {
        let found = self.find(&self.without_a_call(tool, Action::Run))?;
        Ok(self.confiner.plan(self.subject(&found, false)).await?.covered())
    }

    /// What the program is told where there is no call.
    pub(crate) fn without_a_call(&self, tool: &str, action: Action) -> Invocation {
        let (name, options) = (tool.to_owned(), self.options.clone());
        tool_context(&self.place, Tool { name, options, ..Tool::default() }, action)
    }

    fn subject<'a>(&'a self, found: &'a Found, hold: bool) -> Subject<'a> {
        Subject {
            policy: self.place.access.as_ref(),
            key: &self.key,
            root: &self.place.root,
            profile: None,
            lifetime: Lifetime::Call,
            transactional: hold,
            needs: &self.needs,
            approved: &self.approved,
            program: &found.canonical,
            program_files: &[],
        }
    }

    /// What would be executed for this invocation.
    pub(crate) fn find(&self, invocation: &Invocation) -> Result<Found, StartError> {
        let rendered = self.template.render(invocation)?;
        if rendered.program == BUNDLED {
            let words = [BUNDLED.to_owned(), SERVE_BUNDLED.to_owned()];
            let words = words.into_iter().chain(rendered.args).collect();
            let (path, canonical) = (self.machine.jp.clone(), self.machine.jp.clone());
            return Ok(Found { path, canonical, words });
        }
        let root = self.place.root.as_std_path();
        let path = find_program(rendered.program.as_ref(), &self.machine.search, root)?;
        let path =
            Utf8PathBuf::try_from(path).map_err(|error| StartError::Path(error.to_string()))?;
        let canonical = canonical(&path)?;
        let words = std::iter::once(rendered.program).chain(rendered.args).collect();
        Ok(Found { path, canonical, words })
    }
}

/// All streams as pipes.
pub(super) fn piped() -> Streams {
    Streams { stdin: Input::Pipe, stdout: Output::Pipe, stderr: Output::Pipe }
}

/// What to say about sensitive paths that nobody was asked about.
pub(crate) fn hidden(covered: &[Covered], root: &Utf8Path) -> Option<String> {
    let shown = |one: &Covered| {
        let path = one.path.strip_prefix(root).unwrap_or(&one.path);
        format!("`{path}`")
    };
    let names: Vec<_> = covered.iter().take(5).map(shown).collect();
    let more = covered.len() - names.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let names = names.join(", ");
    (!covered.is_empty())
        .then(|| format!("sensitive, granted, and hidden because nobody was asked: {names}{more}"))
}

fn canonical(path: &Utf8Path) -> Result<Utf8PathBuf, StartError> {
    path.canonicalize_utf8().map_err(|error| StartError::Path(format!("{path}: {error}")))
}
