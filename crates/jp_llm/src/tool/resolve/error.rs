//! Why a tool cannot be used, and what can be done about it.

use std::sync::Arc;

use camino::Utf8Path;
use jp_confine::{ConfineError, ResolveError as PartsError};
use jp_tool::SchemaMatchError;
use thiserror::Error;

use crate::tool::{
    local::{LocalProgram, StartError},
    mcp::ServerError,
    merge::MergeError,
    schema_query::DescribeError,
    template::TemplateError,
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
    /// A file of its program cannot be used, so the program was not asked what it is.
    #[error("tool `{name}`: the program could not be started: {what}")]
    ProgramFile {
        /// The tool.
        name: String,
        /// The file, and what the system said about it.
        what: String,
        /// Whether `program_files` lists the file.
        is_listed: bool,
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
    /// Its server cannot be used.
    #[error("tool `{name}`: {source}")]
    Server {
        /// The tool.
        name: String,
        /// Why not.
        #[source]
        source: Arc<ServerError>,
    },
    /// Its server does not offer it.
    #[error("tool `{name}`: the MCP server `{server}` has no tool `{tool}`")]
    NotOffered {
        /// The tool.
        name: String,
        /// The server.
        server: String,
        /// What it was looked for as.
        tool: String,
        /// What it offers instead.
        offer: Box<Offer>,
    },
    /// Its server says something else about it than before.
    #[error(
        "tool `{name}`: the MCP server `{server}` has changed `{tool}` since it was first used:\n{difference}"
    )]
    Changed {
        /// The tool.
        name: String,
        /// The server.
        server: String,
        /// What the server calls it.
        tool: String,
        /// What is different.
        difference: String,
        /// What it is now, to be pinned if somebody says so.
        now: Box<jp_mcp::Tool>,
    },
    /// Another tool has its name.
    #[error("tool `{name}` of `{source_of_it}` has the name of another one, from `{other}`")]
    Collision {
        /// The name.
        name: String,
        /// Where it comes from.
        source_of_it: String,
        /// Where the other one comes from.
        other: String,
    },
    /// It stands for all tools of a server, and is none itself.
    #[error("`{name}` is no tool: it stands for all tools of the MCP server `{server}`")]
    AllOf {
        /// The entry.
        name: String,
        /// The server.
        server: String,
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

/// What a server offers instead of what was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// What was probably meant.
    pub nearest: Option<String>,
    /// What there is.
    pub known: Vec<String>,
    /// What cannot be understood.
    pub malformed: Vec<String>,
}

impl ResolveError {
    pub(super) fn server(name: &str, error: ServerError) -> Self {
        Self::Server { name: name.to_owned(), source: Arc::new(error) }
    }

    /// A program did not describe itself.
    pub(super) fn describe(name: &str, program: &LocalProgram, source: Arc<DescribeError>) -> Self {
        let name = name.to_owned();
        match &*source {
            DescribeError::Start(StartError::Parts(error @ PartsError::File { path, .. })) => {
                let is_listed = is_listed(program, path);
                Self::ProgramFile { name, what: error.to_string(), is_listed }
            }
            _ => Self::Describe { name, source },
        }
    }

    /// The server that has to be agreed to first, if that is the reason.
    pub fn not_allowed(&self) -> Option<&str> {
        match self {
            Self::Server { source, .. } => match &**source {
                ServerError::NotAllowed { server, .. } => Some(server),
                _ => None,
            },
            _ => None,
        }
    }

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

        match self {
            Self::Describe { source, .. } => {
                matches!(&**source, Start(StartError::Confine(ConfineError::Refused(_))))
            }
            Self::Changed { .. } => true,
            Self::Server { source, .. } => source.is_refusal(),
            _ => false,
        }
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
            Self::ProgramFile { name, is_listed: true, .. } => {
                vec![format!("`conversation.tools.{name}.program_files` lists it")]
            }
            Self::ProgramFile { name, .. } => vec![says_which(name)],
            Self::Describe { name, source } => match &**source {
                DescribeError::Start(StartError::Confine(ConfineError::Refused(refusal))) => {
                    refusal.hints.iter().map(ToString::to_string).collect()
                }
                // What is not there cannot be asked, and could not be called either.
                DescribeError::Start(_) => vec![says_which(name)],
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
            Self::Server { source, .. } => source.hints(),
            Self::NotOffered { server, offer, .. } => {
                let Offer { nearest, known, malformed } = &**offer;
                let first = match nearest {
                    Some(nearest) => format!("did you mean `{nearest}`?"),
                    None if known.is_empty() => format!("`{server}` offers no tools"),
                    None => format!("`{server}` offers `{}`", known.join("`, `")),
                };
                std::iter::once(first).chain(malformed.iter().cloned()).collect()
            }
            Self::Changed { server, .. } => {
                vec![format!("`jp mcp pin {server}` accepts what its tools are now")]
            }
            Self::Collision { name, source_of_it, .. } => {
                let own = source_of_it.split('.').nth(1).unwrap_or_default();
                vec![format!(
                    "give it a name of its own: `[conversation.tools.{own}_{name}]` with `source = \"{source_of_it}\"`"
                )]
            }
            Self::AllOf { server, .. } => {
                vec![format!("`jp mcp inspect {server}` lists the tools of the server")]
            }
            Self::Unsupported { .. } | Self::Command { .. } | Self::Merge { .. } => Vec::new(),
        }
    }
}

/// Whether the configuration lists this file as one of the program.
pub(in crate::tool) fn is_listed(program: &LocalProgram, path: &Utf8Path) -> bool {
    program.program_files.iter().any(|listed| program.place.root.join(listed) == path)
}

fn says_which(name: &str) -> String {
    format!("`conversation.tools.{name}.command` says which program is started")
}

/// The ways out for a tool that is not described.
fn two_ways(name: &str) -> [String; 2] {
    [
        format!("describe its parameters in `conversation.tools.{name}.parameters`"),
        "or update the program so that it answers the action `schema` (docs/tools.md)".to_owned(),
    ]
}
