//! Why a tool cannot be used, and what can be done about it.

use std::sync::Arc;

use jp_confine::ConfineError;
use jp_tool::SchemaMatchError;
use thiserror::Error;

use crate::tool::{
    local::StartError, merge::MergeError, schema_query::DescribeError, template::TemplateError,
};

/// Why a tool cannot be used.
#[derive(Debug, Clone, Error)]
pub enum ResolveError {
    /// There is none of that name.
    #[error("there is no tool `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// The nearest one that there is.
        nearest: Option<String>,
    },
    /// It has no program.
    #[error("tool `{0}` is local but has no `command`")]
    NoCommand(String),
    /// It comes from where nothing comes from yet.
    #[error("tool `{name}` cannot be used: {what}")]
    Unsupported {
        /// The tool.
        name: String,
        /// Of what.
        what: String,
    },
    /// Its command line is wrong.
    #[error("tool `{name}`: {source}")]
    Command {
        /// The tool.
        name: String,
        /// What is wrong.
        #[source]
        source: Arc<TemplateError>,
    },
    /// Its program does not describe itself.
    #[error("tool `{name}`: {source}")]
    Describe {
        /// The tool.
        name: String,
        /// Why not.
        #[source]
        source: Arc<DescribeError>,
    },
    /// Its program describes something else.
    #[error("tool `{name}`: {source}")]
    Match {
        /// The tool.
        name: String,
        /// What.
        #[source]
        source: SchemaMatchError,
    },
    /// The configuration changes what is not there.
    #[error("tool `{name}`: {source}")]
    Merge {
        /// The tool.
        name: String,
        /// What.
        #[source]
        source: MergeError,
    },
    /// What it takes cannot be checked.
    #[error("tool `{name}`: {what}")]
    Definition {
        /// The tool.
        name: String,
        /// Why not.
        what: String,
    },
}

impl ResolveError {
    /// What a program printed that should have described itself.
    pub fn printed(&self) -> Option<&str> {
        match self {
            Self::Describe { source, .. } => source.printed(),
            _ => None,
        }
    }

    /// Whether the rules of the tool, or the machine that should keep them, do not allow it.
    pub fn is_refusal(&self) -> bool {
        use DescribeError::Start;

        let Self::Describe { source, .. } = self else { return false };
        matches!(&**source, Start(StartError::Confine(ConfineError::Refused(_))))
    }

    /// What can be done about it.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Unknown { nearest, .. } => {
                nearest.iter().map(|name| format!("did you mean `{name}`?")).collect()
            }
            Self::NoCommand(name) => {
                vec![format!("set `conversation.tools.{name}.command` to the program to run")]
            }
            Self::Describe { name, source } => match &**source {
                DescribeError::Start(StartError::Confine(ConfineError::Refused(refusal))) => {
                    refusal.hints.iter().map(ToString::to_string).collect()
                }
                // What is not there cannot be asked, and could not be called either.
                DescribeError::Start(_) => vec![format!(
                    "`conversation.tools.{name}.command` says which program is started"
                )],
                _ => two_ways(name).into(),
            },
            Self::Match { name, .. } => {
                let pick = format!(
                    "name the one that is meant: `source = \"local.<tool>\"` in `conversation.tools.{name}`"
                );
                std::iter::once(pick).chain(two_ways(name)).collect()
            }
            Self::Definition { name, .. } => {
                vec![format!("`conversation.tools.{name}.parameters` can say it in another way")]
            }
            Self::Unsupported { .. } | Self::Command { .. } | Self::Merge { .. } => Vec::new(),
        }
    }
}

/// The ways out for a tool that is not described.
fn two_ways(name: &str) -> [String; 2] {
    [
        format!("describe its parameters in `conversation.tools.{name}.parameters`"),
        "or update the program so that it answers the action `schema` (docs/tools.md)".to_owned(),
    ]
}
