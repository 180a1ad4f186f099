//! One configured server, as its users see it.
//!
//! Behind it is a process, or one after the other: it is started when it is first needed and after it has
//! died, by the call that needs it next. The danger is the call that was under way when it died. Nobody
//! knows whether it was done, so it is an error, unless the tool says of itself that doing it twice does no
//! harm; and even then it is tried once more and not again.

mod listing;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering},
    time::Duration,
};

use indexmap::IndexMap;
use jp_tool::Blocks;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, ReadResourceRequest,
    ReadResourceRequestParams,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use self::listing::Kept;
use crate::{
    call::{Call, Called, Resume},
    connect::{self, Seen},
    connection::Connection,
    decode::{self, DecodeError},
    error::{McpError, StartError},
    limits::{MAX_MESSAGE, MAX_QUESTIONS},
    meta,
    request::{Ask, Failure},
    server_spec::ServerSpec,
    status::{State, Status},
    tools::Tools,
    words::plain,
};

/// One configured server. Cheap to make: it is started when it is first used.
#[derive(Debug)]
pub struct Client {
    spec: ServerSpec,
    /// The connection of a stateful server. Held while it is being made, so that it is made once.
    live: tokio::sync::Mutex<Option<Arc<Connection>>>,
    listing: tokio::sync::Mutex<()>,
    kept: Mutex<Option<Kept>>,
    known: Mutex<Known>,
}

/// What was learned about the server.
#[derive(Debug, Default)]
struct Known {
    status: Status,
    seen: Seen,
    /// Whether its end was our doing.
    closed_by_us: bool,
}

impl Client {
    /// For this server. Nothing is started yet.
    pub fn new(spec: ServerSpec) -> Self {
        let status = Status { era: spec.era, ..Status::default() };
        let known = Mutex::new(Known { status, ..Known::default() });
        let (live, listing, kept) = Default::default();
        Self { spec, live, listing, kept, known }
    }

    /// What it is called in the configuration.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// All tools of the server; kept until it says that they have changed.
    pub async fn tools(&self) -> Result<Arc<Tools>, McpError> {
        let _one_at_a_time = self.listing.lock().await;
        listing::tools(self).await
    }

    /// Calls a tool. Questions that are asked while the call waits go to its elicitor; those that end the
    /// call come back as [`Called::InputRequired`].
    pub async fn call_tool(&self, call: Call<'_>) -> Result<Called, McpError> {
        let mut resume = call.resume.clone();
        for _ in 0..MAX_QUESTIONS {
            let message = || tools_call(&call, resume.as_ref());
            let request = Request {
                name: call.tool,
                call: Some(&call),
                message: &message,
                cancel: call.cancel,
                may_repeat: false,
            };
            let answer = self.exchange(&request).await?;
            let called = decode::called(answer, &self.spec.roots);
            match called.map_err(|error| self.undecoded(call.tool, error))? {
                // Nothing that a person would have to answer.
                Called::InputRequired(round) if round.forms.is_empty() => {
                    resume = Some(round.resume(IndexMap::new()));
                }
                called => return Ok(called),
            }
        }
        Err(self.error(call.tool, Failure::TooManyQuestions, String::new(), false))
    }

    /// The content of a resource that a tool named: resource blocks.
    pub async fn read_resource(&self, uri: &str) -> Result<Blocks, McpError> {
        let message = || {
            let params = ReadResourceRequestParams::new(uri);
            ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
        };
        let never = CancellationToken::new();
        let answer = self.exchange(&Request::plain(uri, &message, &never)).await?;
        decode::contents(answer).map_err(|error| self.undecoded(uri, error))
    }

    /// What is known about the server without asking it.
    pub fn status(&self) -> Status {
        let known = self.known();
        let mut status = known.status.clone();
        status.warnings.clone_from(&known.seen.warnings);
        status.stderr =
            known.seen.stderr.as_ref().map(crate::stderr::Tail::text).unwrap_or_default();
        if let Some(shared) = &known.seen.shared {
            status.garbage = shared.garbage.load(Ordering::Relaxed);
            status.state = match (known.closed_by_us, shared.closed.is_cancelled()) {
                (true, _) => State::Idle,
                (false, true) => State::Dead,
                (false, false) => State::Ready,
            };
        }
        status
    }

    /// Ends the server and everything that it has started. It can be used again: then it is started again.
    pub async fn close(&self) {
        let live = self.live.lock().await.take();
        if let Some(connection) = live {
            self.end(&connection).await;
        }
    }

