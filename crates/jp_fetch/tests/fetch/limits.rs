//! Servers that are slow, endless or wrong, and callers that leave.

use std::{
    io::{self, Read},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use jp_fetch::{FetchError, FetchLimits, FetchSettings, Fetched, Fetcher, Request};
use jp_tool::access::NetRule;

use crate::support::*;

const SOON: Duration = Duration::from_millis(300);

fn limited(limits: FetchLimits) -> Fetcher {
    Fetcher::new(FetchSettings { limits, ..settings() })
}

fn hasty() -> Fetcher {
    limited(FetchLimits { total: SOON, ..FetchLimits::default() })
}

/// What comes of a request to a server that answers like this.
async fn outcome(
    fetcher: &Fetcher,
    answer: impl Fn(&Asked, &mut dyn Stream) -> io::Result<()> + Send + Sync + 'static,
) -> Result<usize, FetchError> {
    let server = Server::new(answer);
    let request = Request::get(&server.url("/"), []).unwrap();
    let ended = run(fetcher, request, &allowing(&[&server])).await?;
    Ok(crate::support::answer(ended).body.len())
}

#[tokio::test]
async fn a_body_over_the_limit_is_an_error() {
    let fetcher = limited(FetchLimits { body: 1000, ..FetchLimits::default() });
    let of =
        |length: usize| move |_: &Asked, to: &mut dyn Stream| say(to, "200 OK", &vec![7; length]);
    assert_eq!(outcome(&fetcher, of(1000)).await.unwrap(), 1000);
    let error = outcome(&fetcher, of(1001)).await.unwrap_err();
    assert!(matches!(error, FetchError::TooLarge { limit: 1000, .. }), "{error:?}");
    assert_eq!(error.to_string(), "a.test: the answer has more than 1000 bytes");
}

#[tokio::test]
async fn an_endless_body_is_cut_off_and_the_connection_dropped() {
    let (ended, end) = mpsc::channel();
    let fetcher = limited(FetchLimits { body: 100_000, ..FetchLimits::default() });
    let endless = move |_: &Asked, to: &mut dyn Stream| {
        write!(to, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")?;
        let chunk = [&b"1000\r\n"[..], &[7; 0x1000], b"\r\n"].concat();
        let mut sent = 0;
        while to.write_all(&chunk).is_ok() {
            sent += chunk.len();
        }
        ended.send(sent).unwrap();
        Err(io::ErrorKind::Other.into())
    };
    let error = outcome(&fetcher, endless).await.unwrap_err();
    assert!(matches!(error, FetchError::TooLarge { .. }), "{error:?}");
    // What is in the buffers of two sockets was sent, and no more.
    let sent = tokio::task::spawn_blocking(move || end.recv_timeout(PATIENCE));
    assert!(sent.await.unwrap().unwrap() < 50_000_000);
}

#[tokio::test]
async fn slow_servers_run_into_the_time_limit() {
    let began = Instant::now();
    let silent = |_: &Asked, _: &mut dyn Stream| {
        thread::sleep(PATIENCE);
        Ok(())
    };
    let drip = |head: &'static str| {
        move |_: &Asked, to: &mut dyn Stream| {
            write!(to, "{head}")?;
            loop {
                to.write_all(b"a")?;
                to.flush()?;
                thread::sleep(Duration::from_millis(20));
            }
        }
    };
    for error in [
        outcome(&hasty(), silent).await.unwrap_err(),
        outcome(&hasty(), drip("HTTP/1.1 200 OK\r\nx: ")).await.unwrap_err(),
        outcome(&hasty(), drip("HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n"))
            .await
            .unwrap_err(),
        outcome(&hasty(), |_, to| {
            loop {
                write!(to, "HTTP/1.1 100 Continue\r\n\r\n")?;
                thread::sleep(Duration::from_millis(20));
            }
        })
        .await
        .unwrap_err(),
    ] {
        assert!(matches!(error, FetchError::Timeout { .. }), "{error:?}");
        assert_eq!(error.to_string(), "a.test: no complete answer within 0.3 s");
    }
    assert!(began.elapsed() < PATIENCE);
}

#[tokio::test]
async fn a_name_that_is_never_found_runs_into_the_time_limit() {
    let fetcher = limited(FetchLimits { connect: SOON, ..FetchLimits::default() });
    let request = Request::get("http://never.test/", []).unwrap();
    let policy = policy(vec![NetRule::new("never.test", true)]);
    let error = run(&fetcher, request, &policy).await.unwrap_err();
    assert_eq!(error.to_string(), "never.test: no complete answer within 0.3 s");
}

#[tokio::test]
async fn the_time_of_a_request_goes_on_after_a_question() {
    let server = Server::new(|_, to| {
        thread::sleep(Duration::from_secs(2));
        redirect(to, 307, "http://never.test/")
    });
    let within = Duration::from_secs(3);
    let fetcher = limited(FetchLimits { total: within, ..FetchLimits::default() });
    let request = Request::get(&server.url("/"), []).unwrap();
    let mut policy = allowing(&[&server]);
    let ended = run(&fetcher, request, &policy).await.unwrap();
    let Fetched::Uncovered(asked) = ended else { panic!("{ended:?}") };
    // A person may take longer than that; only the time of the request counts.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    policy.net.push(asked.rule.clone());
    let began = Instant::now();
    let error = run(&fetcher, asked.rest, &policy).await.unwrap_err();
    assert!(
        matches!(&error, FetchError::Timeout { host, .. } if host == "never.test"),
        "{error:?}"
    );
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    assert!(began.elapsed() > Duration::from_millis(100), "{:?}", began.elapsed());
}

#[tokio::test]
async fn endless_heads_are_an_error() {
    let many = |_: &Asked, to: &mut dyn Stream| {
        write!(to, "HTTP/1.1 200 OK\r\n")?;
        for index in 0_u64.. {
            write!(to, "x-{index}: y\r\n")?;
        }
        Ok(())
    };
    let long = |_: &Asked, to: &mut dyn Stream| {
        write!(to, "HTTP/1.1 200 OK\r\nx: ")?;
        loop {
            to.write_all(&[b'y'; 4096])?;
        }
    };
    let fetcher = fetcher();
    for error in
        [outcome(&fetcher, many).await.unwrap_err(), outcome(&fetcher, long).await.unwrap_err()]
    {
        assert!(matches!(error, FetchError::Failed { .. }), "{error:?}");
        assert!(error.to_string().starts_with("a.test: "), "{error}");
    }
}

#[tokio::test]
async fn what_is_no_answer_is_an_error() {
    for answer in [
        "",
        "hello\r\n\r\n",
        "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
        "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n",
    ] {
        let fetcher = fetcher();
        let result = outcome(&fetcher, move |_, to| {
            to.write_all(answer.as_bytes())?;
            to.flush()?;
            Err(io::ErrorKind::Other.into())
        });
        let error = result.await.unwrap_err();
        assert!(matches!(error, FetchError::Failed { .. }), "{answer}: {error:?}");
        assert!(error.to_string().len() > "a.test: ".len(), "{answer}: {error}");
    }
}

#[tokio::test]
async fn nobody_at_the_port_is_told_so() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let request = Request::get(&format!("http://127.0.0.1:{port}/x?key=1"), []).unwrap();
    let policy = policy(vec![rule("127.0.0.1", port, true)]);
    let text = run(&fetcher(), request, &policy).await.unwrap_err().to_string();
    assert!(text.starts_with("127.0.0.1: ") && text.contains("refused"), "{text}");
    assert!(!text.contains("key"), "{text}");
}

#[tokio::test]
async fn dropping_the_future_closes_the_connection() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (asked, was_asked) = tokio::sync::oneshot::channel();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 4096];
        assert!(stream.read(&mut head).unwrap() > 0);
        asked.send(()).unwrap();
        is_closed(&mut stream)
    });
    let fetcher = fetcher();
    let policy = policy(vec![rule("127.0.0.1", port, true)]);
    let request = Request::get(&format!("http://127.0.0.1:{port}/"), []).unwrap();
    tokio::select! {
        _ = fetcher.fetch(request, &policy, &variables) => panic!("nobody answered"),
        asked = was_asked => asked.unwrap(),
    }
    let closed = tokio::task::spawn_blocking(move || server.join().unwrap());
    assert!(tokio::time::timeout(PATIENCE, closed).await.unwrap().unwrap());
}
