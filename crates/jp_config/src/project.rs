//! `[project]`: where the files of the project are that tools with `runtime = "vfs"` work on.
//!
//! Normally that is the workspace. Another place is chosen here: memory, a database in one file, or a
//! service. Credentials do not belong into a file that is checked in, so a value can name a variable.

pub(crate) mod finish;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::types::name_map::NameMap;

/// Where the files of the project are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectConfig {
    /// Where the files that tools with `runtime = "vfs"` use are kept.
    pub backend: ProjectBackend,
    /// The file of a `sqlite` project, absolute or below the root of the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The service of an `opendal` project, such as `s3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// What the service of an `opendal` project needs, such as `bucket`. In a value, `${NAME}` stands
    /// for the variable `NAME` of the environment in which jp runs.
    #[serde(skip_serializing_if = "NameMap::is_empty")]
    pub options: NameMap<String>,
}

/// A way to keep the files of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectBackend {
    /// The workspace itself.
    #[default]
    Fs,
    /// In memory, empty at first and gone at the end.
    Memory,
    /// A database in one file.
    Sqlite,
    /// A service that keeps objects.
    Opendal,
}

impl ProjectBackend {
    /// The word for it in a configuration file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fs => "fs",
            Self::Memory => "memory",
            Self::Sqlite => "sqlite",
            Self::Opendal => "opendal",
        }
    }
}
