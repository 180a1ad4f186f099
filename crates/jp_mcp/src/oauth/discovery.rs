//! Where to log in: the server says which authorization server it trusts, and that one says where its parts
//! are. rmcp finds both; here they are judged before anything is sent to them.

use std::{sync::Arc, time::Duration};

use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, CredentialStore as _,
    InMemoryCredentialStore, OAuthClientConfig, OAuthTokenResponse, StoredCredentials,
};
use serde_json::Value;
use tokio::time::timeout;
use url::Url;

use super::{
    OAuthSpec,
    reach::{OutOfReach, Reach},
    store::{Kept, now},
    web::Web,
};
use crate::{
    authorize::{LoginError, Token},
    words::plain,
};

/// So long the whole search may take. Each request has its own limit, but a server can name many places.
const SEARCH: Duration = Duration::from_mins(1);

/// The longest token that is kept, in bytes.
const MAX_TOKEN: usize = 32 * 1024;

/// The scope that means a token for renewing.
pub(super) const OFFLINE: &str = "offline_access";

/// An authorization server.
pub(super) struct Found {
    pub(super) manager: AuthorizationManager,
    pub(super) metadata: AuthorizationMetadata,
    pub(super) issuer: String,
    /// Where rmcp puts the tokens.
    pub(super) memory: InMemoryCredentialStore,
    pub(super) web: Arc<Web>,
    /// The address of the server, which is not shown, and what is shown instead.
    hidden: (String, String),
}

/// Finds the authorization server of a server. `challenge` is what the server said in `WWW-Authenticate`.
pub(super) async fn discover(
    spec: &OAuthSpec,
    challenge: Option<&str>,
) -> Result<Found, LoginError> {
    let reach = Reach::of(&spec.server).await;
    reach.check(&spec.server).map_err(unreachable)?;
    let web = Arc::new(Web::new(reach, spec.answer_within));
    let hidden = (spec.server.to_string(), spec.server.origin().ascii_serialization());
    let manager =
        AuthorizationManager::new_with_oauth_http_client(spec.server.clone(), web.clone());
    let manager = manager.await.map_err(|error| explained(&web, &hidden, "be found", error))?;
    let search = timeout(SEARCH, manager.resolve_metadata_from_challenge(challenge)).await;
    let slow = |_| LoginError::Discovery(format!("no answer within {} s", SEARCH.as_secs()));
    let resolved = search.map_err(slow)?;
    let resolved = resolved.map_err(|error| explained(&web, &hidden, "be found", error))?;
    if !resolved.source.is_discovered() {
        let why = "the server does not name an authorization server";
        return Err(LoginError::Discovery(why.to_owned()));
    }
    let metadata = resolved.metadata;
    let issuer = check(&metadata, web.reach())?;
    let memory = InMemoryCredentialStore::new();
    let mut found = Found { manager, metadata, issuer, memory, web, hidden };
    found.manager.set_metadata(found.metadata.clone());
    found.manager.set_credential_store(found.memory.clone());
    Ok(found)
}

impl Found {
    /// Speaks as this client from now on.
    pub(super) fn configure(&mut self, config: OAuthClientConfig) -> Result<(), LoginError> {
        let configured = self.manager.configure_client(config);
        configured.map_err(|error| self.explain("be asked", error))
    }

    /// Gives rmcp a login that there was.
    pub(super) async fn hold(&self, kept: &Kept, token: Value) -> Result<(), LoginError> {
        let unusable = || LoginError::Needed;
        let token: OAuthTokenResponse = serde_json::from_value(token).map_err(|_| unusable())?;
        let (client, scopes) = (kept.client.clone(), kept.scopes.clone());
        let stored = StoredCredentials::new(client, Some(token), scopes, Some(kept.received));
        let held = self.memory.save(stored.with_issuer(Some(kept.issuer.clone()))).await;
        held.map_err(|_| unusable())
    }

    /// What is kept of the token that rmcp was given last.
    pub(super) async fn taken(
        &self,
        spec: &OAuthSpec,
        client_secret: Option<String>,
    ) -> Result<Kept, LoginError> {
        let stored = self.memory.load().await.ok().flatten();
        let nothing =
            || LoginError::Server { what: "give out a token", why: "nothing came".to_owned() };
        let stored = stored.ok_or_else(nothing)?;
        let token = serde_json::to_value(&stored.token_response).unwrap_or_default();
        self.kept_of(spec, stored.client_id, &token, client_secret, stored.granted_scopes)
    }

