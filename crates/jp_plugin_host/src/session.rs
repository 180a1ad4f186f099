//! The life of a plugin, from `init` to the end of its process.
//!
//! Reading, writing, stderr and the requests are tasks that do not wait for each other; this is the one that
//! minds the process, the time and whoever wants to stop. Whatever a plugin does, it comes to its end here: by
//! `exit` and its own end, by the end of its process, by the end of its time, or because somebody insisted.

mod lines;
mod outbox;
mod schedule;
mod talk;
mod trace;

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use jp_plugin::{
    Framing, VERSION,
    to_host::Exit as Goodbye,
    to_plugin::{HostToPlugin, Init},
};
use jp_process::{Child, Exit, WaitError};
use tokio::{
    sync::mpsc,
    task::{JoinError, JoinHandle},
    time::{Instant, sleep, timeout},
};

use self::{
    outbox::Outbox,
    talk::{Last, Talk},
};
use crate::{
    output::{Output, Printing, Readers},
    services::{Services, encode},
};
pub use jp_plugin::{MAX_VALUES, count_values};

/// How long what a plugin said last may take to be heard when its process has ended.
const HEARD_WITHIN: Duration = Duration::from_secs(2);

/// Everything a session needs beside the process.
#[derive(Debug)]
pub struct Session {
    /// The id of the plugin, for messages.
    pub plugin: String,
    /// What it is told first.
    pub init: Init,
    /// What it can ask for.
    pub services: Services,
    /// Where its texts go.
    pub output: Arc<dyn Output>,
    /// How long it may take to end when it was told to, or has said that it does.
    pub grace: Duration,
    /// Each message is somebody who wants it to end.
    pub interrupts: mpsc::Receiver<()>,
}

/// How a plugin ended that said so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    pub code: u8,
    pub reason: Option<String>,
}

/// What came of a session.
#[derive(Debug)]
pub struct Finished {
    pub end: Result<End, SessionError>,
    /// Whether all that the plugin printed was read. What was not is still on its way, and may never arrive;
    /// whoever prints something else would wait behind it.
    pub is_printed: bool,
}

/// Why a session did not come to its proper end.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("the plugin `{plugin}` has no pipes")]
    Pipes { plugin: String },
    #[error("the plugin `{plugin}` {exit} before it said `exit`")]
    Ended { plugin: String, exit: Exit },
    #[error("the plugin `{plugin}` closed its output before it said `exit`, and was ended")]
    Silent { plugin: String },
    #[error("the plugin `{plugin}` did not end within {seconds} seconds, and was killed")]
    Late { plugin: String, seconds: u64 },
    #[error("the plugin `{plugin}` was killed")]
    Killed { plugin: String },
    #[error("the plugin `{plugin}` {violation}")]
    Violation { plugin: String, violation: Violation },
    #[error("the plugin `{plugin}` was lost")]
    Lost { plugin: String, source: WaitError },
    #[error("the session with the plugin `{plugin}` broke off")]
    Broken { plugin: String, source: io::Error },
}

/// What a plugin may not do.
#[derive(Debug, thiserror::Error)]
pub enum Violation {
    #[error("wrote a line that is no message, and was ended: {why}\n  {quote}")]
    Framing { why: Framing, quote: String },
    #[error("wrote a line of more than {} MiB, and was ended:\n  {quote}", jp_plugin::MAX_LINE >> 20)]
    TooLong { quote: String },
    #[error("wrote a message of more than {MAX_VALUES} values, and was ended:\n  {quote}")]
    TooMany { quote: String },
    #[error("needs version {0} of the plugin protocol, and this program speaks version {VERSION}")]
    Version(u64),
}

