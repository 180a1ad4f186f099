//! A server of files over TLS on this machine, which also misbehaves on request.
//!
//! It speaks for `localhost` with a certificate of an authority that is made for it. Whoever should trust
//! it is given [`Https::ca_file`], the real program by the variable `SSL_CERT_FILE`. Sockets have
//! timeouts, so nothing here waits for ever.

use std::{
    fs,
    io::{self, BufRead, BufReader, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(20);

/// What is said to a request.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A file.
    File(Vec<u8>),
    /// Another place to look.
    Redirect(String),
    /// No file, with this status.
    Status(u16),
    /// The first half of a file, then the connection ends.
    Half(Vec<u8>),
    /// Bytes without end.
    Endless,
    /// The first half of a file, and then nothing for a long time.
    Stuck(Vec<u8>),
}

/// The server. It ends with the process of the test.
#[derive(Debug)]
pub struct Https {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    dir: TempDir,
}

impl Https {
    /// Starts a server that says to each path what `answer` says.
    #[must_use]
    pub fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let dir = TempDir::new().expect("the system lets a test have a directory");
        let config = Arc::new(certified(&dir.path().join("ca.pem")));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("a bound port").port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (notes, answer) = (requests.clone(), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (config, notes, answer) = (config.clone(), notes.clone(), answer.clone());
                // A client that goes away is no failure of the server.
                thread::spawn(move || serve(stream, config, &notes, &*answer));
            }
        });
        Self { port, requests, dir }
    }

    /// The URL of a path that begins with `/`.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.port)
    }

    /// A file with the certificate of the authority that vouches for it.
    #[must_use]
    pub fn ca_file(&self) -> PathBuf {
        self.dir.path().join("ca.pem")
    }

    /// The paths that were asked for, in their order.
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn certified(ca_file: &Path) -> ServerConfig {
    let made = "certificates can be made";
    let mut params = CertificateParams::new([]).expect(made);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority =
        CertifiedIssuer::self_signed(params, KeyPair::generate().expect(made)).expect(made);
    let key = KeyPair::generate().expect(made);
    let params = CertificateParams::new(["localhost".to_owned()]).expect(made);
    let certificate = params.signed_by(&key, &authority).expect(made);
    fs::write(ca_file, authority.pem()).expect("the directory is the test's own");
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect(made)
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .expect(made)
}

fn serve(
    stream: TcpStream,
    config: Arc<ServerConfig>,
    notes: &Mutex<Vec<String>>,
    answer: &dyn Fn(&str) -> Answer,
) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut stream = BufReader::new(StreamOwned::new(connection, stream));
    let mut head = String::new();
    while stream.read_line(&mut head)? > 2 {}
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    notes.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
    let to = stream.get_mut();
    say(to, answer(&path))?;
    to.flush()?;
    to.conn.send_close_notify();
    to.flush()
}

fn say(to: &mut dyn Write, answer: Answer) -> io::Result<()> {
    let head = |to: &mut dyn Write, status: &str, length: usize| {
        write!(to, "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n")
    };
    match answer {
        Answer::File(bytes) => {
            head(to, "200 OK", bytes.len())?;
            to.write_all(&bytes)
        }
        Answer::Redirect(place) => head(to, &format!("302 Found\r\nlocation: {place}"), 0),
        Answer::Status(status) => head(to, &format!("{status} Because"), 0),
        Answer::Half(bytes) => {
            head(to, "200 OK", bytes.len())?;
            to.write_all(&bytes[..bytes.len() / 2])
        }
        Answer::Stuck(bytes) => {
            head(to, "200 OK", bytes.len())?;
            to.write_all(&bytes[..bytes.len() / 2])?;
            to.flush()?;
            thread::sleep(PATIENCE);
            Ok(())
        }
        Answer::Endless => {
            to.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")?;
            loop {
                to.write_all(&[b'x'; 8 << 10])?;
            }
        }
    }
}
