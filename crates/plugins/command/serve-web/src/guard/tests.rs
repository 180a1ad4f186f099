//! Names, origins and tokens, as a table each.

use axum::body::Body;

use super::*;

const TOKEN: &str = "0123456789abcdef";

fn gate(address: &str, hosts: &[&str], token: Option<&str>) -> Gate {
    let settings = Settings {
        address: address.parse().unwrap(),
        token: token.map(|token| Token::from(token.to_owned())),
        token_is_new: false,
        hosts: hosts.iter().map(ToString::to_string).collect(),
    };
    Gate::new(settings, 80).unwrap()
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
fn names() {
    let check = |gate: &Gate, host: &str, want: u16| {
        assert_eq!(status(gate, "GET /", &[&format!("Host: {host}")]), want, "{host}");
    };
    let here = gate("127.0.0.1:80", &["box.local"], None);
    for host in ["127.0.0.1", "127.0.0.1:80", "localhost:80", "LOCALHOST", "[::1]:80", "box.local"]
    {
        check(&here, host, 200);
    }
    // Behind a forwarded port.
    check(&here, "localhost:8080", 200);
    let others =
        ["evil.example", "evil.example:80", "192.168.0.7", "localhost.evil.example", "box"];
    for host in others {
        check(&here, host, 421);
    }
    for host in ["", ":80", "localhost:x", "localhost:80:80", "[::1", "[::1]x", "a b", "[]"] {
        assert_ne!(status(&here, "GET /", &[&format!("Host: {host}")]), 200, "{host}");
    }
    assert_eq!(status(&here, "GET /", &[]), 400);
    assert_eq!(status(&here, "GET /", &["Host: localhost", "Host: localhost"]), 400);
    assert_eq!(status(&here, "GET http://evil.example/", &["Host: localhost"]), 421);
    let open = gate("0.0.0.0:80", &[], None);
    check(&open, "192.168.0.7:80", 200);
    check(&open, "evil.example", 421);
}

#[test]
fn origins() {
    let gate = gate("127.0.0.1:80", &[], None);
    let check = |line: &str, fields: &[&str], want: u16| {
        let fields: Vec<_> = ["Host: localhost:80"].iter().chain(fields).copied().collect();
        assert_eq!(status(&gate, line, &fields), want, "{line} {fields:?}");
    };
    check("GET /live", &[], 200);
    check("GET /live", &["Origin: http://localhost:80"], 200);
    check("POST /login", &["Origin: http://localhost:80"], 200);
    check("POST /login", &[], 403);
    for origin in ["null", "http://localhost", "http://localhost:81", "https://localhost:80"] {
        check("GET /live", &[&format!("Origin: {origin}")], 403);
        check("POST /login", &[&format!("Origin: {origin}")], 403);
    }
    check("GET /live", &["Origin: http://localhost:80", "Origin: http://localhost:80"], 403);
    for site in ["cross-site", "same-site"] {
        let site = format!("Sec-Fetch-Site: {site}");
        let link = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", &site];
        check("GET /", &link, 200);
        check("POST /login", &[&link[..], &["Origin: http://localhost:80"]].concat(), 403);
        check("GET /", &["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe", &site], 403);
        check("GET /", &["Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script", &site], 403);
        check("GET /live", &["Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty", &site], 403);
    }
    check("GET /", &["Sec-Fetch-Site: none"], 200);
    check("GET /live", &["Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors"], 200);
}

#[test]
fn tokens() {
    let gate = gate("0.0.0.0:80", &[], Some(TOKEN));
    let host = "Host: 10.0.0.1:80";
    assert_eq!(status(&gate, "GET /", &[host]), 401);
    assert_eq!(status(&gate, "GET /?token=wrong", &[host]), 401);
    assert_eq!(status(&gate, "GET /", &[host, &format!("Cookie: jp-web-80={TOKEN}")]), 401);
    assert_eq!(status(&gate, "GET /login", &[host]), 200);
    let response = judge(&gate, &request(&format!("GET /c/1?a=b&token={TOKEN}&c=d"), &[host]));
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
fn a_token_leads_nowhere_else() {
    let check = |uri: &str, want: &str| {
        assert_eq!(take_token(&uri.parse().unwrap()).1, want, "{uri}");
    };
    check("/?token=a", "/");
    check("/c/1?token=a&token=b", "/c/1");
    check("//evil.example/?token=a", "/");
    for path in ["//evil", "/\\evil", "http://evil", ""] {
        assert_eq!(local(path), "/", "{path}");
    }
}
