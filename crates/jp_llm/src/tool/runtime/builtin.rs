//! Tools that are part of jp.

use std::sync::Arc;

use jp_tool::{Action, ToolSchema};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{BoxFuture, Execution, Request, ToolRuntime};
use crate::tool::{definition::ToolDocs, outcome::ExecutionOutcome, resolve::Resolver};

/// So many tools are looked at side by side.
const AT_ONCE: usize = 16;

/// A tool that is part of jp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// Explains other tools.
    DescribeTools,
}

impl Builtin {
    /// All of them.
    pub const ALL: [Self; 1] = [Self::DescribeTools];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::DescribeTools => "describe_tools",
        }
    }

    /// What it says about itself.
    pub fn schema(self) -> ToolSchema {
        let schema = match self {
            Self::DescribeTools => json!({
                "name": self.name(),
                "summary": "Explain tools: their long descriptions, examples and parameters.",
                "parameters": {
                    "tools": {
                        "type": "array",
                        "items": { "type": "string" },
                        "minItems": 1,
                        "summary": "The names of the tools to explain.",
                    },
                },
            }),
        };
        serde_json::from_value(schema).unwrap_or_default()
    }
}

/// Executes a tool that is part of jp.
#[derive(Debug)]
pub struct BuiltinRuntime {
    tool: Builtin,
    resolver: Arc<Resolver>,
}

impl BuiltinRuntime {
    pub(crate) fn new(tool: Builtin, resolver: Arc<Resolver>) -> Self {
        Self { tool, resolver }
    }
}

impl ToolRuntime for BuiltinRuntime {
    fn execute<'a>(&'a self, request: Request<'a>) -> BoxFuture<'a, Execution> {
        Box::pin(async move {
            if request.action != Action::Run {
                return ExecutionOutcome::text("").into();
            }
            let work = match self.tool {
                Builtin::DescribeTools => describe_tools(&self.resolver, request),
            };
            let outcome = request.cancel.run_until_cancelled(work).await;
            outcome.unwrap_or(ExecutionOutcome::Cancelled).into()
        })
    }
}

async fn describe_tools(resolver: &Arc<Resolver>, request: Request<'_>) -> ExecutionOutcome {
    let names = request.tool.arguments.get("tools").and_then(Value::as_array);
    let names: Vec<_> = names.into_iter().flatten().filter_map(Value::as_str).collect();
    let mut parts = Vec::new();
    // Each may have to start a program, and whoever asks can name as many as it likes.
    for some in names.chunks(AT_ONCE) {
        let mut asked = JoinSet::new();
        for (place, name) in some.iter().enumerate() {
            let (resolver, name) = (resolver.clone(), (*name).to_owned());
            asked.spawn(async move { (place, description(&resolver, &name).await) });
        }
        let mut found = asked.join_all().await;
        found.sort_unstable_by_key(|(place, _)| *place);
        parts.extend(found.into_iter().map(|(_, part)| part));
    }
    ExecutionOutcome::text(parts.join("\n\n"))
}

async fn description(resolver: &Arc<Resolver>, name: &str) -> String {
    match resolver.resolve(name).await {
        Ok(tool) => explained(name, tool.definition.summary.as_deref(), &tool.docs),
        Err(error) => {
            let hints = error.hints().join("\n");
            let space = if hints.is_empty() { "" } else { "\n" };
            format!("# {name}\n\n{error}{space}{hints}")
        }
    }
}

/// The whole documentation of a tool.
fn explained(name: &str, summary: Option<&str>, docs: &ToolDocs) -> String {
    let mut parts = vec![format!("# {name}")];
    parts.extend(summary.map(ToOwned::to_owned));
    parts.extend(docs.description.clone());
    let parameters: Vec<_> =
        docs.parameters.iter().map(|(name, text)| format!("- `{name}`: {text}")).collect();
    if !parameters.is_empty() {
        parts.push(format!("## Parameters\n\n{}", parameters.join("\n")));
    }
    parts.extend(docs.examples.as_ref().map(|examples| format!("## Examples\n\n{examples}")));
    parts.join("\n\n")
}
