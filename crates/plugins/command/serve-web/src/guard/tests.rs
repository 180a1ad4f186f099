//! Names, origins and tokens, as a table each.

use axum::body::Body;

use super::*;

const TOKEN: &str = "0123456789abcdef";
const BROWSER: &str = "Accept: text/html,*/*;q=0.8";

fn gate(token: Option<&str>) -> Gate {
    let names = Names::new("0.0.0.0".parse().unwrap(), Vec::new());
    Gate::new(names, token.map(|token| Token::given(token).unwrap()), 80).unwrap()
}

/// The first line without its version, then fields.
fn request(line: &str, fields: &[&str]) -> Request {
    let (method, uri) = line.split_once(' ').unwrap();
    let request = Request::builder().method(method).uri(uri);
    let fields = fields.iter().map(|field| field.split_once(": ").unwrap());
    let request = fields.fold(request, |request, (name, value)| request.header(name, value));
    request.body(Body::empty()).unwrap()
}

fn status(gate: &Gate, line: &str, fields: &[&str]) -> u16 {
    judge(gate, &request(line, fields)).map_or_else(|refusal| refusal.status().as_u16(), |()| 200)
}

#[test]
fn names_and_origins() {
    let gate = gate(None);
    let check = |line: &str, fields: &[&str], want: u16| {
        assert_eq!(status(&gate, line, fields), want, "{line} {fields:?}");
    };
    let host = "Host: localhost:80";
    check("GET /", &[host], 200);
    check("GET /", &[], 400);
    check("GET /", &["Host: evil.example"], 421);
    check("GET /live", &[host, "Origin: http://localhost:81"], 403);
    check("POST /login", &[host, "Origin: http://localhost:80"], 200);
    // Whoever sends something says from where.
    check("POST /login", &[host], 403);
}

#[test]
fn tokens() {
    let gate = gate(Some(TOKEN));
    let host = "Host: 10.0.0.1:80";
    assert_eq!(status(&gate, "GET /", &[host]), 401);
    assert_eq!(status(&gate, "GET /?token=wrong", &[host]), 401);
    assert_eq!(status(&gate, "GET /", &[host, &format!("Cookie: jp-web-80={TOKEN}")]), 401);
    assert_eq!(status(&gate, "GET /login", &[host]), 200);
    let address = format!("GET /c/1?a=b&token={TOKEN}&c=d");
    let response = judge(&gate, &request(&address, &[host, BROWSER]));
    let response = response.unwrap_err();
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    assert_eq!(response.headers()[header::LOCATION], "/c/1?a=b&c=d");
    let cookie = response.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict") && !cookie.contains(TOKEN));
    let cookie = cookie.split(';').next().unwrap();
    assert_eq!(status(&gate, "GET /", &[host, &format!("Cookie: a=b; {cookie}")]), 200);
    assert_eq!(status(&gate, "GET /", &[host, &format!("Cookie: {cookie}0")]), 401);
}

#[test]
fn a_program_shows_the_token_with_each_request() {
    let gate = gate(Some(TOKEN));
    let check = |line: &str, field: &str, want: u16| {
        assert_eq!(status(&gate, line, &["Host: 10.0.0.1:80", field]), want, "{line} {field}");
    };
    check(&format!("GET /c/1?token={TOKEN}"), "Accept: */*", 200);
    check("GET /c/1?token=wrong", "Accept: */*", 401);
    check("GET /", &format!("Authorization: Bearer {TOKEN}"), 200);
    check("GET /", &format!("Authorization: Bearer {TOKEN}0"), 401);
    check("GET /", &format!("Authorization: Basic {TOKEN}"), 401);
}

/// It would stay in the history, and in pictures of the screen.
#[test]
fn a_token_does_not_stay_in_the_address() {
    let gate = gate(Some(TOKEN));
    let host = "Host: 10.0.0.1:80";
    let ask = |line: &str, fields: &[&str]| judge(&gate, &request(line, fields));
    let line = format!("GET /c/1?turn=2&token={TOKEN}");
    let first = ask(&line, &[host]).unwrap_err();
    let cookie = first.headers()[header::SET_COOKIE].to_str().unwrap();
    let cookie = format!("Cookie: {}", cookie.split(';').next().unwrap());
    // Also for somebody who is in already.
    let again = ask(&line, &[host, &cookie]).unwrap_err();
    assert_eq!(again.status(), StatusCode::SEE_OTHER);
    assert_eq!(again.headers()[header::LOCATION], "/c/1?turn=2");
    assert!(ask("GET /login?token=wrong-wrong-wrong", &[host, &cookie]).is_ok());
    // An escaped one is the same.
    let escaped = format!("GET /?token=%30{}", &TOKEN[1..]);
    assert_eq!(ask(&escaped, &[host]).unwrap_err().status(), StatusCode::SEE_OTHER);
    // What sends something has no business with it.
    let post = [host, "Origin: http://10.0.0.1:80"];
    assert_eq!(ask(&format!("POST /?token={TOKEN}"), &post).unwrap_err().status(), 401);
}

#[test]
fn a_token_leads_nowhere_else() {
    let check = |uri: &str, want: &str| {
        assert_eq!(take_token(&uri.parse().unwrap()).1, want, "{uri}");
    };
    check("/?token=a", "/");
    check("/c/1?token=a&token=b", "/c/1");
    check("//evil.example/?token=a", "/");
    for path in ["//evil", "/\\evil", "/\t/evil", "/\n/evil", "/a\0", "/a\x7f", "http://evil", ""] {
        assert_eq!(local(path), "/", "{path}");
    }
}
