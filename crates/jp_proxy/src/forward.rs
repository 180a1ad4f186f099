//! Plain requests: `GET http://host/path`, one at a time, each judged by itself.
//!
//! The dangers are requests that the proxy and the server read differently. The framing is
//! therefore undone by hyper on one side and made anew by hyper on the other, so that no byte of a
//! head passes through. The URL that is requested is the one that was judged, `Host` is made from
//! it, and headers that concern one connection only end here. Each request has its own connection
//! to the server, so that nothing that one leaves behind can be taken for the answer to the next.
//!
//! Redirects are not followed; the tool asks again, and is judged again.

use std::time::Duration;

use http_body_util::Either;
use hyper::{
    HeaderMap, Request, Response, StatusCode, Uri, Version,
    body::{Body as _, Incoming},
    client::conn::http1,
    header::{
        CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderName, HeaderValue, PROXY_AUTHENTICATE,
        PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
    },
};
use hyper_util::rt::TokioIo;
use jp_route::Via;
use jp_tool::access::NetTarget;
use tokio::{net::TcpStream, select};
use url::Position;

use crate::{
    answer::{Body, Refusal},
    farewell,
    rules::Granted,
    shared::Shared,
};

/// How much later than the waiting for an answer the connection itself ends, so that there is still
/// somebody to say that there was none.
const LATER: Duration = Duration::from_secs(1);

/// Passes a request on, if the rules allow it, and returns the answer.
pub(crate) async fn pass_on(
    shared: &Shared,
    request: Request<Incoming>,
) -> Result<Response<Body>, Refusal> {
    let Way { granted, via, stream } = match way(shared, &request).await {
        Ok(way) => way,
        Err(refusal) => {
            let (parts, body) = request.into_parts();
            farewell::read_away(&parts.headers, body);
            return Err(refusal);
        }
    };
    let request = rewritten(request, granted.target(), via)?;
    shared.record.requests.add(1);
    let answer = exchange(shared, &granted, stream, request).await?;
    returned(answer, &granted)
}

/// What a request may do, and the connection it does it over.
struct Way<'a> {
    granted: Granted,
    via: Option<&'a Via>,
    stream: TcpStream,
}

async fn way<'a>(shared: &'a Shared, request: &Request<Incoming>) -> Result<Way<'a>, Refusal> {
    let url = wanted(request)?;
    let granted = shared.rules.request(&url).map_err(Refusal::Denied)?;
    let via = shared.upstream.via(granted.target());
    let stream = match via {
        Some(via) => shared.dialer.unjudged(&via.host, via.port).await?,
        None => shared.dialer.granted(&granted).await?.0,
    };
    Ok(Way { granted, via, stream })
}

/// The URL that is asked for, or why that is no question for a proxy.
fn wanted(request: &Request<Incoming>) -> Result<String, Refusal> {
    let uri = request.uri();
    match uri.scheme_str() {
        Some("http") if uri.authority().is_some() => {}
        Some("https") => return Err(Refusal::Malformed("https goes through a tunnel (CONNECT)")),
        Some(_) => return Err(Refusal::Malformed("only http and https can be asked for")),
        None => return Err(Refusal::Malformed("a proxy is asked for a whole URL, http://…")),
    }
    if uri.port_u16() == Some(0) {
        return Err(Refusal::Malformed("there is no port 0"));
    }
    // Which of several a server would take nobody knows. That one differs from the URL is allowed.
    if request.headers().get_all(HOST).iter().count() > 1 {
        return Err(Refusal::Malformed("there is more than one Host"));
    }
    if is_coded(request.headers()) {
        return Err(Refusal::Unsupported("no transfer coding but chunked"));
    }
    // Other upgrades are offers that can be passed over, like that of HTTP/2.
    let mut offers = request.headers().get_all(UPGRADE).iter().flat_map(listed);
    if offers.any(|it| it.eq_ignore_ascii_case(b"websocket")) {
        return Err(Refusal::Unsupported("a WebSocket goes through a tunnel (CONNECT)"));
    }
    Ok(uri.to_string())
}

