//! Tunnels: `CONNECT host:port`, and then bytes in both directions.
//!
//! What goes through a tunnel is usually encrypted, so that it is judged once, by host and port and
//! for every path. One thing can still be seen: a TLS connection begins with a byte that no HTTP
//! request begins with. Where only one of `https` and `http` is allowed the first byte has to fit,
//! so that a rule for `https` does not let plain text out.

use std::sync::Arc;

use http_body_util::{Either, Empty, Full};
use hyper::{
    Request, Response, StatusCode, Uri,
    body::{Body as _, Bytes, Incoming},
    client::conn::http1,
    header::{HOST, PROXY_AUTHORIZATION},
    upgrade,
};
use hyper_util::rt::TokioIo;
use jp_route::Via;
use tokio::{
    io::{self, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    select,
    sync::OwnedSemaphorePermit,
    time,
};

use crate::{
    Denied, Reason,
    answer::{Body, Refusal},
    dial::DialError,
    farewell,
    rules::{Granted, Speech},
    shared::Shared,
    watched::Activity,
};

/// The type of the record that opens a TLS connection.
const TLS_HANDSHAKE: u8 = 0x16;

/// How much is read at a time in each direction.
const BUFFER: usize = 16 * 1024;

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// The far end of a tunnel.
struct Far {
    stream: Box<dyn Stream>,
    activity: Arc<Activity>,
    granted: Granted,
}

/// Opens a tunnel, if the rules allow it. It keeps the place of its connection until it ends.
pub(crate) async fn open(
    shared: &Arc<Shared>,
    place: Arc<OwnedSemaphorePermit>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Refusal> {
    if !request.body().is_end_stream() {
        // Where the body ends and the tunnel begins the next proxy could see differently.
        return Err(Refusal::Malformed("CONNECT takes no body"));
    }
    let (host, port) = wanted(request.uri())?;
    let granted = shared.rules.tunnel(host, port).map_err(Refusal::Denied)?;
    let far = match shared.upstream.via(granted.target()) {
        Some(via) => through(shared, granted, via).await?,
        None => directly(shared, &granted).await?,
    };
    shared.record.tunnels.add(1);
    let shared = shared.clone();
    tokio::spawn(async move {
        let _place = place;
        // It fails if the tool is gone before it has read our answer.
        if let Ok(near) = upgrade::on(request).await {
            carry(&shared, TokioIo::new(near), far).await;
        }
    });
    Ok(Response::new(Either::Left(Full::default())))
}

/// The host and the port of `CONNECT`.
fn wanted(uri: &Uri) -> Result<(&str, u16), Refusal> {
    let authority = uri.authority().filter(|_| uri.scheme().is_none() && uri.path().is_empty());
    let Some(authority) = authority else {
        return Err(Refusal::Malformed("CONNECT needs host:port"));
    };
    if authority.as_str().contains('@') {
        return Err(Refusal::Malformed("CONNECT takes no user name"));
    }
    match authority.port_u16() {
        None => Err(Refusal::Malformed("CONNECT needs host:port")),
        Some(0) => Err(Refusal::Malformed("there is no port 0")),
        Some(port) => Ok((authority.host(), port)),
    }
}

async fn directly(shared: &Shared, granted: &Granted) -> Result<Far, Refusal> {
    let (stream, granted) = shared.dialer.granted(granted).await?;
    let stream = shared.far(stream);
    Ok(Far { activity: stream.activity(), stream: Box::new(stream), granted })
}

/// A tunnel through the proxy of this machine.
async fn through(shared: &Shared, granted: Granted, via: &Via) -> Result<Far, Refusal> {
    let stream = shared.far(shared.dialer.unjudged(&via.host, via.port).await?);
    let activity = stream.activity();
    let within = shared.limits.connect;
    let stream = time::timeout(within, handshake(shared, &granted, via, TokioIo::new(stream)))
        .await
        .unwrap_or_else(|_| Err(DialError::TimedOut { host: via.host.clone(), within }.into()))?;
    Ok(Far { stream: Box::new(stream), activity, granted })
}

async fn handshake(
    shared: &Shared,
    granted: &Granted,
    via: &Via,
    stream: impl hyper::rt::Read + hyper::rt::Write + Send + Unpin + 'static,
) -> Result<TokioIo<upgrade::Upgraded>, Refusal> {
    let next = format!("the proxy {}:{}", via.host, via.port);
    let failed = |error: hyper::Error| Refusal::no_answer(&next, &error);
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(shared.limits.head_size())
        .max_header_size(shared.limits.head_size())
        .handshake(stream)
        .await
        .map_err(failed)?;
    // It ends with the tunnel that it becomes.
    tokio::spawn(connection.with_upgrades());
    let authority = format!("{}:{}", granted.target().host(), granted.port());
    let mut request = Request::connect(&authority).header(HOST, &authority);
    if let Some(authorization) = &via.authorization {
        request = request.header(PROXY_AUTHORIZATION, authorization);
    }
    let unusable = |_| Refusal::Malformed("the host cannot be asked for");
    let request = request.body(Empty::<Bytes>::new()).map_err(unusable)?;
    let answer = sender.send_request(request).await.map_err(failed)?;
    if !answer.status().is_success() {
        let cause = format!("it answered {}", answer.status());
        return Err(Refusal::NoAnswer { host: next, cause });
    }
    Ok(TokioIo::new(upgrade::on(answer).await.map_err(failed)?))
}

/// Carries bytes until both sides are done, one of them fails, or nothing was said for too long.
async fn carry(shared: &Shared, mut near: impl Stream, far: Far) {
    let Far { mut stream, activity, granted } = far;
    let carrying = async {
        if begin(shared, &granted, &mut near, &mut stream).await? {
            // The end of one direction is passed on, and the other one goes on.
            io::copy_bidirectional_with_sizes(&mut near, &mut stream, BUFFER, BUFFER).await?;
        }
        io::Result::Ok(())
    };
    select! {
        // Both sides see that the connection ended, and there is nobody else to tell.
        _ = carrying => {}
        () = activity.silent_for(shared.limits.idle) => {}
    }
}

/// Looks at what the tool says first, if that matters; whether the tunnel can be used.
async fn begin(
    shared: &Shared,
    granted: &Granted,
    near: &mut impl Stream,
    far: &mut Box<dyn Stream>,
) -> io::Result<bool> {
    let speech = granted.speech();
    if speech == Speech::Any {
        return Ok(true);
    }
    // In both protocols the client speaks first, so nothing is missed by waiting.
    let mut first = vec![0; BUFFER];
    let count = near.read(&mut first).await?;
    let is_tls = match first[..count] {
        [byte, ..] => byte == TLS_HANDSHAKE,
        // It ended before it began, which the usual way of carrying passes on.
        [] => return Ok(true),
    };
    match (speech, is_tls) {
        (Speech::Tls, false) => {
            // A program that speaks plain HTTP here can be told.
            let text = refuse(shared, granted, Reason::NotTls).explain(shared.rules.table());
            farewell::say(near, StatusCode::FORBIDDEN, &text).await;
            Ok(false)
        }
        (Speech::Plain, true) => {
            refuse(shared, granted, Reason::Tls);
            Ok(false)
        }
        _ => {
            far.write_all(&first[..count]).await?;
            Ok(true)
        }
    }
}

fn refuse(shared: &Shared, granted: &Granted, reason: Reason) -> Denied {
    let denied = shared.rules.wrong_speech(granted, reason);
    shared.record.denied(&denied);
    denied
}
