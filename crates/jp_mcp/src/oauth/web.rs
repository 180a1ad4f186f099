//! Requests to authorization servers: how long they may take and how much of an answer is read.
//!
//! Nobody follows a redirect here. rmcp does it for metadata, within one origin, and each step comes by
//! again; a code, a secret or a registration goes to where it was sent, or nowhere.

use std::{
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use reqwest::{Client, Request};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRequest};
use serde_json::Value;
use thiserror::Error;
use tokio::time::timeout;

use super::reach::{OutOfReach, Reach};
use crate::{request::causes, transport::http_client};

/// The largest answer that is read, in bytes. Metadata has a few KiB.
pub(super) const MAX_ANSWER: usize = 256 * 1024;

/// The longest word for an error that is quoted.
const MAX_WORD: usize = 60;

/// Speaks with authorization servers.
pub(super) struct Web {
    reach: Reach,
    within: Duration,
    encrypted: OnceLock<Client>,
    plain: OnceLock<Client>,
    /// Why the last request did not lead to anything. Never what was sent, or what may be a token.
    trouble: Mutex<Option<String>>,
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub(super) enum WebError {
    #[error(transparent)]
    OutOfReach(#[from] OutOfReach),
    #[error("no answer within {} s", .0.as_secs_f64())]
    Silent(Duration),
    #[error("the answer is larger than {} KiB", MAX_ANSWER / 1024)]
    TooLarge,
    #[error("{0}")]
    Failed(String),
}

impl Web {
    pub(super) fn new(reach: Reach, within: Duration) -> Self {
        let (encrypted, plain, trouble) = Default::default();
        Self { reach, within, encrypted, plain, trouble }
    }

    pub(super) fn reach(&self) -> &Reach {
        &self.reach
    }

    /// Why the last request did not lead to anything, in words that can be shown.
    pub(super) fn trouble(&self) -> String {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone();
        trouble.unwrap_or_else(|| "its answer cannot be understood".to_owned())
    }

    /// One request, and its whole answer.
    pub(super) async fn fetch(
        &self,
        request: http::Request<Vec<u8>>,
    ) -> Result<http::Response<Vec<u8>>, WebError> {
        let fetched = timeout(self.within, self.exchange(request)).await;
        let fetched = fetched.unwrap_or(Err(WebError::Silent(self.within)));
        let trouble = match &fetched {
            Ok(answer) if answer.status().is_success() => None,
            Ok(answer) => Some(refusal(answer)),
            Err(error) => Some(error.to_string()),
        };
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
        fetched
    }

    async fn exchange(
        &self,
        request: http::Request<Vec<u8>>,
    ) -> Result<http::Response<Vec<u8>>, WebError> {
        let failed = |error: reqwest::Error| {
            // The address may hold a secret.
            let error = error.without_url();
            let story: Vec<String> = causes(&error).map(ToString::to_string).collect();
            WebError::Failed(story.join(": "))
        };
        let request = Request::try_from(request).map_err(failed)?;
        self.reach.check(request.url())?;
        let client = self.client(request.url().scheme() == "https")?;
        let mut response = client.execute(request).await.map_err(failed)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > MAX_ANSWER {
                return Err(WebError::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        let mut answer = http::Response::new(body);
        *answer.status_mut() = response.status();
        *answer.headers_mut() = std::mem::take(response.headers_mut());
        Ok(answer)
    }

    /// The client for encrypted connections reads whom the machine trusts, so it is made when it is needed.
    fn client(&self, is_encrypted: bool) -> Result<&Client, WebError> {
        let slot = if is_encrypted { &self.encrypted } else { &self.plain };
        if let Some(client) = slot.get() {
            return Ok(client);
        }
        let builder = http_client(is_encrypted).map_err(WebError::Failed)?;
        let client = builder.dns_resolver(Arc::new(self.reach.clone())).build();
        let client = client.map_err(|error| WebError::Failed(error.without_url().to_string()))?;
        Ok(slot.get_or_init(|| client))
    }
}

impl OAuthHttpClient for Web {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move { Ok(self.fetch(request.request).await?) })
    }
}

/// The status, and the word for the error where there is one. A description is free text: it could repeat
/// what was sent.
fn refusal(answer: &http::Response<Vec<u8>>) -> String {
    let status = format!("HTTP {}", answer.status().as_u16());
    let body: Option<Value> = serde_json::from_slice(answer.body()).ok();
    let word = body.as_ref().and_then(|body| body["error"].as_str()).filter(|word| {
        let is_plain = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        is_plain && word.len() <= MAX_WORD && !word.is_empty()
    });
    word.map_or_else(|| status.clone(), |word| format!("{status}, {word}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_a_word_and_nothing_that_was_sent() {
        let answer = |status: u16, body: &str| {
            let mut answer = http::Response::new(body.as_bytes().to_vec());
            *answer.status_mut() = status.try_into().unwrap();
            refusal(&answer)
        };
        let body = r#"{"error":"invalid_grant","error_description":"the secret is hunter2"}"#;
        assert_eq!(answer(400, body), "HTTP 400, invalid_grant");
        assert_eq!(answer(400, r#"{"error":"Secret-1"}"#), "HTTP 400");
        assert_eq!(answer(302, "<html>"), "HTTP 302");
    }
}
