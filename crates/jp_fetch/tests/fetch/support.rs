//! A server that says exactly what it is told to say, names that lead to it, and a client.
//!
//! Nothing here waits for ever: sockets and requests have timeouts, and servers end with the test.

use std::{
    collections::HashMap,
    io::{self, BufRead, BufReader, Read, Write},
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use jp_fetch::{FetchError, FetchLimits, FetchSettings, Fetched, Fetcher, Request, Response};
use jp_route::{Resolve, Resolving};
use jp_secret::{Lookup, Secret};
use jp_tool::access::{AccessPolicy, NetRule};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) const TOKEN: &str = "s3cr3t+tok/en\"9";

/// What a server was asked.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    pub(crate) fn path(&self) -> &str {
        self.line.split(' ').nth(1).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

pub(crate) trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

type Answer = dyn Fn(&Asked, &mut dyn Stream) -> io::Result<()> + Send + Sync;

/// A server that notes what it is asked.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    /// A server that answers by writing to the connection. An error closes it.
    pub(crate) fn new(
        answer: impl Fn(&Asked, &mut dyn Stream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self::start(None, Arc::new(answer))
    }

    /// The same over TLS.
    pub(crate) fn tls(
        config: ServerConfig,
        answer: impl Fn(&Asked, &mut dyn Stream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self::start(Some(Arc::new(config)), Arc::new(answer))
    }

    fn start(tls: Option<Arc<ServerConfig>>, answer: Arc<Answer>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(AtomicUsize::new(0));
        let (notes, count) = (asked.clone(), connections.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                stream.set_read_timeout(Some(PATIENCE)).unwrap();
                stream.set_write_timeout(Some(PATIENCE)).unwrap();
                let (tls, answer, notes) = (tls.clone(), answer.clone(), notes.clone());
                thread::spawn(move || match tls {
                    None => serve(stream, &*answer, &notes),
                    Some(config) => {
                        let connection = ServerConnection::new(config).unwrap();
                        serve(StreamOwned::new(connection, stream), &*answer, &notes)
                    }
                });
            }
        });
        Self { address, asked, connections }
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://a.test:{}{path}", self.port())
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.line).collect()
    }

    /// The next round counts from here.
    pub(crate) fn forget(&self) {
        self.asked.lock().unwrap().clear();
        self.connections.store(0, Ordering::SeqCst);
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// Serves one connection until it ends.
fn serve(stream: impl Stream, answer: &Answer, notes: &Mutex<Vec<Asked>>) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let asked = read(&mut stream)?;
        notes.lock().unwrap().push(asked.clone());
        answer(&asked, stream.get_mut())?;
        stream.get_mut().flush()?;
    }
}

fn read(stream: &mut impl BufRead) -> io::Result<Asked> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    if line.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut headers = HashMap::new();
    loop {
        let mut header = Vec::new();
        stream.read_until(b'\n', &mut header)?;
        let header = String::from_utf8_lossy(&header).into_owned();
        match header.trim_end().split_once(':') {
            Some((name, value)) => {
                headers
                    .entry(name.to_ascii_lowercase())
                    .and_modify(|all: &mut String| *all = format!("{all}, {}", value.trim()))
                    .or_insert_with(|| value.trim().to_owned());
            }
            None => break,
        }
    }
    let length = headers.get("content-length").map_or(0, |it| it.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(Asked { line: line.trim_end().to_owned(), headers, body })
}

/// A whole answer.
pub(crate) fn say(to: &mut dyn Stream, head: &str, body: &[u8]) -> io::Result<()> {
    write!(to, "HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n", body.len())?;
    to.write_all(body)
}

pub(crate) fn redirect(to: &mut dyn Stream, status: u16, location: &str) -> io::Result<()> {
    say(to, &format!("{status} Moved\r\nlocation: {location}"), b"moved")
}

/// Says `ok` to everything.
pub(crate) fn fine(_: &Asked, to: &mut dyn Stream) -> io::Result<()> {
    say(to, "200 OK", b"ok")
}

