//! Tools that stay alive between calls.
//!
//! The model starts such a tool under an id of its choice and from then on talks to it by that id. Here
//! is what is alive, by id. Nothing outlives its [`Handles`]: what is dropped is ended.

pub mod once;
#[cfg(test)]
mod tests;

use std::{collections::HashMap, fmt, sync::Arc, time::Duration};

use jp_tool::{
    AnswerType, Blocks, ContentBlock, Question, SessionAction, ToolCommand, ToolError, ToolState,
};
use serde_json::{Map, Value};
use thiserror::Error;
use tokio::{sync::Mutex, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{
    held::Held,
    inquiry::fits,
    outcome::{Asked, Cause, Failure},
    runtime::BoxFuture,
};

/// How many tools may be alive at once.
const MOST: usize = 32;

/// How long a tool may take to answer when nobody wants it any more.
const FAREWELL: Duration = Duration::from_secs(2);

/// What can start a tool that stays alive.
pub trait LiveRuntime: fmt::Debug + Send + Sync {
    /// Starts it; with it comes what it says first.
    fn spawn<'a>(&'a self, spawn: Spawn<'a>) -> BoxFuture<'a, Result<Started<Alive>, Failure>>;
}

/// What came of a start.
#[derive(Debug)]
pub enum Started<T> {
    /// This.
    Alive(T),
    /// It has ended again, and wants to be started with the answer to this.
    Asks(Box<Asked>),
}

/// A tool that was just started.
#[derive(Debug)]
pub struct Alive {
    /// The tool.
    pub tool: Box<dyn LiveTool>,
    /// What it said first.
    pub state: ToolState,
    /// What has to be said about how it is confined.
    pub warnings: Vec<String>,
}

/// How a tool is started.
#[derive(Debug, Clone, Copy)]
pub struct Spawn<'a> {
    /// What it is called by its program.
    pub name: &'a str,
    /// The id it is alive under.
    pub id: &'a str,
    /// Its arguments.
    pub arguments: &'a Map<String, Value>,
    /// The answers to what it asked at earlier starts.
    pub answers: &'a Map<String, Value>,
    /// What the configuration gives it.
    pub options: &'a Map<String, Value>,
    /// What it can be told.
    pub actions: &'a [SessionAction],
    /// Whether what it changes is held back.
    pub hold: bool,
    /// Ends the attempt.
    pub cancel: &'a CancellationToken,
}

/// A tool that is alive. Dropped, it is ended.
pub trait LiveTool: fmt::Debug + Send {
    /// Tells it something and hears where it stands.
    fn tell<'a>(
        &'a mut self,
        command: &'a ToolCommand,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ToolState, Failure>>;

    /// Closes its input, sees to it that it ends soon, and hands over what it changed.
    fn end(self: Box<Self>) -> BoxFuture<'static, Result<Option<Held>, ToolError>>;
}

/// Ends a tool that nobody wants any more. What it says to that does not matter, and what it changed
/// is thrown away. One that does not understand `abort`, or does not listen, takes the end of its input
/// for it.
pub(crate) async fn abort(
    mut tool: Box<dyn LiveTool>,
    id: String,
    actions: &[SessionAction],
    cancel: &CancellationToken,
) {
    if actions.contains(&SessionAction::Abort) {
        let _ = timeout(FAREWELL, tool.tell(&ToolCommand::Abort { id }, cancel)).await;
    }
    let _ = tool.end().await;
}

/// The tools that are alive, by id.
#[derive(Debug, Default)]
pub struct Handles {
    live: Mutex<HashMap<String, Arc<Mutex<Slot>>>>,
}

#[derive(Debug)]
struct Slot {
    tool: String,
    /// Gone as soon as it has stopped.
    live: Option<Box<dyn LiveTool>>,
    actions: Vec<SessionAction>,
    question: Option<Question>,
}

