//! What goes wrong ends in time, says where, and tells no secret.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use jp_project::{
    DeleteReach, GrepQuery, Part, ProjectFiles, ProjectPath, RenameTarget, Slice, WriteMode,
};
use jp_test::Server;

use crate::projects::Projects as _;

const PASSWORD: &str = Server::PASSWORD;

/// The limit of these projects, and what a call may take on a machine that has more to do.
const SECS: &str = "10";
const IN_TIME: Duration = Duration::from_secs(30);

fn path(text: &str) -> ProjectPath {
    ProjectPath::new(text).unwrap()
}

/// What comes of every operation; each has to end in time.
fn everything(project: &dyn ProjectFiles) -> Vec<String> {
    let (a, b) = (path("dir/a"), path("b"));
    let operations: [&dyn Fn() -> Option<jp_project::ProjectError>; 9] = [
        &|| project.read(&a, Part::whole(10)).err(),
        &|| project.write(&a, b"x", WriteMode::Replace).err(),
        &|| project.write(&a, b"x", WriteMode::CreateNew).err(),
        &|| project.list_dir(&ProjectPath::root(), Slice::default()).err(),
        &|| project.metadata(&a).err(),
        &|| project.delete(&a, DeleteReach::Recursive).err(),
        &|| project.rename(&a, &b, RenameTarget::Overwrite).err(),
        &|| project.create_dir(&path("made")).err(),
        &|| project.grep(&GrepQuery::new("x")).err(),
    ];
    let outcome = |operation: &dyn Fn() -> Option<jp_project::ProjectError>| {
        let start = Instant::now();
        let error = operation();
        assert!(start.elapsed() < IN_TIME, "{:?}", start.elapsed());
        error.map_or_else(String::new, |error| format!("{error} {error:?}"))
    };
    operations.iter().map(|operation| outcome(operation)).collect()
}

/// Every operation fails with this, and with none of the secrets.
fn check(project: &dyn ProjectFiles, expected: &[&str], secrets: &[&str]) {
    for text in everything(project) {
        assert!(expected.iter().all(|part| text.contains(part)), "{text}");
        assert!(text.contains(&project.display_root()), "{text}");
        assert!(!secrets.iter().any(|secret| text.contains(secret)), "{text}");
    }
}

#[test]
fn postgresql_says_what_is_wrong() {
    let mut server = Server::postgresql();
    let with = |changes: &[(&str, &str)]| {
        server.project_with(&[&[("timeout_secs", SECS)], changes].concat())
    };
    check(with(&[("password", "incorrect")]).as_ref(), &["refused"], &["incorrect", PASSWORD]);
    let missing = ["\"missing\" does not exist", "CREATE TABLE \"missing\" (key text"];
    check(with(&[("table", "missing")]).as_ref(), &missing, &[PASSWORD]);
    check(with(&[("table", "a\"; DROP TABLE jp_files; --")]).as_ref(), &["does not exist"], &[]);
    let project = with(&[]);
    project.write(&path("kept"), b"x", WriteMode::Replace).unwrap();
    // A connection that is lost is made again.
    assert!(server.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    ));
    assert_eq!(project.read(&path("kept"), Part::whole(10)).unwrap().bytes, b"x");
    // One that waits for another is given up, and those behind it are not held up.
    assert!(server.sql("CREATE TABLE busy (LIKE jp_files INCLUDING ALL)"));
    let busy = with(&[("table", "busy"), ("timeout_secs", "2")]);
    thread::scope(|scope| {
        scope.spawn(|| assert!(server.sql("BEGIN; LOCK TABLE busy; SELECT pg_sleep(5)")));
        thread::sleep(Duration::from_secs(1));
        let start = Instant::now();
        let error = busy.metadata(&path("x")).unwrap_err().to_string();
        assert!(error.contains("no answer within 2 s"), "{error}");
        assert!(start.elapsed() < IN_TIME, "{:?}", start.elapsed());
    });
    assert!(!busy.exists(&path("x")).unwrap());
    killed(&project, &mut server);
}

/// Which certificates are trusted is read once, from what the process was started with. So the second
/// half of this test is the same test in another process.
#[test]
fn only_a_server_with_a_trusted_certificate_is_talked_to() {
    const URL: &str = "JP_TEST_URL";
    if let Ok(url) = std::env::var(URL) {
        let options = [("url", url.as_str()), ("password", PASSWORD)];
        let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let project = jp_opendal::open("postgresql", &BTreeMap::from(options), "x").unwrap();
        project.write(&path("a"), b"x", WriteMode::CreateNew).unwrap();
        assert_eq!(project.read(&path("a"), Part::whole(10)).unwrap().bytes, b"x");
        return;
    }
    let (server, certificate) = Server::postgresql_over_tls();
    let project = server.project_with(&[("timeout_secs", SECS)]);
    check(project.as_ref(), &["invalid peer certificate"], &[PASSWORD]);
    let name = thread::current().name().unwrap().to_owned();
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args([&name, "--exact"]).env(URL, &server.options["url"]);
    let output = again.env("SSL_CERT_FILE", certificate).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    assert!(server.sql("SELECT 1 / count(*) FROM jp_files WHERE key = 'x/a'"));
}

