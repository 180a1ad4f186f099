//! What a server may ask of us: a person's answer, the roots, a sign of life. Everything else is refused,
//! above all a completion by our model: nobody has agreed to pay for that.

#![expect(deprecated, reason = "roots are on their way out, but servers of the older era use them")]

use std::sync::Arc;

use rmcp::{
    ClientHandler, ErrorData,
    model::{
        ClientCapabilities, ClientConfig, CustomRequest, CustomResult, ElicitRequestParams,
        ElicitResult, ElicitationAction, ElicitationCapability, ErrorCode,
        FormElicitationCapability, Implementation, ListRootsResult, ProtocolVersion, RequestId,
        Root, RootsCapabilities,
    },
    service::{InboundStreamOrigin, RequestContext, RoleClient},
};
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use crate::{
    decode,
    elicit::ElicitAnswer,
    meta,
    server_spec::ServerSpec,
    shared::{Asked, Shared},
};

/// Answers the requests of one server.
#[derive(Debug)]
pub(crate) struct Handler {
    shared: Arc<Shared>,
    roots: Vec<String>,
}

impl Handler {
    pub(crate) fn new(spec: &ServerSpec, shared: Arc<Shared>) -> Self {
        Self { shared, roots: decode::root_uris(&spec.roots) }
    }

    /// The roots, for a server that was told that it may ask.
    fn told_roots(&self) -> Result<&[String], ErrorData> {
        if self.roots.is_empty() { Err(unknown(decode::ROOTS)) } else { Ok(&self.roots) }
    }

    /// Asks a person, through the call that is under way.
    async fn ask(
        &self,
        params: Value,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitAnswer, ErrorData> {
        let form = decode::form(params).map_err(|error| invalid(error.to_string()))?;
        let call = self.shared.whom_to_ask(origin(&context));
        let call = call.ok_or_else(|| invalid("no call is under way that could be asked"))?;
        let (reply, answer) = oneshot::channel();
        call.try_send(Asked { form, reply }).map_err(|_| invalid("too many questions"))?;
        let given_up = || ErrorData::internal_error("the question was given up", None);
        tokio::select! {
            answer = answer => answer.map_err(|_| given_up()),
            () = context.ct.cancelled() => Err(given_up()),
        }
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let implementation = Implementation::new("jp", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities(!self.roots.is_empty()), implementation)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        let roots = self.told_roots()?.iter().map(Root::new).collect();
        Ok(ListRootsResult::new(roots))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let params = serde_json::to_value(request).map_err(|error| invalid(error.to_string()))?;
        Ok(match self.ask(params, context).await? {
            ElicitAnswer::Accept(fields) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(fields))
            }
            ElicitAnswer::Decline => ElicitResult::new(ElicitationAction::Decline),
            ElicitAnswer::Cancel => ElicitResult::new(ElicitationAction::Cancel),
        })
    }

    /// Our own transport passes requests on as they are, because a schema that is a little odd is no
    /// reason not to ask.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        let result = match request.method.as_str() {
            decode::ELICIT => {
                self.ask(request.params.unwrap_or_default(), context).await?.into_result()
            }
            decode::ROOTS => decode::roots_result(self.told_roots()?),
            other => return Err(unknown(other)),
        };
        Ok(CustomResult(result))
    }
}

/// What we offer to servers.
fn capabilities(roots: bool) -> ClientCapabilities {
    let form = ElicitationCapability::new().with_form(FormElicitationCapability::new());
    let ours = [(meta::OUTCOME.to_owned(), Map::new())].into_iter().collect();
    let mut all = ClientCapabilities::builder()
        .enable_elicitation_with(form)
        .enable_extensions_with(ours)
        .build();
    all.roots = roots.then(RootsCapabilities::default);
    all
}

fn origin(context: &RequestContext<RoleClient>) -> Option<&RequestId> {
    match context.extensions.get::<InboundStreamOrigin>()? {
        InboundStreamOrigin::OutboundRequest(id) => Some(id),
        InboundStreamOrigin::Unassociated => None,
    }
}

fn invalid(message: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(message.into(), None)
}

fn unknown(method: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None)
}
