//! How to log in to an MCP server on the network, out of what the configuration says.

use std::time::Duration;

use camino::Utf8PathBuf;
use jp_config::{
    LayerKind,
    providers::{McpAuthConfig, McpGrant, McpServerConfig},
};
use jp_mcp::oauth::{Grant, OAuthSpec, Proof};
use url::Url;

use super::{Resolver, server::setting};
use crate::tool::mcp::ServerError;

/// So long an authorization server may take to answer.
const ANSWER: Duration = Duration::from_secs(20);

/// So long a person may take to log in.
const LOGIN: Duration = Duration::from_mins(5);

impl Resolver {
    /// How to log in to a server; `None` where a header of the configuration says who we are.
    pub(super) fn login(
        &self,
        name: &str,
        server: &Url,
        config: &McpServerConfig,
    ) -> Result<Option<OAuthSpec>, ServerError> {
        if config.headers.keys().any(|name| name.eq_ignore_ascii_case("authorization")) {
            return Ok(None);
        }
        let layer = self.config.layer(&self.config.server_key(name, &["url"]));
        let is_foreign = matches!(layer, Some(LayerKind::Workspace | LayerKind::Directory));
        let auth = config.auth.clone().unwrap_or_default();
        Ok(Some(OAuthSpec {
            server: server.clone(),
            owner: if is_foreign { self.world.root.to_string() } else { String::new() },
            grant: self.grant(name, &auth)?,
            scopes: auth.scopes,
            store: self.servers.shared().world.logins.clone(),
            answer_within: ANSWER,
            login_within: LOGIN,
        }))
    }

    fn grant(&self, name: &str, auth: &McpAuthConfig) -> Result<Grant, ServerError> {
        let world = &self.servers.shared().world;
        let key = |key: &str| self.config.server_key(name, &["auth", key]);
        let secret = auth.client_secret_env.as_ref().map(|variable| {
            let key = key("client_secret_env");
            (world.fill)(&key, &format!("${{{variable}}}")).map_err(|reason| setting(key, reason))
        });
        let secret = secret.transpose()?;
        let metadata_url = auth.client_metadata_url.as_ref().and_then(|url| Url::parse(url).ok());
        let client = auth.client_id.clone();
        if auth.grant == McpGrant::AuthorizationCode {
            return Ok(Grant::Person { client: client.map(|id| (id, secret)), metadata_url });
        }
        let file = auth.private_key_file.as_ref().map(|path| match path.strip_prefix("~/") {
            Some(below) => world.home.clone().unwrap_or_default().join(below),
            None => Utf8PathBuf::from(&**path),
        });
        let proof = secret.map(Proof::Secret).or(file.map(Proof::KeyFile));
        match (client, proof) {
            (Some(client), Some(proof)) => Ok(Grant::Machine { client, proof }),
            // The configuration is not loaded without both.
            _ => Err(setting(key("grant"), "there is no client, or no proof of it".to_owned())),
        }
    }
}
