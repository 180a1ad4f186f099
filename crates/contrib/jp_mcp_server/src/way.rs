//! How a question gets to somebody who can answer it, and the answer back.
//!
//! There are four ways, and a tool knows of none of them:
//!
//! - *envelope*: under `--jp`. The answers so far came with the call, in
//!   `_meta."computer.jp/tool".answers`; a question without an answer ends the call with
//!   `needs_input`, and the host calls again.
//! - *round trip*: MCP 2026-07-28. A question without an answer ends the call with `input_required`,
//!   and the client calls again with the answers of this round; those of earlier rounds come back in
//!   the `requestState` that it carries for us.
//! - *elicitation*: older MCP. The question is a request to the client, and the call waits.
//! - *nobody*: the client has no way to ask. The error names the argument that settles the matter.
//!
//! Answers come from outside, by every way, and are checked against the question when they are used.
//! The state is no secret and needs no seal: whoever could forge it can give the same answers openly.
//! It is bound to its call all the same, so that a yes to one thing is never a yes to another.

mod form;
mod state;

use std::{collections::BTreeSet, time::Duration};

use jp_tool::{AnswerType, Question, ToolError};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, ClientCapabilities, ClientResult, ElicitRequest, ElicitationAction,
        InputRequiredResult, ProtocolVersion, ServerRequest,
    },
    service::{Peer, PeerRequestOptions, RequestContext},
};
use serde_json::{Map, Value};

use self::state::State;
use crate::{Protocol, Stop, TOOL_KEY};

/// People think, but not for ever.
const PATIENCE: Duration = Duration::from_hours(1);

/// How the questions of one call are asked.
#[derive(Debug)]
pub(crate) enum Way {
    Envelope { answers: Map<String, Value> },
    RoundTrip { state: State, declined: BTreeSet<String> },
    Elicitation(Box<Peer<RoleServer>>),
    Nobody,
}

impl Way {
    /// The way for this call, with the answers that came with it.
    pub(crate) fn of(
        protocol: Protocol,
        params: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Self, ErrorData> {
        if protocol == Protocol::Jp {
            let answers =
                context.meta.get(TOOL_KEY).and_then(|tool| tool.get("answers")?.as_object());
            return Ok(Self::Envelope { answers: answers.cloned().unwrap_or_default() });
        }
        if !context.client_capabilities().is_some_and(|capabilities| has_forms(&capabilities)) {
            return Ok(Self::Nobody);
        }
        let version = context.protocol_version();
        if version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
        {
            return Self::round_trip(params);
        }
        Ok(Self::Elicitation(Box::new(context.peer.clone())))
    }

    /// The answer to a question, or the reason why the call ends here.
    pub(crate) async fn ask(&self, question: &Question, argument: &str) -> Result<Value, Stop> {
        let answer = match self {
            Self::Envelope { answers } => answers.get(&question.id).cloned(),
            Self::RoundTrip { declined, .. } if declined.contains(&question.id) => {
                return Err(refused(question, argument));
            }
            Self::RoundTrip { state, .. } => state.answers.get(&question.id).cloned(),
            Self::Elicitation(peer) => Some(elicit(peer, question, argument).await?),
            Self::Nobody => return Err(unasked(question, argument)),
        };
        let answer = answer.ok_or_else(|| Stop::asked(question.clone()))?;
        if fits(&answer, &question.answer_type) {
            Ok(answer)
        } else {
            Err(wrong(question, &answer))
        }
    }

    /// The question as a round trip; `None` where questions travel otherwise.
    pub(crate) fn input_required(
        &self,
        question: &Question,
    ) -> Option<Result<InputRequiredResult, ErrorData>> {
        let Self::RoundTrip { state, .. } = self else { return None };
        let request = form::request(question).map(|request| {
            let requests = [(question.id.clone(), request)].into_iter().collect();
            InputRequiredResult::new(Some(requests), Some(state.encode()))
        });
        Some(request)
    }

    fn round_trip(params: &CallToolRequestParams) -> Result<Self, ErrorData> {
        let mut state = State::of(params)?;
        let mut declined = BTreeSet::new();
        for (id, response) in params.input_responses.iter().flatten() {
            let result = form::result(id, response)?;
            match (result.action, result.content) {
                (ElicitationAction::Accept, Some(content)) => {
                    let answer = content.get(id).cloned().unwrap_or(Value::Null);
                    state.answers.insert(id.clone(), answer);
                }
                _ => {
                    declined.insert(id.clone());
                }
            }
        }
        Ok(Self::RoundTrip { state, declined })
    }
}

/// Whether the client shows forms. One that names no kind of elicitation means forms.
fn has_forms(capabilities: &ClientCapabilities) -> bool {
    let elicitation = capabilities.elicitation.as_ref();
    elicitation.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

async fn elicit(
    peer: &Peer<RoleServer>,
    question: &Question,
    argument: &str,
) -> Result<Value, Stop> {
    let params = form::params(question).map_err(|error| ToolError::new(error.message))?;
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
    let options = PeerRequestOptions::with_timeout(PATIENCE);
    let handle = peer.send_request_with_option(request, options).await;
    let answer = match handle {
        Ok(handle) => handle.await_response().await,
        Err(error) => Err(error),
    };
    match answer {
        Ok(ClientResult::ElicitResult(result)) if result.action == ElicitationAction::Accept => {
            let content = result.content.unwrap_or_default();
            Ok(content.get(&question.id).cloned().unwrap_or(Value::Null))
        }
        Ok(ClientResult::ElicitResult(_)) => Err(refused(question, argument)),
        Ok(_) => Err(failed(question, argument, "the client answered with something else")),
        Err(error) => Err(failed(question, argument, &error.to_string())),
    }
}

fn fits(answer: &Value, answer_type: &AnswerType) -> bool {
    match (answer_type, answer) {
        (AnswerType::Boolean, Value::Bool(_)) | (AnswerType::Text, Value::String(_)) => true,
        (AnswerType::Select { options }, Value::String(choice)) => options.contains(choice),
        _ => false,
    }
}

fn wrong(question: &Question, answer: &Value) -> Stop {
    let expected = match &question.answer_type {
        AnswerType::Boolean => "true or false".to_owned(),
        AnswerType::Text => "a text".to_owned(),
        AnswerType::Select { options } => format!("one of {}", options.join(", ")),
    };
    let text = format!("The answer {answer} to `{}` is not {expected}.", question.id);
    ToolError::new(text).into()
}

fn refused(question: &Question, argument: &str) -> Stop {
    let text = format!(
        "The question `{}` was not answered, so nothing was done. \
         Pass the argument `{argument}` to settle it without a question.",
        question.id
    );
    ToolError::new(text).into()
}

fn unasked(question: &Question, argument: &str) -> Stop {
    let choices = match &question.answer_type {
        AnswerType::Select { options } => format!(" Choices: {}.", options.join(", ")),
        AnswerType::Boolean | AnswerType::Text => String::new(),
    };
    let text = format!(
        "{}{choices} This client cannot ask anybody: \
         call again with the argument `{argument}` to settle it.",
        question.text
    );
    ToolError::new(text).into()
}

fn failed(question: &Question, argument: &str, cause: &str) -> Stop {
    let text = format!(
        "The question `{}` could not be asked. Pass the argument `{argument}` to settle it.",
        question.id
    );
    ToolError::new(text).because(cause).into()
}

#[cfg(test)]
mod tests;
