//! Tools that stay alive between calls.
//!
//! The model starts such a tool under an id of its choice and from then on talks to it by that id. Here
//! is what is alive, by id. Nothing outlives its [`Handles`]: what is dropped is ended.

pub mod once;
#[cfg(test)]
mod tests;

use std::{collections::HashMap, fmt, sync::Arc};

use jp_confine::Pending;
use jp_tool::{AnswerType, Blocks, ContentBlock, Question, ToolCommand, ToolError, ToolState};
use serde_json::{Map, Value};
use thiserror::Error;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::{inquiry::fits, runtime::BoxFuture};

/// How many tools may be alive at once.
const MOST: usize = 32;

/// What can start a tool that stays alive.
pub trait LiveRuntime: fmt::Debug + Send + Sync {
    /// Starts it; with it comes what it says first.
    fn spawn<'a>(&'a self, spawn: Spawn<'a>) -> BoxFuture<'a, Result<Started, ToolError>>;
}

/// A tool that was started, and what it said first.
pub type Started = (Box<dyn LiveTool>, ToolState);

/// How a tool is started.
#[derive(Debug, Clone, Copy)]
pub struct Spawn<'a> {
    /// What it is called by its program.
    pub name: &'a str,
    /// The id it is alive under.
    pub id: &'a str,
    /// Its arguments.
    pub arguments: &'a Map<String, Value>,
    /// What the configuration gives it.
    pub options: &'a Map<String, Value>,
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
    ) -> BoxFuture<'a, Result<ToolState, ToolError>>;

    /// Waits for the end of one that has stopped, and hands over what it changed.
    fn end(self: Box<Self>) -> BoxFuture<'static, Result<Option<Pending>, ToolError>>;
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
    #[error(transparent)]
    Tool(#[from] ToolError),
}

impl Handles {
    /// Starts a tool.
    pub async fn spawn(
        &self,
        runtime: &dyn LiveRuntime,
        spawn: Spawn<'_>,
    ) -> Result<ToolState, HandleError> {
        let slot = Slot { tool: spawn.name.to_owned(), live: None, question: None };
        let slot = Arc::new(Mutex::new(slot));
        // Held from before others can see it, so that a command cannot come before the start.
        let mut held = slot.clone().try_lock_owned().map_err(|_| HandleError::TooMany)?;
        self.claim(spawn.id, slot).await?;
        let started = runtime.spawn(spawn).await;
        let (live, state) = match started {
            Ok(started) => started,
            Err(error) => {
                self.live.lock().await.remove(spawn.id);
                return Err(error.into());
            }
        };
        held.live = Some(live);
        self.heard(spawn.id, &mut held, state).await
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
                let Some(mut live) = slot.lock().await.live.take() else { return };
                if live.tell(&ToolCommand::Abort { id }, &cancel).await.is_ok() {
                    // What it changed is thrown away: nobody is left who could want it.
                    let _ = live.end().await;
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
pub(crate) fn make(pending: Option<Pending>) -> Result<(), ToolError> {
    let Some(pending) = pending else { return Ok(()) };
    let refused: Vec<_> = pending.judged().refused().iter().map(ToString::to_string).collect();
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