/// The request as it is sent on.
fn rewritten(
    request: Request<Incoming>,
    target: &NetTarget,
    via: Option<&Via>,
) -> Result<Request<Incoming>, Refusal> {
    let unusable = Refusal::Malformed("the URL cannot be sent on");
    let url = target.url();
    let start = if via.is_some() { Position::BeforeScheme } else { Position::BeforePath };
    let Ok(uri) = Uri::try_from(&url[start..]) else { return Err(unusable) };
    let Ok(host) = HeaderValue::from_str(&url[Position::BeforeHost..Position::AfterPort]) else {
        return Err(unusable);
    };
    let (mut parts, body) = request.into_parts();
    end_to_end(&mut parts.headers);
    // Our own side asks for the body as soon as somebody wants to read it.
    parts.headers.remove(EXPECT);
    parts.headers.insert(HOST, host);
    if body.size_hint().exact().is_none() {
        // Said aloud, because hyper would leave out the body of a GET of unknown length.
        parts.headers.insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
    }
    if let Some(authorization) = via.and_then(|via| via.authorization.clone()) {
        parts.headers.insert(PROXY_AUTHORIZATION, authorization);
    }
    let mut request = Request::new(body);
    *request.method_mut() = parts.method;
    *request.uri_mut() = uri;
    *request.version_mut() = Version::HTTP_11;
    *request.headers_mut() = parts.headers;
    Ok(request)
}

/// Sends a request over a connection of its own and waits for the head of the answer.
async fn exchange(
    shared: &Shared,
    granted: &Granted,
    stream: TcpStream,
    request: Request<Incoming>,
) -> Result<Response<Incoming>, Refusal> {
    let host = granted.target().host();
    let no_answer = |error: hyper::Error| Refusal::no_answer(&host, &error);
    let far = shared.far(stream);
    let (activity, idle) = (far.activity(), shared.limits.idle);
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(shared.limits.head_size())
        .max_header_size(shared.limits.head_size())
        .handshake(TokioIo::new(far))
        .await
        .map_err(no_answer)?;
    let watch = activity.clone();
    tokio::spawn(async move {
        select! {
            // What went wrong is told to whoever waits for the answer or reads its body.
            _ = connection => {}
            () = watch.silent_for(idle + LATER) => {}
        }
    });
    select! {
        answer = sender.send_request(request) => answer.map_err(no_answer),
        () = activity.silent_for(idle) => Err(Refusal::Silent { host: host.clone(), within: idle }),
    }
}

/// The answer as it is given to the tool.
fn returned(answer: Response<Incoming>, granted: &Granted) -> Result<Response<Body>, Refusal> {
    let cause = match answer.status() {
        // Nobody asked for that.
        StatusCode::SWITCHING_PROTOCOLS => Some("it switched to another protocol"),
        // The tool has no password for the proxy of this machine and should not look for one.
        StatusCode::PROXY_AUTHENTICATION_REQUIRED => Some("a proxy on the way wants a password"),
        _ if is_coded(answer.headers()) => Some("it used a transfer coding that nobody asked for"),
        _ => None,
    };
    if let Some(cause) = cause {
        return Err(Refusal::NoAnswer { host: granted.target().host(), cause: cause.to_owned() });
    }
    let (mut parts, body) = answer.into_parts();
    end_to_end(&mut parts.headers);
    let mut response = Response::new(Either::Right(body));
    *response.status_mut() = parts.status;
    *response.headers_mut() = parts.headers;
    Ok(response)
}

/// Whether the body is coded in a way that hyper does not undo. The other side would not be told,
/// since the header ends here.
fn is_coded(headers: &HeaderMap) -> bool {
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter().flat_map(listed);
    codings.any(|coding| !coding.eq_ignore_ascii_case(b"chunked"))
}

/// Removes the headers that concern one connection, and those that `Connection` says are such.
fn end_to_end(headers: &mut HeaderMap) {
    const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
    const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .flat_map(listed)
        .filter_map(|name| HeaderName::from_bytes(name).ok())
        .collect();
    let always = [
        CONNECTION,
        KEEP_ALIVE,
        PROXY_AUTHENTICATE,
        PROXY_AUTHORIZATION,
        PROXY_CONNECTION,
        TE,
        TRAILER,
        TRANSFER_ENCODING,
        UPGRADE,
    ];
    if headers.contains_key(TRANSFER_ENCODING) {
        // The chunks said where the end is, whatever stands here; hyper would believe it.
        headers.remove(CONTENT_LENGTH);
    }
    for name in named.iter().chain(&always) {
        headers.remove(name);
    }
}

/// The entries of a list in a header.
fn listed(value: &HeaderValue) -> impl Iterator<Item = &[u8]> {
    value.as_bytes().split(|byte| *byte == b',').map(<[u8]>::trim_ascii)
}
