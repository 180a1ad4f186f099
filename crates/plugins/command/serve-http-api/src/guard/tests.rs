//! Names, origins and tokens.

use axum::{body::Body, http::Request as Builder};

use super::*;

const TOKEN: &str = "0123456789abcdef";

fn rules(bound: &str, names: &[&str]) -> Rules {
    let names = names.iter().map(ToString::to_string).collect();
    Rules { bound: bound.parse().unwrap(), names, token: Sum::of(TOKEN) }
}

#[test]
fn a_server_is_called_by_its_own_name() {
    let check = |bound: &str, names: &[&str], host: &str, want: bool| {
        assert_eq!(rules(bound, names).is_ours(host), want, "{host} at {bound}");
    };
    for (host, want) in [
        ("127.0.0.1:3142", true),
        ("localhost:3142", true),
        ("LOCALHOST:3142", true),
        ("localhost", false),
        ("localhost:80", false),
        ("localhost.:3142", false),
        ("127.0.0.2:3142", false),
        ("[::1]:3142", false),
        ("evil.example:3142", false),
        ("127.0.0.1.evil.example:3142", false),
        ("user@127.0.0.1:3142", false),
        ("127.0.0.1:3142/path", false),
        ("127.0.0.1:3142, evil.example", false),
        ("", false),
    ] {
        check("127.0.0.1:3142", &[], host, want);
    }
    check("127.0.0.1:80", &[], "localhost", true);
    check("[::1]:3142", &[], "[::1]:3142", true);
    check("[::1]:3142", &[], "localhost:3142", true);
    // On all addresses any of them is right, and still no name that somebody else has chosen.
    check("0.0.0.0:3142", &[], "192.0.2.7:3142", true);
    check("0.0.0.0:3142", &[], "box.example:3142", false);
    check("0.0.0.0:3142", &["box.example"], "Box.example:443", true);
    check("192.0.2.7:3142", &[], "localhost:3142", false);
}

#[test]
fn what_is_refused_and_why() {
    let rules = rules("127.0.0.1:3142", &[]);
    let check = |headers: &[(&str, &str)], want: Option<u16>| {
        let builder =
            headers.iter().fold(Builder::builder(), |it, (name, value)| it.header(*name, *value));
        let request = builder.body(Body::empty()).unwrap();
        let status = rules.judge(&request).err().map(|it| it.into_response().status().as_u16());
        assert_eq!(status, want, "{headers:?}");
    };
    let host = ("host", "127.0.0.1:3142");
    let token = ("authorization", "Bearer 0123456789abcdef");
    check(&[host, token], None);
    check(&[host, ("authorization", "bearer 0123456789abcdef")], None);
    check(&[token], Some(421));
    check(&[host, host, token], Some(421));
    check(&[("host", "evil.example"), token], Some(421));
    check(&[host, token, ("origin", "http://localhost:3142")], None);
    for origin in ["null", "http://evil.example", "http://localhost:3000", "file://", ""] {
        check(&[host, token, ("origin", origin)], Some(403));
    }
    check(&[host], Some(401));
    check(&[host, token, token], Some(401));
    for value in ["Bearer", "Bearer 0123456789abcdeg", "Basic 0123456789abcdef", "Bearer "] {
        check(&[host, ("authorization", value)], Some(401));
    }
}

#[test]
fn a_url_in_the_first_line_counts() {
    let rules = rules("127.0.0.1:3142", &[]);
    let request = Builder::builder().uri("http://evil.example/v1").header("host", "127.0.0.1:3142");
    let request = request.header("authorization", format!("Bearer {TOKEN}"));
    assert!(rules.judge(&request.body(Body::empty()).unwrap()).is_err());
}
