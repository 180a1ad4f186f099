//! How messages travel, and what is done with each on its way.
//!
//! rmcp keeps the tables of requests and answers; the transports are ours, or go through here, for what it
//! leaves open. Progress is handed to the call it belongs to in the order it arrives, logs are dropped
//! before they cost anything, a change of the tools is counted, and `_meta` is tidied on the way out.

mod http;
mod lines;
mod reader;
mod wire;

use std::{
    collections::HashMap,
    sync::{Arc, atomic::Ordering},
};

use rmcp::model::{ClientJsonRpcMessage, ProgressToken, ServerJsonRpcMessage, ServerNotification};
use tokio::sync::mpsc;

pub(crate) use self::{http::OverHttp, lines::Lines};
use crate::{call::Progress, meta, shared::Shared};

/// Where the messages of one connection pass by.
#[derive(Debug)]
struct Desk {
    shared: Arc<Shared>,
    listeners: HashMap<ProgressToken, mpsc::Sender<Progress>>,
}

impl Desk {
    fn new(shared: Arc<Shared>) -> Self {
        Self { shared, listeners: HashMap::new() }
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
        let ServerJsonRpcMessage::Notification(notification) = &message else {
            return Some(message);
        };
        match &notification.notification {
            ServerNotification::ProgressNotification(notification) => {
                let params = &notification.params;
                let message = params.message.clone();
                let (progress, total) = (params.progress, params.total);
                self.progress(&params.progress_token, Progress { progress, total, message });
                None
            }
            ServerNotification::ToolListChangedNotification(_) => {
                self.changed();
                None
            }
            ServerNotification::CancelledNotification(_)
            | ServerNotification::SubscriptionsAcknowledgedNotification(_) => Some(message),
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

/// The connection is closed when this goes, whatever the reason.
impl Drop for Desk {
    fn drop(&mut self) {
        self.shared.closed.cancel();
    }
}
