//! A program that people use, with the variables that a confined tool gets.

#![expect(clippy::disallowed_methods, reason = "the test starts a real program")]

use std::process::Command;

use jp_proxy::ProxyHandle;

use crate::support::*;

/// The status and the body that curl sees; `None` if there is no curl here.
fn curl(proxy: &ProxyHandle, arguments: &[&str]) -> Option<(String, String)> {
    let address = format!("http://{}", proxy.address());
    let output = Command::new("curl")
        .env_clear()
        .envs([("http_proxy", &address), ("HTTPS_PROXY", &address)])
        .args(["-sS", "--max-time", "10", "--write-out", "\n%{http_code} %{http_connect}"])
        .args(arguments)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).unwrap();
    let (body, status) = text.rsplit_once('\n').unwrap();
    Some((status.to_owned(), body.to_owned()))
}

#[test]
fn curl_understands_the_proxy() {
    let origin = Origin::new();
    let proxy = proxy(vec![allow("127.0.0.1", origin.port())]);
    let url = origin.url("/x");
    let big = "z".repeat(100_000);
    for (arguments, status, body) in [
        (&["--data", "hello", &url][..], "200 000", "hello"),
        (&["--http1.0", "--data", "hello", &url], "200 000", "hello"),
        (&["--http2", "--data", "hello", &url], "200 000", "hello"),
        (&["--proxytunnel", "--data", "hello", &url], "200 200", "hello"),
        (&["--data", &big, &url], "200 000", &big),
        (&["--head", &url], "200 000", ""),
    ] {
        let Some(found) = curl(&proxy, arguments) else { return };
        assert_eq!(found.0, status, "{:?}", &arguments[..1]);
        assert!(body.is_empty() || found.1 == body, "{:?}", &arguments[..1]);
    }
    let Some((status, body)) = curl(&proxy, &["http://b.test/"]) else { return };
    assert_eq!(status, "403 000");
    assert!(body.contains("host = \"b.test\""), "{body}");
    let Some((status, _)) = curl(&proxy, &["https://b.test/"]) else { return };
    assert_eq!(status, "000 403");
    // Follows a redirect to a place that is not allowed.
    let Some((status, _)) = curl(&proxy, &["--location", &origin.url("/redirect")]) else { return };
    assert_eq!(status, "403 000");
}
