//! Input that means harm: an error or an end, never more memory than stated, and nothing done.

use std::{fs, os::unix::net::UnixListener, time::Duration};

use jp_vfs::End;
use rustix::fs::{CWD, FileType, mknodat};
use serde_json::{Value, json};

use crate::{
    pipes::bounded,
    tool::{Tool, code_of},
    world::World,
};

fn raw(tool: &mut Tool, line: &str) -> Value {
    tool.write(line);
    tool.write("\n");
    tool.line()
}

// A line without an end: an error once, the rest is read over, and the next line is served.
#[test]
fn an_endless_line() {
    let world = World::on_disk();
    bounded(|| {
        let mut tool = world.start();
        let piece = "x".repeat(1 << 20);
        for _ in 0..500 {
            tool.write(&piece);
        }
        let answer = tool.line();
        assert_eq!((code_of(&answer), &answer["id"]), (-32006, &json!(null)));
        tool.hears_nothing();
        tool.write("\n");
        assert_eq!(tool.code("fs.exists", json!({"path": "a"})), 0);
    });
}

// Requests just below the limit, many of them.
#[test]
fn large_requests_in_a_row() {
    let world = World::on_disk();
    bounded(|| {
        let mut tool = world.start();
        let content = "x".repeat(10_000_000);
        for id in 0..10 {
            tool.request(id, "fs.write", json!({"path": "a", "content": content}));
            assert_eq!(code_of(&tool.line()), 0);
        }
    });
}

// Text that needs six letters for each byte is too long for one answer, and can be had in parts.
#[test]
fn a_file_of_control_characters() {
    let world = World::on_disk();
    world.put("a", vec![1; 10_000_000]);
    bounded(|| {
        let mut tool = world.start();
        let refused = tool.call("fs.read", json!({"path": "a"}));
        assert_eq!(code_of(&refused), -32006);
        let said = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(said.contains("60000000 bytes") && said.contains("`limit`"), "{said}");
        for id in 0..4 {
            tool.request(id, "fs.read", json!({"path": "a", "limit": 4_900_000}));
        }
        for _ in 0..4 {
            let length = tool.skip_line();
            assert!(length > 6 * 4_900_000, "{length}");
        }
    });
}

// Names that are six times as long in the answer, and too long for it without that.
#[test]
fn a_directory_of_control_characters() {
    let world = World::in_memory();
    for n in 0..150_000 {
        world.put(&format!("d/{n}{}", "\u{1}".repeat(245)), "");
    }
    bounded(|| {
        let mut tool = world.start();
        assert_eq!(tool.code("fs.list_dir", json!({"path": "d"})), -32006);
        assert_eq!(tool.code("fs.list_dir", json!({"path": "d", "limit": 5_000})), 0);
    });
}

// Nesting costs neither the stack nor the host.
#[test]
fn deep_nesting() {
    let world = World::on_disk();
    let mut tool = world.start();
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
        for depth in [100, 127, 128, 10_000, 1_000_000] {
            let deep = format!("{}0{}", open.repeat(depth), close.repeat(depth));
            for line in [
                deep.clone(),
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"fs.read","params":{deep}}}"#),
                format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"fs.read","params":{{"path":{deep}}}}}"#
                ),
                format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"fs.read","params":{{"path":"missing","more":{deep}}}}}"#
                ),
                format!(
                    r#"{{"jsonrpc":"2.0","id":{deep},"method":"fs.read","params":{{"path":"a"}}}}"#
                ),
                format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"fs.read","params":{{"path":"missing"}},"more":{deep}}}"#
                ),
            ] {
                let code = code_of(&raw(&mut tool, &line));
                assert!([-32700, -32600, -32602, -32002].contains(&code), "{depth}: {code}");
            }
        }
    }
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    tool.write(format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"result\",\"params\":{{\"content\":{deep}}}}}\n"
    ));
    assert!(matches!(tool.end(), End::Unreadable(_) | End::Result(_)), "{:?}", tool.end());
}

// The same key twice would be read differently by whoever checks and whoever uses it.
#[test]
fn keys_that_come_twice() {
    let world = World::on_disk().rules("src=r");
    world.put("src/a", "x");
    world.put("private", "s3cret");
    let mut tool = world.start();
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"fs.read","params":{"path":"src/a","path":"private"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"fs.read","method":"fs.delete","params":{"path":"src/a"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"fs.read","params":{"path":"src/a"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"fs.read","params":{"path":"src/a"},"params":{"path":"private"}}"#,
        r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"fs.read","params":{"path":"src/a"}}"#,
    ] {
        let answer = raw(&mut tool, line);
        assert!([-32600, -32602, -32700].contains(&code_of(&answer)), "{line}: {answer}");
    }
}

