//! `fs.list_dir`.

use std::os::unix::{fs::symlink, net::UnixListener};

use serde_json::{Value, json};

use crate::{tool::check, world::World};

fn entries(names: &[&str]) -> Value {
    let entry = |name: &&str| {
        let kind = if name.ends_with('/') { "dir" } else { "file" };
        json!({"path": name.trim_end_matches('/'), "kind": kind})
    };
    json!({"entries": names.iter().map(entry).collect::<Vec<_>>()})
}

#[test]
fn listing() {
    for world in [World::on_disk(), World::in_memory()] {
        for path in ["src/main.rs", "src/cmd/deep.rs", "src/.hidden", "b"] {
            world.put(path, "x");
        }
        let src = entries(&[".hidden", "cmd/", "main.rs"]);
        check(
            &mut world.start(),
            &[
                ("D11-088 D11-089 D11-090 D11-091", "fs.list_dir", json!({"path": "src"}), src),
                ("D11-092", "fs.list_dir", json!({"path": "."}), entries(&["b", "src/"])),
                ("D11-093", "fs.list_dir", json!({"path": "missing"}), json!(-32002)),
                ("a file", "fs.list_dir", json!({"path": "b"}), json!(-32602)),
                (
                    "D11-094",
                    "fs.list_dir",
                    json!({"path": "src", "offset": 1, "limit": 1}),
                    entries(&["cmd/"]),
                ),
                (
                    "D11-094",
                    "fs.list_dir",
                    json!({"path": "src", "offset": 2}),
                    entries(&["main.rs"]),
                ),
                (
                    "D11-094",
                    "fs.list_dir",
                    json!({"path": "src", "limit": 2}),
                    entries(&[".hidden", "cmd/"]),
                ),
                ("D11-094", "fs.list_dir", json!({"path": "src", "limit": 0}), entries(&[])),
                (
                    "D11-094",
                    "fs.list_dir",
                    json!({"path": "src", "offset": u64::MAX}),
                    entries(&[]),
                ),
                ("path is needed", "fs.list_dir", json!({}), json!(-32602)),
            ],
        );
    }
}

// The names of what may not be read are not told; those on the way to what may be read are.
#[test]
fn only_what_may_be_read_is_listed() {
    for world in [World::on_disk(), World::in_memory()] {
        for path in ["a/secret/x", "a/open/x", "a/way/to/it/x", "a/file"] {
            world.put(path, "x");
        }
        let world = world.rules("a=r a/secret= a/way= a/way/to/it=r");
        check(
            &mut world.start(),
            &[
                (
                    "listing",
                    "fs.list_dir",
                    json!({"path": "a"}),
                    entries(&["file", "open/", "way/"]),
                ),
                ("denied", "fs.list_dir", json!({"path": "a/secret"}), json!(-32001)),
            ],
        );
    }
}

// D11-278
#[test]
fn thousands_of_entries_come_in_one_answer() {
    for world in [World::on_disk(), World::in_memory()] {
        let count = 5_000;
        for n in 0..count {
            world.put(&format!("many/file-with-a-name-{n:05}"), "");
        }
        let mut tool = world.start();
        let answer = tool.call("fs.list_dir", json!({"path": "many"}));
        let all = answer["result"]["entries"].as_array().unwrap();
        assert_eq!(all.len(), count);
        assert_eq!(all[4_321]["path"], "file-with-a-name-04321");
        tool.hears_nothing();
    }
}

// What is neither a file nor a directory has no kind of its own in the protocol, and is no directory: who
// does not see it takes the directory for empty.
#[test]
fn what_is_neither_is_there_all_the_same() {
    let world = World::on_disk();
    world.put("d/a", "");
    world.put("d/z", "");
    let dir = world.root().join("d");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        dir.join("fifo").as_std_path(),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    let _socket = UnixListener::bind(dir.join("socket")).unwrap();
    symlink("nowhere", dir.join("dangling")).unwrap();
    symlink("a", dir.join("link")).unwrap();
    check(
        &mut world.start(),
        &[
            (
                "kinds",
                "fs.list_dir",
                json!({"path": "d"}),
                entries(&["a", "dangling", "fifo", "link", "socket", "z"]),
            ),
            ("pages", "fs.list_dir", json!({"path": "d", "offset": 4}), entries(&["socket", "z"])),
        ],
    );
}
