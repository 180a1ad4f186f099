//! Connections: accepted up to a number, closed when they say nothing, finished before the end.

mod patient;

use std::{io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{sleep, timeout},
};

use self::patient::Patient;
use crate::limits;

/// The files that are open besides connections.
const OTHER_FILES: u64 = 64;
/// How long to wait when the system has no room for another connection.
const PAUSE: Duration = Duration::from_millis(100);

/// Cannot listen.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot listen on {address}: {source}; is another server there? `--port 0` takes a free port"
)]
pub(crate) struct BindError {
    address: SocketAddr,
    source: io::Error,
}

/// Something that listens.
#[derive(Debug)]
pub(crate) struct Server {
    listener: TcpListener,
    address: SocketAddr,
    room: Arc<Semaphore>,
}

impl Server {
    pub(crate) async fn bind(address: SocketAddr) -> Result<Self, BindError> {
        let failed = |source| BindError { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, room: Arc::new(Semaphore::new(room())) })
    }

    /// Where it really listens; the port is never 0.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop`, which says how long requests in flight may then take.
    pub(crate) async fn run(self, router: Router, stop: impl Future<Output = Duration>) {
        let (http, graceful) = (http(), GracefulShutdown::new());
        let mut stop = pin!(stop);
        let grace = loop {
            tokio::select! {
                grace = &mut stop => break grace,
                (stream, permit) = self.accept() => {
                    let connection = http.serve_connection(
                        TokioIo::new(Patient::new(stream)),
                        TowerToHyperService::new(router.clone()),
                    );
                    let connection = graceful.watch(connection);
                    tokio::spawn(async move {
                        // A connection that breaks is the affair of its client.
                        let _ = connection.await;
                        drop(permit);
                    });
                }
            }
        };
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
                // The client is gone already, or there are too many open files.
                Err(_) => sleep(PAUSE).await,
            }
        }
    }
}

/// HTTP/1.1 with limits.
fn http() -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits::IDLE)
        .max_headers(limits::HEADERS)
        .max_header_size(limits::HEAD)
        .max_buf_size(limits::HEAD.max(64 << 10));
    http
}

/// For how many connections there is room. Every one is an open file, and many systems begin with 1024
/// of those, which a process may raise for itself.
fn room() -> usize {
    let want = limits::CONNECTIONS as u64 + OTHER_FILES;
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < want) {
        limit.current = Some(limit.maximum.map_or(want, |most| most.min(want)));
        // If the system says no, there is room for fewer.
        let _ = setrlimit(Resource::Nofile, limit);
    }
    let files = getrlimit(Resource::Nofile).current.unwrap_or(want).min(want);
    usize::try_from(files.saturating_sub(OTHER_FILES)).unwrap_or(limits::CONNECTIONS).max(1)
}
