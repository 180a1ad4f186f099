//! A request that is not answered at once: it is slow, waits for something, or for a person.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use jp_project::Until;
use jp_tool::vfs::{Call, ErrorCode, ErrorObject, HostNotification, Id, PendingParams};
use tokio::{
    runtime::Handle,
    sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore},
};
use tokio_util::sync::CancellationToken;

use super::{Inbound, Shared};
use crate::{
    approve::{Approval, Ask, Wanted},
    fs::internal,
    gate::{Gate, Held, Means, unattended},
    host::Host,
    http::Course,
    record::Decided,
    reply,
    serve::{self, Manner, Question, Stop, Work},
};

/// How many questions one request can lead to. A rename needs two rights, and each path may be sensitive.
const MOST_QUESTIONS: usize = 8;

/// A request that is under way.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) id: Id,
    /// Which request of this id it is; a tool may use an id again.
    pub(super) serial: u64,
    pub(super) call: Arc<Call>,
    pub(super) manner: Manner,
    /// What bounds how much is done at the same time.
    pub(super) turns: Turns,
    pub(super) gate: Arc<Gate>,
    pub(super) host: Arc<Host>,
    pub(super) shared: Arc<Shared>,
    pub(super) cancel: CancellationToken,
    /// Whether a person was asked and has not answered yet.
    pub(super) is_open: Arc<AtomicBool>,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) id: Id,
    pub(super) serial: u64,
    pub(super) line: Vec<u8>,
    pub(super) note: Note,
    /// Given back when there is room for another answer.
    pub(super) turn: Turn,
}

/// The turn in which an answer was made, and the one in which a long answer was.
pub(super) type Turn = [Option<Held>; 2];

/// The line of an answer, and the turn in which it was made.
type Done = (Vec<u8>, Turn);

/// How much of a session is done at the same time. What is called off keeps its turn until it has really
/// ended, so calling off in a loop piles nothing up.
#[derive(Debug, Clone)]
pub(super) struct Turns {
    /// Searches, and what else goes through a whole tree, one by one: each uses every core, and remembers much.
    /// They may take minutes, so nothing short waits for them.
    searches: Arc<Semaphore>,
    /// One file or directory, where that is not answered at once.
    short: Arc<Semaphore>,
    /// Work that waits for something else. A program has two outputs, and so two parts of this.
    waiting: Arc<Semaphore>,
    /// Answers that are long. An answer can be several times what it tells, so one is made at a time, and the next
    /// when that one is on its way.
    long: Arc<Semaphore>,
    /// Changes of files, one at a time and in the order in which they came. One that waits for its turn among the
    /// searches is not there yet.
    changes: Arc<tokio::sync::Mutex<()>>,
}

impl Default for Turns {
    fn default() -> Self {
        let of = |count| Arc::new(Semaphore::new(count));
        let (searches, short, waiting, long) = (of(1), of(2), of(4), of(1));
        Self { searches, short, waiting, long, changes: Arc::default() }
    }
}

impl Turns {
    /// The turn for work with files, and the one for changing some. What may have to wait for minutes waits for its
    /// turn first: meanwhile others make changes. Anything else first waits for the changes before it, and so
    /// leaves the turns to whoever only reads.
    async fn for_files(&self, call: &Call) -> (Option<OwnedSemaphorePermit>, Option<Change>) {
        let change = async {
            if serve::changes_files(call) {
                Some(self.changes.clone().lock_owned().await)
            } else {
                None
            }
        };
        if serve::is_long_work(call) {
            let turn = self.searches.clone().acquire_owned().await.ok();
            (turn, change.await)
        } else {
            let change = change.await;
            (self.short.clone().acquire_owned().await.ok(), change)
        }
    }
}

/// The turn for changing files.
type Change = OwnedMutexGuard<()>;

/// What is written down about it.
#[derive(Debug, Clone)]
pub(super) struct Note {
    pub(super) decided: Decided,
    pub(super) code: Option<i64>,
    pub(super) at: Option<Instant>,
}

impl Job {
    /// Carries the request out and hands the answer over. When it is called off nothing more happens, and
    /// somebody else has answered.
    pub(super) async fn run(self) {
        let mut owed = Owed { job: &self, is_paid: false };
        let performed = self.cancel.run_until_cancelled(self.perform()).await;
        owed.is_paid = true;
        if let Some((done, note)) = performed {
            self.hand_over(done, note);
        }
    }

    fn hand_over(&self, (line, turn): Done, note: Note) {
        let answered = Answered { id: self.id.clone(), serial: self.serial, line, note, turn };
        self.shared.send(Inbound::Answered(answered));
    }

    async fn perform(&self) -> (Done, Note) {
        let mut decided = Decided::Allowed;
        let (done, code) = match self.try_with_approvals(&mut decided).await {
            Ok(done) => (done, None),
            Err(error) => {
                if error.code() == Some(ErrorCode::AccessDenied) && decided == Decided::Allowed {
                    decided = Decided::Denied;
                }
                let (code, mut line) = (error.number(), Vec::new());
                reply::failure(Some(&self.id), error, &mut line);
                ((line, Turn::default()), Some(code))
            }
        };
        (done, Note { decided, code, at: Some(Instant::now()) })
    }