/// Why a command was not carried out.
#[derive(Debug, Error)]
pub enum HandleError {
    /// The id is in use.
    #[error("`{0}` is already alive; choose another id, or abort it first")]
    InUse(String),
    /// Nothing is alive under that id.
    #[error("no tool is alive as `{id}`{}", listed(alive))]
    Unknown {
        /// The id.
        id: String,
        /// What is alive.
        alive: Vec<String>,
    },
    /// It belongs to another tool.
    #[error("`{id}` is alive, but it is `{tool}`")]
    Other {
        /// The id.
        id: String,
        /// The tool.
        tool: String,
    },
    /// Too much is alive.
    #[error("{MOST} tools are alive; abort one first")]
    TooMany,
    /// It was given something that is no answer to its question.
    #[error("the tool asks \"{question}\": {reason}")]
    Answer {
        /// What it asks.
        question: String,
        /// Why that is no answer.
        reason: String,
    },
    /// The tool failed; it is not alive any more.
    #[error("{}", .0.error)]
    Tool(Failure),
}

impl From<Failure> for HandleError {
    fn from(failure: Failure) -> Self {
        Self::Tool(failure)
    }
}

impl From<ToolError> for HandleError {
    fn from(error: ToolError) -> Self {
        Self::Tool(error.into())
    }
}

/// Whoever gave the command can do better, unless the tool itself failed.
impl From<HandleError> for Failure {
    fn from(error: HandleError) -> Self {
        match error {
            HandleError::Tool(failure) => failure,
            other => Self::new(Cause::Arguments, other.to_string()),
        }
    }
}

impl Handles {
    /// Starts a tool; what has to be said about how it is confined comes with its state.
    pub async fn spawn(
        &self,
        runtime: &dyn LiveRuntime,
        spawn: Spawn<'_>,
    ) -> Result<Started<(ToolState, Vec<String>)>, HandleError> {
        let (tool, actions) = (spawn.name.to_owned(), spawn.actions.to_vec());
        let slot = Arc::new(Mutex::new(Slot { tool, live: None, actions, question: None }));
        // Held from before others can see it, so that a command cannot come before the start.
        let mut held = slot.clone().try_lock_owned().map_err(|_| HandleError::TooMany)?;
        self.claim(spawn.id, slot).await?;
        let Alive { tool, state, warnings } = match runtime.spawn(spawn).await {
            Ok(Started::Alive(alive)) => alive,
            Ok(Started::Asks(asked)) => {
                self.live.lock().await.remove(spawn.id);
                return Ok(Started::Asks(asked));
            }
            Err(failure) => {
                self.live.lock().await.remove(spawn.id);
                return Err(failure.into());
            }
        };
        held.live = Some(tool);
        let state = self.heard(spawn.id, &mut held, state).await?;
        Ok(Started::Alive((state, warnings)))
    }

    /// Tells a tool something: `fetch`, `apply` or `abort`.
    pub async fn tell(
        &self,
        tool: &str,
        command: &ToolCommand,
        cancel: &CancellationToken,
    ) -> Result<ToolState, HandleError> {
        let id = command.id();
        let slot = self.slot(id).await?;
        let mut slot = slot.lock().await;
        if slot.tool != tool {
            return Err(HandleError::Other { id: id.to_owned(), tool: slot.tool.clone() });
        }
        if let ToolCommand::Apply { input, .. } = command {
            slot.accepts(input)?;
        }
        let Some(live) = slot.live.as_mut() else { return Err(self.unknown(id).await) };
        match live.tell(command, cancel).await {
            Ok(state) => self.heard(id, &mut slot, state).await,
            Err(error) => {
                slot.live = None;
                self.live.lock().await.remove(id);
                Err(error.into())
            }
        }
    }

    /// The ids of what is alive, with the tools they belong to.
    pub async fn alive(&self) -> Vec<String> {
        let mut ids: Vec<_> = self.live.lock().await.keys().cloned().collect();
        ids.sort_unstable();
        ids
    }

