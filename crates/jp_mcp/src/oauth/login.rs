//! A person logs in, in a browser.

use rmcp::transport::auth::OAuthClientConfig;
use url::Url;

use super::{
    Browser, Grant, OAuthSpec,
    discovery::{Found, OFFLINE, discover, unreachable},
    listener::{Callback, Listener},
    store::Kept,
    union,
};
use crate::{authorize::LoginError, words::plain};

/// What jp calls itself where it registers.
const NAME: &str = "jp";

/// The only way of proving that the code comes back to whoever asked for it that is accepted.
const S256: &str = "S256";

/// Logs in anew, whatever there was; what there was says which rights are asked for beside others.
pub(super) async fn login(
    spec: &OAuthSpec,
    before: Option<&Kept>,
    challenge: Option<&str>,
    browser: &dyn Browser,
) -> Result<Kept, LoginError> {
    let Grant::Person { client, metadata_url } = &spec.grant else {
        return Err(LoginError::NoPerson);
    };
    let mut found = discover(spec, challenge).await?;
    check_pkce(&found)?;
    let listener = Listener::bind().await?;
    let scopes = scopes(spec, before, &found).await;
    let redirect = listener.address();
    let known = client.as_ref().map(|(id, secret)| (id.as_str(), secret.clone()));
    let described = metadata_url.as_ref().filter(|_| reads_descriptions(&found));
    let (config, registered) = match (known, described) {
        (Some((id, secret)), _) => (client_config(id, secret, &redirect), None),
        (None, Some(url)) => (client_config(url.as_str(), None, &redirect), None),
        (None, None) => {
            let config = register(&mut found, &redirect, &scopes).await?;
            let secret = config.client_secret.clone();
            (config, secret)
        }
    };
    found.configure(config)?;
    let callback = ask(spec, &found, listener, &scopes, browser).await?;
    exchange(spec, &found, callback, registered).await
}

/// A code that is not bound to whoever asked for it can be used by whoever sees it.
fn check_pkce(found: &Found) -> Result<(), LoginError> {
    let methods = found.metadata.code_challenge_methods_supported.as_deref().unwrap_or_default();
    if methods.iter().any(|method| method == S256) {
        return Ok(());
    }
    let why = "the authorization server does not say that it supports PKCE with S256";
    Err(LoginError::Discovery(why.to_owned()))
}

/// What is asked for: what is configured, else what the server wants. After it wanted more than it was
/// granted, what it was granted and what it wanted.
async fn scopes(spec: &OAuthSpec, before: Option<&Kept>, found: &Found) -> Vec<String> {
    let mut scopes = match before {
        Some(before) if !before.wanted.is_empty() => union(before.scopes.clone(), &before.wanted),
        _ if !spec.scopes.is_empty() => spec.scopes.clone(),
        _ => found.manager.select_initial_scopes(&[]).await,
    };
    let offered = found.metadata.scopes_supported.as_deref().unwrap_or_default();
    if !scopes.is_empty() && offered.iter().any(|scope| scope == OFFLINE) {
        scopes = union(scopes, &[OFFLINE.to_owned()]);
    }
    scopes
}

fn reads_descriptions(found: &Found) -> bool {
    let said = found.metadata.additional_fields.get("client_id_metadata_document_supported");
    said.and_then(serde_json::Value::as_bool).unwrap_or(false)
}

fn client_config(id: &str, secret: Option<String>, redirect: &str) -> OAuthClientConfig {
    let mut config = OAuthClientConfig::new(id, redirect);
    config.client_secret = secret;
    config
}

/// Registers anew for every login: the place to come back to is another one each time.
async fn register(
    found: &mut Found,
    redirect: &str,
    scopes: &[String],
) -> Result<OAuthClientConfig, LoginError> {
    if found.metadata.registration_endpoint.is_none() {
        let why = "the authorization server does not register clients; set `auth.client_id` to an id \
                   that it gave you";
        return Err(LoginError::Discovery(why.to_owned()));
    }
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let registered = found.manager.register_client(NAME, redirect, &scopes).await;
    registered.map_err(|error| found.explain("register jp", error))
}

/// Sends the person to the authorization server, and waits until they come back.
async fn ask(
    spec: &OAuthSpec,
    found: &Found,
    listener: Listener,
    scopes: &[String],
    browser: &dyn Browser,
) -> Result<Callback, LoginError> {
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let url = found.manager.get_authorization_url(&scopes).await;
    let url = url.map_err(|error| found.explain("be asked", error))?;
    let wrong = |_| LoginError::Discovery("the authorization server has no address".to_owned());
    let url = Url::parse(&url).map_err(wrong)?;
    found.web.reach().check(&url).map_err(unreachable)?;
    let state = url.query_pairs().find(|(name, _)| name == "state");
    let state = state.map(|(_, state)| state.into_owned()).unwrap_or_default();
    let coming = listener.wait(&state, spec.login_within);
    let shown = async {
        browser.show(&url).await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        callback = coming => callback,
        () = shown => Err(LoginError::Needed),
    }
}

async fn exchange(
    spec: &OAuthSpec,
    found: &Found,
    callback: Callback,
    client_secret: Option<String>,
) -> Result<Kept, LoginError> {
    let Callback { state, code, issuer, error } = callback;
    if let Some(error) = error {
        return Err(LoginError::Denied(plain(&error)));
    }
    let Some(code) = code else {
        return Err(LoginError::Denied("no code came back".to_owned()));
    };
    let manager = &found.manager;
    let exchanged = manager.exchange_code_for_token_with_issuer(&code, &state, issuer.as_deref());
    if let Err(error) = exchanged.await {
        return Err(found.explain("take the code", error));
    }
    found.taken(spec, client_secret).await
}
