//! The thread that asks the host: for the list once a second, and for the conversation that is looked at
//! whenever the list says that it has changed.
//!
//! Only what has changed is passed on, so an idle dashboard draws nothing. The conversation is asked for
//! through [`Wanted`], which remembers the last one only: whoever runs down the list does not queue up
//! hundreds of conversations to be read.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc::Sender},
    thread,
    time::{Duration, Instant},
};

use jp_plugin_sdk::{RequestError, Session, Summary};

use crate::{
    input::{Input, Sentinel},
    transcript::Transcript,
};

/// How often the list is asked for.
const EVERY: Duration = Duration::from_secs(1);

/// Which conversation is looked at.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted(Arc<(Mutex<Option<String>>, Condvar)>);

impl Wanted {
    pub(crate) fn set(&self, id: Option<&str>) {
        let mut wanted = self.lock();
        if wanted.as_deref() != id {
            *wanted = id.map(str::to_owned);
            self.0.1.notify_all();
        }
    }

    /// Waits until it is another one than this, or until then.
    fn other_than(&self, id: Option<&str>, deadline: Instant) -> Option<String> {
        let mut wanted = self.lock();
        while wanted.as_deref() == id {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else { break };
            let slept = self.0.1.wait_timeout(wanted, left);
            wanted = slept.unwrap_or_else(PoisonError::into_inner).0;
        }
        wanted.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks until nobody wants to know any more.
pub(crate) fn start(session: Session, wanted: Wanted, sender: Sender<Input>) {
    thread::spawn(move || {
        let sentinel = Sentinel(sender, "reading the conversations failed");
        let mut feed =
            Feed { session, sender: sentinel.0.clone(), listing: Vec::new(), read: None };
        let (mut id, mut next) = (None, Instant::now());
        while feed.session.shutdown().is_none() {
            id = wanted.other_than(id.as_deref(), next);
            let due = Instant::now() >= next;
            if due {
                next = Instant::now() + EVERY;
            }
            if feed.round(id.as_deref(), due).is_none() {
                return;
            }
        }
    });
}

struct Feed {
    session: Session,
    sender: Sender<Input>,
    listing: Vec<Summary>,
    /// The conversation that was passed on last, as the list had it then.
    read: Option<Summary>,
}

impl Feed {
    /// One look; `None` when it was the last.
    fn round(&mut self, id: Option<&str>, due: bool) -> Option<()> {
        if due {
            match self.session.list_conversations() {
                Ok(listing) if listing != self.listing => {
                    self.listing.clone_from(&listing);
                    self.tell(Input::Listing(listing))?;
                }
                Ok(_) => {}
                Err(RequestError::Closed) => return None,
                Err(error) => self.tell(Input::Trouble(error.to_string()))?,
            }
        }
        let Some(id) = id else { return Some(()) };
        let Some(summary) = self.listing.iter().find(|it| it.id == id) else { return Some(()) };
        if self.read.as_ref() == Some(summary) {
            return Some(());
        }
        let summary = summary.clone();
        let transcript = match self.session.read_raw_events(id) {
            Ok(events) => Ok(Transcript::read(&events)),
            Err(RequestError::Closed) => return None,
            Err(error) => Err(error.to_string()),
        };
        let input = Input::Transcript(summary.id.clone(), transcript);
        self.read = Some(summary);
        self.tell(input)
    }

    fn tell(&self, input: Input) -> Option<()> {
        self.sender.send(input).ok()
    }
}
