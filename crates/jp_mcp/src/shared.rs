//! What the parts of one connection share: its transport, the handler of the server's requests, and the
//! calls that are under way.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use rmcp::model::RequestId;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::{
    authorize::LoginError,
    elicit::{ElicitAnswer, Form},
    limits::MAX_QUESTIONS,
};

/// The state of a connection.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Cancelled when the server has closed the connection.
    pub(crate) closed: CancellationToken,
    /// How often the server said that its tools have changed.
    pub(crate) changes: AtomicU64,
    /// How many lines of it were no messages.
    pub(crate) garbage: AtomicU64,
    /// How many questions are being answered: the clocks of all calls stand still meanwhile, because a
    /// server that waits for an answer may do nothing else.
    asking: watch::Sender<usize>,
    calls: Mutex<Vec<Seat>>,
    faults: Mutex<Vec<(RequestId, Fault)>>,
    numbers: AtomicU64,
}

/// Why an answer did not arrive, although something arrived.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// It is larger than a message may be.
    TooLarge,
    /// It is not JSON.
    NotJson(String),
    /// The server did not let us in.
    Login(Arc<LoginError>),
}

/// A question, and where its answer goes.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) form: Form,
    pub(crate) reply: oneshot::Sender<ElicitAnswer>,
}

/// A call that can be asked something.
#[derive(Debug)]
struct Seat {
    number: u64,
    request: Option<RequestId>,
    questions: mpsc::Sender<Asked>,
}

/// A call's place among those under way; given up when dropped.
#[derive(Debug)]
pub(crate) struct Seated {
    shared: Arc<Shared>,
    number: u64,
    pub(crate) questions: mpsc::Receiver<Asked>,
}

/// As long as there is one, the clocks of the connection stand still.
#[derive(Debug)]
pub(crate) struct Asking(Arc<Shared>);

impl Shared {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            closed: CancellationToken::new(),
            changes: AtomicU64::new(0),
            garbage: AtomicU64::new(0),
            asking: watch::Sender::new(0),
            calls: Mutex::default(),
            faults: Mutex::default(),
            numbers: AtomicU64::new(0),
        })
    }

    /// Takes part in questions.
    pub(crate) fn enter(self: &Arc<Self>) -> Seated {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let (sender, questions) = mpsc::channel(MAX_QUESTIONS);
        lock(&self.calls).push(Seat { number, request: None, questions: sender });
        Seated { shared: self.clone(), number, questions }
    }

    /// Who is to be asked: the call that the question belongs to where the transport knows it, else the
    /// one that waits longest. `None` if no call is under way.
    pub(crate) fn whom_to_ask(&self, origin: Option<&RequestId>) -> Option<mpsc::Sender<Asked>> {
        let calls = lock(&self.calls);
        let named =
            origin.and_then(|id| calls.iter().find(|seat| seat.request.as_ref() == Some(id)));
        named.or(calls.first()).map(|seat| seat.questions.clone())
    }

    /// The clocks stand still until what is returned is dropped.
    pub(crate) fn ask(self: &Arc<Self>) -> Asking {
        self.asking.send_modify(|count| *count += 1);
        Asking(self.clone())
    }

    /// Tells when questions begin and end.
    pub(crate) fn questions(&self) -> watch::Receiver<usize> {
        self.asking.subscribe()
    }

    /// Notes why the answer to a request did not arrive.
    pub(crate) fn blame(&self, id: RequestId, fault: Fault) {
        lock(&self.faults).push((id, fault));
    }

    /// Why the server did not let us in, whatever it was asked.
    pub(crate) fn locked_out(&self) -> Option<Arc<LoginError>> {
        lock(&self.faults).iter().find_map(|(_, fault)| match fault {
            Fault::Login(error) => Some(error.clone()),
            Fault::TooLarge | Fault::NotJson(_) => None,
        })
    }

    /// Why the answer to this request did not arrive, if that was noted.
    pub(crate) fn fault(&self, id: &RequestId) -> Option<Fault> {
        let mut faults = lock(&self.faults);
        let index = faults.iter().position(|(of, _)| of == id)?;
        Some(faults.swap_remove(index).1)
    }
}

impl Seated {
    /// The request was sent under this id.
    pub(crate) fn is_request(&self, id: &RequestId) {
        let mut calls = lock(&self.shared.calls);
        if let Some(seat) = calls.iter_mut().find(|seat| seat.number == self.number) {
            seat.request = Some(id.clone());
        }
    }
}

impl Drop for Seated {
    fn drop(&mut self) {
        lock(&self.shared.calls).retain(|seat| seat.number != self.number);
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.asking.send_modify(|count| *count -= 1);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing is done under these locks that could be left half done by a panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
