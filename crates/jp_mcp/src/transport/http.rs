//! Messages over HTTP.
//!
//! rmcp does the conversation: sessions, streams that are taken up again, headers of the newer era. Ours is
//! what lies below: whom TLS trusts, no redirects and no proxies that nobody asked for, and a largest size
//! for every answer, because a plain JSON body is read as a whole.

mod post;

use std::{collections::HashMap, sync::Arc, time::Duration};

use futures_util::stream::BoxStream;
use reqwest::{
    Client, ClientBuilder, RequestBuilder,
    header::{AUTHORIZATION, HeaderName, HeaderValue},
    redirect, retry,
};
use rmcp::{
    RoleClient,
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::{
        StreamableHttpClientTransport, Transport,
        streamable_http_client::{
            AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpClientTransportConfig,
            StreamableHttpError, StreamableHttpPostResponse,
        },
    },
};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use rustls_platform_verifier::Verifier;
use sse_stream::Sse;

use self::post::Posted;
use super::{Desk, answers};
use crate::{
    authorize::{Authorizer, Challenge, LoginError, Token},
    limits::{MAX_CHALLENGES, MAX_MESSAGE},
    server_spec::Http,
    shared::{Fault, Shared},
};

/// So long a connection may take to be there.
const CONNECT: Duration = Duration::from_secs(10);

/// What is ours to set, and the framing of HTTP itself.
const RESERVED: [&str; 7] = [
    "accept",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-session-id",
    "transfer-encoding",
];

type Answer<T> = Result<T, StreamableHttpError<reqwest::Error>>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// The connection to a server on the network.
pub(crate) struct OverHttp {
    inner: StreamableHttpClientTransport<Bounded>,
    desk: Desk,
}

impl OverHttp {
    /// Nothing is sent yet. Or what is wrong with the address or the headers.
    pub(crate) fn new(http: &Http, shared: Arc<Shared>) -> Result<Self, String> {
        let mut config = StreamableHttpClientTransportConfig::with_uri(http.url.as_str())
            .max_sse_event_size(MAX_MESSAGE);
        config.custom_headers = headers(&http.headers)?;
        let is_encrypted = http.url.scheme() != "http";
        let client = client_builder(is_encrypted)?.build();
        let client = client.map_err(|error| unusable(&error.without_url()))?;
        let authorizer = http.authorizer.clone();
        let client = Bounded { client, shared: shared.clone(), authorizer };
        let inner = StreamableHttpClientTransport::with_client(client, config);
        Ok(Self { inner, desk: Desk::new(shared) })
    }
}

impl Transport<RoleClient> for OverHttp {
    type Error = StreamableHttpError<reqwest::Error>;

