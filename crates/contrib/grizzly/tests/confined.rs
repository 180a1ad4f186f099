//! Under a policy that the kernel enforces: the directory of the database can be read, nothing can be written
//! and there is no network.

#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]
#![expect(clippy::unwrap_used, reason = "tests may fail")]

use std::{collections::BTreeMap, time::Duration};

use camino::Utf8Path;
use grizzly::fixture::Fixture;
use jp_test::{TestEnv, find_bin};
use rusqlite::Connection;
use serde_json::Value;

const LINES: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_notes","arguments":{"title":"Garden plan"}}}
"#;
/// No file of the workspace.
const POLICY: &str = "[[access.fs]]\npath = \".\"\n";

fn files(dir: &Utf8Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(dir).unwrap().map(Result::unwrap);
    let name = |entry: &std::fs::DirEntry| entry.file_name().into_string().unwrap();
    entries.map(|entry| (name(&entry), std::fs::read(entry.path()).unwrap())).collect()
}

/// The answer of the confined program about a database in this directory.
fn ask(env: &TestEnv, dir: &Utf8Path, granted: &[&str]) -> Value {
    let database = dir.join("database.sqlite");
    let program = ["--", env!("CARGO_BIN_EXE_grizzly"), "--database", database.as_str()];
    let words =
        [&["sandbox", "run", "--no-net", "--policy", "rules.toml"], granted, &program].concat();
    let output = env.jp(words).stdin(LINES).timeout(Duration::from_mins(1)).run();
    let output = output.to_string();
    let answer = output.lines().find(|line| line.contains(r#""id":2"#));
    serde_json::from_str(answer.unwrap_or_else(|| panic!("{output}"))).unwrap()
}

#[test]
fn a_place_that_can_only_be_read_is_enough() {
    let env = TestEnv::new(find_bin("jp"));
    env.write("rules.toml", POLICY);
    let dir = env.root().join("bear");
    std::fs::create_dir(&dir).unwrap();
    let path = dir.join("database.sqlite");
    let connection = Fixture { notes: 5, ..Fixture::default() }.create(&path).unwrap();
    let rename = |connection: &Connection, word: &str| {
        let sql = "UPDATE ZSFNOTE SET ZTEXT = ?1 WHERE ZTITLE = 'Garden plan'";
        connection.execute(sql, [word]).unwrap();
    };
    let granted = ["--read", dir.as_str()];
    // With a log and the shared memory of somebody who is writing, with neither, and with a log that was
    // left behind without the shared memory.
    rename(&connection, "in the log");
    let before = files(&dir);
    assert_eq!(before.len(), 3);
    let answer = ask(&env, &dir, &granted);
    assert!(answer.to_string().contains("in the log"), "{answer}");
    assert_eq!(files(&dir), before);
    let left = before.get("database.sqlite-wal").unwrap();
    let old = before.get("database.sqlite").unwrap();

    rename(&connection, "in the file");
    drop(connection);
    std::thread::sleep(Duration::from_millis(50));
    let answer = ask(&env, &dir, &granted);
    assert!(answer.to_string().contains("in the file"), "{answer}");
    assert_eq!(files(&dir).len(), 1);

    std::fs::write(&path, old).unwrap();
    std::fs::write(dir.join("database.sqlite-wal"), left).unwrap();
    let answer = ask(&env, &dir, &granted);
    assert!(answer.to_string().contains("in the log"), "{answer}");
    assert_eq!(files(&dir).len(), 2);

    // The walls are there: without the grant it sees nothing.
    let answer = ask(&env, &dir, &[]);
    assert!(answer.to_string().contains("there is no such file"), "{answer}");
}
