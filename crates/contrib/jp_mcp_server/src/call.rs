//! A call of a tool: its arguments, what the host says about it, and the questions it may ask.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use jp_tool::{AnswerType, Question, ToolError};
use rmcp::{
    RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
    service::Peer,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{Stop, way::Way};

/// One call.
#[derive(Debug)]
pub struct Call {
    /// Which tool.
    pub tool: String,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) options: Map<String, Value>,
    pub(crate) root: Option<String>,
    pub(crate) way: Arc<Way>,
    pub(crate) progress: Option<Progress>,
}

/// A question, and the argument that would have made it unnecessary.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// The key under which the answer comes back. Stable, so that answers can be configured.
    pub id: Cow<'static, str>,
    /// The question, in one line.
    pub text: String,
    /// What there is to know before answering.
    pub details: Option<String>,
    /// The argument of the tool that settles the matter without a question.
    pub argument: &'static str,
}

impl Call {
    /// The arguments, typed. The error names the argument that is wrong.
    pub fn arguments<A: DeserializeOwned>(&self) -> Result<A, Stop> {
        let arguments = Value::Object(self.arguments.clone());
        serde_path_to_error::deserialize(arguments).map_err(|error| {
            let path = error.path().to_string();
            let at = if path == "." { String::new() } else { format!(" at `{path}`") };
            let text =
                format!("The arguments of `{}` are wrong{at}: {}.", self.tool, error.inner());
            ToolError::new(text).into()
        })
    }

    /// Whether nobody is there to answer a question.
    pub fn cannot_ask(&self) -> bool {
        matches!(*self.way, Way::Nobody)
    }

    /// A value that the host's configuration sets for this tool; only under `--jp`.
    pub fn option<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Stop> {
        let Some(value) = self.options.get(key) else { return Ok(None) };
        let read = serde_path_to_error::deserialize(value).map(Some);
        read.map_err(|error| {
            let text =
                format!("The option `{key}` of `{}` is wrong: {}.", self.tool, error.inner());
            ToolError::new(text).into()
        })
    }

    /// The workspace of the host, as it says; only under `--jp`.
    pub fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// Asks for yes or no. With `?` the tool ends here until there is an answer.
    pub async fn confirm(&self, prompt: Prompt, default: Option<bool>) -> Result<bool, Stop> {
        let (mut question, argument) = prompt.question(AnswerType::Boolean);
        question.default = default.map(Value::Bool);
        let answer = self.way.ask(&question, argument).await?;
        Ok(answer == Value::Bool(true))
    }

    /// Asks for one of several. With `?` the tool ends here until there is an answer.
    pub async fn choose(
        &self,
        prompt: Prompt,
        options: Vec<String>,
        default: Option<String>,
    ) -> Result<String, Stop> {
        let (mut question, argument) = prompt.question(AnswerType::Select { options });
        question.default = default.map(Value::String);
        let answer = self.way.ask(&question, argument).await?;
        Ok(answer.as_str().unwrap_or_default().to_owned())
    }

    /// Tells a client that wants to know what is being done.
    pub async fn progress(&self, message: impl Into<String> + Send) {
        if let Some(progress) = &self.progress {
            progress.send(message.into()).await;
        }
    }
}

impl Prompt {
    fn question(self, answer_type: AnswerType) -> (Question, &'static str) {
        let mut question = Question::new(self.id, self.text, answer_type);
        question.pre_amble = self.details;
        (question, self.argument)
    }
}

/// Where a client hears how a call goes.
#[derive(Debug)]
pub(crate) struct Progress {
    pub(crate) peer: Peer<RoleServer>,
    pub(crate) token: ProgressToken,
    pub(crate) sent: AtomicU32,
}

impl Progress {
    async fn send(&self, message: String) {
        let step = self.sent.fetch_add(1, Ordering::Relaxed) + 1;
        let params = ProgressNotificationParam::new(self.token.clone(), f64::from(step));
        // A client that does not listen any more is noticed where the reply is sent.
        let _ = self.peer.notify_progress(params.with_message(message)).await;
    }
}
