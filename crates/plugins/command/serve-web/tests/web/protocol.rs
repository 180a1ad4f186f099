//! What the plugin asks of its host, and when.

use std::{io::Read as _, net::TcpStream, thread, time::Duration};

use jp_test::TestEnv;
use serde_json::json;

use crate::{
    host::{Host, events, listing},
    http::{Reply, connect, parse, request, send},
    store,
    web::{Web, configure, jp, workspace},
};

const QUIET: Duration = Duration::from_millis(700);

fn get(address: &str, path: &str) -> thread::JoinHandle<Reply> {
    let (address, path) = (address.to_owned(), path.to_owned());
    thread::spawn(move || {
        request(&address, &format!("GET {path}"), &[&format!("Host: {address}")], "")
    })
}

/// 072-268: a page is what the host says at that moment; nothing else is known.
#[test]
fn every_page_asks_the_host() {
    let mut host = Host::start("/nonexistent");
    for path in ["/", "/c/17", "/c/17", "/c/17/events/1", "/c/17/since/0", "/?q=said&in=content"] {
        let page = get(&host.address, path);
        let asked = host.serve(&["17"], QUIET);
        page.join().unwrap().expect(200);
        assert!(asked.iter().any(|kind| kind == "list_conversations"), "{path}: {asked:?}");
    }
    // What is not part of a page needs nobody.
    let page = get(&host.address, "/favicon.ico");
    assert!(host.serve(&[], QUIET).is_empty());
    page.join().unwrap().expect(200);
}

/// What has not changed is read once.
#[test]
fn a_conversation_is_read_again_when_it_has_changed() {
    let mut host = Host::start("/nonexistent");
    let mut read = |last: &str| {
        let page = get(&host.address, "/c/17");
        let asked = host.hear_request("list_conversations");
        let mut list = listing(&["17"]);
        list["data"][0]["last_activated_at"] = json!(last);
        host.answer(&asked, list);
        let asked = host.serve(&["17"], QUIET);
        page.join().unwrap().expect(200);
        asked.len()
    };
    assert_eq!(["a", "a", "b", "b"].map(&mut read), [1, 0, 1, 0]);
}

/// A host that is too slow for what was said has said the titles, and those are searched to the end.
#[test]
fn a_search_without_time_finds_titles() {
    let mut host = Host::start("/nonexistent");
    let page = get(&host.address, "/?q=title+18&in=content");
    let asked = host.hear_request("list_conversations");
    host.answer(&asked, listing(&["17", "18"]));
    let body = page.join().unwrap().expect(200).body;
    assert!(body.contains("title of 18") && !body.contains("title of 17"), "{body}");
    assert!(body.contains("1 conversation found; what was said was searched in the latest 0 of 2"));
    assert!(!body.contains("filter by age"), "{body}");
}

/// 072-269: the store on the disk says one thing, the host another, and the page shows the latter.
#[test]
fn the_store_is_never_opened() {
    let env = TestEnv::new("jp");
    store::write(
        &env,
        "17",
        Some("on the disk"),
        "2026-03-18T13:19:13Z",
        &store::turn("disk", "disk"),
    );
    let mut host = Host::start(env.project().as_str());
    for path in ["/", "/c/17"] {
        let page = get(&host.address, path);
        host.serve(&["17"], QUIET);
        let body = page.join().unwrap().expect(200).body;
        assert!(body.contains("title of 17") && !body.contains("disk"), "{body}");
    }
}

/// 072-270: the host answers in another order, and everybody gets what was asked for.
#[test]
fn requests_at_the_same_time_get_their_own_answers() {
    let mut host = Host::start("/nonexistent");
    let ids = ["17", "18", "19"];
    let pages = ids.map(|id| get(&host.address, &format!("/c/{id}")));
    let lists = ids.map(|_| host.hear_request("list_conversations"));
    for request in lists.iter().rev() {
        assert!(request["id"].is_string(), "{request}");
        host.answer(request, listing(&ids));
    }
    let reads = ids.map(|_| host.hear_request("read_events"));
    for request in reads.iter().rev() {
        host.answer(request, events(request["conversation"].as_str().unwrap()));
    }
    for (id, page) in ids.iter().zip(pages) {
        let body = page.join().unwrap().expect(200).body;
        for other in ids {
            assert_eq!(body.contains(&format!("said in {other}")), other == *id, "{id}: {other}");
        }
    }
}

