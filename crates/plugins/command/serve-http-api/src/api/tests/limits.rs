//! What takes too long and what is too much: the API behind its guard, with a host that says only what a
//! test wants it to.
//!
//! Where the host says nothing, the clock flies: it jumps to the next moment that anybody waits for.

use std::{
    convert::Infallible,
    io::{BufRead as _, BufReader, PipeReader, PipeWriter, Write as _, pipe},
    mem,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    task::{Context, Poll},
    thread::{self, JoinHandle},
    time::Duration,
};

use axum::{
    body::Body,
    http::{HeaderMap, Method, Request, StatusCode, header},
};
use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::{body::Frame, service::Service as _};
use hyper_util::service::TowerToHyperService;
use jp_plugin_sdk::Plugin;
use plugin_server::{Names, Token};
use serde::{Serialize, Serializer};
use serde_json::{Value, json, value::RawValue};
use tokio::{
    runtime::Builder,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use crate::{
    api::{App, answer::About, router, routes},
    etag::Expected,
    guard::Guard,
    limits,
    promise::Promise,
    store::{Batch, Store},
};

const TOKEN: &str = "0123456789abcdef";
const ADDRESS: &str = "127.0.0.1:3142";
/// How long a host may wait for the end of its plugin.
const PATIENCE: Duration = Duration::from_secs(20);
/// Who says nothing for so long waits for something.
const SILENCE: Duration = Duration::from_millis(300);

/// A body that takes too long is a 408, and while it takes its time, there is room for few.
#[test]
fn bodies_that_do_not_arrive() {
    let host = Host::silent();
    host.serve(|store| async move {
        let (api, begun) = (Api::new(store), Arc::new(AtomicUsize::new(0)));
        let mut clients = JoinSet::new();
        for _ in 0..=limits::BODIES {
            let body = Body::new(Never { begun: Arc::clone(&begun), is_begun: false });
            clients.spawn(api.send(Method::POST, "/v1/conversations", body));
        }
        sleep(limits::UPLOAD / 2).await;
        assert_eq!(begun.load(Ordering::SeqCst), limits::BODIES);
        sleep(limits::UPLOAD / 2 + Duration::from_secs(1)).await;
        assert_eq!(begun.load(Ordering::SeqCst), limits::BODIES + 1, "there is room for the last");
        let mut answers = clients.join_all().await;
        answers.sort();
        // The last has spent its time on waiting.
        assert_eq!(answers.pop(), Some((503, "unavailable".to_owned())));
        assert_eq!(answers, vec![(408, "slow-request".to_owned()); limits::BODIES]);
    });
}

#[test]
fn a_host_that_does_not_answer() {
    let host = Host::silent();
    host.serve(|store| async move {
        let began = Instant::now();
        let answer = Api::new(store).send(Method::GET, "/v1/health", Body::empty()).await;
        assert_eq!(answer, (503, "unavailable".to_owned()));
        assert_eq!(began.elapsed().as_secs(), limits::ANSWER.as_secs());
    });
}

/// What was made and not yet sent has its room until it is gone.
#[test]
fn answers_wait_for_room() {
    let host = Host::silent();
    host.serve(|store| async move {
        let app = App::new(store, &routes().1);
        let send = async |bytes: usize| {
            let content = Content { bytes, passes: AtomicUsize::new(0) };
            let answer = app.answer(StatusCode::OK, &content, About::default());
            let answer = timeout(limits::ANSWER, answer).await;
            // It is measured in any case, and made only if there is room.
            let passes = if answer.is_ok() { 2 } else { 1 };
            assert_eq!(content.passes.load(Ordering::SeqCst), passes, "{bytes}");
            answer
        };
        let first = send(limits::ANSWERS / 2).await.unwrap();
        let second = send(limits::ANSWERS / 2).await.unwrap();
        assert!(send(1 << 10).await.is_err(), "it is full");
        drop(first);
        assert!(send(limits::ANSWERS / 2).await.is_ok(), "there is room again");
        assert!(send(limits::ANSWERS).await.is_err(), "not for so much");
        drop(second);
        // One that is larger than all the room has it for itself.
        let whole = send(limits::ANSWERS * 2).await.unwrap();
        assert!(send(1 << 10).await.is_err(), "it is full");
        drop(whole);
    });
}

/// A conversation is not read for somebody whose answer cannot be made yet.
#[test]
fn few_answers_are_made_at_once() {
    let host = Host::silent();
    host.serve(|store| async move {
        let app = App::new(store, &routes().1);
        let places = app.0.making.acquire_many(u32::try_from(limits::MAKING).unwrap()).await;
        assert!(timeout(limits::ANSWER, app.place()).await.is_err());
        drop(places);
        assert!(timeout(limits::ANSWER, app.place()).await.is_ok());
    });
}

/// The host takes its time for the lock: the client hears that nothing was written, and nothing is, also
/// when the host is ready at last. What waits behind it has its room in memory all the while.
#[test]
fn nothing_is_written_after_a_503() {
    let pushed = Arc::new(AtomicUsize::new(0));
    let told = Arc::new(AtomicBool::new(false));
    let (counted, is_told, mut held) = (Arc::clone(&pushed), Arc::clone(&told), None);
    let host = Host::start(move |asked, _| match asked["type"].as_str() {
        Some("list_conversations") => Said::Answer(listing(1, 0)),
        Some("lock") => {
            held = Some(asked.clone());
            Said::Nothing
        }
        Some("push_events") => {
            counted.fetch_add(1, Ordering::SeqCst);
            Said::Answer(json!({ "type": "pushed", "conversation": "1", "count": 1 }))
        }
        Some("unlock") => Said::Answer(json!({ "type": "unlocked", "conversation": "1" })),
        _ if !is_told.load(Ordering::SeqCst) => Said::Nothing,
        _ => match held.take() {
            Some(asked) => Said::Late(json!({ "type": "locked", "conversation": "1" }), asked),
            None => Said::Nothing,
        },
    });
    host.serve(|store| async move {
        let api = Api::new(Arc::clone(&store));
        let path = "/v1/conversations/1/events";
        let body = || Body::from(r#"{"events":[{"type":"turn_start"}]}"#);
        let first = tokio::spawn(api.send(Method::POST, path, body()));
        let second = tokio::spawn(api.send(Method::POST, path, body()));
        // Let them get to where they wait; then time is up.
        sleep(SILENCE).await;
        tokio::time::pause();
        tokio::time::advance(limits::ANSWER).await;
        assert_eq!(first.await.unwrap(), (503, "unavailable".to_owned()));
        assert_eq!(second.await.unwrap(), (503, "unavailable".to_owned()));
        tokio::time::resume();
        told.store(true, Ordering::SeqCst);
        // The host gives the lock now.
        sleep(SILENCE * 3).await;
        timeout(PATIENCE, store.idle()).await.unwrap();
    });
    assert_eq!(pushed.load(Ordering::SeqCst), 0);
}

/// It has been told to write and does not answer: nobody says that it has not written.
#[test]
fn whoever_has_begun_to_write_is_not_said_to_have_not() {
    for ends in [true, false] {
        let mut host = Host::start(move |asked, _| match asked["type"].as_str() {
            Some("list_conversations") => Said::Answer(listing(1, 0)),
            Some("lock") => Said::Answer(json!({ "type": "locked", "conversation": "1" })),
            Some("push_events") if ends => Said::Bye,
            _ => Said::Nothing,
        });
        host.clock_flies = false;
        host.serve(move |store| async move {
            let body = Body::from(r#"{"events":[{"type":"turn_start"}]}"#);
            let path = "/v1/conversations/1/events";
            let answer = tokio::spawn(Api::new(store).send(Method::POST, path, body));
            if !ends {
                sleep(SILENCE).await;
                tokio::time::pause();
            }
            assert_eq!(answer.await.unwrap(), (504, "unknown".to_owned()));
        });
    }
}

/// A body has its room for as long as its events are there, even if its client is gone.
#[test]
fn a_batch_has_its_room_until_it_is_written() {
    let host = Host::start(|asked, _| match asked["type"].as_str() {
        Some("list_conversations") => Said::Answer(listing(1, 0)),
        // The lock is never given.
        _ => Said::Nothing,
    });
    host.serve(|store| async move {
        let app = App::new(Arc::clone(&store), &routes().1);
        let room = Arc::clone(&app.0.bodies).acquire_owned().await.unwrap();
        let expected = Expected::of(&HeaderMap::new());
        let batch = Batch { events: vec![json!({ "type": "turn_start" })], expected, room };
        let append = store.append("1".to_owned(), batch, Promise::default());
        assert!(timeout(SILENCE, append).await.is_err(), "the lock was given");
        assert_eq!(app.0.bodies.available_permits(), limits::BODIES - 1);
    });
}

#[test]
fn a_host_that_ends() {
    let host = Host::start(|asked, _| {
        assert_eq!(asked["type"], "list_conversations");
        Said::Bye
    });
    host.serve(|store| async move {
        let answer = Api::new(store).send(Method::GET, "/v1/health", Body::empty()).await;
        assert_eq!(answer, (503, "unavailable".to_owned()));
    });
}

/// Somebody appends between every two looks at a conversation.
#[test]
fn a_conversation_that_never_rests() {
    let host = Host::start(|asked, count| {
        Said::Answer(match asked["type"].as_str() {
            Some("list_conversations") => listing(1, count),
            _ => no_events(asked),
        })
    });
    host.serve(|store| async move {
        let path = "/v1/conversations/1/events";
        let answer = Api::new(store).send(Method::GET, path, Body::empty()).await;
        assert_eq!(answer, (503, "unavailable".to_owned()));
    });
}

#[test]
fn few_conversations_are_read_at_once() {
    let most = Arc::new(AtomicUsize::new(0));
    let (counted, mut held) = (Arc::clone(&most), Vec::new());
    let host = Host::start(move |asked, _| match asked["type"].as_str() {
        Some("list_conversations") => Said::Answer(listing(6, 0)),
        Some("read_events") => {
            held.push(asked.clone());
            counted.fetch_max(held.len(), Ordering::SeqCst);
            Said::Nothing
        }
        // Only when nobody asks for anything more, one of them gets what it waits for.
        _ => held.pop().map_or(Said::Nothing, |asked| Said::Late(no_events(&asked), asked)),
    });
    host.serve(|store| async move {
        let (api, mut clients) = (Api::new(store), JoinSet::new());
        for id in 1..=6 {
            let path = format!("/v1/conversations/{id}/events");
            clients.spawn(api.send(Method::GET, &path, Body::empty()));
        }
        for answer in clients.join_all().await {
            assert_eq!(answer.0, 200);
        }
    });
    assert_eq!(most.load(Ordering::SeqCst), limits::READING);
}

/// Something that takes so many bytes, or a little less, and counts how often it was written.
struct Content {
    bytes: usize,
    passes: AtomicUsize,
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.passes.fetch_add(1, Ordering::SeqCst);
        // A text would be looked at letter by letter, which takes long without optimization.
        let piece = RawValue::from_string(format!("1{}", "0".repeat((1 << 20) - 3))).unwrap();
        serializer.collect_seq(std::iter::repeat_n(piece, self.bytes >> 20))
    }
}

/// The API as it is served.
struct Api(TowerToHyperService<axum::Router>);

impl Api {
    fn new(store: Arc<Store>) -> Self {
        let names = Names::new("127.0.0.1".parse().unwrap(), Vec::new());
        let guard = Guard::new(names, Token::given(TOKEN).unwrap());
        Self(TowerToHyperService::new(guard.protect(router(store))))
    }

    /// The status of the answer, and the kind of problem if it is one.
    fn send(
        &self,
        method: Method,
        path: &str,
        body: Body,
    ) -> impl Future<Output = (u16, String)> + Send + use<> {
        let request = Request::builder().method(method).uri(path).header(header::HOST, ADDRESS);
        let request = request.header(header::AUTHORIZATION, format!("Bearer {TOKEN}"));
        let request = request.header(header::CONTENT_TYPE, "application/json").body(body).unwrap();
        let answer = self.0.call(request);
        async move {
            let (head, body) = answer.await.unwrap().into_parts();
            let body: Value =
                serde_json::from_slice(&body.collect().await.unwrap().to_bytes()).unwrap();
            let kind = body["type"].as_str().and_then(|it| it.strip_prefix("urn:jp:problem:"));
            (head.status.as_u16(), kind.unwrap_or_default().to_owned())
        }
    }
}

/// A body of which nothing ever arrives.
struct Never {
    begun: Arc<AtomicUsize>,
    is_begun: bool,
}

impl hyper::body::Body for Never {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if !mem::replace(&mut self.is_begun, true) {
            self.begun.fetch_add(1, Ordering::SeqCst);
        }
        Poll::Pending
    }
}

/// What a host does.
enum Said {
    Answer(Value),
    /// To this request, which it heard before.
    Late(Value, Value),
    Nothing,
    Bye,
}

/// The other end of a plugin.
struct Host {
    clock_flies: bool,
    reader: PipeReader,
    writer: PipeWriter,
    thread: JoinHandle<()>,
}

impl Host {
    /// One that never answers.
    fn silent() -> Self {
        Self { clock_flies: true, ..Self::start(|_, _| Said::Nothing) }
    }

    /// One that says this to every request, with the number of those before it; and to `null` when there
    /// was none for a while.
    fn start(answer: impl FnMut(&Value, u64) -> Said + Send + 'static) -> Self {
        let (reader, to) = pipe().unwrap();
        let (from, writer) = pipe().unwrap();
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let lines = BufReader::new(from).lines().map_while(Result::ok);
            lines.for_each(|line| drop(sender.send(line)));
        });
        let thread = thread::spawn(move || converse(to, &lines, answer));
        Self { clock_flies: false, reader, writer, thread }
    }

    /// Runs a plugin to its end.
    fn serve<F: Future<Output = ()>>(self, client: impl FnOnce(Arc<Store>) -> F) {
        let mut runtime = Builder::new_current_thread();
        let runtime = runtime.enable_all().start_paused(self.clock_flies).build().unwrap();
        let plugin = Plugin::new("probe", "0.1.0", "Tries limits");
        let reader = BufReader::new(self.reader);
        let code = plugin.run_async_on(&runtime, reader, self.writer, async |session| {
            client(Arc::new(Store::new(session))).await;
            Ok(())
        });
        assert_eq!(code, 0, "the client did not get to its end");
        self.thread.join().unwrap();
    }
}

