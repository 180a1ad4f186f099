//! A program logs in by itself, with a secret or a key that it was given.

use rmcp::transport::auth::{ClientCredentialsConfig, OAuthClientConfig};
use serde_json::Value;
use url::{Url, form_urlencoded};

use super::{
    OAuthSpec, Proof,
    discovery::{Found, OFFLINE, discover},
    jwt::Key,
    listener,
    store::Kept,
};
use crate::authorize::LoginError;

/// What is done here, for errors.
const WHAT: &str = "give out a token";

/// Gets a token. Without scopes those are asked for that are configured, or that the server wants.
pub(super) async fn obtain(
    spec: &OAuthSpec,
    client: &str,
    proof: &Proof,
    scopes: Vec<String>,
    challenge: Option<&str>,
) -> Result<Kept, LoginError> {
    let mut found = discover(spec, challenge).await?;
    let mut scopes = match (scopes.is_empty(), spec.scopes.is_empty()) {
        (false, _) => scopes,
        (true, false) => spec.scopes.clone(),
        (true, true) => found.manager.select_initial_scopes(&[]).await,
    };
    // What can always be asked for again need not be renewed.
    scopes.retain(|scope| scope != OFFLINE);
    let resource = resource(&mut found, client).await?;
    match proof {
        Proof::Secret(secret) => {
            let config = ClientCredentialsConfig::ClientSecret {
                client_id: client.to_owned(),
                client_secret: secret.clone(),
                scopes,
                resource: Some(resource),
            };
            by_secret(spec, &mut found, &config).await
        }
        Proof::KeyFile(path) => {
            let key = Key::read(path)?;
            let form = Form { client, scopes: &scopes, resource: &resource };
            by_key(spec, &found, &key, &form).await
        }
    }
}

/// The name of the server as it gave it itself. rmcp knows it, and puts it into addresses.
async fn resource(found: &mut Found, client: &str) -> Result<String, LoginError> {
    found.configure(OAuthClientConfig::new(client, listener::ANY))?;
    let url = found.manager.get_authorization_url(&[]).await;
    let url = url.map_err(|error| found.explain(WHAT, error))?;
    let url = Url::parse(&url).ok();
    let resource =
        url.as_ref().and_then(|url| url.query_pairs().find(|(name, _)| name == "resource"));
    let why = || LoginError::Discovery("the server has no name".to_owned());
    Ok(resource.ok_or_else(why)?.1.into_owned())
}

async fn by_secret(
    spec: &OAuthSpec,
    found: &mut Found,
    config: &ClientCredentialsConfig,
) -> Result<Kept, LoginError> {
    let checked = found.manager.validate_client_credentials_metadata(config);
    checked.map_err(|_| unsupported("a secret"))?;
    let configured = found.manager.configure_client_credentials(config);
    configured.map_err(|error| found.explain(WHAT, error))?;
    if let Err(error) = found.manager.exchange_client_credentials(config).await {
        return Err(found.explain(WHAT, error));
    }
    found.taken(spec, None).await
}

/// What is asked for by a program with a key.
struct Form<'a> {
    client: &'a str,
    scopes: &'a [String],
    resource: &'a str,
}

impl Form<'_> {
    fn encoded(&self, assertion: &str) -> String {
        let mut body = form_urlencoded::Serializer::new(String::new());
        body.append_pair("grant_type", "client_credentials");
        body.append_pair(
            "client_assertion_type",
            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        );
        body.append_pair("client_assertion", assertion).append_pair("resource", self.resource);
        if !self.scopes.is_empty() {
            body.append_pair("scope", &self.scopes.join(" "));
        }
        body.finish()
    }
}

/// rmcp could do this as well, with a second library for cryptography that takes minutes to build.
async fn by_key(
    spec: &OAuthSpec,
    found: &Found,
    key: &Key,
    form: &Form<'_>,
) -> Result<Kept, LoginError> {
    let methods = "token_endpoint_auth_methods_supported";
    let algorithms = "token_endpoint_auth_signing_alg_values_supported";
    if found.offers(methods, "private_key_jwt") == Some(false)
        || found.offers(algorithms, key.algorithm()) == Some(false)
    {
        return Err(unsupported("a key of this kind"));
    }
    let assertion = key.assertion(form.client, &found.issuer, super::store::now())?;
    let request = http::Request::post(&found.metadata.token_endpoint)
        .header("content-type", "application/x-www-form-urlencoded")
        .header("accept", "application/json")
        .body(form.encoded(&assertion).into_bytes());
    let failed = || LoginError::Server { what: WHAT, why: found.web.trouble() };
    let answer = found.web.fetch(request.map_err(|_| failed())?).await.map_err(|_| failed())?;
    if !answer.status().is_success() {
        return Err(failed());
    }
    let token: Value = serde_json::from_slice(answer.body()).map_err(|_| failed())?;
    let granted = token["scope"].as_str().map(|scope| scope.split_whitespace().map(str::to_owned));
    let granted = granted.map_or_else(|| form.scopes.to_vec(), Iterator::collect);
    found.kept_of(spec, form.client.to_owned(), &token, None, granted)
}

fn unsupported(proof: &str) -> LoginError {
    LoginError::Discovery(format!("the authorization server does not take {proof} as a proof"))
}
