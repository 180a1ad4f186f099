//! Names and origins, as a table each.

use super::*;

fn names(bound: &str, more: &[&str]) -> Names {
    Names::new(bound.parse().unwrap(), more.iter().map(ToString::to_string).collect())
}

/// The first line without its version, then fields.
fn judge(names: &Names, line: &str, fields: &[&str]) -> Result<(), Foreign> {
    let (method, uri) = line.split_once(' ').unwrap();
    let request = Request::builder().method(method).uri(uri);
    let fields = fields.iter().map(|field| field.split_once(": ").unwrap());
    let request = fields.fold(request, |request, (name, value)| request.header(name, value));
    names.judge(&request.body(()).unwrap())
}

#[test]
fn a_server_is_called_by_its_own_name() {
    let check = |names: &Names, host: &str, want| {
        assert_eq!(judge(names, "GET /", &[&format!("Host: {host}")]), want, "{host}");
    };
    let here = names("127.0.0.1", &["box.local"]);
    for host in [
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.2:80",
        "localhost:80",
        "LOCALHOST",
        "[::1]:80",
        "box.local",
        "Box.local.",
        // Behind a forwarded port.
        "localhost:8080",
    ] {
        check(&here, host, Ok(()));
    }
    for host in [
        "evil.example",
        "evil.example:80",
        "192.168.0.7",
        "localhost.evil.example",
        "127.0.0.1.evil.example:80",
        "user@127.0.0.1:80",
        "127.0.0.1/path",
        "127.0.0.1, evil.example",
        "box",
        "a b",
        "[]",
        // Small letters do not make another name of it.
        "loca\u{17f}host",
    ] {
        let judged = judge(&here, "GET /", &[&format!("Host: {host}")]);
        assert!(judged.is_err(), "{host}");
    }
    check(&here, "evil.example", Err(Foreign::OtherHost));
    for host in ["", ":80", "localhost:x", "localhost:80:80", "[::1", "[::1]x"] {
        check(&here, host, Err(Foreign::NoHost));
    }
    let open = names("0.0.0.0", &[]);
    check(&open, "192.168.0.7:80", Ok(()));
    check(&open, "evil.example", Err(Foreign::OtherHost));
}

#[test]
fn it_is_called_once() {
    let here = names("127.0.0.1", &[]);
    assert_eq!(judge(&here, "GET /", &[]), Err(Foreign::NoHost));
    let twice = ["Host: localhost", "Host: localhost"];
    assert_eq!(judge(&here, "GET /", &twice), Err(Foreign::NoHost));
    let url = "GET http://evil.example/";
    assert_eq!(judge(&here, url, &["Host: localhost"]), Err(Foreign::OtherHost));
    let url = "GET http://localhost/";
    assert_eq!(judge(&here, url, &["Host: evil.example"]), Err(Foreign::OtherHost));
    assert_eq!(judge(&here, url, &["Host: localhost"]), Ok(()));
}

#[test]
fn origins() {
    let here = names("127.0.0.1", &["box.example"]);
    let check = |line: &str, fields: &[&str], ours: bool| {
        let fields: Vec<_> = ["Host: localhost:80"].iter().chain(fields).copied().collect();
        let want = if ours { Ok(()) } else { Err(Foreign::OtherOrigin) };
        assert_eq!(judge(&here, line, &fields), want, "{line} {fields:?}");
    };
    check("GET /", &[], true);
    check("POST /", &[], true);
    check("GET /", &["Origin: http://localhost:80"], true);
    check("POST /", &["Origin: http://localhost:80"], true);
    for origin in [
        "null",
        "",
        "file://",
        "http://localhost",
        "http://localhost:81",
        "https://localhost:80",
        "http://evil.example",
    ] {
        check("GET /", &[&format!("Origin: {origin}")], false);
        check("POST /", &[&format!("Origin: {origin}")], false);
    }
    check("GET /", &["Origin: http://localhost:80", "Origin: http://localhost:80"], false);
    for site in ["cross-site", "same-site"] {
        let site = format!("Sec-Fetch-Site: {site}");
        let link = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", &site];
        check("GET /", &link, true);
        check("POST /", &[&link[..], &["Origin: http://localhost:80"]].concat(), false);
        check("GET /", &["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe", &site], false);
        check("GET /", &["Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script", &site], false);
        check("GET /", &["Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty", &site], false);
    }
    check("GET /", &["Sec-Fetch-Site: none"], true);
    check("GET /", &["Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors"], true);
    // Behind a proxy that speaks TLS.
    let proxied = ["Host: box.example", "Origin: https://box.example"];
    assert_eq!(judge(&here, "POST /", &proxied), Ok(()));
}
