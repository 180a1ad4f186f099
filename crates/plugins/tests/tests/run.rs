//! Every command of the registry, installed and run.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use jp_test::{Running, Signal, Size};
use serde_json::Value;

use crate::shop::{ANSWER, Listed, TITLE, User, listed};

/// How long a plugin may take until it shows something.
const SOON: Duration = Duration::from_mins(1);

/// What shows that a plugin works, by its id.
type Trial = (&'static str, fn(&User, &Listed));

const TRIALS: &[Trial] = &[
    ("conversation-export", exports),
    ("conversation-stats", counts),
    ("dashboard", shows_a_list),
    ("export", exports),
    ("serve-http-api", serves_json),
    ("serve-web", serves_pages),
];

/// Whatever is listed has a trial here, and whatever is tried is listed.
#[test]
fn nothing_in_the_registry_is_untried() {
    let mut ids: Vec<_> = listed().into_iter().map(|plugin| plugin.id).collect();
    ids.sort();
    assert_eq!(ids, TRIALS.iter().map(|(id, _)| *id).collect::<Vec<_>>());
}

/// The whole way of a user: find, install, get help, use.
#[test]
fn whatever_is_in_the_registry_can_be_installed_and_run() {
    for plugin in listed() {
        let user = User::with(&plugin);
        let help = user.jp(&format!("{} -h", plugin.command)).run().success();
        assert!(help.stdout().contains(&format!("Usage: jp {}", plugin.command)), "{help}");
        let (_, trial) = TRIALS.iter().find(|(id, _)| *id == plugin.id).unwrap();
        trial(&user, &plugin);
    }
}

fn exports(user: &User, plugin: &Listed) {
    let output = user.jp(&format!("{} --markdown", plugin.command)).run().success();
    assert!(output.stdout().contains(ANSWER), "{output}");
    user.jp(&format!("{} --format html -o page.html", plugin.command)).run().success();
    let page = user.env.read("page.html");
    assert!(page.contains(ANSWER) && page.contains("</html>"), "{page}");
}

fn counts(user: &User, plugin: &Listed) {
    let output = user.jp(&format!("{} --json", plugin.command)).run().success();
    let counted: Value = serde_json::from_str(output.stdout()).unwrap();
    assert!(counted.to_string().contains("\"turns\":1"), "{output}");
}

fn shows_a_list(user: &User, plugin: &Listed) {
    let mut pty = user.jp(&plugin.command).pty(Size::default());
    pty.expect(TITLE, SOON);
    pty.expect_keys(SOON).send("q");
    pty.wait(SOON).success();
}

fn serves_json(user: &User, plugin: &Listed) {
    let running = user.jp(&format!("{} --port 0", plugin.command)).spawn();
    let address = address(&running);
    running.expect_stdout("Authorization: Bearer ");
    let text = running.stdout_so_far();
    let token = text.lines().find(|line| line.starts_with("Authorization: ")).unwrap();
    let (_, body) = get(&address, "/v1/conversations", &format!("{token}\r\n"));
    let page: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(page["data"][0]["title"], TITLE);
    end(running);
}

fn serves_pages(user: &User, plugin: &Listed) {
    let running = user.jp(&format!("{} --port 0", plugin.command)).spawn();
    let address = address(&running);
    let text = running.stdout_so_far();
    let (_, token) = text.split_once("/?").unwrap();
    let (head, _) = ask(&address, &format!("/?{}", token.trim_end()), "");
    let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let (head, body) = get(&address, "/", &format!("cookie: {cookie}\r\n"));
    assert!(head.contains("text/html"), "{head}");
    assert!(body.contains(TITLE), "{body}");
    end(running);
}

/// Where a server says that it listens.
fn address(running: &Running) -> String {
    let deadline = Instant::now() + SOON;
    loop {
        let text = running.stdout_so_far();
        let rest = text.split_once("http://").map(|(_, rest)| rest);
        // A line that is not complete may lack digits of the port.
        if let Some((address, _)) =
            rest.filter(|it| it.contains('\n')).and_then(|it| it.split_once('/'))
        {
            return address.to_owned();
        }
        assert!(Instant::now() < deadline, "it does not listen: {text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The head and the body of an answer, which is a good one.
fn get(address: &str, path: &str, headers: &str) -> (String, String) {
    let (head, body) = ask(address, path, headers);
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}\n{body}");
    (head, body)
}

/// The head and the body of an answer.
fn ask(address: &str, path: &str, headers: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

/// A server ends well when its user wants an end.
fn end(running: Running) {
    running.signal(Signal::INT);
    running.wait().success();
}
