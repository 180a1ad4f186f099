//! Programs: what `process.run` takes and gives.

use serde::{Deserialize, Deserializer, Serialize};

use crate::bounded::{Bound, text};

/// Run a program in the root of the project and wait for its end. No shell is involved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessRun {
    /// The program.
    #[serde(deserialize_with = "program")]
    pub program: String,
    /// Its arguments, as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "args")]
    pub args: Vec<String>,
    /// The variables of the host that it is to have, by name. It has those that the policy allows,
    /// and no others.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "envs")]
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

/// How long the name or the path of a program can be: no system takes a longer path.
const LONGEST_PROGRAM: usize = 4_096;

/// No system takes more than this. It counts each word with the byte at its end and the address of its beginning.
fn words(name: &'static str) -> Bound {
    Bound { name, elements: usize::MAX, bytes: 2 << 20, beside: 9 }
}

fn program<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    text("program", LONGEST_PROGRAM, deserializer)
}

fn args<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    words("args").list(deserializer)
}

fn envs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    words("envs").list(deserializer)
}
