//! Which status leads where, with which method.

use hyper::body::Bytes;

use super::*;

fn check(status: u16, location: &str, expected: Option<Result<(&str, bool), &str>>) {
    let target = request::target("https://a.test/dir/page?q=1").unwrap();
    let hop = Hop { target, method: Method::Post(Bytes::from_static(b"body")) };
    let location = HeaderValue::from_bytes(location.as_bytes()).unwrap();
    let next = next(&hop, StatusCode::from_u16(status).unwrap(), Some(&location));
    match (next, expected) {
        (None, None) => {}
        (Some(Ok(next)), Some(Ok((url, keeps)))) => {
            assert_eq!(next.target.url().as_str(), url, "{status} {location:?}");
            assert_eq!(next.method == hop.method, keeps, "{status} {location:?}");
        }
        (Some(Err(reason)), Some(Err(expected))) => {
            assert!(reason.contains(expected), "{status} {location:?}: {reason}");
        }
        (next, expected) => panic!("{status} {location:?}: {next:?}, not {expected:?}"),
    }
}

#[test]
fn a_status_says_what_is_kept() {
    for status in [301, 302, 303] {
        check(status, "/x", Some(Ok(("https://a.test/x", false))));
    }
    for status in [307, 308] {
        check(status, "/x", Some(Ok(("https://a.test/x", true))));
    }
    for status in [200, 201, 300, 304, 305, 306, 404] {
        check(status, "/x", None);
    }
    let hop = Hop { target: request::target("https://a.test").unwrap(), method: Method::Get };
    assert!(next(&hop, StatusCode::FOUND, None).is_none());
}

#[test]
fn places_are_read_like_links() {
    for (location, expected) in [
        ("other", Ok("https://a.test/dir/other")),
        ("?x", Ok("https://a.test/dir/page?x")),
        ("//b.test/x", Ok("https://b.test/x")),
        ("http://b.test:8080/x#y", Ok("http://b.test:8080/x")),
        ("\\\\b.test\\x", Ok("https://b.test/x")),
        ("", Ok("https://a.test/dir/page?q=1")),
        ("http://me:pw@b.test/", Err("URLs with a user name or password are refused")),
        ("//b.test@c.test/", Err("URLs with a user name or password are refused")),
        ("ftp://b.test/", Err("only http and https URLs can be requested, not ftp")),
        ("file:///etc/passwd", Err("redirects elsewhere")),
        ("data:text/plain,x", Err("redirects elsewhere")),
        ("http://", Err("redirects to no URL")),
    ] {
        check(307, location, Some(expected.map(|url| (url, true))));
    }
}
