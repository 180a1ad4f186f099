//! `http.get` and `http.post` of a sealed tool, against servers on this machine.
//!
//! The danger is a secret that comes back: a server can say again whatever it was sent. So the servers
//! here do, in every form that is easily read, and what the tool, the trace and the terminal got is
//! searched for it.

mod server;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::server::Server;
use super::vfs_client::{Asked, LIMIT, call, configure, hiding, request, workspace};

/// Looks different when it is encoded.
const SECRET: &str = "s3cr3t/+=%41&\"x y\"";

fn get(url: impl Into<String>) -> Value {
    request("http.get", &json!({ "url": url.into() }))
}

/// With a header that has a variable in it.
fn get_with(url: impl Into<String>, value: &str) -> Value {
    let headers = json!([{ "name": "X-Key", "value": value }]);
    request("http.get", &json!({ "url": url.into(), "headers": headers }))
}

fn rule(host: &str, server: &Server, allow: bool) -> String {
    let port = server.port();
    format!(
        "[[conversation.tools.ask.access.net]]\nhost = \"{host}\"\nport = {port}\nallow = {allow}\n"
    )
}

fn variable(name: &str) -> String {
    format!("[[conversation.tools.ask.access.env]]\nname = \"{name}\"\nread = true\n")
}

/// D11-131, D11-133, D11-134, D11-135, D11-136, D11-142
#[test]
fn answers_come_as_they_are() {
    let server = Server::start();
    let env = workspace(&(rule("127.0.0.1", &server, true) + &variable("TOKEN")));
    let requests = [
        get(server.url("/text?a=${TOKEN}")),
        get(server.url("/bytes")),
        get(server.url("/status/404")),
        get(server.url("/status/500")),
        get_with(server.url("/echo"), "plain $${TOKEN} $TOKEN"),
        get(server.url("/status/204")),
    ];
    let asked = Asked::from(call(&env, &requests, &[]).env("TOKEN", SECRET).run());
    assert_eq!(asked.answers[0]["result"], json!({ "status": 200, "body": "hellö\n\"x\"\u{1}" }));
    let bytes = json!({ "status": 200, "body": "/wAB", "encoding": "base64" });
    assert_eq!(asked.answers[1]["result"], bytes);
    assert_eq!(asked.result(2), &json!({ "status": 404, "body": "status 404" }));
    assert_eq!(asked.result(3), &json!({ "status": 500, "body": "status 500" }));
    let echo = asked.result(4)["body"].as_str().unwrap().to_lowercase();
    assert!(echo.contains("x-key: plain ${token} $token"), "{echo}");
    assert_eq!(asked.result(5), &json!({ "status": 204, "body": "" }));
    let sent = server.requests();
    assert!(sent[0].starts_with("GET /text?a=$%7BTOKEN%7D ") || sent[0].contains("${TOKEN}"));
    assert!(!sent.concat().contains("s3cr3t"), "{sent:?}");
}

/// D11-132, D11-142, D11-143
#[test]
fn a_body_is_sent_as_it_was_given() {
    let server = Server::start();
    let env = workspace(&(rule("127.0.0.1", &server, true) + &variable("TOKEN")));
    let body = "{\"é\": \"${TOKEN}\"}\r\n\0 %41";
    let headers = json!([
        { "name": "Content-Type", "value": "application/json" },
        { "name": "Authorization", "value": "Bearer ${TOKEN}" },
    ]);
    let post = |headers: &Value| {
        let params = json!({ "url": server.url("/echo"), "headers": headers, "body": body });
        request("http.post", &params)
    };
    let bad = json!([{ "name": "X", "value": "${OTHER}" }]);
    let bare = request("http.post", &json!({ "url": server.url("/status/201") }));
    let requests = [post(&headers), post(&bad), bare];
    let run = hiding(&env, &requests, SECRET, &[]).env("TOKEN", SECRET).env("OTHER", "o");
    let asked = Asked::from(run.run());
    assert_eq!(asked.codes(), [0, -32001, 0], "{:?}", asked.answers);
    assert!(!asked.leaked, "{:?}", asked.answers);
    let sent = server.requests();
    assert_eq!(sent.len(), 2, "{sent:?}");
    let (head, got) = sent[0].split_once("\r\n\r\n").unwrap();
    assert_eq!(got, body);
    assert!(head.starts_with("POST /echo "), "{head}");
    assert!(head.contains(&format!("Bearer {SECRET}")), "{head}");
    assert!(head.to_lowercase().contains("content-type: application/json"), "{head}");
    assert!(sent[1].ends_with("\r\n\r\n"), "{:?}", sent[1]);
}

