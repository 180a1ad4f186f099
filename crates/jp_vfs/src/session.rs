//! One tool, from `init` to its last word.
//!
//! A [`Session`] is the handle that the rest of jp holds; the work is done by a thread of its own, in
//! [`talk`]. The handle sends (`apply`, `cancel`) and waits (for a state, for the end).

mod job;
mod lines;
mod outbox;
mod talk;

use std::{
    collections::VecDeque,
    io,
    os::fd::OwnedFd,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use jp_tool::{
    ToolError, ToolState,
    vfs::{Answer, ApplyParams, HostNotification, Init},
};
use rustix::event::{EventfdFlags, eventfd};
use serde_json::Value;
use tokio::{runtime::Handle, sync::Notify};

use self::{job::Answered, talk::Talk};
use crate::{gate::Gate, host::Host};

/// How many bytes are kept of a line that was no message.
const STRAY: usize = 200;

/// The two pipes to a tool.
#[derive(Debug)]
pub struct Pipes {
    /// Its standard input.
    pub to_tool: OwnedFd,
    /// Its standard output.
    pub from_tool: OwnedFd,
}

/// Why nothing more comes from a tool.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// It said what came of the call.
    Result(Answer),
    /// It said that it failed.
    Failed(ToolError),
    /// It had stayed alive, and has stopped.
    Stopped(ToolState),
    /// It closed its output without a last word.
    Closed,
    /// It said nothing for so long, while nothing was owed to it.
    Silent(Duration),
    /// It left what was sent to it unread for so long.
    Deaf(Duration),
    /// Its last word cannot be understood.
    Unreadable(String),
    /// What it asked for could not be written down, so nothing more was done for it.
    Unrecorded(String),
    /// The pipes failed.
    Lost(String),
}

/// A tool that is being served. Dropped, it is not served any more.
#[derive(Debug)]
pub struct Session {
    shared: Arc<Shared>,
}

impl Session {
    /// Sends `init` and serves the tool from then on. One that stays alive may say where it stands and
    /// then be silent until it is given input. Has to be called inside a tokio runtime, which does what
    /// has to be waited for.
    pub fn start(
        pipes: Pipes,
        init: Init,
        gate: Arc<Gate>,
        host: Arc<Host>,
        stays_alive: bool,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared::new()?);
        let runtime = Handle::try_current().map_err(io::Error::other)?;
        let mut talk = Talk::new(pipes, gate, host, shared.clone(), runtime, stays_alive)?;
        talk.notify(&HostNotification::Init(Box::new(init)));
        thread::Builder::new().name("jp-vfs".to_owned()).spawn(move || talk.run())?;
        Ok(Self { shared })
    }

    /// Waits for the end. Says the same when asked again.
    pub async fn end(&self) -> End {
        loop {
            let changed = self.shared.changed.notified();
            if let Some(end) = self.shared.news().end.clone() {
                return end;
            }
            changed.await;
        }
    }

    /// Whether nothing more comes.
    pub fn has_ended(&self) -> bool {
        self.shared.news().end.is_some()
    }

    /// How many states were reported so far, for [`Self::state_after`].
    pub fn states(&self) -> u64 {
        self.shared.news().states
    }

    /// The last state that was reported.
    pub fn state(&self) -> Option<ToolState> {
        self.shared.news().state.clone()
    }

    /// Waits for a state that is reported after so many, or for the end. A tool that stops reports its
    /// last state, which is also its end.
    pub async fn state_after(&self, states: u64) -> Result<ToolState, End> {
        loop {
            let changed = self.shared.changed.notified();
            {
                let news = self.shared.news();
                if news.states > states
                    && let Some(state) = &news.state
                {
                    return Ok(state.clone());
                }
                if let Some(end) = &news.end {
                    return Err(end.clone());
                }
            }
            changed.await;
        }
    }

    /// The beginning of the first line of the tool that was no message, if there was one.
    pub fn stray(&self) -> Option<String> {
        self.shared.news().stray.clone()
    }

    /// How long requests of this tool have waited for a person so far.
    pub fn time_asked(&self) -> Duration {
        let news = self.shared.news();
        let now = news.asking_since.map_or(Duration::ZERO, |since| since.elapsed());
        news.asked + now
    }

    /// Gives the tool input.
    pub fn apply(&self, input: Value) {
        self.shared.send(Inbound::Apply(ApplyParams { input }));
    }

    /// Tells the tool to end. What is under way is answered and not done any more, and nothing new is.
    pub fn cancel(&self) {
        self.shared.send(Inbound::Cancel);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.shared.send(Inbound::Quit);
    }
}

/// What others have for the thread of a session.
#[derive(Debug)]
enum Inbound {
    /// A request was carried out.
    Answered(Answered),
    /// A line to be sent as it is.
    Line(Vec<u8>),
    Apply(ApplyParams),
    Cancel,
    /// Somebody's patience may have ended.
    Alarm,
    Quit,
}

/// What the thread of a session shares with everybody else.
#[derive(Debug)]
struct Shared {
    inbox: Mutex<VecDeque<Inbound>>,
    /// Written when something was put into the inbox.
    bell: OwnedFd,
    news: Mutex<News>,
    changed: Notify,
}

/// What the tool has told. Only the latest state is kept, however many there were.
#[derive(Debug, Default)]
struct News {
    states: u64,
    state: Option<ToolState>,
    end: Option<End>,
    stray: Option<String>,
    /// How many requests wait for a person, since when one does, and how long some did before.
    asking: usize,
    asking_since: Option<Instant>,
    asked: Duration,
}

impl Shared {
    fn new() -> io::Result<Self> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let (inbox, news, changed) = (Mutex::default(), Mutex::default(), Notify::new());
        Ok(Self { inbox, bell, news, changed })
    }

    fn send(&self, inbound: Inbound) {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).push_back(inbound);
        // It fails only if it was rung so often already that it cannot count on.
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
    }

    fn receive(&self) -> VecDeque<Inbound> {
        let _ = rustix::io::read(&self.bell, &mut [0_u8; 8]);
        std::mem::take(&mut *self.inbox.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn news(&self) -> MutexGuard<'_, News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell_state(&self, state: ToolState) {
        let mut news = self.news();
        news.states += 1;
        news.state = Some(state);
        drop(news);
        self.changed.notify_waiters();
    }

    /// Keeps the beginning of the first line that was no message, for whoever looks for the reason later.
    fn tell_stray(&self, line: &[u8]) {
        let beginning = String::from_utf8_lossy(&line[..line.len().min(STRAY)]);
        let rest = if line.len() > STRAY { "…" } else { "" };
        self.news().stray.get_or_insert_with(|| format!("{beginning}{rest}"));
    }

    /// Counts the time until what is returned is dropped as that of a person.
    fn asking(&self) -> Asking<'_> {
        let mut news = self.news();
        news.asking += 1;
        news.asking_since.get_or_insert_with(Instant::now);
        Asking(self)
    }

    fn tell_end(&self, end: End) {
        self.news().end.get_or_insert(end);
        self.changed.notify_waiters();
    }
}

/// A request that waits for a person.
#[derive(Debug)]
struct Asking<'a>(&'a Shared);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let mut news = self.0.news();
        news.asking -= 1;
        if news.asking == 0
            && let Some(since) = news.asking_since.take()
        {
            news.asked += since.elapsed();
        }
    }
}
