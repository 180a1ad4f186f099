//! What every kind of session is built on: requests with ids, one reader, answers routed to whoever
//! asked.
//!
//! ```text
//! thread ─┐ ask(id 1) ─► Outbox ─► host ─► reader ─► by id ─┬─► thread
//! thread ─┘ ask(id 2)                                       └─► thread
//! ```
//!
//! `lock` and `unlock` have no id. The host works on requests with ids side by side, and an `unlock`
//! that overtakes the next `lock` would free it; those without are done one after the other, so their
//! answers come in the order in which they were sent.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    fmt,
    io::{self, BufRead, Read as _},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use jp_plugin::{
    HostToPlugin, MessageError, PluginToHost, Request, RequestId, to_host::Asked, to_plugin,
};

use crate::{
    error::RequestError,
    outbox::Outbox,
    shutdown::{Shutdown, Why},
};

/// The longest line of the host. Its answers are as long as the conversations of the user, so this only
/// guards against something that is no host.
const LONGEST: u64 = 1 << 30;

pub(crate) type Answer = Result<HostToPlugin, RequestError>;

/// Takes the answer. One that is dropped means that there will be none.
pub(crate) type Reply = Box<dyn FnOnce(Answer) + Send>;

/// A connection to the host.
pub(crate) struct Core {
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) shutdown: Shutdown,
    waiting: Mutex<Waiting>,
    /// Held while a request without an id is sent, so that they wait in the order of the lines.
    order: Mutex<()>,
    /// The conversations that a guard of this plugin has locked.
    held: Mutex<HashSet<String>>,
    next: AtomicU64,
}

#[derive(Default)]
struct Waiting {
    by_id: HashMap<RequestId, Reply>,
    in_order: VecDeque<Reply>,
    closed: bool,
}

impl Core {
    pub(crate) fn new(outbox: Arc<Outbox>) -> Self {
        Self {
            outbox,
            shutdown: Shutdown::default(),
            waiting: Mutex::default(),
            order: Mutex::default(),
            held: Mutex::default(),
            next: AtomicU64::new(1),
        }
    }

    /// Sends a request that others may overtake. The reply also hears if it cannot be sent.
    pub(crate) fn ask(&self, request: Request, reply: Reply) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let Ok(id) = RequestId::try_from(number.to_string()) else { return };
        let mut waiting = self.waiting();
        if waiting.closed {
            drop(waiting);
            return reply(Err(RequestError::Closed));
        }
        waiting.by_id.insert(id.clone(), reply);
        drop(waiting);
        let message = PluginToHost::Request(Asked { request, id: Some(id.clone()) });
        if let Err(error) = self.outbox.send(&message) {
            let reply = self.waiting().by_id.remove(&id);
            if let Some(reply) = reply {
                reply(Err(error));
            }
        }
    }

    /// The same for `lock` and `unlock`: nothing that is sent this way overtakes another.
    pub(crate) fn ask_in_order(&self, request: Request, reply: Reply) {
        let _order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        let mut waiting = self.waiting();
        if waiting.closed {
            drop(waiting);
            return reply(Err(RequestError::Closed));
        }
        waiting.in_order.push_back(reply);
        drop(waiting);
        let message = PluginToHost::Request(Asked { request, id: None });
        if let Err(error) = self.outbox.send(&message) {
            let reply = self.waiting().in_order.pop_back();
            if let Some(reply) = reply {
                reply(Err(error));
            }
        }
    }

    /// Notes that this plugin is about to lock a conversation; only one guard of it can.
    pub(crate) fn hold(&self, conversation: &str) -> Result<(), RequestError> {
        if self.held().insert(conversation.to_owned()) {
            Ok(())
        } else {
            Err(RequestError::AlreadyHeld(conversation.to_owned()))
        }
    }

    /// Notes that the lock is given back. To be called when the `unlock` is on its way, so that a `lock`
    /// that follows comes after it.
    pub(crate) fn release(&self, conversation: &str) {
        self.held().remove(conversation);
    }

    /// Reads what the host says until it says nothing any more.
    pub(crate) fn listen(&self, mut reader: impl BufRead) {
        while let Ok(Some(line)) = next_line(&mut reader) {
            match to_plugin::parse(&line) {
                Ok(HostToPlugin::Shutdown) => self.shutdown.set(Why::Asked),
                // Either is said once, at the beginning; the last is something of a later version.
                Ok(HostToPlugin::Init(_) | HostToPlugin::Describe)
                | Err(MessageError::Refused(_)) => {}
                Ok(answer) => self.route(answer),
                Err(MessageError::Framing(_)) => break,
            }
        }
        let mut waiting = self.waiting();
        let lost = (std::mem::take(&mut waiting.by_id), std::mem::take(&mut waiting.in_order));
        waiting.closed = true;
        drop(waiting);
        drop(lost);
        self.shutdown.set(Why::HostGone);
    }

    fn route(&self, answer: HostToPlugin) {
        let reply = match answer.id() {
            Some(id) => self.waiting().by_id.remove(id),
            None if is_about_something_else(&answer) => None,
            None => self.waiting().in_order.pop_front(),
        };
        // An answer that nobody waits for is to a message that was not ours to send.
        let Some(reply) = reply else { return };
        reply(match answer {
            HostToPlugin::Error(error) => Err(RequestError::Refused {
                request: error.request,
                conversation: error.conversation,
                message: error.message,
            }),
            answer => Ok(answer),
        });
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn held(&self) -> MutexGuard<'_, HashSet<String>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").field("shutdown", &self.shutdown).finish_non_exhaustive()
    }
}

/// Whether this is an error, and not one about a lock: a print or a log, which have no id either, was refused.
fn is_about_something_else(answer: &HostToPlugin) -> bool {
    matches!(answer, HostToPlugin::Error(error) if !["lock", "unlock"].contains(&&*error.request))
}

/// The next line that is not empty, without its end; none at the end.
pub(crate) fn next_line(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = reader.take(LONGEST).read_until(b'\n', &mut line)?;
        if length == 0 {
            return Ok(None);
        }
        if u64::try_from(length).is_ok_and(|length| length >= LONGEST) {
            return Err(io::Error::other("the line has no end"));
        }
        if !line.trim_ascii().is_empty() {
            return Ok(Some(line));
        }
    }
}