/// D11-138, D11-139, D11-140, D11-141
#[test]
fn a_variable_reaches_the_server_and_nobody_else() {
    let server = Server::start();
    let rules = rule("127.0.0.1", &server, true) + &variable("TOKEN") + &variable("ABSENT");
    let env = workspace(&rules);
    let requests = [
        get_with(server.url("/echo"), "Bearer ${TOKEN}"),
        get_with(server.url("/echo"), "${OTHER}"),
        get_with(server.url("/echo"), "${ABSENT}"),
        get_with(server.url("/echo"), "${TOKEN}${OTHER}"),
        get_with(server.url("/forms"), "${TOKEN}"),
        get_with(server.url("/away"), "${TOKEN}"),
    ];
    let more = ["--trace", "trace", "-vvvv", "--log-file", "log"];
    let run = hiding(&env, &requests, SECRET, &more);
    let asked = Asked::from(run.env("TOKEN", SECRET).env("OTHER", "of others").run());
    let codes = asked.codes();
    assert_eq!(codes[..2], [0, -32001], "{:?}", asked.answers);
    assert_ne!(codes[2], 0);
    assert_eq!(codes[3..], [-32001, 0, -32001], "{:?}", asked.answers);
    assert!(!asked.leaked, "{:?}", asked.answers);
    assert!(asked.result(0)["body"].as_str().unwrap().contains("Bearer [REDACTED]"));
    assert!(asked.message(1).contains("OTHER"), "{}", asked.message(1));
    assert!(asked.message(2).contains("ABSENT"), "{}", asked.message(2));
    let sent = server.requests();
    assert_eq!(sent.len(), 3, "{sent:?}");
    assert!(sent[0].contains(&format!("Bearer {SECRET}\r\n")), "{}", sent[0]);
    let said = [asked.output.stdout(), asked.output.stderr(), &env.read("trace"), &env.read("log")];
    assert!(said.iter().all(|text| !text.is_empty()), "{said:?}");
    let said = said.concat();
    assert!(!said.contains("s3cr3t") && !said.contains("of others"), "{said}");
    // The tool looks for it in earnest.
    let found = Asked::from(hiding(&env, &[get(server.url("/text"))], "hell", &[]).run());
    assert!(found.leaked);
}

/// D11-249, D11-251
#[test]
fn without_rules_nothing_is_sent() {
    let server = Server::start();
    let env = workspace("");
    let requests = [get(server.url("/text")), get_with(server.url("/text"), "${TOKEN}")];
    let asked = Asked::from(call(&env, &requests, &[]).env("TOKEN", SECRET).run());
    assert_eq!(asked.codes(), [-32001, -32001]);
    assert_eq!(server.connections(), 0);
    // Rules for files say nothing about the network, and rules for the network nothing about variables.
    configure(&env, "access = { fs = [{ path = \".\", read = true, write = true }] }\n");
    let asked = Asked::from(call(&env, &requests, &[]).env("TOKEN", SECRET).run());
    assert_eq!(asked.codes(), [-32001, -32001]);
    assert_eq!(server.connections(), 0);
    configure(&env, &rule("127.0.0.1", &server, true));
    let asked = Asked::from(call(&env, &requests, &[]).env("TOKEN", SECRET).run());
    assert_eq!(asked.codes(), [0, -32001]);
    assert_eq!(server.requests().len(), 1);
}

/// D11-137, D11-146, D11-147, D11-208
#[test]
fn what_is_denied_makes_no_connection() {
    let (server, other) = (Server::start(), Server::start());
    let rules = rule("localhost", &server, true) + &rule("127.0.0.1", &other, false);
    let env = workspace(&rules);
    let hosts = json!([{ "name": "Host", "value": "elsewhere" }]);
    let requests = [
        get(other.url("/text")),
        get(format!("http://2130706433:{}/", other.port())),
        get(format!("http://[::ffff:127.0.0.1]:{}/", other.port())),
        get(format!("http://user:pw@localhost:{}/", server.port())),
        get(format!("ftp://localhost:{}/", server.port())),
        get("file:///etc/passwd"),
        get("localhost"),
        request("http.get", &json!({})),
        request("http.get", &json!({ "url": server.url("/"), "headers": { "a": "b" } })),
        get_with(server.url("/"), "a\r\nb: c"),
        request("http.get", &json!({ "url": server.url("/"), "headers": hosts })),
    ];
    let asked = Asked::from(call(&env, &requests, &["--trace", "trace"]).run());
    let codes = asked.codes();
    assert_eq!(codes[..3], [-32001; 3], "{:?}", asked.answers);
    assert_eq!(codes[3..], [-32602; 8], "{:?}", asked.answers);
    assert!(asked.message(0).contains("127.0.0.1"), "{}", asked.message(0));
    assert_eq!((server.connections(), other.connections()), (0, 0));
    assert!(!env.read("trace").contains("pw"), "{}", env.read("trace"));
    // What names the place by its name is let through, to the same machine.
    let asked = Asked::from(call(&env, &[get(server.named("localhost", "/text"))], &[]).run());
    assert_eq!(asked.codes(), [0], "{:?}", asked.answers);
    assert_eq!(server.connections(), 1);
}

