//! The side of the tool: a listener inside its network, and a connection at a time from it.

use std::{convert::Infallible, sync::Arc, time::Duration};

use hyper::{
    Method, Request, Response, StatusCode, body::Incoming, server::conn::http1, service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    select,
    sync::{OwnedSemaphorePermit, Semaphore},
    time,
};

use crate::{
    answer::{Body, Refusal},
    farewell, forward,
    shared::Shared,
    tunnel,
    watched::Watched,
};

/// How long to wait if a connection cannot be accepted, mostly because this process has too many
/// files open.
const PAUSE: Duration = Duration::from_millis(50);

/// How many connections can be told at one time that there are too many. The rest is closed.
const FAREWELLS: usize = 64;

/// How much longer than the network the tool may be silent: it waits for us while we connect.
const SLACK: Duration = Duration::from_secs(5);

/// Serves connections until it is dropped.
pub(crate) async fn serve(listener: TcpListener, shared: Arc<Shared>) -> Infallible {
    let places = Arc::new(Semaphore::new(shared.limits.connections));
    let farewells = Arc::new(Semaphore::new(FAREWELLS));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            time::sleep(PAUSE).await;
            continue;
        };
        if let Ok(place) = places.clone().try_acquire_owned() {
            tokio::spawn(connection(shared.clone(), stream, Arc::new(place)));
            continue;
        }
        shared.record.turned_away.add(1);
        if let Ok(farewell) = farewells.clone().try_acquire_owned() {
            tokio::spawn(turn_away(stream, farewell));
        }
    }
}

/// Serves the requests of one connection, which keeps its place while a tunnel goes on.
async fn connection(shared: Arc<Shared>, stream: TcpStream, place: Arc<OwnedSemaphorePermit>) {
    // Without it answers are only slower.
    let _ = stream.set_nodelay(true);
    let limits = shared.limits.clone();
    let near = Watched::near(stream);
    let activity = near.activity();
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_buf_size(limits.head_size())
        .max_header_size(limits.head_size())
        .serve_connection(
            TokioIo::new(near),
            service_fn(move |request| answer(shared.clone(), place.clone(), request)),
        )
        .with_upgrades();
    select! {
        // The tool sees that the connection ended.
        _ = serving => {}
        () = activity.silent_for(limits.idle + limits.connect + SLACK) => {}
    }
}

async fn answer(
    shared: Arc<Shared>,
    place: Arc<OwnedSemaphorePermit>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let answer = if request.method() == Method::CONNECT {
        tunnel::open(&shared, place, request).await
    } else {
        forward::pass_on(&shared, request).await
    };
    Ok(answer.unwrap_or_else(|refusal| {
        if let Refusal::Denied(denied) = &refusal {
            shared.record.denied(denied);
        }
        refusal.response(shared.rules.table())
    }))
}

/// Says that there are too many connections.
async fn turn_away(mut stream: TcpStream, _farewell: OwnedSemaphorePermit) {
    let text = "too many connections to the proxy at a time";
    farewell::say(&mut stream, StatusCode::SERVICE_UNAVAILABLE, text).await;
}
