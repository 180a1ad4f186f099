//! OAuth for servers on the network, as MCP wants it.
//!
//! rmcp knows the protocol: where metadata is found, PKCE, `iss`, `resource`, how tokens are asked for and
//! renewed. Ours is what surrounds it: whom we speak to and how much of an answer is read (`web`), that
//! nothing secret goes over an open line, where a login is kept (`store`), the place that the browser comes
//! back to (`listener`), and when which of these happens.
//!
//! Two things are kept apart. An [`OAuth`] as an [`Authorizer`] works without a person: it uses the token
//! there is, renews it, or says that somebody has to log in. [`OAuth::login`] is for when somebody has said
//! that they want to; only that shows an address to a [`Browser`].
//!
//! The danger is the server. It chooses which authorization server is asked, so it could choose one that
//! collects codes and secrets of others: what belongs to one authorization server is never shown to
//! another one, and a token is sent to the server that it was made for and to nobody else.

mod discovery;
mod jwt;
mod listener;
mod login;
mod machine;
mod reach;
mod store;
mod web;

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use camino::Utf8PathBuf;
use rmcp::transport::auth::{AuthError, OAuthClientConfig};
use serde_json::json;
use tokio::time::timeout;
use url::Url;

use self::{
    discovery::discover,
    store::{Kept, Store},
};
use crate::{
    BoxFuture,
    authorize::{Authorizer, Challenge, LoginError, Token},
};

/// So long everything may take that is done without a person: finding out where, asking, keeping.
const RENEWAL: Duration = Duration::from_secs(90);

/// How a server is logged in to.
#[derive(Clone)]
pub struct OAuthSpec {
    /// The server. A token is sent there and nowhere else.
    pub server: Url,
    /// Whoever configured the server, so that a workspace cannot use a login that was made for another one:
    /// empty for the user, else the root of the workspace.
    pub owner: String,
    /// Who logs in.
    pub grant: Grant,
    /// What to ask for. Empty: what the server says.
    pub scopes: Vec<String>,
    /// The directory where logins are kept; `None` to keep them for this run.
    pub store: Option<Utf8PathBuf>,
    /// How long an authorization server may take to answer.
    pub answer_within: Duration,
    /// How long a person may take to log in.
    pub login_within: Duration,
}

/// Who logs in.
#[derive(Clone)]
pub enum Grant {
    /// A person, in a browser.
    Person {
        /// What jp is known as to the authorization server: its id, and its secret if it has one.
        client: Option<(String, Option<String>)>,
        /// Where jp is described, for authorization servers that read that.
        metadata_url: Option<Url>,
    },
    /// The program itself.
    Machine {
        /// What it is known as.
        client: String,
        /// How it proves that.
        proof: Proof,
    },
}

/// How a program proves who it is.
#[derive(Clone)]
pub enum Proof {
    /// By a secret.
    Secret(String),
    /// By a signature with the key in this file: PKCS #8 or PKCS #1, as PEM.
    KeyFile(Utf8PathBuf),
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Person { .. } => "Person",
            Self::Machine { .. } => "Machine",
        })
    }
}

impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Secret(_) => f.write_str("Secret(…)"),
            Self::KeyFile(path) => f.debug_tuple("KeyFile").field(path).finish(),
        }
    }
}

impl fmt::Debug for OAuthSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may hold a key.
        let place = self.server.origin().ascii_serialization();
        let mut shown = f.debug_struct("OAuthSpec");
        shown.field("at", &place).field("grant", &self.grant).finish_non_exhaustive()
    }
}

/// Somebody who can show a page to a person.
pub trait Browser: Send + Sync {
    /// Shows an address, and opens it where that is possible. What it leads to may be hostile, but it is a
    /// web page.
    fn show<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, ()>;
}

/// What is known of a login without asking anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginState {
    /// There is none.
    None,
    /// There is one, and it is over or does not give enough rights.
    Stale,
    /// There is one.
    Present,
}

/// The login of one server. A clone is the same login.
#[derive(Debug, Clone)]
pub struct OAuth(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    spec: OAuthSpec,
    store: Store,
    /// Held while a login is made or renewed, so that this is done once.
    kept: tokio::sync::Mutex<Option<Kept>>,
    /// What the server said when it refused a request last.
    challenge: Mutex<Option<String>>,
}

