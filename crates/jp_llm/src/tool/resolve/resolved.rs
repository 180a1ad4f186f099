//! A tool that was resolved: what a model is told, what a call is checked and executed with.

use std::sync::Arc;

use jp_config::conversation::tool::{ResultMode, RunMode, Tool as ConfiguredTool};
use jp_tool::Tool;
use serde_json::{Map, Value};

use crate::tool::{
    arguments::Validator,
    definition::{ToolDefinition, ToolDocs},
    inquiry::{Settled, SettledAnswer},
    live::LiveRuntime,
    merge::Origins,
    outcome::{Cause, Failure},
    runtime::ToolRuntime,
};

/// A tool that can be called.
#[derive(Debug)]
pub struct ResolvedTool {
    /// What the model is told.
    pub definition: ToolDefinition,
    /// What it is told when it asks.
    pub docs: ToolDocs,
    /// Who said what of that.
    pub origins: Origins,
    /// What the configuration says about its calls.
    pub settings: CallSettings,
    /// Whether its program has described it, and so understands what else it may be asked.
    pub describes_itself: bool,
    /// What executes it.
    pub runtime: Arc<dyn ToolRuntime>,
    /// What starts it so that it stays alive, if it can.
    pub live: Option<Arc<dyn LiveRuntime>>,
    /// What its program calls it.
    pub name_at_source: String,
    /// Where it comes from, if that is an MCP server.
    pub served: Option<Served>,
    pub(crate) validator: Validator,
}

/// Where a tool of an MCP server comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    /// The server.
    pub server: String,
    /// Whether the configuration names the tool. Otherwise an entry for the whole server stands for it, or
    /// none does.
    pub is_named: bool,
}

/// What the configuration says about the calls of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct CallSettings {
    /// What happens before it runs.
    pub run: RunMode,
    /// What happens to its result.
    pub result: ResultMode,
    /// How often it is tried again after a passing failure.
    pub retries: u32,
    /// What it is given beside its arguments.
    pub options: Map<String, Value>,
    /// Its questions, by id.
    pub questions: indexmap::IndexMap<String, Settled>,
}

impl ResolvedTool {
    /// The arguments of a call, complete and checked.
    pub fn prepare(&self, arguments: Map<String, Value>) -> Result<Map<String, Value>, Failure> {
        let prepared = self.validator.prepare(arguments);
        prepared.map_err(|error| Failure::new(Cause::Arguments, error.to_string()))
    }

    /// The call as the tool gets it.
    pub fn invocation(&self, arguments: Map<String, Value>, answers: Map<String, Value>) -> Tool {
        let (name, options) = (self.name_at_source.clone(), self.settings.options.clone());
        Tool { name, arguments, answers, options }
    }

    /// What is settled about one of its questions.
    pub fn settled(&self, question: &str) -> Settled {
        self.settings.questions.get(question).cloned().unwrap_or_default()
    }

    /// Settles the answer to one of its questions for the calls to come.
    pub fn settle(&mut self, question: &str, answer: SettledAnswer) {
        self.settings.questions.entry(question.to_owned()).or_default().answer = Some(answer);
    }
}

impl CallSettings {
    pub(super) fn of(tool: ConfiguredTool<'_>) -> Self {
        let config = tool.config;
        let questions = config.questions.iter().map(|(id, question)| {
            let answer = question.answer.clone().map(SettledAnswer::Value);
            let settled = Settled { answer, target: question.target };
            (id.clone(), settled)
        });
        Self {
            run: config.run,
            result: config.result,
            retries: config.retries,
            options: config.options.clone(),
            questions: questions.collect(),
        }
    }
}
