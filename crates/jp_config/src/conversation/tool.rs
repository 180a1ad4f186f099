//! `[conversation.tools.<name>]`: one tool. Where it comes from, when it may run, what is told
//! about it, and what it is given.

pub mod access;
pub mod command;
pub mod parameter;
pub mod source;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::MergeableVec;
use crate::sandbox::SystemConfig;
use crate::types::format::ProgramPath;
use crate::types::name_map::NameMap;
use crate::types::present;
use access::{AccessConfig, SandboxConfig};
use command::Command;
use parameter::ToolParameter;
use source::ToolSource;

/// One tool of a loaded configuration: its name, and the source that every tool has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tool<'a> {
    /// The key under which it is configured, and what the assistant calls it.
    pub name: &'a str,
    /// Where its definition comes from.
    pub source: &'a ToolSource,
    /// All of its settings, defaults applied.
    pub config: &'a ToolConfig,
}

impl<'a> Tool<'a> {
    /// What the source calls this tool: the tool named by `source`, else `tool`, else its own name.
    pub fn name_at_source(&self) -> &'a str {
        self.source.tool().or(self.config.tool.as_deref()).unwrap_or(self.name)
    }
}

/// A tool the assistant can call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("x-jp-required" = ["source"]))]
pub struct ToolConfig {
    /// Where the tool comes from: `local`, `builtin` or `mcp.<server>.<tool>`. `local.<tool>` and
    /// `builtin.<tool>` pick one tool of a program that offers several, and `mcp.<server>.*` stands for
    /// all tools of a server that have no entry of their own. Every tool needs a source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<ToolSource>,
    /// Which tool of the source is meant, where `source` does not say it and the name differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Whether the assistant can see and call the tool.
    pub enable: bool,
    /// What happens before the tool runs.
    pub run: RunMode,
    /// What happens to the result before the assistant gets it.
    pub result: ResultMode,
    /// How often a call that failed for a passing reason is tried again.
    pub retries: u32,
    /// How many seconds a call of a local tool may take. Waiting for an answer does not count.
    #[schemars(range(min = 1))]
    pub timeout_secs: u32,
    /// How a local tool is started: a command line, or a table of program and arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Command>,
    /// How a local tool runs.
    pub runtime: Runtime,
    /// Files and directories that the program of a tool with `runtime = "vfs"` consists of, such as
    /// the modules it loads: absolute, or below the root of the workspace. Such a program can open
    /// itself, what the system needs to start it, and these.
    #[serde(skip_serializing_if = "is_empty")]
    pub program_files: MergeableVec<ProgramPath>,
    /// One sentence about the tool, sent to the assistant with every request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The long explanation, given to the assistant when it asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Examples of calls, given to the assistant when it asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examples: Option<String>,
    /// The tool's parameters, by name. Without this table the tool is asked for them. A table in which
    /// no entry has `type`, `enum` or `oneOf` changes single fields of what it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<NameMap<ToolParameter>>,
    /// Settings handed to the tool as they are.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
    /// Who answers the questions the tool asks, by the question's id.
    #[serde(skip_serializing_if = "NameMap::is_empty")]
    pub questions: NameMap<QuestionConfig>,
    /// What a local tool may touch. Unset: everything in the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<AccessConfig>,
    /// A shorter way to write `access`; a tool has one of the two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxConfig>,
    /// What the program of a local tool may use outside the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<SystemConfig>,
    /// How calls of the tool are shown.
    pub style: ToolStyle,
}

impl Default for ToolConfig {
    fn default() -> Self {
        Self {
            source: None,
            tool: None,
            enable: true,
            run: RunMode::default(),
            result: ResultMode::default(),
            retries: 3,
            timeout_secs: 600,
            command: None,
            runtime: Runtime::default(),
            program_files: MergeableVec::default(),
            summary: None,
            description: None,
            examples: None,
            parameters: None,
            options: Map::new(),
            questions: NameMap::default(),
            access: None,
            sandbox: None,
            system: None,
            style: ToolStyle::default(),
        }
    }
}

/// What happens before a tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunMode {
    /// Ask first.
    #[default]
    Ask,
    /// Run without asking.
    Unattended,
    /// Let the user edit the arguments first.
    Edit,
    /// Do not run; the assistant is told so.
    Skip,
}

/// What happens to a result before the assistant gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultMode {
    /// Ask first.
    Ask,
    /// Hand it over without asking.
    #[default]
    Unattended,
    /// Keep it back; the assistant is told so.
    Skip,
}

/// How a local tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Runtime {
    /// A child process: the call on stdin, the result on stdout.
    #[default]
    Stdio,
    /// A child process without access of its own: it asks the host for every file and request.
    Vfs,
    /// A WebAssembly component inside the host.
    Wasm,
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stdio => "stdio",
            Self::Vfs => "vfs",
            Self::Wasm => "wasm",
        })
    }
}

/// Who answers one question of a tool.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QuestionConfig {
    /// Who is asked.
    pub target: QuestionTarget,
    /// A fixed answer; nobody is asked.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub answer: Option<Value>,
}

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionTarget {
    /// The person at the terminal.
    #[default]
    User,
    /// The assistant.
    Assistant,
}

/// How calls of a tool are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToolStyle {
    /// Whether the arguments of a call are shown.
    pub show_arguments: bool,
    /// Whether the result of a call is shown.
    pub show_result: bool,
}

impl Default for ToolStyle {
    fn default() -> Self {
        Self { show_arguments: true, show_result: true }
    }
}

fn is_empty<T>(list: &MergeableVec<T>) -> bool {
    list.0.is_empty()
}
