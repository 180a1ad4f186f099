//! Messages as lines over the input and output of a program.
//!
//! A program that prints something else on its output is told from one that answers: what is no message is
//! counted and skipped. An answer that is too large, or that is broken, is an error for the one who waits
//! for it, at once, and the connection goes on.

use std::{
    collections::{HashMap, VecDeque},
    io,
    sync::{Arc, atomic::Ordering},
};

use rmcp::{
    ErrorData, RoleClient,
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, RequestId, ServerJsonRpcMessage,
    },
    transport::Transport,
};
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _},
    sync::Mutex,
};

use super::{
    Desk, answers,
    reader::{LineReader, Read},
    wire::{self, Head, Heard},
};
use crate::{
    limits::MAX_MESSAGE,
    shared::{Fault, Shared},
};

/// The connection to a program.
pub(crate) struct Lines {
    read: LineReader,
    write: Arc<Mutex<Option<Box<dyn AsyncWrite + Send + Unpin>>>>,
    desk: Desk,
    /// The requests without an answer, and whether rmcp has to understand it.
    awaited: HashMap<RequestId, bool>,
    /// Messages that came in one line with others.
    waiting: VecDeque<ServerJsonRpcMessage>,
}

impl Lines {
    pub(crate) fn new(
        read: Box<dyn AsyncRead + Send + Unpin>,
        write: Box<dyn AsyncWrite + Send + Unpin>,
        shared: Arc<Shared>,
    ) -> Self {
        Self {
            read: LineReader::new(read, MAX_MESSAGE),
            write: Arc::new(Mutex::new(Some(write))),
            desk: Desk::new(shared),
            awaited: HashMap::new(),
            waiting: VecDeque::new(),
        }
    }

    /// Keeps the list of requests without an answer.
    fn note(&mut self, message: &ClientJsonRpcMessage) {
        match message {
            ClientJsonRpcMessage::Request(request) => {
                let is_typed = matches!(
                    request.request,
                    ClientRequest::InitializeRequest(_)
                        | ClientRequest::DiscoverRequest(_)
                        | ClientRequest::SubscriptionsListenRequest(_)
                );
                self.awaited.insert(request.id.clone(), is_typed);
            }
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.awaited.remove(id);
                }
            }
            ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => {}
        }
    }

    fn hear(&mut self, line: &[u8]) {
        let line = line.trim_ascii();
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        if line.is_empty() {
            return;
        }
        match serde_json::from_slice(line) {
            // Several messages in one line were allowed for a while.
            Ok(Value::Array(messages)) => messages.into_iter().for_each(|one| self.sort(one)),
            Ok(message) => self.sort(message),
            Err(error) => {
                self.count_garbage();
                let culprit = match wire::head(line) {
                    Head::AnswerTo(id) => self.awaited.contains_key(&id).then_some(id),
                    Head::Answer => self.only_one(),
                    Head::Other => None,
                };
                if let Some(id) = culprit {
                    self.fail(id, Fault::NotJson(error.to_string()));
                }
            }
        }
    }

    fn sort(&mut self, message: Value) {
        match wire::sort(message) {
            Heard::Message(message) => self.waiting.extend(self.desk.incoming(*message)),
            Heard::Answer(id, answer) => self.answer(id, answer),
            Heard::Progress(token, progress) => self.desk.progress(&token, progress),
            Heard::ToolsChanged => self.desk.changed(),
            Heard::Unneeded => {}
            Heard::Garbage => self.count_garbage(),
        }
    }

    /// An error without an id belongs to the only request there is.
    fn answer(&mut self, id: Option<RequestId>, answer: Result<Value, ErrorData>) {
        let id = id.or_else(|| self.only_one());
        let is_typed = id.as_ref().and_then(|id| self.awaited.remove(id)).unwrap_or(false);
        self.waiting.push_back(match (answer, id) {
            (Ok(value), Some(id)) => {
                ServerJsonRpcMessage::response(wire::result(value, is_typed), id)
            }
            (Ok(_), None) => return,
            (Err(error), id) => ServerJsonRpcMessage::error(error, id),
        });
    }

    /// Whoever waits for a line that is too long is told now, not when the time is up. If nothing shows
    /// who that is, it is everybody.
    fn refuse(&mut self, head: &[u8]) {
        let culprits = match wire::head(head) {
            Head::AnswerTo(id) if self.awaited.contains_key(&id) => vec![id],
            Head::AnswerTo(_) | Head::Answer => self.awaited.keys().cloned().collect(),
            Head::Other => Vec::new(),
        };
        self.count_garbage();
        for id in culprits {
            self.fail(id, Fault::TooLarge);
        }
    }

    fn fail(&mut self, id: RequestId, fault: Fault) {
        self.awaited.remove(&id);
        self.desk.shared.blame(id.clone(), fault);
        let error = ErrorData::internal_error("the answer cannot be read", None);
        self.waiting.push_back(ServerJsonRpcMessage::error(error, Some(id)));
    }

    fn only_one(&self) -> Option<RequestId> {
        let mut ids = self.awaited.keys();
        ids.next().filter(|_| self.awaited.len() == 1).cloned()
    }

    fn count_garbage(&self) {
        self.desk.shared.garbage.fetch_add(1, Ordering::Relaxed);
    }
}

impl Transport<RoleClient> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        mut message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.desk.outgoing(&mut message);
        self.note(&message);
        let (write, owed) = (self.write.clone(), self.desk.owed.clone());
        let line = serde_json::to_vec(&message);
        let answered = answers(&message);
        async move {
            let mut line = line?;
            line.push(b'\n');
            let mut write = write.lock().await;
            let write = write.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            write.write_all(&line).await?;
            write.flush().await?;
            answered.inspect(|id| owed.settle(id));
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.waiting.pop_front() {
                return Some(message);
            }
            match self.read.next().await {
                Ok(Read::Line(line)) => self.hear(&line),
                Ok(Read::TooLong(head)) => self.refuse(&head),
                Ok(Read::End) | Err(_) => {
                    self.desk.shared.closed.cancel();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // A program that does not read may hold a writer; the process is ended anyway.
        if let Ok(mut write) = self.write.try_lock() {
            write.take();
        }
        Ok(())
    }
}