    /// The same, of the answer itself.
    pub(super) fn kept_of(
        &self,
        spec: &OAuthSpec,
        client: String,
        token: &Value,
        client_secret: Option<String>,
        scopes: Vec<String>,
    ) -> Result<Kept, LoginError> {
        let text = |name: &str| token[name].as_str().map(str::to_owned);
        let is_bearer = text("token_type").is_some_and(|kind| kind.eq_ignore_ascii_case("bearer"));
        let (access_token, refresh_token) = (text("access_token"), text("refresh_token"));
        let is_usable = access_token.as_deref().is_some_and(|token| Token::new(token).is_some());
        let length = [&access_token, &refresh_token].map(|it| it.as_ref().map_or(0, String::len));
        if !is_bearer || !is_usable || length.iter().any(|length| *length > MAX_TOKEN) {
            let why = "what it gave out is not a token that can be sent".to_owned();
            return Err(LoginError::Server { what: "give out a token", why });
        }
        Ok(Kept {
            server: self.hidden.1.clone(),
            issuer: self.issuer.clone(),
            client,
            client_secret,
            access_token,
            refresh_token,
            scopes: if scopes.is_empty() { spec.scopes.clone() } else { scopes },
            wanted: Vec::new(),
            received: now(),
            lasts: token["expires_in"].as_u64(),
        })
    }

    /// Whether a list of its metadata has this word; `None` if it has no such list.
    pub(super) fn offers(&self, list: &str, word: &str) -> Option<bool> {
        let list = self.metadata.additional_fields.get(list)?.as_array()?;
        Some(list.iter().any(|it| it.as_str() == Some(word)))
    }

    /// What happened, in words that can be shown.
    pub(super) fn explain(&self, what: &'static str, error: AuthError) -> LoginError {
        explained(&self.web, &self.hidden, what, error)
    }
}

/// Whether all parts of an authorization server can be used; and who it is.
fn check(metadata: &AuthorizationMetadata, reach: &Reach) -> Result<String, LoginError> {
    let endpoints = [&metadata.authorization_endpoint, &metadata.token_endpoint];
    for endpoint in endpoints.into_iter().chain(&metadata.registration_endpoint) {
        let wrong = |_| LoginError::Discovery(format!("{} is no address", plain(endpoint)));
        let endpoint = Url::parse(endpoint).map_err(wrong)?;
        reach.check(&endpoint).map_err(unreachable)?;
    }
    let issuer = metadata.issuer.clone().unwrap_or_default();
    let nobody =
        |_| LoginError::Discovery("the authorization server does not say who it is".to_owned());
    reach.check(&Url::parse(&issuer).map_err(nobody)?).map_err(unreachable)?;
    Ok(issuer)
}

pub(super) fn unreachable(error: OutOfReach) -> LoginError {
    match error {
        OutOfReach::NotEncrypted(place) => LoginError::NotEncrypted(place),
        inside @ OutOfReach::Inside(_) => LoginError::Discovery(inside.to_string()),
    }
}

/// What rmcp says may quote an answer, and an answer may hold a token or repeat what was sent. So only what
/// is known to be neither is shown.
fn explained(
    web: &Web,
    hidden: &(String, String),
    what: &'static str,
    error: AuthError,
) -> LoginError {
    match error {
        AuthError::AuthorizationServerMismatch { expected_issuer, received_issuer } => {
            let (expected, received) = (plain(&expected_issuer), plain(&received_issuer));
            LoginError::Issuer { expected, received: format!("of {received}") }
        }
        AuthError::AuthorizationServerMissingIssuer { expected_issuer } => LoginError::Issuer {
            expected: plain(&expected_issuer),
            received: "of somebody who does not say who it is".to_owned(),
        },
        AuthError::MetadataError(text) => {
            let line = text.replace(&hidden.0, &hidden.1).replace("\n  Caused by:", ":");
            LoginError::Discovery(plain(&line))
        }
        AuthError::PkceUnsupported => {
            LoginError::Discovery("the authorization server does not support PKCE".to_owned())
        }
        _ => LoginError::Server { what, why: web.trouble() },
    }
}
