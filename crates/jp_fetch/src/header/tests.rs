//! Which headers a tool may give, and which of them go on.

use super::*;

fn parse(headers: &[(&str, &str)]) -> Result<Given, InvalidRequest> {
    Given::parse(headers.iter().copied())
}

#[test]
fn what_frames_a_message_is_refused() {
    for name in [
        "Host",
        "content-length",
        "Transfer-Encoding",
        "CONNECTION",
        "Keep-Alive",
        "TE",
        "Trailer",
        "Upgrade",
        "Expect",
        "HTTP2-Settings",
        "Accept-Encoding",
        "Proxy-Authorization",
        "proxy-connection",
        "Proxy-Anything",
    ] {
        let error = parse(&[(name, "x")]).unwrap_err();
        assert!(matches!(error, InvalidRequest::HeaderRefused { .. }), "{name}: {error}");
        let text = error.to_string();
        assert!(text.starts_with(&format!("the header {name} cannot be given: ")), "{text}");
    }
    for name in ["Accept", "Hostess", "X-Proxy-Id", "Range", "User-Agent", "Cookie", "Team"] {
        assert!(parse(&[(name, "x")]).is_ok(), "{name}");
    }
}

#[test]
fn names_and_values_are_checked() {
    for name in ["", "a b", "a:", "a\r\nb", "ä", "(x)", "a\0"] {
        let error = parse(&[(name, "x")]).unwrap_err();
        assert!(matches!(error, InvalidRequest::HeaderName { .. }), "{name}: {error}");
    }
    for value in ["a\r\nX: y", "a\nb", "a\0", "\u{7f}", "${A}\r"] {
        let error = parse(&[("x", value)]).unwrap_err();
        assert_eq!(error, InvalidRequest::HeaderValue { name: "x".to_owned() }, "{value:?}");
    }
    for value in ["", "a\tb", "grüße", "$5"] {
        assert!(parse(&[("x", value)]).is_ok(), "{value:?}");
    }
    let error = parse(&[("x", "Bearer ${TOKEN")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the header x: `${` without `}`; write `$${` for the characters themselves"
    );
}

#[test]
fn number_and_size_have_a_limit() {
    let many = vec![("x", "y"); MOST];
    assert!(parse(&many).is_ok());
    let error = parse(&[many, vec![("x", "y")]].concat()).unwrap_err();
    assert_eq!(error.to_string(), "the headers are too large: at most 64 headers");
    let long = "v".repeat(SIZE - 1);
    assert!(parse(&[("x", &long)]).is_ok());
    let error = parse(&[("xx", &long)]).unwrap_err();
    assert_eq!(error.to_string(), "the headers are too large: at most 65536 bytes");
}

#[test]
fn a_value_that_no_header_can_hold_is_not_shown() {
    let given = parse(&[("x", "${BAD}")]).unwrap();
    for value in ["s3cret\r\nX: y".to_owned(), "s3cret".repeat(SIZE)] {
        let error = given.fill(|_| Lookup::Value(Secret::new(value.clone()))).unwrap_err();
        assert_eq!(error, VariableError::Unusable { header: "x".to_owned() });
        assert!(!error.to_string().contains("s3cret"));
    }
}

#[test]
fn private_lines_are_not_printed() {
    let given = parse(&[("x", "${A}"), ("authorization", "mine"), ("y", "z")]).unwrap();
    assert_eq!(given.variables(), ["A"]);
    let (mut filled, secrets) = given.fill(|_| Lookup::Value(Secret::new("s3cret"))).unwrap();
    assert_eq!(secrets.len(), 1);
    let text = format!("{filled:?}");
    assert!(!text.contains("s3cret") && !text.contains("mine"), "{text}");
    assert!(filled.are_private());
    filled.drop_private();
    assert!(!filled.are_private());
    assert_eq!(filled.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["y"]);
}