#[test]
fn numbers_without_end() {
    let world = World::on_disk();
    world.put("a", "x");
    let mut tool = world.start();
    let long = "9".repeat(100_000);
    for number in
        ["1e999999", "-1e999999", "1e-999999", "18446744073709551616", "-0", "0.0", &long, "1E400"]
    {
        for line in [
            format!(
                r#"{{"jsonrpc":"2.0","id":{number},"method":"fs.read","params":{{"path":"a"}}}}"#
            ),
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"fs.read","params":{{"path":"a","offset":{number}}}}}"#
            ),
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"fs.grep","params":{{"pattern":"x","context":{number}}}}}"#
            ),
            number.to_owned(),
        ] {
            let answer = raw(&mut tool, &line);
            let answer = answer.to_string();
            assert!(answer.len() < 2_000, "only a part is quoted");
        }
    }
    assert_eq!(tool.code("fs.read", json!({"path": "a"})), 0);
}

// Escapes that are no text.
#[test]
fn strings_that_are_none() {
    let world = World::on_disk();
    let mut tool = world.start();
    for path in [r"\ud800", r"\udc00\ud800", r"\x41", r"\u00", "\u{1}", r"\ud83e\udd80"] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"fs.read","params":{{"path":"{path}"}}}}"#
        );
        let code = code_of(&raw(&mut tool, &line));
        assert!([-32700, -32602, -32002].contains(&code), "{path}: {code}");
    }
}

// Lists of any length: one answer, in time and in bounds.
#[test]
fn lists_without_measure() {
    let world = World::on_disk();
    world.put("a", "x\n");
    bounded(|| {
        let mut tool = world.start();
        let paths: Vec<_> = (0..100_000).map(|n| format!("p{n}")).collect();
        let answer = tool.call("fs.grep", json!({"pattern": "x", "paths": paths}));
        assert_eq!(code_of(&answer), -32602, "{answer}");
        let answer = tool.call("fs.grep", json!({"pattern": "x", "paths": paths[..1_000]}));
        assert_eq!(code_of(&answer), -32002, "{answer}");
        let same = vec!["a"; 1_000];
        let found = tool.call("fs.grep", json!({"pattern": "x", "paths": same}));
        assert!(found.to_string().len() < 1_000_000, "one file is found once");
        let ends = |count| json!({"pattern": "x", "extensions": vec!["rs"; count]});
        assert_eq!(tool.code("fs.grep", ends(100_000)), -32602);
        assert_eq!(tool.call("fs.grep", ends(1_000))["result"], json!({"matches": []}));
        let pattern = "a|".repeat(1_000_000);
        let answer = tool.call("fs.grep", json!({"pattern": pattern}));
        assert!([0, -32602].contains(&code_of(&answer)));
    });
}

// FIFOs, sockets and devices are never opened for their content, so nobody waits for them.
#[test]
fn what_is_not_a_file() {
    let world = World::on_disk();
    let root = world.root();
    mknodat(CWD, root.join("fifo").as_std_path(), FileType::Fifo, 0o666.into(), 0).unwrap();
    let _socket = UnixListener::bind(root.join("socket")).unwrap();
    let device = rustix::fs::makedev(1, 5);
    let has_device = mknodat(
        CWD,
        root.join("zero").as_std_path(),
        FileType::CharacterDevice,
        0o666.into(),
        device,
    )
    .is_ok();
    let mut names = vec!["fifo", "socket"];
    if has_device {
        names.push("zero");
    }
    let mut tool = world.start();
    for name in names {
        for (method, params) in [
            ("fs.read", json!({"path": name})),
            ("fs.read", json!({"path": name, "limit": 1})),
            ("fs.write", json!({"path": name, "content": "x"})),
            ("fs.list_dir", json!({"path": name})),
            ("fs.metadata", json!({"path": name})),
            ("fs.grep", json!({"pattern": "x", "paths": [name]})),
            ("fs.grep", json!({"pattern": "x"})),
        ] {
            let answer = tool.call(method, params.clone());
            assert!(answer["result"].get("content").is_none(), "{method} {params}: {answer}");
            if method == "fs.read" || method == "fs.write" {
                assert_ne!(code_of(&answer), 0, "{method} {params}");
                assert_ne!(
                    code_of(&answer),
                    -32603,
                    "the tool is to blame, not the host: {answer}"
                );
            }
        }
        assert_eq!(tool.code("fs.delete", json!({"path": name})), 0, "it can be removed");
    }
}

