//! One tool of the program, with arguments that are made up for it.

use jp_llm::tool::{ToolDefinition, arguments::Validator};
use jp_tool::{Action, Invocation, SessionAction, Tool, ToolCommand, ToolSchema};
use serde_json::{Map, Value};

use super::{
    bench::Bench,
    description::Description,
    finding::{Finding, Problem},
    report::Report,
    said::Manner,
    samples,
};
use crate::error::Result;

/// The id under which a tool that stays alive is started.
pub(super) const ID: &str = "check";

/// A tool that is checked.
#[derive(Debug)]
pub(super) struct Subject {
    /// What it is called by.
    pub(super) name: String,
    pub(super) schema: ToolSchema,
    /// Its entry as it was printed.
    pub(super) raw: Value,
    /// Why no call of it can be checked.
    pub(super) invalid: Option<String>,
    good: std::result::Result<Map<String, Value>, String>,
}

/// The tools that are to be checked: all of them, or one that was named.
pub(super) fn all(
    description: Option<Description>,
    named: Option<&str>,
    report: &mut Report<'_>,
) -> Result<Vec<Subject>> {
    let Some(Description { response, raw }) = description else {
        let why = "there is no description to call it by";
        report.add(Finding::skipped("run", "every call").because(why))?;
        return Ok(Vec::new());
    };
    let entry = |place: usize| raw["tools"][place].clone();
    let Some(named) = named else {
        let tools = response.tools.into_iter().enumerate();
        return Ok(tools
            .map(|(place, schema)| Subject::new(schema.name.clone(), schema, entry(place)))
            .collect());
    };
    match response.tool(named) {
        Ok(found) => {
            let place = response.tools.iter().position(|tool| tool == found).unwrap_or_default();
            Ok(vec![Subject::new(named.to_owned(), found.clone(), entry(place))])
        }
        Err(error) => {
            let finding = Finding::new("schema.named", "describes the tool that was named");
            report.add(finding.of(named).with([Problem::fail(error.to_string())]))?;
            Ok(Vec::new())
        }
    }
}

impl Subject {
    pub(super) fn new(name: String, schema: ToolSchema, raw: Value) -> Self {
        let definition = ToolDefinition {
            name: name.clone(),
            summary: schema.summary.clone(),
            parameters: schema.parameters.clone(),
            actions: Vec::new(),
            input: None,
        };
        let (invalid, good) = match Validator::new(&definition) {
            Ok(validator) => (None, samples::good(&schema.parameters, &validator)),
            Err(error) => (Some(error.to_string()), Err("its parameters are not valid".to_owned())),
        };
        Self { name, schema, raw, invalid, good }
    }

    /// Takes these for good arguments, instead of some that are made up.
    pub(super) fn call_with(&mut self, arguments: &Map<String, Value>) {
        self.good = Ok(arguments.clone());
    }

    /// Arguments that fit, if some could be made up.
    pub(super) fn good(&self) -> Option<&Map<String, Value>> {
        self.good.as_ref().ok()
    }

    pub(super) fn why_not_good(&self) -> String {
        self.good.as_ref().err().cloned().unwrap_or_default()
    }

    /// Whether it stays alive.
    pub(super) fn is_stateful(&self) -> bool {
        self.schema.is_stateful()
    }

    pub(super) fn takes(&self, action: SessionAction) -> bool {
        self.schema.actions.as_ref().is_some_and(|actions| actions.contains(&action))
    }

    pub(super) fn manner(&self) -> Manner {
        if self.is_stateful() { Manner::States } else { Manner::Once }
    }

    /// A call of it. One that stays alive is started by it.
    pub(super) fn invocation(
        &self,
        bench: &Bench<'_>,
        action: Action,
        arguments: Map<String, Value>,
        answers: Map<String, Value>,
    ) -> Invocation {
        bench.invocation(action, self.tool(action, arguments, answers))
    }

    /// What a call of it is about.
    pub(super) fn tool(
        &self,
        action: Action,
        arguments: Map<String, Value>,
        answers: Map<String, Value>,
    ) -> Tool {
        let arguments = if self.is_stateful() && action == Action::Run {
            let spawn = ToolCommand::Spawn { id: ID.to_owned(), args: arguments };
            let spawn = serde_json::to_value(spawn).unwrap_or_default();
            spawn.as_object().cloned().unwrap_or_default()
        } else {
            arguments
        };
        let (name, options) = (self.name.clone(), Map::new());
        Tool { name, arguments, answers, options }
    }
}