    /// Ends everything: politely, and all at the same time.
    pub async fn abort_all(&self, cancel: &CancellationToken) {
        let all: Vec<_> = self.live.lock().await.drain().collect();
        let mut ends = tokio::task::JoinSet::new();
        for (id, slot) in all {
            let cancel = cancel.clone();
            ends.spawn(async move {
                let mut slot = slot.lock().await;
                if let Some(tool) = slot.live.take() {
                    abort(tool, id, &slot.actions, &cancel).await;
                }
            });
        }
        ends.join_all().await;
    }

    async fn claim(&self, id: &str, slot: Arc<Mutex<Slot>>) -> Result<(), HandleError> {
        let mut live = self.live.lock().await;
        if live.contains_key(id) {
            return Err(HandleError::InUse(id.to_owned()));
        }
        if live.len() >= MOST {
            return Err(HandleError::TooMany);
        }
        live.insert(id.to_owned(), slot);
        Ok(())
    }

    async fn slot(&self, id: &str) -> Result<Arc<Mutex<Slot>>, HandleError> {
        let found = self.live.lock().await.get(id).cloned();
        match found {
            Some(slot) => Ok(slot),
            None => Err(self.unknown(id).await),
        }
    }

    async fn unknown(&self, id: &str) -> HandleError {
        HandleError::Unknown { id: id.to_owned(), alive: self.alive().await }
    }

    /// Notes where a tool stands. One that has stopped is not alive any more, and what it changed is
    /// made.
    async fn heard(
        &self,
        id: &str,
        slot: &mut Slot,
        state: ToolState,
    ) -> Result<ToolState, HandleError> {
        slot.question = match &state {
            ToolState::Waiting { question, .. } => Some(question.clone()),
            ToolState::Running { .. } | ToolState::Stopped { .. } => None,
        };
        if let ToolState::Stopped { .. } = state {
            let live = slot.live.take();
            self.live.lock().await.remove(id);
            if let Some(live) = live {
                make(live.end().await?)?;
            }
        }
        Ok(state)
    }
}

impl Slot {
    /// Whether an input can be given: to a waiting tool it is the answer to its question.
    fn accepts(&self, input: &Value) -> Result<(), HandleError> {
        let Some(question) = &self.question else { return Ok(()) };
        fits(&question.clone().into(), input)
            .map_err(|reason| HandleError::Answer { question: question.text.clone(), reason })
    }
}

/// Where a tool stands, as the result of a command to it.
pub fn to_blocks(state: ToolState) -> Blocks {
    let (status, content, question) = match state {
        ToolState::Running { content } => ("running", content, None),
        ToolState::Waiting { content, question } => ("waiting", content, Some(question)),
        ToolState::Stopped { result } => ("stopped", Some(result), None),
    };
    let mut blocks = vec![ContentBlock::text(format!("[{status}]"))];
    blocks.extend(content.into_iter().flat_map(|content| content.into_blocks().blocks));
    if let Some(Question { text, pre_amble, answer_type, .. }) = question {
        blocks.extend(pre_amble.map(ContentBlock::text));
        blocks.push(ContentBlock::text(match answer_type {
            AnswerType::Boolean => format!("{text} (true or false)"),
            AnswerType::Select { options } => format!("{text} (one of: {})", options.join(", ")),
            AnswerType::Text => text,
        }));
    }
    blocks.into()
}

/// Makes the changes of a tool that has stopped, and fails if not all of them may be made.
pub(crate) fn make(pending: Option<Held>) -> Result<(), ToolError> {
    let Some(pending) = pending else { return Ok(()) };
    let refused: Vec<_> = pending.reviewed().refused().iter().map(ToString::to_string).collect();
    let failed = pending.commit().failed.into_iter().map(|failure| failure.to_string());
    let trace: Vec<_> = refused.into_iter().chain(failed).collect();
    if trace.is_empty() {
        return Ok(());
    }
    Err(ToolError { trace, ..ToolError::new("not all changes of the tool were made") })
}

fn listed(alive: &[String]) -> String {
    if alive.is_empty() { String::new() } else { format!("; alive: {}", alive.join(", ")) }
}
