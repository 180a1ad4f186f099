//! Connections over TLS: who is trusted, and what does not leave it.

use std::{path::PathBuf, sync::Arc};

use jp_fetch::{DeniedReason, FetchError, FetchSettings, Fetched, Fetcher, Request};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use tempfile::NamedTempFile;

use crate::support::*;

/// An authority of our own, and a server for `a.test` that it vouches for.
fn authority() -> (NamedTempFile, ServerConfig) {
    let mut params = CertificateParams::new([]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(["a.test".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority).unwrap();
    let file = NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file.as_file(), authority.pem().as_bytes()).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    (file, config)
}

fn trusting(ca_file: impl Into<PathBuf>) -> Fetcher {
    Fetcher::new(FetchSettings { ca_file: Some(ca_file.into()), ..settings() })
}

async fn fetch(fetcher: &Fetcher, server: &Server, url: &str) -> Result<Fetched, FetchError> {
    let request = Request::get(url, [("Authorization", "${TOKEN}")]).unwrap();
    run(fetcher, request, &allowing(&[server])).await
}

#[tokio::test]
async fn a_server_is_trusted_if_its_authority_is() {
    let (file, config) = authority();
    let server = Server::tls(config, fine);
    let url = format!("https://a.test:{}/", server.port());
    let response = answer(fetch(&trusting(file.path()), &server, &url).await.unwrap());
    assert_eq!(response.body, b"ok");

    let unknown = fetch(&fetcher(), &server, &url).await.unwrap_err().to_string();
    assert!(unknown.starts_with("a.test: "), "{unknown}");
    let other = format!("https://b.test:{}/", server.port());
    let wrong = fetch(&trusting(file.path()), &server, &other).await.unwrap_err().to_string();
    assert!(wrong.contains("certificate"), "{wrong}");
    let plain = format!("http://a.test:{}/", server.port());
    let plain = fetch(&trusting(file.path()), &server, &plain).await.unwrap_err();
    assert!(matches!(plain, FetchError::Failed { .. }), "{plain:?}");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn certificates_that_cannot_be_read_are_told_and_only_when_needed() {
    let server = Server::new(fine);
    let empty = NamedTempFile::new().unwrap();
    for (file, reason) in [
        (PathBuf::from("/nowhere/ca.pem"), "No such file"),
        (empty.path().to_owned(), "there are none in it"),
    ] {
        let fetcher = trusting(&file);
        answer(fetch(&fetcher, &server, &server.url("/")).await.unwrap());
        let url = format!("https://a.test:{}/", server.port());
        let text = fetch(&fetcher, &server, &url).await.unwrap_err().to_string();
        let expected = format!("a.test: cannot read certificates from {}", file.display());
        assert!(text.starts_with(&expected) && text.contains(reason), "{text}");
    }
}

#[tokio::test]
async fn secrets_do_not_leave_tls() {
    // D11-145
    let plain = Server::new(fine);
    let port = plain.port();
    let (file, config) = authority();
    let server =
        Server::tls(config, move |_, to| redirect(to, 302, &format!("http://a.test:{port}/plain")));
    let fetcher = trusting(file.path());
    let policy = allowing(&[&server, &plain]);
    let url = format!("https://a.test:{}/", server.port());
    let request = Request::get(&url, [("X-Key", "${TOKEN}")]).unwrap();
    let error = run(&fetcher, request, &policy).await.unwrap_err();
    let FetchError::Denied(denied) = error else { panic!("{error:?}") };
    assert_eq!(denied.reason, DeniedReason::Downgrade);
    assert_eq!(plain.connections(), 0);
    // Without secrets it is a hop like any other.
    let request = Request::get(&url, [("X-Key", "own")]).unwrap();
    answer(run(&fetcher, request, &policy).await.unwrap());
    assert_eq!(plain.asked()[0].header("x-key"), Some("own"));
}
