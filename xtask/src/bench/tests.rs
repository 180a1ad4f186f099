//! The harness, tried on work that takes as long as it says.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use super::*;
use crate::bench::measure::{Amount, Work};

/// Work that claims these many nanoseconds, one after the other, and then the last.
fn claims(times: &[u64]) -> Work {
    let times = times.to_owned();
    let mut turn = 0;
    Work::timed(move || {
        turn += 1;
        Ok(Duration::from_nanos(times[(turn - 1).min(times.len() - 1)]))
    })
}

fn pair(samples: usize, subject: Work, peer: Work) -> Pair {
    Pair { name: "work".to_owned(), limit: 2.0, samples, subject, peer }
}

#[test]
fn medians_are_compared() {
    // One turn to warm up, then the samples.
    let subject = claims(&[999, 10, 1000, 30, 20, 15]);
    let result = measure(&mut pair(5, subject, claims(&[10]))).unwrap();
    assert_eq!((result.subject.number(), result.peer.number()), (20, 10));
    assert!((result.ratio - 2.0).abs() < 1e-9 && result.is_ok());
    let result = measure(&mut pair(2, claims(&[0, 10, 30]), claims(&[10]))).unwrap();
    assert_eq!(result.subject.number(), 20);
}

/// In the second of three turns, between its halves.
#[test]
fn a_machine_that_becomes_slower_changes_no_ratio() {
    let (subject, peer) = (claims(&[0, 20, 40, 40]), claims(&[0, 10, 10, 20]));
    let result = measure(&mut pair(3, subject, peer)).unwrap();
    assert_eq!((result.subject.number(), result.peer.number()), (40, 10));
    assert!((result.ratio - 2.0).abs() < 1e-9);
}

#[test]
fn samples_are_taken_in_turns() {
    let log = Rc::new(RefCell::new(String::new()));
    let note = |letter: char, times| {
        let log = Rc::clone(&log);
        Work::repeat(times, move || {
            log.borrow_mut().push(letter);
            Ok(())
        })
    };
    measure(&mut pair(2, note('a', 1), note('b', 3))).unwrap();
    assert_eq!(*log.borrow(), "abbb".repeat(3));
}

#[test]
fn a_bad_try_is_forgiven_and_three_are_not() {
    // Each try is two turns: one to warm up and one that counts.
    let mut lucky = pair(1, claims(&[90, 90, 10]), claims(&[10]));
    assert_eq!(patiently(&mut lucky).unwrap().verdict(), "ok");
    let mut slow = pair(1, claims(&[90, 90, 80, 80, 70, 70, 10]), claims(&[10]));
    let result = patiently(&mut slow).unwrap();
    assert_eq!((result.verdict(), result.subject.number()), ("over", 70));
    let failure = judge(&[result]).unwrap_err();
    assert_eq!(failure.to_string(), "over the limit in 3 tries: work");
}

#[test]
fn work_that_fails_or_takes_no_time_is_no_success() {
    let broken = Work::repeat(1, || Err(Failure::new("broken")));
    let failure = measure(&mut pair(1, broken, claims(&[1]))).unwrap_err();
    assert_eq!(failure.to_string(), "cannot measure work: broken");
    assert!(measure(&mut pair(0, claims(&[1]), claims(&[1]))).is_err());
    assert!(!measure(&mut pair(1, claims(&[0]), claims(&[0]))).unwrap().is_ok());
}

// D11-292: the bundled tool in both versions, started as it would be, and both times in the table and in the file.
#[cfg(target_os = "linux")]
#[test]
fn a_tool_is_measured_sealed_and_not() {
    use std::os::unix::fs::PermissionsExt as _;

    let dir = tempfile::TempDir::new().unwrap();
    let dir = Utf8PathBuf::try_from(dir.path().join("release")).unwrap();
    fs::create_dir_all(&dir).unwrap();
    // In the place of `jp`: notes how it was called, and prints the settings that it finds.
    let script = "#!/bin/sh\necho \"$@\" >> ../calls\ncat .jp/config.toml\n";
    fs::write(dir.join("jp"), script).unwrap();
    fs::set_permissions(dir.join("jp"), fs::Permissions::from_mode(0o755)).unwrap();
    let programs = Programs { dir: dir.clone(), installed: dir.clone().into() };

    let benchmark = BENCHMARKS.iter().find(|one| one.name == "vfs-tools").unwrap();
    let mut pairs = (benchmark.pairs)(&programs).unwrap();
    let [pair] = pairs.as_mut_slice() else { panic!("there is one pair") };
    pair.samples = 1;
    let results = [patiently(pair).unwrap()];

    let config = fs::read_to_string(dir.join("bench-sealed/.jp/config.toml")).unwrap();
    for (name, runtime) in [("sealed", "vfs"), ("plain", "stdio")] {
        let (_, tool) = config.split_once(&format!("[conversation.tools.{name}]\n")).unwrap();
        let tool = tool.split("\n[").next().unwrap();
        assert!(tool.contains("source = \"local.fs_read_file\""), "{tool}");
        assert!(tool.contains(&format!("runtime = \"{runtime}\"")), "{tool}");
    }
    let calls = fs::read_to_string(dir.join("calls")).unwrap();
    let turn = "tool run sealed path=file.txt\ntool run plain path=file.txt\n";
    assert_eq!(calls, turn.repeat(2), "one to warm up, and one that counts");
    assert!(table(&results).contains("fs_read_file, vfs against stdio"));
    save(&programs, &results).unwrap();
    let saved = fs::read_to_string(dir.with_file_name("bench.json")).unwrap();
    let saved: serde_json::Value = serde_json::from_str(&saved).unwrap();
    assert_eq!(saved[0]["name"], "fs_read_file, vfs against stdio");
    assert!(saved[0]["subject"].as_u64() > Some(0) && saved[0]["peer"].as_u64() > Some(0));
}

#[test]
fn the_table_and_the_file_have_a_row_for_each() {
    let result = |name: &str, subject| Measurement {
        name: name.to_owned(),
        subject: Amount::Time(Duration::from_nanos(subject)),
        peer: Amount::Time(Duration::from_micros(1)),
        ratio: Duration::from_nanos(subject).as_secs_f64() / Duration::from_micros(1).as_secs_f64(),
        limit: 2.0,
        tries: if subject > 2000 { 3 } else { 1 },
    };
    let results = [result("startup", 1500), result("append", 2500)];
    insta::assert_snapshot!(table(&results), @r"
    name         subject         peer   ratio   limit
    startup        1.5µs        1.0µs    1.50    2.00  ok
    append         2.5µs        1.0µs    2.50    2.00  over (best of 3)
    ");

    let dir = tempfile::TempDir::new().unwrap();
    let dir = Utf8PathBuf::try_from(dir.path().join("release")).unwrap();
    save(&Programs::in_dir(dir.clone()), &results).unwrap();
    let saved = fs::read_to_string(dir.with_file_name("bench.json")).unwrap();
    let saved: serde_json::Value = serde_json::from_str(&saved).unwrap();
    assert_eq!(saved[1]["verdict"], "over");
    assert_eq!(saved[0]["subject"], 1500);
}
