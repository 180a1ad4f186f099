//! Serving on a pair of streams, and on those of the process.

use std::{io, time::Duration};

use rmcp::{
    service::{ServerInitializeError, serve_server_with_ct},
    transport::{async_rw::AsyncRwTransport, io::stdio_pipes},
};
use thiserror::Error;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    runtime::Builder,
    task::JoinError,
};
use tokio_util::sync::CancellationToken;

use crate::{Protocol, Toolbox, server::Server};

/// A longer message is dropped, without being kept in memory.
const MAX_MESSAGE: usize = 16 << 20;

/// How long whatever still runs may take to notice that it is over.
const GRACE: Duration = Duration::from_millis(500);

/// Why serving ended otherwise than by the end of the input or a signal.
#[derive(Debug, Error)]
pub enum ServeError {
    /// There are no threads or no signals.
    #[error("cannot start to serve")]
    Start(#[source] io::Error),
    /// The client does not speak MCP.
    #[error("the client did not begin as MCP asks")]
    Begin(#[source] Box<ServerInitializeError>),
    /// A fault of the server.
    #[error("the server broke down")]
    Broken(#[source] JoinError),
}

/// Serves a toolbox on stdin and stdout, until the input ends or SIGTERM, SIGINT or SIGHUP comes.
pub fn run<T: Toolbox>(toolbox: T, protocol: Protocol) -> Result<(), ServeError> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(ServeError::Start)?;
    let end = runtime.block_on(async {
        let stop = stop_at_signal().map_err(ServeError::Start)?;
        let (reader, writer) = stdio_pipes();
        serve(toolbox, protocol, reader, writer, stop).await
    });
    // A read of a terminal cannot be interrupted, so it is not waited for.
    runtime.shutdown_timeout(GRACE);
    end
}

/// Serves a toolbox on these streams, until the input ends or `stop` is cancelled.
pub async fn serve<T: Toolbox>(
    toolbox: T,
    protocol: Protocol,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    let transport = AsyncRwTransport::new_server(reader, writer).with_max_line_length(MAX_MESSAGE);
    let server = Server::new(toolbox, protocol);
    match serve_server_with_ct(server, transport, stop).await {
        Ok(running) => running.waiting().await.map(drop).map_err(ServeError::Broken),
        // A client that leaves before it has said anything has done nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            Ok(())
        }
        Err(error) => Err(ServeError::Begin(Box::new(error))),
    }
}

#[cfg(unix)]
fn stop_at_signal() -> io::Result<CancellationToken> {
    use tokio::signal::unix::{SignalKind, signal};

    let stop = CancellationToken::new();
    for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()] {
        let mut signals = signal(kind)?;
        let stop = stop.clone();
        tokio::spawn(async move {
            signals.recv().await;
            stop.cancel();
        });
    }
    Ok(stop)
}

#[cfg(not(unix))]
fn stop_at_signal() -> io::Result<CancellationToken> {
    let stop = CancellationToken::new();
    let told = stop.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            told.cancel();
        }
    });
    Ok(stop)
}
