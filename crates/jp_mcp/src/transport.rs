//! How messages travel, and what is done with each on its way.
//!
//! rmcp keeps the tables of requests and answers; the transports are ours, or go through here, for what it
//! leaves open. Progress is handed to the call it belongs to in the order it arrives, logs are dropped
//! before they cost anything, a change of the tools is counted, a server that asks more than it reads is
//! not listened to, and `_meta` is tidied on the way out.

mod http;
mod lines;
mod reader;
mod wire;

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering},
};

use rmcp::model::{
    ClientJsonRpcMessage, ProgressToken, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use tokio::sync::mpsc;

pub(crate) use self::{
    http::{OverHttp, client_builder as http_client},
    lines::Lines,
};
use crate::{call::Progress, limits::MAX_OWED, meta, shared::Shared, words::plain};

/// Where the messages of one connection pass by.
#[derive(Debug)]
struct Desk {
    shared: Arc<Shared>,
    listeners: HashMap<ProgressToken, mpsc::Sender<Progress>>,
    /// The requests of the server whose answers are not written yet.
    owed: Owed,
}

/// Requests that are not answered. A clone is the same list.
#[derive(Debug, Clone, Default)]
struct Owed(Arc<Mutex<HashSet<RequestId>>>);

impl Desk {
    fn new(shared: Arc<Shared>) -> Self {
        Self { shared, listeners: HashMap::new(), owed: Owed::default() }
    }

    /// A message of ours, about to be written.
    fn outgoing(&mut self, message: &mut ClientJsonRpcMessage) {
        if let ClientJsonRpcMessage::Request(request) = message
            && let Some((token, listener)) = meta::tidy(&mut request.request)
        {
            // Calls end without a word to us; their listeners are gone then.
            self.listeners.retain(|_, listener| !listener.is_closed());
            self.listeners.insert(token, listener);
        }
    }

    /// A message of the server; `None` if nobody else needs it.
    fn incoming(&self, message: ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
        let notification = match &message {
            ServerJsonRpcMessage::Notification(notification) => &notification.notification,
            ServerJsonRpcMessage::Request(request) => {
                return self.owed.admit(&request.id).then_some(message);
            }
            ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_) => {
                return Some(message);
            }
        };
        match notification {
            ServerNotification::ProgressNotification(notification) => {
                let params = &notification.params;
                let message = params.message.as_deref().map(plain);
                let (progress, total) = (params.progress, params.total);
                self.progress(&params.progress_token, Progress { progress, total, message });
                None
            }
            ServerNotification::ToolListChangedNotification(_) => {
                self.changed();
                None
            }
            ServerNotification::CancelledNotification(cancelled) => {
                // What the server has taken back is not answered.
                cancelled.params.request_id.as_ref().inspect(|id| self.owed.settle(id));
                Some(message)
            }
            ServerNotification::SubscriptionsAcknowledgedNotification(_) => Some(message),
            _ => None,
        }
    }

    /// Tells the call that it is getting on. One that is told more than it hears does not hear it.
    fn progress(&self, token: &ProgressToken, progress: Progress) {
        if let Some(listener) = self.listeners.get(token) {
            let _ = listener.try_send(progress);
        }
    }

    fn changed(&self) {
        self.shared.changes.fetch_add(1, Ordering::Relaxed);
    }
}

impl Owed {
    /// Whether this request is listened to.
    fn admit(&self, id: &RequestId) -> bool {
        let mut owed = self.lock();
        owed.len() < MAX_OWED && owed.insert(id.clone())
    }

    fn settle(&self, id: &RequestId) {
        self.lock().remove(id);
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The request of the server that a message of ours answers.
fn answers(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        ClientJsonRpcMessage::Response(response) => Some(response.id.clone()),
        ClientJsonRpcMessage::Error(error) => error.id.clone(),
        ClientJsonRpcMessage::Request(_) | ClientJsonRpcMessage::Notification(_) => None,
    }
}

/// The connection is closed when this goes, whatever the reason.
impl Drop for Desk {
    fn drop(&mut self) {
        self.shared.closed.cancel();
    }
}
