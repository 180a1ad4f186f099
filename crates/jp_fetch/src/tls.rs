//! Whom a connection trusts.
//!
//! The certificates of the operating system are read when they are first needed, because that takes
//! longer than many commands of jp altogether. If that fails it is tried again the next time.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, pem::PemObject},
};
use rustls_platform_verifier::Verifier;
use tokio::{sync::OnceCell, task};

/// Settings for TLS, made on first use.
#[derive(Debug)]
pub(crate) struct Tls {
    ca_file: Option<PathBuf>,
    trusting: OnceCell<ClientConfig>,
}

impl Tls {
    pub(crate) fn new(ca_file: Option<PathBuf>) -> Self {
        Self { ca_file, trusting: OnceCell::new() }
    }

    /// Settings that trust whom the system trusts, and the extra certificates. Or why there are none.
    pub(crate) async fn trusting(&self) -> Result<ClientConfig, String> {
        let load = || async {
            let ca_file = self.ca_file.clone();
            let loaded = task::spawn_blocking(move || trusting(ca_file.as_deref())).await;
            loaded.unwrap_or_else(|error| Err(error.to_string()))
        };
        self.trusting.get_or_try_init(load).await.cloned()
    }
}

/// Settings that trust nobody, for connections without TLS: the client wants some in any case.
pub(crate) fn distrusting() -> Result<ClientConfig, String> {
    let versions = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(versions.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

fn trusting(ca_file: Option<&Path>) -> Result<ClientConfig, String> {
    let extra = ca_file.map(certificates).transpose()?.unwrap_or_default();
    let unusable = |error: rustls::Error| format!("there are no certificates to trust: {error}");
    let verifier = Verifier::new_with_extra_roots(extra, provider()).map_err(unusable)?;
    let versions = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(unusable)?;
    // The word is about verifiers that verify nothing; this one is the system's.
    let trusting = versions.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    Ok(trusting.with_no_client_auth())
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let unusable = |error: &dyn std::fmt::Display| {
        format!("cannot read certificates from {}: {error}", file.display())
    };
    let all = CertificateDer::pem_file_iter(file).map_err(|error| unusable(&error))?;
    let all: Vec<_> = all.collect::<Result<_, _>>().map_err(|error| unusable(&error))?;
    if all.is_empty() {
        return Err(unusable(&"there are none in it"));
    }
    Ok(all)
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}
