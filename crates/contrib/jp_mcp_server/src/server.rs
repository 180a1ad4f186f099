//! A toolbox as a server of MCP.
//!
//! rmcp speaks the protocol in both its eras; what is here is the order of a call: is there such a
//! tool, is there room, which way do questions go, run it so that neither a panic nor a client that
//! cancels leaves anything behind, and say how it ended in the protocol that was chosen.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    sync::{Arc, atomic::AtomicU32},
};

use jp_tool::{Outcome, ToolError};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, Implementation, JsonObject,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities,
        ServerConfig,
    },
    service::RequestContext,
};
use serde_json::{Map, Value};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use crate::{
    CONTEXT_KEY, Call, OUTCOME_KEY, Protocol, Reply, Stop, TOOL_KEY, Toolbox,
    call::Progress,
    reply::{contents, envelope, failure},
    stop::Reason,
    way::Way,
};

/// More calls than this at once are refused; no person or model makes so many.
const MAX_CALLS: usize = 64;

/// A toolbox that is being served.
#[derive(Debug)]
pub(crate) struct Server<T> {
    toolbox: Arc<T>,
    protocol: Protocol,
    names: BTreeSet<Cow<'static, str>>,
    room: Semaphore,
}

impl<T: Toolbox> Server<T> {
    pub(crate) fn new(toolbox: T, protocol: Protocol) -> Self {
        let names = toolbox.tools().into_iter().map(|tool| tool.name).collect();
        Self { toolbox: Arc::new(toolbox), protocol, names, room: Semaphore::new(MAX_CALLS) }
    }

    fn admit(&self) -> Result<SemaphorePermit<'_>, ErrorData> {
        self.room.try_acquire().map_err(|_| {
            let text = format!("more than {MAX_CALLS} calls at once; wait for one to end");
            ErrorData::internal_error(text, None)
        })
    }

    fn prepare(
        &self,
        params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        way: Arc<Way>,
    ) -> Call {
        let told =
            |key: &str, field: &str| context.meta.get(key).and_then(|value| value.get(field));
        let jp = self.protocol == Protocol::Jp;
        let options = told(TOOL_KEY, "options").filter(|_| jp).and_then(Value::as_object);
        let root = told(CONTEXT_KEY, "root").filter(|_| jp).and_then(Value::as_str);
        let token = context.meta.get_progress_token();
        let progress = token.map(|token| Progress {
            peer: context.peer.clone(),
            token,
            sent: AtomicU32::new(0),
        });
        Call {
            tool: params.name.into_owned(),
            arguments: params.arguments.unwrap_or_default(),
            options: options.cloned().unwrap_or_default(),
            root: root.map(ToOwned::to_owned),
            way,
            progress,
        }
    }

    /// Runs a tool in a task of its own: a panic there is an error here, and dropping the set ends it.
    async fn run(&self, call: Call, cancelled: &CancellationToken) -> Result<Reply, Stop> {
        let toolbox = self.toolbox.clone();
        let mut task = JoinSet::new();
        task.spawn(async move { toolbox.call(call).await });
        tokio::select! {
            () = cancelled.cancelled() => Err(ToolError::new("The call was cancelled.").into()),
            done = task.join_next() => match done {
                Some(Ok(end)) => end,
                _ => Err(ToolError::new("The tool broke down; this is a fault of the server.").into()),
            },
        }
    }

    fn respond(&self, end: Result<Reply, Stop>, way: &Way) -> Result<CallToolResponse, ErrorData> {
        let question = match end {
            Ok(reply) => return Ok(reply.into_result(self.protocol).into()),
            Err(Stop(Reason::Failed(error))) => return Ok(failure(&error, self.protocol).into()),
            Err(Stop(Reason::Asked(question))) => *question,
        };
        match way.input_required(&question) {
            Some(required) => required.map(Into::into),
            None => Ok(envelope(&Outcome::NeedsInput { question }).into()),
        }
    }
}

impl<T: Toolbox> ServerHandler for Server<T> {
    fn get_info(&self) -> ServerConfig {
        let about = self.toolbox.about();
        let mut capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().build();
        if self.protocol == Protocol::Jp {
            let extension = (OUTCOME_KEY.to_owned(), JsonObject::new());
            capabilities.extensions = Some([extension].into_iter().collect());
        }
        let name = Implementation::new(about.name, about.version).with_title(about.title);
        let config = ServerConfig::new(capabilities).with_server_info(name);
        config.with_instructions(about.instructions)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.toolbox.tools()))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !self.names.contains(&params.name) {
            let text = format!("there is no tool `{}`; `tools/list` names them", params.name);
            return Err(ErrorData::invalid_params(text, None));
        }
        let _room = self.admit()?;
        let way = Arc::new(Way::of(self.protocol, &params, &context)?);
        let call = self.prepare(params, &context, way.clone());
        let end = self.run(call, &context.ct).await;
        self.respond(end, &way)
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.toolbox.resources().await.map_err(fault)?;
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(self.toolbox.templates()))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let _room = self.admit()?;
        let document = tokio::select! {
            () = context.ct.cancelled() => Err(ToolError::new("cancelled")),
            document = self.toolbox.read(&params.uri) => document,
        };
        let document = document.map_err(fault)?.ok_or_else(|| {
            let data: Map<String, Value> =
                [("uri".to_owned(), params.uri.clone().into())].into_iter().collect();
            let text = format!("there is no resource `{}`", params.uri);
            ErrorData::resource_not_found(text, Some(data.into()))
        })?;
        Ok(ReadResourceResult::new(vec![contents(document)]).into())
    }
}

fn fault(error: ToolError) -> ErrorData {
    let causes: String = error.trace.iter().map(|cause| format!(": {cause}")).collect();
    ErrorData::internal_error(error.message + &causes, None)
}