/// 072-271, 072-272: whoever waits gets an answer, whoever comes later none, and then comes `exit`.
#[test]
fn a_shutdown_lets_requests_finish() {
    let mut host = Host::start("/nonexistent");
    let page = get(&host.address, "/");
    let asked = host.hear_request("list_conversations");
    host.say(&json!({ "type": "shutdown" }));
    let mut refused = false;
    for _ in 0..100 {
        refused = TcpStream::connect(&host.address).is_err();
        if refused {
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    assert!(refused, "connections are still taken");
    host.answer(&asked, listing(&["17"]));
    let page = page.join().unwrap().expect(200);
    assert!(page.body.contains("title of 17") && page.body.ends_with("</html>"), "{}", page.body);
    assert_eq!(host.hear(), json!({ "type": "exit", "code": 0 }));
    assert_eq!(host.wait(), Some(0));
}

/// 072-272, through the real program: an answer that is on its way is written to its end.
#[test]
fn ctrl_c_does_not_cut_an_answer_off() {
    let env = workspace();
    let long = store::write_long(&env, "17");
    let web = Web::start_open(&env);
    web.warm("17");
    // Events that go on do not hold the end up.
    let mut live = connect(web.host());
    send(&mut live, "GET /live", &[&format!("Host: {}", web.host())], "");
    let mut stream = connect(web.host());
    send(&mut stream, "GET /c/17/events/1/raw", &[&format!("Host: {}", web.host())], "");
    let mut bytes = vec![0; 4096];
    stream.read_exact(&mut bytes).unwrap();
    web.running.signal(jp_test::Signal::INT);
    thread::sleep(Duration::from_millis(500));
    stream.read_to_end(&mut bytes).unwrap();
    assert_eq!(parse(&bytes).expect(200).body.len(), long.len());
    web.running.wait().success();
}

/// 072-266: `[server.web]` of the configuration, which a flag overrules.
#[test]
fn address_and_port_come_from_the_configuration() {
    let env = workspace();
    configure(&env, "[server.web]\nbind = '127.0.0.2'\nport = 0\n");
    let web = Web::start_with(&env, &[]);
    assert!(web.host().starts_with("127.0.0.2:"), "{}", web.url);
    web.get("/").expect(200);
    let port = web.host().rsplit(':').next().unwrap();
    let taken = jp(&env, &["--port", port]).run().code(1);
    let want = format!("cannot listen on 127.0.0.2:{port}: it is in use; choose another port");
    assert!(taken.stderr().contains(&want), "{taken}");
}

#[test]
fn it_keeps_to_the_protocol() {
    let env = workspace();
    let output = env.jp(["plugin", "check", "--", env!("CARGO_BIN_EXE_jp-serve-web")]);
    let output = output.timeout(Duration::from_mins(3)).run().success();
    assert!(output.stdout().contains(" 0 warnings, 0 failed"), "{output}");
}

#[test]
fn what_it_says_of_itself() {
    let env = workspace();
    for words in [&["-h"][..], &["--help"], &["--port", "1", "-h"], &["--port=1", "--help"]] {
        let help = jp(&env, words).run().success();
        assert!(help.stdout().contains("Usage: jp serve web [OPTIONS]"), "{help}");
        assert!(help.stdout().contains("--allow-host <NAME>"), "{help}");
    }
    let wrong = jp(&env, &["--prot", "1"]).run().code(2);
    assert!(wrong.stderr().starts_with("error: unexpected argument '--prot'"), "{wrong}");
    assert_eq!(wrong.stderr().matches("error:").count(), 1, "{wrong}");
    assert!(wrong.stderr().contains("--port"), "{wrong}");
    let open = jp(&env, &["--bind", "0.0.0.0"]).run().code(2);
    assert!(open.stderr().contains("can be reached from other machines"), "{open}");
}