#[test]
fn s3_says_what_is_wrong() {
    let mut server = Server::s3(&[]);
    let with = |changes: &[(&str, &str)]| {
        server.project_with(&[&[("timeout_secs", SECS)], changes].concat())
    };
    let (id, key) = (&server.options["access_key_id"], &server.options["secret_access_key"]);
    let secrets = ["incorrect", id.as_str(), key.as_str()];
    check(with(&[("secret_access_key", "incorrect")]).as_ref(), &["refused"], &secrets);
    check(with(&[("access_key_id", "incorrect")]).as_ref(), &["refused"], &secrets);
    check(with(&[("bucket", "missing")]).as_ref(), &["bucket does not exist"], &secrets);
    let project = with(&[]);
    killed(&project, &mut server);
}

/// A server that goes away while it is used.
fn killed(project: &Arc<dyn ProjectFiles>, server: &mut Server) {
    let user = Arc::clone(project);
    let busy = thread::spawn(move || {
        for n in 0.. {
            let start = Instant::now();
            let written = user.write(&path(&format!("dir/{n}")), b"x", WriteMode::Replace);
            assert!(start.elapsed() < IN_TIME, "{:?}", start.elapsed());
            if let Err(error) = written {
                return (n, error.to_string());
            }
        }
        unreachable!("the server is killed");
    });
    thread::sleep(Duration::from_millis(700));
    server.kill();
    let (written, error) = busy.join().unwrap();
    assert!(written > 0, "{error}");
    assert!(error.contains("cannot be reached") || error.contains("no answer"), "{error}");
    check(project.as_ref(), &["cannot be reached"], &[PASSWORD]);
}

/// A server that does with each connection what it is told to.
fn fake(serve: impl Fn(TcpStream) + Clone + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = serve.clone();
            thread::spawn(move || serve(stream));
        }
    });
    port
}

fn s3_at(port: u16) -> Arc<dyn ProjectFiles> {
    let options = [
        ("endpoint", format!("http://127.0.0.1:{port}")),
        ("bucket", "b".to_owned()),
        ("region", "r".to_owned()),
        ("access_key_id", "hunter1".to_owned()),
        ("secret_access_key", "hunter2".to_owned()),
        ("timeout_secs", "1".to_owned()),
    ];
    let options = options.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    jp_opendal::open("s3", &options, "").unwrap()
}

#[test]
fn who_never_answers_is_not_waited_for() {
    let port = fake(|stream| {
        thread::sleep(Duration::from_mins(10));
        drop(stream);
    });
    check(s3_at(port).as_ref(), &["no answer within "], &["hunter"]);
    let url = format!("postgresql://me:hunter2@127.0.0.1:{port}/x");
    let options =
        BTreeMap::from([("url".to_owned(), url), ("timeout_secs".to_owned(), "1".to_owned())]);
    let project = jp_opendal::open("postgresql", &options, "").unwrap();
    check(project.as_ref(), &["no answer within "], &["hunter"]);
}

/// Answers each request on a connection with what a function says; `false` ends it.
fn answer(stream: TcpStream, respond: impl Fn(&str, &mut TcpStream) -> bool) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let mut stream = stream;
    while let Some(Ok(request)) = lines.next() {
        while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
        if !respond(&request, &mut stream) {
            return;
        }
    }
}

#[test]
fn an_answer_that_stops_half_way_is_not_waited_for() {
    let port = fake(|stream| {
        answer(stream, |request, stream| {
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nETag: \"x\"\r\n\r\n";
            let body = if request.starts_with("GET") { "half" } else { "" };
            stream.write_all(format!("{head}{body}").as_bytes()).is_ok()
        });
    });
    let start = Instant::now();
    let error = s3_at(port).read(&path("a"), Part::whole(1_000)).unwrap_err().to_string();
    assert!(error.contains("no answer within 1 s"), "{error}");
    assert!(start.elapsed() < IN_TIME, "{:?}", start.elapsed());
}

#[test]
fn what_fails_in_passing_is_tried_again() {
    let list = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>";
    let count = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let seen = Arc::clone(&count);
    let port = fake(move |stream| {
        answer(stream, |request, stream| {
            let is_first = seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < 2;
            let (status, body) = match (is_first, request.starts_with("HEAD")) {
                (true, _) => ("503 Slow Down", ""),
                (false, true) => ("404 Not Found", ""),
                (false, false) => ("200 OK", list),
            };
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", body.len());
            stream.write_all(format!("{head}{body}").as_bytes()).is_ok()
        });
    });
    let options = [
        ("endpoint", format!("http://127.0.0.1:{port}")),
        ("bucket", "b".to_owned()),
        ("region", "r".to_owned()),
        ("access_key_id", "id".to_owned()),
        ("secret_access_key", "key".to_owned()),
    ];
    let options = options.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let project = jp_opendal::open("s3", &options, "").unwrap();
    assert!(!project.exists(&path("a")).unwrap());
    assert_eq!(count.load(std::sync::atomic::Ordering::SeqCst), 4);
}
