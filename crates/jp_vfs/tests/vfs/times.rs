//! How long a tool may be silent, and how long it may leave its input unread.

use std::time::{Duration, Instant};

use jp_vfs::{Approval, End, Limits};
use serde_json::json;

use crate::world::World;

fn impatient(millis: u64) -> World {
    let mut world = World::on_disk();
    world.limits.request_timeout = Duration::from_millis(millis);
    world
}

// D11-069 D11-179 D11-226
#[test]
fn defaults() {
    let limits = Limits::default();
    assert_eq!(limits.request_timeout, Duration::from_mins(1));
    assert_eq!(limits.cancel_grace, Duration::from_secs(5));
    assert_eq!(limits.file_bytes, 10_000_000);
}

// D11-225 D11-228
#[test]
fn a_silent_tool_is_given_up() {
    let world = impatient(300);
    let started = Instant::now();
    let tool = world.start_unread(crate::world::init());
    assert_eq!(tool.end(), End::Silent(Duration::from_millis(300)));
    assert!(started.elapsed() >= Duration::from_millis(300));
}

// D11-225: what is neither a request nor a last word is no sign of life, answered or not.
#[test]
fn noise_is_silence() {
    for noise in [" \n", "x", "not json\n", "{\"jsonrpc\":\"2.0\",\"method\":\"progress\"}\n"] {
        let world = impatient(1_000);
        let started = Instant::now();
        let mut tool = world.start();
        while tool.is_served() {
            tool.write(noise);
            while tool.line_within(Duration::ZERO).is_some() {}
            assert!(started.elapsed() < Duration::from_secs(20), "{noise:?}");
        }
        assert_eq!(tool.end(), End::Silent(Duration::from_secs(1)), "{noise:?}");
    }
}

// D11-227: each request begins it anew.
#[test]
fn each_request_counts() {
    let world = impatient(2_000);
    let mut tool = world.start();
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(4) {
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(tool.code("fs.exists", json!({"path": "a"})), 0);
    }
    assert!(tool.is_served());
    assert!(matches!(tool.end(), End::Silent(_)));
}

// D11-227: the time of the host, and of a person, is not that of the tool.
#[test]
fn the_time_of_a_person_does_not_count() {
    let mut world = impatient(1_500).rules("src=r");
    let person = world.person();
    let mut tool = world.start();
    tool.request(1, "fs.write", json!({"path": "a", "content": "x"}));
    assert_eq!(tool.line()["method"], "pending");
    std::thread::sleep(Duration::from_millis(2_500));
    assert!(tool.is_served());
    let waited = tool.session().time_asked();
    assert!(waited >= Duration::from_millis(2_400), "{waited:?}");
    person.says(Approval::Once);
    assert_eq!(tool.line()["result"], json!({}));
    assert!(matches!(tool.end(), End::Silent(_)), "then it is the tool's turn");
    let waited = tool.session().time_asked();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(tool.session().time_asked(), waited, "it stands still");
}

// D11-198
#[test]
fn a_tool_that_stays_alive_may_idle() {
    let world = impatient(1_500);
    let mut tool = world.start();
    tool.notify("state", json!({"type": "running"}));
    tool.state_after(0).unwrap();
    std::thread::sleep(Duration::from_millis(2_500));
    assert!(tool.is_served());
    // After an input it is expected to say something.
    tool.session().apply(json!("x"));
    assert_eq!(tool.line()["method"], "apply");
    assert!(matches!(tool.end(), End::Silent(_)));
}

// One that does not read what it is sent is not waited for either.
#[test]
fn a_deaf_tool_is_given_up() {
    let world = impatient(1_500);
    world.put("large", vec![b'x'; 5_000_000]);
    let mut tool = world.start();
    tool.request(1, "fs.read", json!({"path": "large"}));
    assert_eq!(tool.end(), End::Deaf(Duration::from_millis(1_500)));
}

// Slowly is not never: 64 KiB now and then, for longer than its patience.
#[test]
fn a_slow_reader_is_not_deaf() {
    let world = impatient(1_500);
    world.put("large", vec![b'x'; 5_000_000]);
    let mut tool = world.start();
    tool.request(1, "fs.read", json!({"path": "large"}));
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(4) {
        std::thread::sleep(Duration::from_millis(100));
        tool.read_some(64 << 10);
    }
    assert!(tool.is_served());
    assert_eq!(tool.line()["result"]["size"], 5_000_000);
}

// A tool that was told to end is not blamed for being silent; that has a time of its own.
#[test]
fn a_cancelled_tool_is_not_silent() {
    let world = impatient(1_500);
    let mut tool = world.start();
    tool.session().cancel();
    assert_eq!(tool.line()["method"], "cancel");
    std::thread::sleep(Duration::from_millis(2_500));
    assert!(tool.is_served());
}
