//! What several tools take as arguments.

use jp_tool::ToolError;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Sought,
    search::{Order, Shown},
};

/// Whether notes of a kind are found.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// Leave them out.
    #[default]
    Exclude,
    /// Treat them like the others.
    Include,
    /// Find only these.
    Only,
}

impl From<Kind> for Shown {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Exclude => Self::Exclude,
            Kind::Include => Self::Include,
            Kind::Only => Self::Only,
        }
    }
}

/// What comes first.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Sort {
    /// The best match.
    #[default]
    Relevance,
    /// What was changed last.
    Modified,
    /// What was made last.
    Created,
}

impl From<Sort> for Order {
    fn from(sort: Sort) -> Self {
        match sort {
            Sort::Relevance => Self::Relevance,
            Sort::Modified => Self::Modified,
            Sort::Created => Self::Created,
        }
    }
}

/// A note by identifier or address.
pub(super) fn by_id(id: &str) -> Result<Sought, ToolError> {
    Sought::by_id(id).ok_or_else(|| {
        ToolError::new(format!(
            "`{}` is not the address of a note.",
            id.chars().take(200).collect::<String>()
        ))
    })
}

/// A number of results from one up to a limit.
pub(super) fn limit(asked: Option<usize>, default: usize, max: usize) -> Result<usize, ToolError> {
    match asked.unwrap_or(default) {
        0 => Err(ToolError::new("`limit` must be at least 1.")),
        asked => Ok(asked.min(max)),
    }
}
