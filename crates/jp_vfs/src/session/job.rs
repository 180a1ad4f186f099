//! A request that is not answered at once: it is slow, waits for something, or for a person.

use std::{sync::Arc, time::Instant};

use jp_tool::vfs::{Call, ErrorCode, ErrorObject, HostNotification, Id, PendingParams};
use tokio_util::sync::CancellationToken;

use super::{Inbound, Shared};
use crate::{
    approve::{Approval, Ask, Wanted},
    fs::internal,
    gate::{Gate, Means},
    host::Host,
    http::Course,
    record::Decided,
    reply,
    serve::{self, Manner, Stop},
};

/// How many questions one request can lead to. A rename needs two rights, and each path may be sensitive.
const MOST_QUESTIONS: usize = 8;

/// A request that is under way.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) id: Id,
    pub(super) call: Arc<Call>,
    pub(super) manner: Manner,
    pub(super) gate: Arc<Gate>,
    pub(super) host: Arc<Host>,
    pub(super) shared: Arc<Shared>,
    pub(super) cancel: CancellationToken,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) id: Id,
    pub(super) line: Vec<u8>,
    pub(super) note: Note,
}

/// What is written down about it.
#[derive(Debug, Clone)]
pub(super) struct Note {
    pub(super) decided: Decided,
    pub(super) code: Option<i64>,
    pub(super) rule: Option<String>,
    pub(super) at: Instant,
}

impl Job {
    /// Carries the request out and hands the answer over. When it is called off nothing more happens, and
    /// somebody else has answered.
    pub(super) async fn run(self) {
        let Some((line, note)) = self.cancel.run_until_cancelled(self.perform()).await else {
            return;
        };
        let answered = Answered { id: self.id.clone(), line, note };
        self.shared.send(Inbound::Answered(answered));
    }

    async fn perform(&self) -> (Vec<u8>, Note) {
        let mut decided = Decided::Allowed;
        let (line, code) = match self.try_with_approvals(&mut decided).await {
            Ok(line) => (line, None),
            Err(error) => {
                if error.code() == Some(ErrorCode::AccessDenied) && decided == Decided::Allowed {
                    decided = Decided::Denied;
                }
                let (code, mut line) = (error.number(), Vec::new());
                reply::failure(Some(&self.id), error, &mut line);
                (line, Some(code))
            }
        };
        (line, Note { decided, code, rule: None, at: Instant::now() })
    }

    async fn try_with_approvals(&self, decided: &mut Decided) -> Result<Vec<u8>, ErrorObject> {
        let (mut once, mut course, mut was_told) = (Vec::new(), Course::default(), false);
        for _ in 0..=MOST_QUESTIONS {
            let means = self.gate.means_with(&once);
            let (wanted, denial) = match self.attempt(&means, &mut course).await {
                Ok(line) => return Ok(line),
                Err(Stop::Refused(error)) => return Err(error),
                Err(Stop::Ask { wanted, denial }) => (wanted, denial),
            };
            if !self.host.approver().can_ask() {
                let denial = format!("{denial}; nobody can be asked");
                return Err(ErrorObject::new(ErrorCode::AccessDenied, denial));
            }
            if !std::mem::replace(&mut was_told, true) {
                self.tell_pending();
            }
            match self.ask(&wanted, &means).await {
                None => {}
                Some(Approval::No) => {
                    *decided = Decided::AskedNo;
                    let denial = format!("{denial}; a person said no");
                    return Err(ErrorObject::new(ErrorCode::AccessDenied, denial));
                }
                Some(approval) => {
                    *decided = approval.into();
                    if approval == Approval::Once {
                        once.push(wanted);
                    }
                }
            }
        }
        let message = "access denied: the request needs more approvals than one request can get";
        Err(ErrorObject::new(ErrorCode::AccessDenied, message))
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

    async fn attempt(&self, means: &Arc<Means>, course: &mut Course) -> Result<Vec<u8>, Stop> {
        if self.manner == Manner::Waiting {
            let (call, id) = (&self.call, &self.id);
            return serve::waiting(call, id, &self.gate, means, &self.host, course).await;
        }
        let (call, id, means) = (self.call.clone(), self.id.clone(), means.clone());
        let (limits, cancel, gate) = (*self.host.limits(), self.cancel.clone(), self.gate.clone());
        let work = tokio::task::spawn_blocking(move || {
            // It may have waited for its turn longer than anybody wanted it.
            if cancel.is_cancelled() {
                return Err(ErrorObject::new(ErrorCode::Cancelled, "called off").into());
            }
            let mut out = Vec::new();
            serve::at_once(&call, &id, &gate, &means, &limits, &mut out)?;
            Ok(out)
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
