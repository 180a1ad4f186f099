//! Many clients at once.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{sleep, timeout},
};

use crate::support::{World, head};

const CLIENTS: usize = 1_000;
const TIME: Duration = Duration::from_secs(10);

/// 1,000 clients, each with one connection that it keeps, ask for 10 seconds as fast as they can: every
/// answer is there and right.
#[test]
fn stress_a_thousand_clients() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
    let world = World::new();
    for n in 0..200_u64 {
        let line = r#"{"timestamp":"2026-03-18T13:19:00Z","type":"chat_response","message":"x"}"#;
        world.conversation(1_000 + n, Some("Title"), "2026-03-18T13:19:00Z", &format!("{line}\n"));
    }
    let api = world.start();
    let (host, token) = (api.address.to_string(), format!("Bearer {}", api.token));
    let headers = [("host", host.as_str()), ("authorization", token.as_str())];
    let paths = ["/v1/conversations", "/v1/conversations/1042", "/v1/conversations/1099/events"];
    let request = |path| head("GET", path, &headers).replace("connection: close\r\n", "");
    let requests: Arc<[String]> = paths.map(request).into();
    let (count, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let slowest = runtime.block_on(async {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|n| {
                let (requests, count, stop) = (requests.clone(), count.clone(), stop.clone());
                tokio::spawn(client(api.address, requests, n, count, stop))
            })
            .collect();
        sleep(TIME).await;
        stop.store(true, Ordering::SeqCst);
        let mut slowest = Duration::ZERO;
        for client in clients {
            slowest = slowest.max(client.await.unwrap());
        }
        slowest
    });
    let count = count.load(Ordering::SeqCst);
    println!("{count} answers, the slowest after {slowest:?}");
    assert!(count >= CLIENTS as u64, "only {count} answers");
    assert_eq!(api.get("/v1/health").status, 200);
}

/// Asks until it is told to stop; returns how long the slowest answer took.
async fn client(
    address: std::net::SocketAddr,
    requests: Arc<[String]>,
    n: usize,
    count: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
) -> Duration {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut slowest = Duration::ZERO;
    for request in requests.iter().cycle().skip(n % requests.len()) {
        if stop.load(Ordering::SeqCst) {
            break;
        }
        let began = Instant::now();
        stream.write_all(request.as_bytes()).await.unwrap();
        timeout(Duration::from_secs(25), answer(&mut stream)).await.unwrap();
        slowest = slowest.max(began.elapsed());
        count.fetch_add(1, Ordering::SeqCst);
    }
    slowest
}

/// Reads one answer, which has to be a good one.
async fn answer(stream: &mut TcpStream) {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            assert!(head.starts_with("HTTP/1.1 200 "), "{text}");
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.unwrap().parse().unwrap();
            assert!(body.len() <= length, "{text}");
            if body.len() == length {
                return;
            }
        }
        assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "closed in an answer");
    }
}
