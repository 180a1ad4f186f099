//! Names, origins and tokens.

use axum::{body::Body, http::Request as Builder};

use super::*;

const TOKEN: &str = "0123456789abcdef";

fn rules() -> Rules {
    let names = Names::new("127.0.0.1".parse().unwrap(), Vec::new());
    Rules { names, token: Token::given(TOKEN).unwrap() }
}

#[test]
fn what_is_refused_and_why() {
    let rules = rules();
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
    check(&[host, token, ("origin", "http://127.0.0.1:3142")], None);
    for origin in ["null", "http://evil.example", "http://127.0.0.1:3000", "file://", ""] {
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
    let rules = rules();
    let request = Builder::builder().uri("http://evil.example/v1").header("host", "127.0.0.1:3142");
    let request = request.header("authorization", format!("Bearer {TOKEN}"));
    assert!(rules.judge(&request.body(Body::empty()).unwrap()).is_err());
}
