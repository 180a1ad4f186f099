//! Servers, a client that says exactly what it is told to say, and a proxy between them.
//!
//! Nothing here waits for ever: sockets have timeouts, and servers end with the test process.

use std::{
    collections::HashMap,
    convert::Infallible,
    io::{self, BufRead, BufReader, Read, Write},
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use http_body_util::{BodyExt, Full};
use hyper::{
    Request, Response, body::Bytes, body::Incoming, server::conn::http1, service::service_fn,
};
use hyper_util::rt::TokioIo;
use jp_proxy::{Proxy, ProxyHandle, ProxyLimits, Resolve, Resolving, Rules};
use jp_tool::access::NetRule;

pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// A proxy with these rules and its usual limits.
pub(crate) fn proxy(rules: Vec<NetRule>) -> ProxyHandle {
    start(configured(rules))
}

/// A proxy that finds the names of [`Names`], to be started.
pub(crate) fn configured(rules: Vec<NetRule>) -> Proxy {
    Proxy::new(Rules::new(rules, "conversation.tools.it.access.net")).resolver(Arc::new(Names))
}

pub(crate) fn start(proxy: Proxy) -> ProxyHandle {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    proxy.start(std::os::fd::OwnedFd::from(listener)).unwrap()
}

/// Limits that a test can wait for.
pub(crate) fn short() -> ProxyLimits {
    ProxyLimits {
        head_time: Duration::from_millis(300),
        connect: Duration::from_millis(300),
        idle: Duration::from_millis(300),
        ..ProxyLimits::default()
    }
}

pub(crate) fn allow(host: &str, port: u16) -> NetRule {
    NetRule { port: Some(port), ..NetRule::new(host, true) }
}

/// Names of our own, and where they lead. Others do not exist.
#[derive(Debug)]
struct Names;

impl Resolve for Names {
    fn resolve<'a>(&'a self, domain: &'a str) -> Resolving<'a> {
        let found: Result<Vec<IpAddr>, _> = match domain {
            "localhost" | "here.test" => Ok(vec![Ipv4Addr::LOCALHOST.into()]),
            // Nothing is at the first.
            "both.test" => Ok(vec!["127.0.0.9".parse().unwrap(), Ipv4Addr::LOCALHOST.into()]),
            "two.test" => Ok(vec!["127.0.0.2".parse().unwrap(), Ipv4Addr::LOCALHOST.into()]),
            "office.test" => Ok(vec!["10.0.0.1".parse().unwrap(), "fe80::1".parse().unwrap()]),
            "cloud.test" => Ok(vec!["169.254.169.254".parse().unwrap()]),
            "nowhere.test" => Ok(Vec::new()),
            "many.test" => Ok((1..=8).map(|last| [127, 0, 2, last].into()).collect()),
            "never.test" => return Box::pin(std::future::pending()),
            _ => Err(io::Error::new(io::ErrorKind::NotFound, "no such name")),
        };
        Box::pin(std::future::ready(found))
    }
}

/// What a server was asked.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) headers: HashMap<String, Vec<String>>,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|all| {
            assert_eq!(all.len(), 1, "{name}: {all:?}");
            all[0].as_str()
        })
    }
}

/// A server of hyper's that notes what it is asked.
pub(crate) struct Origin {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Origin {
    pub(crate) fn new() -> Self {
        Self::at("127.0.0.1:0").unwrap()
    }

    pub(crate) fn at(address: &str) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = asked.clone();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(serve(listener, noted));
        });
        Ok(Self { address, asked })
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.line).collect()
    }
}