fn converse(
    mut to: PipeWriter,
    lines: &Receiver<String>,
    mut answer: impl FnMut(&Value, u64) -> Said,
) {
    let init = json!({
        "type": "init", "version": 1, "config": {}, "args": [], "log_level": 0,
        "workspace": { "root": "/w", "storage": "/w/.jp", "id": "ab12c" },
    });
    writeln!(to, "{init}").unwrap();
    let (mut count, mut silences) = (0, Duration::ZERO);
    while silences < PATIENCE {
        let asked: Value = match lines.recv_timeout(SILENCE) {
            Ok(line) => serde_json::from_str(&line).unwrap(),
            Err(RecvTimeoutError::Timeout) => Value::Null,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        match asked["type"].as_str() {
            Some("ready") => continue,
            Some("exit") => return,
            Some(_) => count += 1,
            None => silences += SILENCE,
        }
        let (mut said, asked) = match answer(&asked, count) {
            Said::Answer(said) => (said, asked),
            Said::Late(said, asked) => (said, asked),
            Said::Nothing => continue,
            Said::Bye => return,
        };
        said["id"] = asked["id"].clone();
        writeln!(to, "{said}").unwrap();
    }
    panic!("the plugin does not end");
}

fn listing(conversations: u64, events: u64) -> Value {
    let summary = |id: u64| {
        json!({
            "id": id.to_string(), "title": null, "last_activated_at": "2026-03-18T13:19:00Z",
            "events_count": events,
        })
    };
    json!({ "type": "conversations", "data": (1..=conversations).map(summary).collect::<Vec<_>>() })
}

fn no_events(asked: &Value) -> Value {
    json!({ "type": "events", "conversation": asked["conversation"], "data": [] })
}
