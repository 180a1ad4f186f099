//! What a session does with requests: answer, hand over, call off, write down.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use jiff::Timestamp;
use jp_project::Until;
use jp_tool::vfs::{Call, ErrorCode, ErrorObject, FsGrep, HttpGet, HttpPost, Id, ProcessRun};
use tokio_util::sync::CancellationToken;

use super::{End, MOST_UNREAD, Talk};
use crate::{
    gate::unattended,
    record::{self, Attempt, Decided, Record},
    reply,
    serve::{self, Manner, Stop, Work},
    session::job::{Answered, Job, Note},
};

/// What an element of a list takes beside what is in it.
const ELEMENT: usize = 56;

/// A request that somebody else carries out.
#[derive(Debug)]
pub(super) struct UnderWay {
    pub(super) cancel: CancellationToken,
    serial: u64,
    arrival: Arrival,
    /// How much memory it takes, more or less.
    weight: usize,
    call: Arc<Call>,
    /// Whether a person was asked and has not answered yet.
    is_open: Arc<AtomicBool>,
}

/// What is known of a line that is written down.
#[derive(Debug, Clone, Copy)]
enum About<'a> {
    Call(&'a Call),
    /// A request that could not be understood.
    Attempt(&'a Attempt),
    /// No request.
    Nothing,
}

/// When a request came, and how long it was.
#[derive(Debug, Clone, Copy)]
struct Arrival {
    /// Only looked up for records.
    at: Option<(Instant, Timestamp)>,
    bytes: usize,
}

impl Talk {
    /// Takes a request on, if it is one that can be understood: that is only asked of one that can be
    /// served.
    pub(super) fn request(
        &mut self,
        id: Id,
        bytes: usize,
        call: impl FnOnce() -> Result<Call, (ErrorObject, Option<Attempt>)>,
    ) -> Option<End> {
        let arrival = self.arrival(bytes);
        self.clock.owes_answer();
        if self.is_cancelled {
            let error = ErrorObject::new(ErrorCode::Cancelled, "the call is cancelled");
            return self.refuse(Some(&id), None, error, arrival);
        }
        if self.under_way.contains_key(&id) {
            let message = format!("the id {id} is in use by a request that is not answered yet");
            let error = ErrorObject::new(ErrorCode::InvalidRequest, message);
            return self.refuse(Some(&id), None, error, arrival);
        }
        match call() {
            Err((error, attempt)) => {
                let about = attempt.as_ref().map_or(About::Nothing, About::Attempt);
                self.refuse_about(Some(&id), about, error, arrival)
            }
            Ok(call) => match serve::manner(&call, self.gate.is_quick()) {
                Manner::Quick => self.at_once(id, call, arrival),
                manner => self.hand_over(id, call, manner, arrival),
            },
        }
    }

    /// Answers a line that is no request.
    pub(super) fn no_message(
        &mut self,
        id: Option<&Id>,
        error: ErrorObject,
        bytes: usize,
    ) -> Option<End> {
        let arrival = self.arrival(bytes);
        self.refuse(id, None, error, arrival)
    }

    fn at_once(&mut self, id: Id, call: Call, arrival: Arrival) -> Option<End> {
        let means = self.gate.means();
        let out = self.outbox.open();
        let before = out.len();
        // What is made here is bounded by what is unread, and is no search.
        let mut room = |_: usize| {};
        let limits = self.host.limits();
        let work = Work { limits, until: Until::default(), room: &mut room };
        match serve::at_once(&call, &id, &self.gate, &means, work, out) {
            Ok(()) => {
                let sent = out.len() - before;
                self.write_down(Some(&id), About::Call(&call), arrival, &Note::allowed(), sent)
            }
            Err(Stop::Refused(error)) => self.refuse(Some(&id), Some(&call), error, arrival),
            Err(Stop::Ask(question)) if !self.host.approver().can_ask() => {
                let denial = unattended(&question.denial);
                let error = ErrorObject::new(ErrorCode::AccessDenied, denial);
                self.refuse(Some(&id), Some(&call), error, arrival)
            }
            Err(Stop::Ask(_)) => self.hand_over(id, call, Manner::Slow, arrival),
        }
    }

    fn hand_over(&mut self, id: Id, call: Call, manner: Manner, arrival: Arrival) -> Option<End> {
        let (call, cancel, is_open) = (Arc::new(call), CancellationToken::new(), Arc::default());
        self.serial += 1;
        let serial = self.serial;
        let job = Job {
            id: id.clone(),
            serial,
            call: call.clone(),
            manner,
            turns: self.turns.clone(),
            gate: self.gate.clone(),
            host: self.host.clone(),
            shared: self.shared.clone(),
            cancel: cancel.clone(),
            is_open: Arc::clone(&is_open),
        };
        let weight = arrival.bytes + elements(&call) * ELEMENT;
        self.requested += weight;
        self.under_way.insert(id, UnderWay { cancel, serial, arrival, weight, call, is_open });
        self.runtime.spawn(job.run());
        None
    }

    /// Takes over the answer to a request that was handed over, unless it was called off meanwhile.
    pub(super) fn answered(&mut self, answered: Answered) -> Option<End> {
        let Answered { id, serial, line, note, turn } = answered;
        // The id may be that of another request by now.
        self.under_way.get(&id).filter(|under_way| under_way.serial == serial)?;
        let under_way = self.take(&id)?;
        let sent = line.len();
        self.outbox.push(line);
        // The next of its kind would only make more that nobody reads.
        if self.outbox.held() >= MOST_UNREAD {
            self.unread.push(turn);
        }
        self.write_down(Some(&id), About::Call(&under_way.call), under_way.arrival, &note, sent)
    }

    /// Answers a request that nobody wants any more.
    pub(super) fn call_off(&mut self, id: &Id) -> Option<End> {
        let under_way = self.take(id)?;
        under_way.cancel.cancel();
        let error = ErrorObject::new(ErrorCode::Cancelled, "the request was called off");
        let mut note = Note::refused(&error);
        // Nobody has said yes to it.
        if under_way.is_open.load(Ordering::Relaxed) {
            note.decided = Decided::None;
        }
        self.answer_with(Some(id), About::Call(&under_way.call), error, &note, under_way.arrival)
    }

    fn take(&mut self, id: &Id) -> Option<UnderWay> {
        let under_way = self.under_way.remove(id)?;
        self.requested -= under_way.weight;
        // From now on it is the tool's turn again.
        self.clock.owes_answer();
        Some(under_way)
    }

    fn refuse(
        &mut self,
        id: Option<&Id>,
        call: Option<&Call>,
        error: ErrorObject,
        arrival: Arrival,
    ) -> Option<End> {
        self.refuse_about(id, call.map_or(About::Nothing, About::Call), error, arrival)
    }

    fn refuse_about(
        &mut self,
        id: Option<&Id>,
        about: About<'_>,
        error: ErrorObject,
        arrival: Arrival,
    ) -> Option<End> {
        let note = Note::refused(&error);
        self.answer_with(id, about, error, &note, arrival)
    }

    fn answer_with(
        &mut self,
        id: Option<&Id>,
        about: About<'_>,
        error: ErrorObject,
        note: &Note,
        arrival: Arrival,
    ) -> Option<End> {
        let out = self.outbox.open();
        let before = out.len();
        reply::failure(id, error, out);
        let sent = out.len() - before;
        self.write_down(id, about, arrival, note, sent)
    }

    fn write_down(
        &self,
        id: Option<&Id>,
        about: About<'_>,
        arrival: Arrival,
        note: &Note,
        sent: usize,
    ) -> Option<End> {
        let (recorder, (at, time)) = self.host.recorder().zip(arrival.at)?;
        let (method, target, decision) = match about {
            About::Call(call) => {
                // Whoever asks what there is asks for nothing.
                let asks_for_nothing = matches!(call, Call::HostCapabilities(_));
                let decision = if asks_for_nothing { Decided::None } else { note.decided };
                (Some(call.method().name().to_owned()), record::target(call), decision)
            }
            About::Attempt(Attempt { method, target, leads_out }) => {
                let decision = if *leads_out { Decided::Denied } else { Decided::None };
                (Some(method.clone()), target.clone(), decision)
            }
            About::Nothing => (None, None, Decided::None),
        };
        let rule = match about {
            About::Call(call) => self.gate.means().rules_for(call, decision),
            About::Attempt(_) | About::Nothing => None,
        };
        let record = Record {
            time,
            tool: self.gate.access().tool().to_owned(),
            id: id.cloned(),
            method,
            rule,
            target,
            decision,
            code: note.code,
            bytes_in: u64::try_from(arrival.bytes).unwrap_or(u64::MAX),
            bytes_out: u64::try_from(sent).unwrap_or(u64::MAX),
            micros: record::micros(
                note.at.unwrap_or_else(Instant::now).saturating_duration_since(at),
            ),
        };
        recorder.record(&record).err().map(|error| End::Unrecorded(error.to_string()))
    }

    fn arrival(&self, bytes: usize) -> Arrival {
        let at = self.host.recorder().map(|_| (Instant::now(), Timestamp::now()));
        Arrival { at, bytes }
    }
}

impl Note {
    fn allowed() -> Self {
        Self { decided: Decided::Allowed, code: None, at: None }
    }

    fn refused(error: &ErrorObject) -> Self {
        let is_denied = error.code() == Some(ErrorCode::AccessDenied);
        let decided = if is_denied { Decided::Denied } else { Decided::Allowed };
        Self { decided, code: Some(error.number()), at: None }
    }
}

/// How many elements the lists of a request have.
fn elements(call: &Call) -> usize {
    match call {
        Call::ProcessRun(ProcessRun { args, envs, .. }) => args.len() + envs.len(),
        Call::FsGrep(FsGrep { paths, extensions, .. }) => {
            paths.as_ref().map_or(0, Vec::len) + extensions.as_ref().map_or(0, Vec::len)
        }
        Call::HttpGet(HttpGet { headers, .. }) | Call::HttpPost(HttpPost { headers, .. }) => {
            2 * headers.len()
        }
        _ => 0,
    }
}
