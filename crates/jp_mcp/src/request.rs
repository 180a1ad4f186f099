//! One request to a server, from the first byte to the answer, or to whatever comes instead.

use std::{error::Error, future::pending, sync::Arc, time::Duration};

use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{
        CancelledNotificationParam, ClientRequest, GetExtensions as _, RequestId, ServerResult,
    },
    service::{PeerRequestOptions, RequestHandle},
};
use serde_json::Value;
use tokio::{
    runtime::Handle,
    sync::{mpsc, oneshot},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use crate::{
    BoxFuture,
    authorize::LoginError,
    call::Progress,
    clock::Clock,
    elicit::{ElicitAnswer, Elicitor},
    error::Answered,
    limits::{LAST_WORD, MAX_QUESTIONS},
    meta::WantsProgress,
    shared::{Asked, Asking, Fault, Seated, Shared},
    words::plain,
};

/// So much progress may be on its way; more is dropped.
const PROGRESS_BUFFER: usize = 64;

/// A request, and who takes part in it.
pub(crate) struct Ask<'a> {
    pub(crate) request: ClientRequest,
    pub(crate) patience: Duration,
    pub(crate) elicitor: Option<&'a dyn Elicitor>,
    pub(crate) progress: Option<&'a (dyn Fn(Progress) + Send + Sync)>,
    pub(crate) cancel: &'a CancellationToken,
}

/// What came instead of an answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request was not delivered: nobody can have acted on it.
    NotSent,
    /// The server ended. It may have done what it was asked, or not.
    Closed,
    /// The network failed. The same is true.
    Lost(String),
    Timeout,
    TooLarge,
    NotJson(String),
    Refused(Answered),
    TooManyQuestions,
    Cancelled,
    Login(Arc<LoginError>),
}

/// Sends a request and waits for its answer.
pub(crate) async fn send(
    peer: &Peer<RoleClient>,
    shared: &Arc<Shared>,
    mut ask: Ask<'_>,
) -> Result<Value, Failure> {
    let progress = ask.progress.map(|_| {
        let (listener, progress) = mpsc::channel(PROGRESS_BUFFER);
        ask.request.extensions_mut().insert(WantsProgress(listener));
        progress
    });
    let seated = ask.elicitor.map(|_| shared.enter());
    let clock = Clock::start(ask.patience);
    // The question is in a queue until the service loop takes it, which it does even if the server reads
    // nothing.
    let sent = peer.send_request_with_option(ask.request, PeerRequestOptions::no_options()).await;
    let handle = sent.map_err(|_| Failure::NotSent)?;
    if let Some(seated) = &seated {
        seated.is_request(&handle.id);
    }
    let waiting = Waiting {
        shared: shared.clone(),
        under_way: UnderWay::new(&handle),
        handle,
        clock,
        progress,
        seated,
        questions: 0,
    };
    waiting.until_answered(ask.elicitor, ask.progress, ask.cancel).await
}

/// A request that was sent.
struct Waiting {
    shared: Arc<Shared>,
    handle: RequestHandle<RoleClient>,
    under_way: UnderWay,
    clock: Clock,
    progress: Option<mpsc::Receiver<Progress>>,
    seated: Option<Seated>,
    questions: usize,
}

/// A question that a person is answering.
struct Open<'a> {
    answer: BoxFuture<'a, ElicitAnswer>,
    reply: oneshot::Sender<ElicitAnswer>,
    _still: Asking,
}

impl Waiting {
    async fn until_answered(
        mut self,
        elicitor: Option<&dyn Elicitor>,
        listener: Option<&(dyn Fn(Progress) + Send + Sync)>,
        cancel: &CancellationToken,
    ) -> Result<Value, Failure> {
        let shared = self.shared.clone();
        let mut asking = shared.questions();
        self.clock.stand_still(*asking.borrow_and_update() > 0);
        let mut open: Option<Open<'_>> = None;
        loop {
            tokio::select! {
                // A flood of progress must not hide the end of the time, an answer must not overtake its
                // progress, and the end of the server must not hide its last answer.
                biased;
                () = cancel.cancelled() => {
                    return self.give_up("cancelled by the user", Failure::Cancelled).await;
                }
                () = self.clock.up() => return self.give_up("timed out", Failure::Timeout).await,
                progress = next_progress(&mut self.progress) => {
                    self.clock.progressed();
                    listener.inspect(|listener| listener(progress));
                }
                answer = &mut self.handle.rx => return self.end(answer),
                () = shared.closed.cancelled() => {
                    self.under_way.is_over();
                    return Err(Failure::Closed);
                }
                answer = answered(&mut open) => {
                    if let (Some(open), Some(answer)) = (open.take(), answer) {
                        // If the server does not want to know any more, that is its affair.
                        let _ = open.reply.send(answer);
                    }
                }
                asked = next_question(&mut self.seated), if open.is_none() => {
                    self.questions += 1;
                    if self.questions > MAX_QUESTIONS {
                        return self.give_up("too many questions", Failure::TooManyQuestions).await;
                    }
                    self.clock.stand_still(true);
                    open = elicitor.map(|elicitor| Open {
                        answer: elicitor.elicit(asked.form),
                        reply: asked.reply,
                        _still: shared.ask(),
                    });
                }
                Ok(()) = asking.changed() => {
                    self.clock.stand_still(*asking.borrow_and_update() > 0);
                }
            }
        }
    }

