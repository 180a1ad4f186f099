//! Tools that stay alive between calls: what they are told, and where they stand.
//!
//! The assistant starts such a tool under an id of its choice and then reads from it, feeds it and
//! ends it by that id. A call is meant that way when its arguments have the field `action`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::{Content, Question, object};

/// Where a tool stands, and what it has to say about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToolState {
    /// It is at work, or open for more input.
    Running {
        /// What there is so far.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<Content>,
    },
    /// It cannot go on without an answer.
    Waiting {
        /// What there is so far.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<Content>,
        /// What has to be answered.
        question: Question,
    },
    /// It has ended.
    Stopped {
        /// What came of it.
        result: Content,
    },
}

impl ToolState {
    /// Reads a line that a tool printed.
    pub fn parse(line: &str) -> Result<Self, InvalidState> {
        object::parse(line).map_err(InvalidState)
    }

    /// The state alone.
    pub fn status(&self) -> Status {
        match self {
            Self::Running { .. } => Status::Running,
            Self::Waiting { .. } => Status::Waiting,
            Self::Stopped { .. } => Status::Stopped,
        }
    }
}

/// The name of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// At work, or open for more input.
    Running,
    /// In need of an answer.
    Waiting,
    /// At its end.
    Stopped,
}

/// What is done to a tool that stays alive. Each names the handle, `id`, that it is done to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum ToolCommand {
    /// Start it.
    Spawn {
        /// The handle from now on; no other that is alive may have it.
        id: String,
        /// The arguments of the tool.
        #[serde(default)]
        args: Map<String, Value>,
    },
    /// Ask where it stands.
    Fetch {
        /// The handle.
        id: String,
    },
    /// Give it input: to a running tool as it is, to a waiting one as the answer.
    Apply {
        /// The handle.
        id: String,
        /// A text, or the answer in the type that was asked for.
        input: Value,
    },
    /// End it.
    Abort {
        /// The handle.
        id: String,
    },
}

/// The name of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionAction {
    /// Start it.
    Spawn,
    /// Ask where it stands.
    Fetch,
    /// Give it input.
    Apply,
    /// End it.
    Abort,
}

impl SessionAction {
    /// All of them, in the order in which they are used.
    pub const ALL: [Self; 4] = [Self::Spawn, Self::Fetch, Self::Apply, Self::Abort];
}

impl ToolCommand {
    /// Reads one line that the host sends to a tool that stays alive.
    pub fn parse(line: &str) -> Result<Self, InvalidCommand> {
        object::parse(line).map_err(InvalidCommand)
    }

    /// Reads the arguments of a call to a tool that can stay alive. `None`: they have no `action`,
    /// the call is one that starts the tool and waits for its end.
    pub fn from_arguments(arguments: &Map<String, Value>) -> Result<Option<Self>, InvalidCommand> {
        if !arguments.contains_key("action") {
            return Ok(None);
        }
        Self::deserialize(arguments).map(Some).map_err(InvalidCommand)
    }

    /// The name alone.
    pub fn action(&self) -> SessionAction {
        match self {
            Self::Spawn { .. } => SessionAction::Spawn,
            Self::Fetch { .. } => SessionAction::Fetch,
            Self::Apply { .. } => SessionAction::Apply,
            Self::Abort { .. } => SessionAction::Abort,
        }
    }

    /// The handle that it is done to.
    pub fn id(&self) -> &str {
        match self {
            Self::Spawn { id, .. }
            | Self::Fetch { id }
            | Self::Apply { id, .. }
            | Self::Abort { id } => id,
        }
    }
}

/// A line that is no state.
#[derive(Debug, Error)]
#[error("not the state of a tool")]
pub struct InvalidState(#[source] serde_json::Error);

/// Something that is no command.
#[derive(Debug, Error)]
#[error("not a command to a tool that stays alive")]
pub struct InvalidCommand(#[source] serde_json::Error);

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use serde_json::json;

    use super::*;
    use crate::AnswerType;

    #[test]
    fn states_have_the_documented_form() {
        // D11 shows the texts; a list of blocks stands in every place of a text.
        let question = Question::new("go", "Confirm?", AnswerType::Boolean);
        for (line, state, status) in [
            (r#"{"type":"running"}"#, ToolState::Running { content: None }, "running"),
            (
                r#"{"type":"running","content":"Next hunk: ..."}"#,
                ToolState::Running { content: Some("Next hunk: ...".into()) },
                "running",
            ),
            (
                r#"{"type":"waiting","content":"Confirm?","question":{"id":"go","text":"Confirm?","answer_type":"Boolean"}}"#,
                ToolState::Waiting { content: Some("Confirm?".into()), question },
                "waiting",
            ),
            (
                r#"{"type":"stopped","result":[{"type":"text","text":"Staged 3 hunks."}]}"#,
                ToolState::Stopped {
                    result: vec![crate::ContentBlock::text("Staged 3 hunks.")].into(),
                },
                "stopped",
            ),
        ] {
            assert_eq!(ToolState::parse(line).unwrap(), state);
            assert_eq!(serde_json::to_string(&state).unwrap(), line);
            assert_eq!(serde_json::to_value(state.status()).unwrap(), status);
        }
        let newer = r#"{"type":"running","progress":3}"#;
        assert_eq!(ToolState::parse(newer).unwrap(), ToolState::Running { content: None });
        for line in
            [r#"{"type":"stopped"}"#, r#"{"type":"waiting"}"#, r#"{"type":"x"}"#, r#"["running"]"#]
        {
            assert!(ToolState::parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn arguments_with_an_action_are_a_command() {
        let id = || "h1".to_owned();
        let args = json!({ "path": "." }).as_object().unwrap().clone();
        for (arguments, command) in [
            (json!({ "path": "." }), None),
            (json!({}), None),
            (
                json!({ "action": "spawn", "id": "h1", "args": { "path": "." } }),
                Some(ToolCommand::Spawn { id: id(), args }),
            ),
            (
                json!({ "action": "spawn", "id": "h1" }),
                Some(ToolCommand::Spawn { id: id(), args: Map::new() }),
            ),
            (json!({ "action": "fetch", "id": "h1" }), Some(ToolCommand::Fetch { id: id() })),
            (
                json!({ "action": "apply", "id": "h1", "input": true }),
                Some(ToolCommand::Apply { id: id(), input: json!(true) }),
            ),
            (json!({ "action": "abort", "id": "h1" }), Some(ToolCommand::Abort { id: id() })),
        ] {
            let read = ToolCommand::from_arguments(arguments.as_object().unwrap()).unwrap();
            assert_eq!(read, command, "{arguments}");
            assert!(command.is_none_or(|command| command.id() == "h1"));
        }
    }

    #[test]
    fn a_wrong_command_says_what_is_wrong() {
        for (arguments, reason) in [
            (json!({ "action": "dance", "id": "a" }), "unknown variant `dance`"),
            (json!({ "action": 1, "id": "a" }), "invalid type"),
            (json!({ "action": "fetch" }), "missing field `id`"),
            (json!({ "action": "apply", "id": "a" }), "missing field `input`"),
            (json!({ "action": "spawn", "id": "a", "args": [] }), "invalid type"),
        ] {
            let error = ToolCommand::from_arguments(arguments.as_object().unwrap()).unwrap_err();
            let cause = error.source().unwrap().to_string();
            assert!(cause.contains(reason), "{arguments}: {cause}");
        }
    }
}
