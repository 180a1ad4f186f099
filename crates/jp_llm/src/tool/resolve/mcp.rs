//! One tool of an MCP server: described by its server, changed by the configuration.

use std::sync::Arc;

use jp_config::{
    conversation::tool::{Tool as ConfiguredTool, source::ToolSource},
    nearest,
};
use jp_tool::ToolSchema;
use serde_json::Value;

use super::{CallSettings, ResolveError, ResolvedTool, Resolver, Served, error::Offer};
use crate::tool::{
    arguments::Validator,
    context::Place,
    definition::{self, Origin},
    mcp::{Pinned, Server, schema},
    merge::{self, Overrides},
    runtime::mcp::McpRuntime,
};

impl Resolver {
    /// A tool of a server, with the settings of the entry that names it or stands for it, and otherwise
    /// with none.
    pub async fn resolve_at(
        self: &Arc<Self>,
        server: &str,
        tool: &str,
    ) -> Result<ResolvedTool, ResolveError> {
        let source = ToolSource::Mcp { server: server.to_owned(), tool: tool.to_owned() };
        let tools = &self.config.app.conversation.tools;
        let own = tools.iter().find(|entry| *entry.source == source);
        let all = || tools.iter().find(|entry| entry.source.all_of() == Some(server));
        if let Some(entry) = own.or_else(all) {
            let name = if *entry.source == source { entry.name } else { tool };
            return self.mcp(ConfiguredTool { name, source: &source, config: entry.config }).await;
        }
        let config = tools.defaults().into_owned();
        self.mcp(ConfiguredTool { name: tool, source: &source, config: &config }).await
    }

    pub(super) async fn mcp(
        self: &Arc<Self>,
        tool: ConfiguredTool<'_>,
    ) -> Result<ResolvedTool, ResolveError> {
        let ToolSource::Mcp { server, tool: wanted } = tool.source else {
            return Err(ResolveError::Unknown { name: tool.name.to_owned(), nearest: None });
        };
        let name = tool.name.to_owned();
        if tool.source.all_of().is_some() {
            return Err(ResolveError::AllOf { name, server: server.clone() });
        }
        let server = self.server(server).map_err(|error| ResolveError::server(&name, error))?;
        let tools = server.tools().await.map_err(|error| ResolveError::server(&name, error))?;
        let Some(found) = tools.get(wanted) else {
            let known: Vec<_> = tools.tools.iter().map(|tool| tool.name.clone()).collect();
            let nearest = nearest(wanted, known.iter().map(String::as_str)).map(str::to_owned);
            let malformed = tools.malformed.iter().map(ToString::to_string).collect();
            let (server, tool) = (server.name().to_owned(), wanted.clone());
            let offer = Box::new(Offer { nearest, known, malformed });
            return Err(ResolveError::NotOffered { name, server, tool, offer });
        };
        let pinned = server.check_pin(found).map_err(|error| ResolveError::server(&name, error))?;
        if let Pinned::Changed(difference) = pinned {
            let (server, tool, now) =
                (server.name().to_owned(), wanted.clone(), Box::new(found.clone()));
            return Err(ResolveError::Changed { name, server, tool, difference, now });
        }
        self.described_by(tool, &server, found)
    }

    fn described_by(
        &self,
        tool: ConfiguredTool<'_>,
        server: &Arc<Server>,
        found: &jp_mcp::Tool,
    ) -> Result<ResolvedTool, ResolveError> {
        let name = tool.name;
        let overrides = Overrides::of(tool.config);
        let mut input = schema::of_object(&Value::Object(found.input_schema.clone()));
        let parameters = schema::parameters(&input);
        let provided = |parameters| ToolSchema {
            name: found.name.clone(),
            summary: found.description.clone().or_else(|| found.title.clone()),
            parameters,
            ..ToolSchema::default()
        };
        let merge = |parameters| {
            merge::merge(provided(parameters), &overrides, Origin::Server)
                .map_err(|source| ResolveError::Merge { name: name.to_owned(), source })
        };
        // What the server does with what is not given is its own business; what the configuration says
        // about that is filled in.
        let (filling, _) = merge(schema::without_defaults(&parameters))?;
        let (described, origins) = merge(parameters)?;
        if let Some(changes) = overrides.parameters {
            schema::lay_over(&mut input, changes);
        }
        let (mut definition, docs) = definition::split(name, described);
        definition.input = Some(input);
        let validator = Validator::of_server(&definition, filling.parameters);
        let validator = validator.map_err(|error| ResolveError::Definition {
            name: name.to_owned(),
            what: error.to_string(),
        })?;
        let place = Place { access: None, ..self.place(name) };
        let runtime = McpRuntime::new(server.clone(), found.clone(), place);
        Ok(ResolvedTool {
            definition,
            docs,
            origins,
            settings: CallSettings::of(tool),
            describes_itself: false,
            runtime: Arc::new(runtime),
            live: None,
            name_at_source: found.name.clone(),
            served: Some(Served {
                server: server.name().to_owned(),
                is_named: self.has_own_entry(tool.source),
            }),
            validator,
        })
    }
}