    fn end(
        mut self,
        answer: Result<Result<ServerResult, ServiceError>, oneshot::error::RecvError>,
    ) -> Result<Value, Failure> {
        self.under_way.is_over();
        match answer {
            Ok(Ok(result)) => value(result),
            Ok(Err(error)) => Err(self.failure(error)),
            Err(_) => Err(Failure::Closed),
        }
    }

    /// Tells the server that nobody waits any more.
    async fn give_up(mut self, reason: &str, failure: Failure) -> Result<Value, Failure> {
        self.under_way.is_over();
        // A server that does not read does not hear it either.
        let _ = timeout(LAST_WORD, self.handle.cancel(Some(reason.to_owned()))).await;
        Err(failure)
    }

    fn failure(&self, error: ServiceError) -> Failure {
        match (error, self.shared.fault(&self.handle.id)) {
            (_, Some(Fault::TooLarge)) => Failure::TooLarge,
            (_, Some(Fault::NotJson(reason))) => Failure::NotJson(reason),
            (_, Some(Fault::Login(error))) => Failure::Login(error),
            (ServiceError::McpError(error), None) => Failure::Refused(Answered {
                code: error.code.0.into(),
                message: plain(&error.message),
                data: error.data,
            }),
            (ServiceError::TransportSend(error), None) => not_sent(&*error.error),
            (ServiceError::TransportClosed, None) => Failure::Closed,
            (error, None) => Failure::Lost(error.to_string()),
        }
    }
}

/// Cancels a request whose caller is gone.
struct UnderWay {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl UnderWay {
    fn new(handle: &RequestHandle<RoleClient>) -> Self {
        Self { peer: handle.peer.clone(), id: Some(handle.id.clone()) }
    }

    fn is_over(&mut self) {
        self.id = None;
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if let (Some(id), Ok(runtime)) = (self.id.take(), Handle::try_current()) {
            let peer = self.peer.clone();
            let reason = Some("the caller is gone".to_owned());
            runtime.spawn(async move {
                let params = CancelledNotificationParam::new(Some(id), reason);
                let _ = timeout(LAST_WORD, peer.notify_cancelled(params)).await;
            });
        }
    }
}

/// A message that did not get out. To a program that is certain: a line without its end is no message. Over
/// HTTP the failure may as well be in the answer.
fn not_sent(error: &(dyn Error + 'static)) -> Failure {
    if error.is::<std::io::Error>() {
        return Failure::NotSent;
    }
    let story: Vec<String> = causes(error).map(ToString::to_string).collect();
    Failure::Lost(story.join(": "))
}

/// The error and what led to it.
pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

fn value(result: ServerResult) -> Result<Value, Failure> {
    match result {
        ServerResult::CustomResult(result) => Ok(result.0),
        typed => serde_json::to_value(typed).map_err(|error| Failure::NotJson(error.to_string())),
    }
}

/// The answer to the open question; `None` if the server has taken it back. Never, if there is none.
async fn answered(open: &mut Option<Open<'_>>) -> Option<ElicitAnswer> {
    match open {
        None => pending().await,
        Some(open) => tokio::select! {
            answer = &mut open.answer => Some(answer),
            () = open.reply.closed() => None,
        },
    }
}

async fn next_progress(progress: &mut Option<mpsc::Receiver<Progress>>) -> Progress {
    if let Some(receiver) = progress
        && let Some(progress) = receiver.recv().await
    {
        return progress;
    }
    pending().await
}

async fn next_question(seated: &mut Option<Seated>) -> Asked {
    if let Some(seated) = seated
        && let Some(asked) = seated.questions.recv().await
    {
        return asked;
    }
    pending().await
}