/// Lets a plugin run to its end. The process is gone when this returns, with everything it started, and all
/// locks that were held for it are free.
pub async fn run(child: &mut Child, session: Session) -> Finished {
    let Session { plugin, init, services, output, grace, interrupts } = session;
    let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
        return Finished { end: Err(SessionError::Pipes { plugin }), is_printed: true };
    };
    let outbox = Arc::new(Outbox::new(stdin));
    outbox.push(encode(&HostToPlugin::Init(Box::new(init))));
    outbox.flush();
    let writer = tokio::spawn(Arc::clone(&outbox).serve());
    let services = Arc::new(services);
    let name: Arc<str> = plugin.as_str().into();
    let heard = Arc::clone(&name);
    let stderr = tokio::spawn(async move { trace::stderr(&heard, stderr).await });
    let printing = Printing::new(output);
    let readers = printing.readers();
    let talk = Talk::new(name, Arc::clone(&services), Arc::clone(&outbox), printing);
    let is_listening = Arc::clone(&talk.is_listening);
    let mut watch = Watch {
        plugin,
        child,
        outbox,
        grace,
        interrupts,
        deadline: None,
        is_closed: false,
        is_printed: true,
        is_given_up: false,
        readers,
        is_listening,
        talk: tokio::spawn(talk.run(stdout)),
    };
    let end = watch.run().await;
    writer.abort();
    // What a plugin has said last is in the pipe when its process is gone.
    let _ = timeout(HEARD_WITHIN, stderr).await;
    services.release();
    Finished { end, is_printed: watch.is_printed }
}

/// What is minded.
struct Watch<'a> {
    plugin: String,
    child: &'a mut Child,
    outbox: Arc<Outbox>,
    grace: Duration,
    interrupts: mpsc::Receiver<()>,
    /// When the plugin is killed.
    deadline: Option<Instant>,
    /// Whether nobody reads what it prints.
    is_closed: bool,
    is_printed: bool,
    /// Whether nobody waits any more for what it printed to be read.
    is_given_up: bool,
    readers: Readers,
    /// Whether the talk waits for the plugin, and for nothing else.
    is_listening: Arc<AtomicBool>,
    talk: JoinHandle<(Last, Printing)>,
}

/// What happened first.
enum Event {
    /// The plugin has nothing more to say.
    Said(Result<(Last, Printing), io::Error>),
    /// Its process has ended.
    Ended(Result<Exit, WaitError>),
    /// Somebody wants it to end.
    Interrupted,
    /// Nobody reads what it prints.
    Unread,
    /// Its time is over.
    Late,
}

