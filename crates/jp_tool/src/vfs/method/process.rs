//! Programs: what `process.run` takes and gives.

use serde::{Deserialize, Serialize};

/// Run a program in the root of the project and wait for its end. No shell is involved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessRun {
    /// The program.
    pub program: String,
    /// Its arguments, as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// The variables of the host that it is to have, by name. It has those that the policy allows,
    /// and no others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub envs: Vec<String>,
}

/// How a program ended, with whatever code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessRunResult {
    /// What it wrote to stdout; values of variables read `[REDACTED]`.
    pub stdout: String,
    /// What it wrote to stderr; values of variables read `[REDACTED]`.
    pub stderr: String,
    /// Its exit code.
    pub exit_code: i32,
}
