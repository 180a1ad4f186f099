//! The keys of `_meta` that are ours, and what happens to `_meta` on its way out.
//!
//! `_meta` belongs to several owners. The protocol keeps its version, the capabilities of the client and a
//! token for progress there; jp puts the context of the call beside them, as the caller made it. What is
//! not needed is left out: a server of the older era sees no `_meta` at all in a call that has neither a
//! context of jp nor anybody who wants to see progress.

use rmcp::model::{ClientRequest, GetExtensions as _, ProgressToken, RequestMetaObject};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use crate::call::Progress;

/// The call as jp sees it: name, arguments, answers, options.
pub const TOOL: &str = "computer.jp/tool";

/// Where the call is made: action, root.
pub const CONTEXT: &str = "computer.jp/context";

/// The extension that we offer, and the mark on results that are envelopes.
pub const OUTCOME: &str = "computer.jp/outcome";

/// Travels with a request to the transport: somebody wants to hear of its progress.
#[derive(Debug, Clone)]
pub(crate) struct WantsProgress(pub(crate) mpsc::Sender<Progress>);

/// What is put into a request. What belongs to the protocol is added later, and wins.
pub(crate) fn ours(meta: Option<&Map<String, Value>>) -> Option<RequestMetaObject> {
    meta.filter(|meta| !meta.is_empty()).cloned().map(RequestMetaObject::from)
}

/// The last look at a request before it is written: without a listener it asks for no progress, and where
/// nothing is left `_meta` is left out. With one, the token under which progress will arrive.
pub(crate) fn tidy(request: &mut ClientRequest) -> Option<(ProgressToken, mpsc::Sender<Progress>)> {
    let extensions = request.extensions_mut();
    if let Some(WantsProgress(listener)) = extensions.remove() {
        let token = extensions.get::<RequestMetaObject>()?.get_progress_token()?;
        return Some((token, listener));
    }
    let meta = extensions.get_mut::<RequestMetaObject>()?;
    meta.remove("progressToken");
    if meta.is_empty() {
        extensions.remove::<RequestMetaObject>();
    }
    None
}