impl Watch<'_> {
    async fn run(&mut self) -> Result<End, SessionError> {
        loop {
            match self.next().await {
                Event::Said(Ok((last, printing))) => return self.said(last, printing).await,
                Event::Said(Err(source)) => {
                    self.kill().await?;
                    return Err(SessionError::Broken { plugin: self.plugin.clone(), source });
                }
                Event::Ended(exit) => return self.ended(exit).await,
                Event::Interrupted if self.deadline.is_none() => self.shut_down(),
                Event::Interrupted => {
                    self.give_up().await?;
                    return Err(SessionError::Killed { plugin: self.plugin.clone() });
                }
                Event::Unread => {
                    self.is_closed = true;
                    if self.deadline.is_none() {
                        self.shut_down();
                    }
                }
                Event::Late => {
                    self.give_up().await?;
                    return Err(self.late());
                }
            }
        }
    }

    async fn next(&mut self) -> Event {
        tokio::select! {
            said = &mut self.talk => Event::Said(said.map_err(io::Error::other)),
            exit = self.child.wait() => Event::Ended(exit),
            Some(()) = self.interrupts.recv() => Event::Interrupted,
            () = self.readers.gone(), if !self.is_closed => Event::Unread,
            () = until(self.deadline) => Event::Late,
        }
    }

    fn shut_down(&mut self) {
        tracing::debug!(plugin = %self.plugin, "shutdown");
        self.outbox.push_first(encode(&HostToPlugin::Shutdown));
        self.outbox.flush();
        self.deadline = Some(Instant::now() + self.grace);
    }

    /// The plugin has said its last word; its process may take a while to end.
    async fn said(&mut self, last: Last, printing: Printing) -> Result<End, SessionError> {
        let own = match last {
            Last::Violation(violation) => {
                self.kill().await?;
                self.printed(printing).await;
                return Err(SessionError::Violation { plugin: self.plugin.clone(), violation });
            }
            Last::Exit(Goodbye { code, reason }) => Some((code, reason)),
            Last::Closed => None,
        };
        let deadline = self.deadline.unwrap_or_else(|| Instant::now() + self.grace);
        let ended = tokio::select! {
            exit = self.child.wait() => Some(exit),
            Some(()) = self.interrupts.recv() => None,
            () = tokio::time::sleep_until(deadline) => None,
        };
        let exit = if let Some(exit) = ended {
            Some(exit.map_err(|source| self.lost(source))?)
        } else {
            self.kill().await?;
            None
        };
        self.printed(printing).await;
        match (own, exit) {
            (Some((code, reason)), _) => Ok(End { code, reason }),
            (None, Some(exit)) => Err(SessionError::Ended { plugin: self.plugin.clone(), exit }),
            (None, None) => Err(SessionError::Silent { plugin: self.plugin.clone() }),
        }
    }

    /// The process has ended; what it wrote before is still to be read.
    async fn ended(&mut self, exit: Result<Exit, WaitError>) -> Result<End, SessionError> {
        // Nobody is there who wanted its answers. Somebody else may hold its pipe and never read; what it asked
        // to be changed must not wait for him, and neither must its end.
        self.outbox.close();
        let said = self.heard().await;
        let exit = exit.map_err(|source| self.lost(source))?;
        match said {
            Some(Ok((Last::Exit(Goodbye { code, reason }), printing))) => {
                self.printed(printing).await;
                Ok(End { code, reason })
            }
            Some(Ok((Last::Violation(violation), printing))) => {
                self.printed(printing).await;
                Err(SessionError::Violation { plugin: self.plugin.clone(), violation })
            }
            Some(Ok((Last::Closed, printing))) => {
                self.printed(printing).await;
                Err(SessionError::Ended { plugin: self.plugin.clone(), exit })
            }
            Some(Err(error)) => {
                let source = io::Error::other(error);
                Err(SessionError::Broken { plugin: self.plugin.clone(), source })
            }
            None => {
                self.talk.abort();
                self.is_printed = !self.is_given_up && self.readers.have_all();
                Err(SessionError::Ended { plugin: self.plugin.clone(), exit })
            }
        }
    }

    /// What a plugin said last whose process has ended. That may lie behind texts that nobody has read yet, or
    /// requests that are being carried out; without a signal these are not hurried. A pipe that somebody else
    /// still holds open may never end, so that is not waited for.
    async fn heard(&mut self) -> Option<Result<(Last, Printing), JoinError>> {
        let within = self.grace.max(HEARD_WITHIN);
        loop {
            tokio::select! {
                said = &mut self.talk => return Some(said),
                Some(()) = self.interrupts.recv() => break,
                () = sleep(within) => {
                    if self.deadline.is_some() {
                        break;
                    }
                    if self.is_listening.load(Ordering::Acquire) {
                        return None;
                    }
                }
            }
        }
        // Without its texts, all that it said is heard in a moment.
        self.is_given_up = true;
        self.readers.give_up();
        timeout(HEARD_WITHIN, &mut self.talk).await.ok()
    }

    /// Waits until what was printed is read, unless somebody does not want to wait.
    async fn printed(&mut self, printing: Printing) {
        if self.is_given_up {
            self.is_printed = false;
            return;
        }
        // Without a signal there is no hurry: a pager may be paused for hours.
        let within = match self.deadline {
            Some(_) => self.grace.max(HEARD_WITHIN),
            None => Duration::from_hours(365 * 24),
        };
        self.is_printed = tokio::select! {
            is_printed = printing.finish(within) => is_printed,
            Some(()) = self.interrupts.recv() => false,
        };
    }

    /// Ends everything at once. What was asked for and printed before is done, if that is a matter of moments.
    async fn give_up(&mut self) -> Result<(), SessionError> {
        self.kill().await?;
        // As in `ended`: somebody else may hold its pipe, and changes must not wait behind answers.
        self.outbox.close();
        match timeout(HEARD_WITHIN, &mut self.talk).await {
            Ok(Ok((_, printing))) => self.is_printed = printing.finish(HEARD_WITHIN).await,
            Ok(Err(_)) => {}
            Err(_) => {
                // It waits for somebody to read what was printed, or for a disk.
                self.talk.abort();
                self.is_printed = self.readers.have_all();
            }
        }
        Ok(())
    }

    async fn kill(&mut self) -> Result<(), SessionError> {
        let killed = self.child.kill().await;
        killed.map(drop).map_err(|source| self.lost(source))
    }

    fn late(&self) -> SessionError {
        SessionError::Late { plugin: self.plugin.clone(), seconds: self.grace.as_secs() }
    }

    fn lost(&self, source: WaitError) -> SessionError {
        SessionError::Lost { plugin: self.plugin.clone(), source }
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
