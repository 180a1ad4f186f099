//! How connections are encrypted: by rustls with the cryptography of ring, against the certificates that
//! the system trusts. No provider is set for the process, because that is the program's to do.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;

/// A configuration that trusts whom the system trusts.
pub(crate) fn client_config() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions()?.with_platform_verifier()?;
    Ok(builder.with_no_client_auth())
}
