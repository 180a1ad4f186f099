//! Connections: taken, bounded, and ended so that nobody is cut off.
//!
//! The danger is a client that takes its time. A header has to come within [`HEADER`], what we write has
//! to be read bit by bit within [`patient::Patient`]'s limit, and there are [`CONNECTIONS`] at most; more
//! wait in the queue of the operating system.

mod patient;

use std::{sync::Arc, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use self::patient::Patient;

/// How many connections there are at a time.
const CONNECTIONS: usize = 256;
/// How long a client may take for the header of a request, and be idle between two.
const HEADER: Duration = Duration::from_secs(20);
/// How long a header can be, in bytes, with everything in it.
const HEADER_SIZE: usize = 16 * 1024;
/// How many fields a header can have.
const HEADER_FIELDS: usize = 64;
/// How long a client may read nothing of what we write.
const STALLED: Duration = Duration::from_secs(30);

/// Serves until `ending`, then takes no more connections, and lets those that wait for an answer have it,
/// at most for `grace`.
pub(crate) async fn serve(
    listener: TcpListener,
    app: Router,
    ending: CancellationToken,
    grace: Duration,
) {
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let next = async { (Arc::clone(&slots).acquire_owned().await, listener.accept().await) };
        tokio::select! {
            biased;
            () = ending.cancelled() => break,
            Some(_) = connections.join_next() => {}
            (slot, accepted) = next => match accepted {
                Ok((stream, _)) => {
                    let connection = connection(stream, app.clone(), ending.clone());
                    connections.spawn(async move {
                        connection.await;
                        drop(slot);
                    });
                }
                // Out of descriptors, or a client that was gone at once: neither is helped by haste.
                Err(_) => sleep(Duration::from_millis(50)).await,
            }
        }
    }
    // From here on the system refuses whoever comes.
    drop(listener);
    let rest = async { while connections.join_next().await.is_some() {} };
    // What is not finished by then is ended with the process.
    let _ = timeout(grace, rest).await;
}

/// One client, from its first request to its last.
async fn connection(stream: TcpStream, app: Router, ending: CancellationToken) {
    // Answers are written in one go; waiting for more would only delay events.
    let _ = stream.set_nodelay(true);
    let io = TokioIo::new(Patient::new(stream, STALLED));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER)
        .max_header_size(HEADER_SIZE)
        .max_headers(HEADER_FIELDS)
        .serve_connection(io, TowerToHyperService::new(app));
    tokio::pin!(connection);
    tokio::select! {
        // How it ended is the affair of the client.
        _ = connection.as_mut() => return,
        () = ending.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