    /// One request, and once more if that is allowed.
    async fn exchange(&self, request: &Request<'_>) -> Result<Value, McpError> {
        let mut repeated = false;
        loop {
            let connection = self.connection(request).await?;
            let outcome = connection.ask(request.ask(self.spec.patience)).await;
            let words =
                if outcome.is_err() { connection.last_words().await } else { String::new() };
            if !self.spec.stateful {
                self.end(&connection).await;
            }
            let failure = match outcome {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            if matches!(failure, Failure::NotSent | Failure::TooManyQuestions) {
                // It reads no more, whatever it still says; or it would go on asking the next call.
                connection.condemn();
            }
            if repeated || !self.may_be_asked_again(request, &failure) {
                return Err(self.error(request.name, failure, words, repeated));
            }
            repeated = true;
        }
    }

    /// The connection to ask over: the one there is, or a new one.
    async fn connection(&self, request: &Request<'_>) -> Result<Arc<Connection>, McpError> {
        tokio::select! {
            connection = self.connected() => connection,
            () = request.cancel.cancelled() => {
                Err(self.error(request.name, Failure::Cancelled, String::new(), false))
            }
        }
    }

    async fn connected(&self) -> Result<Arc<Connection>, McpError> {
        if !self.spec.stateful {
            return self.start().await;
        }
        let mut live = self.live.lock().await;
        if let Some(connection) = live.as_ref().filter(|connection| connection.is_alive()) {
            return Ok(connection.clone());
        }
        if let Some(dead) = live.take() {
            dead.close().await;
        }
        let connection = self.start().await?;
        *live = Some(connection.clone());
        Ok(connection)
    }

    async fn start(&self) -> Result<Arc<Connection>, McpError> {
        let era = self.known().status.era;
        let look = |seen| {
            let mut known = self.known();
            known.status.starts += 1;
            known.seen = seen;
            known.closed_by_us = false;
        };
        let started = connect::connect(&self.spec, era, &look).await;
        let connection = started.map_err(|source| {
            self.known().closed_by_us = true;
            let server = self.spec.name.clone();
            match source {
                StartError::Login(source) => McpError::Login { server, source },
                source => McpError::Start { server, source },
            }
        })?;
        self.learn(&connection);
        Ok(Arc::new(connection))
    }

    fn learn(&self, connection: &Connection) {
        let mut known = self.known();
        let status = &mut known.status;
        status.era = Some(connection.era());
        if let Some(info) = connection.info() {
            status.protocol = Some(plain(info.protocol_version.as_str()));
            status.server = info.server_info.as_ref().map(|server| plain(&server.name));
            status.version = info.server_info.as_ref().map(|server| plain(&server.version));
            status.instructions.clone_from(&info.instructions);
        }
    }

    async fn end(&self, connection: &Connection) {
        self.known().closed_by_us = true;
        connection.close().await;
    }

    /// What was not delivered was not done; everything else may have been.
    fn may_be_asked_again(&self, request: &Request<'_>, failure: &Failure) -> bool {
        match failure {
            Failure::NotSent => true,
            Failure::Closed | Failure::Lost(_) => {
                request.may_repeat || self.says_it_may_be_repeated(request)
            }
            _ => false,
        }
    }

    fn says_it_may_be_repeated(&self, request: &Request<'_>) -> bool {
        let kept = lock(&self.kept);
        let tool =
            kept.as_ref().zip(request.call).and_then(|(kept, call)| kept.tools.get(call.tool));
        tool.is_some_and(|tool| tool.annotations.may_be_repeated())
    }

    fn undecoded(&self, request: &str, error: DecodeError) -> McpError {
        let (server, request) = (self.spec.name.clone(), request.to_owned());
        match error {
            DecodeError::Malformed(reason) => McpError::Malformed { server, request, reason },
            DecodeError::Unsupported(wanted) => McpError::Unsupported { server, request, wanted },
        }
    }

    fn error(&self, request: &str, failure: Failure, stderr: String, repeated: bool) -> McpError {
        let (server, request) = (self.spec.name.clone(), request.to_owned());
        match failure {
            Failure::NotSent | Failure::Closed => {
                McpError::Died { server, request, repeated, stderr }
            }
            Failure::Lost(reason) => McpError::Unreachable { server, request, reason },
            Failure::Timeout => {
                McpError::Timeout { server, request, within: self.spec.patience, stderr }
            }
            Failure::TooLarge => McpError::TooLarge { server, request, limit: MAX_MESSAGE },
            Failure::NotJson(reason) => McpError::Malformed { server, request, reason },
            Failure::Refused(answer) => McpError::Refused { server, request, answer },
            Failure::TooManyQuestions => {
                McpError::TooManyQuestions { server, request, limit: MAX_QUESTIONS }
            }
            Failure::Cancelled => McpError::Cancelled { server, request },
            Failure::Login(source) => McpError::Login { server, source },
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        lock(&self.known)
    }
}

/// What is asked, so that it can be asked again.
struct Request<'a> {
    name: &'a str,
    /// The call that it is, if it is one.
    call: Option<&'a Call<'a>>,
    /// Makes the message; once for each try.
    message: &'a (dyn Fn() -> ClientRequest + Send + Sync),
    cancel: &'a CancellationToken,
    /// Whether it does no harm to ask it twice, whatever the server says.
    may_repeat: bool,
}

impl<'a> Request<'a> {
    /// Something that changes nothing.
    fn plain(
        name: &'a str,
        message: &'a (dyn Fn() -> ClientRequest + Send + Sync),
        cancel: &'a CancellationToken,
    ) -> Self {
        Self { name, call: None, message, cancel, may_repeat: true }
    }

    fn ask(&self, patience: Duration) -> Ask<'_> {
        Ask {
            request: (self.message)(),
            patience,
            elicitor: self.call.map(|call| call.elicitor),
            progress: self.call.and_then(|call| call.progress),
            cancel: self.cancel,
        }
    }
}

fn tools_call(call: &Call<'_>, resume: Option<&Resume>) -> ClientRequest {
    let params = CallToolRequestParams::new(call.tool.to_owned());
    let mut params = params.with_arguments(call.arguments.clone());
    params.meta = meta::ours(call.meta.as_ref());
    if let Some(Resume { responses, state }) = resume {
        // A server that only wants to be asked again gets its state, and nothing else.
        let given = Some(responses.clone().into_iter().collect());
        params.input_responses = given.filter(|_| !responses.is_empty());
        params.request_state.clone_from(state);
    }
    ClientRequest::CallToolRequest(CallToolRequest::new(params))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing is done under these locks that could be left half done by a panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