/// D11-144
#[test]
fn redirects_are_followed_as_far_as_the_rules_go() {
    let (server, other) = (Server::start(), Server::start());
    let env = workspace(&rule("127.0.0.1", &server, true));
    let to = |url: String| get(server.url(&format!("/to?{url}")));
    let requests = [
        to(server.url("/text")),
        to("/text".to_owned()),
        to(other.url("/text")),
        to(format!("http://u:p@127.0.0.1:{}/text", server.port())),
        to("file:///etc/passwd".to_owned()),
        get(server.url("/again")),
    ];
    let asked = Asked::from(call(&env, &requests, &[]).run());
    let codes = asked.codes();
    assert_eq!(codes[..3], [0, 0, -32001], "{:?}", asked.answers);
    assert!(codes[3..].iter().all(|code| *code != 0), "{:?}", asked.answers);
    assert_eq!(asked.result(0)["status"], 200);
    assert_eq!(asked.result(1)["status"], 200);
    assert_eq!(other.connections(), 0);
    // Ten at most.
    let again = server.requests().iter().filter(|it| it.starts_with("GET /again")).count();
    assert_eq!(again, 11);
}

/// D11-145
#[test]
fn secrets_do_not_go_along_to_another_origin() {
    let (server, other) = (Server::start(), Server::start());
    let rules = rule("127.0.0.1", &server, true) + &rule("localhost", &other, true);
    let env = workspace(&(rules + &variable("TOKEN")));
    let headers = json!([
        { "name": "X-Key", "value": "${TOKEN}" },
        { "name": "Authorization", "value": "Basic plain" },
        { "name": "Cookie", "value": "plain=1" },
        { "name": "X-Other", "value": "stays" },
    ]);
    let to = |url: String| {
        let url = server.url(&format!("/to?{url}"));
        request("http.get", &json!({ "url": url, "headers": headers }))
    };
    let requests = [to(other.named("localhost", "/echo")), to(server.url("/echo"))];
    let asked = Asked::from(hiding(&env, &requests, SECRET, &[]).env("TOKEN", SECRET).run());
    assert_eq!(asked.codes(), [0, 0], "{:?}", asked.answers);
    assert!(!asked.leaked);
    let there = other.requests().concat().to_lowercase();
    assert!(there.contains("x-other: stays"), "{there}");
    for header in ["x-key", "authorization", "cookie", "s3cr3t"] {
        assert!(!there.contains(header), "{there}");
    }
    let here = server.requests();
    assert!(here[2].contains(SECRET) && here[2].contains("Basic plain"), "{}", here[2]);
}

/// D11-235, and bodies over the limit
#[test]
fn slow_and_large_answers_have_an_end() {
    let server = Server::start();
    let limits = "[vfs]\nhttp_timeout_secs = 1\nfile_bytes = 100000\n";
    let env = workspace(&(rule("127.0.0.1", &server, true) + limits));
    let requests = [
        get(server.url("/of/100000")),
        get(server.url("/of/100001")),
        get(server.url("/slow")),
        get(server.url("/text")),
    ];
    let began = Instant::now();
    let asked = Asked::from(call(&env, &requests, &[]).run());
    assert_eq!(asked.codes(), [0, -32006, -32004, 0], "{:?}", asked.answers);
    assert!(began.elapsed() < server::SLOW, "{:?}", began.elapsed());
    assert_eq!(asked.result(0)["body"], "(100000 characters)");
}

/// D11-211, D11-213, D11-214: a person decides about a host, and about where it redirects to.
#[test]
fn a_person_is_asked_and_nothing_is_sent_twice() {
    let (server, other) = (Server::start(), Server::start());
    let env = workspace("");
    let url = server.url(&format!("/to?{}", other.url("/text")));
    let post = request("http.post", &json!({ "url": url, "body": "once" }));
    let size = jp_test::Size { rows: 50, cols: 200 };
    let mut terminal = call(&env, &[post, get(other.url("/text"))], &[]).pty(size);
    terminal.expect("ask wants to talk to", LIMIT);
    assert_eq!(server.connections(), 0);
    terminal.expect("[n/o/r/a]", LIMIT).send("o\r");
    terminal.expect("redirected from", LIMIT).expect("[n/o/r/a]", LIMIT);
    assert_eq!(other.connections(), 0);
    terminal.send("o\r");
    terminal.expect("ask wants to talk to", LIMIT).expect("[n/o/r/a]", LIMIT).send("n\r");
    terminal.expect("-32001", LIMIT);
    terminal.wait(LIMIT).success();
    let sent = server.requests();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert!(sent[0].starts_with("POST ") && sent[0].ends_with("once"), "{}", sent[0]);
    assert_eq!(other.requests().len(), 1);
}

/// D11-269: nobody is waited for where nobody can be asked.
#[test]
fn without_interaction_it_is_refused_at_once() {
    let server = Server::start();
    let env = workspace("");
    let size = jp_test::Size { rows: 50, cols: 200 };
    let requests = [get(server.url("/text"))];
    let mut terminal = call(&env, &requests, &["--no-interaction"]).pty(size);
    terminal.expect("-32001", Duration::from_secs(20));
    terminal.wait(LIMIT).success();
    assert_eq!(server.connections(), 0);
}