// A file that is larger than any disk.
#[test]
fn a_sparse_file_of_a_terabyte() {
    let world = World::on_disk();
    let file = fs::File::create(world.root().join("huge")).unwrap();
    if file.set_len(1 << 40).is_err() {
        return;
    }
    bounded(|| {
        let mut tool = world.start();
        assert_eq!(tool.code("fs.read", json!({"path": "huge"})), -32006);
        let part = tool.call("fs.read", json!({"path": "huge", "offset": 1_u64 << 39, "limit": 3}));
        assert_eq!(part["result"], json!({"content": "\0\0\0", "size": 1_u64 << 40}));
        let size = tool.call("fs.metadata", json!({"path": "huge"}));
        assert_eq!(size["result"]["size"], 1_u64 << 40);
        let found = tool.call("fs.grep", json!({"pattern": "x"}));
        assert_eq!(found["result"], json!({"matches": []}));
    });
}

// A file that grows while it is read is not more than was allowed.
#[test]
fn files_of_proc_are_out_of_reach() {
    let world = World::on_disk();
    let mut tool = world.start();
    for path in ["proc/self/environ", "./proc/1/root", "dev/zero"] {
        assert_eq!(tool.code("fs.read", json!({"path": path})), -32002);
    }
}

// D11-233
#[test]
fn a_fault_of_the_host_is_said_to_be_one() {
    let world = World::without_files();
    let mut tool = world.start();
    for (method, params) in [
        ("fs.read", json!({"path": "a"})),
        ("fs.write", json!({"path": "a", "content": ""})),
        ("fs.grep", json!({"pattern": "a"})),
        ("fs.list_dir", json!({"path": "."})),
    ] {
        assert_eq!(tool.code(method, params), -32603, "{method}");
    }
    assert!(tool.is_served());
}

// A project whose root is gone.
#[test]
fn a_project_that_is_gone() {
    let world = World::on_disk();
    world.put("d/a", "x");
    let mut tool = world.start();
    fs::remove_dir_all(world.root()).unwrap();
    for (method, params) in [
        ("fs.read", json!({"path": "d/a"})),
        ("fs.write", json!({"path": "new", "content": "x"})),
        ("fs.create_dir", json!({"path": "new"})),
    ] {
        assert_ne!(tool.code(method, params), 0, "{method}");
    }
    assert!(tool.is_served());
}

// D11-237: errors of every kind, and the channel is as good as new.
#[test]
fn every_error_leaves_the_channel_usable() {
    let mut world = World::on_disk().rules(".=rcud private=");
    world.limits.file_bytes = 10;
    world.put("a", "x");
    world.put("large", "0123456789ABC");
    let mut tool = world.start();
    for (line, code) in [
        ("{", -32700),
        ("[]", -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"fs.read"}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"fs.read","params":{"path":"private"}}"#, -32001),
        (r#"{"jsonrpc":"2.0","id":1,"method":"fs.read","params":{"path":"none"}}"#, -32002),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"fs.write","params":{"path":"a","content":"","create_new":true}}"#,
            -32003,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"fs.read","params":{"path":"large"}}"#, -32006),
    ] {
        assert_eq!(code_of(&raw(&mut tool, line)), code, "{line}");
        assert_eq!(tool.call("fs.read", json!({"path": "a"}))["result"]["content"], "x");
    }
}

// Random bytes, and messages with random damage: the host says something or nothing, and goes on.
#[test]
fn damaged_messages() {
    let world = World::on_disk().rules("src=rcud");
    world.put("src/a", "x");
    let mut tool = world.start();
    let document = include_str!("../../../../docs/protocols/vfs.md");
    let is_request =
        |line: &&str| line.contains("\"method\":\"fs.") || line.contains("\"method\":\"host.");
    let examples: Vec<_> = document.lines().filter(is_request).collect();
    assert!(examples.len() > 10);
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % u64::try_from(below).unwrap()).unwrap()
    };
    for _ in 0..5_000 {
        let mut line = examples[random(examples.len())].as_bytes().to_vec();
        for _ in 0..=random(4) {
            let at = random(line.len());
            match random(3) {
                0 => line[at] = u8::try_from(random(256)).unwrap(),
                1 => drop(line.drain(at..at + random(line.len() - at))),
                _ => line.insert(at, b"\"{}[],:\\0"[random(9)]),
            }
            if line.is_empty() {
                line.push(b' ');
            }
        }
        line.retain(|byte| *byte != b'\n');
        line.push(b'\n');
        tool.write(&line);
        while tool.line_within(Duration::ZERO).is_some() {}
    }
    tool.request("end", "fs.read", json!({"path": "src/a"}));
    assert!(tool.is_served(), "{:?}", tool.end());
    let answer = tool.answer("end");
    assert!([0, -32002].contains(&code_of(&answer)), "{answer}");
}
