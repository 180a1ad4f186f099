//! A documentation site on loopback: pages are read from it, kept, and replaced where it has none.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    sync::{Arc, Mutex},
    thread,
};

use serde_json::json;

use crate::{
    session::{Era, Session, text},
    studio::Studio,
};

/// A site with these answers, by path; it remembers what it was asked for.
pub(crate) struct Server {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn new(pages: BTreeMap<&'static str, String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/docs", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = asked.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let first = lines.next().unwrap().unwrap();
                lines
                    .by_ref()
                    .map_while(Result::ok)
                    .take_while(|line| !line.is_empty())
                    .for_each(drop);
                let path = first.split(' ').nth(1).unwrap().to_owned();
                let answer = pages.get(path.as_str()).cloned();
                log.lock().unwrap().push(path);
                let answer = answer.unwrap_or_else(|| {
                    "HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
                        .to_owned()
                });
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self { url, asked }
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

pub(crate) fn page(body: &str) -> String {
    let body = format!("<html><body><section id=\"main-content\">{body}</section></body></html>");
    format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

pub(crate) fn paint() -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        (
            "/docs/paint/2.0.0/paint/all.html",
            page("<ul class=\"all-items\"><li><a href=\"struct.Pot.html\">Pot</a></li></ul>"),
        ),
        (
            "/docs/paint/2.0.0/paint/struct.Pot.html",
            page(
                "<div class=\"main-heading\"><h1>Struct Pot</h1></div><pre class=\"item-decl\">pub struct Pot;</pre>\
                  <details class=\"top-doc\"><div class=\"docblock\"><p>From the site.</p></div></details>",
            ),
        ),
    ])
}

#[test]
fn pages_come_from_the_site_and_are_kept() {
    let (studio, server) = (Studio::new(), Server::new(paint()));
    let arguments = json!({ "name": "paint", "version": "2", "item": "Pot" });
    for expected in [2, 0] {
        let mut session =
            Session::start(studio.command().args(["--site", &server.url]), Era::Modern, false);
        let result = session.call("crate_item", &arguments);
        assert!(text(&result).contains("From the site."), "{result}");
        let asked = server.asked();
        assert_eq!(asked.len(), expected, "{asked:?}");
    }
}

/// A crate that is not on this machine needs no fetching where the site has it.
#[test]
fn a_crate_that_is_not_here_is_read_from_the_site() {
    let studio = Studio::new();
    let pages = paint().into_iter().map(|(path, page)| {
        let path = path.replace("/docs/paint/2.0.0/paint", "/docs/easel/3.1.0/easel");
        (&*path.leak(), page)
    });
    let server = Server::new(pages.collect());
    let mut session =
        Session::start(studio.command().args(["--site", &server.url]), Era::Modern, true);
    let arguments = json!({ "name": "easel", "version": "3.1.0", "item": "Pot" });
    let result = session.call("crate_item", &arguments);
    assert!(text(&result).contains("# Struct `easel::Pot` (easel 3.1.0)"), "{result}");
    let missing = json!({ "name": "easel", "version": "3.1.1", "item": "Pot" });
    let result = session.call("crate_item", &missing);
    assert!(text(&result).contains("no documentation of easel 3.1.1"), "{result}");
}

/// A library may be called otherwise than its crate; the site says so by where it leads.
#[test]
fn the_site_knows_what_the_library_is_called() {
    let root = "/docs/oil-paint/1.0.0";
    let away = format!(
        "HTTP/1.1 302 Found\r\nlocation: {root}/oils/\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
    );
    let mut pages = BTreeMap::from([
        ("/docs/oil-paint/1.0.0/", away),
        ("/docs/oil-paint/1.0.0/oils/", page("<h1>Crate oils</h1>")),
    ]);
    for (path, page) in paint() {
        pages.insert(path.replace("/docs/paint/2.0.0/paint", &format!("{root}/oils")).leak(), page);
    }
    let (studio, server) = (Studio::new(), Server::new(pages));
    let mut session =
        Session::start(studio.command().args(["--site", &server.url]), Era::Modern, true);
    let arguments = json!({ "name": "oil-paint", "version": "1.0.0", "item": "oils::Pot" });
    let result = session.call("crate_item", &arguments);
    assert!(text(&result).contains("# Struct `oils::Pot` (oil-paint 1.0.0)"), "{result}");
}

#[test]
fn what_the_site_does_not_have_is_made_here() {
    let (studio, server) = (Studio::new(), Server::new(BTreeMap::new()));
    let mut session =
        Session::start(studio.command().args(["--site", &server.url]), Era::Modern, false);
    let arguments = json!({ "name": "paint", "version": "2", "item": "Color" });
    let result = session.call("crate_item", &arguments);
    assert!(text(&result).contains("Like grass."), "{result}");
    assert_eq!(server.asked(), ["/docs/paint/2.0.0/paint/all.html"]);
}

/// The site is the one that was named; where it sends us is not.
#[test]
fn a_redirect_to_another_place_is_not_followed() {
    let other = Server::new(paint());
    let away = format!(
        "HTTP/1.1 302 Found\r\nlocation: {}/paint/2.0.0/paint/all.html\r\ncontent-length: 0\r\n\r\n",
        other.url
    );
    let server = Server::new(BTreeMap::from([("/docs/paint/2.0.0/paint/all.html", away)]));
    let studio = Studio::new();
    let mut session =
        Session::start(studio.command().args(["--site", &server.url]), Era::Modern, false);
    let result =
        session.call("crate_item", &json!({ "name": "paint", "version": "2", "item": "Pot" }));
    assert!(text(&result).contains("has no item `Pot`"), "{result}");
    assert!(other.asked().is_empty());
}

/// The option `site` of the host turns it off for a tool; only under `--jp`, where options are sent.
#[test]
fn an_option_of_the_host_turns_the_site_off() {
    let (studio, server) = (Studio::new(), Server::new(paint()));
    let mut session =
        Session::start(studio.command().args(["--jp", "--site", &server.url]), Era::Modern, false);
    let meta = json!({ "_meta": { "computer.jp/tool": { "name": "crate_item", "arguments": {},
        "answers": {}, "options": { "site": false } } } });
    let arguments = json!({ "name": "paint", "version": "2", "item": "Color" });
    let result = session.call_with("crate_item", &arguments, &meta);
    assert!(text(&result).contains("Like grass."), "{result}");
    assert!(server.asked().is_empty());
}
