//! Being let in by a server on the network: who is asked for a token, and what can be wrong with a login.
//!
//! The transport knows nothing of how tokens are made. It asks an [`Authorizer`] for one, and tells it when
//! the server did not take it. No person takes part in that: what cannot be done without one is an error
//! that says so, at once.

use std::{fmt, io, time::Duration};

use camino::Utf8PathBuf;
use reqwest::{StatusCode, header::HeaderValue};
use rmcp::transport::auth::WWWAuthenticateParams;
use thiserror::Error;
use url::Url;

use crate::BoxFuture;

/// Somebody who has, or can get, what a server wants to see.
pub trait Authorizer: fmt::Debug + Send + Sync {
    /// What to send with the next request to the server; `None` to send nothing.
    fn token(&self) -> BoxFuture<'_, Result<Option<Token>, LoginError>>;

    /// The server did not take `refused`. What to send instead, if that can be had without a person.
    fn challenged(
        &self,
        challenge: Challenge,
        refused: Option<Token>,
    ) -> BoxFuture<'_, Result<Token, LoginError>>;
}

/// What is sent to a server so that it lets us in. A secret: it is not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(HeaderValue);

impl Token {
    /// For what an authorization server gave out; `None` if that cannot be sent.
    pub fn new(secret: &str) -> Option<Self> {
        let is_token = !secret.is_empty() && secret.bytes().all(|byte| byte.is_ascii_graphic());
        let mut value = HeaderValue::from_str(&format!("Bearer {secret}")).ok()?;
        value.set_sensitive(true);
        is_token.then_some(Self(value))
    }

    /// The value of the header `Authorization`.
    pub(crate) fn header(&self) -> &HeaderValue {
        &self.0
    }

    /// Without the word before it.
    pub(crate) fn secret(&self) -> Option<&str> {
        self.0.to_str().ok()?.strip_prefix("Bearer ")
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// How a server refused a request.
#[derive(Debug, Clone)]
pub struct Challenge {
    /// Whether it knows who we are, and wants more rights.
    pub wants_more: bool,
    /// What it said in `WWW-Authenticate`.
    pub header: Option<String>,
}

impl Challenge {
    /// The challenge in an answer with this status; `None` if it is none.
    pub(crate) fn of(status: StatusCode, header: Option<String>) -> Option<Self> {
        let challenge = Self { wants_more: status == StatusCode::FORBIDDEN, header };
        match status {
            StatusCode::UNAUTHORIZED => Some(challenge),
            StatusCode::FORBIDDEN if challenge.says("insufficient_scope") => Some(challenge),
            _ => None,
        }
    }

    /// Whether a token could be the answer. Who says nothing about it is taken to want one.
    pub(crate) fn wants_token(&self) -> bool {
        self.header.as_deref().is_none_or(|header| header.to_ascii_lowercase().contains("bearer"))
    }

    /// The scopes that it names.
    pub(crate) fn scopes(&self, server: &Url) -> Vec<String> {
        let parsed =
            self.header.as_deref().map(|header| WWWAuthenticateParams::parse(header, server));
        let scope = parsed.and_then(|parsed| parsed.scope).unwrap_or_default();
        scope.split_ascii_whitespace().map(str::to_owned).collect()
    }

    fn says(&self, error: &str) -> bool {
        // The address of the server is only needed for what is not looked at here.
        let anywhere = Url::parse("http://localhost");
        let parsed = self.header.as_deref().zip(anywhere.ok());
        parsed.is_some_and(|(header, url)| {
            WWWAuthenticateParams::parse(header, &url).error.as_deref() == Some(error)
        })
    }
}

/// Why a server does not let us in. Nothing in it is secret.
#[derive(Debug, Error)]
pub enum LoginError {
    /// It wants to know who the user is.
    #[error("it wants to know who you are")]
    Needed,
    /// It wants more than the user has agreed to.
    #[error("it wants rights that the login did not give: {}", .0.join(" "))]
    MoreRights(Vec<String>),
    /// It does not take a token that was just made for it.
    #[error("it refuses the token that its authorization server gave out")]
    Refused,
    /// It wants something else than a token.
    #[error("it wants a kind of login that is not supported; give it a header `Authorization`")]
    OtherKind,
    /// It does not say where to log in, or what it says cannot be used.
    #[error("where to log in cannot be found: {0}")]
    Discovery(String),
    /// A secret would be sent in the clear.
    #[error("{0} is not encrypted; a login needs `https`")]
    NotEncrypted(String),
    /// Somebody else answered than who was asked.
    #[error("the authorization server {expected} was asked, and the answer is {received}")]
    Issuer {
        /// Who was asked.
        expected: String,
        /// Whose answer it is.
        received: String,
    },
    /// The authorization server did not do what it was asked.
    #[error("the authorization server did not {what}: {why}")]
    Server {
        /// What it was asked for.
        what: &'static str,
        /// What it said.
        why: String,
    },
    /// The person, or the authorization server, said no.
    #[error("the login was refused: {0}")]
    Denied(String),
    /// Nobody came back from the browser in time.
    #[error("nobody logged in within {} s{}", within.as_secs(), strange(*strangers))]
    TimedOut {
        /// How long was waited.
        within: Duration,
        /// How many requests did not belong to this login.
        strangers: usize,
    },
    /// The place where the browser comes back to could not be made.
    #[error("cannot listen on this machine for the end of the login: {0}")]
    Listen(#[source] io::Error),
    /// What is kept of logins cannot be read or written.
    #[error("{path}: {source}")]
    Store {
        /// The file.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The key of a client cannot be used.
    #[error("the key {path}: {why}")]
    Key {
        /// The file.
        path: Utf8PathBuf,
        /// Why not.
        why: String,
    },
    /// It was asked for without a person, and only a person can log in.
    #[error("it does not want a login by a person: `grant` is `client_credentials`")]
    NoPerson,
}

fn strange(strangers: usize) -> String {
    match strangers {
        0 => String::new(),
        _ => format!("; {strangers} answers came that did not belong to this login"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_word_and_is_not_printed() {
        let token = Token::new("abc.DEF-1").unwrap();
        assert_eq!(token.header(), "Bearer abc.DEF-1");
        assert_eq!(token.secret(), Some("abc.DEF-1"));
        assert!(!format!("{token:?} {:?}", token.header()).contains("abc"));
        for wrong in ["", "a b", "a\r\nx: y", "ä"] {
            assert!(Token::new(wrong).is_none(), "{wrong:?}");
        }
    }

    #[test]
    fn what_is_a_challenge() {
        let more = r#"Bearer error="insufficient_scope", scope="a b""#;
        let of = |status, header: &str| Challenge::of(status, Some(header.to_owned()));
        assert!(Challenge::of(StatusCode::UNAUTHORIZED, None).is_some_and(|it| !it.wants_more));
        assert!(of(StatusCode::FORBIDDEN, more).is_some_and(|it| it.wants_more));
        assert!(of(StatusCode::FORBIDDEN, r#"Bearer error="invalid_token""#).is_none());
        assert!(of(StatusCode::FORBIDDEN, "garbage \" = ,").is_none());
        assert!(Challenge::of(StatusCode::BAD_REQUEST, None).is_none());
        let url = Url::parse("https://x.org").unwrap();
        assert_eq!(of(StatusCode::FORBIDDEN, more).unwrap().scopes(&url), ["a", "b"]);
        assert!(!of(StatusCode::UNAUTHORIZED, "Basic realm=x").unwrap().wants_token());
    }
}
