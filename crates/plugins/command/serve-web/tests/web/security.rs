//! Who is answered, and with what.

use std::{
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
};

use crate::{
    http::{Reply, connect, request, send},
    store,
    web::{Web, jp, workspace},
};

const TOKEN: &str = "correct-horse-battery-staple";
const WHEN: &str = "2026-03-18T13:19:13Z";

fn ask(web: &Web, line: &str, fields: &[&str], body: &str) -> Reply {
    request(web.host(), line, fields, body)
}

#[test]
fn other_names_and_other_pages_are_refused() {
    let env = workspace();
    store::write(&env, "17", Some("secret plan"), WHEN, &store::turn("a", "b"));
    let web = Web::start_open(&env);
    let ours = format!("Host: {}", web.host());
    let port = web.host().rsplit(':').next().unwrap();
    let check = |line: &str, fields: &[&str], status: u16| {
        let reply = ask(&web, line, fields, "").expect(status);
        assert_eq!(reply.body.contains("secret plan"), status == 200, "{line} {fields:?}");
    };
    check("GET /", &[&ours], 200);
    check("GET /", &[&format!("Host: localhost:{port}")], 200);
    check("GET /", &[&format!("Host: rebound.example:{port}")], 421);
    check("GET /", &["Host: 192.168.1.1"], 421);
    check("GET /", &[], 400);
    check("GET http://rebound.example/", &[&ours], 421);
    let origin = format!("Origin: http://{}", web.host());
    check("GET /", &[&ours, &origin], 200);
    check("GET /", &[&ours, "Origin: http://evil.example"], 403);
    check("GET /live", &[&ours, "Origin: http://evil.example"], 403);
    check("GET /c/17/live", &[&ours, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors"], 403);
    check("GET /", &[&ours, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"], 403);
    check("POST /", &[&ours, "Content-Length: 0"], 403);
    check("POST /", &[&ours, &origin, "Content-Length: 0"], 405);
    check("DELETE /c/17", &[&ours, &origin], 405);
    check("OPTIONS /", &[&ours, "Origin: http://evil.example"], 403);
}

#[test]
fn every_answer_says_what_a_browser_may_do() {
    let env = workspace();
    store::write(&env, "17", None, WHEN, &store::turn("a", "b"));
    let web = Web::start_open(&env);
    for path in
        ["/", "/c/17", "/c/17/events/0", "/c/17/events/0/raw", "/nothing", "/login", "/favicon.ico"]
    {
        let reply = web.get(path);
        let policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
            connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
        assert_eq!(reply.field("content-security-policy"), policy, "{path}");
        assert_eq!(reply.field("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(reply.field("cross-origin-resource-policy"), "same-origin", "{path}");
        assert_eq!(reply.field("access-control-allow-origin"), "", "{path}");
        let referrer = if path == "/login" { "same-origin" } else { "no-referrer" };
        assert_eq!(reply.field("referrer-policy"), referrer, "{path}");
        let kept =
            if path == "/favicon.ico" { "public, max-age=31536000, immutable" } else { "no-store" };
        assert_eq!(reply.field("cache-control"), kept, "{path}");
        // Nothing on a page is loaded from elsewhere, and nothing in it is a program or a style.
        for forbidden in
            ["src=\"http", "href=\"http", "<script>", " style=\"", "<style", " onclick"]
        {
            assert!(!reply.body.contains(forbidden), "{path}: {forbidden}");
        }
    }
}

#[test]
fn a_token_opens_the_door_once() {
    let env = workspace();
    store::write(&env, "17", Some("secret plan"), WHEN, &store::turn("a", "b"));
    let web = Web::start_with(&env, &["--port=0", &format!("--token={TOKEN}")]);
    let host = format!("Host: {}", web.host());
    // The user knows it already, so it is not printed.
    assert!(!web.running.stdout_so_far().contains(TOKEN));
    for path in
        ["/", "/c/17", "/c/17/live", "/live", "/c/17/events/0/raw", "/c/17/since/0", "/nothing"]
    {
        let reply = ask(&web, &format!("GET {path}"), &[&host], "").expect(401);
        assert!(
            !reply.body.contains("secret plan") && reply.body.contains("name=\"token\""),
            "{path}"
        );
    }
    ask(&web, "GET /?token=wrong", &[&host], "").expect(401);
    let reply = ask(&web, &format!("GET /c/17?token={TOKEN}"), &[&host], "").expect(303);
    assert_eq!(reply.field("location"), "/c/17");
    let cookie = reply.field("set-cookie").split(';').next().unwrap().to_owned();
    let cookie = format!("Cookie: {cookie}");
    // What is no browser is not led elsewhere.
    let reply = ask(&web, &format!("GET /c/17?token={TOKEN}"), &[&host, "Accept: */*"], "");
    assert!(reply.expect(200).body.contains("secret plan"));
    assert!(ask(&web, "GET /c/17", &[&host, &cookie], "").expect(200).body.contains("secret plan"));
    let origin = format!("Origin: http://{}", web.host());
    let form = "Content-Type: application/x-www-form-urlencoded";
    let log_in = |body: &str, origin: &str| ask(&web, "POST /login", &[&host, form, origin], body);
    log_in("token=wrong", &origin).expect(401);
    log_in(&format!("token={TOKEN}"), "Origin: http://evil.example").expect(403);
    let reply = log_in(&format!("token={TOKEN}&to=/c/17"), &origin).expect(303);
    assert_eq!(reply.field("location"), "/c/17");
    assert!(reply.field("set-cookie").contains("HttpOnly; SameSite=Strict"));
    let reply = log_in(&format!("token={TOKEN}&to=//evil.example"), &origin).expect(303);
    assert_eq!(reply.field("location"), "/");
    log_in(&format!("token={}", "x".repeat(9000)), &origin).expect(413);
}

/// Other machines, a name, and a token that only a file has.
#[test]
fn an_open_address_with_a_token_from_a_file() {
    let env = workspace();
    env.write("token", format!("{TOKEN}\n"));
    let file = env.path("token");
    let args =
        ["--port=0", "--bind=0.0.0.0", "--token-file", file.as_str(), "--allow-host=box.example"];
    let web = Web::start_with(&env, &args);
    let printed = web.running.stdout_so_far();
    assert!(!printed.contains(TOKEN), "{printed}");
    web.running.expect_stderr("The browser will ask for your token.");
    web.running.expect_stderr("Other machines can reach it");
    let line = format!("GET /?token={TOKEN}");
    ask(&web, &line, &["Host: box.example"], "").expect(303);
    ask(&web, &line, &["Host: 192.168.0.7"], "").expect(303);
    ask(&web, &line, &["Host: other.example"], "").expect(421);
    ask(&web, "GET /", &["Host: box.example"], "").expect(401);
}

/// Other users of this machine can reach the port, and see nothing; whoever has the address is let in.
#[test]
fn there_is_a_token_unless_somebody_wants_none() {
    let env = workspace();
    store::write(&env, "17", Some("secret plan"), WHEN, &store::turn("a", "b"));
    for args in [&["--port=0"][..], &["--port=0", "--token"]] {
        let web = Web::start_with(&env, args);
        let host = format!("Host: {}", web.host());
        let reply = ask(&web, "GET /", &[&host], "").expect(401);
        assert!(!reply.body.contains("secret plan"));
        let path = web.entrance.strip_prefix(&web.url).unwrap();
        let reply = ask(&web, &format!("GET {path}"), &[&host], "").expect(303);
        assert_eq!(reply.field("location"), "/");
        assert!(reply.field("set-cookie").ends_with("; HttpOnly; SameSite=Strict"));
        assert!(web.get("/").expect(200).body.contains("secret plan"));
        // A token is of one run.
        let other = Web::start(&env);
        assert_ne!(other.entrance.rsplit_once('=').unwrap().1, path.rsplit_once('=').unwrap().1);
    }
    let web = Web::start_open(&env);
    assert_eq!(web.entrance, format!("{}/", web.url));
    web.running.expect_stderr("Everybody on this machine can look.");
    web.get("/").expect(200);
}

/// Whoever wrote the workspace must not know the token.
#[test]
fn a_workspace_cannot_choose_the_token() {
    let env = workspace();
    let options = |text: &str| {
        let head = "[plugins.command.serve-web.options]\n";
        env.write(".jp/config.toml", format!("{head}{text}\n"));
    };
    let check = |want: &str| {
        let output = jp(&env, &["--port=0"]).run().code(2);
        assert!(output.stderr().contains(want) && output.stdout().is_empty(), "{output}");
    };
    options(&format!("token = '{TOKEN}'"));
    check("`plugins.command.serve-web.options.token` is not used");
    env.write("token", TOKEN);
    options(&format!("token_file = '{}'", env.path("token")));
    check("is in the workspace, and is named by the settings");
    options("token_file = 'token'");
    check("has to begin with `/`");
    // A file of the user is good wherever it is named.
    let own = env.root().join("own-token");
    env.write(&own, TOKEN);
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o600)).unwrap();
    options(&format!("token_file = '{own}'"));
    let web = Web::start(&env);
    let host = format!("Host: {}", web.host());
    ask(&web, "GET /", &[&host], "").expect(401);
    ask(&web, &format!("GET /?token={TOKEN}"), &[&host], "").expect(303);
}

#[test]
fn events_are_sent_when_another_process_writes() {
    let env = workspace();
    store::write(&env, "17738399530", Some("Talk"), WHEN, &store::turn("a", "b"));
    let web = Web::start_open(&env);
    let page = web.get("/c/17738399530").expect(200).body;
    let seen = page.split("data-seen=\"").nth(1).unwrap().split('"').next().unwrap();
    let mut stream = connect(web.host());
    let host = format!("Host: {}", web.host());
    send(&mut stream, &format!("GET /c/17738399530/live?seen={seen}"), &[&host], "");
    store::append(&env, "17738399530", &store::turn("more", "much more"));
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "content-type: text/event-stream"));
    assert!(lines.any(|line| line == "event: change"));
    let new = web.get("/c/17738399530/since/3").expect(200).body;
    assert!(new.contains("much more") && !new.contains("id=\"e2\""), "{new}");
    // A page that is old already learns it at once.
    let mut stream = connect(web.host());
    send(&mut stream, "GET /c/17738399530/live?seen=other", &[&host], "");
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "event: change"));
}