    async fn try_with_approvals(&self, decided: &mut Decided) -> Result<Done, ErrorObject> {
        let (mut once, mut course, mut questions) = (Vec::new(), Course::default(), 0);
        let mut was_told = false;
        let refuse = |denial: String, why: &str| {
            ErrorObject::new(ErrorCode::AccessDenied, format!("{denial}; {why}"))
        };
        loop {
            let means = self.gate.means_with(&once);
            let Question { wanted, denial } = match self.attempt(&means, &mut course).await {
                Ok(done) => return Ok(done),
                Err(Stop::Refused(error)) => return Err(error),
                Err(Stop::Ask(question)) => *question,
            };
            if !self.host.approver().can_ask() {
                return Err(ErrorObject::new(ErrorCode::AccessDenied, unattended(&denial)));
            }
            // Nobody is asked, so the tool is told of no wait.
            if !self.host.approver().can_show(&wanted) {
                return Err(refuse(denial, "it is too long to be shown to a person"));
            }
            if self.gate.access().was_refused(&wanted) {
                *decided = Approval::No.into();
                return Err(refuse(denial, "a person said no"));
            }
            if !std::mem::replace(&mut was_told, true) {
                self.tell_pending();
            }
            self.is_open.store(true, Ordering::Relaxed);
            let approval = self.ask(&wanted, &means).await;
            self.is_open.store(false, Ordering::Relaxed);
            let Some(approval) = approval else { continue };
            *decided = approval.into();
            questions += 1;
            match approval {
                _ if self.cancel.is_cancelled() => return Err(called_off()),
                Approval::No => return Err(refuse(denial, "a person said no")),
                _ if questions > MOST_QUESTIONS => {
                    return Err(refuse(denial, "one request cannot be asked about so often"));
                }
                Approval::Run | Approval::Keep if wanted.can_be_a_rule() => {}
                Approval::Once | Approval::Run | Approval::Keep => once.push(wanted),
            }
        }
    }

    /// Asks a person. `None`: somebody has said yes to something meanwhile, so it is tried again first.
    async fn ask(&self, wanted: &Wanted, means: &Means) -> Option<Approval> {
        let access = self.gate.access();
        let _asking = self.shared.asking();
        let _turn = access.turn().await;
        if access.was_refused(wanted) {
            return Some(Approval::No);
        }
        if access.has_changed_since(means) {
            return None;
        }
        let (tool, key) = (access.tool().to_owned(), access.key().to_owned());
        let question = Ask { tool, key, what: wanted.clone() };
        let approval = self.host.approver().ask(&question).await;
        access.learn(wanted, approval);
        Some(approval)
    }

    async fn attempt(&self, means: &Arc<Means>, course: &mut Course) -> Result<Done, Stop> {
        let (call, id) = (&self.call, &self.id);
        if self.manner == Manner::Waiting {
            // Nobody closes the semaphores.
            let parts = if matches!(**call, Call::ProcessRun(_)) { 2 } else { 1 };
            let turn = self.turns.waiting.clone().acquire_many_owned(parts).await;
            let turn = turn.ok().map(Arc::new);
            let turns = (turn.clone(), &self.turns.long);
            let (line, long) =
                serve::waiting(call, id, &self.gate, means, &self.host, course, turns).await?;
            return Ok((line, [turn, long.map(Arc::new)]));
        }
        let (turn, change) = self.turns.for_files(call).await;
        let (call, id, means) = (call.clone(), id.clone(), means.clone());
        let (limits, cancel, gate) = (*self.host.limits(), self.cancel.clone(), self.gate.clone());
        let (runtime, long) = (Handle::current(), self.turns.long.clone());
        // This is dropped when nobody wants the answer any more, also while the work goes on.
        let wanted = Wanting::default();
        let is_unwanted = wanted.is_over.clone();
        let work = tokio::task::spawn_blocking(move || {
            let _change = change;
            // It may have waited for its turn longer than anybody wanted it.
            if cancel.is_cancelled() {
                return Err(called_off().into());
            }
            let (mut out, mut permit) = (Vec::new(), None);
            let mut room = |bytes| {
                if bytes > reply::LONG && permit.is_none() {
                    permit = runtime.block_on(long.clone().acquire_owned()).ok();
                }
            };
            let until = Until::new(is_unwanted, limits.process_timeout);
            let work = Work { limits: &limits, until, room: &mut room };
            serve::at_once(&call, &id, &gate, &means, work, &mut out)?;
            Ok((out, [turn, permit].map(|one| one.map(Arc::new))))
        });
        work.await.unwrap_or_else(|_| Err(internal("the host failed at this request").into()))
    }

    fn tell_pending(&self) {
        let reason = "awaiting user approval".to_owned();
        let pending = PendingParams { request_id: self.id.clone(), reason };
        let mut line = Vec::new();
        reply::notification(&HostNotification::Pending(pending), &mut line);
        self.shared.send(Inbound::Line(line));
    }
}

/// Somebody who waits for an answer.
#[derive(Debug, Default)]
struct Wanting {
    is_over: Arc<AtomicBool>,
}

impl Drop for Wanting {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// The answer that a request gets if whoever should answer it is gone: a fault of ours must not make a
/// tool wait.
struct Owed<'a> {
    job: &'a Job,
    is_paid: bool,
}

impl Drop for Owed<'_> {
    fn drop(&mut self) {
        if self.is_paid || self.job.cancel.is_cancelled() {
            return;
        }
        let (error, mut line) = (internal("the host failed at this request"), Vec::new());
        let code = Some(error.number());
        reply::failure(Some(&self.job.id), error, &mut line);
        let note = Note { decided: Decided::None, code, at: Some(Instant::now()) };
        self.job.hand_over((line, Turn::default()), note);
    }
}

fn called_off() -> ErrorObject {
    ErrorObject::new(ErrorCode::Cancelled, "the request was called off")
}

impl From<Approval> for Decided {
    fn from(approval: Approval) -> Self {
        match approval {
            Approval::No => Self::AskedNo,
            Approval::Once => Self::AskedOnce,
            Approval::Run => Self::AskedRun,
            Approval::Keep => Self::AskedKeep,
        }
    }
}