    fn send(
        &mut self,
        mut message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Answer<()>> + Send + 'static {
        self.desk.outgoing(&mut message);
        let (answered, owed) = (answers(&message), self.desk.owed.clone());
        let sending = self.inner.send(message);
        async move {
            let sent = sending.await;
            answered.inspect(|id| owed.settle(id));
            sent
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let Some(message) = self.inner.receive().await else {
                self.desk.shared.closed.cancel();
                return None;
            };
            if let Some(message) = self.desk.incoming(message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Answer<()> {
        self.inner.close().await
    }
}

/// An HTTP client that reads no more than it should.
#[derive(Clone)]
struct Bounded {
    client: Client,
    shared: Arc<Shared>,
    authorizer: Option<Arc<dyn Authorizer>>,
}

impl Bounded {
    /// What to send so that the server lets us in. Without an authorizer nothing but what is configured.
    async fn token(&self) -> Result<Option<Token>, LoginError> {
        match &self.authorizer {
            Some(authorizer) => authorizer.token().await,
            None => Ok(None),
        }
    }

    /// The same as a word, where nobody waits for an answer: the next request says why there is none.
    async fn bearer(&self) -> Option<String> {
        self.token().await.ok().flatten()?.secret().map(str::to_owned)
    }

    /// Sends a message, and again with another token if the server wants one.
    async fn post(
        &self,
        request: impl Fn() -> RequestBuilder,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
    ) -> Answer<StreamableHttpPostResponse> {
        let mut token = self.token().await.map_err(|error| self.locked_out(message, error))?;
        let mut refused = 0;
        loop {
            let request = match &token {
                Some(token) => request().header(AUTHORIZATION, token.header().clone()),
                None => request(),
            };
            let challenge = match post::post(request, message, session, &self.shared).await? {
                Posted::Answered(answer) => return Ok(*answer),
                Posted::Challenged(challenge) => challenge,
            };
            refused += 1;
            let Some(authorizer) = &self.authorizer else { return Err(challenged(&challenge)) };
            if refused > MAX_CHALLENGES {
                return Err(self.locked_out(message, LoginError::Refused));
            }
            let renewed = authorizer.challenged(challenge, token).await;
            token = Some(renewed.map_err(|error| self.locked_out(message, error))?);
        }
    }

    /// Notes for whoever waits why the server did not let us in.
    fn locked_out(
        &self,
        message: &ClientJsonRpcMessage,
        error: LoginError,
    ) -> StreamableHttpError<reqwest::Error> {
        let text = error.to_string();
        if let Some(id) = post::awaited(message) {
            self.shared.blame(id.clone(), Fault::Login(Arc::new(error)));
        }
        StreamableHttpError::AuthRequired(AuthRequiredError::new(text))
    }
}

fn challenged(challenge: &Challenge) -> StreamableHttpError<reqwest::Error> {
    let header = challenge.header.clone().unwrap_or_default();
    StreamableHttpError::AuthRequired(AuthRequiredError::new(header))
}

impl StreamableHttpClient for Bounded {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
    ) -> Answer<StreamableHttpPostResponse> {
        let request = || {
            let request = self.client.post(&*uri);
            headers.iter().fold(request, |request, (name, value)| request.header(name, value))
        };
        self.post(request, &message, session.as_deref()).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: Headers,
    ) -> Answer<()> {
        let token = self.bearer().await;
        self.client.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _: Option<String>,
        headers: Headers,
    ) -> Answer<BoxStream<'static, Result<Sse, SseError>>> {
        let (token, size) = (self.bearer().await, MAX_MESSAGE);
        self.client
            .get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, size)
            .await
    }
}

fn headers(given: &[(String, String)]) -> Result<Headers, String> {
    let one = |(name, value): &(String, String)| {
        let wrong = |what: &str| format!("the header {name:?} {what}");
        let parsed: HeaderName = name.parse().map_err(|_| wrong("is no name of a header"))?;
        if RESERVED.contains(&parsed.as_str()) {
            return Err(wrong("cannot be set: it belongs to the protocol"));
        }
        // The value may be a secret, so it is not shown.
        let mut value: HeaderValue = value.parse().map_err(|_| wrong("has an invalid value"))?;
        value.set_sensitive(true);
        Ok((parsed, value))
    };
    given.iter().map(one).collect()
}

/// A client that trusts whom the machine trusts, and goes nowhere by itself.
pub(crate) fn client_builder(is_encrypted: bool) -> Result<ClientBuilder, String> {
    let tls = tls(is_encrypted).map_err(|error| unusable(&error))?;
    let builder = Client::builder().tls_backend_preconfigured(tls).no_proxy();
    let builder = builder.redirect(redirect::Policy::none()).retry(retry::never());
    Ok(builder.referer(false).connect_timeout(CONNECT))
}

fn unusable(error: &dyn std::fmt::Display) -> String {
    format!("cannot make an HTTP client: {error}")
}

/// Trusts whom the operating system trusts. Without encryption nobody: the client wants to know in any case,
/// and reading the certificates takes its time.
fn tls(is_encrypted: bool) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()?;
    if !is_encrypted {
        return Ok(versions.with_root_certificates(RootCertStore::empty()).with_no_client_auth());
    }
    let verifier = Verifier::new(provider)?;
    // The word is about verifiers that verify nothing; this one is the system's.
    let trusting = versions.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    Ok(trusting.with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_the_protocol_cannot_be_set() {
        let error =
            |name: &str, value: &str| headers(&[(name.to_owned(), value.to_owned())]).unwrap_err();
        assert!(error("Mcp-Session-Id", "a").contains("belongs to the protocol"));
        assert!(error("a b", "a").contains("no name of a header"));
        let secret = error("x-key", "secret\nother");
        assert!(secret.contains("invalid value") && !secret.contains("secret\n"), "{secret}");
        assert!(headers(&[("Authorization".to_owned(), "Bearer a".to_owned())]).is_ok());
    }
}