async fn serve(listener: TcpListener, asked: Arc<Mutex<Vec<Asked>>>) {
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    while let Ok((stream, _)) = listener.accept().await {
        let asked = asked.clone();
        let service = service_fn(move |request| answer(request, asked.clone()));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn answer(
    request: Request<Incoming>,
    asked: Arc<Mutex<Vec<Asked>>>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let mut headers = HashMap::<String, Vec<String>>::new();
    for (name, value) in &parts.headers {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        headers.entry(name.to_string()).or_default().push(value);
    }
    let line = format!("{} {}", parts.method, parts.uri);
    let text = String::from_utf8_lossy(&body).into_owned();
    asked.lock().unwrap().push(Asked { line, headers, body: text });
    let mut response = Response::new(Full::new(body));
    match parts.uri.path() {
        "/never" => std::future::pending().await,
        "/redirect" => {
            *response.status_mut() = hyper::StatusCode::FOUND;
            response.headers_mut().insert("location", "http://127.0.0.1:1/".parse().unwrap());
        }
        "/headers" => {
            let headers = response.headers_mut();
            headers.insert("connection", "x-hop".parse().unwrap());
            headers.insert("x-hop", "1".parse().unwrap());
            headers.insert("proxy-authenticate", "Basic".parse().unwrap());
            headers.insert("x-end", "1".parse().unwrap());
        }
        "/big" => *response.body_mut() = Full::new(Bytes::from(vec![b'x'; 3_000_000])),
        _ => {}
    }
    Ok(response)
}

/// A server that does with each connection what it is told.
pub(crate) fn raw(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let serve = Arc::new(serve);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            let serve = serve.clone();
            thread::spawn(move || serve(stream));
        }
    });
    address
}

/// A port at which nobody listens and which nobody else gets, as long as the socket is kept. A port
/// that was only free for a moment could be the next one that a test is given.
pub(crate) fn closed() -> (tokio::net::TcpSocket, SocketAddr) {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}

/// A server that sends back what it gets, and then `bye` when it gets no more.
pub(crate) fn echo() -> SocketAddr {
    raw(|mut stream| {
        let mut input = stream.try_clone().unwrap();
        if io::copy(&mut input, &mut stream).is_ok() {
            let _ = stream.write_all(b"bye");
        }
    })
}

/// A tool that speaks to the proxy byte by byte.
pub(crate) struct Tool {
    stream: BufReader<TcpStream>,
}

/// What it was answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Tool {
    pub(crate) fn new(proxy: &ProxyHandle) -> Self {
        let stream = TcpStream::connect(proxy.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self { stream: BufReader::new(stream) }
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.stream.get_mut().write_all(bytes.as_ref()).unwrap();
        self
    }

    /// Sends, unless nobody listens any more.
    pub(crate) fn try_send(&mut self, bytes: &str) -> bool {
        self.stream.get_mut().write_all(bytes.as_bytes()).is_ok()
    }

    /// Sends and looks at the answer.
    pub(crate) fn ask(&mut self, bytes: impl AsRef<[u8]>) -> Answer {
        self.send(bytes).answer()
    }

    pub(crate) fn get(&mut self, url: &str) -> Answer {
        self.ask(format!("GET {url} HTTP/1.1\r\nHost: whatever\r\n\r\n"))
    }

    pub(crate) fn connect(&mut self, authority: &str) -> Answer {
        self.ask(format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n"))
    }

    pub(crate) fn answer(&mut self) -> Answer {
        self.try_answer().expect("an answer")
    }

    /// An answer; `None` if the connection ends instead.
    pub(crate) fn try_answer(&mut self) -> Option<Answer> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            match self.stream.read_line(&mut head) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("neither an answer nor an end: {error}"),
            }
        }
        let head = head.to_ascii_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let body = match length {
            Some(length) => self.bytes(length.parse().unwrap()),
            None if head.contains("transfer-encoding: chunked") => self.chunks(),
            None => Vec::new(),
        };
        Some(Answer { status, head, body: String::from_utf8(body).unwrap() })
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.stream.read_exact(&mut bytes).unwrap();
        bytes
    }

    fn chunks(&mut self) -> Vec<u8> {
        let mut body = Vec::new();
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).unwrap();
            let size = usize::from_str_radix(line.trim(), 16).unwrap();
            body.extend(self.bytes(size));
            self.bytes(2);
            if size == 0 {
                return body;
            }
        }
    }

    pub(crate) fn end_writing(&mut self) {
        self.stream.get_ref().shutdown(std::net::Shutdown::Write).unwrap();
    }

    /// What comes until the connection ends, by its will or by force.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        match self.stream.read_to_end(&mut rest) {
            Ok(_) => rest,
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => rest,
            Err(error) => panic!("the connection goes on: {error}"),
        }
    }
}
