//! From a configured server to one that can be asked.

use std::{sync::Arc, time::Duration};

use rmcp::{
    ClientLifecycleMode, RoleClient,
    model::ProtocolVersion,
    serve_client_with_lifecycle,
    service::{ClientInitializeError, RunningService},
    transport::Transport,
};
use tokio::time::timeout;

use crate::{
    connection::Connection,
    era::{self, Way},
    error::StartError,
    handler::Handler,
    launch::{Launch, Launched},
    limits::PROBE,
    request::causes,
    server_spec::{Connect, Era, Http, ServerSpec},
    shared::Shared,
    stderr::Tail,
    transport::{Lines, OverHttp},
    words::plain,
};

/// So long is waited for the last words of a program that would not speak.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// What is seen of a server while it is being started, whether that succeeds or not.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) stderr: Option<Tail>,
    pub(crate) shared: Option<Arc<Shared>>,
    pub(crate) warnings: Vec<String>,
}

/// Starts a server and greets it, in whatever way it understands. `look` is told what is seen of each try.
pub(crate) async fn connect(
    spec: &ServerSpec,
    remembered: Option<Era>,
    look: &(dyn Fn(Seen) + Send + Sync),
) -> Result<Connection, StartError> {
    let mut way = era::first(remembered);
    let mut failed = Vec::new();
    loop {
        let tried = match &spec.connect {
            Connect::Program(launch) => program(spec, &**launch, way, look).await,
            Connect::Http(http) => over_http(spec, http, way, look).await,
        };
        match tried {
            Ok(connection) => return Ok(connection),
            Err(error) => failed.push((way, error)),
        }
        match era::next(&failed) {
            Some(next) => way = next,
            None => break,
        }
    }
    let silent = StartError::Silent { within: spec.startup, stderr: String::new() };
    Err(era::verdict(failed).unwrap_or(silent))
}

async fn program(
    spec: &ServerSpec,
    launch: &dyn Launch,
    way: Way,
    look: &(dyn Fn(Seen) + Send + Sync),
) -> Result<Connection, StartError> {
    let within = limit(way, spec.startup);
    let launched = timeout(spec.startup, launch.launch()).await;
    let silent = |_| StartError::Silent { within: spec.startup, stderr: String::new() };
    let Launched { stdin, stdout, stderr, process, warnings } = launched.map_err(silent)??;
    let stderr = Tail::of(stderr);
    let shared = Shared::new();
    look(Seen { stderr: Some(stderr.clone()), shared: Some(shared.clone()), warnings });
    let transport = Lines::new(stdout, stdin, shared.clone());
    match greet(spec, transport, way, within, &shared).await {
        Ok(running) => Ok(Connection::new(running, shared, Some(process), Some(stderr))),
        Err(failed) => {
            process.stop().await;
            let stderr = stderr.last_words(LAST_WORDS).await;
            Err(match failed {
                Greeting::Silent => StartError::Silent { within, stderr },
                Greeting::Closed => StartError::Exited { stderr },
                Greeting::Failed(error) => match *error {
                    // It does not read any more.
                    ClientInitializeError::TransportError { .. } => StartError::Exited { stderr },
                    error => StartError::Handshake { reason: story(&error), stderr },
                },
            })
        }
    }
}

async fn over_http(
    spec: &ServerSpec,
    http: &Http,
    way: Way,
    look: &(dyn Fn(Seen) + Send + Sync),
) -> Result<Connection, StartError> {
    let within = limit(way, spec.startup);
    let shared = Shared::new();
    look(Seen { shared: Some(shared.clone()), ..Seen::default() });
    let transport = OverHttp::new(http, shared.clone()).map_err(StartError::Http)?;
    let stderr = String::new();
    match greet(spec, transport, way, within, &shared).await {
        Ok(running) => Ok(Connection::new(running, shared, None, None)),
        Err(_) if let Some(error) = shared.locked_out() => Err(StartError::Login(error)),
        Err(Greeting::Silent) => Err(StartError::Silent { within, stderr }),
        Err(Greeting::Failed(error)) if error.is_authorization_required() => {
            let login = "it wants to know who you are; give it a header `Authorization`";
            Err(StartError::Http(login.to_owned()))
        }
        Err(Greeting::Failed(error)) => {
            Err(StartError::Handshake { reason: story(&error), stderr })
        }
        Err(Greeting::Closed) => {
            let reason = "the connection was closed".to_owned();
            Err(StartError::Handshake { reason, stderr })
        }
    }
}

/// What comes of a greeting that is not returned.
enum Greeting {
    Silent,
    Closed,
    Failed(Box<ClientInitializeError>),
}

async fn greet<T: Transport<RoleClient> + 'static>(
    spec: &ServerSpec,
    transport: T,
    way: Way,
    within: Duration,
    shared: &Arc<Shared>,
) -> Result<RunningService<RoleClient, Handler>, Greeting> {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    let mode = match way {
        Way::Legacy => ClientLifecycleMode::Initialize,
        Way::Modern => ClientLifecycleMode::Discover { preferred_versions },
        Way::Probe => {
            let legacy_version = Some(ProtocolVersion::LATEST_WITH_INITIALIZE);
            ClientLifecycleMode::Auto { preferred_versions, legacy_version }
        }
    };
    let handler = Handler::new(spec, shared.clone());
    let greeting = Box::pin(serve_client_with_lifecycle(handler, transport, mode));
    match timeout(within, greeting).await {
        Ok(Ok(running)) => Ok(running),
        Ok(Err(ClientInitializeError::ConnectionClosed(_))) => Err(Greeting::Closed),
        Ok(Err(error)) => Err(Greeting::Failed(Box::new(error))),
        Err(_) => Err(Greeting::Silent),
    }
}

/// A probe is over early: the time is needed for the other way.
fn limit(way: Way, startup: Duration) -> Duration {
    match way {
        Way::Probe => (startup / 2).min(PROBE),
        Way::Legacy | Way::Modern => startup,
    }
}

/// The error and its causes in one line, without what rmcp prints of whole messages.
fn story(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            let said = plain(&error.message);
            format!("it refused the connection: {said} (code {})", error.code.0)
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => story(fallback),
        ClientInitializeError::ExpectedInitResult(_)
        | ClientInitializeError::ExpectedInitResponse(_) => {
            "it answered the greeting with something that cannot be understood".to_owned()
        }
        ClientInitializeError::TransportError { error, .. } => {
            let story: Vec<String> = causes(&*error.error).map(ToString::to_string).collect();
            plain(&story.join(": "))
        }
        other => plain(&other.to_string()),
    }
}
