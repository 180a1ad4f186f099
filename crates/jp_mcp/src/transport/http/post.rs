//! One message to a server, and the kind of answer it gives.

use std::{io, sync::Arc};

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use reqwest::{
    RequestBuilder, Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
};
use rmcp::{
    model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage},
    transport::streamable_http_client::{
        AuthRequiredError, HttpStatusError, StreamableHttpError, StreamableHttpPostResponse,
    },
};
use sse_stream::SseStream;

use super::Answer;
use crate::{
    authorize::Challenge,
    limits::MAX_MESSAGE,
    shared::{Fault, Shared},
};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";

/// So much of the body of an error is shown.
const SHOWN: usize = 1024;

/// The longest `WWW-Authenticate` that is read, in bytes.
const MAX_CHALLENGE: usize = 16 * 1024;

/// Sends a message, to where the request says. If the answer is too large, that is noted for whoever waits.
pub(super) async fn post(
    mut request: RequestBuilder,
    message: &ClientJsonRpcMessage,
    session: Option<&str>,
    shared: &Arc<Shared>,
) -> Answer<Posted> {
    if let Some(session) = session {
        request = request.header(SESSION, session);
    }
    let response = send(request, message).await?;
    if matches!(response.status(), StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
        return Ok(Posted::Answered(Box::new(StreamableHttpPostResponse::Accepted)));
    }
    if response.status() == StatusCode::NOT_FOUND && session.is_some() {
        return Err(StreamableHttpError::SessionExpired);
    }
    if let Some(challenge) = Challenge::of(response.status(), challenges(&response)) {
        return Ok(Posted::Challenged(challenge));
    }
    let meter = Meter { shared: shared.clone(), of: awaited(message).cloned(), event: 0, line: 0 };
    let answer = if response.status().is_success() {
        answered(response, meter).await
    } else {
        refused(response, meter).await
    };
    answer.map(|answer| Posted::Answered(Box::new(answer)))
}

/// What became of a message.
pub(super) enum Posted {
    Answered(Box<StreamableHttpPostResponse>),
    /// The server wants to know who we are, or wants more; it has not acted on the message.
    Challenged(Challenge),
}

/// All that it says about that.
fn challenges(response: &Response) -> Option<String> {
    let values = response.headers().get_all(WWW_AUTHENTICATE);
    let values: Vec<&str> = values.iter().filter_map(|value| value.to_str().ok()).collect();
    let all = values.join(", ");
    (!all.is_empty() && all.len() <= MAX_CHALLENGE).then_some(all)
}

async fn send(request: RequestBuilder, message: &ClientJsonRpcMessage) -> Answer<Response> {
    let body = serde_json::to_vec(message)?;
    let request = request.header(ACCEPT, format!("{JSON}, {EVENTS}")).header(CONTENT_TYPE, JSON);
    let sent = request.body(body).send().await;
    // The address may hold a secret.
    sent.map_err(|error| StreamableHttpError::Client(error.without_url()))
}

async fn answered(mut response: Response, meter: Meter) -> Answer<StreamableHttpPostResponse> {
    let session = header(&response, SESSION);
    if is(&response, EVENTS) {
        let events = SseStream::from_bytes_stream(chunks(response, meter).boxed()).boxed();
        return Ok(StreamableHttpPostResponse::Sse(events, session));
    }
    let is_request = meter.of.is_some();
    if !is(&response, JSON) {
        if !is_request {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        return Err(StreamableHttpError::UnexpectedContentType(header(&response, "content-type")));
    }
    let body = read(&mut response, meter).await?;
    match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
        Ok(answer) => Ok(StreamableHttpPostResponse::Json(answer, session)),
        // Nobody waits for an answer to a notification.
        Err(_) if !is_request => Ok(StreamableHttpPostResponse::Accepted),
        Err(error) => Err(StreamableHttpError::Deserialize(error)),
    }
}

/// An error of HTTP; or one of JSON-RPC, which says more.
async fn refused(mut response: Response, meter: Meter) -> Answer<StreamableHttpPostResponse> {
    let status = response.status();
    if let Some(challenge) = header(&response, WWW_AUTHENTICATE.as_str()) {
        return Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)));
    }
    let retry_after = header(&response, RETRY_AFTER.as_str()).filter(|value| value.len() < 64);
    let is_login = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let is_json = is(&response, JSON);
    let id = meter.of.clone();
    let body = read(&mut response, meter).await.unwrap_or_default();
    if !is_login
        && is_json
        && let Ok(ServerJsonRpcMessage::Error(mut error)) = serde_json::from_slice(&body)
    {
        // Who refuses before reading does not know the id.
        error.id = id;
        return Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), None));
    }
    if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
        return Err(HttpStatusError::new(status.as_u16(), retry_after).into());
    }
    let body = String::from_utf8_lossy(&body[..body.len().min(SHOWN)]).into_owned();
    Err(StreamableHttpError::UnexpectedServerResponse(format!("HTTP {status}: {body}").into()))
}

/// The body, if it is not too large.
async fn read(response: &mut Response, meter: Meter) -> Answer<Vec<u8>> {
    if response.content_length().is_some_and(|length| length > MAX_MESSAGE as u64) {
        return Err(meter.too_large().into());
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(StreamableHttpError::Client)? {
        if body.len() + chunk.len() > MAX_MESSAGE {
            return Err(meter.too_large().into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The body of a stream of events, piece by piece, until an event is too large.
fn chunks(response: Response, meter: Meter) -> impl Stream<Item = io::Result<Bytes>> + Send {
    stream::try_unfold((response, meter), async |(mut response, mut meter)| {
        let chunk = response.chunk().await.map_err(io::Error::other)?;
        let Some(chunk) = chunk else { return Ok(None) };
        meter.count(&chunk)?;
        Ok(Some((chunk, (response, meter))))
    })
}

/// Counts the bytes of an event. Events end with an empty line.
#[derive(Debug)]
struct Meter {
    shared: Arc<Shared>,
    /// The request that the body answers.
    of: Option<RequestId>,
    event: usize,
    line: usize,
}

impl Meter {
    fn count(&mut self, chunk: &[u8]) -> io::Result<()> {
        for byte in chunk {
            self.event += 1;
            match byte {
                b'\n' if self.line == 0 => self.event = 0,
                b'\n' => self.line = 0,
                b'\r' => {}
                _ => self.line += 1,
            }
        }
        if self.event > MAX_MESSAGE { Err(self.too_large()) } else { Ok(()) }
    }

    fn too_large(&self) -> io::Error {
        if let Some(id) = &self.of {
            self.shared.blame(id.clone(), Fault::TooLarge);
        }
        io::ErrorKind::FileTooLarge.into()
    }
}

pub(super) fn awaited(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request) => Some(&request.id),
        _ => None,
    }
}

fn is(response: &Response, kind: &str) -> bool {
    header(response, "content-type").is_some_and(|found| found.starts_with(kind))
}

fn header(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}
