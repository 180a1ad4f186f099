//! Connections: taken up to a number, bounded in everything, and finished before the end.
//!
//! The danger is a client that takes its time. A head has to come within a time, what we write has to be read
//! at a rate ([`patient`]), and there are so many connections at most; more wait in the queue of the operating
//! system.

mod patient;

use std::{io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use jp_plugin_sdk::{Why, asynchronous::Session};
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{sleep, timeout},
};

pub use self::patient::Patience;
use self::patient::Patient;

/// The files that are open besides connections.
const OTHER_FILES: u64 = 64;
/// How long to wait when the system has no room for another connection.
const PAUSE: Duration = Duration::from_millis(100);
/// What hyper keeps for a connection, in bytes: a head fits.
const BUFFER: usize = 64 << 10;
/// How long the host waits for the end, where its settings do not say.
const SHUTDOWN: u64 = 5;

/// What a client may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many connections there are at a time.
    pub connections: usize,
    /// How long a client may take for the head of a request, and be idle between two.
    pub idle: Duration,
    /// How long a head can be, in bytes, with everything in it.
    pub head: usize,
    /// How many fields a head can have.
    pub fields: usize,
    /// How slowly an answer may be read.
    pub patience: Patience,
}

/// Why there is nothing to listen on.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Another program is there.
    #[error("cannot listen on {0}: it is in use; choose another port with `--port`, or `--port 0`")]
    InUse(SocketAddr),
    /// A port for which this user has no right.
    #[error("cannot listen on {0}: you may not use this port; choose one above 1023 with `--port`")]
    Forbidden(SocketAddr),
    /// An address of another machine.
    #[error(
        "cannot listen on {0}: this machine does not have the address; choose another with `--bind`"
    )]
    NotOurs(SocketAddr),
    /// Whatever else the system says.
    #[error("cannot listen on {0}")]
    Other(SocketAddr, #[source] io::Error),
}

/// Something that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    limits: Limits,
    room: Arc<Semaphore>,
}

impl Server {
    /// Listens, and answers nobody yet.
    pub async fn bind(address: SocketAddr, limits: Limits) -> Result<Self, BindError> {
        let failed = |error| BindError::new(address, error);
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let room = Arc::new(Semaphore::new(room(limits.connections)));
        Ok(Self { listener, address, limits, room })
    }

    /// Where it really listens; the port is never 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop`, which says how long requests in flight may then take.
    pub async fn run(self, router: Router, stop: impl Future<Output = Duration>) {
        let (http, graceful) = (self.http(), GracefulShutdown::new());
        let mut stop = pin!(stop);
        let grace = loop {
            tokio::select! {
                biased;
                grace = &mut stop => break grace,
                (stream, permit) = self.accept() => {
                    let connection = http.serve_connection(
                        TokioIo::new(Patient::new(stream, self.limits.patience)),
                        TowerToHyperService::new(router.clone()),
                    );
                    let connection = graceful.watch(connection);
                    tokio::spawn(async move {
                        // How it ends is the affair of its client.
                        let _ = connection.await;
                        drop(permit);
                    });
                }
            }
        };
        // From here on the system refuses whoever comes.
        drop(self.listener);
        // Those that are not finished by then end with the program.
        let _ = timeout(grace, graceful.shutdown()).await;
    }

    /// The next connection, as soon as there is room for it.
    async fn accept(&self) -> (TcpStream, Option<OwnedSemaphorePermit>) {
        // It is never closed, so there always is a permit.
        let permit = Arc::clone(&self.room).acquire_owned().await.ok();
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => {
                    // Answers are written whole; nothing is won by waiting for more.
                    let _ = stream.set_nodelay(true);
                    return (stream, permit);
                }
                // The client is gone already, or there are too many open files: neither is helped by haste.
                Err(_) => sleep(PAUSE).await,
            }
        }
    }

    /// HTTP/1.1 with limits.
    fn http(&self) -> http1::Builder {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(self.limits.idle)
            .max_headers(self.limits.fields)
            .max_header_size(self.limits.head)
            .max_buf_size(self.limits.head.max(BUFFER));
        http
    }
}

/// Waits until it is time to end; returns how long requests in flight may still take: a little less than the
/// host waits before it kills.
pub async fn stopped(session: &Session) -> Duration {
    match session.wait_for_shutdown().await {
        Why::Asked => {
            let seconds = &session.init().config["plugins"]["shutdown_timeout_secs"];
            let seconds = seconds.as_u64().unwrap_or(SHUTDOWN).min(3_600);
            Duration::from_secs(seconds).mul_f64(0.8)
        }
        // Nobody answers any more.
        Why::HostGone => Duration::ZERO,
    }
}

impl BindError {
    fn new(address: SocketAddr, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::AddrInUse => Self::InUse(address),
            io::ErrorKind::PermissionDenied => Self::Forbidden(address),
            io::ErrorKind::AddrNotAvailable => Self::NotOurs(address),
            _ => Self::Other(address, error),
        }
    }
}

/// For how many connections there is room. Every one is an open file, and many systems begin with 1024 of
/// those, which a process may raise for itself.
fn room(connections: usize) -> usize {
    let want = connections as u64 + OTHER_FILES;
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < want) {
        limit.current = Some(limit.maximum.map_or(want, |most| most.min(want)));
        // If the system says no, there is room for fewer.
        let _ = setrlimit(Resource::Nofile, limit);
    }
    let files = getrlimit(Resource::Nofile).current.unwrap_or(want).min(want);
    usize::try_from(files.saturating_sub(OTHER_FILES)).unwrap_or(connections).max(1)
}