impl OAuth {
    /// For this server. Nothing is read or sent yet.
    pub fn new(spec: OAuthSpec) -> Self {
        let store = Store::new(spec.store.as_ref(), &spec.owner, spec.server.as_str());
        let (kept, challenge) = Default::default();
        Self(Arc::new(Inner { spec, store, kept, challenge }))
    }

    /// What is known without asking anybody.
    pub async fn state(&self) -> Result<LoginState, LoginError> {
        let mut kept = self.0.kept.lock().await;
        self.0.look(&mut kept)?;
        Ok(match &*kept {
            None => LoginState::None,
            Some(kept) if !kept.wanted.is_empty() => LoginState::Stale,
            Some(kept) if kept.token().is_some() || kept.refresh_token.is_some() => {
                LoginState::Present
            }
            Some(_) => LoginState::Stale,
        })
    }

    /// Lets a person log in. What the server said when it last refused a request is taken into account.
    pub async fn login(&self, browser: &dyn Browser) -> Result<(), LoginError> {
        let inner = &self.0;
        let mut kept = inner.kept.lock().await;
        inner.look(&mut kept)?;
        let challenge = inner.last_challenge();
        let new = login::login(&inner.spec, kept.as_ref(), challenge.as_deref(), browser).await?;
        inner.store.write(&new)?;
        *kept = Some(new);
        Ok(())
    }

    /// Forgets the login; whether there was one. The authorization server is not told.
    pub async fn logout(&self) -> Result<bool, LoginError> {
        let mut kept = self.0.kept.lock().await;
        let _alone = self.0.store.lock().await?;
        let was_held = kept.take().is_some();
        Ok(self.0.store.remove()? || was_held)
    }
}

impl Authorizer for OAuth {
    fn token(&self) -> BoxFuture<'_, Result<Option<Token>, LoginError>> {
        Box::pin(async move {
            let mut kept = self.0.kept.lock().await;
            if kept.is_none() {
                *kept = self.0.store.read()?;
            }
            let Some(found) = &*kept else { return Ok(None) };
            if found.token().is_some() || found.refresh_token.is_none() {
                return Ok(found.token());
            }
            drop(kept);
            match self.renew(None, None).await {
                Ok(token) => Ok(Some(token)),
                // The server will say what it wants instead.
                Err(LoginError::Needed) => Ok(None),
                Err(error) => Err(error),
            }
        })
    }

    fn challenged(
        &self,
        challenge: Challenge,
        refused: Option<Token>,
    ) -> BoxFuture<'_, Result<Token, LoginError>> {
        Box::pin(async move {
            if !challenge.wants_token() {
                return Err(LoginError::OtherKind);
            }
            self.0.remember(challenge.header.clone());
            self.renew(Some(challenge), refused).await
        })
    }
}

impl OAuth {
    /// Renews the login, even if whoever wanted it does not wait for it any more: an authorization server
    /// that has given out a new token may not take the old one again.
    async fn renew(
        &self,
        challenge: Option<Challenge>,
        refused: Option<Token>,
    ) -> Result<Token, LoginError> {
        let inner = self.0.clone();
        let work = async move {
            let renewed = timeout(RENEWAL, inner.renew(challenge, refused)).await;
            let why = format!("no answer within {} s", RENEWAL.as_secs());
            renewed.unwrap_or(Err(LoginError::Server { what: "renew the login", why }))
        };
        let gone = |_| LoginError::Server { what: "renew the login", why: "it was ended".into() };
        tokio::spawn(work).await.map_err(gone)?
    }
}