/// Names of our own, and where they lead. Others do not exist.
#[derive(Debug, Default)]
pub(crate) struct Names {
    lookups: AtomicUsize,
}

impl Names {
    pub(crate) fn lookups(&self) -> usize {
        self.lookups.load(Ordering::SeqCst)
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, domain: &'a str) -> Resolving<'a> {
        let before = self.lookups.fetch_add(1, Ordering::SeqCst);
        let addresses: &[&str] = match domain {
            "a.test" | "b.test" | "localhost" | "proxy.test" => &["127.0.0.1"],
            "office.test" => &["10.0.0.1", "fe80::1"],
            "cloud.test" => &["169.254.169.254"],
            "both.test" => &["10.0.0.1", "127.0.0.1"],
            "mapped.test" => &["::ffff:127.0.0.1"],
            // Another answer for everybody who asks again.
            "rebind.test" if before.is_multiple_of(2) => &["127.0.0.1"],
            "rebind.test" => &["127.0.0.2"],
            "nowhere.test" => &[],
            "never.test" => return Box::pin(std::future::pending()),
            _ => {
                let error = io::Error::new(io::ErrorKind::NotFound, "no such name");
                return Box::pin(std::future::ready(Err(error)));
            }
        };
        let found = addresses.iter().map(|it| it.parse::<IpAddr>().unwrap()).collect();
        Box::pin(std::future::ready(Ok(found)))
    }
}

pub(crate) fn settings() -> FetchSettings {
    FetchSettings {
        resolver: Arc::new(Names::default()),
        limits: FetchLimits { total: PATIENCE, ..FetchLimits::default() },
        ..FetchSettings::default()
    }
}

pub(crate) fn fetcher() -> Fetcher {
    Fetcher::new(settings())
}

pub(crate) fn rule(host: &str, port: u16, allow: bool) -> NetRule {
    NetRule { port: Some(port), ..NetRule::new(host, allow) }
}

pub(crate) fn policy(net: Vec<NetRule>) -> AccessPolicy {
    AccessPolicy { net, ..AccessPolicy::default() }
}

/// Rules for the names of a server and for where they lead.
pub(crate) fn allowing(servers: &[&Server]) -> AccessPolicy {
    let hosts = ["a.test", "b.test", "127.0.0.1"];
    let rules = |server: &&Server| hosts.map(|host| rule(host, server.port(), true));
    policy(servers.iter().flat_map(rules).collect())
}

/// The variables of the host, as a tool may use them.
pub(crate) fn variables(name: &str) -> Lookup {
    match name {
        "TOKEN" => Lookup::Value(Secret::new(TOKEN)),
        "SHORT" => Lookup::Value(Secret::new("ab")),
        "MISSING" => Lookup::Unknown,
        _ => Lookup::Disallowed,
    }
}

pub(crate) async fn run(
    fetcher: &Fetcher,
    request: Request,
    policy: &AccessPolicy,
) -> Result<Fetched, FetchError> {
    tokio::time::timeout(PATIENCE * 2, fetcher.fetch(request, policy, &variables)).await.unwrap()
}

/// Gets a URL under rules for these servers.
pub(crate) async fn get(
    servers: &[&Server],
    url: &str,
    headers: &[(&str, &str)],
) -> Result<Response, FetchError> {
    let request = Request::get(url, headers.iter().copied())?;
    Ok(answer(run(&fetcher(), request, &allowing(servers)).await?))
}

/// What the server answered.
pub(crate) fn answer(outcome: Fetched) -> Response {
    match outcome {
        Fetched::Answer(response) => response,
        Fetched::Uncovered(uncovered) => panic!("{uncovered:?}"),
    }
}

/// Whether the other side has closed a connection.
pub(crate) fn is_closed(stream: &mut TcpStream) -> bool {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    matches!(stream.read(&mut [0; 1]), Ok(0) | Err(_))
}