impl Inner {
    async fn renew(
        &self,
        challenge: Option<Challenge>,
        refused: Option<Token>,
    ) -> Result<Token, LoginError> {
        let mut kept = self.kept.lock().await;
        let _alone = self.store.lock().await?;
        self.look(&mut kept)?;
        // Somebody else may have logged in or renewed it meanwhile.
        let there = kept.as_ref().and_then(Kept::token);
        if let Some(token) = there.filter(|token| Some(token) != refused.as_ref()) {
            return Ok(token);
        }
        let more = challenge.filter(|challenge| challenge.wants_more);
        let more = more.map(|challenge| challenge.scopes(&self.spec.server));
        if let Some(more) = &more {
            self.note_wanted(&mut kept, more)?;
        }
        let new = match &self.spec.grant {
            Grant::Machine { client, proof } => {
                let before = kept.as_ref().map(|kept| kept.scopes.clone()).unwrap_or_default();
                let scopes = more.map(|more| union(before, &more)).unwrap_or_default();
                let header = self.last_challenge();
                machine::obtain(&self.spec, client, proof, scopes, header.as_deref()).await?
            }
            Grant::Person { .. } => match more {
                Some(more) => return Err(LoginError::MoreRights(more)),
                None => self.refreshed(&mut kept).await?,
            },
        };
        self.store.write(&new)?;
        let token = new.token().or_else(|| new.any_token());
        *kept = Some(new);
        token.ok_or(LoginError::Needed)
    }

    /// A new token for a person who has logged in; without one, somebody has to log in again.
    async fn refreshed(&self, kept: &mut Option<Kept>) -> Result<Kept, LoginError> {
        let refreshed = match kept {
            Some(kept) if kept.refresh_token.is_some() => self.refresh(kept).await,
            _ => Err(LoginError::Needed),
        };
        if let (Err(LoginError::Needed), Some(kept)) = (&refreshed, kept) {
            // It is of no use any more, and what is not there cannot be stolen.
            (kept.access_token, kept.refresh_token) = (None, None);
            self.store.write(kept)?;
        }
        refreshed
    }

    /// A new token by the one that was given for that.
    async fn refresh(&self, kept: &Kept) -> Result<Kept, LoginError> {
        let secret = match &self.spec.grant {
            Grant::Person { client: Some((id, secret)), .. } if *id == kept.client => {
                secret.clone()
            }
            // Another client is configured now, and what one was given is not for the other one.
            Grant::Person { client: Some(_), .. } | Grant::Machine { .. } => {
                return Err(LoginError::Needed);
            }
            Grant::Person { client: None, .. } => kept.client_secret.clone(),
        };
        let mut found = discover(&self.spec, self.last_challenge().as_deref()).await?;
        if found.issuer != kept.issuer {
            // The server has moved to another authorization server, which is not shown anything of this.
            return Err(LoginError::Needed);
        }
        let mut config = OAuthClientConfig::new(kept.client.clone(), listener::ANY);
        config.client_secret = secret;
        found.configure(config)?;
        let old = json!({
            "access_token": kept.access_token.as_deref().unwrap_or("none"),
            "refresh_token": kept.refresh_token,
            "token_type": "bearer",
        });
        found.hold(kept, old).await?;
        match found.manager.refresh_token().await {
            Ok(_) => {}
            Err(AuthError::TokenRefreshRejected(_) | AuthError::AuthorizationRequired) => {
                return Err(LoginError::Needed);
            }
            Err(error) => return Err(found.explain("renew the login", error)),
        }
        let new = found.taken(&self.spec, kept.client_secret.clone()).await?;
        Ok(Kept { refresh_token: new.refresh_token.or(kept.refresh_token.clone()), ..new })
    }

    /// What the server wants beyond what it was granted. To ask again for what is granted already would go
    /// on for ever.
    fn note_wanted(&self, kept: &mut Option<Kept>, wanted: &[String]) -> Result<(), LoginError> {
        let Some(kept) = kept else { return Ok(()) };
        if wanted.iter().all(|scope| kept.scopes.contains(scope)) {
            return Err(LoginError::Refused);
        }
        kept.wanted = union(std::mem::take(&mut kept.wanted), wanted);
        self.store.write(kept)
    }

    /// Reads what another process may have written meanwhile.
    fn look(&self, kept: &mut Option<Kept>) -> Result<(), LoginError> {
        if self.spec.store.is_some() {
            *kept = self.store.read()?;
        }
        Ok(())
    }

    fn remember(&self, challenge: Option<String>) {
        *self.challenge.lock().unwrap_or_else(PoisonError::into_inner) = challenge;
    }

    fn last_challenge(&self) -> Option<String> {
        self.challenge.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// All of them, each once.
fn union(mut scopes: Vec<String>, more: &[String]) -> Vec<String> {
    for scope in more {
        if !scopes.contains(scope) {
            scopes.push(scope.clone());
        }
    }
    scopes
}
